// The bytes that calls of the portable engine leave in the memory of its module and of the caller.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hashNames } from '../support/algorithms.mjs';
import { leftIn, message, nonce, secret, wasmInstances } from '../support/wasm-memory.mjs';
import millrace from 'millrace';

const engine = 'portable';
const aeads = ['aes-256-gcm', 'aes-256-gcm-siv', 'chacha20-poly1305'];
/** Longer than the window that a message passes through. */
const long = new Uint8Array(200_000);
for (let at = 0; at < long.length; at += message.length)
  long.set(message.subarray(0, Math.min(message.length, long.length - at)), at);

const calls = {
  'a hash': () => millrace.hash('sha256', message, { engine }),
  ...Object.fromEntries(
    hashNames
      .filter((name) => !/^(xxh|crc)/.test(name))
      .map((name) => [
        `a long ${name}`,
        () => {
          const options = name.startsWith('kmac') ? { key: nonce, engine } : { engine };
          millrace.hash(name, name.startsWith('tuple') ? [long] : long, options);
        },
      ]),
  ),
  'a long hash without options': () => {
    millrace.configure({ engine });
    try {
      for (const name of ['sha256', 'sha3-256']) millrace.hash(name, long, 'hex');
    } finally {
      millrace.configure({ engine: 'auto' });
    }
  },
  'many hashes': () => millrace.hashMany('sha512', [message, secret, message], { engine }),
  'a keyed hash': () => millrace.hash('blake2b512', message, { key: secret, engine }),
  KMAC: () => millrace.hash('kmac256', message, { key: secret, engine }),
  HMAC: () => millrace.hmac('sha256', secret, message, { engine }),
  'a verified HMAC': () => {
    const mac = millrace.hmac('sha512', secret, message, { engine });
    assert.ok(millrace.verifyHmac('sha512', { key: secret, source: message, mac, engine }));
  },
  'a running hash': () =>
    millrace.createHash('sha3-256', { engine }).update(message).update(secret).digest(),
  'a running HMAC': () =>
    millrace.createHmac('sha256', secret, { engine }).update(message).digest(),
  PBKDF2: () => millrace.pbkdf2(secret, 'salt', 100, 40, 'sha512', { engine }),
  HKDF: () => millrace.hkdf('sha256', secret, 'salt', 'info', 40, { engine }),
  scrypt: () => millrace.scrypt(secret, 'salt', 32, { N: 16, engine }),
  Argon2: () =>
    millrace.argon2('argon2id', {
      message: secret,
      nonce: message.subarray(0, 16),
      memory: 64,
      engine,
    }),
  'a stream cipher': () =>
    millrace.cipher('aes-256-ctr', {
      key: secret,
      iv: new Uint8Array(16),
      source: message,
      encrypt: true,
      engine,
    }),
  ...Object.fromEntries(
    aeads.flatMap((name) =>
      [message, long].flatMap((source) => {
        const given = { key: secret, nonce, aad: message.subarray(0, 99), engine };
        const title = `${source.length} bytes by ${name}`;
        return [
          [`sealing ${title}`, () => millrace.seal(name, { ...given, source })],
          [
            `opening ${title}`,
            () => {
              millrace.open(name, { ...given, source: millrace.seal(name, { ...given, source }) });
            },
          ],
          [
            `refusing ${title}`,
            () => {
              const sealed = millrace.seal(name, { ...given, source });
              sealed[0] ^= 1;
              assert.throws(() => millrace.open(name, { ...given, source: sealed }), {
                code: 'ERR_AUTHENTICATION',
              });
            },
          ],
        ];
      }),
    ),
  ),
  ...Object.fromEntries(
    ['aes-256-gcm', 'chacha20-poly1305'].map((name) => [
      `an incremental message by ${name}`,
      () => {
        const cipher = millrace.createCipher(name, { key: secret, nonce, engine });
        cipher.update(message);
        cipher.update(long);
        cipher.final();
      },
    ]),
  ),
  'a disposed key': () => {
    const key = millrace.createKey('aes-256-gcm', secret, { engine });
    millrace.seal('aes-256-gcm', { key, nonce, source: message, engine });
    key.dispose();
  },
  "a disposed MAC's key": () => {
    const key = millrace.createKey('hmac-sha256', secret, { engine });
    millrace.hmac('sha256', key, message, { engine });
    key.dispose();
  },
};

test('the search finds what is there', () => {
  millrace.hash('sha256', message, { engine });
  const [{ exports }] = wasmInstances;
  const place = new Uint8Array(exports.memory.buffer, 70_000, secret.length);
  place.set(secret);
  try {
    assert.notDeepEqual(leftIn(secret), []);
  } finally {
    place.fill(0);
  }
});

for (const [name, call] of Object.entries(calls))
  test(`${name} leaves no secret in the memory of the module`, () => {
    call();
    assert.ok(wasmInstances.size > 0);
    assert.deepEqual([leftIn(secret), leftIn(message)], [[], []]);
  });

for (const name of aeads)
  for (const size of [100, long.length])
    test(`${name}: ${size} bytes that do not authenticate leave zeros in place`, () => {
      const given = { key: secret, nonce, engine };
      const sealed = millrace.seal(name, { ...given, source: long.subarray(0, size) });
      sealed[size >> 1] ^= 1;
      const target = sealed.subarray(0, size);
      assert.throws(() => millrace.open(name, { ...given, source: sealed, target }), {
        code: 'ERR_AUTHENTICATION',
      });
      assert.ok(target.every((byte) => byte === 0));
    });

test('a call that is refused before it begins leaves its target as it is', () => {
  const target = new Uint8Array(long.length + 16).fill(7);
  const source = target.subarray(0, long.length);
  const given = { key: secret.subarray(1), nonce, source, target, engine };
  assert.throws(() => millrace.seal('aes-256-gcm', given), {
    code: 'ERR_KEY_SIZE',
  });
  assert.ok(target.every((byte) => byte === 7));
});
