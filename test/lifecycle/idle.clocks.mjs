// An idle process uses no CPU: the CPU time of all its threads over five seconds without work. A
// thread that spins would use 5,000 ms. Compares times: `npm run test:clocks`.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { requiring, run } from '../support/child.mjs';

/** A hundredth of the time; measured are 1 to 5 ms, timers and V8's own threads included. */
const MOST = 50;

/** Everything that starts a worker, a linger, a poll or a timer. */
const burst = `
  const key = Buffer.alloc(32),
    nonce = Buffer.alloc(12);
  const repeat = (length, call) => Promise.all(Array.from({ length }, (_, index) => call(index)));
  async function burst() {
    const sealing = { key, nonce, source: Buffer.alloc(50_000) };
    await repeat(3000, (index) => promises.hash('sha256', Buffer.alloc(index % 500)));
    await repeat(300, () => promises.seal('aes-256-gcm', sealing));
    await repeat(8, () => promises.hash('sha512', Buffer.alloc(2 ** 22)));
    for (let index = 0; index < 200; index++) await promises.hash('sha256', 'one after the other');
    for (let index = 0; index < 20; index++) await promises.hash('sha256', Buffer.alloc(30_000));
    const sealed = promises.sealStream({ algorithm: 'aes-256-gcm', key });
    sealed.resume().end(Buffer.alloc(500_000));
    await new Promise((resolve) => sealed.on('end', resolve));
    const signal = AbortSignal.abort();
    await promises.hash('sha256', Buffer.alloc(100_000), { signal }).catch(() => {});
  }
`;

const resting = `
  async function rest() {
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    await sleep(300);
    gc();
    await sleep(300);
    const before = process.cpuUsage();
    await sleep(5000);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }
`;

const idleWorker = `
  ${requiring()}
  ${burst}
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => {});
  burst().then(() => parentPort.postMessage('idle'));
`;

const busyWorker = `
  ${requiring()}
  ${burst}
  burst().then(burst);
  require('node:worker_threads').parentPort.postMessage('busy');
`;

const programs = {
  'after a burst': `${burst}${resting}
    burst().then(rest).then(console.log);
  `,
  'with a worker_thread that is idle as well': `
    ${burst}${resting};
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(idleWorker)}, { eval: true });
    const idle = new Promise((resolve) => worker.once('message', resolve));
    Promise.all([burst(), idle])
      .then(rest)
      .then((spent) => {
        console.log(spent);
        process.exit();
      });
  `,
  'after a worker_thread was terminated with jobs in flight': `
    ${burst}${resting};
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(busyWorker)}, { eval: true });
    const busy = new Promise((resolve) => worker.once('message', resolve));
    Promise.all([burst(), busy])
      .then(() => worker.terminate())
      .then(rest)
      .then(console.log);
  `,
  'with many more threads than cores': `${burst}${resting}
    millrace.configure({ threads: 32 });
    burst().then(rest).then(console.log);
  `,
};

// All at once: each spends next to nothing, and the test takes six seconds instead of 24.
const runs = Object.fromEntries(
  Object.entries(programs).map(([name, program]) => [
    name,
    run(program, { flags: ['--expose-gc'] }),
  ]),
);

for (const [name, running] of Object.entries(runs)) {
  test(`idle ${name}`, async () => {
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr);
    assert.ok(Number(stdout) < MOST, `${stdout.trim()} ms of CPU time in five idle seconds`);
  });
}
