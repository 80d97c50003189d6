// WebCrypto's results for the portable engine, against the native engine; and which work it gets.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ciphers, cipherNames, hashNames, hashes } from '../support/algorithms.mjs';
import { portable } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';

const { aesCtr, digest, gcmOpen, gcmSeal, hmac, NotAuthentic, pbkdf2 } = await portable(
  'src/portable/webcrypto.ts',
);
const { tryWebCrypto, testPlatform } = await portable('src/portable/webcrypto-backend.ts');
const { At, Operation, Purpose, Status } = await portable('src/base/frame.ts');

const served = ['sha1', 'sha256', 'sha384', 'sha512'];
const id = (name) => (name in hashes ? hashNames : cipherNames).indexOf(name);
const sizes = [0, 1, 15, 16, 17, 63, 64, 65, 1000, 4096, 65_537, 1_000_003];

test('digests and HMACs are those of the native engine', async () => {
  const rng = random('webcrypto hashes');
  for (const name of hashNames) {
    const source = rng.bytes(sizes.at(-1));
    for (const size of sizes) {
      const part = source.subarray(0, size);
      const key = rng.bytes(rng.between(1, 300));
      const [hash, mac] = [digest(id(name), part), hmac(id(name), key, part)];
      if (!served.includes(name)) {
        assert.equal(hash, undefined, name);
        assert.equal(mac, undefined, name);
        continue;
      }
      assert.deepEqual(Buffer.from(await hash), millrace.hash(name, part), `${name} ${size}`);
      assert.deepEqual(
        Buffer.from(await mac),
        millrace.hmac(name, key, part),
        `hmac ${name} ${size}`,
      );
    }
  }
  assert.equal(hmac(id('sha256'), new Uint8Array(0), Buffer.from('x')), undefined, 'an empty key');
});

test('the counter of AES-CTR carries through all of its bytes', async () => {
  const rng = random('webcrypto ctr');
  for (const name of cipherNames) {
    for (const size of sizes) {
      const [key, iv, source] = [
        rng.bytes(ciphers[name].key),
        rng.bytes(ciphers[name].iv),
        rng.bytes(size),
      ];
      iv.fill(0xff, 16 - rng.below(17));
      const made = aesCtr(id(name), key, iv, source);
      if (!name.endsWith('-ctr')) {
        assert.equal(made, undefined, name);
        break;
      }
      assert.deepEqual(
        Buffer.from(await made),
        millrace.cipher(name, { encrypt: true, key, iv, source }),
        `${name} ${size} ${iv.toString('hex')}`,
      );
    }
  }
});

test('AES-GCM is that of the native engine', async () => {
  const rng = random('webcrypto gcm');
  for (const name of cipherNames) {
    for (const size of sizes) {
      const [key, nonce, source, aad] = [
        rng.bytes(ciphers[name].key),
        rng.bytes(ciphers[name].iv),
        rng.bytes(size),
        rng.bytes(rng.pick([0, 0, 20, 3000])),
      ];
      const tagSize = rng.between(12, 16);
      const made = gcmSeal(id(name), key, nonce, aad, source, tagSize);
      if (!name.endsWith('-gcm')) {
        assert.equal(made, undefined, name);
        assert.equal(gcmOpen(id(name), key, nonce, aad, source, tagSize), undefined, name);
        break;
      }
      const sealed = Buffer.from(await made);
      assert.deepEqual(
        sealed,
        millrace.seal(name, { key, nonce, source, aad, authTagLength: tagSize }),
        `${name} ${size}`,
      );
      assert.deepEqual(
        Buffer.from(await gcmOpen(id(name), key, nonce, aad, sealed, tagSize)),
        source,
        `${name} ${size}`,
      );
      const forged = Buffer.from(sealed);
      forged[rng.below(forged.length)] ^= 1;
      await assert.rejects(gcmOpen(id(name), key, nonce, aad, forged, tagSize), NotAuthentic);
      await assert.rejects(
        gcmOpen(id(name), key, nonce, rng.bytes(5), sealed, tagSize),
        NotAuthentic,
      );
    }
  }
});

test('PBKDF2 is that of the native engine', async () => {
  const rng = random('webcrypto kdf');
  for (const name of hashNames.filter((each) => hashes[each].hmac)) {
    for (const size of [1, 20, 33, 64, 200]) {
      const [secret, salt, iterations] = [
        rng.bytes(rng.between(1, 200)),
        rng.bytes(rng.below(50)),
        rng.between(1, 500),
      ];
      const derived = pbkdf2(id(name), secret, salt, iterations, size);
      if (!served.includes(name)) {
        assert.equal(derived, undefined, name);
        break;
      }
      assert.deepEqual(
        Buffer.from(await derived),
        millrace.pbkdf2(secret, salt, iterations, size, name),
        name,
      );
    }
    if (!served.includes(name)) continue;
    assert.equal(pbkdf2(id(name), Buffer.alloc(3), Buffer.alloc(8), 0, 32), undefined);
    assert.equal(pbkdf2(id(name), Buffer.alloc(3), Buffer.alloc(8), 1, 0), undefined);
  }
});

