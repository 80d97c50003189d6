// The guarantees for callbacks and promises: order, context, exceptions, rejections.

import assert from 'node:assert/strict';
import { AsyncLocalStorage, createHook, executionAsyncId } from 'node:async_hooks';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import { run } from '../support/child.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);

/** Every kind of call with a callback, small, as these could settle at once. */
const calls = {
  hash: (callback) => millrace.hash('sha256', '', callback),
  'hash window': (callback) => millrace.hash('sha256', key, { target: Buffer.alloc(32) }, callback),
  hmac: (callback) => millrace.hmac('sha256', key, '', callback),
  cipher: (callback) => millrace.cipher('aes-256-ctr', true, key, Buffer.alloc(16), '', callback),
  seal: (callback) => millrace.seal('aes-256-gcm', { key, nonce, source: '' }, callback),
  open: (callback) =>
    millrace.open('aes-256-gcm', { key, nonce, source: Buffer.alloc(16) }, callback),
  'drop-in hash': (callback) => cryptoAsync.hash('sha256', key, callback),
  'drop-in cipher': (callback) =>
    cryptoAsync.cipher(
      'aes-256-gcm',
      0,
      key,
      nonce,
      Buffer.alloc(0),
      Buffer.alloc(0),
      Buffer.alloc(16),
      callback,
    ),
};

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
        if (round % 20 === 0) for (const end = performance.now() + 1; performance.now() < end;);
      });
      assert.deepEqual([seen[0], seen[3], seen.length], ['returned', 'callback', 4], seen.join());
    }
  });

  test(`${name}: AsyncLocalStorage keeps its context`, async () => {
    const storage = new AsyncLocalStorage();
    const stores = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        storage.run(
          index,
          () =>
            new Promise((resolve) => {
              call(() => resolve(storage.getStore()));
            }),
        ),
      ),
    );
    assert.deepEqual(
      stores,
      Array.from({ length: 100 }, (_, index) => index),
    );
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
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      storage.run(index, async () => {
        await promises.hash('sha256', 'x');
        assert.equal(storage.getStore(), index);
        await assert.rejects(
          promises.open('aes-256-gcm', { key, nonce, source: Buffer.alloc(16) }),
        );
        assert.equal(storage.getStore(), index);
      }),
    ),
  );
});

/**
 * Calls of each route and of every shape that is not one job: with the options a route takes, by
 * callback or as a promise.
 */
const large = Buffer.alloc(4 * 2 ** 20, 3);
const journeys = {
  inline: {
    callback: (callback) => millrace.hash('sha256', key, { route: 'inline' }, callback),
    promise: (options) => promises.hash('sha256', key, { route: 'inline', ...options }),
  },
  pool: {
    callback: (callback) => millrace.hash('sha256', large, { route: 'pool' }, callback),
    promise: (options) => promises.hash('sha256', large, { route: 'pool', ...options }),
  },
  split: {
    callback: (callback) =>
      millrace.cipher(
        'aes-256-gcm',
        {
          encrypt: true,
          key,
          iv: nonce,
          source: large,
          target: Buffer.alloc(large.length),
          tag: Buffer.alloc(16),
          route: 'split',
        },
        callback,
      ),
    promise: (options) =>
      promises.cipher('aes-256-gcm', {
        encrypt: true,
        key,
        iv: nonce,
        source: large,
        target: Buffer.alloc(large.length),
        tag: Buffer.alloc(16),
        route: 'split',
        ...options,
      }),
  },
  'a batch over all threads': {
    callback: (callback) => millrace.hashMany('sha256', Array(3000).fill(key), callback),
    promise: (options) => promises.hashMany('sha256', Array(3000).fill(key), options),
  },
  'a hasher': {
    callback: (callback) =>
      millrace
        .createHash('sha256')
        .update(large, () => {})
        .digest(callback),
    promise: async () => {
      const hasher = millrace.createHash('sha256');
      hasher.updateAsync(large);
      return hasher.digestAsync();
    },
  },
  'a file': {
    callback: (callback) => millrace.hashFile('sha256', process.execPath, callback),
    promise: (options) => promises.hashFile('sha256', process.execPath, options),
  },
  'many files': {
    callback: (callback) => millrace.hashFiles('sha256', [process.execPath], callback),
    promise: (options) => promises.hashFiles('sha256', [process.execPath], options),
  },
};

