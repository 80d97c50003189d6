// The calls with counted instructions: one or a few of each operation, call style and entry
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
const running = millrace.createHash('sha256');
const number = millrace.hash('sha256', x64, 'bigint');
const later = (start) => () =>
  new Promise((resolve, reject) => {
    start((error, result) => (error ? reject(error) : resolve(result)));
  });

/** The calls by name. */
const list = {
  'hash sha256 64 B': () => millrace.hash('sha256', x64),
  'hash sha256 64 B hex': () => millrace.hash('sha256', x64, 'hex'),
  'hash sha256 64 B bigint': () => millrace.hash('sha256', x64, 'bigint'),
  'hash sha256 64 B { encoding: hex }': () => millrace.hash('sha256', x64, { encoding: 'hex' }),
  'hash sha256 64 B { target }': () => millrace.hash('sha256', x64, { target }),
  'hash sha256 text hex': () => millrace.hash('sha256', text, 'hex'),
  'hash sha256 4 KiB': () => millrace.hash('sha256', x4k),
  'hash sha512 64 B': () => millrace.hash('sha512', x64),
  'hash sha1 64 B hex': () => millrace.hash('sha1', x64, 'hex'),
  'hash md5 64 B hex': () => millrace.hash('md5', x64, 'hex'),
  'hash sha3-256 64 B': () => millrace.hash('sha3-256', x64),
  'hash keccak256 64 B hex': () => millrace.hash('keccak256', x64, 'hex'),
  'hash keccak256 64 B bigint': () => millrace.hash('keccak256', x64, 'bigint'),
  'hash blake2b512 64 B': () => millrace.hash('blake2b512', x64),
  'hash blake3 64 B': () => millrace.hash('blake3', x64),
  'hash blake3 64 B { key }': () => millrace.hash('blake3', x64, { key }),
  'hash xxh32 64 B bigint': () => millrace.hash('xxh32', x64, 'bigint'),
  'hash xxh64 16 B bigint': () => millrace.hash('xxh64', x16, 'bigint'),
  'hash xxh64 64 B hex': () => millrace.hash('xxh64', x64, 'hex'),
  'hash xxh3-64 16 B bigint': () => millrace.hash('xxh3-64', x16, 'bigint'),
  'hash xxh3-128 1 KiB bigint': () => millrace.hash('xxh3-128', x1k, 'bigint'),
  'hash xxh64 64 B { seed }': () => millrace.hash('xxh64', x64, { seed: 7n, encoding: 'bigint' }),

  'hmac sha256 64 B, raw key': () => millrace.hmac('sha256', key, x64),
  'hmac sha256 64 B, prepared key': () => millrace.hmac('sha256', hmacKey, x64),
  'hmac sha256 64 B, prepared key { target }': () =>
    millrace.hmac('sha256', hmacKey, x64, { target }),
  'hmac sha256 64 B hex': () => millrace.hmac('sha256', key, x64, 'hex'),
  'hmac sha256 64 B, KeyObject': () => millrace.hmac('sha256', keyObject, x64),
  'hmac sha256 64 B, fresh KeyObject': () => millrace.hmac('sha256', createSecretKey(key), x64),

  'cipher aes-256-ctr 64 B': () => millrace.cipher('aes-256-ctr', 1, key, iv, x64),
  'cipher aes-256-ctr 64 B, prepared key { target }': () =>
    millrace.cipher('aes-256-ctr', { encrypt: true, key: ctrKey, iv, source: x64, target }),
  'cipher aes-256-gcm 64 B, tag': () => millrace.cipher('aes-256-gcm', 1, key, nonce, x64, iv, tag),
  'cipher chacha20 64 B': () => millrace.cipher('chacha20', 1, key, iv, x64),
  'seal aes-256-gcm 64 B': () => millrace.seal('aes-256-gcm', { key, nonce, source: x64 }),
  'seal aes-256-gcm 64 B, KeyObject': () =>
    millrace.seal('aes-256-gcm', { key: keyObject, nonce, source: x64 }),
  'seal aes-256-gcm 64 B, prepared key': () =>
    millrace.seal('aes-256-gcm', { key: gcmKey, nonce, source: x64 }),
  'seal aes-256-gcm 64 B, prepared key, target': () =>
    millrace.seal('aes-256-gcm', { key: gcmKey, nonce, source: x64, target: sealTarget }),
  'seal aes-256-gcm 1 KiB, prepared key': () =>
    millrace.seal('aes-256-gcm', { key: gcmKey, nonce, source: x1k }),
  'seal chacha20-poly1305 64 B': () =>
    millrace.seal('chacha20-poly1305', { key, nonce, source: x64 }),
  'open aes-256-gcm 64 B': () => millrace.open('aes-256-gcm', { key, nonce, source: sealed }),
  'open chacha20-poly1305 64 B': () =>
    millrace.open('chacha20-poly1305', { key, nonce, source: sealedChacha }),
  'createKey aes-256-gcm': () => millrace.createKey('aes-256-gcm', key).dispose(),

  'hashMany sha256 16 x 64 B': () => millrace.hashMany('sha256', many),
  'hashMany sha256 16 x 64 B packed': () => millrace.hashMany('sha256', packed),
  'hashMany sha256 16 x 64 B { target }': () =>
    millrace.hashMany('sha256', many, { target: manyTarget }),
  'hashMany keccak256 16 x 64 B hex': () => millrace.hashMany('keccak256', many, 'hex'),
  'hmacMany sha256 16 x 64 B': () => millrace.hmacMany('sha256', key, many),

  'createHash sha256, 3 updates of 64 B, hex': () =>
    millrace.createHash('sha256').update(x64).update(x64).update(x64).digest('hex'),
  'Hash.reset sha256, 1 update of 64 B': () => hasher.reset().update(x64).digest(),
  'Hash.update sha256 1 KiB': () => running.update(x1k),
  'createHmac sha256, 1 update of 64 B, hex': () =>
    millrace.createHmac('sha256', key).update(x64).digest('hex'),

  'promises.hash sha256 64 B': () => promises.hash('sha256', x64),
  'promises.hash sha256 64 B, 16 in flight': () =>
    Promise.all(Array.from({ length: 16 }, () => promises.hash('sha256', x64))),
  'promises.hash sha256 64 B { route: inline }': () =>
    promises.hash('sha256', x64, { route: 'inline' }),
  'promises.seal aes-256-gcm 64 B { route: inline }': () =>
    promises.seal('aes-256-gcm', { key, nonce, source: x64, route: 'inline' }),
  'hash sha256 64 B, callback': later((done) => millrace.hash('sha256', x64, done)),

  'crypto-async hash sha256 64 B': () => compatible.hash('sha256', x64),
  'crypto-async hmac sha256 64 B': () => compatible.hmac('sha256', key, x64),
  'crypto-async cipher aes-256-ctr 64 B': () => compatible.cipher('aes-256-ctr', 1, key, iv, x64),
  'bigint-hash hashAsBigInt sha256 64 B': () =>
    bigints.hashAsBigInt(bigints.HashType?.SHA256 ?? 'sha256', x64),
  'bigint-hash toBigIntBE 32 B': () => bigints.toBigIntBE(key),
  'bigint-hash toBufferBE 32 B': () => bigints.toBufferBE(number, 32),

  'scrypt N=16 r=1 p=1': () => millrace.scrypt('pw', salt, 32, { N: 16, r: 1, p: 1 }),
  'pbkdf2 sha256, 1 iteration': () => millrace.pbkdf2('pw', salt, 1, 32, 'sha256'),
  'hkdf sha256 32 B': () => millrace.hkdf('sha256', key, salt, '', 32),
  'argon2id m=8 t=1 p=1': () =>
    millrace.argon2('argon2id', {
      message: 'password',
      nonce: salt,
      parallelism: 1,
      tagLength: 32,
      memory: 8,
      passes: 1,
    }),
  'timingSafeEqual 32 B': () => millrace.timingSafeEqual(key, key),
};

export const calls = Object.entries(list).map(([name, call]) => ({ name, call }));

/** Results of 32 bytes fill Node's pool exactly so many times. */
const TIMES = 256;

/** Fewer times, for calls that take long. */
const fewer = {
  'hash sha256 4 KiB': 32,
  'createKey aes-256-gcm': 64,
  'hashMany sha256 16 x 64 B': 16,
  'hashMany sha256 16 x 64 B packed': 16,
  'hashMany sha256 16 x 64 B { target }': 16,
  'hashMany keccak256 16 x 64 B hex': 16,
  'hmacMany sha256 16 x 64 B': 16,
  'createHash sha256, 3 updates of 64 B, hex': 64,
  'createHmac sha256, 1 update of 64 B, hex': 64,
  'promises.hash sha256 64 B, 16 in flight': 16,
  'scrypt N=16 r=1 p=1': 16,
  'pbkdf2 sha256, 1 iteration': 32,
  'hkdf sha256 32 B': 32,
  'argon2id m=8 t=1 p=1': 8,
};

/** Returns how many more calls the longer one of two sections has. */
export function timesOf({ name }) {
  return fewer[name] ?? TIMES;
}
