// Millrace's synchronous single calls in a loop: a batch must be faster, and an asynchronous call
// not much slower. It does not compete. Its time for one large job is ours on a single core.

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
    name: 'hash target',
    ...many,
    ...sync,
    output: 'buffer',
    make:
      ({ millrace }, { algorithm, sources, target }) =>
      () => {
        let written = 0;
        for (const source of sources)
          written += millrace.hash(algorithm, source, { target, targetOffset: written });
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
    name: 'hash target',
    group: 'hash',
    ...sync,
    output: 'into',
    make:
      ({ millrace }, { algorithm, source, target }) =>
      () =>
        millrace.hash(algorithm, source, { target }),
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
    name: 'cipher target',
    ...cipher,
    ...sync,
    output: 'into',
    make:
      ({ millrace }, { algorithm, key, iv, source, target }) =>
      () =>
        millrace.cipher(algorithm, { encrypt: 1, key, iv, source, target }),
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
    name: 'cipher target',
    ...seal,
    ...sync,
    output: 'into',
    make:
      ({ millrace }, { algorithm, key, iv, source, target, tag }) =>
      () =>
        millrace.cipher(algorithm, { encrypt: 1, key, iv, source, tag, target }),
  },
];
