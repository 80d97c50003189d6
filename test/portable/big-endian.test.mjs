// The portable engine on a big-endian CPU: the conformance suite in Node.js for s390x, emulated.
// `npm run test:portable` fetches the emulator and runs it; `npm test` asks for a few results where
// the emulator is there.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { findBigEndian } from '../../tools/s390x.mjs';
import { root } from '../support/child.mjs';

const { missing, command, run } = findBigEndian();
const skip = missing !== undefined && `skipped: Node.js for s390x is ${missing}`;
const families = 'hashes,hmacs,hashers,many,ciphers,seals,keys,asymmetric,streams,pieces';
const long =
  skip ||
  (process.env.MILLRACE_PORTABLE !== 'all' &&
    'skipped: takes minutes; npm run test:portable runs it');

/** Chooses the module without vectors, which code on big-endian machines needs. */
const preload = `data:text/javascript,import { useJavaScript } from ${JSON.stringify(
  pathToFileURL(join(root, 'dist', 'browser', 'javascript.mjs')),
)}; useJavaScript();`;

const onBigEndian = (args) =>
  promisify(execFile)(command, [...run, '--no-warnings', '--import', preload, ...args], {
    env: { ...process.env, MILLRACE_ENGINE: 'portable', NODE_OPTIONS: '' },
    timeout: 900_000,
  }).catch((error) => error);

test(
  `conformance on a big-endian CPU: ${families}`,
  { skip: long, timeout: 900_000 },
  async (t) => {
    const suite = join(root, 'test', 'conformance', 'host.mjs');
    const options = ['--engine', 'portable', '--families', families];
    const { code, stdout, stderr } = await onBigEndian([suite, ...options]);
    assert.equal(code ?? 0, 0, `${stdout}${stderr}`);
    assert.doesNotMatch(stdout, /failed:/);
    t.diagnostic(stdout.trim().split('\n').at(-1));
  },
);

/**
 * Returns the results of what reads bytes as words, and of what is counted in floating-point
 * numbers.
 */
const results = ({ seal, cipher, hashMany, hmacMany, createHash }) => {
  const bytes = (size) => Uint8Array.from({ length: size }, (_, index) => index);
  const found = {
    hashMany: hashMany('sha256', ['abc', 'd'], 'hex'),
    hmacMany: hmacMany('sha256', 'k', ['abc'], 'hex'),
  };
  for (const [algorithm, keySize, nonceSize] of [
    ['aes-256-gcm', 32, 12],
    ['aes-256-gcm-siv', 32, 12],
    ['chacha20-poly1305', 32, 12],
    ['xchacha20-poly1305', 32, 24],
    ['xaes-256-gcm', 32, 24],
    ['aes-128-ctr', 16],
    ['aes-192-ctr', 24],
    ['chacha20', 32],
  ]) {
    const [key, source] = [bytes(keySize), bytes(203)];
    const result = nonceSize
      ? seal(algorithm, { key, nonce: bytes(nonceSize), source, aad: bytes(5) })
      : cipher(algorithm, true, key, bytes(16), source);
    found[algorithm] = result.toString('hex');
  }
  return { ...found, state: createHash('sha256').update('abc').exportState().toString('hex') };
};

test('batches, ciphers and states are those of a little-endian CPU', { skip }, async () => {
  const program = `console.log(os.endianness() + process.arch);
    console.log(JSON.stringify((${results})(require(${JSON.stringify(root)}))));`;
  const { stdout, stderr } = await onBigEndian(['-e', program]);
  const { default: millrace } = await import('millrace');
  const [cpu, found] = stdout.split('\n');
  assert.equal(cpu, 'BEs390x', stderr);
  assert.deepEqual(JSON.parse(found), results(millrace));
});
