// millrace/noble-hashes, millrace/noble-ciphers and millrace/ethers: the names, results and errors
// of the real packages. `npm run test:noble` runs noble's own suites.

import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';

import { root, run } from '../support/child.mjs';

const require = createRequire(import.meta.url);
const bytes = (size) => new Uint8Array(randomBytes(size));

/** The sub-paths of an installed package of noble. */
function subpaths(name) {
  return Object.keys(require(join(root, 'node_modules', '@noble', name, 'package.json')).exports)
    .map((path) => /^\.\/(.+)\.js$/.exec(path)?.[1])
    .filter((path) => path !== undefined && path !== '_md');
}

for (const name of ['hashes', 'ciphers']) {
  for (const path of subpaths(name)) {
    test(`noble-${name}/${path}: the names of @noble/${name}, in both module systems`, async () => {
      const noble = await import(`@noble/${name}/${path}.js`);
      const ours = await import(`millrace/noble-${name}/${path}.js`);
      assert.deepEqual(Object.keys(ours).sort(), Object.keys(noble).sort());
      assert.equal((await import(`millrace/noble-${name}/${path}`)).default, undefined);
      assert.deepEqual(
        Object.keys(require(`millrace/noble-${name}/${path}`)).sort(),
        Object.keys(noble).sort(),
      );
      for (const each of Object.keys(noble)) {
        assert.equal(typeof ours[each] === 'boolean', typeof noble[each] === 'boolean', each);
        for (const field of ['outputLen', 'blockLen', 'canXOF', 'blockSize', 'nonceLength'])
          assert.equal(ours[each][field], noble[each][field], `${each}.${field}`);
        assert.deepEqual(ours[each].oid, noble[each].oid, `${each}.oid`);
      }
    });
  }
}

const families = {
  sha2: ['sha224', 'sha256', 'sha384', 'sha512', 'sha512_224', 'sha512_256'],
  sha3: ['sha3_224', 'sha3_256', 'sha3_512', 'keccak_256', 'keccak_512', 'shake128', 'shake256_64'],
  legacy: ['md5', 'sha1', 'ripemd160'],
  blake2: ['blake2b', 'blake2s'],
  blake3: ['blake3'],
};

test('hashes: random messages in random pieces, clones and outputs equal noble', async () => {
  for (const [path, names] of Object.entries(families)) {
    const noble = await import(`@noble/hashes/${path}.js`);
    const ours = await import(`millrace/noble-hashes/${path}.js`);
    for (const name of names) {
      for (let round = 0; round < 8; round++) {
        const data = bytes(randomInt(3000));
        const expected = noble[name](data);
        const found = ours[name](data);
        assert.deepEqual(found, expected, name);
        assert.equal(found.buffer.byteLength, found.length, 'memory of its own');
        const cut = randomInt(data.length + 1);
        const hash = ours[name].create().update(data.subarray(0, cut));
        const clone = hash.clone();
        assert.deepEqual(hash.update(data.subarray(cut)).digest(), expected, name);
        const into = new Uint8Array(expected.length + 4);
        clone.update(data.subarray(cut)).digestInto(into);
        assert.deepEqual(into.subarray(0, expected.length), expected, name);
        assert.throws(() => hash.update(data), /destroyed|already/);
        if (!ours[name].canXOF) continue;
        const xof = [noble, ours].map((module) => {
          const running = module[name].create({ dkLen: 40 }).update(data);
          return [running.xof(7), running.xof(200), running.xofInto(new Uint8Array(3))];
        });
        assert.deepEqual(xof[1], xof[0], name);
        assert.deepEqual(ours[name](data, { dkLen: 99 }), noble[name](data, { dkLen: 99 }));
      }
    }
  }
});

