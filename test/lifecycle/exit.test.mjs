// How a process ends while jobs are in flight, and that it ends when none are.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { run } from '../support/child.mjs';

/** Enough work to be in flight for seconds: lent, friendly, queued, from each door. */
const manyJobs = `
  const large = Buffer.alloc(64 * 2 ** 20, 1);
  const key = Buffer.alloc(32), iv = Buffer.alloc(16), nonce = Buffer.alloc(12);
  function start(count) {
    for (let index = 0; index < count; index++) {
      promises.hash('sha512', large, 0, large.length, Buffer.alloc(64), 0).catch(() => {});
      promises.seal('aes-256-gcm', { key, nonce, source: large.subarray(0, 2 ** 20) }).catch(() => {});
      millrace.cipher('aes-256-ctr', 1, key, 0, 32, iv, 0, 16, large, 0, 2 ** 20, Buffer.alloc(2 ** 20), 0, () => {});
      cryptoAsync.hmac('sha256', key, large.subarray(0, 1000), () => {});
      millrace.hash('sha3-512', 'small', () => {});
    }
  }
`;

const quick = 5000;

test('the library alone keeps no process alive', async () => {
  const { code, signal, stdout, ms } = await run(`console.log(millrace.hash('md5', '', 'hex'))`);
  assert.deepEqual([code, signal, stdout], [0, null, 'd41d8cd98f00b204e9800998ecf8427e\n']);
  assert.ok(ms < quick, `${ms} ms`);
});

test('a process ends by itself when its jobs are done, all of them done', async () => {
  const { code, signal, stdout, stderr, ms } = await run(`
    let done = 0;
    for (let index = 0; index < 500; index++) millrace.hash('sha256', Buffer.alloc(index * 100), (error) => { if (!error) done++; });
    for (let index = 0; index < 500; index++) promises.seal('aes-128-gcm', { key: Buffer.alloc(16), nonce: Buffer.alloc(12), source: 'x' }).then(() => done++);
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
  const { code, stdout } = await run(`
    const digest = await promises.hash('sha512', Buffer.alloc(64 * 2 ** 20), 'hex');
    console.log(digest.length, (await promises.hash('md5', 'abc', 'hex')));
  `, { esm: true });
  assert.deepEqual([code, stdout], [0, '128 900150983cd24fb0d6963f7d28e17f72\n']);
});

test('beforeExit comes after the jobs, and may start more', async () => {
  const { code, stdout } = await run(`
    let rounds = 0;
    promises.hash('sha256', 'x').then(() => console.log('settled'));
    process.on('beforeExit', () => {
      if (rounds++ < 3) millrace.hash('sha256', 'x', () => console.log('round', rounds));
    });
  `);
  assert.deepEqual([code, stdout], [0, 'settled\nround 1\nround 2\nround 3\n']);
});

for (const [name, ending, expected, first = ''] of [
  ['process.exit(7)', 'process.exit(7)', 7],
  ['process.exit() with exitCode', 'process.exitCode = 9; process.exit()', 9],
  ['process.exit(0) later', 'setTimeout(() => process.exit(0), 30)', 0],
  ['process.exit(3) in a callback', '', 3, "millrace.hash('md5', 'x', () => process.exit(3))"],
  ['process.exit(4) after a promise', '', 4, "promises.hash('md5', 'x').then(() => process.exit(4))"],
  ['process.reallyExit(5)', 'process.reallyExit(5)', 5],
  ['an uncaught exception', "throw new Error('ended')", 1],
  ['an unhandled rejection', "Promise.reject(new Error('ended'))", 1],
  ['process.exit(6) in an exit listener', "process.on('exit', () => process.exit(6)); process.exit(0)", 6],
]) {
  test(`jobs in flight: ${name}`, async () => {
    for (const setup of ['', 'millrace.configure({ threads: 8 });']) {
      const { code, signal, stderr, ms } = await run(`${setup}\n${manyJobs}\n${first};\nstart(80);\n${ending};`);
      assert.deepEqual([code, signal], [expected, null], stderr);
      assert.ok(ms < quick, `it took ${ms} ms to end`);
    }
  });
}

test('jobs in flight: ended from outside', { skip: process.platform === 'win32' && 'signals are POSIX' }, async () => {
  const { signal, ms } = await run(`${manyJobs}\nstart(80);\nsetTimeout(() => process.kill(process.pid, 'SIGTERM'), 20);`);
  assert.equal(signal, 'SIGTERM');
  assert.ok(ms < quick, `${ms} ms`);
});

test('jobs in flight: process.exit thirty times, at random moments', async () => {
  // A race shows itself as a signal or another exit code.
  for (let round = 0; round < 30; round += 5) {
    const results = await Promise.all(Array.from({ length: 5 }, (_, index) => run(`${manyJobs}\nstart(20);\nconst wait = ${(round + index) * 0.7};\nsetTimeout(() => process.exit(17), wait);`)));
    for (const { code, signal, stderr } of results) assert.deepEqual([code, signal, stderr], [17, null, '']);
  }
});

test('jobs submitted in an exit listener hang nothing', async () => {
  const { code, ms } = await run(`
    process.on('exit', () => { millrace.hash('sha256', 'x', () => console.log('must not be called')); });
    millrace.hash('sha256', 'y', () => {});
  `);
  assert.equal(code, 0);
  assert.ok(ms < quick, `${ms} ms`);
});
