// The modules behind millrace/portable: what is left in their memory, long messages, and runtimes
// that compile no WebAssembly.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import * as functions from 'millrace/portable';

import { portable } from '../support/portable-bundle.mjs';
import { leftIn, message, nonce, secret, wasmInstances } from '../support/wasm-memory.mjs';

const { sha256, sha512, aes_256_gcm, chacha20_poly1305, aes_256_gcm_siv, aes_256_ctr } = functions;
const calls = {
  'a hash': () => sha256(message),
  'a running hash': () => sha512.create().update(message).update(secret).digest(),
  'a keyed hash': () => functions.blake3(message, { key: secret }),
  KMAC: () => functions.kmac256(message, { key: secret }),
  HMAC: () => functions.hmac(sha256, secret, message),
  PBKDF2: () => functions.pbkdf2(secret, 'salt', 100, 40, sha512),
  HKDF: () => functions.hkdf(sha256, secret, 'salt', 'info', 40),
  scrypt: () => functions.scrypt(secret, 'salt', 32, { N: 16 }),
  Argon2: () =>
    functions.argon2('argon2id', { message: secret, nonce: message, memory: 64, secret }),
  'a stream cipher': () =>
    aes_256_ctr.encrypt({ key: secret, iv: secret.subarray(16), source: message }),
  'key wrap': () =>
    functions.wrapKey('aes-256-kw', { key: secret, source: message.subarray(0, 64) }),
  ...Object.fromEntries(
    [aes_256_gcm, aes_256_gcm_siv, chacha20_poly1305].flatMap((cipher) => {
      const given = { key: secret, nonce, aad: message.subarray(0, 99) };
      return [
        [`sealing by ${cipher.algorithm}`, () => cipher.seal({ ...given, source: message })],
        [
          `refusing by ${cipher.algorithm}`,
          () => {
            const source = cipher.seal({ ...given, source: message });
            source[0] ^= 1;
            assert.throws(() => cipher.open({ ...given, source }), { code: 'ERR_AUTHENTICATION' });
          },
        ],
      ];
    }),
  ),
};

for (const [name, call] of Object.entries(calls))
  test(`${name} leaves no secret in the memory of its module`, () => {
    call();
    assert.ok(wasmInstances.size > 0);
    assert.deepEqual([leftIn(secret), leftIn(message)], [[], []]);
  });

test('messages are longer than a window', () => {
  const long = Uint8Array.from({ length: 1_000_003 }, (_, index) => index * index);
  for (const name of ['sha256', 'sha3-512', 'blake2b512', 'blake3', 'kt128', 'xxh3-64', 'crc32'])
    assert.equal(functions[name.replace('-', '_')](long, 'hex'), millrace.hash(name, long, 'hex'));
  for (const name of ['aes-256-gcm', 'aes-256-gcm-siv', 'chacha20-poly1305']) {
    const cipher = functions[name.replaceAll('-', '_')];
    for (const size of [65_536, 70_001, long.length]) {
      const given = { key: secret, nonce, aad: long, source: long.subarray(0, size) };
      const sealed = cipher.seal(given);
      assert.deepEqual(sealed, new Uint8Array(millrace.seal(name, given)), `${name}, ${size}`);
      assert.deepEqual(cipher.open({ ...given, source: sealed }), given.source);
    }
  }
  const iv = new Uint8Array(16).fill(255);
  for (const name of ['aes-128-ctr', 'chacha20']) {
    const given = { key: secret.subarray(0, name === 'chacha20' ? 32 : 16), iv, source: long };
    const expected = new Uint8Array(millrace.cipher(name, { ...given, encrypt: true }));
    assert.deepEqual(functions[name.replaceAll('-', '_')].encrypt(given), expected, name);
  }
  const output = functions.shake128('text', { outputLength: 300_000 });
  assert.deepEqual(functions.shake128.create().update('text').squeeze(300_000), output);
});

test('without WebAssembly the calls say so', async () => {
  const bare = await portable('src/portable/entry.ts');
  const { Module } = WebAssembly;
  WebAssembly.Module = class {
    constructor() {
      throw new WebAssembly.CompileError('refused');
    }
  };
  try {
    assert.throws(() => bare.sha256('text'), {
      code: 'ERR_ENGINE_UNAVAILABLE',
      message: /policy/i,
    });
  } finally {
    WebAssembly.Module = Module;
  }
  assert.equal(bare.sha256('text', 'hex'), millrace.hash('sha256', 'text', 'hex'));
});
