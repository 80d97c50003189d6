// Many messages in one call: the main things, with the single message as the judge.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

const { hash, hashMany, hmac, hmacMany } = millrace;

/** Messages of all kinds and sizes. */
const mixed = Array.from({ length: 3000 }, (_, index) =>
  [
    () => crypto.randomBytes(index % 300),
    () => `text ${index} grün`,
    () => crypto.randomBytes(1000 + index),
    () => new DataView(crypto.randomBytes(index % 50).buffer.slice(0, index % 50)),
    () => 'x'.repeat(index),
    () => new Float64Array(index % 30).fill(index),
    () => new Uint8Array(index % 20).buffer,
  ][index % 7](),
);

const waysOf = {
  sync: (name, ...given) => millrace[name](...given),
  callback: (name, ...given) => new Promise((resolve, reject) => millrace[name](...given, (error, result) => (error ? reject(error) : resolve(result)))),
  promise: (name, ...given) => promises[name](...given),
};

for (const [way, call] of Object.entries(waysOf)) {
  test(`${way}: one Buffer, an array, a target`, async () => {
    const expected = Buffer.concat(mixed.map((each) => hash('sha256', each)));
    assert.deepEqual(await call('hashMany', 'sha256', mixed), expected);
    assert.deepEqual(await call('hashMany', 'sha256', mixed, 'hex'), mixed.map((each) => hash('sha256', each, 'hex')));
    assert.deepEqual(await call('hashMany', 'xxh64', mixed, { encoding: 'bigint', seed: 5 }), mixed.map((each) => hash('xxh64', each, { encoding: 'bigint', seed: 5 })));
    assert.deepEqual(await call('hashMany', 'shake128', mixed, { encoding: 'buffer', outputLength: 9 }), mixed.map((each) => hash('shake128', each, { outputLength: 9 })));
    const target = Buffer.alloc(expected.length + 10);
    assert.equal(await call('hashMany', 'sha256', mixed, { target, targetOffset: 3 }), expected.length);
    assert.deepEqual(target, Buffer.concat([Buffer.alloc(3), expected, Buffer.alloc(7)]));
    assert.deepEqual(await call('hashMany', 'sha256', []), Buffer.alloc(0));
    assert.deepEqual(await call('hashMany', 'sha256', [], 'hex'), []);
  });

  test(`${way}: packed`, async () => {
    for (const size of [1, 64, 1000, 100_000]) {
      const data = crypto.randomBytes(size * 30);
      const each = Array.from({ length: 30 }, (_, index) => data.subarray(index * size, (index + 1) * size));
      const expected = Buffer.concat(each.map((message) => hash('sha512', message)));
      assert.deepEqual(await call('hashMany', 'sha512', { data, size }), expected);
      const target = Buffer.alloc(expected.length);
      assert.equal(await call('hashMany', 'sha512', { data, size }, { target }), expected.length);
      assert.deepEqual(target, expected);
    }
    await assert.rejects(async () => call('hashMany', 'sha512', { data: Buffer.alloc(65), size: 64 }), { code: 'ERR_ARGUMENT_VALUE' });
    await assert.rejects(async () => call('hashMany', 'sha512', { data: Buffer.alloc(64), size: 0 }), { code: 'ERR_ARGUMENT_VALUE' });
  });

  test(`${way}: hmac`, async () => {
    const expected = Buffer.concat(mixed.map((each) => hmac('sha256', 'a key', each)));
    for (const key of ['a key', Buffer.from('a key'), millrace.createKey('hmac-sha256', 'a key')]) {
      assert.deepEqual(await call('hmacMany', 'sha256', key, mixed), expected);
      assert.deepEqual(await call('hmacMany', 'sha256', key, mixed, 'base64'), mixed.map((each) => hmac('sha256', 'a key', each, 'base64')));
    }
  });

  test(`${way}: errors name the element`, async () => {
    const rejects = (code, message, ...given) => assert.rejects(async () => call(...given), { code, message });
    await rejects('ERR_ARGUMENT_TYPE', /^sources\[17\] must be a string/, 'hashMany', 'sha256', [...mixed.slice(0, 17), 5]);
    await rejects('ERR_ARGUMENT_TYPE', /^sources must be an array/, 'hashMany', 'sha256', 'text');
    await rejects('ERR_OUTPUT_SIZE', /outputLength/, 'hashMany', 'shake128', mixed);
    await rejects('ERR_ARGUMENT_VALUE', /target/, 'hashMany', 'sha256', mixed, { target: Buffer.alloc(5) });
    await rejects('ERR_ARGUMENT_VALUE', /exclude/, 'hashMany', 'sha256', mixed, { target: Buffer.alloc(96_000), encoding: 'hex' });
    await rejects('ERR_UNKNOWN_ALGORITHM', /nearest/, 'hashMany', 'sha257', mixed);
  });
}

test('the messages may lie in the target', () => {
  const data = crypto.randomBytes(64 * 500);
  const views = Array.from({ length: 500 }, (_, index) => data.subarray(index * 64, (index + 1) * 64));
  const expected = Buffer.concat(views.map((each) => hash('sha256', each)));
  hashMany('sha256', views, { target: data, targetOffset: 100 });
  assert.deepEqual(data.subarray(100, 100 + expected.length), expected);
});

test('asynchronous: taken when they were given', async () => {
  const sources = Array.from({ length: 2000 }, () => crypto.randomBytes(500));
  const expected = hashMany('sha256', sources);
  const result = promises.hashMany('sha256', sources);
  for (const each of sources) each.fill(0);
  sources.length = 0;
  assert.deepEqual(await result, expected);
});

test('an abort before the work begins', async () => {
  const controller = new AbortController();
  const sources = Array.from({ length: 64 }, () => Buffer.alloc(1 << 14));
  // Every worker has something longer to do.
  const long = Buffer.alloc(1 << 25);
  const busy = Array.from({ length: 2 * millrace.configure().threads }, () => promises.hash('sha512', long, 0, long.length, Buffer.alloc(64), 0));
  const result = promises.hashMany('sha256', sources, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(result, { message: 'enough' });
  await assert.rejects(promises.hashMany('sha256', sources, 'hex', { signal: AbortSignal.abort(new Error('before')) }), { message: 'before' });
  await Promise.all(busy);
});

test('hmacMany and hashMany leave a getter no way in', () => {
  const data = crypto.randomBytes(4096);
  const sources = [data, data, data];
  Object.defineProperty(sources, 1, { get: () => (data.buffer.transfer ? structuredClone(data.buffer, { transfer: [data.buffer] }) : undefined, 'text'), enumerable: true });
  const result = hashMany('sha256', sources, 'hex');
  assert.equal(result[1], hash('sha256', 'text', 'hex'));
  assert.equal(result[0], hash('sha256', data, 'hex'));
  assert.equal(hmacMany('sha256', 'k', ['a'])[0], hmac('sha256', 'k', 'a')[0]);
});
