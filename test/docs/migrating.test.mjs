// docs/migrating.md: the two calls of every row have the same result. The original libraries are
// development dependencies, or those of test/migrating, which `npm run test:package` installs; with
// `--newest` it installs the newest versions of all of them, in the folder MILLRACE_LIBRARIES.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

import millrace from 'millrace';
import * as promises from 'millrace/promises';

import { root } from '../support/child.mjs';

const page = readFileSync(join(root, 'docs', 'migrating.md'), 'utf8');
const { subtle } = crypto.webcrypto;

const ramp = (size, first = 0) => Buffer.from(Array.from({ length: size }, (_, i) => first + i));
/** The names that the rows use without a declaration. */
const given = {
  Buffer,
  message: Buffer.from('attack at dawn'),
  key: ramp(32),
  nonce: ramp(12, 40),
  nonce24: ramp(24, 60),
  iv: ramp(16, 90),
  aad: Buffer.from('v1'),
  salt: ramp(16, 120),
  password: 'correct horse battery staple',
};
const { message, key, nonce, nonce24, aad, password } = given;

const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message });
const shared = {
  ...given,
  mac: crypto.createHmac('sha256', key).update(message).digest(),
  ciphertext: sealed.subarray(0, -16),
  tag: sealed.subarray(-16),
};

