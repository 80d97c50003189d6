// Asymmetric keys of millrace/node-crypto beside node:crypto: the same results, verdicts and errors
// for keys in every form, with every option, in both styles.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { inspect, promisify } from 'node:util';

import own from 'millrace/node-crypto';

import { vectors } from '../support/vectors.mjs';

const native = process.env.MILLRACE_ENGINE !== 'portable';
const { generateKeyPairSync } = crypto;

/** Generates a pair, undefined if this version of Node.js has no such keys. */
function pairOf(type, options) {
  try {
    return generateKeyPairSync(type, options);
  } catch {
    return undefined;
  }
}

const pairs = Object.fromEntries(
  Object.entries({
    rsa: pairOf('rsa', { modulusLength: 2048 }),
    'small rsa': pairOf('rsa', { modulusLength: 1024 }),
    'rsa, exponent 3': pairOf('rsa', { modulusLength: 2048, publicExponent: 3 }),
    'rsa-pss': pairOf('rsa-pss', { modulusLength: 2048 }),
    'rsa-pss, sha256': pairOf('rsa-pss', {
      modulusLength: 2048,
      hashAlgorithm: 'sha256',
      mgf1HashAlgorithm: 'sha256',
      saltLength: 24,
    }),
    'p-256': pairOf('ec', { namedCurve: 'P-256' }),
    'p-384': pairOf('ec', { namedCurve: 'P-384' }),
    'p-521': pairOf('ec', { namedCurve: 'P-521' }),
    secp256k1: pairOf('ec', { namedCurve: 'secp256k1' }),
    'explicit p-256': pairOf('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }),
    ed25519: pairOf('ed25519'),
    ed448: pairOf('ed448'),
    x25519: pairOf('x25519'),
    dsa: pairOf('dsa', { modulusLength: 2048, divisorLength: 256 }),
    'ml-dsa-44': pairOf('ml-dsa-44'),
    'ml-dsa-65': pairOf('ml-dsa-65'),
    'ml-kem-768': pairOf('ml-kem-768'),
  }).filter(([, pair]) => pair !== undefined),
);
const others = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed25519: generateKeyPairSync('ed25519'),
};

const message = Buffer.from('a message of some bytes');

/** Describes an outcome, so that those of both libraries can be compared. */
function outcome(call) {
  try {
    const value = call();
    return Buffer.isBuffer(value) ? ['Buffer', value.length, value.buffer.byteLength] : value;
  } catch (error) {
    return shownError(error);
  }
}

function shownError({ constructor, name, code, message: text, reason, library }) {
  // OpenSSL's errors have the address of their thread.
  const plain = text.replace(/error:[0-9A-F]+:/, 'error:');
  return [constructor.name, name, code, plain, reason, library];
}

/** Resolves to the outcome of a call with a callback. */
function later(call) {
  return new Promise((resolve) => {
    try {
      call((error, value) => {
        if (error) resolve(shownError(error));
        else resolve(outcome(() => value));
      });
    } catch (error) {
      resolve(shownError(error));
    }
  });
}

/** Compares outcomes. A KeyObject is served from its second use on. */
function same(call, what) {
  const expected = outcome(() => call(crypto));
  for (let use = 0; use < 2; use++)
    assert.deepEqual(
      outcome(() => call(own)),
      expected,
      what,
    );
  return expected;
}

/** The signature's size varies. */
const isDerSize = (name, how) =>
  /^(?:p-|secp|explicit|dsa)/.test(name) && how?.dsaEncoding !== 'ieee-p1363';

const algorithms = [
  ...'sha256 RSA-SHA256 SHA512 sha1 md5 sha3-256 ripemd160 sha512-256 shake128 none'.split(' '),
  null,
  undefined,
  'no such hash',
  5,
  '',
];
const parameters = [
  {},
  ...['der', 'ieee-p1363', 'raw', null].map((dsaEncoding) => ({ dsaEncoding })),
  { context: Buffer.from('a context') },
  { padding: 6, saltLength: -1 },
];
const rsaParameters = [
  ...parameters,
  { saltLength: 20 },
  ...[1, 3, 4, 5, 6, 'pss', null].map((padding) => ({ padding })),
  ...[-4, -3, -2, 0, 20, 24, 32, 222, 300, 1.5, '20', null].map((saltLength) => ({
    padding: 6,
    saltLength,
  })),
];

