// piscina 5: a pool of worker_threads, as many as there are cores, that call node:crypto
// (piscina-worker.mjs).
//
// It is given what was fastest for it at 256 B to 1 MiB: sources that all threads share (a
// SharedArrayBuffer; copying the message costs as much at 256 B and half of the throughput at 1
// MiB), a ciphertext transferred back or written to a shared target, 16 tasks handed to a thread at
// once. How its threads wait (`atomics`) made no difference.

import { availableParallelism } from 'node:os';

import { requirePackage, version } from '../packages.mjs';
import { forms } from './forms.mjs';

/** One pool for all rows, started with the first of them. */
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

/** One copy of a source for all jobs. */
const copies = new WeakMap();

function shared(bytes) {
  if (!copies.has(bytes))
    copies.set(bytes, Buffer.from(new SharedArrayBuffer(bytes.length)).fill(bytes));
  return copies.get(bytes);
}

/** @type {import('./all.mjs').Competitor} */
export const piscina = {
  name: 'piscina',
  load() {
    const { Piscina } = requirePackage('piscina');
    return { open: () => openPool(Piscina), version: version('piscina') };
  },
  /** Ends the threads, which would keep the process alive. */
  async unload() {
    await pool?.destroy();
    pool = undefined;
  },
  prepare({ open }, inputs) {
    inputs.pool = open();
    const { group, algorithm, rawKey, iv, source, output } = inputs;
    if (output === 'into') inputs.target = shared(inputs.target);
    inputs.task = { group, algorithm, source: shared(source) };
    if (group !== 'hash') Object.assign(inputs.task, { rawKey, iv });
  },
  forms: [
    ...forms({ group: 'hash', alone: true }, (_, { pool, task }) => ({
      'promise buffer: hash shared': () => pool.run({ ...task }),
    })),
    ...forms({ group: 'cipher' }, (_, { pool, task, target }) => ({
      'promise buffer: cipher shared': () => pool.run({ ...task }),
      'promise into: cipher shared': () => pool.run({ ...task, target }),
    })),
    ...forms({ group: 'aead', operation: 'seal' }, (_, inputs) => {
      const call = (more) => async () => {
        const { text, tag } = await inputs.pool.run({ ...inputs.task, ...more });
        inputs.tag = tag;
        return text;
      };
      return {
        'promise buffer: seal shared': call({}),
        'promise into: seal shared': call({ target: inputs.target }),
      };
    }),
  ],
};
