// @ronomon/crypto-async 5, the original package: friendly forms (a new Buffer) and zero-copy
//   windows.
// An empty AAD must be a slice of something: an empty Buffer of its own aborts the process.

import { requirePackage, version } from '../packages.mjs';

export const name = 'crypto-async';
export const packageName = '@ronomon/crypto-async';

export function load() {
  return { cryptoAsync: requirePackage(packageName), version: version(packageName) };
}

export function prepare(_tools, inputs) {
  inputs.noAad = Buffer.alloc(16).subarray(0, 0);
}

const sync = { wait: 'sync' };
const callback = { wait: 'callback' };
const buffer = { output: 'buffer' };
const into = { output: 'into' };
const hash = { group: 'hash' };
const hmac = { group: 'hmac' };
const cipher = { group: 'cipher' };
const seal = { group: 'aead', operation: 'seal' };
const open = { group: 'aead', operation: 'open' };

export const forms = [
  {
    name: 'hash',
    ...hash,
    output: 'hex',
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, source }) =>
      () =>
        cryptoAsync.hash(algorithm, source).toString('hex'),
  },
  {
    name: 'hash',
    ...hash,
    ...buffer,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, source }) =>
      () =>
        cryptoAsync.hash(algorithm, source),
  },
  {
    name: 'hash',
    ...hash,
    ...buffer,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, source }) =>
      (done) =>
        cryptoAsync.hash(algorithm, source, done),
  },
  {
    name: 'hash zero-copy',
    ...hash,
    ...into,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, source, size, target }) =>
      () =>
        cryptoAsync.hash(algorithm, source, 0, size, target, 0),
  },
  {
    name: 'hash zero-copy',
    ...hash,
    ...into,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, source, size, target }) =>
      (done) =>
        cryptoAsync.hash(algorithm, source, 0, size, target, 0, done),
  },

  {
    name: 'hmac',
    ...hmac,
    ...buffer,
    ...sync,
    make:
      ({ cryptoAsync }, { hash, rawKey, source }) =>
      () =>
        cryptoAsync.hmac(hash, rawKey, source),
  },
  {
    name: 'hmac',
    ...hmac,
    ...buffer,
    ...callback,
    make:
      ({ cryptoAsync }, { hash, rawKey, source }) =>
      (done) =>
        cryptoAsync.hmac(hash, rawKey, source, done),
  },
  {
    name: 'hmac zero-copy',
    ...hmac,
    ...into,
    ...sync,
    make:
      ({ cryptoAsync }, { hash, rawKey, source, size, target }) =>
      () =>
        cryptoAsync.hmac(hash, rawKey, 0, 32, source, 0, size, target, 0),
  },

  {
    name: 'cipher',
    ...cipher,
    ...buffer,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source }) =>
      () =>
        cryptoAsync.cipher(algorithm, 1, rawKey, iv, source),
  },
  {
    name: 'cipher',
    ...cipher,
    ...buffer,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source }) =>
      (done) =>
        cryptoAsync.cipher(algorithm, 1, rawKey, iv, source, done),
  },
  {
    name: 'cipher zero-copy',
    ...cipher,
    ...into,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source, size, target }) =>
      () =>
        cryptoAsync.cipher(algorithm, 1, rawKey, 0, 32, iv, 0, 16, source, 0, size, target, 0),
  },
  {
    name: 'cipher zero-copy',
    ...cipher,
    ...into,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source, size, target }) =>
      (done) =>
        cryptoAsync.cipher(
          algorithm,
          1,
          rawKey,
          0,
          32,
          iv,
          0,
          16,
          source,
          0,
          size,
          target,
          0,
          done,
        ),
  },

  {
    name: 'cipher',
    ...seal,
    ...buffer,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source, noAad, tag }) =>
      () =>
        cryptoAsync.cipher(algorithm, 1, rawKey, iv, source, noAad, tag),
  },
  {
    name: 'cipher',
    ...seal,
    ...buffer,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source, noAad, tag }) =>
      (done) =>
        cryptoAsync.cipher(algorithm, 1, rawKey, iv, source, noAad, tag, done),
  },
  {
    name: 'cipher zero-copy',
    ...seal,
    ...into,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source, size, target, tag }) =>
      () =>
        cryptoAsync.cipher(
          algorithm,
          1,
          rawKey,
          0,
          32,
          iv,
          0,
          12,
          source,
          0,
          size,
          target,
          0,
          source,
          0,
          0,
          tag,
          0,
          16,
        ),
  },
  {
    name: 'cipher zero-copy',
    ...seal,
    ...into,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, source, size, target, tag }) =>
      (done) =>
        cryptoAsync.cipher(
          algorithm,
          1,
          rawKey,
          0,
          32,
          iv,
          0,
          12,
          source,
          0,
          size,
          target,
          0,
          source,
          0,
          0,
          tag,
          0,
          16,
          done,
        ),
  },

  {
    name: 'cipher',
    ...open,
    ...buffer,
    ...sync,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, ciphertext, noAad, tag }) =>
      () =>
        cryptoAsync.cipher(algorithm, 0, rawKey, iv, ciphertext, noAad, tag),
  },
  {
    name: 'cipher',
    ...open,
    ...buffer,
    ...callback,
    make:
      ({ cryptoAsync }, { algorithm, rawKey, iv, ciphertext, noAad, tag }) =>
      (done) =>
        cryptoAsync.cipher(algorithm, 0, rawKey, iv, ciphertext, noAad, tag, done),
  },
];