/** Returns true if Node.js verifies a signature. */
function isRight(algorithm, key, signature) {
  return crypto.verify(algorithm, message, key, signature);
}

for (const [name, { privateKey, publicKey }] of Object.entries(pairs))
  test(`${name}: sign and verify as Node.js does, with every hash and parameter`, () => {
    for (const algorithm of algorithms)
      for (const how of name.includes('rsa') ? rsaParameters : parameters) {
        // All hashes with the first ones, all parameters with some hashes.
        if (Object.keys(how).length > 0 && !['sha256', 'SHA512', null].includes(algorithm))
          continue;
        const what = `${name} ${algorithm} ${JSON.stringify(how)}`;
        const key = { key: privateKey, ...how };
        const shown = { key: publicKey, ...how };
        const signed = (lib) => lib.sign(algorithm, message, key);
        const expected = outcome(() => signed(crypto));
        for (let use = 0; use < 2; use++) {
          const found = outcome(() => signed(own));
          const free = expected[0] === 'Buffer' && isDerSize(name, how);
          if (free) assert.equal(found[0], 'Buffer', what);
          else assert.deepEqual(found, expected, what);
        }
        if (expected[0] !== 'Buffer') {
          same((lib) => lib.verify(algorithm, message, shown, message), what);
          continue;
        }
        const signature = signed(own);
        const theirs = signed(crypto);
        const verdict = outcome(() => isRight(algorithm, shown, theirs));
        assert.deepEqual(
          outcome(() => isRight(algorithm, shown, signature)),
          verdict,
          what,
        );
        const changed = Buffer.from(theirs);
        changed[changed.length >> 1] ^= 1;
        for (const each of [theirs, changed, theirs.subarray(1), Buffer.alloc(0)]) {
          same((lib) => lib.verify(algorithm, message, shown, each), what);
          same((lib) => lib.verify(algorithm, 'another', shown, each), what);
          // The public key in a private one.
          same((lib) => lib.verify(algorithm, message, key, each), what);
        }
        if (typeof algorithm !== 'string') continue;
        for (const each of [theirs, changed]) {
          same((lib) => lib.createVerify(algorithm).update(message).verify(shown, each), what);
          const hex = each.toString('hex');
          same((lib) => lib.createVerify(algorithm).end(message).verify(shown, hex, 'hex'), what);
        }
        same((lib) => {
          const streamed = lib.createSign(algorithm).update(message).sign(key);
          return isRight(algorithm, shown, streamed);
        }, what);
      }
  });

/** Ways to wrap a key in PEM, and in DER of a type. */
const pemForms = [
  (text) => text,
  (text) => Buffer.from(text),
  (text) => `before\n${text.replaceAll('\n', '\r\n')}`,
  (text) => text.slice(0, -40),
  (text) => ({ key: text, passphrase: 'not needed' }),
  (key) => Object.create({ key }),
  (text) => ({
    get key() {
      return text;
    },
  }),
  (key) => new Proxy({ key }, {}),
];
const derForms = [
  (bytes) => bytes,
  (key, type) => ({ key, format: 'der', type }),
  (key) => ({ key, format: 'der', type: 'spki' }),
  (bytes, type) => ({ key: bytes.toString('hex'), encoding: 'hex', format: 'der', type }),
];
const noKeys = [null, undefined, 5, {}, [], '', 'text', message, { key: undefined }];

/** Returns the keys of a pair in every form. */
function formsOf({ privateKey, publicKey }) {
  const { asymmetricKeyType: kind } = privateKey;
  const forms = [...noKeys];
  const types = { pkcs8: privateKey, spki: publicKey };
  if (kind === 'ec') types.sec1 = privateKey;
  const encodings = Object.entries(types);
  if (kind === 'rsa') encodings.push(['pkcs1', privateKey], ['pkcs1', publicKey]);
  for (const [type, key] of encodings) {
    const [pem, der] = ['pem', 'der'].map((format) => key.export({ format, type }));
    forms.push(...pemForms.map((wrap) => wrap(pem)), ...derForms.map((wrap) => wrap(der, type)));
  }
  if (kind !== 'rsa-pss')
    for (const key of [privateKey, publicKey])
      forms.push({ key: key.export({ format: 'jwk' }), format: 'jwk' });
  const passphrase = 'a passphrase';
  const encryption = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase };
  const key = privateKey.export(encryption);
  for (const given of [passphrase, Buffer.from(passphrase), 'a wrong one', undefined])
    forms.push({ key, passphrase: given });
  return forms;
}

