// The pool: when its threads start, how many there are, and that they share fairly.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';

import millrace from 'millrace';

import { entryPaths, output } from '../support/child.mjs';

const linux = process.platform === 'linux' ? false : 'threads are counted in /proc';

const counting = `
  const { readdirSync } = require('node:fs');
  const tasks = () => readdirSync('/proc/self/task').length;
`;

test('no thread starts before the first asynchronous job', { skip: linux }, async () => {
  const stdout = await output(`
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
    promises.hash('sha256', Buffer.alloc(100_000)).then(() => {
      const later = millrace.engines().threads.started;
      console.log(JSON.stringify({ loaded, synchronous, started, after: tasks(), later }));
    });
  `);
  const { loaded, synchronous, started, after, later } = JSON.parse(stdout);
  assert.equal(synchronous, loaded);
  assert.equal(started, 0);
  assert.ok(after > loaded && after <= loaded + 3, `${after - loaded} threads`);
  assert.ok(later >= 1 && later <= 3);
});

test('loading starts no thread', { skip: linux }, async () => {
  const program = `${counting}\nconsole.log(tasks())`;
  assert.equal(await output(program), await output(program, { bare: true }));
});

test('threads: as many as the machine gives, or as set', { skip: linux }, async () => {
  for (const threads of [undefined, 1, 2, 5]) {
    const stdout = await output(`
      ${counting};
      const before = tasks();
      const limit = millrace.configure(${JSON.stringify({ threads })}).threads;
      let most = 0;
      const look = () => {
        most = Math.max(most, tasks() - before);
      };
      const timer = setInterval(look, 1);
      const calls = Array.from({ length: 100 }, () => promises.hash('sha512', Buffer.alloc(500_000)));
      Promise.all(calls).then(() => {
        clearInterval(timer);
        look();
        console.log(JSON.stringify({ limit, most, started: millrace.engines().threads.started }));
      });
    `);
    const { limit, most, started } = JSON.parse(stdout);
    if (threads !== undefined) assert.equal(limit, threads);
    else assert.ok(limit >= 1 && limit <= availableParallelism(), `${limit} threads`);
    assert.ok(started <= limit, `${started} of ${limit}`);
    assert.ok(most <= limit, `${most} threads though ${limit} were the limit`);
    assert.ok(most >= Math.min(limit, 2), `only ${most} of ${limit} threads for 100 jobs`);
  }
});

test('fewer threads may be set later, and more', async () => {
  const stdout = await output(`
    (async () => {
      const sources = Array.from({ length: 50 }, (_, index) => Buffer.alloc(50_000, index));
      const work = () => Promise.all(sources.map((each) => promises.hash('sha256', each, 'hex')));
      const expected = sources.map((each) => millrace.hash('sha256', each, 'hex')).join();
      for (const threads of [4, 1, 8, 2, 1, 3]) {
        const flying = work();
        if (millrace.configure({ threads }).threads !== threads) throw new Error('not set');
        if ((await flying).join() !== expected || (await work()).join() !== expected)
          throw new Error('wrong digest');
      }
      console.log('done');
    })();
  `);
  assert.equal(stdout, 'done\n');
});

test(
  'the CPU mask limits the threads',
  {
    skip:
      linux ||
      (spawnSync('taskset', ['--version']).status !== 0 && 'needs taskset') ||
      (availableParallelism() < 2 && 'needs two cores'),
  },
  async () => {
    const path = JSON.stringify(entryPaths.millrace);
    const program = `console.log(require(${path}).configure().threads)`;
    const status = readFileSync('/proc/self/status', 'utf8');
    const [, cpu] = /Cpus_allowed_list:\s*(\d+)/.exec(status);
    const args = ['-c', cpu, process.execPath, '-e', program];
    assert.equal(execFileSync('taskset', args, { encoding: 'utf8' }), '1\n');
  },
);

test('invalid numbers of threads are refused', () => {
  const [VALUE, TYPE] = ['ERR_ARGUMENT_VALUE', 'ERR_ARGUMENT_TYPE'];
  for (const threads of [0, -1, 1.5, NaN, Infinity, 1025, 2 ** 40, null, '2', true, {}, 2n]) {
    const code = typeof threads === 'number' ? VALUE : TYPE;
    assert.throws(() => millrace.configure({ threads }), { code, message: /threads/ });
  }
  for (const settings of [null, 5, 'threads', true, Buffer.alloc(1)])
    assert.throws(() => millrace.configure(settings), { code: TYPE });
  const before = millrace.configure();
  const names = 'threads route maxQueuedBytes recycle maxKdfMemory secureMemory engine';
  assert.deepEqual(Object.keys(before), names.split(' '));
  assert.deepEqual(millrace.configure({}), before);
  assert.deepEqual(millrace.configure({ threads: undefined }), before);
});
