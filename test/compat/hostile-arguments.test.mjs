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

const isView = ArrayBuffer.isView;
const isOptions = (value) => typeof value === 'object' && !isView(value);
const bytes = (size, byte = size) =>
  new Uint8Array(new ArrayBuffer(size, { maxByteLength: size })).fill(byte);
const asBuffer = (size) => Object.setPrototypeOf(bytes(size), Buffer.prototype);
const tagged = { authTagLength: 16 };
const sealing = { key: bytes(32), nonce: bytes(12), source: bytes(40), aad: bytes(8) };
const cost = { N: 2, r: 1, p: 1, maxmem: 2 ** 20 };

/** Calls of node:crypto or of its replacement, and arguments: buffers, objects and texts. */
const calls = {
  createCipheriv: [
    (library, key, iv, options, data) => {
      const cipher = library.createCipheriv('aes-256-gcm', key, iv, options);
      return [cipher.update(data), cipher.final(), cipher.getAuthTag()];
    },
    [bytes(32), bytes(12), tagged, bytes(40)],
  ],
  createDecipheriv: [
    (library, key, iv, options, data) =>
      library.createDecipheriv('aes-256-gcm', key, iv, options).update(data),
    [bytes(32), bytes(12), tagged, bytes(40)],
  ],
  createHmac: [
    (library, key, options, data) =>
      library.createHmac('sha256', key, options).update(data).digest(),
    [bytes(32), { encoding: undefined }, bytes(40)],
  ],
  createHash: [
    (library, options, data) => library.createHash('sha256', options).update(data).digest(),
    [{ outputLength: 32 }, bytes(40)],
  ],
  scryptSync: [
    (library, password, salt, options) => library.scryptSync(password, salt, 16, options),
    [bytes(32), bytes(16), cost],
  ],
  pbkdf2Sync: [
    (library, password, salt) => library.pbkdf2Sync(password, salt, 2, 16, 'sha256'),
    [bytes(32), bytes(16)],
  ],
  hkdfSync: [
    (library, key, salt, info) => library.hkdfSync('sha256', key, salt, info, 16),
    [bytes(32), bytes(16), bytes(8)],
  ],
};

/** Calls of the other entry points. */
const others = {
  'crypto-async cipher': [
    (key, iv, source, aad, tag) => {
      const target = new Uint8Array(40);
      const windows = [key, 0, 32, iv, 0, 12, source, 0, 40, target, 0, aad, 0, 8, tag, 0, 16];
      cryptoAsync.cipher('aes-256-gcm', 1, ...windows);
      return target;
    },
    [bytes(32), bytes(12), bytes(40), bytes(8), bytes(16)],
  ],
  'crypto-async cipher of Buffers': [
    (key, iv, source) => cryptoAsync.cipher('aes-256-ctr', 1, key, iv, source),
    [32, 16, 40].map(asBuffer),
  ],
  'crypto-async hmac': [
    (key, source) => cryptoAsync.hmac('sha256', key, source),
    [32, 40].map(asBuffer),
  ],
  'bigint-hash hashAsBuffer': [(data) => bigintHash.hashAsBuffer('sha256', data), [bytes(40)]],
  'bigint-hash update': [
    (data) => bigintHash.getHasher('sha256').update(data).digest(),
    [bytes(40)],
  ],
  'bigint-buffer toBigIntLE': [bigintBuffer.toBigIntLE, [bytes(40)]],
  'noble gcm': [
    (key, nonce, aad, data) => gcm(key, nonce, aad).encrypt(data),
    [bytes(32), bytes(12), bytes(8), bytes(40)],
  ],
  'noble ctr': [
    (key, nonce, data) => ctr(key, nonce).encrypt(data),
    [bytes(32), bytes(16), bytes(40)],
  ],
  'noble chacha20': [chacha20, [bytes(32), bytes(12), bytes(40)]],
  'noble hmac': [(key, data) => nobleHmac(sha256, key, data), [bytes(32), bytes(40)]],
  'noble kmac': [kmac256, [bytes(32), bytes(40), { dkLen: 32, personalization: bytes(8) }]],
  'millrace seal': [(options) => millrace.seal('aes-256-gcm', options), [sealing]],
  'millrace createCipher': [
    (options) => millrace.createCipher('aes-256-gcm', options).update('text'),
    [{ key: bytes(32), nonce: bytes(12), aad: bytes(8), ...tagged }],
  ],
  'millrace hash': [
    (data, options) => millrace.hash('kmac256', data, options),
    [bytes(40), { key: bytes(32), customization: bytes(8), encoding: 'buffer' }],
  ],
  'millrace/promises seal': [(options) => promises.seal('aes-256-gcm', options), [sealing]],
};

