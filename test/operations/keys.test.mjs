// Prepared keys: what they are accepted for, and their end.

import assert from 'node:assert/strict';
import { createPrivateKey, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

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
import { refuses } from '../support/refusals.mjs';

for (const algorithm of cipherNames) {
  test(`${algorithm}: a prepared key wherever a key is`, async () => {
    const rng = random(algorithm);
    const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
    const [bytes, iv, source] = [rng.bytes(keySize), rng.bytes(ivSize), rng.bytes(500)];
    const aad = aead ? rng.bytes(7) : undefined;
    const expected = oracle({
      kind: 'cipher',
      algorithm,
      encrypt: true,
      key: bytes,
      iv,
      source,
      aad,
    });
    const given = Buffer.from(bytes);
    const key = millrace.createKey(algorithm.toUpperCase(), given);
    given.fill(0); // It was copied.
    assert.equal(key.algorithm, algorithm);
    assert.equal(key.size, keySize);
    assert.equal(key.disposed, false);
    const tagged = () => (aead ? { aad, tag: Buffer.alloc(16) } : {});
    for (const entryPoint of [millrace, promises]) {
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(
          await entryPoint.cipher(algorithm, { encrypt: true, key, iv, source, ...tagged() }),
          expected.output,
        );
        assert.deepEqual(
          await entryPoint.cipher(algorithm, true, key, iv, source, ...Object.values(tagged())),
          expected.output,
        );
      }
      const target = Buffer.alloc(500);
      const extras = tagged();
      assert.equal(
        await entryPoint.cipher(algorithm, { encrypt: 1, key, iv, source, target, ...extras }),
        500,
      );
      assert.deepEqual(target, expected.output);
      if (!aead) continue;
      const sealed = Buffer.concat([expected.output, expected.tag]);
      assert.deepEqual(await entryPoint.seal(algorithm, { key, nonce: iv, source, aad }), sealed);
      assert.deepEqual(
        await entryPoint.open(algorithm, { key, nonce: iv, source: sealed, aad }),
        source,
      );
      sealed[3] ^= 1;
      await assert.rejects(
        async () => entryPoint.open(algorithm, { key, nonce: iv, source: sealed, aad }),
        { code: 'ERR_AUTHENTICATION' },
      );
    }
    key.dispose();
  });
}

for (const algorithm of hmacNames) {
  test(`hmac-${algorithm}: a prepared key wherever a key is`, async () => {
    const rng = random(algorithm);
    for (const size of [
      0,
      1,
      hashes[algorithm].block - 1,
      hashes[algorithm].block,
      hashes[algorithm].block + 1,
      1000,
    ]) {
      const [bytes, source] = [rng.bytes(size), rng.bytes(300)];
      const expected = oracle({ kind: 'hmac', algorithm, key: bytes, source }).output;
      const key = millrace.createKey(`hmac-${algorithm}`, bytes);
      assert.equal(key.algorithm, `hmac-${algorithm}`);
      assert.equal(key.size, size);
      for (const entryPoint of [millrace, promises]) {
        assert.deepEqual(await entryPoint.hmac(algorithm, key, source), expected);
        assert.deepEqual(await entryPoint.hmac(algorithm, key, source), expected);
        const target = Buffer.alloc(80);
        assert.equal(
          await entryPoint.hmac(algorithm, key, source, { target, targetOffset: 5 }),
          expected.length,
        );
        assert.deepEqual(target.subarray(5, 5 + expected.length), expected);
      }
    }
  });
}

test('blake3 takes a prepared key', async () => {
  const bytes = random('blake3').bytes(32);
  const key = millrace.createKey('BLAKE3', bytes);
  assert.equal(key.algorithm, 'blake3');
  for (const outputLength of [1, 32, 64, 65, 131, 1025]) {
    const expected = oracle({
      kind: 'hash',
      algorithm: 'blake3',
      key: bytes,
      outputLength,
      source: Buffer.from('abc'),
    }).output;
    for (const entryPoint of [millrace, promises])
      assert.deepEqual(await entryPoint.hash('blake3', 'abc', { key, outputLength }), expected);
  }
});

test('a KeyObject of node:crypto is a key', () => {
  const bytes = random('KeyObject').bytes(32);
  const options = { nonce: Buffer.alloc(12), source: 'abc' };
  assert.deepEqual(
    millrace.seal('aes-256-gcm', {
      key: millrace.createKey('aes-256-gcm', createSecretKey(bytes)),
      ...options,
    }),
    millrace.seal('aes-256-gcm', { key: bytes, ...options }),
  );
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  for (const wrong of [
    privateKey,
    publicKey,
    createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  ]) {
    assert.throws(() => millrace.createKey('hmac-sha256', wrong), { code: 'ERR_ARGUMENT_TYPE' });
  }
  assert.throws(() => millrace.createKey('aes-128-gcm', createSecretKey(bytes)), {
    code: 'ERR_KEY_SIZE',
  });
});

