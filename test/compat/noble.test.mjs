// millrace/noble-hashes, millrace/noble-ciphers and millrace/ethers: the names, results and errors
// of the real packages. `npm run test:noble` runs noble's own suites.

import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { root, run } from '../support/child.mjs';

const require = createRequire(import.meta.url);
const bytes = (size) => new Uint8Array(randomBytes(size));

/** Returns the sub-paths of an installed package of noble. */
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
      const required = require(`millrace/noble-${name}/${path}`);
      assert.deepEqual(Object.keys(required).sort(), Object.keys(noble).sort());
      for (const each of Object.keys(noble)) {
        assert.equal(typeof ours[each] === 'boolean', typeof noble[each] === 'boolean', each);
        for (const field of ['outputLen', 'blockLen', 'canXOF', 'blockSize', 'nonceLength'])
          assert.equal(ours[each][field], noble[each][field], `${each}.${field}`);
        assert.deepEqual(ours[each].oid, noble[each].oid, `${each}.oid`);
      }
    });
  }
}

const nobleHash = (path) => import(`@noble/hashes/${path}.js`);
const nobleCipher = (path) => import(`@noble/ciphers/${path}.js`);

/** The modules of both builds by their paths. */
const builds = {
  node: (path) => import(`millrace/${path}${path.includes('/') ? '.js' : ''}`),
  browser: (path) => import(new URL(`../../dist/browser/${path}.mjs`, import.meta.url).href),
};

// Browsers cannot load noble at a call.
for (const name of ['hashes', 'ciphers']) {
  const modules = {};
  for (const path of subpaths(name)) modules[path] = await import(`@noble/${name}/${path}.js`);
  const { useNoble } = await builds.browser(`noble-${name}`);
  useNoble(name, 2, (path) => modules[path]);
}

/** Returns what the modules at several paths export. */
async function all(load, prefix, paths) {
  const modules = await Promise.all(paths.split(' ').map((path) => load(prefix + path)));
  return Object.assign({}, ...modules);
}

/** Returns the result of a call, or the class and message of its error. */
function outcome(call) {
  try {
    return call();
  } catch (error) {
    return [error.constructor.name, error.message];
  }
}

function testBuilds(title, run) {
  for (const [build, load] of Object.entries(builds))
    test(build === 'node' ? title : `${title} (${build})`, () => run(load));
}

const families = {
  sha2: ['sha224', 'sha256', 'sha384', 'sha512', 'sha512_224', 'sha512_256'],
  sha3: ['sha3_224', 'sha3_256', 'sha3_512', 'keccak_256', 'keccak_512', 'shake128', 'shake256_64'],
  legacy: ['md5', 'sha1', 'ripemd160'],
  blake2: ['blake2b', 'blake2s'],
  blake3: ['blake3'],
};

