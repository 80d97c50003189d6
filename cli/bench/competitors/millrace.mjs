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

const convert = { group: 'convert' };

/** @type {import('./all.mjs').Competitor} */
export const millrace = {
  name: 'millrace',
  load,
  prepare({ millrace }, inputs) {
    const { algorithm, keyForm, rawKey, operation } = inputs;
    inputs.hashType = hashTypes[algorithm] ?? algorithm;
    inputs.key = keyForm === 'prepared' ? millrace.createKey(algorithm, rawKey) : rawKey;
    inputs.argon2 = argon2Arguments(inputs);
    if (operation === 'reused') inputs.hasher = millrace.createHash(algorithm);
  },
  forms: [
    ...forms({ group: 'hash' }, ({ millrace, promises }, { algorithm, source, target }) => [
      ['hash bigint', 'sync bigint', () => millrace.hash(algorithm, source, 'bigint')],
      ['hash hex', 'sync hex', () => millrace.hash(algorithm, source, 'hex')],
      ['hash hex', 'promise hex', () => promises.hash(algorithm, source, 'hex')],
      ['hash', 'sync buffer', () => millrace.hash(algorithm, source)],
      ['hash', 'callback buffer', (done) => millrace.hash(algorithm, source, done)],
      ['hash', 'promise buffer', () => promises.hash(algorithm, source)],
      ['hash target', 'sync into', () => millrace.hash(algorithm, source, { target })],
      ['hash target', 'callback into', (f) => millrace.hash(algorithm, source, { target }, f)],
      ['hash target', 'promise into', () => promises.hash(algorithm, source, { target })],
    ]),
    ...forms({ group: 'text' }, ({ millrace }, { algorithm, text }) => [
      ['hash bigint', 'sync bigint', () => millrace.hash(algorithm, text, 'bigint')],
      ['hash hex', 'sync hex', () => millrace.hash(algorithm, text, 'hex')],
    ]),
    ...forms(
      { group: 'hasher', operation: 'new' },
      ({ millrace }, { algorithm, parts: [a, b, c] }) => [
        [
          'createHash',
          'sync hex',
          () => millrace.createHash(algorithm).update(a).update(b).update(c).digest('hex'),
        ],
      ],
    ),
    ...forms({ group: 'hasher', operation: 'reused' }, (_, { hasher, parts: [a, b, c] }) => [
      ['reset', 'sync hex', () => hasher.reset().update(a).update(b).update(c).digest('hex')],
    ]),
    ...forms(
      { group: 'many', operation: 'array' },
      ({ millrace, promises }, { algorithm, sources }) => [
        ['hashMany', 'sync buffer', () => millrace.hashMany(algorithm, sources)],
        ['hashMany', 'promise buffer', () => promises.hashMany(algorithm, sources)],
        ['hashMany hex', 'sync hex', () => millrace.hashMany(algorithm, sources, 'hex')],
      ],
    ),
    ...forms(
      { group: 'many', operation: 'packed' },
      ({ millrace, promises }, { algorithm, source: data, size }) => [
        ['hashMany packed', 'sync buffer', () => millrace.hashMany(algorithm, { data, size })],
        ['hashMany packed', 'promise buffer', () => promises.hashMany(algorithm, { data, size })],
      ],
    ),

    ...forms({ group: 'bigint-hash', operation: 'hashAsBigInt' }, ({ bigints }, i) => [
      ['bigint-hash hashAsBigInt', 'sync bigint', () => bigints.hashAsBigInt(i.hashType, i.source)],
    ]),
    ...forms(
      { group: 'bigint-hash', operation: 'getHasher' },
      ({ bigints }, { hashType, source }) => [
        [
          'bigint-hash getHasher',
          'sync bigint',
          () => bigints.getHasher(hashType).update(source).digestBigInt(),
        ],
      ],
    ),
    ...forms({ ...convert, algorithm: 'toBigIntBE' }, ({ bigints }, { source }) => [
      ['toBigIntBE', 'sync bigint', () => bigints.toBigIntBE(source)],
    ]),
    ...forms({ ...convert, algorithm: 'toBigIntLE' }, ({ bigints }, { source }) => [
      ['toBigIntLE', 'sync bigint', () => bigints.toBigIntLE(source)],
    ]),
    ...forms({ ...convert, algorithm: 'toBufferBE' }, ({ bigints }, { number, size }) => [
      ['toBufferBE', 'sync buffer', () => bigints.toBufferBE(number, size)],
    ]),
    ...forms({ ...convert, algorithm: 'toBufferLE' }, ({ bigints }, { number, size }) => [
      ['toBufferLE', 'sync buffer', () => bigints.toBufferLE(number, size)],
    ]),

    ...forms({ group: 'hmac' }, ({ millrace, promises }, { hash, key, source, target }) => [
      ['hmac', 'sync buffer', () => millrace.hmac(hash, key, source)],
      ['hmac', 'callback buffer', (done) => millrace.hmac(hash, key, source, done)],
      ['hmac', 'promise buffer', () => promises.hmac(hash, key, source)],
      ['hmac target', 'sync into raw', () => millrace.hmac(hash, key, source, { target })],
    ]),
    ...forms(
      { group: 'cipher' },
      ({ millrace, promises }, { algorithm: name, key, iv, source, target }) => [
        ['cipher', 'sync buffer', () => millrace.cipher(name, 1, key, iv, source)],
        ['cipher', 'callback buffer', (done) => millrace.cipher(name, 1, key, iv, source, done)],
        ['cipher', 'promise buffer', () => promises.cipher(name, 1, key, iv, source)],
        [
          'cipher target',
          'sync into',
          () => millrace.cipher(name, { encrypt: true, key, iv, source, target }),
        ],
        [
          'cipher target',
          'callback into raw',
          (done) => millrace.cipher(name, { encrypt: true, key, iv, source, target }, done),
        ],
        [
          'cipher target',
          'promise into raw',
          () => promises.cipher(name, { encrypt: true, key, iv, source, target }),
        ],
      ],
    ),
    ...forms(
      { group: 'aead', operation: 'seal' },
      ({ millrace, promises }, { algorithm: name, key, iv, source, target, tag }) => [
        ['seal', 'sync buffer', () => millrace.seal(name, { key, nonce: iv, source })],
        ['seal', 'callback buffer', (f) => millrace.seal(name, { key, nonce: iv, source }, f)],
        ['seal', 'promise buffer', () => promises.seal(name, { key, nonce: iv, source })],
        ['seal target', 'sync into', () => millrace.seal(name, { key, nonce: iv, source, target })],
        [
          'seal target',
          'callback into',
          (done) => millrace.seal(name, { key, nonce: iv, source, target }, done),
        ],
        [
          'cipher target',
          'sync into raw',
          () => millrace.cipher(name, { encrypt: 1, key, iv, source, tag, target }),
        ],
        [
          'cipher target',
          'callback into raw',
          (done) => millrace.cipher(name, { encrypt: 1, key, iv, source, tag, target }, done),
        ],
        [
          'cipher target',
          'promise into raw',
          () => promises.cipher(name, { encrypt: 1, key, iv, source, tag, target }),
        ],
      ],
    ),
    ...forms(
      { group: 'aead', operation: 'open' },
      ({ millrace }, { algorithm, key, iv: nonce, sealed: source }) => [
        ['open', 'sync buffer', () => millrace.open(algorithm, { key, nonce, source })],
        ['open', 'callback buffer', (f) => millrace.open(algorithm, { key, nonce, source }, f)],
      ],
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
  forms: [
    ...forms({ group: 'many' }, ({ millrace, promises }, { algorithm, sources, target }) => [
      ['hash', 'sync buffer', () => sources.map((each) => millrace.hash(algorithm, each))],
      [
        'hash hex',
        'sync buffer',
        () => sources.map((each) => millrace.hash(algorithm, each, 'hex')),
      ],
      [
        'hash target',
        'sync buffer',
        () => {
          let written = 0;
          for (const source of sources)
            written += millrace.hash(algorithm, source, { target, targetOffset: written });
          return written;
        },
      ],
      ['hash hex', 'sync hex', () => sources.map((each) => millrace.hash(algorithm, each, 'hex'))],
      [
        'hash',
        'promise buffer',
        () => Promise.all(sources.map((each) => promises.hash(algorithm, each))),
      ],
    ]),
    ...millrace.forms.filter(
      ({ wait, output, group, operation }) =>
        wait === 'sync' &&
        (output === 'buffer' || output === 'into') &&
        (group === 'hash' || group === 'cipher' || operation === 'seal'),
    ),
  ],
};
