// Each kind of key in each function that takes one: bytes in every form, a KeyObject, a CryptoKey,
// a prepared key. The result is that of the bytes, or the error says which kinds are taken. Copies
// of ours are wiped.

import assert from 'node:assert/strict';
import { createPublicKey, createSecretKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const rng = random('kinds of keys');
const [bytes, message, nonce, iv, salt] = [
  rng.bytes(32),
  rng.bytes(100),
  rng.bytes(12),
  rng.bytes(16),
  rng.bytes(16),
];
const { subtle } = webcrypto;
const cost = { N: 2, r: 1, p: 1 };
const light = { memory: 8, passes: 1 };
const stored = millrace.hashPassword(bytes, { ...light, secret: bytes });

const kinds = {
  Uint8Array: () => new Uint8Array(bytes),
  ArrayBuffer: () => new Uint8Array(bytes).buffer,
  DataView: () => new DataView(new Uint8Array(bytes).buffer),
  KeyObject: () => createSecretKey(bytes),
  'CryptoKey for AES': () => subtle.importKey('raw', bytes, 'AES-GCM', true, ['encrypt']),
  'CryptoKey for HMAC': () =>
    subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']),
};

const sealed = millrace.seal('aes-256-gcm', { key: bytes, nonce, source: message });
const waited =
  (method) =>
  (...given) =>
    new Promise((resolve, reject) =>
      millrace[method](...given, (error, value) => (error ? reject(error) : resolve(value))),
    );
const inAll = (method) => ({
  [method]: millrace[method],
  [`${method}, called back`]: waited(method),
  [`${method}, promised`]: promises[method],
});
const each = (forms, use) =>
  Object.fromEntries(Object.entries(forms).map(([name, call]) => [name, (key) => use(call, key)]));

/** What takes keys: the prepared key that is taken too, where there is one, and the function. */
const functions = {
  'aes-256-gcm': {
    ...each(inAll('seal'), (call, key) => call('aes-256-gcm', { key, nonce, source: message })),
    ...each(inAll('open'), (call, key) => call('aes-256-gcm', { key, nonce, source: sealed })),
    sealStream: (key) => streamed(promises.sealStream, key, bytes),
    openStream: (key) => streamed(promises.sealStream, bytes, key),
    sealTransformStream: (key) => transformed(key, bytes),
    openTransformStream: (key) => transformed(bytes, key),
  },
  'aes-256-ctr': {
    ...each(inAll('cipher'), (call, key) => call('aes-256-ctr', true, key, iv, message)),
    'cipher with options': (key) =>
      millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source: message }),
    'cipher of a window': (key) => {
      const target = Buffer.alloc(100);
      millrace.cipher('aes-256-ctr', { encrypt: 1, key, iv, source: message, target });
      return target;
    },
  },
  'hmac-sha256': {
    ...each(inAll('hmac'), (call, key) => call('sha256', key, message)),
    ...each(inAll('hmacMany'), (call, key) => call('sha256', key, [message, 'text'])),
    'hmac of a window': (key) => {
      const target = Buffer.alloc(32);
      millrace.hmac('sha256', key, message, { target });
      return target;
    },
    'hmac of pieces': (key) =>
      promises.hmac(
        'sha256',
        key,
        (async function* () {
          yield message;
        })(),
      ),
    createHmac: (key) => millrace.createHmac('sha256', key).update(message).digest(),
  },
  blake3: {
    ...each(inAll('hash'), (call, key) => call('blake3', message, { key })),
    ...each(inAll('hashMany'), (call, key) => call('blake3', [message, 'text'], { key })),
    ...each(inAll('hashFile'), (call, key) => call('blake3', new URL(import.meta.url), { key })),
    'hash of pieces': (key) =>
      promises.hash(
        'blake3',
        (async function* () {
          yield message;
        })(),
        { key },
      ),
    createHash: (key) => millrace.createHash('blake3', { key }).update(message).digest(),
  },
  none: {
    createKey: (key) =>
      millrace.seal('aes-256-gcm', {
        key: millrace.createKey('aes-256-gcm', key),
        nonce,
        source: message,
      }),
    'createKey for HMAC': (key) =>
      millrace.hmac('sha256', millrace.createKey('hmac-sha256', key), message),
    'createKey for BLAKE3': (key) =>
      millrace.hash('blake3', message, { key: millrace.createKey('blake3', key) }),
    ...each(inAll('pbkdf2'), (call, key) => call(key, salt, 2, 20, 'sha256')),
    ...each(inAll('hkdf'), (call, key) => call('sha256', key, salt, 'info', 20)),
    ...each(inAll('scrypt'), (call, key) => call(key, salt, 20, cost)),
    ...each(inAll('argon2'), (call, key) =>
      call('argon2id', { message: key, nonce: salt, ...light }),
    ),
    'argon2 with a secret': (key) =>
      millrace.argon2('argon2id', { message: 'text', nonce: salt, secret: key, ...light }),
    'argon2 of two': (key) =>
      millrace.argon2('argon2id', { message: key, nonce: salt, secret: key, ...light }),
    ...each(inAll('hashPassword'), (call, key) => call(key, { ...light, salt, secret: key })),
    ...each(inAll('verifyPassword'), async (call, key) => {
      assert.equal(await call(key, stored, { secret: key }), true);
      return '';
    }),
  },
};

async function streamed(seal, sealing, opening) {
  const pipe = async (stream, piece) => {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    stream.end(piece);
    await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
    return Buffer.concat(parts);
  };
  const algorithm = 'aes-256-gcm';
  return pipe(
    promises.openStream({ algorithm, key: opening }),
    await pipe(seal({ algorithm, key: sealing }), message),
  );
}