const formed = ['rsa', 'rsa-pss', 'p-256', 'p-521', 'secp256k1', 'ed25519', 'ml-dsa-44'];
for (const name of formed.filter((each) => each in pairs))
  test(`${name}: keys in every form are read as Node.js does`, () => {
    const { privateKey, publicKey } = pairs[name];
    const algorithm = /^(?:ed|ml)/.test(name) ? null : 'sha256';
    const signature = crypto.sign(algorithm, message, privateKey);
    for (const form of formsOf(pairs[name])) {
      same((lib) => lib.verify(algorithm, message, form, signature), form);
      same((lib) => isRight(algorithm, publicKey, lib.sign(algorithm, message, form)), form);
      const streamed = (lib) => lib.createSign('sha256').update(message).sign(form);
      same((lib) => isRight('sha256', publicKey, streamed(lib)), form);
      for (const [call, expected] of Object.entries({
        createPrivateKey: privateKey,
        createPublicKey: publicKey,
      }))
        same((lib) => {
          const key = lib[call](form);
          return [key.type, key.equals(expected), key instanceof crypto.KeyObject];
        }, form);
    }
  });

describe('signatures', () => {
  /** ECDSA signatures in DER that are not minimal, with other tags, sizes and numbers. */
  function* malformed(der, numberSize) {
    const rSize = der[3];
    const r = der.subarray(4, 4 + rSize);
    const s = der.subarray(6 + rSize);
    const number = (bytes) => Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
    const long = (bytes) => Buffer.concat([Buffer.from([2, 0x81, bytes.length]), bytes]);
    const sequence = (...parts) => {
      const all = Buffer.concat(parts);
      const head = all.length < 128 ? [0x30, all.length] : [0x30, 0x81, all.length];
      return Buffer.concat([Buffer.from(head), all]);
    };
    const zero = Buffer.from([0]);
    yield sequence(number(r), number(s));
    yield sequence(number(Buffer.concat([zero, r])), number(s));
    yield sequence(long(r), number(s));
    yield sequence(number(r), number(s), zero);
    yield sequence(number(r), number(s), number(s));
    yield Buffer.concat([der, zero]);
    yield sequence(number(r));
    yield sequence(number(zero), number(s));
    yield sequence(number(r), number(zero));
    yield sequence(number(Buffer.alloc(0)), number(s));
    yield sequence(number(s), number(r));
    yield sequence(number(Buffer.alloc(numberSize, 255)), number(s));
    yield sequence(number(Buffer.concat([zero, Buffer.alloc(numberSize, 255)])), number(s));
    yield Buffer.concat([Buffer.from([0x30, 0x80]), number(r), number(s), Buffer.alloc(2)]);
    yield Buffer.concat([Buffer.from([0x31]), der.subarray(1)]);
    for (let at = 0; at < der.length; at++) {
      const changed = Buffer.from(der);
      changed[at] ^= 1 << (at & 7);
      yield changed;
      yield der.subarray(0, at);
    }
  }

  for (const [name, size] of [
    ['p-256', 32],
    ['p-384', 48],
    ['p-521', 66],
  ])
    test(`${name}: malformed DER and P1363 get the verdict of Node.js`, () => {
      const { privateKey, publicKey } = pairs[name];
      const der = crypto.sign('sha256', message, privateKey);
      for (const each of malformed(der, size)) {
        const what = each.toString('hex');
        same((lib) => lib.verify('sha256', message, publicKey, each), what);
        same((lib) => lib.createVerify('sha256').update(message).verify(publicKey, each), what);
      }
      const dsaEncoding = 'ieee-p1363';
      const raw = crypto.sign('sha256', message, { key: privateKey, dsaEncoding });
      const halves = [raw.subarray(0, size), raw.subarray(size)];
      const zeros = Buffer.alloc(size);
      const ones = Buffer.alloc(size, 255);
      for (const parts of [
        [raw],
        [raw, zeros],
        [zeros, raw],
        halves.toReversed(),
        [zeros, zeros],
        [zeros, halves[1]],
        [halves[0], zeros],
        [ones, halves[1]],
        [halves[0], ones],
        [halves[0]],
        [],
      ]) {
        const each = Buffer.concat(parts);
        const key = { key: publicKey, dsaEncoding };
        same((lib) => lib.verify('sha256', message, key, each), each.toString('hex'));
        same((lib) => lib.createVerify('sha256').update(message).verify(key, each));
      }
    });

  test('Ed25519: edge cases get the verdict of Node.js', () => {
    const spki = (raw) => Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
    const taming = vectors('ed25519-edge-cases');
    const keys = [...new Set(taming.map((each) => each.publicKey.toString('hex')))];
    for (const y of ['00', '01', 'ec', 'ed', 'ee', 'ef', 'f5', 'ff'])
      keys.push(
        `${y}${(y < '02' ? '00' : 'ff').repeat(30)}7f`,
        `${y}${(y < '02' ? '00' : 'ff').repeat(31)}`,
      );
    for (const hex of keys) {
      const der = spki(Buffer.from(hex, 'hex'));
      const key = crypto.createPublicKey({ key: der, format: 'der', type: 'spki' });
      for (const { message: text, signature } of taming)
        same((lib) => lib.verify(null, text, key, signature), hex);
      // R is the point itself, and S is 0: true for points of small order.
      for (const first of keys)
        for (let count = 0; count < 8; count++) {
          const signature = Buffer.concat([Buffer.from(first, 'hex'), Buffer.alloc(32)]);
          same((lib) => lib.verify(null, Buffer.from([count]), key, signature), `${hex} ${first}`);
        }
    }
    const { privateKey, publicKey } = pairs.ed25519;
    const right = crypto.sign(null, message, privateKey);
    // R is the neutral point, and S fits it.
    const { d, x } = privateKey.export({ format: 'jwk' });
    const sha512 = (...all) => crypto.createHash('sha512').update(Buffer.concat(all)).digest();
    const number = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
    const scalar = sha512(Buffer.from(d, 'base64url')).subarray(0, 32);
    scalar[0] &= 248;
    scalar[31] = (scalar[31] & 63) | 64;
    const neutral = Buffer.from(`01${'00'.repeat(31)}`, 'hex');
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const hash = number(sha512(neutral, Buffer.from(x, 'base64url'), message));
    const fitting = ((hash * number(scalar)) % order).toString(16).padStart(64, '0');
    const forged = Buffer.concat([neutral, Buffer.from(fitting, 'hex').reverse()]);
    same((lib) => lib.verify(null, message, publicKey, forged));
    for (let at = 0; at < 512; at++) {
      const changed = Buffer.from(right);
      changed[at >> 3] ^= 1 << (at & 7);
      same((lib) => lib.verify(null, message, publicKey, changed));
    }
  });

  test('RSA: signatures of other sizes and values get the verdict of Node.js', () => {
    const { privateKey, publicKey } = pairs.rsa;
    const modulus = Buffer.from(publicKey.export({ format: 'jwk' }).n, 'base64url');
    const zero = Buffer.alloc(1);
    for (const how of [{}, { padding: 6 }, { padding: 6, saltLength: -1 }]) {
      const shown = { key: publicKey, ...how };
      // A signature that begins with a zero, without which OpenSSL accepts one of RSA-PSS.
      let [text, right] = [0, zero];
      do {
        text = Buffer.from(`message ${crypto.randomInt(2 ** 40)}`);
        right = own.sign('sha256', text, { key: privateKey, ...how });
      } while (right[0] !== 0);
      const edges = [modulus, Buffer.alloc(256), Buffer.alloc(256, 255), right, right.subarray(1)];
      for (const each of [...edges, Buffer.concat([zero, right]), Buffer.concat([right, zero])]) {
        same((lib) => lib.verify('sha256', text, shown, each), inspect(how));
        same((lib) => lib.createVerify('sha256').update(text).verify(shown, each), inspect(how));
      }
    }
  });

  test('arguments that are not valid have the errors of Node.js', () => {
    const { privateKey, publicKey } = pairs.ed25519;
    const values = [
      undefined,
      null,
      5,
      {},
      [],
      'text',
      '',
      message,
      message.buffer,
      new DataView(new ArrayBuffer(3)),
    ];
    for (const value of values) {
      same((lib) => lib.sign(null, value, privateKey), `data ${value}`);
      same((lib) => lib.verify(null, value, publicKey, message), `data ${value}`);
      same((lib) => lib.verify(null, message, publicKey, value), `signature ${value}`);
      if (value !== undefined) {
        same((lib) => lib.sign(null, message, privateKey, value), `callback ${value}`);
        same((lib) => lib.verify(null, message, publicKey, message, value), `callback ${value}`);
      }
      for (const create of ['createSign', 'createVerify']) {
        same((lib) => lib[create](value) instanceof Writable, `algorithm ${value}`);
        same((lib) => lib[create]('sha256').update(value) instanceof Writable, `update ${value}`);
        for (const encoding of ['utf8', 'hex', 'latin1', 'no encoding', 'buffer', 7, null])
          same((lib) => {
            const made = lib[create]('sha256').update('abc', encoding).update('é', encoding);
            return create === 'createVerify'
              ? made.verify(pairs.rsa.publicKey, value, encoding)
              : made.sign(pairs.rsa.privateKey, encoding);
          }, `${create} ${value} ${encoding}`);
      }
    }
  });

  test('an object in every state behaves as that of Node.js', () => {
    const { privateKey, publicKey } = pairs.rsa;
    const signature = crypto.sign('sha256', 'abcd', privateKey);
    const steps = {
      update: (object) => object.update('ab') === object,
      bytes: (object) => object.update(Buffer.from('cd')) === object,
      long: (object) => object.update(Buffer.alloc(70_000)) === object,
      wrong: (object) => object.update(5),
      write: (object) => object.write('cd'),
      end: (object) => object.end('ab') === object,
      sign: (object) => object.sign?.(privateKey, 'hex') ?? object.verify(publicKey, signature),
      other: (object) =>
        object.sign?.({ key: pairs.ed25519.privateKey }, 'hex') ??
        object.verify(pairs.ed25519.publicKey, signature),
      bad: (object) =>
        object.sign?.(privateKey, 'no encoding') ?? object.verify(publicKey, 'zz', 'hex'),
      none: (object) => object.sign?.() ?? object.verify(),
    };
    const names = Object.keys(steps);
    for (const create of ['createSign', 'createVerify'])
      for (let round = 0; round < 600; round++) {
        const calls = [round % 10, ((round / 10) | 0) % 10, (round * 7) % 10, (round * 3) % 10, 6];
        const run = (lib) => {
          const object = lib[create]('sha256');
          object.on('error', () => {});
          return calls.map((call) => JSON.stringify(outcome(() => steps[names[call]](object))));
        };
        assert.deepEqual(run(own), run(crypto), `${create} ${calls.map((call) => names[call])}`);
      }
  });

  test('objects are instances of Node’s classes', () => {
    for (const [create, Class] of [
      ['createSign', crypto.Sign],
      ['createVerify', crypto.Verify],
    ]) {
      const object = own[create]('RSA-SHA256');
      assert.equal(Object.getPrototypeOf(object) !== Class.prototype, native, create);
      assert.ok(object instanceof Class && object instanceof Writable);
      assert.equal(object.constructor, Class);
      same((lib) => [lib[create].name, lib[create].length]);
      same(
        (lib) =>
          Object.keys(Object.getPrototypeOf(Object.getPrototypeOf(lib[create]('sha1')))).length > 0,
      );
    }
  });

  test('with a callback', async () => {
    for (const name of ['rsa', 'p-256', 'ed25519', 'secp256k1', 'x25519', 'ml-dsa-65'].filter(
      (each) => each in pairs,
    )) {
      const { privateKey, publicKey } = pairs[name];
      for (const algorithm of [null, 'sha256', 'md5', 'no hash', 5]) {
        const signing = (lib) => later((done) => lib.sign(algorithm, message, privateKey, done));
        const [expected, ...found] = await Promise.all([crypto, own, own].map(signing));
        for (const each of found)
          if (expected[0] === 'Buffer') assert.equal(each[0], 'Buffer');
          else assert.deepEqual(each, expected, `${name} ${algorithm}`);
        if (expected[0] !== 'Buffer') continue;
        const signature = await promisify(own.sign)(algorithm, message, privateKey);
        for (const text of [message, Buffer.from('another')]) {
          const verifying = (lib) => promisify(lib.verify)(algorithm, text, publicKey, signature);
          assert.equal(await verifying(own), await verifying(crypto));
          assert.equal(await verifying(own), text === message);
        }
      }
    }
  });
});

