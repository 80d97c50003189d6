// Millrace through its public entry points, resolved as user code resolves them.
//
// A form is one call style: `make` binds it to a competitor's tools and one job's inputs. It is
// compiled anew for every measurement (runner.mjs), so it may use only its two parameters.

import { createRequire } from 'node:module';

import { hashTypes } from './bigint-hash.mjs';

const require = createRequire(new URL('../../../package.json', import.meta.url));

export const name = 'millrace';

export function load() {
  return {
    millrace: require('millrace'),
    promises: require('millrace/promises'),
    bigints: require('millrace/bigint-hash'),
    version: require('millrace/package.json').version,
  };
}

export function prepare(tools, inputs) {
  const { millrace } = tools;
  const prepared = inputs.keyForm === 'prepared';
  inputs.hashType = hashTypes[inputs.algorithm] ?? inputs.algorithm;
  inputs.key = prepared ? millrace.createKey(inputs.algorithm, inputs.rawKey) : inputs.rawKey;
}

const sync = { wait: 'sync' };
const callback = { wait: 'callback' };
const promise = { wait: 'promise' };

const hash = { group: 'hash' };
const text = { group: 'text', wait: 'sync' };
const hasher = { group: 'hasher', wait: 'sync' };
const many = { group: 'many', operation: 'array' };
const packed = { group: 'many', operation: 'packed' };
const bigintHash = { group: 'bigint-hash', wait: 'sync' };
const convert = { group: 'convert', wait: 'sync' };
const hmac = { group: 'hmac' };
const derive = { group: 'kdf', output: 'buffer', wait: 'sync' };
const deriveLater = { group: 'kdf', output: 'buffer', wait: 'callback' };
const cipher = { group: 'cipher' };
const seal = { group: 'aead', operation: 'seal' };
const open = { group: 'aead', operation: 'open' };

const hex = { output: 'hex' };
const bigint = { output: 'bigint' };
const buffer = { output: 'buffer' };
const into = { output: 'into' };
const rawInto = { output: 'into', keyForm: 'raw' };
const preparedInto = { output: 'into', keyForm: 'prepared' };