test('createKey refuses what it must', () => {
  const refused = (args, code, names) =>
    assert.throws(
      () => millrace.createKey(...args),
      (error) => {
        assert.equal(error.code, code, `${error.stack}`);
        assert.ok(error instanceof millrace.MillraceError);
        if (names) assert.match(error.message, names);
        return true;
      },
    );
  refused([], 'ERR_MISSING_ARGUMENT');
  refused(['aes-256-gcm'], 'ERR_MISSING_ARGUMENT');
  for (const algorithm of [undefined, null, 5, {}, Buffer.from('aes-256-gcm')])
    refused([algorithm, Buffer.alloc(32)], 'ERR_ARGUMENT_TYPE', /algorithm/);
  for (const algorithm of [
    '',
    'aes-512-gcm',
    'hmac-',
    'hmac-sha257',
    'hmac',
    'hmac-hmac-sha256',
    'hmac-aes-256-gcm',
  ])
    refused([algorithm, Buffer.alloc(32)], 'ERR_UNKNOWN_ALGORITHM');
  for (const algorithm of hashNames.filter((name) => !hashes[name].hmac))
    refused([`hmac-${algorithm}`, Buffer.alloc(32)], 'ERR_ARGUMENT_VALUE', /HMAC/i);
  for (const algorithm of hashNames.filter((name) => hashes[name].parameters === undefined))
    refused([algorithm, Buffer.alloc(32)], 'ERR_ARGUMENT_VALUE');
  for (const algorithm of cipherNames) {
    for (const size of [0, 1, ciphers[algorithm].key - 1, ciphers[algorithm].key + 1, 64])
      refused([algorithm, Buffer.alloc(size)], 'ERR_KEY_SIZE', /key/);
    for (const wrong of [
      undefined,
      null,
      5,
      {},
      [],
      'k'.repeat(32),
      millrace.createKey('blake3', Buffer.alloc(32)),
    ])
      refused([algorithm, wrong], 'ERR_ARGUMENT_TYPE', /key/);
  }
  refused(['blake3', Buffer.alloc(31)], 'ERR_KEY_SIZE', /key/);
});

test('a key for one algorithm is refused by every other', async () => {
  const iv = (algorithm) => Buffer.alloc(ciphers[algorithm].iv);
  const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32));
  for (const algorithm of cipherNames.filter((name) => name !== 'aes-256-gcm')) {
    const tagged = ciphers[algorithm].aead ? { tag: Buffer.alloc(16) } : {};
    await refuses(
      'cipher',
      [algorithm, { encrypt: true, key, iv: iv(algorithm), source: Buffer.alloc(3), ...tagged }],
      'ERR_KEY_ALGORITHM',
      /key.*aes-256-gcm/,
    );
  }
  for (const algorithm of aeadNames.filter((name) => name !== 'aes-256-gcm')) {
    await refuses(
      'seal',
      [algorithm, { key, nonce: iv(algorithm), source: Buffer.alloc(3) }],
      'ERR_KEY_ALGORITHM',
      /key/,
    );
    await refuses(
      'open',
      [algorithm, { key, nonce: iv(algorithm), source: Buffer.alloc(30) }],
      'ERR_KEY_ALGORITHM',
      /key/,
    );
  }
  await refuses('hmac', ['sha256', key, 'data'], 'ERR_KEY_ALGORITHM', /key/);
  await refuses(
    'hmac',
    ['sha256', millrace.createKey('hmac-sha1', 'k'), 'data'],
    'ERR_KEY_ALGORITHM',
    /key.*hmac-sha1/,
  );
  await refuses('hash', ['blake3', 'data', { key }], 'ERR_KEY_ALGORITHM', /key/);
  await refuses(
    'seal',
    [
      'aes-256-gcm',
      {
        key: millrace.createKey('hmac-sha256', Buffer.alloc(32)),
        nonce: Buffer.alloc(12),
        source: '',
      },
    ],
    'ERR_KEY_ALGORITHM',
    /key/,
  );
  // A key is refused where bytes are expected that are not a key.
  await refuses(
    'seal',
    ['aes-256-gcm', { key, nonce: key, source: '' }],
    'ERR_ARGUMENT_TYPE',
    /nonce/,
  );
  await refuses('hash', ['sha256', key], 'ERR_ARGUMENT_TYPE', /data/);
});

