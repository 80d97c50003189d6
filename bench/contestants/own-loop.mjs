// Millrace's single calls in a loop: what a batch must be better than. Not a rival.

export { load } from './millrace.mjs';

export const name = 'own loop';

export function prepare() {}

const many = { group: 'many' };
const sync = { wait: 'sync' };
const promise = { wait: 'promise' };

export const forms = [
  { name: 'hash', ...many, ...sync, output: 'buffer', make: ({ millrace }, { algorithm, sources }) => () => sources.map((source) => millrace.hash(algorithm, source)) },
  { name: 'hash hex', ...many, ...sync, output: 'buffer', make: ({ millrace }, { algorithm, sources }) => () => sources.map((source) => millrace.hash(algorithm, source, 'hex')) },
  { name: 'hash window', ...many, ...sync, output: 'buffer', make: ({ millrace }, { algorithm, sources, size, target }) => () => {
    let written = 0;
    for (const source of sources) written += millrace.hash(algorithm, source, 0, size, target, written);
    return written;
  } },
  { name: 'hash hex', ...many, ...sync, output: 'hex', make: ({ millrace }, { algorithm, sources }) => () => sources.map((source) => millrace.hash(algorithm, source, 'hex')) },
  { name: 'hash', ...many, ...promise, output: 'buffer', make: ({ promises }, { algorithm, sources }) => () => Promise.all(sources.map((source) => promises.hash(algorithm, source))) },
];
