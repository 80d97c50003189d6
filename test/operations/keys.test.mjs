// Prepared keys: what they are accepted for, and their end.

import assert from 'node:assert/strict';
import { createPrivateKey, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import {
  aeadNames,
  cipherNames,
  ciphers,
  hashNames,
  hashes,
  hmacNames,
} from '../support/algorithms.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { expectError, refuses, show, thrown } from '../support/refusals.mjs';
import { ways } from '../support/ways.mjs';

const nonce = Buffer.alloc(12);
const seal = (key, algorithm = 'aes-256-gcm') =>
  millrace.seal(algorithm, { key, nonce, source: 'x' });

// The call styles of support/entry-points.mjs use each prepared key once.
for (const algorithm of cipherNames) {
  test(`${algorithm}: a prepared key wherever a key is, again and again`, async () => {
    const rng = random(algorithm);
    const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
    const [bytes, iv, source] = [rng.bytes(keySize), rng.bytes(ivSize), rng.bytes(500)];
    const aad = aead ? rng.bytes(7) : undefined;
    const job = { kind: 'cipher', algorithm, encrypt: true, key: bytes, iv, source, aad };
    const { output } = oracle(job);
    const given = Buffer.from(bytes);
    const key = millrace.createKey(algorithm.toUpperCase(), given);
    given.fill(0); // It was copied.
    assert.equal(key.algorithm, algorithm);
    assert.equal(key.size, keySize);
    assert.equal(key.disposed, false);
    const extras = aead ? { aad, tag: Buffer.alloc(16) } : {};
    for (const { cipher } of [millrace, promises, millrace]) {
      const positional = [true, key, iv, source, ...Object.values(extras)];
      assert.deepEqual(await cipher(algorithm, ...positional), output);
      const target = Buffer.alloc(500);
      const options = { encrypt: 1, key, iv, source, target, ...extras };
      assert.equal(await cipher(algorithm, options), 500);
      assert.deepEqual(target, output);
    }
    key.dispose();
  });
}

for (const algorithm of hmacNames) {
  test(`hmac-${algorithm}: a prepared key wherever a key is, again and again`, async () => {
    const rng = random(algorithm);
    const { block } = hashes[algorithm];
    for (const size of [0, 1, block - 1, block, block + 1, 1000]) {
      const [bytes, source] = [rng.bytes(size), rng.bytes(300)];
      const expected = oracle({ kind: 'hmac', algorithm, key: bytes, source }).output;
      const key = millrace.createKey(`hmac-${algorithm}`, bytes);
      assert.equal(key.algorithm, `hmac-${algorithm}`);
      assert.equal(key.size, size);
      for (const { hmac } of [millrace, promises]) {
        assert.deepEqual(await hmac(algorithm, key, source), expected);
        const target = Buffer.alloc(80);
        const options = { target, targetOffset: 5 };
        assert.equal(await hmac(algorithm, key, source, options), expected.length);
        assert.deepEqual(target.subarray(5, 5 + expected.length), expected);
      }
    }
  });
}

test('blake3 takes a prepared key', async () => {
  const bytes = random('blake3').bytes(32);
  const key = millrace.createKey('BLAKE3', bytes);
  assert.equal(key.algorithm, 'blake3');
  const source = Buffer.from('abc');
  for (const outputLength of [1, 32, 64, 65, 131, 1025]) {
    const job = { kind: 'hash', algorithm: 'blake3', key: bytes, outputLength, source };
    for (const { hash } of [millrace, promises])
      assert.deepEqual(await hash('blake3', source, { key, outputLength }), oracle(job).output);
  }
});

test('a KeyObject of node:crypto is a key', () => {
  const bytes = random('KeyObject').bytes(32);
  const object = createSecretKey(bytes);
  assert.deepEqual(seal(millrace.createKey('aes-256-gcm', object)), seal(bytes));
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const read = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const wrong of [privateKey, publicKey, read])
    assert.throws(() => millrace.createKey('hmac-sha256', wrong), { code: 'ERR_ARGUMENT_TYPE' });
  assert.throws(() => millrace.createKey('aes-128-gcm', object), { code: 'ERR_KEY_SIZE' });
});