/** Calls with options that Millrace computes: each takes a module and data. */
function optionCalls() {
  const [key, mac, short, text] = [bytes(32), bytes(20), bytes(16), bytes(9)];
  const custom = { personalization: text };
  const create = (name, options, cut) => (lib, data) => {
    const hash = lib[name].create(...options).update(data.subarray(0, cut));
    const clone = hash.clone();
    const target = new Uint8Array(clone.outputLen + 4);
    clone.update(data.subarray(cut)).digestInto(target);
    return [hash.update(data.subarray(cut)).digest(), target];
  };
  const calls = [];
  const both = (name, options) => {
    calls.push((lib, data) => lib[name](data, options), create(name, [options], 200));
  };
  for (const [name, salt, most] of [
    ['blake2b', short, 64],
    ['blake2s', short.subarray(8), 32],
  ])
    for (const options of [
      { dkLen: 20 },
      { dkLen: most, key },
      { key: mac, dkLen: 17 },
      { salt, personalization: salt },
      { salt, key: mac, dkLen: 1 },
    ])
      both(name, options);
  for (const options of [{ dkLen: 100 }, { key }, { key, dkLen: 99 }]) both('blake3', options);
  both('blake3', { context: new TextEncoder().encode('millrace 2026 tést'), dkLen: 40 });
  for (const bits of [128, 256]) {
    for (const options of [{}, { dkLen: 50 }, custom, { NISTfn: 'Tést', dkLen: 7 }])
      both(`cshake${bits}`, options);
    for (const options of [{}, { D: 6 }, { D: 127, dkLen: 200 }])
      both(`turboshake${bits}`, options);
    for (const options of [undefined, custom, { dkLen: 300, ...custom }])
      both(`kt${bits}`, options);
    calls.push((lib, data) => lib[`HopMAC${bits}`](mac, data, text, 48));
    for (const end of ['', 'xof']) {
      for (const options of [undefined, { blockLen: 64, dkLen: 32 }, { ...custom, dkLen: 70 }])
        both(`parallelhash${bits}${end}`, options);
      for (const options of [undefined, custom, { dkLen: 90, ...custom }]) {
        const [kmac, tuple] = [`kmac${bits}${end}`, `tuplehash${bits}${end}`];
        calls.push((lib, data) => lib[kmac](mac, data, options), create(kmac, [key, options], 31));
        calls.push((lib, data) => lib[tuple]([data, text, new Uint8Array()], options));
        calls.push(create(tuple, [options], 31));
      }
      calls.push((lib) => lib[`kmac${bits}${end}`](new Uint8Array(), new Uint8Array()));
      calls.push((lib) => lib[`tuplehash${bits}${end}`]([]));
    }
    for (const name of ['kt', 'cshake', 'turboshake'])
      calls.push((lib, data) => {
        const hash = lib[name + bits].create({ dkLen: 9 }).update(data);
        return [hash.xof(5), hash.clone().xof(300), hash.xof(40)];
      });
    calls.push((lib, data) => lib[`kmac${bits}xof`].create(key).update(data).xof(333));
  }
  return calls;
}

for (const engine of ['native', 'portable']) {
  test(`hashes with keys and other options equal noble: ${engine}`, async () => {
    const { configure } = await import('millrace');
    const { nobleCalls } = await import('millrace/noble-hashes');
    const get = async (where) => ({
      ...(await import(`${where}/blake2.js`)),
      ...(await import(`${where}/blake3.js`)),
      ...(await import(`${where}/sha3-addons.js`)),
    });
    const [noble, ours] = [await get('@noble/hashes'), await get('millrace/noble-hashes')];
    const before = nobleCalls();
    configure({ engine });
    try {
      for (const call of optionCalls())
        for (const size of [0, 500, 20_000]) {
          const data = bytes(size);
          assert.deepEqual(call(ours, data), call(noble, data), `${call} ${size}`);
        }
    } finally {
      configure({ engine: 'native' });
    }
    assert.deepEqual(nobleCalls(), before, 'noble computed nothing');
  });
}

