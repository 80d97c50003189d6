// millrace/node-crypto beside node:crypto: the same results, types and errors over a table of
// calls, in every style; objects as streams; and millrace/register in separate processes.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import own from 'millrace/node-crypto';
import * as names from 'millrace/node-crypto';

import { run } from '../support/child.mjs';

const require = createRequire(import.meta.url);
const registerFile = require.resolve('millrace/register');
const registerUrl = import.meta.resolve('millrace/register');
const native = process.env.MILLRACE_ENGINE !== 'portable';

const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7) & 255));
const views = [
  'text',
  'ünïcödé \u{1f600} \ud800',
  'x'.repeat(70_000),
  `${'\u{1f600}'.repeat(30_000)}é`,
  bytes,
  new Uint8Array(bytes.buffer, bytes.byteOffset + 3, 100),
  new DataView(bytes.buffer, bytes.byteOffset + 1, 5000),
  new Float64Array([1, 2, 3]),
  new Uint8Array(0),
];
const bad = [undefined, null, 5, {}, [], new ArrayBuffer(3), Symbol('s'), () => {}];
const encodings = [undefined, 'hex', 'HEX', 'base64', 'base64url', 'latin1', 'buffer', 'foo', 5];
const hashes = ['md5', 'SHA256', 'RSA-SHA512', 'sha3-256', 'shake128', 'shake256', 'blake2b512'];
const strange = ['nope', 'blake3', 'xxh64', 'keccak256', '', undefined, 5, {}];

/** Resolves to what a call does: its result with its type, or its error. */
async function outcome(call, library) {
  try {
    const value = await call(library);
    if (value instanceof ArrayBuffer) return ['ArrayBuffer', Buffer.from(value).toString('hex')];
    if (Buffer.isBuffer(value))
      return ['Buffer', value.toString('hex'), value.buffer.byteLength === value.length];
    return [typeof value, value];
  } catch (error) {
    return [error.constructor.name, error.name, error.code, error.message];
  }
}

async function same(call, what) {
  assert.deepEqual(await outcome(call, own), await outcome(call, crypto), what ?? String(call));
}

test('the exports are those of node:crypto, with their names, lengths and texts', () => {
  // Millrace's, where Node.js has none.
  const others = ['encapsulate', 'decapsulate'].filter((name) => !(name in crypto));
  assert.deepEqual(Object.keys(own).sort(), [...Object.keys(crypto), ...others].sort());
  for (const name of others) assert.equal(typeof own[name], 'function', name);
  for (const name of Object.keys(crypto)) {
    assert.equal(typeof own[name], typeof crypto[name], name);
    if (typeof crypto[name] !== 'function') continue;
    assert.equal(own[name].name, crypto[name].name, name);
    assert.equal(own[name].length, crypto[name].length, name);
    assert.equal(String(own[name]), String(crypto[name]), name);
    assert.equal(names[name], own[name], name);
  }
  assert.equal(own.webcrypto, crypto.webcrypto);
  assert.equal(own.randomBytes, crypto.randomBytes);
  assert.notEqual(own.createHash, crypto.createHash);
  assert.equal(require('millrace/node-crypto'), own);
});

