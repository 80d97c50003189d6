// The entry point millrace/portable: a function an algorithm, with the names, encodings, options
// and errors of the main entry point. Digests in every encoding: digests.test.mjs.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import millrace from 'millrace';
import * as entryPoint from 'millrace/portable';

import { aeadNames, cipherNames, ciphers, hashNames, hashes } from '../support/algorithms.mjs';
import { member } from '../support/member.mjs';
import { bundle, portable } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';
import { show } from '../support/refusals.mjs';
import { vectors } from '../support/vectors.mjs';

const identifier = (name) => name.replaceAll('-', '_');
const plain = (bytes) => Uint8Array.from(bytes);
/** Returns an object for each value: `{ a: [1, 2] }` becomes `{ a: 1 }` and `{ a: 2 }`. */
const each = (lists) =>
  Object.entries(lists).flatMap(([name, values]) => values.map((value) => ({ [name]: value })));
const { sha1, sha256, aes_256_gcm, timingSafeEqual } = entryPoint;

/** The functions under the names of the main entry point, with an algorithm as first argument. */
const functions = {
  ...entryPoint,
  hash: (hash, ...given) => hash(...given),
  createHash: (hash, options) => hash.create(options),
  seal: (aead, ...given) => aead.seal(...given),
  open: (aead, ...given) => aead.open(...given),
};

/** Calls a function of both entry points with its algorithm: both return or throw the same. */
function both(path, ...given) {
  const names = given.map((value) => value?.algorithm ?? value);
  return alike(
    () => member(functions, path)(...given),
    () => member(millrace, path)(...names),
    `${path}(${names.map(show).join(', ')})`,
  );
}

/** Compares values, or the codes and classes of errors. */
function alike(ours, theirs, what) {
  const [actual, expected] = [ours, theirs].map(outcome);
  assert.deepEqual(actual, expected, what);
  return expected;
}

function outcome(call) {
  try {
    const value = call();
    return Buffer.isBuffer(value) ? plain(value) : value;
  } catch (error) {
    assert.ok(error instanceof millrace.MillraceError, String(error?.stack));
    const kind = [TypeError, RangeError, Error].find((found) => error instanceof found);
    return { code: error.code, kind };
  }
}

test('every algorithm of the catalog is there under its name, and nothing else', () => {
  const algorithms = [...Object.keys(hashes), ...cipherNames].map(identifier);
  const derivations = new Set(vectors('derivations').map(({ name }) => name.split('.')[0]));
  const others = ['MillraceError', 'createHmac', 'hmac', 'timingSafeEqual'];
  const names = [...algorithms, ...derivations, ...others].sort();
  assert.deepEqual(Object.keys(entryPoint).sort(), [...names, 'default'].sort());
  const required = createRequire(import.meta.url)('millrace/portable');
  assert.deepEqual(Object.keys(required).sort(), names);
  assert.equal(entryPoint.MillraceError, millrace.MillraceError);
});