test('bad options of hashes go to noble, which refuses them', async () => {
  for (const [path, call] of [
    ['blake2', (lib) => lib.blake2b(bytes(1), { dkLen: 65 })],
    ['blake2', (lib) => lib.blake2b(bytes(1), { key: new Uint8Array(0) })],
    ['blake2', (lib) => lib.blake2s.create({ salt: new Uint8Array(7) })],
    ['blake2', (lib) => lib.blake2b.create().digestInto(new Uint8Array(80).subarray(1))],
    ['blake3', (lib) => lib.blake3(bytes(1), { key: bytes(31) })],
    ['blake3', (lib) => lib.blake3(bytes(1), { key: bytes(32), context: bytes(1) })],
    ['sha3-addons', (lib) => lib.cshake128(bytes(1), { personalization: 'text' })],
    ['sha3-addons', (lib) => lib.kmac128('key', bytes(1))],
    ['sha3-addons', (lib) => lib.kmac128(bytes(1), 'text')],
    ['sha3-addons', (lib) => lib.tuplehash128(bytes(1))],
    ['sha3-addons', (lib) => lib.tuplehash128([5])],
    ['sha3-addons', (lib) => lib.tuplehash256.create().update('text')],
    ['sha3-addons', (lib) => lib.turboshake128(bytes(1), { D: 128 })],
    ['sha3-addons', (lib) => lib.parallelhash128(bytes(1), { blockLen: 0 })],
    ['sha3-addons', (lib) => lib.kt128(bytes(1), { dkLen: -1 })],
    ['sha3-addons', (lib) => lib.kmac128.create(bytes(1)).xof(5)],
  ]) {
    const [expected, found] = await Promise.all(
      ['@noble/hashes', 'millrace/noble-hashes'].map(async (where) => {
        const lib = await import(`${where}/${path}.js`);
        try {
          return call(lib);
        } catch (error) {
          return [error.constructor.name, error.message];
        }
      }),
    );
    assert.equal(typeof expected[0], 'string', String(call));
    assert.deepEqual(found, expected, String(call));
  }
});

test('version 1: strings as keys and customizations; its names', async () => {
  const { k12, kmac128, tuplehash128 } = await import('millrace/noble-hashes/v1/sha3-addons.js');
  const two = await import('millrace/noble-hashes/sha3-addons.js');
  const text = new TextEncoder();
  const [key, data, custom] = ['key', 'data', 'custom'].map((each) => text.encode(each));
  assert.deepEqual(
    kmac128('key', 'data', { personalization: 'custom' }),
    two.kmac128(key, data, { personalization: custom }),
  );
  assert.deepEqual(tuplehash128(['key', 'data']), two.tuplehash128([key, data]));
  assert.deepEqual(
    k12('data', { personalization: 'custom' }),
    two.kt128(data, { personalization: custom }),
  );
  assert.equal(kmac128.outputLen, undefined);
});

test('HMAC and derivations equal noble, synchronous and asynchronous', async () => {
  const get = async (where) => ({
    ...(await import(`${where}/sha2.js`)),
    ...(await import(`${where}/hmac.js`)),
    ...(await import(`${where}/hkdf.js`)),
    ...(await import(`${where}/pbkdf2.js`)),
    ...(await import(`${where}/scrypt.js`)),
    ...(await import(`${where}/argon2.js`)),
  });
  const [noble, ours] = [await get('@noble/hashes'), await get('millrace/noble-hashes')];
  const [key, salt] = [bytes(randomInt(200)), bytes(16)];
  const calls = [
    (lib) => lib.hmac(lib.sha256, key, salt),
    (lib) => lib.hmac.create(lib.sha512, key).update(salt).update(key).digest(),
    (lib) => lib.hkdf(lib.sha256, key, salt, undefined, 77),
    (lib) => lib.expand(lib.sha512, lib.extract(lib.sha512, key, undefined), salt, 200),
    (lib) => lib.expand(lib.sha256, lib.extract(lib.sha256, key, salt), undefined, 32),
    (lib) => lib.pbkdf2(lib.sha512, 'päss', salt, { c: 3, dkLen: 70 }),
    (lib) => lib.pbkdf2Async(lib.sha256, key, 'salt', { c: 3 }),
    (lib) => lib.scrypt('pass', salt, { N: 16, r: 4, p: 3, dkLen: 40 }),
    (lib) => lib.scryptAsync(key, salt, { N: 16, r: 1, p: 1 }),
    (lib) => lib.argon2id('pass', salt, { t: 1, m: 32, p: 2, key: 'k', personalization: salt }),
    (lib) => lib.argon2dAsync(key, salt, { t: 2, m: 16, p: 1, version: 0x10, dkLen: 20 }),
  ];
  for (const call of calls) assert.deepEqual(await call(ours), await call(noble), String(call));
  const progress = [];
  await ours.scryptAsync('p', salt, {
    N: 16,
    r: 1,
    p: 1,
    onProgress: (each) => progress.push(each),
  });
  assert.equal(progress.at(-1), 1);
  for (const call of [
    (lib, onProgress) => lib.scryptAsync('p', salt, { N: 8192, r: 1, p: 2, onProgress }),
    (lib, onProgress) => lib.argon2idAsync('p', salt, { t: 2, m: 100, p: 3, onProgress }),
  ]) {
    const [expected, found] = [[], []];
    await Promise.all([
      call(noble, (each) => expected.push(each)),
      call(ours, (each) => found.push(each)),
    ]);
    assert.deepEqual(found, expected, String(call));
  }
  // Another package's hash: noble's own HMAC.
  assert.deepEqual(ours.hmac(noble.sha256, key, salt), noble.hmac(noble.sha256, key, salt));
});

