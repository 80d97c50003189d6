// The guarantees for callbacks and promises: order, context, exceptions, rejections.

import assert from 'node:assert/strict';
import { AsyncLocalStorage, createHook, executionAsyncId } from 'node:async_hooks';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import { output, run } from '../support/child.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const [none, tag] = [Buffer.alloc(0), Buffer.alloc(16)];
const forged = { key, nonce, source: Buffer.alloc(16) };

/** Every kind of call with a callback, small, as these could settle at once. */
const calls = Object.fromEntries(
  [
    ['hash', millrace.hash, 'sha256', ''],
    ['hash window', millrace.hash, 'sha256', key, { target: Buffer.alloc(32) }],
    ['hmac', millrace.hmac, 'sha256', key, ''],
    ['cipher', millrace.cipher, 'aes-256-ctr', true, key, Buffer.alloc(16), ''],
    ['seal', millrace.seal, 'aes-256-gcm', { key, nonce, source: '' }],
    ['open', millrace.open, 'aes-256-gcm', forged],
    ['drop-in hash', cryptoAsync.hash, 'sha256', key],
    ['drop-in cipher', cryptoAsync.cipher, 'aes-256-gcm', 0, key, nonce, none, none, tag],
  ].map(([name, call, ...args]) => [name, (callback) => call(...args, callback)]),
);

/** Keeps this thread busy for so many milliseconds. */
function work(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
}

for (const [name, call] of Object.entries(calls)) {
  test(`${name}: never called back before the call returns, nor in the same tick`, async () => {
    for (let round = 0; round < 200; round++) {
      const seen = [];
      await new Promise((resolve) => {
        call(() => {
          seen.push('callback');
          resolve();
        });
        seen.push('returned');
        process.nextTick(() => seen.push('tick'));
        queueMicrotask(() => seen.push('microtask'));
        // Busy waiting gives the workers time to be done before this turn of the loop ends.
        if (round % 20 === 0) work(1);
      });
      assert.deepEqual([seen[0], seen[3], seen.length], ['returned', 'callback', 4], seen.join());
    }
  });

  test(`${name}: AsyncLocalStorage keeps its context`, async () => {
    const storage = new AsyncLocalStorage();
    const indices = [...Array(100).keys()];
    const stored = () => new Promise((resolve) => call(() => resolve(storage.getStore())));
    const stores = indices.map((index) => storage.run(index, stored));
    assert.deepEqual(await Promise.all(stores), indices);
    assert.equal(storage.getStore(), undefined);
  });

  test(`${name}: called once`, async () => {
    let count = 0;
    for (let index = 0; index < 300; index++) call(() => count++);
    while (count < 300) await setTimeout(5);
    await setTimeout(50);
    assert.equal(count, 300);
  });
}

test('promises keep the context of AsyncLocalStorage', async () => {
  const storage = new AsyncLocalStorage();
  const keeps = async (index) => {
    await promises.hash('sha256', 'x');
    assert.equal(storage.getStore(), index);
    await assert.rejects(promises.open('aes-256-gcm', forged));
    assert.equal(storage.getStore(), index);
  };
  await Promise.all(Array.from(Array(100).keys(), (index) => storage.run(index, keeps, index)));
});

const large = Buffer.alloc(4 * 2 ** 20, 3);
/** Starts each route, and every shape that is not one job, by a function that calls by name. */
const journeys = {
  inline: (call, options) => call('hash', 'sha256', key, { route: 'inline', ...options }),
  pool: (call, options) => call('hash', 'sha256', large, { route: 'pool', ...options }),
  split: (call, options) => {
    const [target, tag] = [Buffer.alloc(large.length), Buffer.alloc(16)];
    const given = { encrypt: true, key, iv: nonce, source: large, target, tag, route: 'split' };
    return call('cipher', 'aes-256-gcm', { ...given, ...options });
  },
  'a batch over all threads': (call, options) =>
    call('hashMany', 'sha256', Array(3000).fill(key), options),
  'a hasher': (call, options, callback) => {
    const hasher = millrace.createHash('sha256');
    if (callback) return hasher.update(large, () => {}).digest(callback);
    hasher.updateAsync(large);
    return hasher.digestAsync();
  },
  'a file': (call, options) => call('hashFile', 'sha256', process.execPath, options),
  'many files': (call, options) => call('hashFiles', 'sha256', [process.execPath], options),
};