test('inputs may change when a call has returned, and may lie in shared memory', async () => {
  const rng = random('webcrypto snapshot');
  const [key, nonce, iv, source] = [
    rng.bytes(32),
    rng.bytes(12),
    rng.bytes(16),
    Buffer.from(new SharedArrayBuffer(5000)).fill(7),
  ];
  const ways = {
    digest: (k, n, v, s) => digest(id('sha256'), s),
    hmac: (k, n, v, s) => hmac(id('sha256'), k, s),
    ctr: (k, n, v, s) => aesCtr(id('aes-256-ctr'), k, v, s),
    seal: (k, n, v, s) => gcmSeal(id('aes-256-gcm'), k, n, n, s, 16),
    pbkdf2: (k, n, v) => pbkdf2(id('sha256'), k, v, 10, 32),
  };
  for (const [name, way] of Object.entries(ways)) {
    const expected = await way(key, nonce, iv, Buffer.from(source));
    const own = [key, nonce, iv, source].map((bytes) => {
      const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
      copy.set(bytes);
      return copy;
    });
    const promise = way(...own);
    for (const bytes of own) bytes.fill(0);
    assert.deepEqual(await promise, expected, name);
  }
});

test('nothing is served where there is no WebCrypto', async () => {
  const found = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  Object.defineProperty(globalThis, 'crypto', {
    value: { getRandomValues() {} },
    configurable: true,
  });
  try {
    const bytes = Buffer.alloc(32, 1);
    assert.equal(digest(id('sha256'), bytes), undefined);
    assert.equal(hmac(id('sha256'), bytes, bytes), undefined);
    assert.equal(aesCtr(id('aes-256-ctr'), bytes, bytes.subarray(16), bytes), undefined);
    assert.equal(
      gcmSeal(id('aes-256-gcm'), bytes, bytes.subarray(20), bytes, bytes, 16),
      undefined,
    );
    assert.equal(
      gcmOpen(id('aes-256-gcm'), bytes, bytes.subarray(20), bytes, bytes, 16),
      undefined,
    );
    assert.equal(pbkdf2(id('sha256'), bytes, bytes, 1, 32), undefined);
  } finally {
    Object.defineProperty(globalThis, 'crypto', found);
  }
});

// which works are given to it

const NOTHING = new Uint8Array(0);

function work(operation, name, given) {
  return {
    operation,
    algorithm: id(name),
    numbers: numbersOf(operation, id(name)),
    handle: 0,
    purpose: undefined,
    secret: NOTHING,
    iv: NOTHING,
    aad: NOTHING,
    tag: NOTHING,
    source: NOTHING,
    target: NOTHING,
    views: undefined,
    ...given,
  };
}

/** Returns the frame of an operation without options. */
function numbersOf(operation, algorithm) {
  const numbers = new Float64Array(At.Length);
  [numbers[At.Operation], numbers[At.Algorithm]] = [operation, algorithm];
  return numbers;
}

/** Returns `{ status, target, tag }`, or undefined if it was not begun. */
function begun(described, lent) {
  return new Promise((resolve) => {
    if (
      !tryWebCrypto(
        described,
        (status, target, tag) =>
          resolve({ status, target: Buffer.from(target), tag: Buffer.from(tag) }),
        lent,
      )
    )
      resolve(undefined);
  });
}

test('nothing is given to WebCrypto before it has given right answers', async () => {
  const described = work(Operation.Hash, 'sha256', {
    source: Buffer.alloc(100_000),
    target: Buffer.alloc(32),
  });
  assert.equal(await begun(described), undefined);
  await testPlatform();
  assert.equal((await begun(described)).status, Status.Done);
});

