// docs/node-differences.md: every row of its table is what both libraries do, there is no row
// without a call here, and no name of both libraries without a call.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';

import { root } from '../support/child.mjs';

const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = crypto.generateKeyPairSync('ed25519');
const x25519 = crypto.generateKeyPairSync('x25519');
const message = Buffer.from('message');
const pkcs1 = { padding: crypto.constants.RSA_PKCS1_PADDING };

/** Calls a function with a callback. */
const withCallback = (lib, name, ...given) =>
  new Promise((resolve, reject) => {
    lib[name](...given, (error, value) => (error ? reject(error) : resolve(value)));
  });

const newPair = (lib, ...given) => (lib.generateKeyPairSync ?? lib.generateKeyPair)(...given);
const newKey = (lib, ...given) => (lib.generateKeySync ?? lib.generateKey)(...given);

/** By row of the page, what is called. Where the names differ the second is node:crypto's. */
const calls = {
  'hmac digest twice': (lib) => {
    const mac = lib.createHmac('sha256', 'k').update('a');
    mac.digest('hex');
    return mac.digest('hex');
  },
  'update after digest': (lib) => {
    const hash = lib.createHash('sha256');
    hash.digest();
    return hash.update('a');
  },
  'digest(unknown encoding)': (lib) => lib.createHash('sha256').update('a').digest('foo'),
  'update(x, unknown encoding)': (lib) => lib.createHash('sha256').update('a', 'foo').digest('hex'),
  "update('zz', 'hex')": (lib) => lib.createHash('sha256').update('zz', 'hex').digest('hex'),
  'update(ArrayBuffer)': (lib) => lib.createHash('sha256').update(new ArrayBuffer(3)).digest('hex'),
  'unknown option of createHash': (lib) =>
    lib.createHash('sha256', { outputlength: 32 }).digest('hex'),
  'unknown option of scrypt': (lib) =>
    (lib.scryptSync ?? lib.scrypt)('p', 's', 8, { N: 16, n: 32 }),
  'hash() without an encoding': (lib) => lib.hash('sha1', 'a'),
  'createHash sm3': (lib) => lib.createHash('sm3').update('a').digest('hex'),
  'scrypt without a callback': (lib) => lib.scrypt('p', 's', 8, { N: 16 }),
  'type of hkdf': (lib) => (lib.hkdfSync ?? lib.hkdf)('sha256', 'k', 's', 'i', 16),
  'hkdf with 1,025 bytes of info': (lib) =>
    Buffer.from((lib.hkdfSync ?? lib.hkdf)('sha256', 'k', 's', Buffer.alloc(1025), 16)),
  'pbkdf2 without a callback': (lib) => lib.pbkdf2('p', 's', 1, 8, 'sha256'),
  'argon2 without a callback': (lib) =>
    lib.argon2('argon2id', {
      message: 'p',
      nonce: Buffer.alloc(16),
      parallelism: 1,
      tagLength: 32,
      memory: 64,
      passes: 1,
    }),
  'option outputEncoding of hash': (lib) => lib.hash('sha1', 'a', { outputEncoding: 'hex' }),
  'new Hash': (lib) => new lib.Hash('sha256').digest(),
  'new Hmac': (lib) => new lib.Hmac('sha256', 'k').digest(),
  'new Cipher': (lib) => new lib.Cipher('aes-128-cbc', 'password').update('a').length,
  'new Decipher': (lib) => new lib.Decipher('aes-128-cbc', 'password').update('a').length,
  'RSA-SHA256 in getHashes()': (lib) => lib.getHashes().includes('RSA-SHA256'),
  'aes-256-cbc in getCiphers()': (lib) => lib.getCiphers().includes('aes-256-cbc'),
  'randomBytes(size, callback)': (lib) => withCallback(lib, 'randomBytes', 4),
  "generateKey('aes', { length })": (lib) => newKey(lib, 'aes', { length: 256 }),
  "generateKey('hmac', { length })": (lib) => newKey(lib, 'hmac', { length: 256 }),
  'generateKeyPair without a callback': (lib) => lib.generateKeyPair('ed25519', {}).publicKey,
  'class of a new key': (lib) => newPair(lib, 'ed25519').publicKey,
  'generateKeyPair of secp256k1': (lib) =>
    newPair(lib, 'ec', { namedCurve: 'secp256k1' }).publicKey,
  'generateKeyPair of RSA, 1024 bits': (lib) =>
    newPair(lib, 'rsa', { modulusLength: 1024 }).publicKey,
  'createPrivateKey(KeyObject)': (lib) => lib.createPrivateKey(rsa.privateKey),
  'createPublicKey(public KeyObject)': (lib) => lib.createPublicKey(rsa.publicKey),
  "sign(key, 'hex') of createSign": (lib) =>
    lib.createSign('sha256').update('a').sign(rsa.privateKey, 'hex'),
  "verify(key, text, 'hex') of createVerify": (lib) =>
    lib
      .createVerify('sha256')
      .update('a')
      .verify(rsa.publicKey, crypto.sign('sha256', 'a', rsa.privateKey).toString('hex'), 'hex'),
  'createSign as a stream': (lib) => lib.createSign('sha256').write('a'),
  'createSign md5': (lib) => lib.createSign('md5').update('a').sign(rsa.privateKey),
  'sign(null) with a key of RSA': (lib) => lib.sign(null, message, rsa.privateKey),
  'publicEncrypt without padding': (lib) =>
    lib.publicEncrypt(
      { key: rsa.publicKey, padding: crypto.constants.RSA_NO_PADDING },
      Buffer.alloc(256),
    ),
  'privateDecrypt of PKCS#1 v1.5': (lib) => {
    const sealed = crypto.publicEncrypt({ key: rsa.publicKey, ...pkcs1 }, message);
    return lib.privateDecrypt({ key: rsa.privateKey, ...pkcs1 }, sealed);
  },
  'encapsulate to a key of X25519': (lib) => lib.encapsulate(x25519.publicKey).sharedKey,
  'decapsulate with a key of X25519': (lib) =>
    lib.decapsulate(
      x25519.privateKey,
      crypto.encapsulate?.(x25519.publicKey).ciphertext ?? message,
    ),
};

