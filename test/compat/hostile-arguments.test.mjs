// Arguments that change the memory of other arguments while a call reads them: each getter, trap
// and conversion in turn detaches or shrinks each buffer. The result is that of the bytes before or
// after, or an error; never that of a key of zeros. millrace/node-crypto does what Node.js does.

import assert from 'node:assert/strict';
import node from 'node:crypto';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import millrace from 'millrace';
import bigintBuffer from 'millrace/bigint-buffer';
import bigintHash from 'millrace/bigint-hash';
import cryptoAsync from 'millrace/crypto-async';
import nodeCrypto from 'millrace/node-crypto';
import promises from 'millrace/promises';

const require = createRequire(import.meta.url);
const { gcm, ctr } = require('millrace/noble-ciphers/aes');
const { chacha20 } = require('millrace/noble-ciphers/chacha');
const { hmac: nobleHmac } = require('millrace/noble-hashes/hmac');
const { sha256 } = require('millrace/noble-hashes/sha2');
const { kmac256 } = require('millrace/noble-hashes/sha3-addons');

const bytes = (size, byte) =>
  new Uint8Array(new ArrayBuffer(size, { maxByteLength: size })).fill(byte);

/** Calls with new arguments: buffers, objects and texts. */
const calls = {
  'node-crypto createCipheriv': [
    (library, key, iv, options, data) => {
      const cipher = (library ?? nodeCrypto).createCipheriv('aes-256-gcm', key, iv, options);
      return [cipher.update(data), cipher.final(), cipher.getAuthTag()];
    },
    () => [bytes(32, 1), bytes(12, 2), { authTagLength: 16 }, bytes(40, 3)],
  ],
  'node-crypto createDecipheriv': [
    (library, key, iv, options, data) =>
      (library ?? nodeCrypto).createDecipheriv('aes-256-gcm', key, iv, options).update(data),
    () => [bytes(32, 1), bytes(12, 2), { authTagLength: 16 }, bytes(40, 3)],
  ],
  'node-crypto createHmac': [
    (library, key, options, data) =>
      (library ?? nodeCrypto).createHmac('sha256', key, options).update(data).digest(),
    () => [bytes(32, 1), { encoding: undefined }, bytes(40, 3)],
  ],
  'node-crypto createHash': [
    (library, options, data) =>
      (library ?? nodeCrypto).createHash('sha256', options).update(data).digest(),
    () => [{ outputLength: 32 }, bytes(40, 3)],
  ],
  'node-crypto scryptSync': [
    (library, password, salt, options) =>
      (library ?? nodeCrypto).scryptSync(password, salt, 16, options),
    () => [bytes(32, 1), bytes(16, 2), { N: 2, r: 1, p: 1, maxmem: 2 ** 20 }],
  ],
  'node-crypto pbkdf2Sync': [
    (library, password, salt) =>
      (library ?? nodeCrypto).pbkdf2Sync(password, salt, 2, 16, 'sha256'),
    () => [bytes(32, 1), bytes(16, 2)],
  ],
  'node-crypto hkdfSync': [
    (library, key, salt, info) => (library ?? nodeCrypto).hkdfSync('sha256', key, salt, info, 16),
    () => [bytes(32, 1), bytes(16, 2), bytes(8, 3)],
  ],
  'crypto-async cipher': [
    (_door, key, iv, source, aad, tag) => {
      const target = new Uint8Array(40);
      const windows = [key, 0, 32, iv, 0, 12, source, 0, 40, target, 0, aad, 0, 8, tag, 0, 16];
      cryptoAsync.cipher('aes-256-gcm', 1, ...windows);
      return target;
    },
    () => [bytes(32, 1), bytes(12, 2), bytes(40, 3), bytes(8, 4), bytes(16, 5)],
  ],
  'crypto-async cipher of Buffers': [
    (_door, key, iv, source) => cryptoAsync.cipher('aes-256-ctr', 1, key, iv, source),
    () => [bytes(32, 1), bytes(16, 2), bytes(40, 3)].map(asBuffer),
  ],
  'crypto-async hmac': [
    (_door, key, source) => cryptoAsync.hmac('sha256', key, source),
    () => [bytes(32, 1), bytes(40, 3)].map(asBuffer),
  ],
  'bigint-hash hashAsBuffer': [
    (_door, data) => bigintHash.hashAsBuffer('sha256', data),
    () => [bytes(40, 3)],
  ],
  'bigint-hash update': [
    (_door, data) => bigintHash.getHasher('sha256').update(data).digest(),
    () => [bytes(40, 3)],
  ],
  'bigint-buffer toBigIntLE': [
    (_door, data) => bigintBuffer.toBigIntLE(data),
    () => [bytes(40, 3)],
  ],
  'noble gcm': [
    (_door, key, nonce, aad, data) => gcm(key, nonce, aad).encrypt(data),
    () => [bytes(32, 1), bytes(12, 2), bytes(8, 4), bytes(40, 3)],
  ],
  'noble ctr': [
    (_door, key, nonce, data) => ctr(key, nonce).encrypt(data),
    () => [bytes(32, 1), bytes(16, 2), bytes(40, 3)],
  ],
  'noble chacha20': [
    (_door, key, nonce, data) => chacha20(key, nonce, data),
    () => [bytes(32, 1), bytes(12, 2), bytes(40, 3)],
  ],
  'noble hmac': [
    (_door, key, data) => nobleHmac(sha256, key, data),
    () => [bytes(32, 1), bytes(40, 3)],
  ],
  'noble kmac': [
    (_door, key, data, options) => kmac256(key, data, options),
    () => [bytes(32, 1), bytes(40, 3), { dkLen: 32, personalization: bytes(8, 5) }],
  ],
  'millrace seal': [
    (_door, options) => millrace.seal('aes-256-gcm', options),
    () => [{ key: bytes(32, 1), nonce: bytes(12, 2), source: bytes(40, 3), aad: bytes(8, 4) }],
  ],
  'millrace createCipher': [
    (_door, options) => millrace.createCipher('aes-256-gcm', options).update('text'),
    () => [{ key: bytes(32, 1), nonce: bytes(12, 2), aad: bytes(8, 4), authTagLength: 16 }],
  ],
  'millrace hash': [
    (_door, data, options) => millrace.hash('kmac256', data, options),
    () => [bytes(40, 3), { key: bytes(32, 1), customization: bytes(8, 4), encoding: 'buffer' }],
  ],
  'millrace/promises seal': [
    (_door, options) => promises.seal('aes-256-gcm', options),
    () => [{ key: bytes(32, 1), nonce: bytes(12, 2), source: bytes(40, 3), aad: bytes(8, 4) }],
  ],
};