describe('agreement and encryption', () => {
  test('diffieHellman', async () => {
    const all = [...Object.values(pairs), ...Object.values(others), pairOf('x25519')];
    for (const { privateKey } of all)
      for (const { publicKey, privateKey: peer } of all)
        for (const given of [publicKey, peer]) {
          const agree = (lib) =>
            lib.diffieHellman({ privateKey, publicKey: given }).toString('hex');
          same(agree);
          same(agree);
          if (crypto.diffieHellman.length < 2) continue;
          const agreeLater = (lib) =>
            later((done) => lib.diffieHellman({ privateKey, publicKey: given }, done));
          assert.deepEqual(await agreeLater(own), await agreeLater(crypto));
        }
    const { privateKey, publicKey } = pairs.x25519;
    const small = crypto.createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), Buffer.alloc(32)]),
      format: 'der',
      type: 'spki',
    });
    for (const given of [
      undefined,
      null,
      5,
      {},
      { privateKey },
      { publicKey },
      { privateKey: publicKey, publicKey },
      { privateKey, publicKey: small },
      { privateKey, publicKey: 'text' },
      new Proxy({ privateKey, publicKey }, {}),
    ])
      same((lib) => lib.diffieHellman(given));
  });

  test('publicEncrypt and privateDecrypt', () => {
    const label = Buffer.from('a label');
    const ways = [
      ...[undefined, 0, 1, 2, 3, 4, '4', null].map((padding) => ({ padding })),
      ...['sha1', 'sha256', 'SHA512', 'RSA-SHA256', 'md5', 'none', 5, null].map((oaepHash) => ({
        oaepHash,
      })),
      ...[label, label.buffer, 'text', '', 5, null].map((oaepLabel) => ({
        oaepHash: 'sha256',
        oaepLabel,
      })),
      { encoding: 'hex', oaepLabel: 'abcd' },
      { encoding: 'no encoding' },
    ];
    const sizes = [0, 1, 62, 126, 190, 214, 245, 256];
    const texts = [
      ...sizes.map((size) => Buffer.alloc(size, 7)),
      'abcd',
      new DataView(new ArrayBuffer(4)),
      5,
      null,
    ];
    for (const [name, { privateKey, publicKey }] of Object.entries(pairs))
      for (const how of ways)
        for (const text of name.startsWith('rsa') ? texts : ['abcd']) {
          const what = `${name} ${JSON.stringify(how)} ${text?.length}`;
          same((lib) => lib.publicEncrypt({ key: publicKey, ...how }, text), what);
          same((lib) => lib.privateDecrypt({ key: privateKey, ...how }, text), what);
          for (const [from, to] of [
            [own, crypto],
            [crypto, own],
            [own, own],
          ]) {
            const encrypt = () => from.publicEncrypt({ key: publicKey, ...how }, text);
            if (outcome(encrypt)[0] !== 'Buffer') continue;
            const encrypted = encrypt();
            const open = (lib, bytes) =>
              outcome(() => lib.privateDecrypt({ key: privateKey, ...how }, bytes).toString('hex'));
            assert.deepEqual(open(to, encrypted), open(crypto, encrypted), what);
            encrypted[100] ^= 1;
            // A wrong message of PKCS#1 v1.5 is random where rejection is implicit.
            if (how.padding === 1) continue;
            assert.deepEqual(open(to, encrypted), open(crypto, encrypted), what);
            assert.deepEqual(
              open(to, encrypted.subarray(1)),
              open(crypto, encrypted.subarray(1)),
              what,
            );
          }
        }
    const { publicKey, privateKey } = pairs.rsa;
    const encrypted = own.publicEncrypt(publicKey, message);
    assert.deepEqual(crypto.privateDecrypt(privateKey, encrypted), message);
    assert.deepEqual(own.privateDecrypt(privateKey, encrypted), message);
  });

  test('encapsulate and decapsulate', async (t) => {
    const { encapsulate } = crypto;
    if (encapsulate === undefined) {
      assert.equal(typeof own.encapsulate, 'function');
      t.skip('this version of Node.js has neither');
      return;
    }
    const { publicKey, privateKey } = pairs['ml-kem-768'];
    for (const [from, to] of [
      [own, crypto],
      [crypto, own],
      [own, own],
    ])
      for (let use = 0; use < 3; use++) {
        const { sharedKey, ciphertext } = from.encapsulate(publicKey);
        assert.deepEqual(to.decapsulate(privateKey, ciphertext), sharedKey);
        const later = await promisify(from.encapsulate)(publicKey);
        assert.deepEqual(
          await promisify(to.decapsulate)(privateKey, later.ciphertext),
          later.sharedKey,
        );
      }
    const { ciphertext } = encapsulate(publicKey);
    for (const each of [ciphertext, ciphertext.subarray(1), Buffer.alloc(1088), 'text', 5, null])
      for (const key of [privateKey, publicKey, pairs.ed25519.privateKey, null])
        same((lib) => Buffer.from(lib.decapsulate(key, each)).toString('hex'));
    for (const key of [pairs.ed25519.publicKey, null, 'text']) same((lib) => lib.encapsulate(key));
  });
});

