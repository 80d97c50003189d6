// The pool: when its threads start, how many there are, and that they share fairly.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';

import { run } from '../support/child.mjs';

const linux = process.platform === 'linux' ? false : 'threads are counted in /proc';

const counting = `
  const { readdirSync } = require('node:fs');
  const tasks = () => readdirSync('/proc/self/task').length;
`;

test('no thread starts before the first asynchronous job', { skip: linux }, async () => {
  const { code, stdout, stderr } = await run(`
    ${counting};
    const loaded = tasks();
    const key = Buffer.alloc(32);
    millrace.hash('sha256', Buffer.alloc(2 ** 22));
    millrace.seal('aes-256-gcm', {
      key: millrace.createKey('aes-256-gcm', key),
      nonce: Buffer.alloc(12),
      source: Buffer.alloc(2 ** 22),
    });
    cryptoAsync.hash('sha256', Buffer.alloc(2 ** 22));
    millrace.engines();
    millrace.configure({ threads: 3 });
    millrace.getCiphers();
    const { started } = millrace.engines().threads;
    const synchronous = tasks();
    promises
      .hash('sha256', Buffer.alloc(100_000))
      .then(() =>
        console.log(
          JSON.stringify({
            loaded,
            synchronous,
            started,
            after: tasks(),
            later: millrace.engines().threads.started,
          }),
        ),
      );
  `);
  assert.equal(code, 0, stderr);
  const { loaded, synchronous, started, after, later } = JSON.parse(stdout);
  assert.equal(synchronous, loaded);
  assert.equal(started, 0);
  assert.ok(after > loaded && after <= loaded + 3, `${after - loaded} threads`);
  assert.ok(later >= 1 && later <= 3);
});

test('loading starts no thread', { skip: linux }, async () => {
  const { stdout } = await run(`${counting}\nconsole.log(tasks())`);
  // The same process without the library.
  const { execFileSync } = await import('node:child_process');
  const bare = execFileSync(process.execPath, ['-e', `${counting}\nconsole.log(tasks())`], {
    encoding: 'utf8',
  });
  assert.equal(stdout, bare);
});

test('threads: as many as the machine gives, or as set', { skip: linux }, async () => {
  for (const threads of [undefined, 1, 2, 5]) {
    const { stdout, stderr } = await run(`
      ${counting};
      const before = tasks();
      const limit = millrace.configure(${JSON.stringify({ threads })}).threads;
      let most = 0;
      const timer = setInterval(() => {
        most = Math.max(most, tasks());
      }, 1);
      Promise.all(
        Array.from({ length: 100 }, () => promises.hash('sha512', Buffer.alloc(500_000))),
      ).then(() => {
        clearInterval(timer);
        console.log(
          JSON.stringify({
            limit,
            most: Math.max(most, tasks()) - before,
            started: millrace.engines().threads.started,
          }),
        );
      });
    `);
    const { limit, most, started } = JSON.parse(stdout || `{"error":${JSON.stringify(stderr)}}`);
    if (threads !== undefined) assert.equal(limit, threads);
    else
      assert.ok(
        limit >= 1 && limit <= availableParallelism(),
        `${limit} threads on ${availableParallelism()} cores`,
      );
    assert.ok(started <= limit, `${started} of ${limit}`);
    assert.ok(most <= limit, `${most} threads though ${limit} were the limit`);
    assert.ok(most >= Math.min(limit, 2), `only ${most} of ${limit} threads for 100 jobs`);
  }
});

test('fewer threads may be set later, and more', async () => {
  const { code, stdout, stderr } = await run(`
    (async () => {
      const work = () =>
        Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            promises.hash('sha256', Buffer.alloc(50_000, index), 'hex'),
          ),
        );
      const expected = Array.from({ length: 50 }, (_, index) =>
        millrace.hash('sha256', Buffer.alloc(50_000, index), 'hex'),
      ).join();
      for (const threads of [4, 1, 8, 2, 1, 3]) {
        const flying = work();
        if (millrace.configure({ threads }).threads !== threads) throw new Error('not set');
        if ((await flying).join() !== expected || (await work()).join() !== expected)
          throw new Error('wrong digest');
      }
      console.log('done');
    })();
  `);
  assert.deepEqual([code, stdout], [0, 'done\n'], stderr);
});

test(
  'the CPU mask limits the threads',
  {
    skip:
      linux ||
      (!(await hasTaskset()) && 'needs taskset') ||
      (availableParallelism() < 2 && 'needs two cores'),
  },
  async () => {
    const { execFileSync } = await import('node:child_process');
    const { entryPaths } = await import('../support/child.mjs');
    const path = JSON.stringify(entryPaths.millrace);
    const program = `console.log(require(${path}).configure().threads)`;
    const cpu = /Cpus_allowed_list:\s*(\d+)/.exec(
      (await import('node:fs')).readFileSync('/proc/self/status', 'utf8'),
    )[1];
    assert.equal(
      execFileSync('taskset', ['-c', cpu, process.execPath, '-e', program], { encoding: 'utf8' }),
      '1\n',
    );
  },
);

test('invalid numbers of threads are refused', async () => {
  const { default: millrace } = await import('millrace');
  for (const threads of [0, -1, 1.5, NaN, Infinity, 1025, 2 ** 40])
    assert.throws(() => millrace.configure({ threads }), {
      code: 'ERR_ARGUMENT_VALUE',
      message: /threads/,
    });
  for (const threads of [null, '2', true, {}, 2n])
    assert.throws(() => millrace.configure({ threads }), {
      code: 'ERR_ARGUMENT_TYPE',
      message: /threads/,
    });
  for (const settings of [null, 5, 'threads', true, Buffer.alloc(1)])
    assert.throws(() => millrace.configure(settings), { code: 'ERR_ARGUMENT_TYPE' });
  const before = millrace.configure();
  assert.deepEqual(Object.keys(before), [
    'threads',
    'route',
    'maxQueuedBytes',
    'recycle',
    'maxKdfMemory',
    'engine',
  ]);
  assert.deepEqual(millrace.configure({}), before);
  assert.deepEqual(millrace.configure({ threads: undefined }), before);
});

test('engines() names an engine for each algorithm', async () => {
  const { default: millrace } = await import('millrace');
  const { native, threads } = millrace.engines();
  assert.equal(native.available, true);
  for (const name of [...millrace.getCiphers(), ...millrace.getHashes()]) {
    assert.ok(native.algorithms[name], `${name} is not in the report`);
    assert.ok(native.algorithms[name].library.length > 0);
  }
  assert.deepEqual(
    Object.keys(native.algorithms).sort(),
    [...millrace.getCiphers(), ...millrace.getHashes()].sort(),
  );
  for (const count of Object.values(threads)) assert.ok(Number.isInteger(count) && count >= 0);
});

async function hasTaskset() {
  const { spawnSync } = await import('node:child_process');
  return spawnSync('taskset', ['--version']).status === 0;
}
