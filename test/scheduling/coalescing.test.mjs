// Hashes of several jobs run together, in the lanes of one core: each gets its own digest,
// whatever batch it was in.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { requiring, run } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const numbers = random('coalescing');
const hashes = [
  'md5',
  'sha1',
  'sha224',
  'sha256',
  'sha384',
  'sha512',
  'sha512-256',
  'sha3-256',
  'sha3-512',
  'keccak256',
  'blake3',
  'xxh3-64',
];

/** Runs jobs that gather in the queue while one long job occupies the only worker. */
async function collected(work) {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    const first = promises.hash('sha256', Buffer.alloc(2 ** 20), {
      target: Buffer.alloc(32),
      route: 'pool',
    });
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
        const source = numbers.bytes(sizes[numbers.below(sizes.length)]);
        const lent = index % 2 === 0;
        const { algorithm, key, prepared } = keys[index % keys.length];
        if (index % 3 === 0) {
          const target = lent ? Buffer.alloc(millrace.hmac(algorithm, key, '').length) : undefined;
          const mac = await promises.hmac(algorithm, prepared, source, {
            ...(lent ? { target } : {}),
            route: 'pool',
          });
          checks.push(() =>
            assert.deepEqual(
              target ?? mac,
              oracle({ kind: 'hmac', algorithm, key, source }).output,
            ),
          );
          return;
        }
        const name = hashes[numbers.below(hashes.length)];
        const target = lent ? Buffer.alloc(millrace.hash(name, '').length) : undefined;
        const digest = await promises.hash(name, source, {
          ...(lent ? { target } : {}),
          route: 'pool',
        });
        checks.push(() =>
          assert.deepEqual(
            target ?? digest,
            oracle({ kind: 'hash', algorithm: name, source }).output,
            `${name}, ${source.length} bytes`,
          ),
        );
      }),
    );
    checks.forEach((check) => check());
  }
});

test('jobs of several environments are hashed together', async () => {
  const { code, stdout, stderr } = await run(`
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
      const dying = new Worker(program.replaceAll('round < 10', 'true'), {
        eval: true,
        workerData: 1,
      });
      setTimeout(() => dying.terminate(), 20);
      const messages = await Promise.all(workers.map((worker) => once(worker, 'message')));
      console.log(messages.flat().join());
    })();
  `);
  assert.deepEqual([code, stdout], [0, 'right,right,right,right\n'], stderr);
});