testBuilds('hashes: random messages in random pieces and clones equal noble', async (load) => {
  for (const [path, names] of Object.entries(families)) {
    const noble = await nobleHash(path);
    const ours = await load(`noble-hashes/${path}`);
    for (const name of names) {
      for (let round = 0; round < 8; round++) {
        const data = bytes(randomInt(3000));
        const expected = noble[name](data);
        const found = ours[name](data);
        assert.deepEqual(found, expected, name);
        assert.equal(found.buffer.byteLength, found.length, 'separate memory');
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

for (const engine of ['native', 'portable', 'browser']) {
  test(`hashes with keys and other options equal noble: ${engine}`, async () => {
    const { configure } = await import('millrace');
    const load = builds[engine] ?? builds.node;
    const { nobleCalls } = await load('noble-hashes');
    const paths = 'blake2 blake3 sha3-addons';
    const noble = await all(nobleHash, '', paths);
    const ours = await all(load, 'noble-hashes/', paths);
    const before = nobleCalls();
    if (engine !== 'browser') configure({ engine });
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

const blank = new Uint8Array(3);
/** Calls that noble refuses, by the package and the module of what they use. */
const refused = {
  'hashes/blake2': [
    (lib) => lib.blake2b(blank, { dkLen: 65 }),
    (lib) => lib.blake2b(blank, { key: new Uint8Array(0) }),
    (lib) => lib.blake2s.create({ salt: new Uint8Array(7) }),
    (lib) => lib.blake2b.create().digestInto(new Uint8Array(80).subarray(1)),
  ],
  'hashes/blake3': [
    (lib) => lib.blake3(blank, { key: bytes(31) }),
    (lib) => lib.blake3(blank, { key: bytes(32), context: blank }),
  ],
  'hashes/sha3-addons': [
    (lib) => lib.cshake128(blank, { personalization: 'text' }),
    (lib) => lib.kmac128('key', blank),
    (lib) => lib.kmac128(blank, 'text'),
    (lib) => lib.tuplehash128(blank),
    (lib) => lib.tuplehash128([5]),
    (lib) => lib.tuplehash256.create().update('text'),
    (lib) => lib.turboshake128(blank, { D: 128 }),
    (lib) => lib.parallelhash128(blank, { blockLen: 0 }),
    (lib) => lib.kt128(blank, { dkLen: -1 }),
    (lib) => lib.kt128(blank, null),
    (lib) => lib.kmac128.create(blank).xof(5),
  ],
  'hashes/sha2': [
    (lib) => lib.sha256('text'),
    (lib) => lib.sha256([1]),
    (lib) => lib.sha256.create().update(undefined),
    (lib) => lib.sha256.create().digestInto(blank),
  ],
  'hashes/hmac': [(lib) => lib.hmac(lib.sha256, 'key', blank)],
  'hashes/hkdf': [
    (lib) => lib.hkdf(lib.sha256, blank, null, undefined, 32),
    (lib) => lib.hkdf(lib.sha256, blank, undefined, null, 32),
    (lib) => lib.extract(lib.sha256, blank, null),
    (lib) => lib.expand(lib.sha256, new Uint8Array(32), null, 32),
  ],
  'hashes/utils': [
    (lib) => lib.bytesToHex('00'),
    (lib) => lib.concatBytes(blank, 'a'),
    (lib) => lib.randomBytes(-1),
    (lib) => lib.randomBytes(70_000),
    (lib) => lib.utf8ToBytes(5),
    (lib) => lib.abytes('00', 2, 'key'),
    (lib) => lib.abytes(blank, 2),
    (lib) => lib.abytes(blank, -1),
    (lib) => lib.hexToBytes(5),
  ],
  'ciphers/aes': [
    (lib) => lib.aeskw(bytes(17)).encrypt(bytes(16)),
    (lib) => lib.aeskw(bytes(16)).encrypt(bytes(8)),
    (lib) => lib.aeskw(bytes(16)).encrypt('text'),
    (lib) => lib.aeskwp(bytes(16)).encrypt(bytes(0)),
    (lib) => lib.aeskw(bytes(16)).decrypt(bytes(16)),
    (lib) => lib.aeskw(bytes(16)).encrypt(bytes(16), bytes(24)),
  ],
};

for (const [path, calls] of Object.entries(refused))
  testBuilds(`bad arguments have the classes and messages of version 2: ${path}`, async (load) => {
    const noble = await all((each) => import(`@noble/${each}.js`), '', `hashes/sha2 ${path}`);
    const ours = await all(load, 'noble-', `hashes/sha2 ${path}`);
    for (const call of calls) {
      const expected = outcome(() => call(noble));
      assert.equal(typeof expected[0], 'string', String(call));
      const found = outcome(() => call(ours));
      assert.deepEqual(found, expected, String(call));
    }
  });

testBuilds('version 1: strings as keys and customizations; its names', async (load) => {
  const { k12, kmac128, tuplehash128 } = await load('noble-hashes/v1/sha3-addons');
  const two = await load('noble-hashes/sha3-addons');
  const text = new TextEncoder();
  const [key, data, custom] = ['key', 'data', 'custom'].map((each) => text.encode(each));
  const [old, options] = [{ personalization: 'custom' }, { personalization: custom }];
  assert.deepEqual(kmac128('key', 'data', old), two.kmac128(key, data, options));
  assert.deepEqual(tuplehash128(['key', 'data']), two.tuplehash128([key, data]));
  assert.deepEqual(k12('data', old), two.kt128(data, options));
  assert.equal(kmac128.outputLen, undefined);
});

testBuilds('HMAC and derivations equal noble, synchronous and asynchronous', async (load) => {
  const paths = 'sha2 hmac hkdf pbkdf2 scrypt argon2';
  const noble = await all(nobleHash, '', paths);
  const ours = await all(load, 'noble-hashes/', paths);
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
  for (const call of [
    (lib, onProgress) => lib.scryptAsync('p', salt, { N: 16, r: 1, p: 1, onProgress }),
    (lib, onProgress) => lib.scryptAsync('p', salt, { N: 8192, r: 1, p: 2, onProgress }),
    (lib, onProgress) => lib.argon2idAsync('p', salt, { t: 2, m: 100, p: 3, onProgress }),
  ]) {
    const [expected, found] = [[], []];
    await call(noble, (each) => expected.push(each));
    await call(ours, (each) => found.push(each));
    assert.deepEqual(found, expected, String(call));
  }
  // Another package's hash: noble's own HMAC.
  assert.deepEqual(ours.hmac(noble.sha256, key, salt), noble.hmac(noble.sha256, key, salt));
});

/** A program with a Worker of the web platform, by one of Node.js. It counts those that start. */
const onWorkers = `
  import assert from 'node:assert/strict';
  import { resolveObjectURL } from 'node:buffer';
  import { Worker } from 'node:worker_threads';

  // Node.js 20 has no navigator.
  globalThis.navigator ??= { hardwareConcurrency: 2 };
  let started = 0;
  globalThis.Worker = class {
    #waiting = [];
    #worker;
    constructor(url) {
      started++;
      const prelude = \`const { parentPort } = require('node:worker_threads');
        globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
        parentPort.on('message', (data) => globalThis.onmessage({ data }));\`;
      resolveObjectURL(url).text().then((text) => {
        this.#worker = new Worker(prelude + text, { eval: true });
        this.#worker.on('message', (data) => this.onmessage({ data }));
        for (const sent of this.#waiting) this.#worker.postMessage(...sent);
      });
    }
    postMessage(...sent) {
      if (this.#worker === undefined) this.#waiting.push(sent);
      else this.#worker.postMessage(...sent);
    }
    terminate() {
      this.#worker?.terminate();
    }
  };
  const [noble, ours] = await Promise.all(process.argv.slice(2).map(async (path) => ({
    ...(await import(path)),
    ...(await import(path.replace('scrypt', 'argon2'))),
  })));
  const salt = new Uint8Array(16).fill(3);
  const scryptOf = (lib, given) =>
    lib.scryptAsync('päss', salt, { N: 4096, r: 8, p: 2, dkLen: 70, ...given });
  const argon2Of = (lib, given) =>
    lib.argon2idAsync(salt, 'salt of text', { t: 2, m: 100, p: 3, key: 'k', ...given });
  for (const call of [scryptOf, argon2Of]) {
    const [expected, found] = [[], []];
    const key = await call(noble, { onProgress: (each) => expected.push(each) });
    assert.deepEqual(await call(ours, { onProgress: (each) => found.push(each) }), key);
    assert.deepEqual(found, expected, 'progress');
  }
  const onProgress = () => {
    throw new Error('of the callback');
  };
  await assert.rejects(scryptOf(ours, { onProgress }), { message: 'of the callback' });
  for (const key of await Promise.all(Array.from({ length: 5 }, () => scryptOf(ours))))
    assert.deepEqual(key, await scryptOf(noble));
  assert.ok(started >= 1 && started <= navigator.hardwareConcurrency, String(started));
  process.exit(0);
`;

test('in browsers scrypt and Argon2 run on the workers of the engine', async () => {
  const folders = [
    import.meta.resolve('@noble/hashes/scrypt.js'),
    new URL('../../dist/browser/noble-hashes/scrypt.mjs', import.meta.url).href,
  ];
  const { code, stderr } = await run(onWorkers, { args: folders, esm: true, bare: true });
  assert.equal(code, 0, stderr);
});

testBuilds('scrypt opens the wallet of the Web3 Secret Storage Definition', async (load) => {
  const salt = 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19';
  const cost = { N: 262_144, r: 1, p: 8, dkLen: 32 };
  const given = ['testpassword', Buffer.from(salt, 'hex'), cost];
  const key = 'fac192ceb5fd772906bea3e118a69e8bbb5cc24229e20d8766fd298291bba6bd';
  for (const path of ['scrypt', 'v1/scrypt']) {
    const { scrypt, scryptAsync } = await load(`noble-hashes/${path}`);
    assert.equal(Buffer.from(scrypt(...given)).toString('hex'), key);
    assert.equal(Buffer.from(await scryptAsync(...given)).toString('hex'), key);
  }
  // RFC 7914 forbids this cost, and so does Millrace's own function.
  const { scrypt } = await import('millrace');
  assert.throws(() => scrypt('p', 's', 32, { N: 262_144, r: 1, maxmem: 2 ** 30 }), {
    message: /less than 2\^\(16r\)/,
  });
});

testBuilds('asynchronous derivations copy their inputs at the call', async (load) => {
  const lib = await all(load, 'noble-hashes/', 'sha2 pbkdf2 scrypt argon2');
  const { sha256 } = lib;
  const argon2 = (call, ...[password, salt, key, personalization]) =>
    call(password, salt, { t: 1, m: 16, p: 1, key, personalization });
  const calls = {
    pbkdf2: (call, ...inputs) => call(sha256, ...inputs.slice(0, 2), { c: 2, dkLen: 100 }),
    scrypt: (call, ...inputs) => call(...inputs.slice(0, 2), { N: 16, r: 1, p: 1 }),
    argon2d: argon2,
    argon2i: argon2,
    argon2id: argon2,
  };
  const names = Object.keys(lib).filter((name) => name.endsWith('Async'));
  const called = Object.keys(calls).map((name) => `${name}Async`);
  assert.deepEqual(names.sort(), called.sort());
  for (const [name, call] of Object.entries(calls)) {
    const inputs = [20, 16, 8, 9].map(bytes);
    const expected = call(lib[name], ...inputs);
    const key = call(lib[`${name}Async`], ...inputs);
    for (const input of inputs) input.fill(0);
    assert.deepEqual(await key, expected, name);
  }
});

testBuilds('a loop over nextTick lets derivations end', async (load) => {
  const { scryptAsync } = await load('noble-hashes/scrypt');
  const { nextTick } = await load('noble-hashes/utils');
  let derived;
  scryptAsync('p', 's', { N: 1024, r: 8, p: 1 }).then((key) => (derived = key));
  while (derived === undefined) await nextTick();
  assert.equal(derived.length, 32);
});

testBuilds('ciphers equal noble, with and without aad and memory for the result', async (load) => {
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
    const noble = (await nobleCipher(path))[name];
    const ours = (await load(`noble-ciphers/${path}`))[name];
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
    const [expected, found] = [noble, ours].map((cipher) =>
      outcome(() => cipher(key, nonce, ...given).decrypt(sealed)),
    );
    assert.equal(found[1], expected[1], name);
    assert.equal(typeof found[1], 'string');
  }
  const noble = await nobleCipher('chacha');
  const ours = await load('noble-ciphers/chacha');
  const given = [bytes(32), bytes(12), bytes(333), undefined, 7];
  assert.deepEqual(ours.chacha20(...given), noble.chacha20(...given));
});

testBuilds('an inherited code changes no error of a cipher', async (load) => {
  const { gcm } = await load('noble-ciphers/aes');
  const cipher = gcm(bytes(32), bytes(12));
  const refusal = () => outcome(() => cipher.decrypt(bytes(40), bytes(3)));
  const expected = refusal();
  const value = 'ERR_AUTHENTICATION';
  Object.defineProperty(Object.prototype, 'code', { value, configurable: true });
  try {
    assert.deepEqual(refusal(), expected);
  } finally {
    delete Object.prototype.code;
  }
});

testBuilds('functions of HKDF have the length of noble', async (load) => {
  const [noble, ours] = [await nobleHash('hkdf'), await load('noble-hashes/hkdf')];
  for (const [name, { length }] of Object.entries(noble))
    assert.equal(ours[name].length, length, name);
});

testBuilds('AES key wrap equals noble, which computes nothing', async (load) => {
  const { nobleCalls } = await load('noble-ciphers');
  const noble = await nobleCipher('aes');
  const ours = await load('noble-ciphers/aes');
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
});

testBuilds('hexToBytes takes what it does in noble', async (load) => {
  const [noble, ours] = [await nobleHash('utils'), await load('noble-hashes/utils')];
  for (const text of ['0', 'zz', '00zz'])
    for (const { hexToBytes } of [noble, ours]) assert.throws(() => hexToBytes(text), RangeError);
  assert.deepEqual(ours.hexToBytes('00fFA5'), noble.hexToBytes('00fFA5'));
  Object.prototype.fromHex = () => new Uint8Array(3);
  try {
    assert.deepEqual(ours.hexToBytes('00fFA5'), Uint8Array.of(0, 255, 165));
  } finally {
    delete Object.prototype.fromHex;
  }
});

testBuilds('version 1 takes strings, and throws Errors for bad arguments', async (load) => {
  const noble = await all(nobleHash, '', 'sha2 hkdf utils');
  const { sha256, hkdf, abytes } = await all(load, 'noble-hashes/v1/', 'sha256 hkdf _assert');
  const [text, k, s, i] = ['text', 'k', 's', 'i'].map((each) => noble.utf8ToBytes(each));
  assert.deepEqual(sha256('text'), noble.sha256(text));
  assert.throws(() => sha256(5), { name: 'Error', message: 'Uint8Array expected' });
  assert.deepEqual(hkdf(sha256, 'k', 's', 'i', 9), noble.hkdf(noble.sha256, k, s, i, 9));
  assert.throws(() => hkdf(sha256, 'k', 's', [1, 2], 9), { message: 'Uint8Array expected' });
  assert.equal(abytes(blank, 2, 3), undefined);
  const message = 'Uint8Array expected of length 1,2, got length=3';
  assert.throws(() => abytes(blank, 1, 2), { message });
});

test('options that are not a plain object are refused, as noble does', async () => {
  const { blake2b } = await import('millrace/noble-hashes/blake2.js');
  const { shake128 } = await import('millrace/noble-hashes/sha3.js');
  class Options {
    dkLen = 32;
  }
  for (const hash of [blake2b, shake128])
    for (const options of [new Options(), Object.create({ dkLen: 32 }), null, ''])
      assert.throws(() => hash(bytes(3), options), { name: 'TypeError' });
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

/** Bundles a program for browsers. Returns its text, and its size after gzip. */
async function browserBundle(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  const [{ text }] = outputFiles;
  return { text, size: text.trim() === '' ? 0 : gzipSync(text, { level: 9 }).length };
}

test('a bundle for browsers computes without imports of Node.js', async () => {
  const { text } = await browserBundle(`
    import { sha256 } from 'millrace/noble-hashes/sha2.js';
    import { gcm } from 'millrace/noble-ciphers/aes.js';
    export default [sha256(new Uint8Array([97, 98, 99])),
      gcm(new Uint8Array(32), new Uint8Array(12)).encrypt(new Uint8Array(5))];`);
  assert.doesNotMatch(text, /(?:require|import|from)\s*\(?\s*["']node:/);
  const encoded = Buffer.from(text).toString('base64');
  const { default: found } = await import(`data:text/javascript;base64,${encoded}`);
  const { sha256 } = await nobleHash('sha2');
  const { gcm } = await nobleCipher('aes');
  const sealed = gcm(new Uint8Array(32), new Uint8Array(12)).encrypt(new Uint8Array(5));
  assert.deepEqual(found, [sha256(new Uint8Array([97, 98, 99])), sealed]);
});

test('a bundle for browsers has what was imported and nothing more', async () => {
  for (const [path, name, limit] of [
    ['hashes/sha2', 'sha256', 7300],
    ['hashes/sha2', 'sha512', 8500],
    ['hashes/sha3', 'keccak_256', 7600],
    ['hashes/legacy', 'ripemd160', 8700],
    ['hashes/blake2', 'blake2b', 10_900],
    ['hashes/blake3', 'blake3', 17_500],
    ['hashes/scrypt', 'scrypt', 10_100],
    ['hashes/argon2', 'argon2id', 12_000],
    ['hashes/utils', 'bytesToHex', 800],
    ['ciphers/aes', 'gcm', 11_000],
    ['ciphers/chacha', 'chacha20poly1305', 9200],
  ]) {
    const importing = `import { ${name} } from 'millrace/noble-${path}.js';`;
    const { size } = await browserBundle(`${importing} console.log(${name});`);
    assert.ok(size < limit && size > limit / 2, `${name}: ${size} bytes`);
    assert.equal((await browserBundle(importing)).size, 0, name);
  }
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
  const hooks = 'keccak256 sha256 sha512 ripemd160 computeHmac pbkdf2 scrypt scryptSync'.split(' ');
  const ethers = hooks.map((name) => [name, { register: (run) => (set[name] = run) }]);
  const names = register(Object.fromEntries(ethers));
  assert.deepEqual(names.sort(), hooks.sort());
  assert.deepEqual(Object.keys(set).sort(), hooks);
  const noble = await all(nobleHash, '', 'sha2 sha3 legacy hmac pbkdf2 scrypt');
  const [data, salt] = [bytes(300), bytes(16)];
  assert.deepEqual(set.keccak256(data), noble.keccak_256(data));
  for (const name of ['sha256', 'sha512', 'ripemd160'])
    assert.deepEqual(set[name](data), noble[name](data), name);
  assert.deepEqual(set.computeHmac('sha512', salt, data), noble.hmac(noble.sha512, salt, data));
  const derived = noble.pbkdf2(noble.sha512, data, salt, { c: 5, dkLen: 40 });
  assert.deepEqual(set.pbkdf2(data, salt, 5, 40, 'sha512'), derived);
  const expected = noble.scrypt(data, salt, { N: 32, r: 2, p: 1, dkLen: 64 });
  assert.deepEqual(set.scryptSync(data, salt, 32, 2, 1, 64), expected);
  const progress = [];
  const onProgress = (each) => progress.push(each);
  assert.deepEqual(await set.scrypt(data, salt, 32, 2, 1, 64, onProgress), expected);
  assert.equal(progress.at(-1), 1);
  assert.throws(() => register({ keccak256() {} }), { code: 'ERR_ARGUMENT_TYPE' });
});
