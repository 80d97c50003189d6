// Errors that depend on more than one invalid value, which refusals.test.mjs has: what passes
// through, and results that do not fit into what is asked for.

import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as conversions from 'millrace/bigint-buffer';
import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

const file = fileURLToPath(import.meta.url);
const [key, iv] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2)];

test('an unknown name is repeated if it is close to a known one', () => {
  const hint =
    /^algorithm, the first argument, must be a name that getHashes\(\) lists, not a string of 17 characters$/;
  assert.throws(() => millrace.hmac('my-api-secret-key', 'sha256', 'data'), { message: hint });
  assert.throws(() => millrace.hash('sha265', 'data'), { message: /"sha265".*nearest: sha256/ });
  assert.throws(() => millrace.hash('SHAKE', 'data'), { message: /"SHAKE".*shake/ });
  assert.throws(() => millrace.hash('sha256', 'data', 'hexx'), { message: /not "hexx"/ });
});

test('errors of files, signals and sources pass through', async () => {
  const reason = new Error('of the caller');
  const same = (error) => error === reason;
  const signal = AbortSignal.abort(reason);
  for (const call of [
    () => promises.hashMany('sha256', ['x'], { signal }),
    () => promises.hashFile('sha256', file, { signal }),
    () => promises.scrypt('password', iv, 20, { N: 2, signal }),
    () => promises.hash('sha256', failing()),
    () => promises.hmac('sha256', 'key', failing()),
    () => pipeline(failing(), sealing({}), new PassThrough()),
  ])
    await assert.rejects(call, same);
  await assert.rejects(pipeline(Readable.from(['x']), sealing({ signal }), new PassThrough()), {
    code: 'ABORT_ERR',
    cause: reason,
  });
  for (const call of [promises.hashFile, millrace.hashFile])
    await assert.rejects(async () => call('sha256', '/nonexistent'), { code: 'ENOENT' });

  function failing() {
    return new Readable({
      read() {
        this.destroy(reason);
      },
    });
  }
  function sealing(options) {
    return promises.sealStream({ algorithm: 'aes-256-gcm', key, ...options });
  }
});

test('what a trap throws passes through', () => {
  const reason = new Error('of the caller');
  const ownKeys = () => {
    throw reason;
  };
  assert.throws(
    () => millrace.seal('aes-256-gcm', new Proxy({}, { ownKeys })),
    (error) => error === reason,
  );
});

test('texts that are too long are refused before the work is done', async () => {
  const size = 900 * 2 ** 20;
  const refused = { code: 'ERR_OUTPUT_SIZE' };
  const options = { outputLength: size };
  const shake = (given) => millrace.createHash('shake128', given).update('x');
  const ignore = () => {};
  const before = process.cpuUsage();
  for (const encoding of ['hex', '0xhex', 'base64', 'base64url', 'bigint']) {
    const encoded = { ...options, encoding };
    for (const call of [
      () => millrace.hash('shake128', 'x', encoded),
      () => millrace.hash('blake3', 'x', encoded, ignore),
      () => millrace.hashMany('shake128', ['x'], encoded),
      () => shake(options).digest(encoding),
      () => shake(options).digest(encoding, ignore),
      () => shake().squeeze(size, encoding),
      () => portable.shake128('x', encoded),
      () => portable.shake128.create(options).digest(encoding),
      () => portable.shake128.create().squeeze(size, encoding),
    ])
      assert.throws(call, refused);
    await assert.rejects(promises.hash('shake256', 'x', encoded), refused);
  }
  for (const encoding of ['latin1', 'utf8', 'HEX'])
    assert.throws(() => shake().squeeze(size, encoding), refused);
  const { user, system } = process.cpuUsage(before);
  // The output of one of them alone would take longer.
  assert.ok(user + system < 1e6, `${user + system} us`);
  // A refused digest leaves the hasher as it was.
  const hasher = shake(options);
  assert.throws(() => hasher.digest('hex'), refused);
  assert.equal(
    hasher.copy({ outputLength: 16 }).digest('hex'),
    millrace.hash('shake128', 'x', { outputLength: 16, encoding: 'hex' }),
  );
});

test('the longest digests of hashMany come as texts one by one', () => {
  const outputLength = 12 * 2 ** 20;
  const digests = millrace.hashMany(
    'blake3',
    Array.from({ length: 24 }, () => 'x'),
    { outputLength, encoding: 'hex' },
  );
  const expected = millrace.hash('blake3', 'x', { outputLength, encoding: 'hex' });
  assert.ok(digests.every((digest) => digest === expected));
});

test('a result that is larger than memory is ERR_OUT_OF_MEMORY', () => {
  const error = { code: /^ERR_(OUT_OF_MEMORY|ARGUMENT_VALUE)$/ };
  assert.throws(() => conversions.toBufferBE(1n, 2 ** 46), error);
  assert.throws(() => conversions.toBufferLE(1n, Number.MAX_SAFE_INTEGER), error);
});

test('hashFile: surplus arguments, paths that name no file here', async () => {
  const cases = [
    [[file, 'hex', undefined, () => {}], 'ERR_MISSING_ARGUMENT'],
    [[file, () => {}, 'hex'], 'ERR_MISSING_ARGUMENT'],
    [[file, 'hex', {}], 'ERR_ARGUMENT_TYPE'],
    [['a\0b'], 'ERR_ARGUMENT_VALUE'],
    [[Buffer.from('a\0b')], 'ERR_ARGUMENT_VALUE'],
    [[new URL('https://example.org/a')], 'ERR_ARGUMENT_VALUE'],
    [[new URL('file:///a%00b')], 'ERR_ARGUMENT_VALUE'],
  ];
  for (const [given, code] of cases)
    assert.throws(() => millrace.hashFile('sha256', ...given), { code });
  await assert.rejects(promises.hashFile('sha256', 'a\0b'), { code: 'ERR_ARGUMENT_VALUE' });
  assert.equal(
    millrace.hashFile('sha256', file, 'hex', undefined),
    millrace.hashFile('sha256', Buffer.from(file), 'hex'),
  );
});