for (const [name, journey] of Object.entries(journeys)) {
  test(`AsyncLocalStorage keeps its context by every route: ${name}`, async () => {
    const storage = new AsyncLocalStorage();
    const promised = (options) => journey((call, ...given) => promises[call](...given), options);
    const keeps = async (index) => {
      const check = (what) => assert.equal(storage.getStore(), index, `${name}, ${what}`);
      const [error, store] = await new Promise((resolve) => {
        const callback = (error) => resolve([error, storage.getStore()]);
        journey((call, ...given) => millrace[call](...given, callback), {}, callback);
      });
      assert.ifError(error);
      assert.equal(store, index, `${name}, in its callback`);
      check('after its callback');
      await promised({})
        .then(() => check('in then'))
        .finally(() => check('in finally'));
      check('after its promise');
      const controller = new AbortController();
      const settled = promised({ signal: controller.signal });
      // The abort comes from another context, which must not be the caller's.
      storage.run('another', () => controller.abort());
      await settled.catch(() => {});
      check('after an abort');
    };
    await Promise.all(Array.from(Array(6).keys(), (index) => storage.run(index, keeps, index)));
  });
}

test('a stalled main thread loses no completion', { timeout: 300_000 }, async () => {
  const sources = Array.from({ length: 40 }, (_, index) => Buffer.alloc(index * 50, index));
  const right = sources.map((source) => millrace.hash('sha256', source, 'hex'));
  const counts = new Uint8Array(8000);
  const results = Array(8000);
  const long = Array.from({ length: 4 }, () => promises.hash('sha512', large, 'hex'));
  const settled = Array.from(counts, (_, index) => {
    const source = sources[index % 40];
    const note = (digest) => {
      counts[index] += 1;
      results[index] = digest;
    };
    if (index % 2) return promises.hash('sha256', source, 'hex').then(note);
    return new Promise((resolve) =>
      millrace.hash('sha256', source, 'hex', (error, digest) => resolve(note(digest))),
    );
  });
  work(1000);
  assert.ok(!counts.includes(1), 'nothing settles while the thread is busy');
  await Promise.all(settled);
  assert.equal(new Set(await Promise.all(long)).size, 1);
  await setTimeout(50);
  assert.deepEqual(counts, new Uint8Array(8000).fill(1), 'everything settles once');
  assert.ok(
    results.every((digest, index) => digest === right[index % 40]),
    'a wrong digest',
  );
});

test('async hooks see each callback in a separate resource, which is destroyed', async () => {
  const seen = new Map();
  const note = (what) => (id) => seen.get(id)?.push(what);
  const hook = createHook({
    init(id, type) {
      if (/millrace/i.test(type)) seen.set(id, ['init']);
    },
    before: note('before'),
    after: note('after'),
    destroy: note('destroy'),
  }).enable();
  const called = () =>
    new Promise((resolve) => millrace.hash('sha256', 'x', () => resolve(executionAsyncId())));
  const ids = await Promise.all(Array.from({ length: 10 }, called));
  await setTimeout(20);
  hook.disable();
  assert.equal(new Set(ids).size, 10);
  for (const id of ids) assert.deepEqual(seen.get(id), ['init', 'before', 'after', 'destroy']);
});

test('ticks and microtasks of a callback run before the next callback', async () => {
  const seen = [];
  await new Promise((resolve) => {
    let left = 50;
    for (let index = 0; index < 50; index++) {
      millrace.hash('sha256', 'x', () => {
        seen.push(`callback`);
        process.nextTick(() => seen.push('tick'));
        queueMicrotask(() => {
          seen.push('microtask');
          if (--left === 0) setImmediate(resolve);
        });
      });
    }
  });
  assert.equal(seen.length, 150);
  // A batch may be settled in one turn, but nothing of a callback is lost or left for another turn.
  assert.equal(seen.filter((what) => what === 'tick').length, 50);
});

/** What `forged` is, for programs. */
const forgery = '{ key: Buffer.alloc(32), nonce: Buffer.alloc(12), source: Buffer.alloc(16) }';

test('a callback that throws is an uncaughtException, and the others continue', async () => {
  const stdout = await output(`
    const seen = [];
    process.on('uncaughtException', (error, origin) => seen.push(error.message + ' ' + origin));
    let called = 0;
    for (let index = 0; index < 100; index++) {
      const callback = () => {
        called++;
        if (index % 5 === 0) throw new Error('thrown ' + index);
      };
      if (index % 2) millrace.hash('sha256', 'x', callback);
      else if (index % 4) cryptoAsync.hash('sha256', Buffer.from('x'), callback);
      else millrace.open('aes-256-gcm', ${forgery}, callback);
    }
    process.on('exit', () => console.log(JSON.stringify({ called, seen: seen.sort() })));
  `);
  const { called, seen } = JSON.parse(stdout);
  assert.equal(called, 100);
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, index) => `thrown ${5 * index} uncaughtException`).sort(),
  );
});

