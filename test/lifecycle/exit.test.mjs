// How a process ends while jobs are in flight, and that it ends when none are.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { output, requiring, run } from '../support/child.mjs';

/** Enough work to be in flight for seconds: lent, friendly, queued, from each entry point. */
const manyJobs = `
  const large = Buffer.alloc(64 * 2 ** 20, 1);
  const key = Buffer.alloc(32),
    iv = Buffer.alloc(16),
    nonce = Buffer.alloc(12);
  function start(count) {
    for (let index = 0; index < count; index++) {
      promises.hash('sha512', large, { target: Buffer.alloc(64) }).catch(() => {});
      const source = large.subarray(0, 2 ** 20);
      const lent = { encrypt: 1, key, iv, source, target: Buffer.alloc(2 ** 20) };
      promises.seal('aes-256-gcm', { key, nonce, source }).catch(() => {});
      millrace.cipher('aes-256-ctr', lent, () => {});
      cryptoAsync.hmac('sha256', key, large.subarray(0, 1000), () => {});
      millrace.hash('sha3-512', 'small', () => {});
    }
  }
`;

/** Against a process that never ends, or only when its jobs are done: they are minutes of work. */
const quick = 30_000;

test('the library alone keeps no process alive', async () => {
  const { code, signal, stdout, ms } = await run(`console.log(millrace.hash('md5', '', 'hex'))`);
  assert.deepEqual([code, signal, stdout], [0, null, 'd41d8cd98f00b204e9800998ecf8427e\n']);
  assert.ok(ms < quick, `${ms} ms`);
});

test('a process ends by itself when its jobs are done, all of them done', async () => {
  const { code, signal, stdout, stderr, ms } = await run(`
    let done = 0;
    for (let index = 0; index < 500; index++)
      millrace.hash('sha256', Buffer.alloc(index * 100), (error) => {
        if (!error) done++;
      });
    for (let index = 0; index < 500; index++)
      promises
        .seal('aes-128-gcm', { key: Buffer.alloc(16), nonce: Buffer.alloc(12), source: 'x' })
        .then(() => done++);
    process.on('exit', () => console.log(done));
  `);
  assert.deepEqual([code, signal, stdout, stderr], [0, null, '1000\n', '']);
  assert.ok(ms < quick, `${ms} ms`);
});

test('a process that was idle after its jobs ends as well', async () => {
  const { code, stdout, ms } = await run(`
    (async () => {
      await promises.hash('sha256', 'first');
      await new Promise((resolve) => setTimeout(resolve, 150));
      await promises.hash('sha256', 'second');
      console.log('done');
    })();
  `);
  assert.deepEqual([code, stdout], [0, 'done\n']);
  assert.ok(ms < quick, `${ms} ms`);
});

test('awaiting at the top level of a module keeps the process until the job is done', async () => {
  const program = `
    const digest = await promises.hash('sha512', Buffer.alloc(64 * 2 ** 20), 'hex');
    console.log(digest.length, (await promises.hash('md5', 'abc', 'hex')));`;
  const stdout = await output(program, { esm: true });
  assert.equal(stdout, '128 900150983cd24fb0d6963f7d28e17f72\n');
});

test('beforeExit comes after the jobs, and may start more', async () => {
  const stdout = await output(`
    let rounds = 0;
    promises.hash('sha256', 'x').then(() => console.log('settled'));
    process.on('beforeExit', () => {
      if (rounds++ < 3) millrace.hash('sha256', 'x', () => console.log('round', rounds));
    });
  `);
  assert.equal(stdout, 'settled\nround 1\nround 2\nround 3\n');
});

for (const [name, ending, expected, first = ''] of [
  ['process.exit(7)', 'process.exit(7)', 7],
  ['process.exit() with exitCode', 'process.exitCode = 9; process.exit()', 9],
  ['process.exit(0) later', 'setTimeout(() => process.exit(0), 30)', 0],
  ['process.exit(3) in a callback', '', 3, "millrace.hash('md5', 'x', () => process.exit(3))"],
  ['process.exit(4) in then', '', 4, "promises.hash('md5', 'x').then(() => process.exit(4))"],
  ['process.reallyExit(5)', 'process.reallyExit(5)', 5],
  ['an uncaught exception', "throw new Error('ended')", 1],
  ['an unhandled rejection', "Promise.reject(new Error('ended'))", 1],
  [
    'process.exit(6) in an exit listener',
    "process.on('exit', () => process.exit(6)); process.exit(0)",
    6,
  ],
]) {
  test(`jobs in flight: ${name}`, async () => {
    for (const setup of ['', 'millrace.configure({ threads: 8 });']) {
      const { code, signal, stderr, ms } = await run(
        `${setup}\n${manyJobs}\n${first};\nstart(80);\n${ending};`,
      );
      assert.deepEqual([code, signal], [expected, null], stderr);
      assert.ok(ms < quick, `it took ${ms} ms to end`);
    }
  });
}