for (const [name, { callback, promise }] of Object.entries(journeys)) {
  test(`AsyncLocalStorage keeps its context by every route: ${name}`, async () => {
    const storage = new AsyncLocalStorage();
    const check = (index, what) => assert.equal(storage.getStore(), index, `${name}, ${what}`);
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        storage.run(index, async () => {
          await new Promise((resolve, reject) =>
            callback((error) => {
              try {
                assert.ifError(error);
                check(index, 'in its callback');
                resolve();
              } catch (reason) {
                reject(reason);
              }
            }),
          );
          check(index, 'after its callback');
          await promise();
          check(index, 'after its promise');
          await promise()
            .then(() => check(index, 'in then'))
            .finally(() => check(index, 'in finally'));
          const controller = new AbortController();
          const settled = promise({ signal: controller.signal });
          // The abort comes from another context, which must not be the caller's.
          storage.run('another', () => controller.abort());
          await settled.catch(() => {});
          check(index, 'after an abort');
        }),
      ),
    );
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
    if (index % 2)
      return promises.hash('sha256', source, 'hex').then((digest) => {
        counts[index] += 1;
        results[index] = digest;
      });
    return new Promise((resolve) =>
      millrace.hash('sha256', source, 'hex', (error, digest) => {
        counts[index] += 1;
        results[index] = digest;
        resolve();
      }),
    );
  });
  for (const end = performance.now() + 1000; performance.now() < end;);
  assert.ok(
    counts.every((count) => count === 0),
    'something settled while the thread was busy',
  );
  await Promise.all(settled);
  assert.equal(new Set(await Promise.all(long)).size, 1);
  await setTimeout(50);
  assert.ok(
    counts.every((count) => count === 1),
    'something settled twice',
  );
  assert.ok(
    results.every((digest, index) => digest === right[index % 40]),
    'a wrong digest',
  );
});

test('async hooks see each callback in a separate resource, which is destroyed', async () => {
  const seen = new Map();
  const note = (id, what) => {
    if (seen.has(id)) seen.get(id).push(what);
  };
  const hook = createHook({
    init(id, type) {
      if (/millrace/i.test(type)) seen.set(id, ['init']);
    },
    before(id) {
      note(id, 'before');
    },
    after(id) {
      note(id, 'after');
    },
    destroy(id) {
      note(id, 'destroy');
    },
  }).enable();
  const ids = await Promise.all(
    Array.from(
      { length: 10 },
      () =>
        new Promise((resolve) => {
          millrace.hash('sha256', 'x', () => resolve(executionAsyncId()));
        }),
    ),
  );
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

test('a callback that throws is an uncaughtException, and the others continue', async () => {
  const { code, stdout } = await run(`
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
      else
        millrace.open(
          'aes-256-gcm',
          { key: Buffer.alloc(32), nonce: Buffer.alloc(12), source: Buffer.alloc(16) },
          callback,
        );
    }
    process.on('exit', () => console.log(JSON.stringify({ called, seen: seen.sort() })));
  `);
  const { called, seen } = JSON.parse(stdout);
  assert.equal(called, 100);
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, index) => `thrown ${5 * index} uncaughtException`).sort(),
  );
  assert.equal(code, 0);
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
  const { stdout, code } = await run(`
    const seen = [];
    process.on('uncaughtException', (error) => seen.push(String(error)));
    for (const thing of [
      undefined,
      null,
      0,
      'text',
      Object.create(null, { toString: { value: () => 'bare' } }),
    ])
      millrace.hash('sha256', 'x', () => {
        throw thing;
      });
    process.on('exit', () => console.log(seen.sort().join()));
  `);
  assert.deepEqual([code, stdout], [0, '0,bare,null,text,undefined\n']);
});

test('a rejection without a handler is an unhandledRejection', async () => {
  const failing =
    "promises.open('aes-256-gcm', { key: Buffer.alloc(32), nonce: Buffer.alloc(12), " +
    'source: Buffer.alloc(16) });';
  const ended = await run(failing);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /ERR_AUTHENTICATION/);
  const told = await run(
    `process.on('unhandledRejection', (reason) => ` +
      `console.log(reason.code));\n${failing}\npromises.hash('nothing', '');`,
  );
  assert.deepEqual([told.code, told.stdout], [0, 'ERR_UNKNOWN_ALGORITHM\nERR_AUTHENTICATION\n']);
  const handled = await run(`promises.hash('nothing', '').catch(() => console.log('handled'));`);
  assert.deepEqual([handled.code, handled.stdout], [0, 'handled\n']);
  const callbacks = await run(
    `millrace.open('aes-256-gcm', { key: Buffer.alloc(32), nonce: Buffer.alloc(12), ` +
      'source: Buffer.alloc(16) }, () => {});',
  );
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
  await Promise.all([
    promises.hash('sha512', large, { target: Buffer.alloc(64) }),
    promises.cipher('aes-256-gcm', {
      encrypt: true,
      key,
      iv: nonce,
      source: large,
      target: large,
      tag: Buffer.alloc(16),
    }),
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
        promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source }),
        millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source }),
        promises.seal('aes-256-gcm', { key, nonce, source, aad: source }),
        millrace.seal('aes-256-gcm', { key, nonce, source, aad: source }),
        promises.hash('shake256', source, { outputLength: size }),
        millrace.hash('shake256', source, { outputLength: size }),
      ];
    });
    // All of them wait for the loop, which then delivers them at once.
    for (const end = performance.now() + 30; performance.now() < end;);
    for (const [text, wantedText, sealed, wantedSealed, digest, wantedDigest] of settled) {
      assert.ok((await text).equals(wantedText), `cipher, ${size} bytes`);
      assert.ok((await sealed).equals(wantedSealed), `seal, ${size} bytes`);
      assert.ok((await digest).equals(wantedDigest), `hash, ${size} bytes`);
    }
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