/** The keys of the rows, as text, and signatures made with them. */
const pair = (type, options) =>
  crypto.generateKeyPairSync(type, {
    ...options,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const { privateKey: rsaPem, publicKey: rsaPublicPem } = pair('rsa', { modulusLength: 2048 });
const { privateKey: ecPem, publicKey: ecPublicPem } = pair('ec', { namedCurve: 'P-256' });
const raw = (algorithm) => ({ key, format: 'raw', algorithm });
const rawPublic = (algorithm) =>
  millrace.createPrivateKey(raw(algorithm)).publicKey().export({ format: 'raw' });

const newest = process.env.MILLRACE_LIBRARIES;
const folder = newest ?? join(root, 'test', 'migrating');
const there = createRequire(join(folder, 'package.json'));
const here = newest === undefined ? createRequire(import.meta.url) : there;
const load = (require, name) => import(pathToFileURL(require.resolve(name)).href);
const absent = (name) =>
  newest === undefined &&
  !existsSync(join(folder, 'node_modules', name)) &&
  `not run: ${name} is not installed (npm run test:package)`;

const secretKey = (algorithm, usages) =>
  subtle.importKey('raw', key, algorithm, !/PBKDF2|HKDF/.test(algorithm.name), usages);

/**
 * By the head of a table: the names of its first column, those that Millrace's column has besides,
 * and the reason for which it is not run.
 */
const tables = {
  'node:crypto': {
    names() {
      const signature = crypto.sign('sha256', message, rsaPem);
      const keys = { rsaPrivate: crypto.createPrivateKey(rsaPem), rsaPublic: rsaPublicPem };
      const [ecPrivate, ecPublic] = [
        crypto.createPrivateKey(ecPem),
        crypto.createPublicKey(ecPublicPem),
      ];
      return { crypto, signature, ...keys, ecPrivate, ecPublic };
    },
  },
  '`crypto.subtle`': {
    async names() {
      const aesKey = await secretKey({ name: 'AES-GCM' }, ['encrypt', 'decrypt']);
      const keys = {
        aesKey,
        hmacKey: await secretKey({ name: 'HMAC', hash: 'SHA-256' }, ['sign', 'verify']),
        ctrKey: await secretKey({ name: 'AES-CTR' }, ['encrypt']),
        kwKey: await secretKey({ name: 'AES-KW' }, ['wrapKey']),
        hkdfKey: await secretKey({ name: 'HKDF' }, ['deriveBits']),
        pbkdf2Key: await subtle.importKey('raw', Buffer.from(password), 'PBKDF2', false, [
          'deriveBits',
        ]),
      };
      const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: aad };
      const stored = Buffer.from(await subtle.encrypt(algorithm, aesKey, message));
      const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' };
      const ec = await subtle.generateKey(ecdsa, true, ['sign', 'verify']);
      const ed = await subtle.generateKey('Ed25519', true, ['sign', 'verify']);
      const signing = { name: 'ECDSA', hash: 'SHA-256' };
      return {
        subtle,
        ...keys,
        sealed: stored,
        edPrivate: ed.privateKey,
        ecPublic: ec.publicKey,
        signature: Buffer.from(await subtle.sign(signing, ec.privateKey, message)),
      };
    },
  },
  '`sodium` (libsodium-wrappers-sumo)': {
    missing: absent('libsodium-wrappers-sumo'),
    async names() {
      const sodium = there('libsodium-wrappers-sumo');
      await sodium.ready;
      const { privateKey: secretKey, publicKey } = sodium.crypto_sign_seed_keypair(key);
      return {
        sodium,
        secretKey,
        publicKey,
        signature: sodium.crypto_sign_detached(message, secretKey),
        boxKey: key,
        peerKey: rawPublic('x25519'),
        stored: sodium.crypto_pwhash_str(password, 2, 64 * 1024),
        sealed24: sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
          message,
          aad,
          null,
          nonce24,
          key,
        ),
      };
    },
  },
  '`native` (sodium-native)': {
    missing: absent('sodium-native'),
    names() {
      const native = there('sodium-native');
      const storedBytes = Buffer.alloc(native.crypto_pwhash_STRBYTES);
      native.crypto_pwhash_str(storedBytes, Buffer.from(password), 2, 64 * 1024);
      const stored = storedBytes.toString().replace(/\0+$/, '');
      const bytes = { password: Buffer.from(password) };
      return { native, storedBytes, stored, ...bytes, out: Buffer.alloc(message.length + 16) };
    },
  },
  '`@noble/hashes`, `@noble/ciphers`': {
    async names() {
      const hashes = ['sha2', 'sha3', 'sha3-addons', 'blake2', 'blake3', 'hmac', 'hkdf'];
      const others = ['pbkdf2', 'scrypt', 'argon2', 'utils'];
      const ciphers = ['aes', 'chacha', 'utils'];
      const modules = await Promise.all([
        ...[...hashes, ...others].map((name) => load(here, `@noble/hashes/${name}.js`)),
        ...ciphers.map((name) => load(here, `@noble/ciphers/${name}.js`)),
      ]);
      const noble = Object.assign({}, ...modules);
      const managed = noble.managedNonce(noble.xchacha20poly1305)(key).encrypt(message);
      return { ...noble, managed };
    },
  },
  '`@noble/curves`, `@noble/post-quantum`': {
    missing: absent('@noble/curves') || absent('@noble/post-quantum'),
    async names() {
      const modules = await Promise.all(
        ['curves/ed25519', 'curves/nist', 'post-quantum/ml-kem', 'post-quantum/ml-dsa'].map(
          (name) => load(there, `@noble/${name}.js`),
        ),
      );
      const noble = Object.assign({}, ...modules);
      const seed = Buffer.concat([key, key]);
      const [kem, dsa] = [noble.ml_kem768.keygen(seed), noble.ml_dsa65.keygen(key)];
      return {
        ...noble,
        seed,
        kem,
        dsa,
        cipherText: noble.ml_kem768.encapsulate(kem.publicKey).cipherText,
        dsaSignature: noble.ml_dsa65.sign(message, dsa.secretKey),
        edPublic: noble.ed25519.getPublicKey(key),
        edSignature: noble.ed25519.sign(message, key),
        xPublic: noble.x25519.getPublicKey(key),
        ecPublic: noble.p256.getPublicKey(key),
        ecSignature: noble.p256.sign(message, key),
      };
    },
  },
  '`jwt` (jsonwebtoken)': {
    missing: absent('jsonwebtoken'),
    names() {
      const jwt = there('jsonwebtoken');
      const rsToken = jwt.sign('text', rsaPem, { algorithm: 'RS256' });
      const esToken = jwt.sign('text', ecPem, { algorithm: 'ES256' });
      return { jwt, rsaPem, rsaPublicPem, ecPublicPem, rsToken, esToken };
    },
  },
  '`nacl` (tweetnacl)': {
    missing: absent('tweetnacl'),
    names() {
      const nacl = there('tweetnacl');
      const { secretKey, publicKey } = nacl.sign.keyPair.fromSeed(key);
      const signature = nacl.sign.detached(message, secretKey);
      return { nacl, secretKey, publicKey, signature, boxKey: key, peerKey: rawPublic('x25519') };
    },
  },
  '`suite` (@hpke/core)': {
    missing: absent('@hpke/core'),
    async names() {
      const hpke = await load(there, '@hpke/core');
      const suite = new hpke.CipherSuite({
        kem: new hpke.DhkemX25519HkdfSha256(),
        kdf: new hpke.HkdfSha256(),
        aead: new hpke.Aes128Gcm(),
      });
      const publicKey = { key: rawPublic('x25519'), format: 'raw', algorithm: 'x25519' };
      const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey.key);
      const recipientKey = await suite.kem.deserializePrivateKey(key);
      const sender = await suite.kem.generateKeyPair();
      const senderPublicKey = await suite.kem.serializePublicKey(sender.publicKey);
      const psk = { id: Buffer.from('a name'), key };
      const { enc, ct } = await suite.seal({ recipientPublicKey }, message);
      const all = { recipientPublicKey, senderKey: sender.privateKey, psk, info: aad };
      const auth = await suite.seal(all, message, aad);
      const own = millrace.hpkeSeal(publicKey, message, { info: aad });
      const opened = { recipientKey, enc: own.encapsulatedKey, info: aad };
      assert.deepEqual(Buffer.from(await suite.open(opened, own.ciphertext)), message);
      return {
        suite,
        recipientPublicKey,
        recipientKey,
        enc,
        ct,
        psk,
        publicKey,
        authEnc: auth.enc,
        authCt: auth.ct,
        senderKey: sender.publicKey,
        senderPublicKey: { ...publicKey, key: Buffer.from(senderPublicKey) },
        privateKey: raw('x25519'),
      };
    },
  },
  "`ec` (elliptic, `new EC('p256')`)": {
    missing: absent('elliptic'),
    names() {
      const ec = new (there('elliptic').ec)('p256');
      const digest = millrace.hash('sha256', message);
      const made = ec.keyFromPrivate(key);
      return {
        ec,
        digest,
        der: Buffer.from(made.sign(digest).toDER()),
        point: Buffer.from(made.getPublic('array')),
        compressed: Buffer.from(made.getPublic(true, 'array')),
      };
    },
  },
  '`forge` (node-forge)': {
    missing: absent('node-forge'),
    names() {
      const forge = there('node-forge');
      const binary = message.toString('binary');
      const digest = millrace.hash('sha256', message).toString('binary');
      const encrypted = millrace.publicEncrypt({ key: rsaPublicPem, oaepHash: 'sha256' }, message);
      return {
        forge,
        rsaPem,
        rsaPublicPem,
        binary,
        digest,
        binarySignature: crypto.sign('sha256', message, rsaPem).toString('binary'),
        encrypted: encrypted.toString('binary'),
      };
    },
  },
  'hash-wasm': {
    async names() {
      const wasm = here('hash-wasm');
      const costs = { iterations: 2, memorySize: 64, parallelism: 1, hashLength: 32 };
      const { salt } = given;
      return {
        ...wasm,
        stored: await wasm.argon2id({ password, salt, ...costs, outputType: 'encoded' }),
        storedBcrypt: await wasm.bcrypt({ password, salt, costFactor: 4, outputType: 'encoded' }),
      };
    },
  },
  ...Object.fromEntries(
    [
      ['bcryptjs', false],
      ['bcrypt', absent('bcrypt')],
    ].map(([name, missing]) => [
      `bcrypt, bcryptjs: ${name}`,
      {
        missing,
        names() {
          const bcrypt = (name === 'bcrypt' ? there : here)(name);
          const written = millrace.hashPassword(password, { algorithm: 'bcrypt', cost: 4 });
          return {
            bcrypt: bcrypt.default ?? bcrypt,
            written,
            stored: bcrypt.hashSync(password, 4),
          };
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    ['argon2', '@node-rs/argon2'].map((name) => [
      `argon2, @node-rs/argon2: ${name}`,
      {
        missing: absent(name),
        async names() {
          const argon2 = there(name);
          const costs = { memoryCost: 64, timeCost: 1, parallelism: 1 };
          return {
            argon2,
            written: millrace.hashPassword(password, { memory: 64, passes: 1 }),
            stored: await argon2.hash(password, costs),
            storedWithSecret: await argon2.hash(password, { ...costs, secret: key }),
          };
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      scrypt: { cost: 1024 },
      argon: { memory: 1024, iterations: 2 },
      bcrypt: { rounds: 10 },
    }).map(([name, costs]) => [
      `\`driver\` (@adonisjs/hash): ${name}`,
      {
        missing: absent('@adonisjs/hash'),
        async names() {
          const module = await load(there, `@adonisjs/hash/drivers/${name}`);
          const driver = new module[name[0].toUpperCase() + name.slice(1)](costs);
          return { driver, stored: await driver.make(password) };
        },
      },
    ]),
  ),
};

/** The tables of the page with code in their rows, by their first heading. */
const found = [...page.matchAll(/^\| ([^|]+) \| millrace \|\n\|---\|---\|\n((?:\|.+\|\n)+)/gm)].map(
  ([, head, rows]) => [
    head,
    [...rows.matchAll(/^\| `(.+?)` \| `(.+?)` \|$/gm)].map(([, before, now]) => ({ before, now })),
  ],
);

/** Returns the value of the last expression of `code`, in which the names of `scope` are known. */
function valueOf(code, { default: _, ...scope }) {
  const run = compileFunction('return eval(code)', ['code', ...Object.keys(scope)]);
  return run(code, ...Object.values(scope));
}

/** Makes results of equal bytes equal. */
function comparable(value) {
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('hex');
  return ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
    : value;
}

test('every table of calls is compared', () => {
  const heads = Object.keys(tables).map((name) => name.split(': ')[0]);
  assert.deepEqual(
    [...new Set(heads)],
    found.map(([head]) => head),
  );
  for (const [head, rows] of found) {
    const [, all] = page.split(`| ${head} | millrace |\n|---|---|\n`);
    assert.equal(rows.length, /^(?:\|.+\|\n)+/.exec(all)[0].trim().split('\n').length, head);
  }
});

for (const [name, { missing, names }] of Object.entries(tables)) {
  const [, rows] = found.find(([head]) => name === head || name.startsWith(`${head}: `));
  test(name, { skip: missing }, async (t) => {
    const own = await names();
    for (const { before, now } of rows)
      await t.test(now, async () => {
        const expected = comparable(await valueOf(before, { ...shared, ...own }));
        const scope = { ...shared, ...own, ...millrace, promises };
        assert.deepEqual(comparable(await valueOf(now, scope)), expected);
        assert.notEqual(expected, undefined);
      });
  });
}
