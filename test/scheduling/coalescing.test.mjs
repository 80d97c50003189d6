// Hashes of several jobs run together, in the lanes of one core: each gets its own digest,
// whatever batch it was in.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hashNames } from '../support/algorithms.mjs';
import { output, requiring } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const numbers = random('coalescing');
/** Runs jobs that gather in the queue while one long job occupies the only worker. */
async function collected(work) {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    const options = { target: Buffer.alloc(32), route: 'pool' };
    const first = promises.hash('sha256', Buffer.alloc(2 ** 20), options);
    await Promise.all([first, ...work()]);
  } finally {
    millrace.configure({ threads });
  }
}

test('many sizes, algorithms and keys in flight at once get their own results', async () => {
  const keys = ['sha256', 'sha256', 'sha512', 'md5'].map((algorithm) => {
    const key = numbers.bytes(20);
    return { algorithm, key, prepared: millrace.createKey(`hmac-${algorithm}`, key) };
  });
  const sizes = [0, 1, 63, 64, 65, 1000, 4096, 4097, 70_000, 65_536, 300_000];
  for (let round = 0; round < 4; round++) {
    const checks = [];
    await collected(() =>
      Array.from({ length: 300 }, async (_, index) => {
        const source = numbers.bytes(numbers.pick(sizes));
        const { prepared, ...hmac } = keys[index % keys.length];
        const job =
          index % 3 === 0
            ? { kind: 'hmac', ...hmac, source }
            : { kind: 'hash', algorithm: numbers.pick(hashNames), source };
        const expected = oracle(job).output;
        const target = index % 2 === 0 ? Buffer.alloc(expected.length) : undefined;
        const options = { target, route: 'pool' };
        const found = await (job.kind === 'hmac'
          ? promises.hmac(job.algorithm, prepared, source, options)
          : promises.hash(job.algorithm, source, options));
        const what = `${job.algorithm}, ${source.length} bytes`;
        checks.push(() => assert.deepEqual(target ?? found, expected, what));
      }),
    );
    checks.forEach((check) => check());
  }
});

test('jobs of several environments are hashed together', async () => {
  const stdout = await output(`
    const { Worker } = require('node:worker_threads');
    const { once } = require('node:events');
    millrace.configure({ threads: 1 });
    const program = ${JSON.stringify(`
      ${requiring()};
      const { parentPort, workerData } = require('node:worker_threads');
      const { createHash } = require('node:crypto');
      (async () => {
        for (let round = 0; round < 10; round++) {
          await Promise.all(
            Array.from({ length: 40 }, async (_, index) => {
              const source = Buffer.alloc(5000 + 100 * index, workerData + index);
              const digest = await promises.hash('sha512', source, { route: 'pool' });
              if (!digest.equals(createHash('sha512').update(source).digest()))
                throw new Error('wrong digest');
            }),
          );
        }
        parentPort.postMessage('right');
      })();`)};
    (async () => {
      const workers = Array.from(
        { length: 4 },
        (_, index) => new Worker(program, { eval: true, workerData: 50 * index }),
      );
      const endless = program.replaceAll('round < 10', 'true');
      const dying = new Worker(endless, { eval: true, workerData: 1 });
      setTimeout(() => dying.terminate(), 20);
      const messages = await Promise.all(workers.map((worker) => once(worker, 'message')));
      console.log(messages.flat().join());
    })();
  `);
  assert.equal(stdout, 'right,right,right,right\n');
});