async function transformed(sealing, opening) {
  const algorithm = 'aes-256-gcm';
  const through = new Blob([message])
    .stream()
    .pipeThrough(promises.sealTransformStream({ algorithm, key: sealing }))
    .pipeThrough(promises.openTransformStream({ algorithm, key: opening }));
  return new Uint8Array(await new Response(through).arrayBuffer());
}

const plain = (value) =>
  Array.isArray(value)
    ? value.map(plain)
    : ArrayBuffer.isView(value)
      ? Buffer.from(value).toString('hex')
      : value;

for (const [prepared, uses] of Object.entries(functions)) {
  for (const [name, use] of Object.entries(uses)) {
    test(`${name}: every kind of key`, async () => {
      const expected = plain(await use(bytes));
      for (const [kind, make] of Object.entries(kinds))
        assert.deepEqual(plain(await use(await make())), expected, kind);
      if (prepared === 'none') return;
      const key = millrace.createKey(prepared, createSecretKey(bytes));
      assert.deepEqual(plain(await use(key)), expected, 'Key');
      key.dispose();
      await assert.rejects(async () => use(key), { code: 'ERR_KEY_DISPOSED' });
      const other = millrace.createKey('hmac-sha1', bytes);
      await assert.rejects(async () => use(other), { code: 'ERR_KEY_ALGORITHM' });
    });

    test(`${name}: a value that is no key is refused, and the error names the kinds`, async () => {
      const { privateKey } = generateKeyPairSync('ed25519');
      const wrong = [
        [{}, /KeyObject/],
        [5, /CryptoKey/],
        [createPublicKey(privateKey), /secret KeyObject, not a public one/],
        [privateKey, /secret KeyObject, not a private one/],
        [await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']), /extractable/],
        [
          (await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']))
            .privateKey,
          /secret CryptoKey/,
        ],
        [new Proxy(createSecretKey(bytes), {}), /KeyObject/],
        [Object.create(createSecretKey(bytes)), /./],
      ];
      if (prepared === 'none')
        wrong.push([
          millrace.createKey('hmac-sha256', bytes),
          /KeyObject.*not an object of class Key/,
        ]);
      for (const [key, text] of wrong) {
        let found;
        try {
          found = await use(key);
        } catch (error) {
          assert.equal(error.code, 'ERR_ARGUMENT_TYPE', error.stack);
          assert.match(error.message, text);
          continue;
        }
        // An object made of a KeyObject gives the KeyObject's bytes.
        assert.deepEqual(plain(found), plain(await use(bytes)));
      }
    });
  }
}

test('an own property does not make a CryptoKey extractable', async () => {
  const key = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt']);
  Object.defineProperty(key, 'extractable', { value: true });
  assert.throws(() => millrace.hmac('sha256', key, message), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /extractable/,
  });
});

test('bytes of KeyObjects are wiped after use, also when the call is refused', async () => {
  const holder = Object.getPrototypeOf(createSecretKey(bytes));
  const given = holder.export;
  const copies = [];
  holder.export = function () {
    const copy = given.call(this);
    copies.push(copy);
    return copy;
  };
  try {
    const key = createSecretKey(bytes);
    for (const uses of Object.values(functions))
      for (const use of Object.values(uses)) await use(key);
    const short = createSecretKey(bytes.subarray(1));
    const refused = [
      () => millrace.seal('aes-256-gcm', { key: short, nonce, source: message }),
      () => millrace.hash('blake3', message, { key: short }),
      () => millrace.createHash('blake3', { key: short }),
      () => millrace.createKey('aes-256-gcm', short),
      () =>
        millrace.cipher('aes-256-ctr', {
          encrypt: 1,
          key: short,
          iv,
          source: message,
          target: Buffer.alloc(100),
        }),
      () => millrace.hmacMany('sha256', key, [message], { route: 'pool' }),
      () => millrace.argon2('argon2id', { message: 5, nonce: salt, secret: key, ...light }),
      () => promises.sealStream({ algorithm: 'aes-256-gcm', key: short }),
    ];
    for (const call of refused) assert.throws(call, millrace.MillraceError);
  } finally {
    holder.export = given;
  }
  assert.ok(copies.length > 50, String(copies.length));
  assert.ok(
    copies.every((copy) => copy.every((byte) => byte === 0)),
    `${copies.filter((copy) => copy.some((byte) => byte !== 0)).length} of ` +
      `${copies.length} copies are left`,
  );
});

test('millrace/portable takes bytes, and says so', async () => {
  const uses = {
    seal: (key) => portable.aes_256_gcm.seal({ key, nonce, source: message }),
    encrypt: (key) => portable.aes_256_ctr.encrypt({ key, iv, source: message }),
    blake3: (key) => portable.blake3(message, { key }),
    hmac: (key) => portable.hmac(portable.sha256, key, message),
    hkdf: (key) => portable.hkdf(portable.sha256, key, salt, '', 20),
  };
  for (const [name, use] of Object.entries(uses)) {
    const expected = plain(use(bytes));
    for (const kind of ['Uint8Array', 'ArrayBuffer', 'DataView'])
      assert.deepEqual(plain(use(kinds[kind]())), expected, `${name} ${kind}`);
    for (const kind of ['KeyObject', 'CryptoKey for AES']) {
      const key = await kinds[kind]();
      assert.throws(
        () => use(key),
        {
          code: 'ERR_ARGUMENT_TYPE',
          message: /must be .*ArrayBufferView or ArrayBuffer, not an object of class/,
        },
        `${name} ${kind}`,
      );
    }
  }
});