test('a disposed key is refused', async () => {
  const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32));
  const mac = millrace.createKey('hmac-sha256', 'k');
  const blake3 = millrace.createKey('blake3', Buffer.alloc(32));
  for (const each of [key, mac, blake3]) {
    each.dispose();
    assert.equal(each.disposed, true);
    each.dispose(); // Nothing happens.
    assert.equal(each.disposed, true);
  }
  const nonce = Buffer.alloc(12);
  await refuses('seal', ['aes-256-gcm', { key, nonce, source: '' }], 'ERR_KEY_DISPOSED', /key/);
  await refuses(
    'open',
    ['aes-256-gcm', { key, nonce, source: Buffer.alloc(16) }],
    'ERR_KEY_DISPOSED',
    /key/,
  );
  await refuses(
    'cipher',
    ['aes-256-gcm', true, key, nonce, Buffer.alloc(3), Buffer.alloc(0), Buffer.alloc(16)],
    'ERR_KEY_DISPOSED',
    /key/,
  );
  await refuses('hmac', ['sha256', mac, 'data'], 'ERR_KEY_DISPOSED', /key/);
  await refuses('hash', ['blake3', 'data', { key: blake3 }], 'ERR_KEY_DISPOSED', /key/);
});

test('a disposed key is not mistaken for its successor', () => {
  const first = millrace.createKey('aes-256-gcm', Buffer.alloc(32, 1));
  first.dispose();
  const second = millrace.createKey('aes-256-gcm', Buffer.alloc(32, 2));
  assert.throws(
    () => millrace.seal('aes-256-gcm', { key: first, nonce: Buffer.alloc(12), source: 'x' }),
    { code: 'ERR_KEY_DISPOSED' },
  );
  first.dispose();
  assert.equal(second.disposed, false);
  assert.deepEqual(
    millrace.seal('aes-256-gcm', { key: second, nonce: Buffer.alloc(12), source: 'x' }),
    millrace.seal('aes-256-gcm', {
      key: Buffer.alloc(32, 2),
      nonce: Buffer.alloc(12),
      source: 'x',
    }),
  );
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
    const settled = Promise.all([
      promises.seal('aes-256-gcm', { key, nonce, source: text }),
      promises.hmac('sha512', mac, text),
      new Promise((resolve, reject) => {
        millrace.hash(
          'blake3',
          text,
          { key: millrace.createKey('blake3', bytes) },
          (error, digest) => (error ? reject(error) : resolve(digest)),
        );
      }),
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
    const expected = oracle({
      kind: 'cipher',
      algorithm: 'aes-256-gcm',
      encrypt: true,
      key: bytes,
      iv: nonce,
      source: text,
      aad: Buffer.alloc(0),
    });
    assert.ok(sealed.equals(Buffer.concat([expected.output, expected.tag])));
    assert.ok(
      mac.equals(oracle({ kind: 'hmac', algorithm: 'sha512', key: bytes, source: text }).output),
    );
    assert.ok(digest.equals(millrace.hash('blake3', text, { key: bytes })));
  }
});

test(
  'forgotten keys are collected: 300,000 of them leave no memory behind',
  { timeout: 300_000 },
  async () => {
    const make = (count) => {
      for (let index = 0; index < count; index++)
        millrace.createKey('aes-256-gcm', Buffer.alloc(32));
    };
    const settle = async () => {
      for (let round = 0; round < 5; round++) {
        collectGarbage();
        await setTimeout(5);
      }
    };
    const rounds = async (count) => {
      for (let round = 0; round < count; round++) {
        make(20_000);
        await settle();
      }
    };
    await rounds(5);
    const before = process.memoryUsage().rss;
    await rounds(10);
    // 200,000 schedules of 500 bytes and more would be 100 MB.
    assert.ok(
      process.memoryUsage().rss - before < 60e6,
      `${Math.round((process.memoryUsage().rss - before) / 1e6)} MB more`,
    );
  },
);

test('a key shows nothing of itself', async () => {
  const { inspect } = await import('node:util');
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
  assert.throws(
    () =>
      millrace.seal('aes-256-gcm', {
        key: structuredClone(key),
        nonce: Buffer.alloc(12),
        source: '',
      }),
    Error,
  );
  assert.throws(() => new key.constructor(), { code: 'ERR_ARGUMENT_TYPE' });
  // An object that looks like a key is none.
  assert.throws(
    () =>
      millrace.seal('aes-256-gcm', {
        key: Object.create(key),
        nonce: Buffer.alloc(12),
        source: '',
      }),
    { code: 'ERR_ARGUMENT_TYPE' },
  );
  assert.throws(() => {
    key.algorithm = 'aes-128-gcm';
    millrace.seal('aes-128-gcm', { key, nonce: Buffer.alloc(12), source: '' });
  }, Error);
});

test('collecting disposed keys and ended ciphers leaves those made later', async () => {
  const bytes = Buffer.alloc(32, 7);
  const [nonce, source] = [Buffer.alloc(12), Buffer.from('a message')];
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
  const expected = millrace.seal('aes-256-gcm', { key: bytes, nonce, source });
  for (const key of keys)
    assert.deepEqual(millrace.seal('aes-256-gcm', { key, nonce, source }), expected);
  for (const cipher of running) {
    const text = [cipher.update(source), cipher.final(), cipher.authTag];
    assert.deepEqual(Buffer.concat(text), expected);
  }
});