test('scrypt opens the wallet of the Web3 Secret Storage Definition: N = 2^18 with r = 1', async () => {
  const given = [
    'testpassword',
    Buffer.from('ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19', 'hex'),
    { N: 262_144, r: 1, p: 8, dkLen: 32 },
  ];
  const key = 'fac192ceb5fd772906bea3e118a69e8bbb5cc24229e20d8766fd298291bba6bd';
  for (const path of ['scrypt', 'v1/scrypt']) {
    const { scrypt, scryptAsync } = await import(`millrace/noble-hashes/${path}.js`);
    assert.equal(Buffer.from(scrypt(...given)).toString('hex'), key);
    assert.equal(Buffer.from(await scryptAsync(...given)).toString('hex'), key);
  }
  // RFC 7914 forbids this cost, and so does Millrace's own function.
  const { scrypt } = await import('millrace');
  assert.throws(() => scrypt('p', 's', 32, { N: 262_144, r: 1, maxmem: 2 ** 30 }), {
    message: /less than 2\^\(16r\)/,
  });
});

test('a loop over nextTick lets derivations end', async () => {
  const { scryptAsync } = await import('millrace/noble-hashes/scrypt.js');
  const { nextTick } = await import('millrace/noble-hashes/utils.js');
  let derived;
  scryptAsync('p', 's', { N: 1024, r: 8, p: 1 }).then((key) => (derived = key));
  while (derived === undefined) await nextTick();
  assert.equal(derived.length, 32);
});

test('ciphers equal noble, with and without aad and memory for the result', async () => {
  for (const [path, name, keySize, nonceSize, output] of [
    ['aes', 'gcm', 32, 12, false],
    ['aes', 'gcm', 16, 12, false],
    ['aes', 'gcm', 24, 16, false],
    ['aes', 'gcm', 32, 8, false],
    ['aes', 'gcm', 16, 128, false],
    ['aes', 'gcm', 16, 129, false],
    ['aes', 'gcmsiv', 32, 12, false],
    ['aes', 'gcmsiv', 16, 12, false],
    ['aes', 'ctr', 32, 16, true],
    ['aes', 'cbc', 32, 16, false],
    ['chacha', 'chacha20poly1305', 32, 12, true],
    ['chacha', 'xchacha20poly1305', 32, 24, true],
    ['salsa', 'xsalsa20poly1305', 32, 24, false],
  ]) {
    const noble = (await import(`@noble/ciphers/${path}.js`))[name];
    const ours = (await import(`millrace/noble-ciphers/${path}.js`))[name];
    const [key, nonce, data] = [bytes(keySize), bytes(nonceSize), bytes(randomInt(500))];
    const given = noble.withAAD ? [bytes(13)] : [];
    const sealed = noble(key, nonce, ...given).encrypt(data);
    assert.deepEqual(ours(key, nonce, ...given).encrypt(data), sealed, name);
    assert.deepEqual(ours(key, nonce, ...given).decrypt(sealed), data, name);
    if (output) {
      const target = new Uint8Array(sealed.length);
      assert.equal(ours(key, nonce, ...given).encrypt(data, target), target);
      assert.deepEqual(target, sealed);
    }
    const once = ours(key, nonce, ...given);
    once.encrypt(data);
    assert.throws(() => once.encrypt(data), /cannot encrypt\(\) twice/);
    if (noble.tagLength === undefined) continue;
    sealed[0] ^= 1;
    const message = (cipher) => {
      try {
        return cipher(key, nonce, ...given).decrypt(sealed);
      } catch (error) {
        return error.message;
      }
    };
    assert.equal(message(ours), message(noble), name);
    assert.equal(typeof message(ours), 'string');
  }
  const noble = await import('@noble/ciphers/chacha.js');
  const ours = await import('millrace/noble-ciphers/chacha.js');
  const given = [bytes(32), bytes(12), bytes(333), undefined, 7];
  assert.deepEqual(ours.chacha20(...given), noble.chacha20(...given));
});