describe('generateKeyPair', () => {
  const modulusLength = 2048;
  const spki = { type: 'spki', format: 'pem' };
  const pkcs8 = { type: 'pkcs8', format: 'pem' };
  const given = [
    ['rsa', { modulusLength }],
    ['rsa', { modulusLength, publicExponent: 3 }],
    ['rsa', { modulusLength, publicKeyEncoding: spki, privateKeyEncoding: pkcs8 }],
    [
      'rsa',
      {
        modulusLength,
        publicKeyEncoding: { ...spki, type: 'pkcs1' },
        privateKeyEncoding: { type: 'pkcs1', format: 'der' },
      },
    ],
    [
      'rsa',
      { modulusLength, privateKeyEncoding: { ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'x' } },
    ],
    ['rsa', { modulusLength, privateKeyEncoding: { ...pkcs8, cipher: 'aes-256-cbc' } }],
    ['rsa', { modulusLength, privateKeyEncoding: { ...pkcs8, cipher: 'none', passphrase: 'x' } }],
    ['rsa', { modulusLength, publicKeyEncoding: pkcs8 }],
    ['rsa', { modulusLength, publicKeyEncoding: null }],
    ['rsa', { modulusLength, publicKeyEncoding: 'pem' }],
    ['rsa', { modulusLength: 1024 }],
    ['rsa', { modulusLength: -1 }],
    ['rsa', { modulusLength, publicExponent: 4 }],
    ['rsa', { modulusLength, publicExponent: '3' }],
    ['rsa', {}],
    ['rsa'],
    ['rsa-pss', { modulusLength }],
    ['rsa-pss', { modulusLength, hashAlgorithm: 'sha256' }],
    [
      'rsa-pss',
      { modulusLength, hashAlgorithm: 'SHA512', mgf1HashAlgorithm: 'sha256', saltLength: 24 },
    ],
    ['rsa-pss', { modulusLength, hashAlgorithm: 'no hash' }],
    ['rsa-pss', { modulusLength, saltLength: 24 }],
    ['rsa-pss', { modulusLength, privateKeyEncoding: { ...pkcs8, type: 'pkcs1' } }],
    ['ec', { namedCurve: 'P-256' }],
    ['ec', { namedCurve: 'none' }],
    ['ed25519', { publicKeyEncoding: spki }],
    ['ml-kem-768'],
    ['none'],
    [5],
  ];
  const shownKey = (key) => {
    if (!(key instanceof crypto.KeyObject))
      return typeof key === 'string' ? key.slice(0, 30) : key.constructor.name;
    const { hashAlgorithm, ...details } = key.asymmetricKeyDetails;
    return [key.type, key.asymmetricKeyType, hashAlgorithm, details];
  };
  const shownPair = ({ publicKey, privateKey }) => [shownKey(publicKey), shownKey(privateKey)];

  test('synchronous', () => {
    for (const each of given) {
      const generate = (lib) => outcome(() => shownPair(lib.generateKeyPairSync(...each)));
      assert.deepEqual(generate(own), generate(crypto), JSON.stringify(each));
    }
  });

  test('with a callback, and by promisify', async () => {
    for (const each of given) {
      const generate = (lib) =>
        new Promise((resolve) => {
          const done = (error, publicKey, privateKey) =>
            resolve(error ? shownError(error) : shownPair({ publicKey, privateKey }));
          try {
            lib.generateKeyPair(...each, done);
          } catch (error) {
            resolve(shownError(error));
          }
        });
      assert.deepEqual(await generate(own), await generate(crypto), JSON.stringify(each));
    }
    const pair = await promisify(own.generateKeyPair)('rsa', { modulusLength });
    assert.equal(
      crypto.verify(
        'sha256',
        message,
        pair.publicKey,
        crypto.sign('sha256', message, pair.privateKey),
      ),
      true,
    );
    assert.equal(own.sign('sha256', message, pair.privateKey).length, 256);
  });
});