test('large works are, with the results of the native engine', async () => {
  const rng = random('webcrypto backend');
  const source = rng.bytes(50_000);
  for (const name of hashNames) {
    const target = Buffer.alloc(hashes[name].digest);
    const [hash, mac] = [
      await begun(work(Operation.Hash, name, { source, target })),
      await begun(work(Operation.Hmac, name, { source, target, secret: rng.bytes(10) })),
    ];
    assert.equal(hash !== undefined, served.includes(name), name);
    assert.equal(mac !== undefined, served.includes(name), name);
    if (hash !== undefined)
      assert.deepEqual(hash, {
        status: Status.Done,
        target: millrace.hash(name, source),
        tag: Buffer.alloc(0),
      });
  }
  for (const name of cipherNames) {
    const { key: keySize, iv: ivSize, aead } = ciphers[name];
    const [secret, iv, aad] = [
      rng.bytes(keySize),
      rng.bytes(ivSize),
      aead ? rng.bytes(30) : NOTHING,
    ];
    const target = Buffer.alloc(source.length);
    const given = { source, target, secret, iv, aad, tag: Buffer.alloc(aead ? 16 : 0) };
    const sealed = await begun(work(Operation.Encrypt, name, given));
    assert.equal(sealed !== undefined, /^aes-\d+-(ctr|gcm)$/.test(name), name);
    if (sealed === undefined) continue;
    const tag = Buffer.alloc(16);
    const expected = millrace.cipher(name, {
      encrypt: true,
      key: secret,
      iv,
      source,
      ...(aead && { aad, tag }),
    });
    assert.deepEqual(
      sealed,
      { status: Status.Done, target: expected, tag: aead ? tag : Buffer.alloc(0) },
      name,
    );
    for (const lent of [false, true]) {
      const whole = Buffer.concat([expected, tag]);
      const after = {
        source: whole.subarray(0, expected.length),
        tag: whole.subarray(expected.length, aead ? undefined : expected.length),
      };
      for (const apart of [after, { source: expected, tag: after.tag }]) {
        const opened = await begun(work(Operation.Decrypt, name, { ...given, ...apart }), lent);
        assert.deepEqual(
          opened,
          { status: Status.Done, target: source, tag: Buffer.alloc(0) },
          name,
        );
      }
    }
    if (!aead) continue;
    const forged = await begun(
      work(Operation.Open, name, { ...given, source: expected, tag: Buffer.alloc(16) }),
    );
    assert.deepEqual(
      forged,
      { status: Status.Authentication, target: Buffer.alloc(0), tag: Buffer.alloc(0) },
      name,
    );
  }
});

test('small works, and those that the engine refuses, are not', async () => {
  const source = Buffer.alloc(50_000);
  const good = {
    source,
    target: Buffer.alloc(source.length),
    secret: Buffer.alloc(32),
    iv: Buffer.alloc(12),
    tag: Buffer.alloc(16),
  };
  assert.equal((await begun(work(Operation.Seal, 'aes-256-gcm', good))).status, Status.Done);
  for (const wrong of [
    { secret: Buffer.alloc(31) },
    { iv: Buffer.alloc(16) },
    { tag: Buffer.alloc(11) },
    { tag: Buffer.alloc(17) },
    { tag: NOTHING },
    { target: Buffer.alloc(5) },
    { source: source.subarray(0, 100), target: Buffer.alloc(100) },
  ]) {
    assert.equal(
      await begun(work(Operation.Seal, 'aes-256-gcm', { ...good, ...wrong })),
      undefined,
      Object.keys(wrong).join(),
    );
  }
  assert.equal(
    await begun(work(Operation.Encrypt, 'aes-256-ctr', { ...good, iv: Buffer.alloc(16) })),
    undefined,
    'a tag of a stream cipher',
  );
  assert.equal(
    await begun(work(Operation.Hash, 'sha256', { source, target: Buffer.alloc(31) })),
    undefined,
  );
  assert.equal(
    await begun(
      work(Operation.Hash, 'sha256', {
        source,
        target: Buffer.alloc(32),
        secret: Buffer.alloc(32),
      }),
    ),
    undefined,
  );
  assert.equal(
    await begun(work(Operation.Hmac, 'sha256', { source, target: Buffer.alloc(32) })),
    undefined,
    'an empty key',
  );
  assert.equal(
    await begun(work(Operation.Finish, 'sha256', { source, target: Buffer.alloc(32) })),
    undefined,
  );
});

// in workers, and back