test(
  'jobs in flight: ended from outside',
  { skip: process.platform === 'win32' && 'signals are POSIX' },
  async () => {
    const { signal, ms } = await run(
      `${manyJobs}\nstart(80);\nsetTimeout(() => process.kill(process.pid, 'SIGTERM'), 20);`,
    );
    assert.equal(signal, 'SIGTERM');
    assert.ok(ms < quick, `${ms} ms`);
  },
);

test('jobs in flight: process.exit thirty times, at random moments', async () => {
  // A race shows itself as a signal or another exit code.
  const ended = (round) =>
    run(`${manyJobs}\nstart(20);\nsetTimeout(() => process.exit(17), ${round * 0.7});`);
  for (let round = 0; round < 30; round += 5) {
    const results = await Promise.all([0, 1, 2, 3, 4].map((index) => ended(round + index)));
    for (const { code, signal, stderr } of results)
      assert.deepEqual([code, signal, stderr], [17, null, '']);
  }
});

test('jobs submitted in an exit listener hang nothing', async () => {
  const { code, ms } = await run(`
    process.on('exit', () => {
      millrace.hash('sha256', 'x', () => console.log('must not be called'));
    });
    millrace.hash('sha256', 'y', () => {});
  `);
  assert.equal(code, 0);
  assert.ok(ms < quick, `${ms} ms`);
});

// Jobs of several seconds each: process.exit must not wait for them. Their memory is never written,
// so it costs address space only, and is read as zeros. What counts is not how long the end takes,
// but that it takes less than half of what one such job would, by this machine's own speed:
// measured are 20 ms of 5 s.

const longJobs = `
  const size = 2 ** 31;
  const sample = Buffer.alloc(2 ** 24);
  const begin = performance.now();
  millrace.hash('sha3-512', sample);
  const each = ((performance.now() - begin) * size) / sample.length;
  const huge = Buffer.alloc(size);
  const start = {
    hash: () => promises.hash('sha3-512', huge, { target: Buffer.alloc(64) }),
    hmac: () => promises.hmac('sha3-512', 'key', huge, { target: Buffer.alloc(64) }),
    hasher: () => millrace.createHash('sha3-512').updateAsync(huge, 0, size),
    batch: () => {
      const sources = Array.from({ length: 64 }, (_, index) => huge.subarray(index * 2 ** 24));
      return promises.hashMany('sha3-512', sources, { target: Buffer.alloc(64 * 64) });
    },
  };
  for (const begin of Object.values(start)) begin().catch(() => {});
`;

/**
 * Returns the time of the end, as a part of one job; undefined where there is no memory for such
 * jobs.
 */
async function partOfJob(ending, { code, signal = null } = {}) {
  const ended = await run(
    `
    process.on('exit', () => {});
    ${longJobs}
    setTimeout(() => { console.log(each, Date.now()); ${ending} }, 50);
  `,
    { timeout: 300_000 },
  );
  const now = Date.now();
  if (/ERR_MEMORY_ALLOCATION_FAILED|Array buffer allocation failed/.test(ended.stderr))
    return undefined;
  assert.deepEqual([ended.code, ended.signal], [code, signal], ended.stderr);
  const [each, begun] = ended.stdout.split(' ').map(Number);
  return (now - begun) / each;
}

for (const [name, ending, expected] of [
  ['process.exit', 'process.exit(17);', { code: 17 }],
  ['an exception', "throw new Error('ended');", { code: 1 }],
  ['a signal', "process.kill(process.pid, 'SIGTERM');", { code: null, signal: 'SIGTERM' }],
]) {
  test(
    `jobs of seconds in flight: ${name} does not wait for them`,
    {
      timeout: 300_000,
      skip: name === 'a signal' && process.platform === 'win32' && 'signals are POSIX',
    },
    async (t) => {
      const part = await partOfJob(ending, expected);
      if (part === undefined) return t.skip('no memory for a buffer of 2 GiB');
      assert.ok(part < 0.5, `the end took ${part.toFixed(2)} times as long as one job`);
    },
  );
}

const worker = `
  ${requiring()}
  ${longJobs}
  require('node:worker_threads').parentPort.postMessage(each);
`;

test(
  'jobs of seconds in flight: a worker_thread is terminated at once',
  { timeout: 300_000 },
  async (t) => {
    const { code, signal, stdout, stderr } = await run(
      `
        const { Worker } = require('node:worker_threads');
        const worker = new Worker(${JSON.stringify(worker)}, { eval: true });
        worker.on('error', (error) => {
          console.error(error);
          process.exit(1);
        });
        worker.on('message', async (each) => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          const begin = performance.now();
          await worker.terminate();
          const part = (performance.now() - begin) / each;
          const digest = await promises.hash('sha256', Buffer.alloc(100_000), 'hex');
          console.log(part, digest === millrace.hash('sha256', Buffer.alloc(100_000), 'hex'));
        });
  `,
      { timeout: 300_000 },
    );
    if (/allocation failed/i.test(stderr)) return t.skip('no memory for a buffer of 2 GiB');
    assert.deepEqual([code, signal], [0, null], stderr);
    const [part, right] = stdout.trim().split(' ');
    assert.equal(right, 'true');
    assert.ok(Number(part) < 0.5, `terminate took ${part} times as long as one job`);
  },
);