for (const name of hashNames) {
  const hash = entryPoint[identifier(name)];
  const facts = hashes[name];

  test(`${name}: facts, chunks, copies and further output`, () => {
    if (facts.hmac || facts.xof) assert.equal(hash.blockSize, facts.block);
    const message = random(`entryPoint ${name}`).bytes(3000);
    const running = hash.create();
    for (const found of [hash, running])
      assert.deepEqual([found.algorithm, found.outputLength], [name, facts.digest]);
    let copy;
    for (let at = 0; at < message.length; at += 300) {
      if (at === 1500) copy = running.copy();
      assert.equal(running.update(message.subarray(at, at + 300)), running);
    }
    const expected = millrace.hash(name, message, 'base64');
    assert.equal(running.digest('base64'), expected);
    assert.equal(copy.update(message.subarray(1500)).digest('base64'), expected);
    for (const late of ['update', 'digest'])
      assert.throws(() => running[late]('hex'), { code: 'ERR_HASHER_SPENT' });
    assert.throws(() => running.copy().digest(), { code: 'ERR_HASHER_SPENT' });
    assert.deepEqual(hash.create().digest(), plain(millrace.hash(name, '')));

    const output = hash.create().update('mess').update('age');
    if (!facts.xof) {
      assert.throws(() => output.squeeze(5), { code: 'ERR_ARGUMENT_VALUE' });
      // Nothing has happened.
      assert.equal(output.digest('hex'), millrace.hash(name, 'message', 'hex'));
      return;
    }
    const parts = [1, 63, 64, 200, 70_000].map((size) => output.squeeze(size));
    const whole = millrace.hash(name, 'message', { outputLength: 70_328 });
    assert.deepEqual(Buffer.concat(parts), whole);
    assert.equal(output.copy().squeeze(10, 'hex'), output.squeeze(10, 'hex'));
    const started = { code: 'ERR_HASHER_SPENT', message: /has started its output/ };
    assert.throws(() => output.update('x'), started);
    assert.throws(() => output.digest(), { code: 'ERR_HASHER_SPENT' });
    for (const size of [0, -1, 1.5, 2 ** 31])
      assert.throws(() => output.squeeze(size), { code: 'ERR_ARGUMENT_VALUE' });
    assert.throws(() => output.squeeze('5'), { code: 'ERR_ARGUMENT_TYPE' });
  });
}

// One of each set of parameters.
for (const name of ['sha256', 'shake256', 'blake2b512', 'blake3', 'xxh32', 'xxh3-128', 'crc32']) {
  const hash = entryPoint[identifier(name)];
  const facts = hashes[name];

  test(`${name}: data and options, right and wrong, end as they do at the main entry point`, () => {
    for (const options of [
      {},
      ...each({
        encoding: ['HEX', 3],
        outputLength: [0, 7, facts.digest, -1, 1.5, '9', 2 ** 30 + 1],
        seed: [0, 5, 2n ** 32n, 2n ** 64n, -1n, -1, '1'],
        key: [new Uint8Array(32), new Uint8Array(31), 'k'.repeat(32)],
      }),
      { seed: 5, outputLength: facts.digest },
    ]) {
      both('hash', hash, 'text', options);
      if (options.encoding === undefined && !(facts.xof && options.outputLength === 0))
        alike(
          () => hash.create(options).update('text').digest(),
          () => millrace.createHash(name, options).update('text').digest(),
          `${name} ${show(options)}, incrementally`,
        );
    }
    for (const value of [undefined, null, 5, {}, [1], Symbol('data'), () => 1])
      both('hash', hash, value, {});
    for (const value of [null, 5, 'utf8', new Uint8Array(1), true])
      both('hash', hash, 'text', value);
    both('hash', hash);
    const target = { code: 'ERR_ARGUMENT_VALUE', message: /return their results/ };
    assert.throws(() => hash('text', { target: new Uint8Array(64) }), target);

    both('hash', hash, 'naïve ✓ \u{1f600} \ud800', 'hex');
    const memory = random('entryPoint memory').bytes(48).buffer.slice(0, 48);
    const views = [new DataView(memory, 3, 11), new Float64Array(memory, 8, 2)];
    for (const value of [memory, ...views, new SharedArrayBuffer(7)])
      both('hash', hash, value, 'hex');
    const [one, other] = [hash('a'), hash('a')];
    assert.equal(Object.getPrototypeOf(one), Uint8Array.prototype);
    assert.notEqual(one.buffer, other.buffer);
    assert.equal(one.buffer.byteLength, one.length);
  });
}

test('a key is copied: wiping it afterwards changes nothing', () => {
  const key = random('entry point key').bytes(32);
  const expected = millrace.hash('blake3', 'message', { key, encoding: 'hex' });
  const running = entryPoint.blake3.create({ key });
  key.fill(0);
  assert.equal(running.update('message').digest('hex'), expected);
});

