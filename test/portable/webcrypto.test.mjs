// WebCrypto's results for the portable engine, against the native engine; and which work it gets.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import {
  ciphers,
  cipherNames,
  gcmNames,
  hashNames,
  hashes,
  hmacNames,
} from '../support/algorithms.mjs';
import { portable } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';

const { pbkdf2 } = await portable('src/portable/webcrypto.ts');
const { tryWebCrypto, testPlatform } = await portable('src/portable/webcrypto-backend.ts');
const { plainWork } = await portable('src/portable/work.ts');
const { Operation, Purpose, Status } = await portable('src/base/frame.ts');

const id = (name) => (name in hashes ? hashNames : cipherNames).indexOf(name);
const served = /^(sha(1|256|384|512)|aes-\d+-(ctr|gcm))$/;

const NOTHING = new Uint8Array(0);

const work = (operation, name, given) => plainWork(operation, id(name), given);

/** Returns `{ status, target, tag }`, or undefined if it was not begun. */
function begun(described, lent) {
  return new Promise((resolve) => {
    const ended = (status, ...parts) => {
      const [target, tag] = parts.map((bytes) => Buffer.from(bytes));
      resolve({ status, target, tag });
    };
    if (!tryWebCrypto(described, ended, lent)) resolve(undefined);
  });
}

/**
 * Returns works of an algorithm with inputs at random, and what the native engine makes of them if
 * WebCrypto has the algorithm: `[work, target, tag]`.
 */
function worksOf(rng, name, size) {
  const source = rng.bytes(size);
  if (name in hashes) {
    const hashing = { source, target: Buffer.alloc(hashes[name].digest) };
    const secret = rng.bytes(rng.between(1, 300));
    const mac = served.test(name) && millrace.hmac(name, secret, source);
    return [
      [work(Operation.Hash, name, hashing), millrace.hash(name, source)],
      [work(Operation.Hmac, name, { ...hashing, secret }), mac],
    ];
  }
  const { key, iv: ivSize, aead, tagSizes } = ciphers[name];
  const secret = rng.bytes(key);
  // The counter of AES-CTR carries through all of its bytes.
  const iv = rng.bytes(ivSize).fill(0xff, ivSize - rng.below(ivSize + 1));
  const aad = rng.bytes(aead ? rng.pick([0, 20, 3000]) : 0);
  const tag = Buffer.alloc(aead ? rng.pick(tagSizes) : 0);
  const given = { source, target: Buffer.alloc(size), secret, iv, aad, tag };
  const options = { encrypt: true, key: secret, iv, source, ...(aead && { aad, tag }) };
  const encrypted = millrace.cipher(name, options);
  // The tag lies behind the text, or elsewhere.
  const sealed = Buffer.concat([encrypted, tag]);
  const behind = { ...given, source: sealed.subarray(0, size), tag: sealed.subarray(size) };
  const { Encrypt, Seal, Decrypt, Open } = Operation;
  const ways = (...pair) => pair.slice(0, aead ? 2 : 1);
  return [
    ...ways(Encrypt, Seal).map((operation) => [work(operation, name, given), encrypted, tag]),
    ...ways(Decrypt, Open).flatMap((operation) => [
      [work(operation, name, behind), source],
      [work(operation, name, { ...given, source: encrypted }), source],
    ]),
  ];
}

test('nothing is given to WebCrypto before it has given right answers', async () => {
  const [[described]] = worksOf(random('webcrypto trust'), 'sha256', 100_000);
  assert.equal(await begun(described), undefined);
  await testPlatform();
  assert.equal((await begun(described)).status, Status.Done);
});

test('large works are, with the results of the native engine', async () => {
  const rng = random('webcrypto backend');
  for (const name of [...hashNames, ...cipherNames])
    for (const size of [8192, 65_537, 1_000_003])
      for (const [described, target, tag = Buffer.alloc(0)] of worksOf(rng, name, size)) {
        const what = `${described.operation} ${name} ${size}`;
        const found = await begun(described);
        assert.equal(found !== undefined, served.test(name), what);
        if (!found) continue;
        const expected = { status: Status.Done, target, tag };
        assert.deepEqual(found, expected, what);
        assert.deepEqual(await begun(described, true), expected, `${what}, lent`);
        // Inputs may change when the work has begun, and lie in shared memory.
        const fields = ['source', 'secret', 'iv', 'aad', 'tag'];
        for (const Memory of [ArrayBuffer, SharedArrayBuffer]) {
          const own = { ...described };
          for (const field of fields) {
            own[field] = new Uint8Array(new Memory(described[field].length));
            own[field].set(described[field]);
          }
          const promise = begun(own);
          for (const field of fields) own[field].fill(0);
          assert.deepEqual(await promise, expected, `${what}, changed`);
        }
      }
});

