// Millrace's own synchronous single calls in a loop: what a batch must be better than, and the
// asynchronous call not much slower. Not a rival. A large job of one call is our time on a single
// core.

export { load } from './millrace.mjs';

export const name = 'own loop';

export function prepare(_tools, inputs) {
  inputs.key = inputs.rawKey;
}

const many = { group: 'many' };
const cipher = { group: 'cipher' };
const seal = { group: 'aead', operation: 'seal' };
const sync = { wait: 'sync' };
const promise = { wait: 'promise' };

export const forms = [
  {
    name: 'hash',
    ...many,
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, sources }) =>
      () =>
        sources.map((source) => millrace.hash(algorithm, source)),
  },
  {
    name: 'hash hex',
    ...many,
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, sources }) =>
      () =>
        sources.map((source) => millrace.hash(algorithm, source, 'hex')),
  },
  {
    name: 'hash window',
    ...many,
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, sources, size, target }) =>
      () => {
        let written = 0;
        for (const source of sources)
          written += millrace.hash(algorithm, source, 0, size, target, written);
        return written;
      },
  },
  {
    name: 'hash hex',
    ...many,
    ...sync,
    output: 'hex',
    make:
      ({ millrace }, { algorithm, sources }) =>
      () =>
        sources.map((source) => millrace.hash(algorithm, source, 'hex')),
  },
  {
    name: 'hash',
    ...many,
    ...promise,
    output: 'buffer',
    make:
      ({ promises }, { algorithm, sources }) =>
      () =>
        Promise.all(sources.map((source) => promises.hash(algorithm, source))),
  },

  {
    name: 'hash',
    group: 'hash',
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, source }) =>
      () =>
        millrace.hash(algorithm, source),
  },
  {
    name: 'hash window',
    group: 'hash',
    ...sync,
    output: 'into',
    make:
      ({ millrace }, { algorithm, source, size, target }) =>
      () =>
        millrace.hash(algorithm, source, 0, size, target, 0),
  },
  {
    name: 'cipher',
    ...cipher,
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, key, iv, source }) =>
      () =>
        millrace.cipher(algorithm, 1, key, iv, source),
  },
  {
    name: 'cipher window',
    ...cipher,
    ...sync,
    output: 'into',
    make:
      ({ millrace }, { algorithm, key, iv, source, size, target }) =>
      () =>
        millrace.cipher(algorithm, 1, key, 0, 32, iv, 0, 16, source, 0, size, target, 0),
  },
  {
    name: 'seal',
    ...seal,
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, key, iv, source }) =>
      () =>
        millrace.seal(algorithm, { key, nonce: iv, source }),
  },
  {
    name: 'cipher window',
    ...seal,
    ...sync,
    output: 'into',
    make:
      ({ millrace }, { algorithm, key, iv, source, size, target, tag }) =>
      () =>
        millrace.cipher(
          algorithm,
          1,
          key,
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
];