/** Calls of names that have no row. */
const alike = {
  diffieHellman: (lib) => lib.diffieHellman({ ...x25519 }),
  timingSafeEqual: (lib) => lib.timingSafeEqual(message, message),
  verify: (lib) => {
    const signature = crypto.sign(null, message, ed25519.privateKey);
    return lib.verify(null, message, ed25519.publicKey, signature);
  },
};

const lacks = (name) => typeof crypto[name] !== 'function' && `this Node.js has no crypto.${name}`;

/** Returns why a call fails here, or false. */
function fails(call) {
  try {
    call(crypto);
    return false;
  } catch (error) {
    return `not in this Node.js: ${error.message}`;
  }
}

/** Rows about functions that this Node.js does not have. */
const missing = {
  'hash() without an encoding': lacks('hash'),
  'createHash sm3': !crypto.getHashes().includes('sm3') && 'this OpenSSL has no SM3',
  'argon2 without a callback': lacks('argon2'),
  'new Cipher': lacks('Cipher'),
  'new Decipher': lacks('Decipher'),
  ...Object.fromEntries(
    [
      'option outputEncoding of hash',
      'privateDecrypt of PKCS#1 v1.5',
      'encapsulate to a key of X25519',
      'decapsulate with a key of X25519',
    ].map((name) => [name, fails(calls[name])]),
  ),
};

const page = readFileSync(join(root, 'docs/node-differences.md'), 'utf8');

const rows = new Map(
  [...page.matchAll(/^\| (?!Call)([^|]+) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].map(
    ([, name, node, ours]) => [name, { node, ours }],
  ),
);

test('the page lists the calls of this test', () => {
  assert.deepEqual([...rows.keys()].sort(), Object.keys(calls).sort());
});

test('every name of both libraries is called, and the page has those without a row', () => {
  const called = Object.entries(calls).flat().join('\n');
  const names = Object.keys(crypto).filter((name) => name in millrace);
  assert.ok(names.length > 20);
  for (const name of names)
    assert.ok(name in alike || new RegExp(`\\b${name}\\b`).test(called), name);
  for (const name of Object.keys(alike)) assert.ok(page.includes(`\`${name}\``), name);
});

for (const [name, call] of Object.entries(alike))
  test(`as in node:crypto: ${name}`, async () => {
    assert.equal(await outcome(call, millrace), await outcome(call, crypto));
  });

for (const [name, { node, ours }] of rows) {
  test(`as the page says: ${name}`, async (t) => {
    assert.equal(await outcome(calls[name], millrace), ours, 'Millrace');
    if (missing[name]) return t.skip(missing[name]);
    assert.equal(await outcome(calls[name], crypto), node, 'node:crypto');
  });
}

async function outcome(call, library) {
  try {
    const value = await call(library);
    if (typeof value === 'string') return `string of ${value.length} characters`;
    if (Buffer.isBuffer(value)) return `Buffer of ${value.length} bytes`;
    if (typeof value.type === 'string') return value.constructor.name;
    return value instanceof ArrayBuffer
      ? `ArrayBuffer of ${value.byteLength} bytes`
      : String(value);
  } catch (error) {
    return `throws ${error.code}`;
  }
}