for (const name of hashNames.filter((other) => hashes[other].hmac)) {
  test(`HMAC of ${name}`, () => {
    const rng = random(`entryPoint HMAC ${name}`);
    const hash = entryPoint[identifier(name)];
    for (const size of [0, 5, 64, 200]) {
      const [key, message] = [rng.bytes(size), rng.bytes(300)];
      both('hmac', hash, key, message);
      const expected = both('hmac', hash, key, message, { encoding: 'hex' });
      const running = entryPoint.createHmac(hash, key);
      const copy = running.copy();
      key.fill(0);
      running.update(message.subarray(0, 100)).update(message.subarray(100));
      assert.equal(running.digest('hex'), expected);
      assert.equal(copy.update(message).digest('hex'), expected);
    }
  });
}

test('hmac takes text and encodings, and refuses hashes unknown or without HMAC', () => {
  for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint', 'no'])
    both('hmac', sha256, 'key', 'message', encoding);
  both('hmac', sha256, 'key');
  both('hmac', sha256, 5, 'm');
  both('hmac', sha256, 'k', 5);
  for (const name of hashNames.filter((other) => !hashes[other].hmac))
    both('hmac', entryPoint[identifier(name)], 'k', 'm');
  for (const hash of ['sha256', undefined, {}, () => 1, aes_256_gcm])
    assert.throws(() => entryPoint.hmac(hash, 'key', 'message'), { code: 'ERR_ARGUMENT_TYPE' });
  const running = entryPoint.createHmac(sha256, 'key').update('message');
  assert.throws(() => running.squeeze(4), { code: 'ERR_ARGUMENT_VALUE' });
  assert.equal(running.digest('hex'), millrace.hmac('sha256', 'key', 'message', 'hex'));
});

/** The last is longer than the window that a message passes through. */
const sizes = [0, 1, 16, 63, 64, 1000, 70_001];

for (const name of cipherNames.filter((other) => !ciphers[other].aead)) {
  test(`${name}: encrypts and decrypts as the main entry point does`, () => {
    const rng = random(`entryPoint ${name}`);
    const cipher = entryPoint[identifier(name)];
    const { key: keySize, iv: ivSize } = ciphers[name];
    assert.deepEqual([cipher.algorithm, cipher.keySize, cipher.ivSize], [name, keySize, ivSize]);
    const encrypt = (given) =>
      alike(
        () => cipher.encrypt(given),
        () => millrace.cipher(name, { ...given, encrypt: true }),
        `${name} ${show(given)}`,
      );
    // The counter of AES carries into all of its bytes.
    for (const iv of [rng.bytes(ivSize), new Uint8Array(ivSize).fill(255)])
      for (const size of sizes) {
        const given = { key: rng.bytes(keySize), iv, source: rng.bytes(size) };
        const sealed = encrypt(given);
        assert.deepEqual(cipher.decrypt({ ...given, source: sealed }), plain(given.source));
      }
    const given = { key: new Uint8Array(keySize), iv: new Uint8Array(ivSize), source: 'text ✓' };
    for (const change of each({
      key: [new Uint8Array(keySize), new Uint8Array(7), 'key', undefined],
      iv: [new Uint8Array(12), undefined],
      source: [undefined, 5],
    }))
      encrypt({ ...given, ...change });
    for (const wrong of [undefined, 5])
      for (const call of [cipher.encrypt, cipher.decrypt])
        alike(
          () => call(wrong),
          () => millrace.cipher(name, wrong),
          `${name} ${wrong}`,
        );
  });
}

