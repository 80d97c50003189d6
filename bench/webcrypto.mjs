// crypto.subtle of the platform against millrace/webcrypto: single calls and 16 in flight, and
// jose under each. Both run interleaved in one process; their answers are compared first.
//
//   npm run bench -- webcrypto [--rounds 9] [--jose DIRECTORY] [--node PATH]
//
// `--jose` is a folder in which jose 6 is installed; without it its rows are left out.

import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { median, quantile } from '../cli/bench/numbers.mjs';
import { machineName } from './machine.mjs';
import { measureForms } from './turns.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    jose: { type: 'string' },
    node: { type: 'string' },
  },
});
if (values.node !== undefined) {
  const { node, ...others } = values;
  const args = Object.entries(others).flatMap(([name, value]) => [`--${name}`, value]);
  const program = fileURLToPath(import.meta.url);
  process.exit(spawnSync(node, [program, ...args], { stdio: 'inherit' }).status ?? 1);
}

const { subtle: theirs } = globalThis.crypto;
const { subtle: ours } = await import('../dist/compat/webcrypto.mjs');

/** Long enough for many iterations of the event loop. */
const TURN_MS = 60;
const IN_FLIGHT = 16;
const settings = { rounds: Number(values.rounds), time: TURN_MS };

const bytes = (size) => Buffer.from(Array.from({ length: size }, (_, index) => index & 255));
const iv = bytes(12);
const raw = bytes(32);
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const derivation = { hash: 'SHA-256', salt: bytes(16), info: bytes(8), iterations: 100_000 };

/** Makes the rows for one implementation; each is a function that makes one call. */
async function rows(subtle) {
  const [gcm, hmac, hkdf, pbkdf2] = await Promise.all([
    subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
    subtle.importKey('raw', raw, HMAC, false, ['sign', 'verify']),
    subtle.importKey('raw', raw, 'HKDF', false, ['deriveBits']),
    subtle.importKey('raw', raw, 'PBKDF2', false, ['deriveBits']),
  ]);
  const aes = { name: 'AES-GCM', iv };
  const table = {};
  for (const [size, text] of [
    [64, '64 B'],
    [4096, '4 KiB'],
    [2 ** 20, '1 MiB'],
  ]) {
    const data = bytes(size);
    table[`digest SHA-256, ${text}`] = () => subtle.digest('SHA-256', data);
    table[`encrypt AES-GCM, ${text}`] = () => subtle.encrypt(aes, gcm, data);
    table[`sign HMAC, ${text}`] = () => subtle.sign('HMAC', hmac, data);
  }
  const sealed = Buffer.from(await subtle.encrypt(aes, gcm, bytes(64)));
  table['decrypt AES-GCM, 64 B'] = () => subtle.decrypt(aes, gcm, sealed);
  table['deriveBits HKDF'] = () => subtle.deriveBits({ ...derivation, name: 'HKDF' }, hkdf, 256);
  table['deriveBits PBKDF2, 100,000'] = () =>
    subtle.deriveBits({ ...derivation, name: 'PBKDF2' }, pbkdf2, 256);
  table['importKey and one encryption'] = async () => {
    const key = await subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
    return subtle.encrypt(aes, key, iv);
  };
  return table;
}

const shown = (seconds) =>
  seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(1)} ms` : (seconds * 1e6).toFixed(1);

/** Prints a row, and returns the ratio of calls one at a time. */
async function print(name, forms) {
  const cells = [];
  const ratios = [];
  for (const inFlight of [1, IN_FLIGHT]) {
    const entries = await measureForms({ name, wait: 'promise', inFlight }, forms, settings);
    const [platform, own] = entries.map(({ seconds }) => seconds);
    ratios.push(platform / own);
    cells.push(`${shown(platform)} / ${shown(own)}`, (platform / own).toFixed(1));
  }
  console.log(`| ${[name, ...cells].join(' | ')} |`);
  return ratios[0];
}

console.log(
  `${machineName()}; Node.js ${process.version}; microseconds, medians of ${values.rounds}\n`,
);
console.log('| call | one at a time: subtle / Millrace | x | 16 in flight | x |');
console.log('|---|---|---|---|---|');
const [platformRows, ownRows] = [await rows(theirs), await rows(ours)];
const short = [];
for (const [name, left] of Object.entries(platformRows)) {
  const ratio = await print(name, { platform: left, millrace: ownRows[name] });
  if (/ B$|KiB$|HKDF$|encryption$/.test(name)) short.push(ratio);
}

if (values.jose !== undefined) {
  const jose = await import(
    pathToFileURL(createRequire(join(values.jose, 'package.json')).resolve('jose')).href
  );
  const platform = Object.getPrototypeOf(theirs);
  const methods = Object.fromEntries(
    Object.keys(ours).map((name) => [name, [platform[name], ours[name].bind(ours)]]),
  );
  /** Replaces the prototype's methods as register-webcrypto does: jose calls `crypto.subtle`. */
  const under = (index, call) => () => {
    for (const [name, both] of Object.entries(methods)) platform[name] = both[index];
    // Encryption is random: there is nothing to compare.
    return call().then(() => true);
  };
  const key = new Uint8Array(raw);
  const message = new TextEncoder().encode('{"sub":"1234567890","name":"a name"}');
  const sign = () => new jose.CompactSign(message).setProtectedHeader({ alg: 'HS256' }).sign(key);
  const seal = (alg, enc) => () =>
    new jose.CompactEncrypt(message).setProtectedHeader({ alg, enc }).encrypt(key);
  const signed = await sign();
  const calls = {
    'jose HS256 sign': sign,
    'jose HS256 verify': () => jose.compactVerify(signed, key),
  };
  for (const alg of ['dir', 'A256GCMKW', 'A256KW']) {
    const sealed = await seal(alg, 'A256GCM')();
    calls[`jose ${alg} A256GCM encrypt`] = seal(alg, 'A256GCM');
    calls[`jose ${alg} A256GCM decrypt`] = () => jose.compactDecrypt(sealed, key);
  }
  for (const [name, call] of Object.entries(calls)) {
    const forms = { platform: under(0, call), millrace: under(1, call) };
    await print(name, forms);
  }
  under(0, () => {})();
}
console.log(`\nmedian of the rows up to 4 KiB, one at a time: ${median(short).toFixed(1)}`);

const large = bytes(2 ** 22);
for (const [name, subtle] of Object.entries({ subtle: theirs, Millrace: ours })) {
  const delays = [];
  let over = false;
  const digests = Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let index = 0; index < 4; index++) await subtle.digest('SHA-256', large);
    }),
  ).then(() => {
    over = true;
  });
  while (!over) {
    const start = performance.now();
    await stat('.');
    delays.push(performance.now() - start);
  }
  await digests;
  const percentile = quantile(delays, 0.99).toFixed(2);
  console.log(`fs.stat beside 16 digests of 4 MiB, 99th percentile, ${name}: ${percentile} ms`);
}