test('forged messages are refused', async () => {
  const rng = random('webcrypto forged');
  const refused = { status: Status.Authentication, target: Buffer.alloc(0), tag: Buffer.alloc(0) };
  for (const name of gcmNames) {
    const [[opening]] = worksOf(rng, name, 5000).slice(-2);
    for (const field of ['source', 'tag', 'iv', 'secret']) {
      const changed = Buffer.from(opening[field]);
      changed[rng.below(changed.length)] ^= 1;
      assert.deepEqual(await begun({ ...opening, [field]: changed }), refused, `${name} ${field}`);
    }
    assert.deepEqual(await begun({ ...opening, aad: rng.bytes(5) }), refused, name);
  }
});

test('PBKDF2 is that of the native engine', async () => {
  const rng = random('webcrypto kdf');
  for (const name of hmacNames)
    for (const size of [1, 20, 33, 64, 200]) {
      const given = [rng.between(1, 200), rng.below(50)].map((length) =>
        Buffer.from(new SharedArrayBuffer(length)).fill(rng.below(256)),
      );
      const iterations = rng.between(1, 500);
      const expected = millrace.pbkdf2(...given, iterations, size, name);
      const derived = pbkdf2(id(name), ...given, iterations, size);
      assert.equal(derived !== undefined, served.test(name), name);
      for (const bytes of given) bytes.fill(0);
      if (derived) assert.deepEqual(Buffer.from(await derived), expected, name);
      assert.equal(pbkdf2(id(name), ...given, 0, size), undefined);
      assert.equal(pbkdf2(id(name), ...given, iterations, 0), undefined);
    }
});

test('nothing is served where there is no WebCrypto', async () => {
  const found = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  const works = ['sha256', 'aes-256-ctr', 'aes-256-gcm'].flatMap((name) =>
    worksOf(random('no webcrypto'), name, 10_000),
  );
  const value = { getRandomValues() {} };
  Object.defineProperty(globalThis, 'crypto', { value, configurable: true });
  try {
    for (const [described] of works) assert.equal(await begun(described), undefined);
    assert.equal(pbkdf2(id('sha256'), Buffer.alloc(3), Buffer.alloc(8), 1, 32), undefined);
  } finally {
    Object.defineProperty(globalThis, 'crypto', found);
  }
});

test('small works, and those that the engine refuses, are not', async () => {
  const source = Buffer.alloc(50_000);
  const sealing = {
    source,
    target: Buffer.alloc(source.length),
    secret: Buffer.alloc(32),
    iv: Buffer.alloc(12),
    tag: Buffer.alloc(16),
  };
  const hashing = { source, target: Buffer.alloc(32) };
  assert.equal((await begun(work(Operation.Seal, 'aes-256-gcm', sealing))).status, Status.Done);
  for (const [operation, name, given] of [
    ...[
      { secret: Buffer.alloc(31) },
      { iv: Buffer.alloc(16) },
      { tag: Buffer.alloc(11) },
      { tag: Buffer.alloc(17) },
      { tag: NOTHING },
      { target: Buffer.alloc(5) },
      { source: source.subarray(0, 100), target: Buffer.alloc(100) },
    ].map((wrong) => [Operation.Seal, 'aes-256-gcm', { ...sealing, ...wrong }]),
    // A stream cipher has no tag, a hash no key, and an HMAC's key is not empty.
    [Operation.Encrypt, 'aes-256-ctr', { ...sealing, iv: Buffer.alloc(16) }],
    [Operation.Hash, 'sha256', { source, target: Buffer.alloc(31) }],
    [Operation.Hash, 'sha256', { ...hashing, secret: Buffer.alloc(32) }],
    [Operation.Hmac, 'sha256', hashing],
    [Operation.Finish, 'sha256', hashing],
  ]) {
    const found = await begun(work(operation, name, given));
    assert.equal(found, undefined, `${operation} ${name} ${Object.keys(given).join()}`);
  }
});

// in workers, and back

