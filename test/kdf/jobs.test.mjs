// Derivations as jobs: cancelled, watched, waiting for memory, in threads that end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { output, run } from '../support/child.mjs';
import { ways } from '../support/ways.mjs';
import { longDerivations } from './long-derivations.mjs';

/**
 * Checks that memory is released: it is wiped and given back right after a result has been
 * delivered.
 */
async function released() {
  for (let round = 0; round < 200 && millrace.engines().kdf.memory > 0; round++)
    await setTimeout(5);
  assert.deepEqual(millrace.engines().kdf, { memory: 0, waiting: 0 });
}

/** Checks that a job has told its progress three times, each time more. */
function grows(seen) {
  const more = (fraction, index) => fraction > (seen[index - 1] ?? 0);
  assert.ok(seen.length >= 3 && seen.every(more), String(seen));
}

for (const [name, start] of Object.entries(longDerivations)) {
  test(`${name}: cancelled in the middle it rejects with the reason`, async () => {
    const controller = new AbortController();
    const reason = new Error('no longer');
    const result = start({ signal: controller.signal });
    await setTimeout(60);
    controller.abort(reason);
    await assert.rejects(result, (error) => error === reason);
    // And before it begins.
    await assert.rejects(start({ signal: controller.signal }), (error) => error === reason);
    await released();
  });

  test(`${name}: progress grows, to 1`, async () => {
    const seen = [];
    const controller = new AbortController();
    const result = start({
      signal: controller.signal,
      onProgress: ({ fraction }) => {
        seen.push(fraction);
        if (seen.length === 3) controller.abort();
      },
    });
    await assert.rejects(result, { name: 'AbortError' });
    grows(seen);
    assert.ok(seen.at(-1) < 1, String(seen));
  });
}

test('in lanes each job reports its own progress', async () => {
  const controller = new AbortController();
  const seen = [[], [], [], []];
  const jobs = seen.map((fractions) =>
    promises.scrypt('a', 'b', 32, {
      N: 16384,
      p: 64,
      signal: controller.signal,
      onProgress: ({ fraction }) => {
        fractions.push(fraction);
        if (seen.every(({ length }) => length >= 3)) controller.abort();
      },
    }),
  );
  await Promise.allSettled(jobs);
  seen.forEach(grows);
});

test('every route derives the same keys', async () => {
  await output(`
    const assert = require('node:assert/strict');
    const crypto = require('node:crypto');
    (async () => {
      const parameters = { message: 'a', nonce: '12345678', memory: 512, tagLength: 3000 };
      for (const route of ['inline', 'split', 'pool', 'auto']) {
        millrace.configure({ route });
        const keys = await Promise.all([
          promises.scrypt('a', 'b', 64, { N: 1024 }),
          promises.pbkdf2('a', 'b', 100, 3000, 'sha512'),
          promises.hkdf('sha256', 'a', 'b', 'c', 32),
          promises.verifyPassword('a', await promises.hashPassword('a', { memory: 512 })),
          promises.argon2('argon2d', parameters),
        ]);
        assert.deepEqual(keys, [
          crypto.scryptSync('a', 'b', 64, { N: 1024 }),
          crypto.pbkdf2Sync('a', 'b', 100, 3000, 'sha512'),
          Buffer.from(crypto.hkdfSync('sha256', 'a', 'b', 'c', 32)),
          true,
          millrace.argon2('argon2d', parameters),
        ]);
      }
    })();
  `);
});

test('the last progress is 1, before the result; by callback too', async () => {
  const told = [];
  await promises
    .scrypt('a', 'b', 32, { onProgress: ({ fraction }) => told.push(fraction) })
    .then(() => told.push('done'));
  assert.deepEqual(told.slice(-2), [1, 'done']);
  const { signal } = new AbortController();
  const onProgress = ({ fraction }) => told.push(fraction);
  await ways.callback('scrypt', 'a', 'b', 32, { signal, onProgress });
  assert.equal(told.at(-1), 1);
});

test('a callback gets the reason of a cancellation', async () => {
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const derived = ways.callback('pbkdf2', 'a', 'b', 4_000_000, 32, 'sha256', options);
  controller.abort(new Error('gone'));
  await assert.rejects(derived, { message: 'gone' });
});

test('one of several in lanes is cancelled, the others are right', async () => {
  const cost = { N: 32768, maxmem: 2 ** 26 };
  const expected = millrace.scrypt('a', 'b', 32, cost);
  const controller = new AbortController();
  const jobs = Array.from({ length: 12 }, (_, index) => {
    const signal = index % 3 === 1 ? controller.signal : undefined;
    return promises.scrypt('a', 'b', 32, { ...cost, signal });
  });
  const settled = Promise.allSettled(jobs);
  await setTimeout(20);
  controller.abort();
  for (const [index, { status, value }] of (await settled).entries()) {
    if (index % 3 !== 1) assert.deepEqual(value, expected, status);
    else assert.equal(status, 'rejected');
  }
  await released();
});