for (const name of aeadNames) {
  test(`${name}: seals and opens as the main entry point does`, () => {
    const rng = random(`entryPoint ${name}`);
    const aead = entryPoint[identifier(name)];
    const { key: keySize, iv: nonceSize, tagSizes } = ciphers[name];
    const facts = [aead.algorithm, aead.keySize, aead.nonceSize, aead.tagSize];
    assert.deepEqual(facts, [name, keySize, nonceSize, 16]);
    const keyed = () => ({ key: rng.bytes(keySize), nonce: rng.bytes(nonceSize) });
    for (const size of sizes) {
      for (const aad of [undefined, rng.bytes(0), rng.bytes(21), 'aad', rng.bytes(size)]) {
        const given = { ...keyed(), source: rng.bytes(size), ...(aad !== undefined && { aad }) };
        const sealed = both('seal', aead, given);
        assert.deepEqual(aead.open({ ...given, source: sealed }), plain(given.source));
        for (const at of [0, size >> 1, sealed.length - 1]) {
          const changed = Uint8Array.from(sealed);
          changed[at] ^= 0x20;
          const { code } = both('open', aead, { ...given, source: changed });
          assert.equal(code, 'ERR_AUTHENTICATION', `bit of byte ${at}`);
        }
      }
    }
    for (const authTagLength of [0, 1, 4, 8, 11, 12, 13, 15, 16, 17, -1, '16', 12.5]) {
      const given = { ...keyed(), source: 'text', authTagLength };
      const sealed = both('seal', aead, given);
      assert.equal(sealed instanceof Uint8Array, tagSizes.includes(authTagLength));
      if (sealed instanceof Uint8Array) both('open', aead, { ...given, source: sealed });
    }
    const given = { ...keyed(), source: new Uint8Array(20) };
    for (const change of each({
      key: [new Uint8Array(7), 'key'],
      nonce: [new Uint8Array(0), new Uint8Array(7), new Uint8Array(129)],
      source: [undefined, 5, 'text', new Uint8Array(15), new Uint8Array(16)],
      aad: [5],
    }))
      for (const call of ['seal', 'open']) both(call, aead, { ...given, ...change });
    // With random nonces: test/operations/nonces.test.mjs.
    both('open', aead, { ...given, nonce: undefined });
    both('seal', aead);
    both('open', aead, null);
    const target = { ...given, target: new Uint8Array(40) };
    assert.throws(() => aead.seal(target), { code: 'ERR_ARGUMENT_VALUE' });
  });
}

test('scrypt, pbkdf2 and hkdf derive and refuse as the main entry point does', () => {
  const rng = random('entry point derivations');
  const [password, salt] = [rng.bytes(11), rng.bytes(16)];
  for (const size of [0, 1, 32, 100, 5101, -1, 2 ** 31, 1.5, '8', undefined]) {
    both('scrypt', password, salt, size, { N: 16, r: 2, p: 3 });
    for (const name of ['sha1', 'sha256', 'sha512', 'sha3_256', 'blake2b512', 'blake3', 'xxh64']) {
      const hash = entryPoint[name];
      both('pbkdf2', password, salt, 3, size, hash);
      both('hkdf', hash, password, salt, 'info', size);
      both('hkdf.extract', hash, password, salt);
      // A key of 11 bytes is refused.
      for (const prk of [password, Buffer.alloc(64, 5)])
        both('hkdf.expand', hash, prk, 'info', size);
    }
  }
  for (const options of [
    ...each({ N: [3, 1, 0, '16', 2 ** 40, 2 ** 20], r: [0], p: [0, 2 ** 30], maxmem: [-1] }),
    { N: 16, cost: 16 },
    { N: 65536, r: 1 },
    { N: 16, r: 8, maxmem: 1000 },
  ])
    both('scrypt', 'p', 'salt', 8, options);
  for (const iterations of [0, -1, 2 ** 32, '1']) both('pbkdf2', 'p', 's', iterations, 8, sha1);
});

test('every derivation gives its vectors, and refuses a call without arguments', () => {
  for (const { name, args, expected } of vectors('derivations')) {
    const given = args.map((value) =>
      hashes[value]?.hmac ? entryPoint[identifier(value)] : value,
    );
    const derived = both(name, ...given);
    assert.equal(Buffer.from(derived).toString('hex'), expected, name);
    both(name);
  }
});