test('AES key wrap equals noble; only what noble refuses goes to noble', async () => {
  const { nobleCalls } = await import('millrace/noble-ciphers');
  const noble = await import('@noble/ciphers/aes.js');
  const ours = await import('millrace/noble-ciphers/aes.js');
  const before = nobleCalls();
  for (const keySize of [16, 24, 32])
    for (const [name, sizes] of Object.entries({ aeskw: [16, 40, 4096], aeskwp: [1, 8, 33] }))
      for (const size of sizes) {
        const [key, data] = [bytes(keySize), bytes(size)];
        const { encrypt, decrypt } = ours[name](key);
        const wrapped = encrypt(data);
        assert.deepEqual(wrapped, noble[name](key).encrypt(data), `${name} ${size}`);
        assert.equal(wrapped.constructor, Uint8Array);
        assert.deepEqual(decrypt(wrapped), data);
        assert.throws(() => encrypt(data), /cannot encrypt\(\) twice/);
        wrapped[3] ^= 1;
        assert.throws(() => decrypt(wrapped), { name: 'Error', message: 'integrity check failed' });
      }
  assert.deepEqual(nobleCalls(), before, 'noble computed nothing');
  for (const call of [
    (lib) => lib.aeskw(bytes(17)).encrypt(bytes(16)),
    (lib) => lib.aeskw(bytes(16)).encrypt(bytes(8)),
    (lib) => lib.aeskw(bytes(16)).encrypt('text'),
    (lib) => lib.aeskwp(bytes(16)).encrypt(bytes(0)),
    (lib) => lib.aeskw(bytes(16)).decrypt(bytes(16)),
    (lib) => lib.aeskw(bytes(16)).encrypt(bytes(16), bytes(24)),
  ]) {
    const [expected, found] = [noble, ours].map((lib) => {
      try {
        return call(lib);
      } catch (error) {
        return error.message;
      }
    });
    assert.equal(typeof expected, 'string');
    assert.equal(found, expected);
  }
});