test('WebCrypto and the module answer a worker request alike, in transferable memory', async () => {
  const { webcryptoRequest, runRequest } = await portable('src/portable/worker-messages.ts');
  const rng = random('webcrypto requests');
  const source = rng.bytes(100_000);
  const request = (operation, name, given) => {
    const empty = { iv: NOTHING, aad: NOTHING, tag: NOTHING, secret: NOTHING };
    const { purpose, tagSize = 0, targetSize = source.length, ...rest } = given;
    const inputs = { ...empty, source, ...rest };
    // Each request has memory that can be transferred.
    for (const field in inputs) inputs[field] = new Uint8Array(inputs[field]);
    const { algorithm, numbers } = work(operation, name, {});
    const facts = { operation, algorithm, numbers, purpose, targetSize, tagSize };
    return { ...facts, reportsProgress: false, measure: false, ...inputs };
  };
  const key = rng.bytes(32);
  const [iv, nonce, aad] = [rng.bytes(16), rng.bytes(12), rng.bytes(11)];
  const sealing = { secret: key, iv: nonce, aad, tagSize: 16 };
  const run = (...given) => runRequest(request(...given), () => false);
  const sealed = run(Operation.Seal, 'aes-256-gcm', sealing);
  const opening = { secret: key, iv: nonce, aad, source: sealed.target, tag: sealed.tag };
  const short = { ...sealing, tagSize: 12, purpose: Purpose.Cipher };
  const keyed = { targetSize: 32, secret: key };
  for (const [serves, ...given] of [
    [true, Operation.Hash, 'sha512', { targetSize: 64 }],
    [true, Operation.Hmac, 'sha1', { targetSize: 20, secret: key }],
    [true, Operation.Hmac, 'sha256', { ...keyed, purpose: Purpose.Mac }],
    [true, Operation.Encrypt, 'aes-256-ctr', { secret: key, iv }],
    [true, Operation.Seal, 'aes-256-gcm', sealing],
    [true, Operation.Encrypt, 'aes-256-gcm', short],
    [true, Operation.Open, 'aes-256-gcm', opening],
    [true, Operation.Decrypt, 'aes-256-gcm', { ...opening, tag: Buffer.alloc(16) }],
    [false, Operation.Hash, 'sha3-256', { targetSize: 32 }],
    [false, Operation.Hash, 'blake3', { ...keyed, purpose: Purpose.Hash }],
    [false, Operation.Encrypt, 'chacha20', { secret: key, iv }],
    [false, Operation.Seal, 'aes-256-gcm', { ...sealing, tagSize: 8 }],
    [false, Operation.Hash, 'sha256', { targetSize: 32, source: source.subarray(0, 100) }],
  ]) {
    const found = await webcryptoRequest(request(...given));
    const what = given.slice(0, 2).join(' ');
    assert.equal(found !== undefined, serves, what);
    if (!serves) continue;
    const [ours, theirs] = [found, run(...given)].map((result) => ({
      ...result,
      target: Buffer.from(result.target),
      tag: Buffer.from(result.tag),
    }));
    assert.deepEqual(ours, theirs, what);
  }
});

test('results of asynchronous calls of the portable engine are separate Buffers', async () => {
  const rng = random('adopted results');
  const [key, nonce, iv, aad] = [rng.bytes(32), rng.bytes(12), rng.bytes(16), rng.bytes(5)];
  const [name, engine, source] = ['aes-256-gcm', 'portable', rng.bytes(300_000)];
  const prepared = millrace.createKey(name, key, { engine });
  const sealing = { key, nonce, source, aad };
  const sealed = millrace.seal(name, sealing);
  const opening = { ...sealing, source: sealed };
  for (let round = 0; round < 3; round++) {
    const calls = [
      ['seal', name, sealing],
      ['seal', name, sealing, { key: prepared }],
      ['open', name, opening],
      ['open', name, opening, { key: prepared }],
      ['cipher', 'aes-256-ctr', { encrypt: true, key, iv, source }],
      ['seal', 'chacha20-poly1305', sealing],
    ].map(async ([method, algorithm, given, change]) => {
      const result = await promises[method](algorithm, { ...given, engine, ...change });
      assert.ok(Buffer.isBuffer(result), method);
      assert.deepEqual(result, millrace[method](algorithm, given), method);
      assert.equal(result.buffer.byteLength, result.length, method);
    });
    await Promise.all(calls);
    const target = Buffer.alloc(sealed.length);
    const written = await promises.seal(name, { ...sealing, key: prepared, target });
    assert.equal(written, sealed.length);
    assert.deepEqual(target, sealed);
    target[7] ^= 1;
    const refused = promises.open(name, { ...opening, key: prepared, source: target });
    await assert.rejects(refused, { code: 'ERR_AUTHENTICATION' });
  }
  prepared.dispose();
});