test('argon2 derives, or refuses parameters, as the main entry point does', () => {
  const nonce = random('entry point argon2').bytes(16);
  const parameters = { message: 'password', nonce, memory: 40, passes: 2 };
  for (const change of [
    {},
    { tagLength: 100, secret: 'pepper', associatedData: nonce },
    { version: 0x10, parallelism: 3, memory: 64 },
    ...each({
      memory: [7, '40'],
      passes: [0],
      parallelism: [0, 6],
      tagLength: [3, 4],
      nonce: ['short', undefined],
      message: [5],
      version: [3],
      secret: [5],
      associatedData: [null],
    }),
  ])
    for (const algorithm of ['argon2d', 'argon2i', 'argon2id'])
      both('argon2', algorithm, { ...parameters, ...change });
  for (const algorithm of ['argon2', 5]) both('argon2', algorithm, {});
});

test('timingSafeEqual compares bytes of equal size', () => {
  const a = Uint8Array.of(1, 2, 3);
  assert.equal(timingSafeEqual(a, a.slice()), true);
  for (const other of ['\x81\x02\x03', '\x01\x82\x03', '\x01\x02\x83'])
    assert.equal(timingSafeEqual(a, Buffer.from(other, 'latin1')), false);
  assert.equal(timingSafeEqual(new Uint8Array(0), new ArrayBuffer(0)), true);
  both('timingSafeEqual', a, new Uint8Array(4));
  both('timingSafeEqual', 'abc', a);
});

test('it needs nothing of Node.js, and says so where WebAssembly is refused', async () => {
  // The support loads it without Buffer, process and require.
  const bare = await portable('src/portable/entry.ts');
  const { Module } = WebAssembly;
  WebAssembly.Module = class {
    constructor() {
      throw new WebAssembly.CompileError('refused');
    }
  };
  try {
    const unavailable = { code: 'ERR_ENGINE_UNAVAILABLE', message: /policy/i };
    assert.throws(() => bare.sha256('text'), unavailable);
  } finally {
    WebAssembly.Module = Module;
  }
  assert.equal(bare.sha256('abc', 'base64url'), millrace.hash('sha256', 'abc', 'base64url'));
  const given = { key: new Uint8Array(32), nonce: new Uint8Array(12), source: 'text' };
  assert.deepEqual(bare.aes_256_gcm.seal(given), plain(millrace.seal('aes-256-gcm', given)));
});

/** Returns the compressed bytes of a bundle with these names of the entry point. */
async function weight(names) {
  const text = await bundle('', {
    minify: true,
    contents: `import { ${names} } from './src/portable/entry.ts'; globalThis.used = [${names}];`,
  });
  return { size: gzipSync(text, { level: 9 }).length, text };
}

test('a bundle has what was imported and nothing more', async () => {
  const limits = {
    sha256: 7700,
    md5: 8030,
    sha512: 8780,
    sha3_256: 8020,
    blake2b512: 10_790,
    blake3: 17_760,
    xxh64: 7460,
    xxh3_64: 12_660,
    aes_256_gcm: 11_130,
    chacha20_poly1305: 9210,
    scrypt: 10_470,
    'hmac, sha256': 8590,
  };
  for (const [names, limit] of Object.entries(limits)) {
    const { size, text } = await weight(names);
    assert.ok(size < limit, `${names}: ${size} bytes, compressed`);
    // Marks of others: AES's reduction, Keccak's, BLAKE3's and XXH3's names.
    if (names === 'sha256') assert.doesNotMatch(text, /xxh|blake|keccak|shake|aes|chacha|argon/i);
  }
  const sponge = await weight('sha3_256, shake256');
  assert.doesNotMatch(sponge.text, /kmac|tuple|kangaroo|parallelhash/i);
});