test('bad arguments: the classes and messages of version 2; Errors in version 1', async () => {
  const noble = {
    ...(await import('@noble/hashes/sha2.js')),
    ...(await import('@noble/hashes/hkdf.js')),
    ...(await import('@noble/hashes/hmac.js')),
    ...(await import('@noble/hashes/utils.js')),
  };
  const ours = {
    ...(await import('millrace/noble-hashes/sha2.js')),
    ...(await import('millrace/noble-hashes/hkdf.js')),
    ...(await import('millrace/noble-hashes/hmac.js')),
    ...(await import('millrace/noble-hashes/utils.js')),
  };
  const calls = [
    (lib) => lib.sha256('text'),
    (lib) => lib.sha256([1]),
    (lib) => lib.sha256.create().update(undefined),
    (lib) => lib.sha256.create().digestInto(new Uint8Array(3)),
    (lib) => lib.hmac(lib.sha256, 'key', new Uint8Array(1)),
    (lib) => lib.bytesToHex('00'),
    (lib) => lib.concatBytes(new Uint8Array(1), 'a'),
    (lib) => lib.randomBytes(-1),
    (lib) => lib.randomBytes(70_000),
    (lib) => lib.utf8ToBytes(5),
    (lib) => lib.hkdf(lib.sha256, new Uint8Array(3), null, undefined, 32),
    (lib) => lib.hkdf(lib.sha256, new Uint8Array(3), undefined, null, 32),
    (lib) => lib.extract(lib.sha256, new Uint8Array(3), null),
    (lib) => lib.expand(lib.sha256, new Uint8Array(32), null, 32),
    (lib) => lib.abytes('00', 2, 'key'),
    (lib) => lib.abytes(new Uint8Array(3), 2),
    (lib) => lib.abytes(new Uint8Array(3), -1),
    (lib) => lib.hexToBytes(5),
  ];
  for (const call of calls) {
    const [expected, found] = [noble, ours].map((lib) => {
      try {
        call(lib);
        return undefined;
      } catch (error) {
        return [error.constructor.name, error.message];
      }
    });
    assert.notEqual(expected, undefined, String(call));
    assert.deepEqual(found, expected, String(call));
  }
  for (const text of ['0', 'zz', '00zz']) {
    assert.throws(() => noble.hexToBytes(text), RangeError);
    assert.throws(() => ours.hexToBytes(text), RangeError);
  }
  assert.deepEqual(ours.hexToBytes('00fFA5'), noble.hexToBytes('00fFA5'));

  const { sha256 } = await import('millrace/noble-hashes/v1/sha256');
  assert.deepEqual(sha256('text'), noble.sha256(noble.utf8ToBytes('text')));
  assert.throws(() => sha256(5), { name: 'Error', message: 'Uint8Array expected' });
  const { hkdf } = await import('millrace/noble-hashes/v1/hkdf');
  assert.deepEqual(
    hkdf(sha256, 'k', 's', 'i', 9),
    noble.hkdf(
      noble.sha256,
      noble.utf8ToBytes('k'),
      noble.utf8ToBytes('s'),
      noble.utf8ToBytes('i'),
      9,
    ),
  );
  assert.throws(() => hkdf(sha256, 'k', 's', [1, 2], 9), { message: 'Uint8Array expected' });
  const { abytes } = await import('millrace/noble-hashes/v1/_assert');
  assert.equal(abytes(new Uint8Array(3), 2, 3), undefined);
  assert.throws(() => abytes(new Uint8Array(3), 1, 2), {
    message: 'Uint8Array expected of length 1,2, got length=3',
  });
});

test('what only noble has is counted; without noble the call has a clear error', async () => {
  const { nobleCalls } = await import('millrace/noble-hashes');
  const before = nobleCalls()['blake1/blake256'] ?? 0;
  const { blake256 } = await import('millrace/noble-hashes/blake1.js');
  blake256(bytes(3));
  assert.ok(nobleCalls()['blake1/blake256'] > before);
  const web = await import('millrace/noble-hashes/webcrypto.js');
  assert.throws(() => (web.sha256.webCryptoName = 'SHA-512'), TypeError);
  const { useNoble } = await import('millrace/noble-hashes');
  assert.throws(() => useNoble('curves', 2, () => ({})), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => useNoble('hashes', 2, 5), { code: 'ERR_ARGUMENT_TYPE' });

  // Version 2 is installed here: the modules of version 1 refuse it.
  const { m14 } = await import('millrace/noble-hashes/v1/sha3-addons.js');
  assert.throws(() => m14(bytes(3)), { code: 'ERR_NOBLE_VERSION' });
  useNoble('ciphers', 1, () => undefined);
  const { cbc } = await import('millrace/noble-ciphers/v1/aes.js');
  assert.throws(() => cbc(bytes(32), bytes(16)), { code: 'ERR_NOBLE_MISSING' });
});