test('WebCrypto and the module answer a worker request alike, in transferable memory', async () => {
  const { webcryptoRequest, runRequest } = await portable('src/portable/worker-messages.ts');
  const rng = random('webcrypto requests');
  const source = rng.bytes(100_000);
  const request = (operation, name, given) => {
    const {
      iv = NOTHING,
      aad = NOTHING,
      tag = NOTHING,
      secret = NOTHING,
      tagSize = 0,
      targetSize = source.length,
    } = given;
    const copies = Object.fromEntries(
      Object.entries({ iv, aad, tag, secret, source: given.source ?? source }).map(
        ([key, bytes]) => [key, new Uint8Array(bytes)],
      ),
    );
    return {
      operation,
      algorithm: id(name),
      numbers: numbersOf(operation, id(name)),
      purpose: given.purpose,
      targetSize,
      tagSize,
      reportsProgress: false,
      measure: false,
      ...copies,
    };
  };
  const key = rng.bytes(32);
  const [iv, nonce, aad] = [rng.bytes(16), rng.bytes(12), rng.bytes(11)];
  const sealed = runRequest(
    request(Operation.Seal, 'aes-256-gcm', { secret: key, iv: nonce, aad, tagSize: 16 }),
    () => false,
  );
  const opening = { secret: key, iv: nonce, aad, source: sealed.target, tag: sealed.tag };
  for (const [served, operation, name, given] of [
    [true, Operation.Hash, 'sha512', { targetSize: 64 }],
    [true, Operation.Hmac, 'sha1', { targetSize: 20, secret: key }],
    [true, Operation.Hmac, 'sha256', { targetSize: 32, secret: key, purpose: Purpose.Mac }],
    [true, Operation.Encrypt, 'aes-256-ctr', { secret: key, iv }],
    [true, Operation.Seal, 'aes-256-gcm', { secret: key, iv: nonce, aad, tagSize: 16 }],
    [
      true,
      Operation.Encrypt,
      'aes-256-gcm',
      { secret: key, iv: nonce, aad, tagSize: 12, purpose: Purpose.Cipher },
    ],
    [true, Operation.Open, 'aes-256-gcm', opening],
    [true, Operation.Decrypt, 'aes-256-gcm', { ...opening, tag: Buffer.alloc(16) }],
    [false, Operation.Hash, 'sha3-256', { targetSize: 32 }],
    [false, Operation.Hash, 'blake3', { targetSize: 32, secret: key, purpose: Purpose.Hash }],
    [false, Operation.Encrypt, 'chacha20', { secret: key, iv }],
    [false, Operation.Seal, 'aes-256-gcm', { secret: key, iv: nonce, aad, tagSize: 8 }],
    [false, Operation.Hash, 'sha256', { targetSize: 32, source: source.subarray(0, 100) }],
  ]) {
    const found = await webcryptoRequest(request(operation, name, given));
    assert.equal(found !== undefined, served, `${operation} ${name}`);
    if (!served) continue;
    const expected = runRequest(request(operation, name, given), () => false);
    assert.deepEqual(
      { ...found, target: Buffer.from(found.target), tag: Buffer.from(found.tag) },
      { ...expected, target: Buffer.from(expected.target), tag: Buffer.from(expected.tag) },
      `${operation} ${name}`,
    );
  }
});

test('results of asynchronous calls of the portable engine are separate Buffers', async () => {
  const rng = random('adopted results');
  const source = rng.bytes(300_000);
  const [key, nonce, iv, aad] = [rng.bytes(32), rng.bytes(12), rng.bytes(16), rng.bytes(5)];
  const prepared = millrace.createKey('aes-256-gcm', key, { engine: 'portable' });
  const sealed = millrace.seal('aes-256-gcm', { key, nonce, source, aad });
  const engine = 'portable';
  for (let round = 0; round < 3; round++) {
    const results = await Promise.all([
      promises.seal('aes-256-gcm', { key, nonce, source, aad, engine }),
      promises.seal('aes-256-gcm', { key: prepared, nonce, source, aad }),
      promises.open('aes-256-gcm', { key, nonce, source: sealed, aad, engine }),
      promises.open('aes-256-gcm', { key: prepared, nonce, source: sealed, aad }),
      promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source, engine }),
      promises.seal('chacha20-poly1305', { key, nonce, source, aad, engine }),
    ]);
    const expected = [
      sealed,
      sealed,
      source,
      source,
      millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source }),
      millrace.seal('chacha20-poly1305', { key, nonce, source, aad }),
    ];
    for (const [index, result] of results.entries()) {
      assert.ok(Buffer.isBuffer(result), `${index}`);
      assert.deepEqual(result, expected[index], `${index}`);
      assert.equal(result.buffer.byteLength, result.length, `${index}`);
    }
    const target = Buffer.alloc(sealed.length);
    assert.equal(
      await promises.seal('aes-256-gcm', { key: prepared, nonce, source, aad, target }),
      sealed.length,
    );
    assert.deepEqual(target, sealed);
    const forged = Buffer.from(sealed);
    forged[7] ^= 1;
    await assert.rejects(
      promises.open('aes-256-gcm', { key: prepared, nonce, source: forged, aad }),
      { code: 'ERR_AUTHENTICATION' },
    );
  }
  prepared.dispose();
});
