// The calls whose instructions are counted: one or a few of each operation, call style and entry
// point, with short messages, where the price of a call is most of it.
//
// A call must do the same work every time, and all of it on the main thread.

import { createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';

const load = createRequire(new URL('../../package.json', import.meta.url));
const millrace = load('millrace');
const promises = load('millrace/promises');
const compatible = load('millrace/crypto-async');
const bigints = load('millrace/bigint-hash');

const pattern = (size, seed) =>
  Buffer.from(Array.from({ length: size }, (_, i) => (i * 7 + seed) & 255));
const x16 = pattern(16, 1);
const x64 = pattern(64, 1);
const x1k = pattern(1024, 1);
const x4k = pattern(4096, 1);
const text = 'a text of some sixty-four characters, as a cache key might be it';
const key = pattern(32, 2);
const nonce = pattern(12, 3);
const iv = pattern(16, 3);
const salt = pattern(16, 4);
const target = Buffer.alloc(64);
const sealTarget = Buffer.alloc(80);
const tag = Buffer.alloc(16);
const many = Array.from({ length: 16 }, (_, index) => pattern(64, index));
const packed = { data: Buffer.concat(many), size: 64 };
const manyTarget = Buffer.alloc(16 * 32);
const gcmKey = millrace.createKey('aes-256-gcm', key);
const hmacKey = millrace.createKey('hmac-sha256', key);
const ctrKey = millrace.createKey('aes-256-ctr', key);
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: x64 });
const sealedChacha = millrace.seal('chacha20-poly1305', { key, nonce, source: x64 });
const keyObject = createSecretKey(key);
const hasher = millrace.createHash('sha256');
const number = millrace.hash('sha256', x64, 'bigint');
const later = (start) => () =>
  new Promise((resolve, reject) => {
    start((error, result) => (error ? reject(error) : resolve(result)));
  });

