// Asymmetric keys of millrace/webcrypto beside the platform's: signatures and secrets of one that
// the other takes, exports, results and errors; ML-DSA and ML-KEM also where the platform lacks
// them, beside Millrace's own functions.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import * as millrace from 'millrace';
import { CryptoKey, subtle as subtleHere } from 'millrace/webcrypto';

import { entryPaths, run } from '../support/child.mjs';

const subtle = subtleHere;
const theirs = globalThis.crypto.subtle;
const native = process.env.MILLRACE_ENGINE !== 'portable';
const nativeOnly = !native && 'the portable engine has no asymmetric keys';
/** The platform has the modern algorithms. */
const isModern = 'supports' in theirs.constructor;
const message = Buffer.from('a message of some bytes');
const RSA = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' };
const EC = ['P-256', 'P-384', 'P-521'];

/** Resolves to what a call does: its result, or the error's class and name. */
async function outcome(promise) {
  try {
    const value = await promise;
    return value instanceof ArrayBuffer ? Buffer.from(value).toString('hex') : value;
  } catch (error) {
    return [Object.prototype.toString.call(error), error.name];
  }
}

async function same(call, what = String(call)) {
  const expected = await outcome(call(theirs));
  assert.deepEqual(await outcome(call(subtle)), expected, what);
  return expected;
}

/** The algorithms that sign: of their keys, and of signatures. */
const signers = [
  ...EC.flatMap((namedCurve) =>
    ['SHA-1', 'SHA-256', 'SHA-512'].map((hash) => [
      { name: 'ECDSA', namedCurve },
      { name: 'ECDSA', hash },
    ]),
  ),
  [{ name: 'Ed25519' }, 'Ed25519'],
  ...['SHA-1', 'SHA-256', 'SHA-384'].map((hash) => [
    { ...RSA, name: 'RSASSA-PKCS1-v1_5', hash },
    'RSASSA-PKCS1-v1_5',
  ]),
  ...[0, 20, 32, 222].map((saltLength) => [
    { ...RSA, name: 'RSA-PSS' },
    { name: 'RSA-PSS', saltLength },
  ]),
  [
    { ...RSA, name: 'RSA-PSS', modulusLength: 1024 },
    { name: 'RSA-PSS', saltLength: 32 },
  ],
  ...(isModern ? ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'] : []).flatMap((name) => [
    [{ name }, name],
    [{ name }, { name, context: Buffer.from('a context') }],
  ]),
];
const agreers = [...EC.map((namedCurve) => ({ name: 'ECDH', namedCurve })), { name: 'X25519' }];
const OAEP = { ...RSA, name: 'RSA-OAEP' };

/** Returns the attributes of a key. */
const shown = ({ type, extractable, algorithm, usages }) => ({
  type,
  extractable,
  algorithm,
  usages,
});

/** Exports a key by the platform in every format that it has. */
async function exported(key, library = theirs) {
  const found = {};
  for (const format of ['raw', 'raw-public', 'raw-seed', 'spki', 'pkcs8', 'jwk'])
    found[format] = await outcome(library.exportKey(format, key));
  return found;
}

/** Imports the keys of a pair, in every format that they have. */
async function* reimported(library, { privateKey, publicKey }, algorithm, extractable) {
  for (const key of [privateKey, publicKey])
    for (const format of ['raw', 'raw-public', 'raw-seed', 'spki', 'pkcs8', 'jwk']) {
      const data = await library.exportKey(format, key).catch(() => undefined);
      if (data === undefined) continue;
      const given = [format, data, algorithm, extractable || key === publicKey, key.usages];
      yield [key, await library.importKey(...given), format];
    }
}