test(
  'together they never take more memory than they may; the others wait, and short work ' + 'passes',
  async () => {
    await output(`
    const assert = require('node:assert/strict');
    const { readFileSync } = require('node:fs');
    const limit = 100 << 20;
    millrace.configure({ maxKdfMemory: limit, threads: 2 });
    const resident = () =>
      Number(
        /VmRSS:\\s+(\\d+)/.exec(
          process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : 'VmRSS: 0',
        )[1],
      ) * 1024;
    const before = resident();
    let [most, mostResident, waited, done] = [0, 0, 0, 0];
    const look = () => {
      const { memory, waiting } = millrace.engines().kdf;
      assert.ok(memory <= limit, memory + ' bytes');
      most = Math.max(most, memory);
      waited = Math.max(waited, waiting);
      mostResident = Math.max(mostResident, resident());
    };
    const timer = setInterval(look, 1);
    const count = () => {
      done += 1;
      look();
    };
    const jobs = [];
    for (let index = 0; index < 24; index++) {
      const parameters = { message: 'a', nonce: '12345678', memory: 20000 + index };
      jobs.push(promises.scrypt('a', String(index), 32).then(count));
      jobs.push(promises.argon2('argon2id', parameters).then(count));
    }
    setImmediate(() =>
      setImmediate(async () => {
        look();
        await promises.hash('sha256', Buffer.alloc(100_000), { route: 'pool' });
        assert.ok(done < 40, 'a hash waited for ' + done + ' derivations');
      }),
    );
    Promise.all(jobs).then(() => {
      clearInterval(timer);
      assert.equal(done, 48);
      assert.ok(most > limit / 2, 'as much as there is room for: ' + most);
      assert.ok(waited >= 40, waited + ' have waited');
      assert.ok(mostResident - before < limit + (64 << 20), 'resident ' + (mostResident - before));
      setTimeout(() => assert.deepEqual(millrace.engines().kdf, { memory: 0, waiting: 0 }), 1000);
    });
  `);
  },
);

test('the limit may be lowered or raised while jobs wait', async () => {
  await output(`
    const assert = require('node:assert/strict');
    millrace.configure({ maxKdfMemory: 64 << 20 });
    const jobs = Array.from({ length: 12 }, (_, index) => promises.scrypt('a', String(index), 32));
    setImmediate(() => setImmediate(() => {
      millrace.configure({ maxKdfMemory: 1 << 20 }); // They go on one by one.
      setTimeout(() => millrace.configure({ maxKdfMemory: 256 << 20 }), 50);
    }));
    Promise.all(jobs).then((keys) => assert.deepEqual(keys[3], millrace.scrypt('a', '3', 32)));
  `);
});

test('a thread may end while derivations run, in lanes, and wait', async () => {
  const { code, stderr, ms } = await run(`
    const { Worker, isMainThread } = require('node:worker_threads');
    if (!isMainThread) {
      const parameters = { message: 'a', nonce: '12345678', memory: 65536, passes: 100 };
      for (let index = 0; index < 10; index++) {
        promises.scrypt('a', 'b', 32, { N: 16384, p: 64 });
        promises.argon2('argon2id', parameters);
        promises.pbkdf2('a', 'b', 10_000_000, 32, 'sha256');
      }
      setTimeout(() => require('node:worker_threads').parentPort.postMessage('started'), 30);
    } else {
      const assert = require('node:assert/strict');
      millrace.configure({ maxKdfMemory: 150 << 20 });
      (async () => {
        for (let round = 0; round < 5; round++) {
          const worker = new Worker(__filename);
          await new Promise((resolve) => worker.once('message', resolve));
          const mine = promises.scrypt('a', 'mine', 32);
          const before = performance.now();
          await worker.terminate();
          assert.ok(performance.now() - before < 10_000); // of minutes of work
          await mine;
        }
        setTimeout(() => assert.deepEqual(millrace.engines().kdf, { memory: 0, waiting: 0 }), 1000);
      })();
    }
  `);
  assert.equal(code, 0, stderr);
  assert.ok(ms < 30_000, `${ms}`);
});

test('a process ends while derivations wait', async () => {
  const { code, stderr, ms } = await run(`
    for (let index = 0; index < 100; index++) promises.scrypt('a', 'b', 32, { N: 16384, p: 64 });
    setTimeout(() => process.exit(7), 50);
  `);
  assert.equal(code, 7, stderr);
  assert.ok(ms < 30_000, `${ms}`); // of minutes of work
});

test('callbacks keep their context, and what they throw is an uncaughtException', async () => {
  const stdout = await output(`
    const { AsyncLocalStorage } = require('node:async_hooks');
    const storage = new AsyncLocalStorage();
    process.on('uncaughtException', (error) => console.log('caught', error.message));
    const signal = new AbortController().signal;
    storage.run('one', () =>
      millrace.scrypt('a', 'b', 32, { N: 16 }, () => {
        console.log(storage.getStore());
        throw new Error('first');
      }),
    );
    const onProgress = () => {
      console.log('progress', storage.getStore());
      throw new Error('in progress');
    };
    storage.run('two', () =>
      millrace.hashPassword('a', { memory: 64, signal, onProgress }, () => {
        console.log(storage.getStore());
        throw new Error('second');
      }),
    );
  `);
  assert.deepEqual(stdout.trim().split('\n').sort(), [
    'caught first',
    'caught in progress',
    'caught second',
    'one',
    'progress two',
    'two',
  ]);
});