test('createKey refuses what it must', () => {
  const refused = (args, code, names) =>
    expectError(
      thrown(() => millrace.createKey(...args)),
      code,
      names,
      show(args[0]),
    );
  refused([], 'ERR_MISSING_ARGUMENT');
  refused(['aes-256-gcm'], 'ERR_MISSING_ARGUMENT');
  for (const algorithm of [undefined, null, 5, {}, Buffer.from('aes-256-gcm')])
    refused([algorithm, Buffer.alloc(32)], 'ERR_ARGUMENT_TYPE', /algorithm/);
  for (const algorithm of ['', 'aes-512-gcm', 'hmac-', 'hmac-sha257', 'hmac'])
    refused([algorithm, Buffer.alloc(32)], 'ERR_UNKNOWN_ALGORITHM');
  for (const algorithm of ['hmac-hmac-sha256', 'hmac-aes-256-gcm'])
    refused([algorithm, Buffer.alloc(32)], 'ERR_UNKNOWN_ALGORITHM');
  for (const algorithm of hashNames.filter((name) => !hashes[name].hmac))
    refused([`hmac-${algorithm}`, Buffer.alloc(32)], 'ERR_ARGUMENT_VALUE', /HMAC/i);
  for (const algorithm of hashNames.filter((name) => hashes[name].parameters === undefined))
    refused([algorithm, Buffer.alloc(32)], 'ERR_ARGUMENT_VALUE');
  for (const algorithm of cipherNames) {
    for (const size of [0, 1, ciphers[algorithm].key - 1, ciphers[algorithm].key + 1, 64])
      refused([algorithm, Buffer.alloc(size)], 'ERR_KEY_SIZE', /key/);
    const other = millrace.createKey('blake3', Buffer.alloc(32));
    for (const wrong of [undefined, null, 5, {}, [], 'k'.repeat(32), other])
      refused([algorithm, wrong], 'ERR_ARGUMENT_TYPE', /key/);
  }
  refused(['blake3', Buffer.alloc(31)], 'ERR_KEY_SIZE', /key/);
});

test('a key for one algorithm is refused by every other', async () => {
  const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32));
  const others = (names) => names.filter((name) => name !== 'aes-256-gcm');
  const mac = (name) => millrace.createKey(`hmac-${name}`, Buffer.alloc(32));
  const source = Buffer.alloc(30);
  const iv = (algorithm) => Buffer.alloc(ciphers[algorithm].iv);
  for (const [method, ...args] of [
    ...others(cipherNames).map((name) => {
      const tagged = ciphers[name].aead ? { tag: Buffer.alloc(16) } : {};
      return ['cipher', name, { encrypt: true, key, iv: iv(name), source, ...tagged }];
    }),
    ...others(aeadNames).flatMap((name) =>
      ['seal', 'open'].map((method) => [method, name, { key, nonce: iv(name), source }]),
    ),
    ['hmac', 'sha256', key, 'data'],
    ['hash', 'blake3', 'data', { key }],
  ])
    await refuses(method, args, 'ERR_KEY_ALGORITHM', /key.*aes-256-gcm/);
  await refuses('hmac', ['sha256', mac('sha1'), 'data'], 'ERR_KEY_ALGORITHM', /key.*hmac-sha1/);
  const wrong = { key: mac('sha256'), nonce, source: '' };
  await refuses('seal', ['aes-256-gcm', wrong], 'ERR_KEY_ALGORITHM', /key/);
  // A key is refused where bytes are expected that are not a key.
  const twice = { key, nonce: key, source: '' };
  await refuses('seal', ['aes-256-gcm', twice], 'ERR_ARGUMENT_TYPE', /nonce/);
  await refuses('hash', ['sha256', key], 'ERR_ARGUMENT_TYPE', /data/);
});

test('a disposed key is refused', async () => {
  const [key, mac, blake3] = ['aes-256-gcm', 'hmac-sha256', 'blake3'].map((algorithm) => {
    const each = millrace.createKey(algorithm, Buffer.alloc(32));
    each.dispose();
    assert.equal(each.disposed, true);
    each.dispose(); // Nothing happens.
    assert.equal(each.disposed, true);
    return each;
  });
  const tag = Buffer.alloc(16);
  for (const [method, ...args] of [
    ['seal', 'aes-256-gcm', { key, nonce, source: '' }],
    ['open', 'aes-256-gcm', { key, nonce, source: tag }],
    ['cipher', 'aes-256-gcm', true, key, nonce, Buffer.alloc(3), Buffer.alloc(0), tag],
    ['hmac', 'sha256', mac, 'data'],
    ['hash', 'blake3', 'data', { key: blake3 }],
  ])
    await refuses(method, args, 'ERR_KEY_DISPOSED', /key/);
});

test('a disposed key is not mistaken for its successor', () => {
  const first = millrace.createKey('aes-256-gcm', Buffer.alloc(32, 1));
  first.dispose();
  const second = millrace.createKey('aes-256-gcm', Buffer.alloc(32, 2));
  assert.throws(() => seal(first), { code: 'ERR_KEY_DISPOSED' });
  first.dispose();
  assert.equal(second.disposed, false);
  assert.deepEqual(seal(second), seal(Buffer.alloc(32, 2)));
});