export const forms = [
  {
    name: 'hash bigint',
    ...hash,
    ...bigint,
    ...sync,
    make:
      ({ millrace }, { algorithm, source }) =>
      () =>
        millrace.hash(algorithm, source, 'bigint'),
  },
  {
    name: 'hash hex',
    ...hash,
    ...hex,
    ...sync,
    make:
      ({ millrace }, { algorithm, source }) =>
      () =>
        millrace.hash(algorithm, source, 'hex'),
  },
  {
    name: 'hash hex',
    ...hash,
    ...hex,
    ...promise,
    make:
      ({ promises }, { algorithm, source }) =>
      () =>
        promises.hash(algorithm, source, 'hex'),
  },
  {
    name: 'hash',
    ...hash,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { algorithm, source }) =>
      () =>
        millrace.hash(algorithm, source),
  },
  {
    name: 'hash',
    ...hash,
    ...buffer,
    ...callback,
    make:
      ({ millrace }, { algorithm, source }) =>
      (done) =>
        millrace.hash(algorithm, source, done),
  },
  {
    name: 'hash',
    ...hash,
    ...buffer,
    ...promise,
    make:
      ({ promises }, { algorithm, source }) =>
      () =>
        promises.hash(algorithm, source),
  },
  {
    name: 'hash target',
    ...hash,
    ...into,
    ...sync,
    make:
      ({ millrace }, { algorithm, source, target }) =>
      () =>
        millrace.hash(algorithm, source, { target }),
  },
  {
    name: 'hash target',
    ...hash,
    ...into,
    ...callback,
    make:
      ({ millrace }, { algorithm, source, target }) =>
      (done) =>
        millrace.hash(algorithm, source, { target }, done),
  },
  {
    name: 'hash target',
    ...hash,
    ...into,
    ...promise,
    make:
      ({ promises }, { algorithm, source, target }) =>
      () =>
        promises.hash(algorithm, source, { target }),
  },

  {
    name: 'hash bigint',
    ...text,
    ...bigint,
    make:
      ({ millrace }, { algorithm, text }) =>
      () =>
        millrace.hash(algorithm, text, 'bigint'),
  },
  {
    name: 'hash hex',
    ...text,
    ...hex,
    make:
      ({ millrace }, { algorithm, text }) =>
      () =>
        millrace.hash(algorithm, text, 'hex'),
  },

  {
    name: 'createHash',
    ...hasher,
    ...hex,
    operation: 'new',
    make:
      ({ millrace }, { algorithm, parts: [a, b, c] }) =>
      () =>
        millrace.createHash(algorithm).update(a).update(b).update(c).digest('hex'),
  },
  {
    name: 'reset',
    ...hasher,
    ...hex,
    operation: 'reused',
    make: ({ millrace }, { algorithm, parts: [a, b, c] }) => {
      const hasher = millrace.createHash(algorithm);
      return () => hasher.reset().update(a).update(b).update(c).digest('hex');
    },
  },

  {
    name: 'hashMany',
    ...many,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { algorithm, sources }) =>
      () =>
        millrace.hashMany(algorithm, sources),
  },
  {
    name: 'hashMany',
    ...many,
    ...buffer,
    ...promise,
    make:
      ({ promises }, { algorithm, sources }) =>
      () =>
        promises.hashMany(algorithm, sources),
  },
  {
    name: 'hashMany hex',
    ...many,
    ...hex,
    ...sync,
    make:
      ({ millrace }, { algorithm, sources }) =>
      () =>
        millrace.hashMany(algorithm, sources, { encoding: 'hex' }),
  },
  {
    name: 'hashMany packed',
    ...packed,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { algorithm, source, size }) =>
      () =>
        millrace.hashMany(algorithm, { data: source, size }),
  },
  {
    name: 'hashMany packed',
    ...packed,
    ...buffer,
    ...promise,
    make:
      ({ promises }, { algorithm, source, size }) =>
      () =>
        promises.hashMany(algorithm, { data: source, size }),
  },

  {
    name: 'bigint-hash hashAsBigInt',
    ...bigintHash,
    ...bigint,
    operation: 'hashAsBigInt',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.hashAsBigInt(hashType, source),
  },
  {
    name: 'bigint-hash getHasher',
    ...bigintHash,
    ...bigint,
    operation: 'getHasher',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.getHasher(hashType).update(source).digestBigInt(),
  },

  {
    name: 'toBigIntBE',
    ...convert,
    ...bigint,
    algorithm: 'toBigIntBE',
    make:
      ({ bigints }, { source }) =>
      () =>
        bigints.toBigIntBE(source),
  },
  {
    name: 'toBigIntLE',
    ...convert,
    ...bigint,
    algorithm: 'toBigIntLE',
    make:
      ({ bigints }, { source }) =>
      () =>
        bigints.toBigIntLE(source),
  },
  {
    name: 'toBufferBE',
    ...convert,
    ...buffer,
    algorithm: 'toBufferBE',
    make:
      ({ bigints }, { number, size }) =>
      () =>
        bigints.toBufferBE(number, size),
  },
  {
    name: 'toBufferLE',
    ...convert,
    ...buffer,
    algorithm: 'toBufferLE',
    make:
      ({ bigints }, { number, size }) =>
      () =>
        bigints.toBufferLE(number, size),
  },

  {
    name: 'hmac',
    ...hmac,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { hash, key, source }) =>
      () =>
        millrace.hmac(hash, key, source),
  },
  {
    name: 'hmac',
    ...hmac,
    ...buffer,
    ...callback,
    make:
      ({ millrace }, { hash, key, source }) =>
      (done) =>
        millrace.hmac(hash, key, source, done),
  },
  {
    name: 'hmac',
    ...hmac,
    ...buffer,
    ...promise,
    make:
      ({ promises }, { hash, key, source }) =>
      () =>
        promises.hmac(hash, key, source),
  },
  {
    name: 'hmac target',
    ...hmac,
    ...rawInto,
    ...sync,
    make:
      ({ millrace }, { hash, key, source, target }) =>
      () =>
        millrace.hmac(hash, key, source, { target }),
  },

  {
    name: 'cipher',
    ...cipher,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, source }) =>
      () =>
        millrace.cipher(algorithm, 1, key, iv, source),
  },
  {
    name: 'cipher',
    ...cipher,
    ...buffer,
    ...callback,
    make:
      ({ millrace }, { algorithm, key, iv, source }) =>
      (done) =>
        millrace.cipher(algorithm, 1, key, iv, source, done),
  },
  {
    name: 'cipher',
    ...cipher,
    ...buffer,
    ...promise,
    make:
      ({ promises }, { algorithm, key, iv, source }) =>
      () =>
        promises.cipher(algorithm, 1, key, iv, source),
  },
  {
    name: 'cipher target',
    ...cipher,
    ...rawInto,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, source, target }) =>
      () =>
        millrace.cipher(algorithm, { encrypt: 1, key, iv, source, target }),
  },
  {
    name: 'cipher target',
    ...cipher,
    ...rawInto,
    ...callback,
    make:
      ({ millrace }, { algorithm, key, iv, source, target }) =>
      (done) =>
        millrace.cipher(algorithm, { encrypt: 1, key, iv, source, target }, done),
  },
  {
    name: 'cipher target',
    ...cipher,
    ...rawInto,
    ...promise,
    make:
      ({ promises }, { algorithm, key, iv, source, target }) =>
      () =>
        promises.cipher(algorithm, { encrypt: 1, key, iv, source, target }),
  },
  {
    name: 'cipher target',
    ...cipher,
    ...preparedInto,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, source, target }) =>
      () =>
        millrace.cipher(algorithm, { encrypt: true, key, iv, source, target }),
  },

  {
    name: 'seal',
    ...seal,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, source }) =>
      () =>
        millrace.seal(algorithm, { key, nonce: iv, source }),
  },
  {
    name: 'seal',
    ...seal,
    ...buffer,
    ...callback,
    make:
      ({ millrace }, { algorithm, key, iv, source }) =>
      (done) =>
        millrace.seal(algorithm, { key, nonce: iv, source }, done),
  },
  {
    name: 'seal',
    ...seal,
    ...buffer,
    ...promise,
    make:
      ({ promises }, { algorithm, key, iv, source }) =>
      () =>
        promises.seal(algorithm, { key, nonce: iv, source }),
  },
  {
    name: 'seal target',
    ...seal,
    ...into,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, source, target }) =>
      () =>
        millrace.seal(algorithm, { key, nonce: iv, source, target }),
  },
  {
    name: 'seal target',
    ...seal,
    ...into,
    ...callback,
    make:
      ({ millrace }, { algorithm, key, iv, source, target }) =>
      (done) =>
        millrace.seal(algorithm, { key, nonce: iv, source, target }, done),
  },
  {
    name: 'cipher target',
    ...seal,
    ...rawInto,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, source, target, tag }) =>
      () =>
        millrace.cipher(algorithm, { encrypt: 1, key, iv, source, tag, target }),
  },
  {
    name: 'cipher target',
    ...seal,
    ...rawInto,
    ...callback,
    make:
      ({ millrace }, { algorithm, key, iv, source, target, tag }) =>
      (done) =>
        millrace.cipher(algorithm, { encrypt: 1, key, iv, source, tag, target }, done),
  },
  {
    name: 'cipher target',
    ...seal,
    ...rawInto,
    ...promise,
    make:
      ({ promises }, { algorithm, key, iv, source, target, tag }) =>
      () =>
        promises.cipher(algorithm, { encrypt: 1, key, iv, source, tag, target }),
  },

  {
    name: 'open',
    ...open,
    ...buffer,
    ...sync,
    make:
      ({ millrace }, { algorithm, key, iv, sealed }) =>
      () =>
        millrace.open(algorithm, { key, nonce: iv, source: sealed }),
  },
  {
    name: 'open',
    ...open,
    ...buffer,
    ...callback,
    make:
      ({ millrace }, { algorithm, key, iv, sealed }) =>
      (done) =>
        millrace.open(algorithm, { key, nonce: iv, source: sealed }, done),
  },

  {
    name: 'scrypt',
    ...derive,
    algorithm: 'scrypt',
    make:
      ({ millrace }, { password, salt, size, parameters }) =>
      () =>
        millrace.scrypt(password, salt, size, parameters),
  },
  {
    name: 'scrypt',
    ...deriveLater,
    algorithm: 'scrypt',
    make:
      ({ millrace }, { password, salt, size, parameters }) =>
      (done) =>
        millrace.scrypt(password, salt, size, parameters, done),
  },
  {
    name: 'pbkdf2',
    ...derive,
    algorithm: 'pbkdf2',
    make:
      ({ millrace }, { password, salt, size, parameters: { iterations, digest } }) =>
      () =>
        millrace.pbkdf2(password, salt, iterations, size, digest),
  },
  {
    name: 'pbkdf2',
    ...deriveLater,
    algorithm: 'pbkdf2',
    make:
      ({ millrace }, { password, salt, size, parameters: { iterations, digest } }) =>
      (done) =>
        millrace.pbkdf2(password, salt, iterations, size, digest, done),
  },
  {
    name: 'hkdf',
    ...derive,
    algorithm: 'hkdf',
    make:
      ({ millrace }, { password, salt, size, parameters: { digest } }) =>
      () =>
        millrace.hkdf(digest, password, salt, '', size),
  },
  {
    name: 'hkdf',
    ...deriveLater,
    algorithm: 'hkdf',
    make:
      ({ millrace }, { password, salt, size, parameters: { digest } }) =>
      (done) =>
        millrace.hkdf(digest, password, salt, '', size, done),
  },
  {
    name: 'argon2',
    ...derive,
    algorithm: 'argon2id',
    make:
      ({ millrace }, { password, salt, size, parameters }) =>
      () =>
        millrace.argon2('argon2id', {
          message: password,
          nonce: salt,
          tagLength: size,
          ...parameters,
        }),
  },
  {
    name: 'argon2',
    ...deriveLater,
    algorithm: 'argon2id',
    make:
      ({ millrace }, { password, salt, size, parameters }) =>
      (done) =>
        millrace.argon2(
          'argon2id',
          { message: password, nonce: salt, tagLength: size, ...parameters },
          done,
        ),
  },
];
