// Derived keys, opened texts and codes have an ArrayBuffer of their own, by every entry point and
// call style: a thread that is sent one gets nothing else with it. Digests and ciphertexts are
// public and may share one.

import assert from 'node:assert/strict';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { waited } from '../support/calls.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const iv = Buffer.alloc(16, 3);
const SIZES = [0, 1, 32, 63, 64, 65, 200, 2000, 2048, 2049, 5000];
const engines = ['native', 'portable'];

/** Yields the calls with secret results, each by a name and its arguments. */
function* calls(engine) {
  for (const size of SIZES) {
    const source = Buffer.alloc(size, 7);
    for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
      const sealed = millrace.seal(algorithm, { key, nonce, source });
      const prepared = millrace.createKey(algorithm, key, { engine });
      yield ['open', [algorithm, { key, nonce, source: sealed, engine }], source];
      yield ['open', [algorithm, { key: prepared, nonce, source: sealed }], source];
    }
    const encrypted = millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source });
    const decryption = { encrypt: false, key, iv, source: encrypted, engine };
    yield ['cipher', ['aes-256-ctr', decryption], source];
    yield ['hash', ['blake3', 'data', { key, outputLength: size || 32, engine }]];
  }
  for (const algorithm of ['md5', 'sha256', 'sha512']) {
    yield ['hmac', [algorithm, key, 'data', { engine }]];
    yield ['hmac', [algorithm, 'a key', Buffer.alloc(10_000), { engine }]];
    yield ['hmac', [algorithm, millrace.createKey(`hmac-${algorithm}`, key, { engine }), 'data']];
    yield ['hmacMany', [algorithm, key, ['a', 'b', 'c'], { engine }]];
    yield ['hmacMany', [algorithm, key, ['a', 'b', 'c'], { encoding: 'buffer', engine }]];
  }
  yield ['hashMany', ['blake3', ['a', 'b'], { key, engine }]];
  yield ['hashMany', ['blake3', ['a', 'b'], { key, encoding: 'buffer', engine }]];
  for (const size of [1, 16, 32, 64, 65, 500]) {
    yield ['scrypt', ['password', 'salt', size, { N: 16, r: 1, engine }]];
    yield ['pbkdf2', ['password', 'salt', 2, size, 'sha256', { engine }]];
    yield ['hkdf', ['sha256', 'secret', 'salt', 'info', size, { engine }]];
    const cost = { memory: 8, passes: 1, tagLength: size, engine };
    if (size >= 4) yield ['argon2', ['argon2id', { message: 'x', nonce: '12345678', ...cost }]];
  }
}

const ways = {
  synchronously: (name, given) => millrace[name](...given),
  'with a callback': (name, given) => waited(millrace[name])(...given),
  'with a promise': (name, given) => promises[name](...given),
  'with a promise, on the pool': (name, given) => {
    const last = given.at(-1);
    const isRouted = /^(hash|hmac|open|cipher)/.test(name) && Object(last).constructor === Object;
    return promises[name](
      ...(isRouted ? [...given.slice(0, -1), { ...last, route: 'pool' }] : given),
    );
  },
};

function alone(result, what) {
  for (const each of Array.isArray(result) ? result : [result]) {
    assert.equal(
      each.buffer.byteLength,
      each.length,
      `${what}: ${each.buffer.byteLength} bytes with ${each.length}`,
    );
    assert.equal(structuredClone(each).buffer.byteLength, each.length, what);
  }
}

for (const engine of engines) {
  for (const [way, run] of Object.entries(ways)) {
    test(`secret results have separate memory: ${engine}, ${way}`, async () => {
      // Something in the pool, or the pool would be at its start.
      Buffer.from('others');
      for (const [name, given, expected] of calls(engine)) {
        const what = `${name} ${String(given[0])} ${engine} ${way}`;
        const first = await run(name, given);
        const results = await Promise.all([run(name, given), run(name, given)]);
        for (const result of results) {
          alone(result, what);
          assert.deepEqual(result, first, what);
        }
        if (expected !== undefined) assert.deepEqual(Buffer.from(first), expected, what);
      }
    });
  }

  test(`codes of hashers have memory of their own: ${engine}`, async () => {
    const hashers = [
      () => millrace.createHmac('sha256', key, { engine }),
      () => millrace.createHmac('sha512', millrace.createKey('hmac-sha512', key, { engine })),
      () => millrace.createHash('blake3', { key, engine }),
      () => millrace.createHash('blake3', { key, engine, outputLength: 100 }),
    ];
    for (const make of hashers) {
      for (const message of [Buffer.alloc(3, 1), Buffer.alloc(100_000, 1)]) {
        const expected = make().update(message).digest('hex');
        const digest = make().update(message).digest();
        alone(digest, 'digest');
        assert.equal(digest.toString('hex'), expected);
        alone(await make().update(message).digestAsync(), 'digestAsync');
        alone(make().update(message).exportState(), 'exportState');
        if (make().algorithm === 'blake3') alone(make().update(message).squeeze(40), 'squeeze');
      }
    }
  });
}

test('sealed streams give opened chunks in separate memory', async () => {
  const options = { algorithm: 'aes-256-gcm', key };
  const sealed = [];
  await pipeline([Buffer.alloc(100_000, 5)], promises.sealStream(options), async (stream) => {
    for await (const piece of stream) sealed.push(piece);
  });
  await pipeline(sealed, promises.openStream(options), async (stream) => {
    for await (const piece of stream) alone(piece, 'a chunk');
  });
});

test('text of a code is right too, whatever the encoding', () => {
  const code = millrace.hmac('sha256', key, 'data');
  for (const encoding of ['hex', 'base64', 'base64url'])
    assert.equal(millrace.hmac('sha256', key, 'data', encoding), code.toString(encoding));
  assert.equal(millrace.hmac('sha256', key, 'data', 'bigint'), BigInt(`0x${code.toString('hex')}`));
  assert.throws(() => millrace.open('aes-256-gcm', { key, nonce, source: Buffer.alloc(40) }), {
    code: 'ERR_AUTHENTICATION',
  });
});

test('strings that are sealed, and keys that are strings, do not come into the pool', async () => {
  for (const length of [5, 1000, 3000]) {
    const text = 'secret'.repeat(Math.ceil(length / 6)).slice(0, length - 4) + 'mark';
    const before = Buffer.from('something in the pool');
    const options = { key, nonce, source: text };
    for (const { seal, cipher, hmac } of [millrace, promises]) {
      await seal('aes-256-gcm', options);
      await seal('aes-256-gcm', { ...options, target: Buffer.alloc(length + 16) });
      await cipher('aes-256-ctr', { encrypt: true, key, iv, source: text });
      await cipher('aes-256-ctr', true, key, iv, text);
      await hmac('sha256', text, 'data');
    }
    for (const pooled of [before, Buffer.from('more')])
      assert.equal(Buffer.from(pooled.buffer).includes('mark'), false, `${length}`);
  }
});