test(
  'Symbol.dispose disposes a key',
  { skip: Symbol.dispose === undefined && 'not in this version of Node' },
  () => {
    const key = millrace.createKey('aes-128-ctr', Buffer.alloc(16));
    key[Symbol.dispose]();
    assert.equal(key.disposed, true);
  },
);

test('keys may be disposed while their jobs are in flight', async () => {
  const rng = random('in flight');
  const source = rng.bytes(200_000);
  const jobs = Array.from({ length: 300 }, (_, index) => {
    const bytes = rng.bytes(32);
    const nonce = rng.bytes(12);
    const key = millrace.createKey('aes-256-gcm', bytes);
    const mac = millrace.createKey('hmac-sha512', bytes);
    const text = source.subarray(0, index % 3 === 0 ? 200_000 : 100);
    const blake3 = millrace.createKey('blake3', bytes);
    const settled = Promise.all([
      promises.seal('aes-256-gcm', { key, nonce, source: text }),
      promises.hmac('sha512', mac, text),
      ways.callback('hash', 'blake3', text, { key: blake3 }),
    ]);
    key.dispose();
    mac.dispose();
    // The slot is taken again at once, by a key that must not be used instead.
    millrace.createKey('aes-256-gcm', Buffer.alloc(32, 0xff));
    if (index % 50 === 0) collectGarbage();
    return { settled, bytes, nonce, text };
  });
  for (const { settled, bytes, nonce, text } of jobs) {
    const [sealed, mac, digest] = await settled;
    assert.ok(sealed.equals(millrace.seal('aes-256-gcm', { key: bytes, nonce, source: text })));
    assert.ok(mac.equals(millrace.hmac('sha512', bytes, text)));
    assert.ok(digest.equals(millrace.hash('blake3', text, { key: bytes })));
  }
});

test(
  'forgotten keys are collected: 300,000 of them leave no memory behind',
  { timeout: 300_000 },
  async () => {
    const rounds = async (count) => {
      for (let round = 0; round < count; round++) {
        for (let index = 0; index < 20_000; index++)
          millrace.createKey('aes-256-gcm', Buffer.alloc(32));
        for (let turn = 0; turn < 5; turn++) {
          collectGarbage();
          await setTimeout(5);
        }
      }
    };
    await rounds(5);
    const before = process.memoryUsage().rss;
    await rounds(10);
    // 200,000 schedules of 500 bytes and more would be 100 MB.
    const more = process.memoryUsage().rss - before;
    assert.ok(more < 60e6, `${Math.round(more / 1e6)} MB more`);
  },
);

test('a key shows nothing of itself', () => {
  const secret = Buffer.from('visible-if-it-were-kept-in-a-key');
  const key = millrace.createKey('aes-256-gcm', secret);
  for (const shown of [
    inspect(key, { showHidden: true, depth: 9 }),
    JSON.stringify(key),
    String(key),
    Object.getOwnPropertyNames(key)
      .map((name) => inspect(key[name]))
      .join(),
  ]) {
    assert.doesNotMatch(shown, /visible|76, 69|7669/);
  }
  assert.throws(() => seal(structuredClone(key)), Error);
  assert.throws(() => new key.constructor(), { code: 'ERR_ARGUMENT_TYPE' });
  // An object that looks like a key is none.
  assert.throws(() => seal(Object.create(key)), { code: 'ERR_ARGUMENT_TYPE' });
  assert.throws(() => {
    key.algorithm = 'aes-128-gcm';
    seal(key, 'aes-128-gcm');
  }, Error);
});

test('collecting disposed keys and ended ciphers leaves those made later', async () => {
  const bytes = Buffer.alloc(32, 7);
  const source = Buffer.from('x');
  const begin = () => millrace.createCipher('aes-256-gcm', { key: bytes, nonce });
  for (let index = 0; index < 100; index++) {
    millrace.createKey('aes-256-gcm', bytes).dispose();
    begin().final();
  }
  const keys = Array.from({ length: 100 }, () => millrace.createKey('aes-256-gcm', bytes));
  const running = Array.from({ length: 100 }, begin);
  collectGarbage();
  // Finalizers run in a later task.
  await setTimeout(1);
  const expected = seal(bytes);
  for (const key of keys) assert.deepEqual(seal(key), expected);
  for (const cipher of running) {
    const text = [cipher.update(source), cipher.final(), cipher.authTag];
    assert.deepEqual(Buffer.concat(text), expected);
  }
});