test('MILLRACE_NOBLE_LOG=1 names what noble computes, once', async () => {
  const blake1 = JSON.stringify(require.resolve('millrace/noble-hashes/blake1.js'));
  const { stderr } = await run(
    `const { blake256 } = require(${blake1});
     blake256(new Uint8Array(1)); blake256(new Uint8Array(1));`,
    { env: { MILLRACE_NOBLE_LOG: '1' } },
  );
  assert.equal(stderr.match(/@noble\/hashes computes blake1\/blake256/g)?.length, 1);
});

test('for browsers the modules bundle with the portable engine', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { sha256 } from 'millrace/noble-hashes/sha2.js';
        import { gcm } from 'millrace/noble-ciphers/aes.js';
        export default [sha256(new Uint8Array([97, 98, 99])),
          gcm(new Uint8Array(32), new Uint8Array(12)).encrypt(new Uint8Array(5))];`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  const [{ text }] = outputFiles;
  assert.doesNotMatch(text, /(?:require|import|from)\s*\(?\s*["']node:/);
  const { default: found } = await import(
    `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
  );
  const { sha256 } = await import('@noble/hashes/sha2.js');
  const { gcm } = await import('@noble/ciphers/aes.js');
  assert.deepEqual(found[0], sha256(new Uint8Array([97, 98, 99])));
  assert.deepEqual(
    found[1],
    gcm(new Uint8Array(32), new Uint8Array(12)).encrypt(new Uint8Array(5)),
  );
});

test('every module of version 1 has files for both module systems and types', () => {
  for (const name of ['noble-hashes', 'noble-ciphers']) {
    const files = readdirSync(join(root, 'dist', name, 'v1'));
    const modules = files.filter((file) => file.endsWith('.mjs'));
    assert.ok(modules.length > 7);
    for (const file of modules)
      for (const end of ['.js', '.d.ts', '.d.mts'])
        assert.ok(files.includes(file.replace(/\.mjs$/, end)), file + end);
  }
});

test('ethers: register sets all hooks, with the results and types ethers expects', async () => {
  const { register } = await import('millrace/ethers');
  const set = {};
  const names = register(
    Object.fromEntries(
      [
        'keccak256',
        'sha256',
        'sha512',
        'ripemd160',
        'computeHmac',
        'pbkdf2',
        'scrypt',
        'scryptSync',
      ].map((name) => [name, { register: (run) => (set[name] = run) }]),
    ),
  );
  assert.deepEqual(names.sort(), Object.keys(set).sort());
  const noble = {
    ...(await import('@noble/hashes/sha2.js')),
    ...(await import('@noble/hashes/sha3.js')),
    ...(await import('@noble/hashes/legacy.js')),
    ...(await import('@noble/hashes/hmac.js')),
    ...(await import('@noble/hashes/pbkdf2.js')),
    ...(await import('@noble/hashes/scrypt.js')),
  };
  const [data, salt] = [bytes(300), bytes(16)];
  assert.deepEqual(set.keccak256(data), noble.keccak_256(data));
  assert.deepEqual(set.sha256(data), noble.sha256(data));
  assert.deepEqual(set.sha512(data), noble.sha512(data));
  assert.deepEqual(set.ripemd160(data), noble.ripemd160(data));
  assert.deepEqual(set.computeHmac('sha512', salt, data), noble.hmac(noble.sha512, salt, data));
  assert.deepEqual(
    set.pbkdf2(data, salt, 5, 40, 'sha512'),
    noble.pbkdf2(noble.sha512, data, salt, { c: 5, dkLen: 40 }),
  );
  const expected = noble.scrypt(data, salt, { N: 32, r: 2, p: 1, dkLen: 64 });
  assert.deepEqual(set.scryptSync(data, salt, 32, 2, 1, 64), expected);
  const progress = [];
  assert.deepEqual(
    await set.scrypt(data, salt, 32, 2, 1, 64, (each) => progress.push(each)),
    expected,
  );
  assert.equal(progress.at(-1), 1);
  assert.throws(() => register({ keccak256() {} }), { code: 'ERR_ARGUMENT_TYPE' });
});
