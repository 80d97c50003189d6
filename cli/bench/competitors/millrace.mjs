// Millrace through its public entry points, resolved as user code resolves them.

import { createRequire } from 'node:module';

import { argon2Arguments, derivations, forms } from './forms.mjs';
import { hashTypes } from './libraries.mjs';

const require = createRequire(new URL('../../../package.json', import.meta.url));

function load() {
  const millrace = require('millrace');
  return {
    millrace,
    derive: millrace,
    later: millrace,
    promises: require('millrace/promises'),
    bigints: require('millrace/bigint-hash'),
    version: require('millrace/package.json').version,
  };
}

/** @type {import('./all.mjs').Competitor} */
export const millrace = {
  name: 'millrace',
  texts: true,
  load,
  prepare({ millrace }, inputs) {
    const { algorithm, keyForm, rawKey, operation } = inputs;
    inputs.hashType = hashTypes[algorithm] ?? algorithm;
    inputs.key = keyForm === 'prepared' ? millrace.createKey(algorithm, rawKey) : rawKey;
    inputs.argon2 = argon2Arguments(inputs);
    if (operation === 'reused') inputs.hasher = millrace.createHash(algorithm);
  },
  forms: [
    ...forms({ group: 'hash' }, ({ millrace, promises }, { algorithm, source, target }) => ({
      'sync bigint: hash bigint': () => millrace.hash(algorithm, source, 'bigint'),
      'sync hex: hash hex': () => millrace.hash(algorithm, source, 'hex'),
      'promise hex: hash hex': () => promises.hash(algorithm, source, 'hex'),
      'sync buffer: hash': () => millrace.hash(algorithm, source),
      'callback buffer: hash': (done) => millrace.hash(algorithm, source, done),
      'promise buffer: hash': () => promises.hash(algorithm, source),
      'sync into: hash target': () => millrace.hash(algorithm, source, { target }),
      'callback into: hash target': (f) => millrace.hash(algorithm, source, { target }, f),
      'promise into: hash target': () => promises.hash(algorithm, source, { target }),
    })),
    ...forms(
      { group: 'hasher', operation: 'new' },
      ({ millrace }, { algorithm, parts: [a, b, c] }) => ({
        'sync hex: createHash': () =>
          millrace.createHash(algorithm).update(a).update(b).update(c).digest('hex'),
      }),
    ),
    ...forms({ group: 'hasher', operation: 'reused' }, (_, { hasher, parts: [a, b, c] }) => ({
      'sync hex: reset': () => hasher.reset().update(a).update(b).update(c).digest('hex'),
    })),
    ...forms(
      { group: 'many', operation: 'array' },
      ({ millrace, promises }, { algorithm, sources }) => ({
        'sync buffer: hashMany': () => millrace.hashMany(algorithm, sources),
        'promise buffer: hashMany': () => promises.hashMany(algorithm, sources),
        'sync hex: hashMany hex': () => millrace.hashMany(algorithm, sources, 'hex'),
      }),
    ),
    ...forms(
      { group: 'many', operation: 'packed' },
      ({ millrace, promises }, { algorithm, source: data, size }) => ({
        'sync buffer: hashMany packed': () => millrace.hashMany(algorithm, { data, size }),
        'promise buffer: hashMany packed': () => promises.hashMany(algorithm, { data, size }),
      }),
    ),

    ...forms({ group: 'bigint-hash', operation: 'hashAsBigInt' }, ({ bigints }, i) => ({
      'sync bigint: bigint-hash hashAsBigInt': () => bigints.hashAsBigInt(i.hashType, i.source),
    })),
    ...forms(
      { group: 'bigint-hash', operation: 'getHasher' },
      ({ bigints }, { hashType, source }) => ({
        'sync bigint: bigint-hash getHasher': () =>
          bigints.getHasher(hashType).update(source).digestBigInt(),
      }),
    ),
    ...forms({ group: 'convert' }, ({ bigints }, { algorithm, source, number, size }) => ({
      'sync bigint: convert': () => bigints[algorithm](source),
      'sync buffer: convert': () => bigints[algorithm](number, size),
    })),

    ...forms({ group: 'hmac' }, ({ millrace, promises }, { hash, key, source, target }) => ({
      'sync buffer: hmac': () => millrace.hmac(hash, key, source),
      'callback buffer: hmac': (done) => millrace.hmac(hash, key, source, done),
      'promise buffer: hmac': () => promises.hmac(hash, key, source),
      'sync into raw: hmac target': () => millrace.hmac(hash, key, source, { target }),
    })),
    ...forms(
      { group: 'cipher' },
      ({ millrace, promises }, { algorithm: name, key, iv, source, target }) => ({
        'sync buffer: cipher': () => millrace.cipher(name, 1, key, iv, source),
        'callback buffer: cipher': (done) => millrace.cipher(name, 1, key, iv, source, done),
        'promise buffer: cipher': () => promises.cipher(name, 1, key, iv, source),
        'sync into: cipher target': () =>
          millrace.cipher(name, { encrypt: true, key, iv, source, target }),
        'callback into raw: cipher target': (done) =>
          millrace.cipher(name, { encrypt: true, key, iv, source, target }, done),
        'promise into raw: cipher target': () =>
          promises.cipher(name, { encrypt: true, key, iv, source, target }),
      }),
    ),
    ...forms(
      { group: 'aead', operation: 'seal' },
      ({ millrace, promises }, { algorithm: name, key, iv, source, target, tag }) => ({
        'sync buffer: seal': () => millrace.seal(name, { key, nonce: iv, source }),
        'callback buffer: seal': (f) => millrace.seal(name, { key, nonce: iv, source }, f),
        'promise buffer: seal': () => promises.seal(name, { key, nonce: iv, source }),
        'sync into: seal target': () => millrace.seal(name, { key, nonce: iv, source, target }),
        'callback into: seal target': (done) =>
          millrace.seal(name, { key, nonce: iv, source, target }, done),
        'sync into raw: cipher target': () =>
          millrace.cipher(name, { encrypt: 1, key, iv, source, tag, target }),
        'callback into raw: cipher target': (done) =>
          millrace.cipher(name, { encrypt: 1, key, iv, source, tag, target }, done),
        'promise into raw: cipher target': () =>
          promises.cipher(name, { encrypt: 1, key, iv, source, tag, target }),
      }),
    ),
    ...forms(
      { group: 'aead', operation: 'open' },
      ({ millrace }, { algorithm, key, iv: nonce, sealed: source }) => ({
        'sync buffer: open': () => millrace.open(algorithm, { key, nonce, source }),
        'callback buffer: open': (f) => millrace.open(algorithm, { key, nonce, source }, f),
      }),
    ),
    ...derivations,
  ],
};

/**
 * Millrace's synchronous single calls in a loop: a batch must be faster, and an asynchronous call
 * not much slower. It does not compete. Its time for one large job is ours on a single core.
 *
 * @type {import('./all.mjs').Competitor}
 */
export const ownLoop = {
  name: 'own loop',
  load,
  prepare(_tools, inputs) {
    inputs.key = inputs.rawKey;
  },
  forms: millrace.forms.filter(
    ({ wait, output, group, operation }) =>
      wait === 'sync' &&
      output !== 'bigint' &&
      (group === 'hash' || group === 'cipher' || operation === 'seal'),
  ),
};