describe('createHash and createHmac', () => {
  for (const [title, create] of [
    ['createHash', (lib, name) => lib.createHash(name)],
    ['createHmac', (lib, name) => lib.createHmac(name, 'key')],
  ]) {
    test(`${title}: data, encodings, algorithms`, async () => {
      // The first error may be one that earlier calls left in OpenSSL's queue.
      await outcome((lib) => create(lib, 'shake128').update('abc').digest(), crypto);
      for (const name of [...hashes, ...strange]) {
        await same((lib) => create(lib, name).update('abc').digest(), `${title} ${String(name)}`);
        await same((lib) => create(lib, name).update(bytes).digest('hex'));
      }
      for (const data of [...views, ...bad])
        for (const encoding of [undefined, 'utf8', 'hex', 'latin1', 'ucs2', 'foo', 5])
          await same((lib) => create(lib, 'sha256').update(data, encoding).digest('hex'));
      for (const encoding of [...encodings, Symbol('s'), ['hex'], { toString: () => 'hex' }])
        await same((lib) => create(lib, 'sha1').update('abc').digest(encoding));
      await same((lib) => create(lib, 'md5').update('abc', 'hex'));
    });

    test(`${title}: after the digest`, async () => {
      const spent = (lib) => {
        const hash = create(lib, 'sha256').update('a');
        hash.digest();
        return hash;
      };
      for (const encoding of ['hex', undefined]) await same((lib) => spent(lib).digest(encoding));
      for (const data of ['x', 5]) await same((lib) => spent(lib).update(data));
      await same((lib) => spent(lib).copy?.());
    });

    test(`${title}: instances and streams`, async () => {
      for (const lib of [own, crypto]) {
        const hash = create(lib, 'sha256');
        assert.ok(hash instanceof Transform);
        assert.ok(hash instanceof (title === 'createHash' ? lib.Hash : lib.Hmac));
        assert.equal(hash.constructor.name, title.slice('create'.length));
      }
      const end = async (lib, use) => {
        const hash = create(lib, 'sha256');
        hash.write('one');
        hash.write('74776f', 'hex');
        hash.end(bytes);
        const chunks = [];
        for await (const chunk of hash) chunks.push(chunk);
        return use(hash, Buffer.concat(chunks).toString('hex'));
      };
      await same((lib) => end(lib, (_, digest) => digest));
      // After the stream, Hmac.digest returns nothing; in Node.js 24.21, 64 bytes that it never
      // wrote.
      const theirs = await end(crypto, (hash) => hash.digest());
      const unwritten = title === 'createHmac' && theirs.length > 0;
      for (const encoding of ['hex', undefined]) {
        const late = (lib) => end(lib, (hash) => hash.digest(encoding));
        if (!unwritten) await same(late, `${title}: ${encoding}`);
        else {
          const found = Buffer.from(await late(own), encoding).toString('hex');
          assert.equal(found, await end(own, (_, digest) => digest));
        }
      }
      await same((lib) => end(lib, (hash) => typeof hash.update('more')));
      await same(async (lib) => {
        const hash = create(lib, 'sha512');
        hash.setEncoding('hex');
        await pipeline(Readable.from([bytes, 'text']), hash);
        return hash.read();
      });
    });
  }

  test('copies, lengths and options work as in Node', async () => {
    await same((lib) => {
      const hash = lib.createHash('sha256').update(bytes);
      const copy = hash.copy().update('more');
      return hash.digest('hex') + copy.digest('hex');
    });
    const ended = own.createHash('sha256').update(bytes);
    const ending = Object.defineProperty({}, 'outputLength', {
      get: () => (ended.digest(), 32),
    });
    // A copy would have lost the message.
    assert.throws(() => ended.copy(ending), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
    const sizes = [0, 1, 16, 32, 100, 5000, -1, 1.5, '16', null, NaN, 2 ** 32];
    for (const name of ['sha256', 'shake128'])
      for (const outputLength of sizes) {
        await same((lib) => lib.createHash(name, { outputLength }).update('a').digest('hex'));
        await same((lib) => lib.createHash(name).copy({ outputLength }).digest('hex'));
        await same((lib) => lib.createHash(name, { outputLength: 32 }).copy().digest('hex'));
      }
    for (const options of [null, 5, 'x', { highWaterMark: 1 }])
      await same((lib) => lib.createHash('sha1', options).digest('hex'));
    await same((lib) => lib.createHash('sha1', { highWaterMark: 7 }).readableHighWaterMark);
  });

  test('Hash and Hmac work without new, with it, and as base classes', async () => {
    for (const call of [
      (lib) => lib.Hash('sha256'),
      (lib) => new lib.Hash('sha256'),
      (lib) => lib.Hmac('sha256', 'k'),
      (lib) => new lib.Hmac('sha256', 'k'),
    ])
      await same((lib) => call(lib).update('a').digest('hex'), String(call));
    await same((lib) => lib.Hash());
    await same((lib) => lib.Hmac('sha256'));
    await same((lib) => {
      class Own extends lib.Hash {}
      const hash = new Own('sha256');
      return `${hash instanceof Own} ${hash.update('a').digest('hex')}`;
    });
    assert.ok(crypto.createHash('sha256') instanceof own.Hash);
  });

  test('keys of every kind work as in Node', async () => {
    const secret = crypto.createSecretKey(Buffer.from('secret'));
    const { publicKey } = crypto.generateKeyPairSync('ed25519');
    const texts = ['', 'key', 'é'.repeat(2000)];
    const keys = [...texts, bytes, bytes.subarray(0, 5), new DataView(bytes.buffer)];
    for (const key of [...keys, bytes.buffer.slice(0, 40), secret, secret, publicKey, ...bad])
      for (const options of [undefined, null, {}, { encoding: 'hex' }, { encoding: 5 }, 5])
        await same((lib) => lib.createHmac('sha256', key, options).update('abc').digest('base64'));
  });

  const skip = crypto.hash === undefined && 'this Node.js has no crypto.hash';
  test('hash works as in Node', { skip }, async () => {
    for (const name of [...hashes, ...strange]) await same((lib) => lib.hash(name, 'abc'));
    for (const data of [...views, ...bad]) await same((lib) => lib.hash('sha256', data));
    for (const encoding of [...encodings, null, 'BUFFER', 'utf8'])
      for (const data of ['abc', bytes]) await same((lib) => lib.hash('sha256', data, encoding));
  });
});

describe('key derivation', () => {
  const calls = {
    pbkdf2: [
      ['p', 's', 3, 20, 'sha512'],
      [bytes, new DataView(bytes.buffer), 1, 64, 'SHA1'],
      [bytes.buffer.slice(0, 10), '', 1, 0, 'sha256'],
      ['p', 's', 0, 20, 'sha512'],
      ['p', 's', 1, -1, 'sha512'],
      ['p', 's', 1, 20, 'nope'],
      ['p', 's', 1, 20, 'sha3-256'],
      [5, 's', 1, 20, 'sha512'],
      ['p', 's', 1.5, 20, 'sha512'],
    ],
    scrypt: [
      ['p', 's', 20],
      ['p', 's', 20, { N: 16 }],
      ['p', bytes, 64, { cost: 64, blockSize: 4, parallelization: 2 }],
      ['p', 's', 20, { N: 16, cost: 16 }],
      ['p', 's', 20, { N: 15 }],
      ['p', 's', 20, { N: '16' }],
      ['p', 's', 20, { N: 2 ** 20 }],
      ['p', 's', 20, { maxmem: 1000 }],
      ['p', 's', 20, { maxmem: null }],
      ['p', 's', 20, null],
      ['p', 's', 0, { N: 16 }],
      [null, 's', 20],
    ],
    hkdf: [
      ['sha256', 'key', 'salt', 'info', 42],
      ['SHA512', bytes, new Uint8Array(0), bytes.subarray(0, 1024), 64],
      ['sha256', crypto.createSecretKey(bytes), bytes.buffer.slice(0, 8), '', 32],
      ['sha256', 'key', 'salt', bytes.subarray(0, 1025), 42],
      ['sha256', 'key', 'salt', 'info', 255 * 32 + 1],
      ['sha256', 'key', 'salt', 'info', 0],
      ['nope', 'key', 'salt', 'info', 42],
      ['sha256', 5, 'salt', 'info', 42],
    ],
    argon2: [
      ['argon2id', parameters()],
      ['argon2i', parameters({ secret: 'pepper', associatedData: bytes.subarray(0, 9) })],
      ['argon2d', parameters({ parallelism: 2, memory: 64 })],
      ['argon2id', parameters({ memory: 8, parallelism: 2 })],
      ['argon2id', parameters({ nonce: 'short' })],
      ['argon2', parameters()],
      ['argon2id', undefined],
      ['argon2id', parameters({ passes: 0 })],
    ],
  };

  for (const [name, table] of Object.entries(calls)) {
    const skip = crypto[name] === undefined && `this Node.js has no crypto.${name}`;
    test(`${name}: synchronous, with a callback, promisified`, { skip }, async () => {
      for (const given of table) {
        const what = `${name} ${given.map((each) => JSON.stringify(each)).join()}`;
        await same((lib) => lib[`${name}Sync`](...given), what);
        await same((lib) => promisify(lib[name])(...given), what);
      }
      await same((lib) => lib[name](...table[0]));
      await same((lib) => lib[name](...table[0], 'no function'));
    });
  }

  test('getters of options run once, and both libraries see the same values', () => {
    const options = (values) => {
      let reads = 0;
      return Object.defineProperty({ reads: () => reads }, 'N', { get: () => values[reads++] });
    };
    const refused = options(['', 16]);
    assert.throws(() => own.scryptSync('p', 's', 8, refused), { code: 'ERR_INVALID_ARG_TYPE' });
    assert.equal(refused.reads(), 1);
    const taken = options([16, '']);
    assert.equal(own.scryptSync('p', 's', 8, taken).length, 8);
    assert.equal(taken.reads(), 1);
  });
});

function parameters(more) {
  const cost = { parallelism: 1, tagLength: 32, memory: 32, passes: 2 };
  return { message: 'm', nonce: 'n'.repeat(16), ...cost, ...more };
}

describe('millrace/register', () => {
  const log = { MILLRACE_REGISTER_LOG: '1' };
  const expected = 'ba7816bf';
  /** Prints the first digits of a digest; `createHash` is defined before it. */
  const printing = `console.log(createHash('sha256').update('abc').digest('hex').slice(0, 8));`;
  /** Runs a program with millrace/register, which must succeed. */
  const registered = async (source, options) => {
    const flags = options.esm ? ['--import', registerUrl] : ['--require', registerFile];
    const { code, stdout, stderr } = await run(source, { bare: true, flags, ...options });
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };
  const server = native ? 'Millrace' : 'Node.js';
  const served = (count, call) => new RegExp(`^ +${count} {2}${server} +${call}$`, 'm');

  for (const name of ['crypto', 'node:crypto'])
    test(`--require, require('${name}')`, async () => {
      const source = `const { createHash } = require('${name}'); ${printing}`;
      const { stdout, stderr } = await registered(source, { env: log });
      assert.match(stdout, new RegExp(expected));
      assert.match(stderr, served(1, 'createHash sha256'));
    });

  test('--import, named and default imports', async () => {
    const { stdout, stderr } = await registered(
      `import { createHash, randomBytes, scryptSync } from 'node:crypto';
       import crypto, { createHmac } from 'crypto';
       ${printing}
       crypto.createHash('MD5').update('abc').digest();
       createHmac('sha1', 'k').digest();
       createHash('sha256');
       randomBytes(8);
       crypto.createHash('sm3');
       scryptSync('a password', 'salt', 8, { N: 16 });`,
      { esm: true, env: log },
    );
    assert.match(stdout, new RegExp(expected));
    assert.match(stderr, served(2, 'createHash sha256'));
    for (const call of ['createHash md5', 'createHmac sha1', 'scryptSync'])
      assert.match(stderr, served(1, call));
    assert.match(stderr, /^ +1 {2}Node\.js +randomBytes$/m);
    assert.match(stderr, /^ +1 {2}Node\.js +createHash sm3$/m);
    assert.doesNotMatch(stderr, /password/);
  });

  test('asymmetric keys: served from their second use on', async () => {
    const { stdout, stderr } = await registered(
      `import crypto from 'node:crypto';
       import { promisify } from 'node:util';
       const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519');
       const { privateKey: other } = await promisify(crypto.generateKeyPair)('rsa', { modulusLength: 2048 });
       const pem = other.export({ format: 'pem', type: 'pkcs8' });
       const signatures = [1, 2, 3].map(() => crypto.sign(null, Buffer.from('a'), privateKey));
       const verdicts = signatures.map((each) => crypto.verify(null, Buffer.from('a'), publicKey, each));
       for (let count = 0; count < 3; count++) {
         crypto.createSign('RSA-SHA256').update('a').sign(crypto.createPrivateKey(pem));
         crypto.createVerify('RSA-SHA256').update('a').verify(pem, 'AA', 'base64');
       }
       crypto.createSign('sha256').update('a').sign(crypto.generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey);
       console.log(new Set(signatures.map(String)).size, verdicts.join());`,
      { esm: true, env: log },
    );
    assert.match(stdout, /1 true,true,true/);
    for (const call of ['sign', 'verify', 'Sign.sign rsa-sha256', 'Verify.verify rsa-sha256']) {
      if (!native) continue;
      assert.match(stderr, served(2, call));
      assert.match(stderr, new RegExp(`^ +1 {2}Node\\.js +${call}$`, 'm'));
    }
    assert.match(stderr, new RegExp(`${server} +createPrivateKey$`, 'm'));
    assert.match(stderr, served(1, 'generateKeyPair rsa'));
    assert.match(stderr, /^ +1 {2}Node\.js +Sign\.sign sha256$/m);
    assert.doesNotMatch(stderr, /PRIVATE/);
  });

  test('nothing of Millrace is loaded before the first call', async () => {
    const { stdout } = await registered(
      `const crypto = require('node:crypto');
       const { createHash, Hash, Cipheriv } = crypto;
       const loaded = () => Object.keys(require.cache).some((file) => file.endsWith('core.js'));
       const before = loaded();
       class Derived extends Hash {}
       // As programs that trace calls do.
       const { createHmac } = crypto;
       const traced = (crypto.createHmac = (...given) => createHmac(...given));
       const digests = [
         createHash('sha256'),
         new Derived('sha256'),
         new Hash('sha256'),
         crypto.createHash('sha256'),
         createHash('sha256'),
       ].map((hash) => [hash instanceof Hash, hash.update('abc').digest('hex').slice(0, 8)]);
       console.log(JSON.stringify({
         before, after: loaded(), digests,
         names: [createHash, crypto.createHash].map(({ name, length }) => [name, length]),
         cipher: Cipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)) instanceof Cipheriv,
         traced: crypto.createHmac === traced,
         hmac: crypto.createHmac('sha256', 'k').update('abc').digest('hex').slice(0, 8),
       }));`,
      {},
    );
    const { name, length } = crypto.createHash;
    assert.deepEqual(JSON.parse(stdout), {
      before: false,
      after: true,
      digests: Array.from({ length: 5 }, () => [true, expected]),
      names: Array.from({ length: 2 }, () => [name, length]),
      cipher: true,
      traced: true,
      hmac: crypto.createHmac('sha256', 'k').update('abc').digest('hex').slice(0, 8),
    });
  });

  test('Millrace beside it does not call itself', async () => {
    const nodeCrypto = JSON.stringify(require.resolve('millrace/node-crypto'));
    const { stdout, stderr } = await registered(
      `const crypto = require('crypto');
       const key = crypto.createSecretKey(Buffer.alloc(32, 1));
       const one = crypto.createHmac('sha256', key).update('a').digest('hex');
       const two = millrace.hmac('sha256', key, 'a', 'hex');
       const three = require(${nodeCrypto}).createHash('sha256').update('a').digest('hex');
       console.log(one === two, three === millrace.hash('sha256', 'a', 'hex'));`,
      { bare: false },
    );
    assert.equal(stdout.trim(), 'true true');
    assert.equal(stderr, '');
  });
});