/** @type {{ name: string, call: () => any, times?: number }[]} */
export const calls = [
  { name: 'hash sha256 64 B', call: () => millrace.hash('sha256', x64) },
  { name: 'hash sha256 64 B hex', call: () => millrace.hash('sha256', x64, 'hex') },
  { name: 'hash sha256 64 B bigint', call: () => millrace.hash('sha256', x64, 'bigint') },
  {
    name: 'hash sha256 64 B { encoding: hex }',
    call: () => millrace.hash('sha256', x64, { encoding: 'hex' }),
  },
  { name: 'hash sha256 64 B { target }', call: () => millrace.hash('sha256', x64, { target }) },
  { name: 'hash sha256 text hex', call: () => millrace.hash('sha256', text, 'hex') },
  { name: 'hash sha256 4 KiB', call: () => millrace.hash('sha256', x4k), times: 32 },
  { name: 'hash sha512 64 B', call: () => millrace.hash('sha512', x64) },
  { name: 'hash sha1 64 B hex', call: () => millrace.hash('sha1', x64, 'hex') },
  { name: 'hash md5 64 B hex', call: () => millrace.hash('md5', x64, 'hex') },
  { name: 'hash sha3-256 64 B', call: () => millrace.hash('sha3-256', x64) },
  { name: 'hash keccak256 64 B hex', call: () => millrace.hash('keccak256', x64, 'hex') },
  { name: 'hash keccak256 64 B bigint', call: () => millrace.hash('keccak256', x64, 'bigint') },
  { name: 'hash blake2b512 64 B', call: () => millrace.hash('blake2b512', x64) },
  { name: 'hash blake3 64 B', call: () => millrace.hash('blake3', x64) },
  { name: 'hash blake3 64 B { key }', call: () => millrace.hash('blake3', x64, { key }) },
  { name: 'hash xxh32 64 B bigint', call: () => millrace.hash('xxh32', x64, 'bigint') },
  { name: 'hash xxh64 16 B bigint', call: () => millrace.hash('xxh64', x16, 'bigint') },
  { name: 'hash xxh64 64 B hex', call: () => millrace.hash('xxh64', x64, 'hex') },
  { name: 'hash xxh3-64 16 B bigint', call: () => millrace.hash('xxh3-64', x16, 'bigint') },
  { name: 'hash xxh3-128 1 KiB bigint', call: () => millrace.hash('xxh3-128', x1k, 'bigint') },
  {
    name: 'hash xxh64 64 B { seed }',
    call: () => millrace.hash('xxh64', x64, { seed: 7n, encoding: 'bigint' }),
  },

  { name: 'hmac sha256 64 B, raw key', call: () => millrace.hmac('sha256', key, x64) },
  { name: 'hmac sha256 64 B, prepared key', call: () => millrace.hmac('sha256', hmacKey, x64) },
  {
    name: 'hmac sha256 64 B, prepared key { target }',
    call: () => millrace.hmac('sha256', hmacKey, x64, { target }),
  },
  { name: 'hmac sha256 64 B hex', call: () => millrace.hmac('sha256', key, x64, 'hex') },
  { name: 'hmac sha256 64 B, KeyObject', call: () => millrace.hmac('sha256', keyObject, x64) },
  {
    name: 'hmac sha256 64 B, fresh KeyObject',
    call: () => millrace.hmac('sha256', createSecretKey(key), x64),
  },

  {
    name: 'cipher aes-256-ctr 64 B',
    call: () => millrace.cipher('aes-256-ctr', 1, key, iv, x64),
  },
  {
    name: 'cipher aes-256-ctr 64 B, prepared key { target }',
    call: () =>
      millrace.cipher('aes-256-ctr', { encrypt: true, key: ctrKey, iv, source: x64, target }),
  },
  {
    name: 'cipher aes-256-gcm 64 B, tag',
    call: () => millrace.cipher('aes-256-gcm', 1, key, nonce, x64, iv, tag),
  },
  {
    name: 'cipher chacha20 64 B',
    call: () => millrace.cipher('chacha20', 1, key, iv, x64),
  },
  {
    name: 'seal aes-256-gcm 64 B',
    call: () => millrace.seal('aes-256-gcm', { key, nonce, source: x64 }),
  },
  {
    name: 'seal aes-256-gcm 64 B, KeyObject',
    call: () => millrace.seal('aes-256-gcm', { key: keyObject, nonce, source: x64 }),
  },
  {
    name: 'seal aes-256-gcm 64 B, prepared key',
    call: () => millrace.seal('aes-256-gcm', { key: gcmKey, nonce, source: x64 }),
  },
  {
    name: 'seal aes-256-gcm 64 B, prepared key, target',
    call: () =>
      millrace.seal('aes-256-gcm', { key: gcmKey, nonce, source: x64, target: sealTarget }),
  },
  {
    name: 'seal aes-256-gcm 1 KiB, prepared key',
    call: () => millrace.seal('aes-256-gcm', { key: gcmKey, nonce, source: x1k }),
  },
  {
    name: 'seal chacha20-poly1305 64 B',
    call: () => millrace.seal('chacha20-poly1305', { key, nonce, source: x64 }),
  },
  {
    name: 'open aes-256-gcm 64 B',
    call: () => millrace.open('aes-256-gcm', { key, nonce, source: sealed }),
  },
  {
    name: 'open chacha20-poly1305 64 B',
    call: () => millrace.open('chacha20-poly1305', { key, nonce, source: sealedChacha }),
  },
  {
    name: 'createKey aes-256-gcm',
    call: () => millrace.createKey('aes-256-gcm', key).dispose(),
    times: 64,
  },

  { name: 'hashMany sha256 16 x 64 B', call: () => millrace.hashMany('sha256', many), times: 16 },
  {
    name: 'hashMany sha256 16 x 64 B packed',
    call: () => millrace.hashMany('sha256', packed),
    times: 16,
  },
  {
    name: 'hashMany sha256 16 x 64 B { target }',
    call: () => millrace.hashMany('sha256', many, { target: manyTarget }),
    times: 16,
  },
  {
    name: 'hashMany keccak256 16 x 64 B hex',
    call: () => millrace.hashMany('keccak256', many, 'hex'),
    times: 16,
  },
  {
    name: 'hmacMany sha256 16 x 64 B',
    call: () => millrace.hmacMany('sha256', key, many),
    times: 16,
  },

  {
    name: 'createHash sha256, 3 updates of 64 B, hex',
    call: () => millrace.createHash('sha256').update(x64).update(x64).update(x64).digest('hex'),
    times: 64,
  },
  {
    name: 'Hash.reset sha256, 1 update of 64 B',
    call: () => hasher.reset().update(x64).digest(),
  },
  {
    name: 'createHmac sha256, 1 update of 64 B, hex',
    call: () => millrace.createHmac('sha256', key).update(x64).digest('hex'),
    times: 64,
  },

  { name: 'promises.hash sha256 64 B', call: () => promises.hash('sha256', x64) },
  {
    name: 'promises.hash sha256 64 B, 16 in flight',
    call: () => Promise.all(Array.from({ length: 16 }, () => promises.hash('sha256', x64))),
    times: 16,
  },
  {
    name: 'promises.hash sha256 64 B { route: inline }',
    call: () => promises.hash('sha256', x64, { route: 'inline' }),
  },
  {
    name: 'promises.seal aes-256-gcm 64 B { route: inline }',
    call: () => promises.seal('aes-256-gcm', { key, nonce, source: x64, route: 'inline' }),
  },
  {
    name: 'hash sha256 64 B, callback',
    call: later((done) => millrace.hash('sha256', x64, done)),
  },

  {
    name: 'crypto-async hash sha256 64 B',
    call: () => compatible.hash('sha256', x64),
  },
  {
    name: 'crypto-async hmac sha256 64 B',
    call: () => compatible.hmac('sha256', key, x64),
  },
  {
    name: 'crypto-async cipher aes-256-ctr 64 B',
    call: () => compatible.cipher('aes-256-ctr', 1, key, iv, x64),
  },
  {
    name: 'bigint-hash hashAsBigInt sha256 64 B',
    call: () => bigints.hashAsBigInt(bigints.HashType?.SHA256 ?? 'sha256', x64),
  },
  { name: 'bigint-hash toBigIntBE 32 B', call: () => bigints.toBigIntBE(key) },
  { name: 'bigint-hash toBufferBE 32 B', call: () => bigints.toBufferBE(number, 32) },

  {
    name: 'scrypt N=16 r=1 p=1',
    call: () => millrace.scrypt('pw', salt, 32, { N: 16, r: 1, p: 1 }),
    times: 16,
  },
  {
    name: 'pbkdf2 sha256, 1 iteration',
    call: () => millrace.pbkdf2('pw', salt, 1, 32, 'sha256'),
    times: 32,
  },
  {
    name: 'hkdf sha256 32 B',
    call: () => millrace.hkdf('sha256', key, salt, '', 32),
    times: 32,
  },
  {
    name: 'argon2id m=8 t=1 p=1',
    call: () =>
      millrace.argon2('argon2id', {
        message: 'password',
        nonce: salt,
        parallelism: 1,
        tagLength: 32,
        memory: 8,
        passes: 1,
      }),
    times: 8,
  },
  { name: 'timingSafeEqual 32 B', call: () => millrace.timingSafeEqual(key, key) },
];

/** Results of 32 bytes fill Node's pool exactly so many times. */
const TIMES = 256;

/** How many more calls the longer one of two sections has. */
export function timesOf({ times = TIMES }) {
  return times;
}
