// piscina 5: a pool of worker_threads, as many as there are cores, that call node:crypto
// (piscina-worker.mjs).
//
// It is given what was fastest for it at 256 B to 1 MiB: sources that all threads share (a
// SharedArrayBuffer; copying the message costs as much at 256 B and half of the throughput at 1
// MiB), a ciphertext transferred back or written to a shared target, 16 tasks handed to a thread at
// once. How its threads wait (`atomics`) made no difference.

import { availableParallelism } from 'node:os';

import { requirePackage, version } from '../packages.mjs';

export const name = 'piscina';

export function load() {
  const { Piscina } = requirePackage('piscina');
  return { open: () => openPool(Piscina), version: version('piscina') };
}

// One pool for all rows, begun with the first of them.
let pool;

function openPool(Piscina) {
  const threads = availableParallelism();
  pool ??= new Piscina({
    filename: new URL('piscina-worker.mjs', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: 16,
    idleTimeout: Number.POSITIVE_INFINITY,
  });
  return pool;
}

/** Its threads would keep the process. */
export async function unload() {
  await pool?.destroy();
  pool = undefined;
}

export function prepare({ open }, inputs) {
  inputs.pool = open();
  if (inputs.output === 'into') inputs.target = shared(inputs.target);
  inputs.sharedSource = shared(inputs.source);
}

// One copy of a source for all jobs.
const copies = new WeakMap();

function shared(bytes) {
  if (!copies.has(bytes))
    copies.set(bytes, Buffer.from(new SharedArrayBuffer(bytes.length)).fill(bytes));
  return copies.get(bytes);
}

const promise = { wait: 'promise' };
const hash = { group: 'hash', ...promise };
const cipher = { group: 'cipher', ...promise };
const seal = { group: 'aead', operation: 'seal', ...promise };

export const forms = [
  {
    name: 'hash shared',
    ...hash,
    output: 'buffer',
    make:
      (_tools, { pool, group, algorithm, sharedSource: source }) =>
      () =>
        pool.run({ group, algorithm, source }),
  },

  {
    name: 'cipher shared',
    ...cipher,
    output: 'buffer',
    make:
      (_tools, { pool, group, algorithm, rawKey, iv, sharedSource: source }) =>
      () =>
        pool.run({ group, algorithm, rawKey, iv, source }),
  },
  {
    name: 'cipher shared',
    ...cipher,
    output: 'into',
    make:
      (_tools, { pool, group, algorithm, rawKey, iv, sharedSource: source, target }) =>
      () =>
        pool.run({ group, algorithm, rawKey, iv, source, target }),
  },

  {
    name: 'seal shared',
    ...seal,
    output: 'buffer',
    make: (_tools, inputs) => {
      const { pool, group, algorithm, rawKey, iv, sharedSource: source } = inputs;
      return async () => {
        const { text, tag } = await pool.run({ group, algorithm, rawKey, iv, source });
        inputs.tag = tag;
        return text;
      };
    },
  },
  {
    name: 'seal shared',
    ...seal,
    output: 'into',
    make: (_tools, inputs) => {
      const { pool, group, algorithm, rawKey, iv, sharedSource: source, target } = inputs;
      return async () => {
        const { text, tag } = await pool.run({ group, algorithm, rawKey, iv, source, target });
        inputs.tag = tag;
        return text;
      };
    },
  },
];