test('a callback that throws, uncaught, ends the process as any exception does', async () => {
  const { code, stderr } = await run(`
    millrace.hash('sha256', 'x', function mine() { throw new TypeError('from my callback'); });
    for (let index = 0; index < 50; index++) millrace.hash('sha256', 'x', () => {});
  `);
  assert.equal(code, 1);
  assert.match(stderr, /TypeError: from my callback/);
  assert.match(stderr, /at mine/);
});

test('a callback that throws anything at all', async () => {
  const stdout = await output(`
    const seen = [];
    process.on('uncaughtException', (error) => seen.push(String(error)));
    const bare = Object.create(null, { toString: { value: () => 'bare' } });
    for (const thing of [undefined, null, 0, 'text', bare])
      millrace.hash('sha256', 'x', () => {
        throw thing;
      });
    process.on('exit', () => console.log(seen.sort().join()));
  `);
  assert.equal(stdout, '0,bare,null,text,undefined\n');
});

test('a rejection without a handler is an unhandledRejection', async () => {
  const failing = `promises.open('aes-256-gcm', ${forgery});`;
  const ended = await run(failing);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /ERR_AUTHENTICATION/);
  const told = await output(`
    process.on('unhandledRejection', ({ code }) => console.log(code));
    ${failing} promises.hash('nothing', '');`);
  assert.equal(told, 'ERR_UNKNOWN_ALGORITHM\nERR_AUTHENTICATION\n');
  const handled = await output(`promises.hash('nothing', '').catch(() => console.log('handled'));`);
  assert.equal(handled, 'handled\n');
  const callbacks = await run(`millrace.open('aes-256-gcm', ${forgery}, () => {});`);
  assert.deepEqual([callbacks.code, callbacks.stderr], [0, '']);
});

test('a callback may start calls of every kind, deep', async () => {
  let depth = 0;
  await new Promise((resolve, reject) => {
    const again = (error) => {
      if (error) return reject(error);
      if (++depth === 300) return resolve();
      millrace.hash('md5', 'synchronous');
      if (depth % 3 === 0) promises.hash('sha1', 'promise').then(() => again(), reject);
      else if (depth % 3 === 1) millrace.hmac('sha256', 'key', 'callback', again);
      else cryptoAsync.hash('sha256', Buffer.from('drop-in'), again);
      return undefined;
    };
    again();
  });
  assert.equal(depth, 300);
});

test('the event loop continues while large jobs run', async () => {
  const large = Buffer.alloc(64 * 2 ** 20);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const sealing = { encrypt: true, key, iv: nonce, source: large, target: large };
  await Promise.all([
    promises.hash('sha512', large, { target: Buffer.alloc(64) }),
    promises.cipher('aes-256-gcm', { ...sealing, tag: Buffer.alloc(16) }),
  ]);
  clearInterval(timer);
  // Far more on a machine with nothing else to do; none if the jobs held the event loop.
  assert.ok(turns > 2, `only ${turns} turns of the event loop in a job of more than 50 ms`);
});

test('more and larger results than one delivery holds', async () => {
  for (const size of [1, 63, 64, 65, 1000, 1007, 1008, 1009, 1023, 1024, 1025, 2000, 70_000]) {
    const iv = Buffer.alloc(16);
    const settled = Array.from({ length: 300 }, (_, index) => {
      const source = Buffer.alloc(size, index);
      iv.writeUInt32BE(index);
      return [
        ['cipher', 'aes-256-ctr', { encrypt: true, key, iv, source }],
        ['seal', 'aes-256-gcm', { key, nonce, source, aad: source }],
        ['hash', 'shake256', source, { outputLength: size }],
      ].map(([name, ...args]) => [name, promises[name](...args), millrace[name](...args)]);
    });
    // All of them wait for the loop, which then delivers them at once.
    work(30);
    for (const [name, result, expected] of settled.flat())
      assert.ok((await result).equals(expected), `${name}, ${size} bytes`);
  }
});

test('a burst of 100,000 calls settles', async () => {
  let called = 0;
  await new Promise((resolve, reject) => {
    for (let index = 0; index < 100_000; index++) {
      millrace.hash('xxh3-64', 'x', (error) => {
        if (error) reject(error);
        if (++called === 100_000) resolve();
      });
    }
  });
  const used = await Promise.all(
    Array.from({ length: 20_000 }, (_, index) => promises.hash('sha256', `${index}`)),
  );
  assert.equal(new Set(used.map((digest) => digest.toString('hex'))).size, 20_000);
});