describe('beside the platform', { skip: nativeOnly }, () => {
  for (const [keyed, algorithm] of signers)
    test(`${JSON.stringify(keyed)} signs by ${JSON.stringify(algorithm)}`, async () => {
      const usages = ['sign', 'verify'];
      const pairs = await Promise.all(
        [subtle, theirs].map((each) => each.generateKey(keyed, true, usages)),
      );
      assert.deepEqual(...pairs.map(({ privateKey }) => shown(privateKey)));
      assert.deepEqual(...pairs.map(({ publicKey }) => shown(publicKey)));
      for (const pair of pairs) {
        const { publicKey } = pair;
        for await (const [key, imported, format] of reimported(subtle, pair, keyed, true)) {
          assert.deepEqual(shown(imported), shown(key), format);
          assert.deepEqual(await exported(imported), await exported(key), format);
        }
        for await (const [key, privateKey] of reimported(subtle, pair, keyed, false)) {
          if (key.type === 'public') continue;
          const signature = await subtle.sign(algorithm, privateKey, message);
          assert.equal(await theirs.verify(algorithm, publicKey, signature, message), true);
        }
        const signature = await theirs.sign(algorithm, pair.privateKey, message);
        const changed = Buffer.from(signature.slice());
        changed[changed.length >> 1] ^= 1;
        const zero = Buffer.alloc(1);
        for (const each of [
          signature,
          changed,
          Buffer.concat([zero, Buffer.from(signature)]),
          signature.slice(1),
          Buffer.alloc(signature.byteLength),
          Buffer.alloc(0),
        ])
          for (const data of [message, Buffer.alloc(0), new Uint8Array(message).buffer])
            await same((lib) => lib.verify(algorithm, publicKey, each, data));
        assert.equal(await subtle.verify(algorithm, publicKey, signature, message), true);
      }
    });

  for (const algorithm of agreers)
    test(`${JSON.stringify(algorithm)} agrees`, async () => {
      const generate = (lib) => lib.generateKey(algorithm, true, ['deriveKey', 'deriveBits']);
      const [own, other] = await Promise.all([subtle, theirs].map(generate));
      for await (const [key, imported, format] of reimported(subtle, own, algorithm, true))
        assert.deepEqual(await exported(imported), await exported(key), format);
      for (const [{ privateKey }, { publicKey }] of [
        [own, other],
        [other, own],
        [own, own],
      ]) {
        const given = { ...algorithm, public: publicKey };
        for (const length of [null, undefined, 0, 8, 12, 128, 256, 384, 528, 536, 2 ** 32])
          await same((lib) => lib.deriveBits(given, privateKey, length), `${length} bits`);
        for (const [type, usages] of [
          [{ name: 'AES-GCM', length: 128 }, ['encrypt']],
          [{ name: 'AES-CBC', length: 256 }, ['encrypt']],
          [{ name: 'HMAC', hash: 'SHA-256', length: 160 }, ['sign']],
          [{ name: 'HMAC', hash: 'SHA-512' }, ['sign']],
          [{ name: 'AES-GCM', length: 7 }, ['encrypt']],
          [{ name: 'AES-GCM', length: 128 }, []],
        ])
          await same(async (lib) => {
            const key = await lib.deriveKey(given, privateKey, type, true, usages);
            return lib.exportKey('raw', key);
          }, JSON.stringify(type));
        const key = await subtle.deriveKey(given, privateKey, 'HKDF', false, ['deriveBits']);
        const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: message, info: message };
        await same((lib) => lib.deriveBits(hkdf, key, 256));
      }
      for (const peer of [own.privateKey, {}, undefined])
        await same((lib) => lib.deriveBits({ ...algorithm, public: peer }, own.privateKey, 128));
      await same((lib) =>
        lib.deriveBits({ ...algorithm, public: own.publicKey }, own.publicKey, 128),
      );
      const { publicKey } = await theirs.generateKey(
        agreers.at(algorithm === agreers[0] ? 1 : 0),
        true,
        ['deriveBits'],
      );
      await same((lib) => lib.deriveBits({ ...algorithm, public: publicKey }, own.privateKey, 128));
    });

  test('RSA-OAEP encrypts, wraps and unwraps', async () => {
    const usages = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
    for (const hash of ['SHA-1', 'SHA-256', 'SHA-512']) {
      const generate = (lib) => lib.generateKey({ ...OAEP, hash }, true, usages);
      const [own, other] = await Promise.all([subtle, theirs].map(generate));
      assert.deepEqual(...[own, other].map(({ privateKey }) => shown(privateKey)));
      for (const { privateKey, publicKey } of [own, other])
        for (const label of [undefined, message]) {
          const algorithm = label ? { name: 'RSA-OAEP', label } : 'RSA-OAEP';
          for (const [from, to] of [
            [subtle, theirs],
            [theirs, subtle],
          ]) {
            const sealed = await from.encrypt(algorithm, publicKey, message);
            assert.equal(
              Buffer.compare(Buffer.from(await to.decrypt(algorithm, privateKey, sealed)), message),
              0,
            );
            const changed = sealed.slice();
            new Uint8Array(changed)[99] ^= 1;
            await same((lib) => lib.decrypt(algorithm, privateKey, changed));
            await same((lib) => lib.decrypt(algorithm, privateKey, sealed.slice(1)));
            await same((lib) => lib.decrypt('RSA-OAEP', privateKey, sealed));
            for (const [type, uses, format] of [
              [{ name: 'AES-CBC', length: 256 }, ['encrypt'], 'raw'],
              [{ name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign'], 'raw'],
              [{ name: 'AES-GCM', length: 128 }, ['encrypt'], 'jwk'],
            ]) {
              const key = await from.generateKey(type, true, uses);
              const wrapped = await outcome(from.wrapKey(format, key, publicKey, algorithm));
              if (Array.isArray(wrapped)) continue;
              const bytes = Buffer.from(wrapped, 'hex');
              const given = [format, bytes, privateKey, algorithm, type, true, uses];
              const unwrapped = await to.unwrapKey(...given);
              assert.deepEqual(await exported(unwrapped), await exported(key));
              bytes[100] ^= 1;
              await same((lib) => lib.unwrapKey(...given));
            }
          }
        }
      await same((lib) => lib.encrypt('RSA-OAEP', own.publicKey, Buffer.alloc(256)));
      await same((lib) => lib.encrypt('RSA-OAEP', own.privateKey, message));
      await same((lib) => lib.decrypt('RSA-OAEP', own.publicKey, message));
    }
  });

  test('Ed25519: points of small order get the verdict of the platform', async () => {
    const points = ['00', '01', 'ec', 'ed', 'ee', 'ff'].flatMap((y) => {
      const middle = (y < '02' ? '00' : 'ff').repeat(30);
      return ['7f', 'ff', '00'].map((last) => Buffer.from(`${y}${middle}${last}`, 'hex'));
    });
    for (const point of points) {
      const key = await theirs
        .importKey('raw', point, 'Ed25519', true, ['verify'])
        .catch(() => undefined);
      await same(async (lib) =>
        shown(await lib.importKey('raw', point, 'Ed25519', true, ['verify'])),
      );
      if (key === undefined) continue;
      for (const first of points)
        await same((lib) => {
          const signature = Buffer.concat([first, Buffer.alloc(32)]);
          return lib.verify('Ed25519', key, signature, message);
        });
    }
  });

  test('calls that are not valid have the errors of the platform', async () => {
    const ec = { name: 'ECDSA', namedCurve: 'P-256' };
    const { privateKey, publicKey } = await subtle.generateKey(ec, false, ['sign', 'verify']);
    const p384 = { ...ec, namedCurve: 'P-384' };
    const other = await subtle.generateKey(p384, true, ['sign']);
    const [pkcs8, jwk] = await Promise.all(
      ['pkcs8', 'jwk'].map((format) => theirs.exportKey(format, other.privateKey)),
    );
    const use = { name: 'ECDSA', hash: 'SHA-256' };
    const rsa = { ...RSA, name: 'RSA-PSS' };
    const sizes = [0, 512, 1024, 2049, 3.5, 2 ** 40];
    const calls = [
      (lib) => lib.sign(use, publicKey, message),
      (lib) => lib.sign(use, other.publicKey, message),
      (lib) => lib.sign('ECDSA', privateKey, message),
      (lib) => lib.sign({ name: 'ECDSA', hash: 'no hash' }, privateKey, message),
      (lib) => lib.sign(use, privateKey, 'text'),
      (lib) => lib.sign(use, privateKey),
      (lib) => lib.sign('Ed25519', privateKey, message),
      (lib) => lib.verify(use, publicKey, 'text', message),
      (lib) => lib.verify(use, privateKey, message, message),
      (lib) => lib.verify(use, Object.create(CryptoKey.prototype), message, message),
      (lib) => lib.exportKey('pkcs8', privateKey),
      (lib) => lib.exportKey('pkcs8', publicKey),
      (lib) => lib.importKey('pkcs8', pkcs8, ec, true, ['sign']),
      (lib) => lib.importKey('pkcs8', pkcs8, p384, true, ['verify']),
      (lib) => lib.importKey('pkcs8', pkcs8, p384, true, []),
      (lib) => lib.importKey('spki', pkcs8, p384, true, ['verify']),
      (lib) => lib.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']),
      (lib) => lib.importKey('pkcs8', pkcs8, { ...rsa }, true, ['sign']),
      (lib) => lib.importKey('pkcs8', pkcs8.slice(1), p384, true, ['sign']),
      (lib) => lib.importKey('jwk', jwk, ec, true, ['sign']),
      (lib) => lib.importKey('jwk', { ...jwk, x: 'AA' }, p384, true, ['sign']),
      (lib) => lib.importKey('jwk', { ...jwk, ext: false }, p384, true, ['sign']),
      (lib) => lib.importKey('jwk', { ...jwk, kty: 'OKP' }, p384, true, ['sign']),
      (lib) => lib.importKey('raw', Buffer.alloc(65, 4), ec, true, ['verify']),
      (lib) => lib.importKey('raw', Buffer.alloc(31), 'Ed25519', true, ['verify']),
      (lib) => lib.importKey('raw', Buffer.alloc(31), 'X25519', true, []),
      (lib) => lib.generateKey(ec, true, []),
      (lib) => lib.generateKey(ec, true, ['verify']),
      (lib) => lib.generateKey(ec, true, ['sign', 'encrypt']),
      (lib) => lib.generateKey(ec, true, ['none']),
      (lib) => lib.generateKey({ ...ec, namedCurve: 'p-256' }, true, ['sign']),
      (lib) => lib.generateKey({ name: 'ECDSA' }, true, ['sign']),
      (lib) => lib.generateKey({ name: 'RSA-PSS' }, true, ['sign']),
      ...sizes.map(
        (modulusLength) => (lib) => lib.generateKey({ ...rsa, modulusLength }, true, []),
      ),
      ...[[], [0], [2], [4]].map(
        (bytes) => (lib) =>
          lib.generateKey({ ...rsa, publicExponent: Uint8Array.from(bytes) }, true, ['sign']),
      ),
      (lib) => lib.generateKey({ ...rsa, publicExponent: 65537 }, true, ['sign']),
    ];
    for (const call of calls) await same(call);
    await same(async (lib) => {
      const key = await lib.importKey(
        'jwk',
        { ...jwk, d: undefined, key_ops: undefined },
        p384,
        true,
        ['verify'],
      );
      return shown(key);
    });
  });

  test('keys that are not extractable are served if Millrace has seen them', async () => {
    const { stderr } = await run(
      `const ec = { name: 'ECDSA', namedCurve: 'P-256' };
       const use = { name: 'ECDSA', hash: 'SHA-256' };
       const { subtle } = crypto;
       const bytes = new Uint8Array(9);
       // Usages that are no array are the platform's.
       for (const usages of [['sign', 'verify'], new Set(['sign', 'verify'])]) {
         const { privateKey, publicKey } = await subtle.generateKey(ec, false, usages);
         const signature = await subtle.sign(use, privateKey, bytes);
         await subtle.verify(use, publicKey, signature, bytes);
       }`,
      {
        bare: true,
        esm: true,
        env: { MILLRACE_REGISTER_LOG: '1' },
        flags: ['--import', import.meta.resolve('millrace/register-webcrypto')],
      },
    );
    assert.match(stderr, /1 {2}Millrace {2}subtle\.sign ecdsa/);
    assert.match(stderr, /1 {2}Node\.js {3}subtle\.sign ecdsa/);
    assert.match(stderr, /2 {2}Millrace {2}subtle\.verify ecdsa/);
  });
});

/** Those of browsers, with their engine, which load the code of asymmetric keys when it is used. */
const bundle = new URL('browser/webcrypto.mjs', pathToFileURL(entryPaths.millrace));
const { subtle: inBrowsers } = await import(bundle);

for (const [title, subtle] of [
  ['millrace/webcrypto', subtleHere],
  ['millrace/webcrypto in browsers', inBrowsers],
])
  describe(`the modern algorithms by ${title}`, () => {
    const KEM = ['encapsulateKey', 'encapsulateBits', 'decapsulateKey', 'decapsulateBits'];

    for (const name of ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'])
      test(`${name} signs as Millrace does`, async () => {
        const pair = await subtle.generateKey(name, true, ['sign', 'verify']);
        const spki = Buffer.from(await subtle.exportKey('spki', pair.publicKey));
        const jwk = await subtle.exportKey('jwk', pair.privateKey);
        const context = Buffer.from('a context');
        for (const given of [{}, { context }]) {
          const signature = await subtle.sign({ name, ...given }, pair.privateKey, message);
          const verify = (data) => millrace.verify(null, data, spki, Buffer.from(signature), given);
          assert.deepEqual([verify(message), verify(spki)], [true, false]);
          const own = millrace.sign(null, message, { key: jwk, ...given });
          assert.equal(await subtle.verify({ name, ...given }, pair.publicKey, own, message), true);
          assert.equal(await subtle.verify(name, pair.publicKey, own, spki), false);
        }
        await assert.rejects(
          subtle.sign({ name, context: Buffer.alloc(256) }, pair.privateKey, message),
          {
            name: 'OperationError',
          },
        );
      });

    for (const name of ['ML-KEM-512', 'ML-KEM-768', 'ML-KEM-1024'])
      test(`${name} encapsulates as Millrace does`, async () => {
        const pair = await subtle.generateKey(name, true, KEM);
        const jwk = await subtle.exportKey('jwk', pair.privateKey);
        const spki = Buffer.from(await subtle.exportKey('spki', pair.publicKey));
        const { sharedKey, ciphertext } = await subtle.encapsulateBits(name, pair.publicKey);
        assert.deepEqual(
          millrace.decapsulate(jwk, Buffer.from(ciphertext)),
          Buffer.from(sharedKey),
        );
        const own = millrace.encapsulate(spki);
        const bits = await subtle.decapsulateBits(name, pair.privateKey, own.ciphertext);
        assert.deepEqual(Buffer.from(bits), own.sharedKey);
        for (const [type, usages] of [
          [{ name: 'AES-GCM' }, ['encrypt']],
          [{ name: 'AES-CBC' }, ['encrypt']],
          [{ name: 'HMAC', hash: 'SHA-256' }, ['sign']],
          [{ name: 'KMAC128' }, ['sign']],
        ]) {
          const made = await subtle.encapsulateKey(name, pair.publicKey, type, true, usages);
          const given = [name, pair.privateKey, made.ciphertext, type, true, usages];
          const found = await subtle.decapsulateKey(...given);
          const [left, right] = await Promise.all(
            [made.sharedKey, found].map((key) => subtle.exportKey('jwk', key)),
          );
          assert.deepEqual(left, right, type.name);
          assert.equal(
            Buffer.from(left.k, 'base64url').compare(
              millrace.decapsulate(jwk, Buffer.from(made.ciphertext)),
            ),
            0,
          );
        }
        for (const [call, error] of [
          [() => subtle.decapsulateBits(name, pair.privateKey, Buffer.alloc(9)), 'OperationError'],
          [() => subtle.decapsulateBits(name, pair.publicKey, ciphertext), 'InvalidAccessError'],
          [() => subtle.encapsulateBits(name, pair.privateKey), 'InvalidAccessError'],
          [() => subtle.encapsulateBits(name, {}), 'TypeError'],
          [() => subtle.encapsulateBits(name), 'TypeError'],
          [() => subtle.encapsulateBits.call({}, name, pair.publicKey), 'TypeError'],
          [() => subtle.encapsulateBits('ML-KEM-5', pair.publicKey), 'NotSupportedError'],
        ])
          await assert.rejects(call, ({ name: found }) => found === error, String(call));
        if (!isModern) return;
        const secret = await theirs.decapsulateBits(name, pair.privateKey, ciphertext);
        assert.deepEqual(secret, sharedKey);
        const theirOwn = await theirs.encapsulateBits(name, pair.publicKey);
        assert.deepEqual(
          await subtle.decapsulateBits(name, pair.privateKey, theirOwn.ciphertext),
          theirOwn.sharedKey,
        );
      });

    test('keys in every format', async () => {
      for (const [name, usages] of [
        ['ML-DSA-44', ['sign', 'verify']],
        ['ML-KEM-768', KEM],
      ]) {
        const pair = await subtle.generateKey(name, true, usages);
        assert.ok(pair.publicKey instanceof CryptoKey);
        for await (const [key, imported, format] of reimported(subtle, pair, name, true)) {
          assert.deepEqual(shown(imported), shown(key), format);
          assert.deepEqual(await exported(imported, subtle), await exported(key, subtle), format);
        }
        const publicUsages = pair.publicKey.usages;
        const found = await subtle.getPublicKey(pair.privateKey, publicUsages);
        assert.deepEqual(shown(found), shown(pair.publicKey));
        await assert.rejects(subtle.getPublicKey(pair.privateKey, ['encrypt']), {
          name: 'SyntaxError',
        });
        await assert.rejects(subtle.getPublicKey(pair.publicKey, []), {
          name: 'InvalidAccessError',
        });
        const jwk = await subtle.exportKey('jwk', pair.privateKey);
        const bad = [
          ['jwk', { ...jwk, alg: 'ML-DSA-87' }, 'DataError'],
          ['jwk', { ...jwk, pub: jwk.priv }, 'DataError'],
          ['jwk', { ...jwk, kty: 'OKP' }, 'DataError'],
          ['raw-seed', Buffer.alloc(7), 'DataError'],
          ['pkcs8', Buffer.alloc(99), 'DataError'],
          ['raw', Buffer.alloc(32), 'NotSupportedError'],
        ];
        for (const [format, data, error] of bad)
          await assert.rejects(
            subtle.importKey(format, data, name, true, pair.privateKey.usages),
            ({ name: code }) => code === error,
            `${format} ${error}`,
          );
      }
    });
  });

test('in browsers the platform has the keys of its algorithms', async () => {
  for (const [algorithm, usages] of [
    ...signers.filter(([{ name }]) => !name.startsWith('ML')).map(([each]) => [each, ['sign']]),
    ...agreers.map((each) => [each, ['deriveBits']]),
    [OAEP, ['decrypt']],
  ]) {
    const { privateKey } = await inBrowsers.generateKey(algorithm, false, usages);
    assert.deepEqual(shown(structuredClone(privateKey)), shown(privateKey));
  }
  const lacking = { name: 'ECDSA', namedCurve: 'K-256' };
  const refused = [inBrowsers, theirs].map((each) =>
    each.generateKey(lacking, true, ['sign']).catch(({ name }) => name),
  );
  assert.deepEqual(await Promise.all(refused), ['NotSupportedError', 'NotSupportedError']);
});

describe('keys of the platform', { skip: nativeOnly }, () => {
  test('getPublicKey of keys that the platform has', async () => {
    for (const [algorithm, usage] of [
      [{ name: 'ECDSA', namedCurve: 'P-384' }, 'verify'],
      [{ ...RSA, name: 'RSA-PSS' }, 'verify'],
      [{ name: 'Ed25519' }, 'verify'],
    ]) {
      const pair = await subtle.generateKey(algorithm, false, ['sign', usage]);
      const found = await subtle.getPublicKey(pair.privateKey, [usage]);
      assert.deepEqual(shown(found), shown(pair.publicKey));
      assert.deepEqual(await exported(found), await exported(pair.publicKey));
    }
    const secret = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
    for (const key of [secret, {}, undefined])
      await assert.rejects(subtle.getPublicKey(key, []), /Error/);
  });
});
