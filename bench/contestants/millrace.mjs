// Millrace through its public doors, resolved as a user's code would resolve them.
//
// A form is one way to call: `make` binds it to a contestant's tools and one job's inputs. It is
// compiled anew for every measurement (runner.mjs), so it may use nothing but its two parameters.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../package.json', import.meta.url));

export const name = 'millrace';

export function load() {
  return {
    millrace: require('millrace'),
    promises: require('millrace/promises'),
    version: require('millrace/package.json').version,
  };
}

export function prepare({ millrace }, inputs) {
  const prepared = inputs.keyForm === 'prepared';
  inputs.key = prepared ? millrace.createKey(inputs.algorithm, inputs.rawKey) : inputs.rawKey;
}

const sync = { wait: 'sync' };
const callback = { wait: 'callback' };
const promise = { wait: 'promise' };

const hash = { group: 'hash' };
const hmac = { group: 'hmac' };
const cipher = { group: 'cipher' };
const seal = { group: 'aead', operation: 'seal' };
const open = { group: 'aead', operation: 'open' };

const hex = { output: 'hex' };
const buffer = { output: 'buffer' };
const into = { output: 'into' };
const rawInto = { output: 'into', keyForm: 'raw' };
const preparedInto = { output: 'into', keyForm: 'prepared' };

export const forms = [
  { name: 'hash hex', ...hash, ...hex, ...sync, make: ({ millrace }, { algorithm, source }) => () => millrace.hash(algorithm, source, 'hex') },
  { name: 'hash', ...hash, ...buffer, ...sync, make: ({ millrace }, { algorithm, source }) => () => millrace.hash(algorithm, source) },
  { name: 'hash', ...hash, ...buffer, ...callback, make: ({ millrace }, { algorithm, source }) => (done) => millrace.hash(algorithm, source, done) },
  { name: 'hash', ...hash, ...buffer, ...promise, make: ({ promises }, { algorithm, source }) => () => promises.hash(algorithm, source) },
  { name: 'hash window', ...hash, ...into, ...sync, make: ({ millrace }, { algorithm, source, size, target }) => () => millrace.hash(algorithm, source, 0, size, target, 0) },
  { name: 'hash window', ...hash, ...into, ...callback, make: ({ millrace }, { algorithm, source, size, target }) => (done) => millrace.hash(algorithm, source, 0, size, target, 0, done) },

  { name: 'hmac', ...hmac, ...buffer, ...sync, make: ({ millrace }, { hash, key, source }) => () => millrace.hmac(hash, key, source) },
  { name: 'hmac', ...hmac, ...buffer, ...callback, make: ({ millrace }, { hash, key, source }) => (done) => millrace.hmac(hash, key, source, done) },
  { name: 'hmac', ...hmac, ...buffer, ...promise, make: ({ promises }, { hash, key, source }) => () => promises.hmac(hash, key, source) },
  { name: 'hmac window', ...hmac, ...rawInto, ...sync, make: ({ millrace }, { hash, key, source, size, target }) => () => millrace.hmac(hash, key, 0, 32, source, 0, size, target, 0) },

  { name: 'cipher', ...cipher, ...buffer, ...sync, make: ({ millrace }, { algorithm, key, iv, source }) => () => millrace.cipher(algorithm, 1, key, iv, source) },
  { name: 'cipher', ...cipher, ...buffer, ...callback, make: ({ millrace }, { algorithm, key, iv, source }) => (done) => millrace.cipher(algorithm, 1, key, iv, source, done) },
  { name: 'cipher', ...cipher, ...buffer, ...promise, make: ({ promises }, { algorithm, key, iv, source }) => () => promises.cipher(algorithm, 1, key, iv, source) },
  { name: 'cipher window', ...cipher, ...rawInto, ...sync, make: ({ millrace }, { algorithm, key, iv, source, size, target }) => () => millrace.cipher(algorithm, 1, key, 0, 32, iv, 0, 16, source, 0, size, target, 0) },
  { name: 'cipher window', ...cipher, ...rawInto, ...callback, make: ({ millrace }, { algorithm, key, iv, source, size, target }) => (done) => millrace.cipher(algorithm, 1, key, 0, 32, iv, 0, 16, source, 0, size, target, 0, done) },
  { name: 'cipher target', ...cipher, ...preparedInto, ...sync, make: ({ millrace }, { algorithm, key, iv, source, target }) => () => millrace.cipher(algorithm, { encrypt: true, key, iv, source, target }) },

  { name: 'seal', ...seal, ...buffer, ...sync, make: ({ millrace }, { algorithm, key, iv, source }) => () => millrace.seal(algorithm, { key, nonce: iv, source }) },
  { name: 'seal', ...seal, ...buffer, ...callback, make: ({ millrace }, { algorithm, key, iv, source }) => (done) => millrace.seal(algorithm, { key, nonce: iv, source }, done) },
  { name: 'seal', ...seal, ...buffer, ...promise, make: ({ promises }, { algorithm, key, iv, source }) => () => promises.seal(algorithm, { key, nonce: iv, source }) },
  { name: 'seal target', ...seal, ...into, ...sync, make: ({ millrace }, { algorithm, key, iv, source, target }) => () => millrace.seal(algorithm, { key, nonce: iv, source, target }) },
  { name: 'seal target', ...seal, ...into, ...callback, make: ({ millrace }, { algorithm, key, iv, source, target }) => (done) => millrace.seal(algorithm, { key, nonce: iv, source, target }, done) },
  { name: 'cipher window', ...seal, ...rawInto, ...sync, make: ({ millrace }, { algorithm, key, iv, source, size, target, tag }) => () => millrace.cipher(algorithm, 1, key, 0, 32, iv, 0, 12, source, 0, size, target, 0, source, 0, 0, tag, 0, 16) },
  { name: 'cipher window', ...seal, ...rawInto, ...callback, make: ({ millrace }, { algorithm, key, iv, source, size, target, tag }) => (done) => millrace.cipher(algorithm, 1, key, 0, 32, iv, 0, 12, source, 0, size, target, 0, source, 0, 0, tag, 0, 16, done) },

  { name: 'open', ...open, ...buffer, ...sync, make: ({ millrace }, { algorithm, key, iv, sealed }) => () => millrace.open(algorithm, { key, nonce: iv, source: sealed }) },
  { name: 'open', ...open, ...buffer, ...callback, make: ({ millrace }, { algorithm, key, iv, sealed }) => (done) => millrace.open(algorithm, { key, nonce: iv, source: sealed }, done) },
];