function asBuffer(view) {
  return Object.setPrototypeOf(view, Buffer.prototype);
}

const deeds = {
  detach: ({ buffer }) => structuredClone(buffer, { transfer: [buffer] }),
  shrink: ({ buffer }) => buffer.resize(1),
};

const isView = ArrayBuffer.isView;
const isOptions = (value) => typeof value === 'object' && !isView(value);

/** Returns all buffers of the arguments. */
const buffersOf = (given) =>
  given.flatMap((each) => (isView(each) ? [each] : Object.values(each).filter(isView)));

/** Ways to run code when the argument at a place is read: functions that arm it, by name. */
function armsOf(given) {
  const arms = [];
  for (const [index, value] of given.entries()) {
    if (isOptions(value)) {
      for (const name of Object.keys(value))
        arms.push([
          `${index}.${name}`,
          (own, run) => {
            const { [name]: inner } = own[index];
            Object.defineProperty(own[index], name, {
              enumerable: true,
              get: () => (run(), inner),
            });
          },
        ]);
      arms.push([
        `${index} as a Proxy`,
        (own, run) => {
          const { get, ownKeys } = Reflect;
          own[index] = new Proxy(own[index], {
            get: (...trapped) => (run(), get(...trapped)),
            ownKeys: (...trapped) => (run(), ownKeys(...trapped)),
          });
        },
      ]);
      continue;
    }
    for (const name of ['length', 'byteLength', 'byteOffset', 'buffer', 'constructor'])
      arms.push([
        `${index}.${name} of a view`,
        (own, run) => {
          const view = own[index];
          const { [name]: inner } = view;
          Object.defineProperty(view, name, { get: () => (run(), inner), configurable: true });
        },
      ]);
    arms.push([
      `${index}, its prototype`,
      (own, run) => {
        const view = own[index];
        const prototype = Object.getPrototypeOf(view);
        Object.setPrototypeOf(
          view,
          new Proxy(prototype, { getPrototypeOf: () => (run(), prototype) }),
        );
      },
    ]);
  }
  return arms;
}

async function outcome(call, library, given) {
  try {
    const value = await call(library, ...given);
    return {
      value: [value]
        .flat()
        .map((each) => (isView(each) ? hex(each) : String(each)))
        .join(),
    };
  } catch (error) {
    return { error };
  }
}

const hex = (view) => Buffer.from(new Uint8Array(view)).toString('hex');

for (const [name, [call, make]] of Object.entries(calls)) {
  test(`${name}: arguments that change each other's memory`, async () => {
    const whole = await outcome(call, undefined, make());
    assert.ok(whole.value !== undefined, whole.error?.stack);
    const zeros = make();
    for (const buffer of buffersOf(zeros).slice(0, 1)) buffer.fill(0);
    const underZeros = await outcome(call, undefined, zeros);
    for (const [place, arm] of armsOf(make())) {
      for (const victim of buffersOf(make()).keys()) {
        for (const [deed, act] of Object.entries(deeds)) {
          const hit = (own) => {
            const buffer = buffersOf(own)[victim];
            let done = false;
            arm(own, () => {
              if (done) return;
              done = true;
              act(buffer);
            });
            return own;
          };
          const what = `${place} would ${deed} buffer ${victim}`;
          const found = await outcome(call, undefined, hit(make()));
          // HMAC under no bytes is HMAC under zeros: Node.js decides.
          if (!name.startsWith('node-crypto')) assert.notEqual(found.value, underZeros.value, what);
          else {
            const theirs = await outcome(call, node, hit(make()));
            assert.equal(found.value, theirs.value, what);
            assert.equal(found.error?.code, theirs.error?.code, what);
          }
          if (found.error !== undefined && !/^(n|crypto-async)/.test(name)) {
            assert.ok(found.error.code?.startsWith('ERR_'), `${what}: ${found.error.stack}`);
          }
        }
      }
    }
  });
}

test('node-crypto: a getter that detaches the key does not make a key of zeros', () => {
  for (const method of ['createCipheriv', 'createDecipheriv']) {
    for (const crypto of [nodeCrypto, node]) {
      const key = new Uint8Array(new ArrayBuffer(32)).fill(9);
      const options = {
        get authTagLength() {
          if (key.length > 0) structuredClone(key.buffer, { transfer: [key.buffer] });
          return 16;
        },
      };
      assert.throws(() => crypto[method]('aes-256-gcm', key, Buffer.alloc(12), options), {
        code: 'ERR_CRYPTO_INVALID_KEYLEN',
      });
    }
  }
});
