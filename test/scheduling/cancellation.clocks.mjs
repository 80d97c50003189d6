// A running job stops within a slice, however large it is: by a signal, and by the end of its
// environment. Compares times: `npm run test:clocks`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { output, requiring } from '../support/child.mjs';
import { timed } from './timed.mjs';

const reason = new Error('not wanted');

/**
 * Starts something that takes `full` milliseconds, and aborts it on its way. On a crowded machine
 * the worker may be late.
 */
async function stopped(start, full) {
  for (let attempt = 1; ; attempt++) {
    const controller = new AbortController();
    const settling = timed(() => start(controller.signal));
    await sleep(Math.min(10, full / 8));
    const aborted = performance.now();
    controller.abort(reason);
    const { error } = await settling;
    const ms = performance.now() - aborted;
    assert.equal(error, reason);
    if (ms < full / 3) return;
    assert.ok(attempt < 10, `took ${ms} of ${full} ms to stop`);
  }
}

const size = 2 ** 26;
const source = Buffer.alloc(size, 7);
const key = Buffer.alloc(32, 1);

for (const algorithm of ['sha256', 'sha3-512', 'ripemd160', 'blake2b512']) {
  test(`${algorithm}: a running hash stops`, async () => {
    const target = Buffer.alloc(64);
    const options = { target, route: 'pool' };
    const hash = (signal) => promises.hash(algorithm, source, { ...options, signal });
    const hmac = (signal) => promises.hmac(algorithm, key, source, { ...options, signal });
    const { ms } = await timed(hash);
    for (const start of [hash, hmac]) await stopped(start, ms);
  });
}

test('a short job does not wait for a long one', async () => {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    const target = Buffer.alloc(64);
    const long = timed(() => promises.hash('keccak512', source, { target, route: 'pool' }));
    await sleep(5);
    let least = Infinity;
    for (let attempt = 0; attempt < 10; attempt++) {
      const { ms } = await timed(() => promises.hash('sha256', key, { route: 'pool' }));
      least = Math.min(least, ms);
    }
    const { ms } = await long;
    assert.ok(least < ms / 10, `${least} of ${ms} ms`);
  } finally {
    millrace.configure({ threads });
  }
});

const sealing = `encrypt: true, key: source.subarray(0, 32), iv: source.subarray(0, 12), source,
  target: source, tag: Buffer.alloc(16)`;
for (const work of [
  'hash("keccak512", source, { target: Buffer.alloc(64), route: "pool" })',
  'hmac("ripemd160", source.subarray(0, 9), source, { target: Buffer.alloc(20), route: "pool" })',
  `cipher("aes-256-gcm", { ${sealing}, route: "split" })`,
  `cipher("chacha20-poly1305", { ${sealing}, route: "pool" })`,
]) {
  test(`an environment ends while a large job runs: ${work.slice(0, 31)}`, async () => {
    const stdout = await output(`
      const { Worker } = require('node:worker_threads');
      const { once } = require('node:events');
      const program = ${JSON.stringify(`${requiring()}
        const { parentPort } = require('node:worker_threads');
        const source = Buffer.alloc(2 ** 28);
        parentPort.postMessage('ready');
        setInterval(() => {}, 1000);
        promises.${work}.then(() => parentPort.postMessage('done'));`)};
      (async () => {
        let least = Infinity;
        for (let attempt = 0; attempt < 4; attempt++) {
          const worker = new Worker(program, { eval: true });
          await once(worker, 'message');
          await new Promise((resolve) => setTimeout(resolve, 5));
          const begin = performance.now();
          await worker.terminate();
          least = Math.min(least, performance.now() - begin);
        }
        console.log(least);
      })();
    `);
    assert.ok(Number(stdout) < 60, `${stdout} ms`);
  });
}