/** Copies an argument, and the buffers in it: the calls change them. */
function copy(value) {
  if (isView(value))
    return Object.setPrototypeOf(bytes(value.length), Object.getPrototypeOf(value));
  if (!isOptions(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]));
}

const deeds = {
  detach: ({ buffer }) => structuredClone(buffer, { transfer: [buffer] }),
  shrink: ({ buffer }) => buffer.resize(1),
};

/** Returns all buffers of the arguments. */
const buffersOf = (given) =>
  given.flatMap((each) => (isView(each) ? [each] : Object.values(each).filter(isView)));

/** Ways to run code when the argument at a place is read: functions that arm it, by name. */
function armsOf(given) {
  const onProperty = (index, name) => [
    `${index}.${name}`,
    (own, run) => {
      const { [name]: inner } = own[index];
      const get = () => (run(), inner);
      Object.defineProperty(own[index], name, {
        get,
        configurable: true,
        enumerable: isOptions(own[index]),
      });
    },
  ];
  const { get, ownKeys } = Reflect;
  const asProxy = (index) => [
    `${index} as a Proxy`,
    (own, run) => {
      own[index] = new Proxy(own[index], {
        get: (...trapped) => (run(), get(...trapped)),
        ownKeys: (...trapped) => (run(), ownKeys(...trapped)),
      });
    },
  ];
  const withPrototype = (index) => [
    `${index}, its prototype`,
    (own, run) => {
      const prototype = Object.getPrototypeOf(own[index]);
      const getPrototypeOf = () => (run(), prototype);
      Object.setPrototypeOf(own[index], new Proxy(prototype, { getPrototypeOf }));
    },
  ];
  const ofViews = ['length', 'byteLength', 'byteOffset', 'buffer', 'constructor'];
  return given.flatMap((value, index) => {
    const names = isOptions(value) ? Object.keys(value) : ofViews;
    const last = isOptions(value) ? asProxy : withPrototype;
    return [...names.map((name) => onProperty(index, name)), last(index)];
  });
}

/** Returns what a call gives as text, or its error. */
async function outcome(call, given) {
  try {
    const value = [await call(...given)].flat();
    return { value: value.map((each) => (isView(each) ? hex(each) : String(each))).join() };
  } catch (error) {
    return { error };
  }
}

const hex = (view) => Buffer.from(new Uint8Array(view)).toString('hex');

/** Calls with arguments of which each detaches or shrinks each buffer; `check` gets the outcome. */
async function disturb(call, args, check) {
  const make = () => args.map(copy);
  for (const [place, arm] of armsOf(make()))
    for (const victim of buffersOf(make()).keys())
      for (const [deed, act] of Object.entries(deeds)) {
        const hit = () => {
          const own = make();
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
        await check(await outcome(call, hit()), hit, what);
      }
}

for (const [name, [call, args]] of Object.entries(others))
  test(`${name}: arguments that change each other's memory`, async () => {
    const whole = await outcome(call, args.map(copy));
    assert.ok(whole.value !== undefined, whole.error?.stack);
    const zeros = args.map(copy);
    buffersOf(zeros)[0].fill(0);
    const underZeros = await outcome(call, zeros);
    await disturb(call, args, ({ value, error }, _, what) => {
      assert.notEqual(value, underZeros.value, what);
      if (error !== undefined && !/^(noble|crypto-async)/.test(name))
        assert.ok(error.code?.startsWith('ERR_'), `${what}: ${error.stack}`);
    });
  });

// HMAC under no bytes is HMAC under zeros: Node.js decides.
for (const [name, [call, args]] of Object.entries(calls))
  test(`node-crypto ${name}: arguments that change each other's memory`, async () => {
    const ours = (...given) => call(nodeCrypto, ...given);
    const whole = await outcome(ours, args.map(copy));
    assert.ok(whole.value !== undefined, whole.error?.stack);
    await disturb(ours, args, async (found, hit, what) => {
      const theirs = await outcome((...given) => call(node, ...given), hit());
      assert.equal(found.value, theirs.value, what);
      assert.equal(found.error?.code, theirs.error?.code, what);
    });
  });

test('node-crypto: a getter that detaches the key does not make a key of zeros', () => {
  for (const method of ['createCipheriv', 'createDecipheriv']) {
    for (const crypto of [nodeCrypto, node]) {
      const key = new Uint8Array(new ArrayBuffer(32)).fill(9);
      const options = {
        get authTagLength() {
          if (key.length > 0) deeds.detach(key);
          return 16;
        },
      };
      assert.throws(() => crypto[method]('aes-256-gcm', key, Buffer.alloc(12), options), {
        code: 'ERR_CRYPTO_INVALID_KEYLEN',
      });
    }
  }
});
