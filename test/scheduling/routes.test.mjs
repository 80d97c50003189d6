// Routes: whichever is asked for, the result is the same and comes later than the call; and it is
// the one that was asked for.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { entryPaths, output } from '../support/child.mjs';
import { ways } from '../support/ways.mjs';

const routes = ['auto', 'inline', 'pool', 'split'];
const key = randomBytes(32);
const nonce = randomBytes(12);
const iv = randomBytes(16);
const aad = randomBytes(20);

const sealing = (source) => ({ key, nonce, source, aad });
const enciphering = (source) => ({ encrypt: true, key, iv, source });

/** Every call that takes a route: its function, its arguments, its options. */
const calls = {
  hash: (source) => ['hash', ['sha256', source], {}],
  'hash blake3, hex': (source) => ['hash', ['blake3', source], { encoding: 'hex' }],
  'hash with a target': (source) => ['hash', ['sha512', source], { target: Buffer.alloc(64) }],
  hmac: (source) => ['hmac', ['sha256', key, source], {}],
  'seal gcm': (source) => ['seal', ['aes-256-gcm'], sealing(source)],
  'seal gcm into a target': (source) => [
    'seal',
    ['aes-256-gcm'],
    { ...sealing(source), target: Buffer.alloc(source.length + 16) },
  ],
  'open chacha20-poly1305': (source) => [
    'open',
    ['chacha20-poly1305'],
    sealing(millrace.seal('chacha20-poly1305', sealing(source))),
  ],
  'cipher ctr': (source) => ['cipher', ['aes-256-ctr'], enciphering(source)],
  'cipher gcm-siv, a separate tag': (source) => [
    'cipher',
    ['aes-256-gcm-siv'],
    { ...enciphering(source), iv: nonce, aad, tag: Buffer.alloc(16) },
  ],
  hashMany: (source) => {
    const data = Buffer.concat([source, Buffer.alloc(64)]);
    return ['hashMany', ['sha256', { data, size: data.length / (2 - (data.length % 2)) }], {}];
  },
  'hmacMany, hex': (source) => [
    'hmacMany',
    ['sha512', key, [source, 'text', aad]],
    { encoding: 'hex' },
  ],
};

/** Calls that a promise may have with the options behind the other arguments. */
const atTheEnd = {
  'hash blake3, hex': (source) => ['hash', ['blake3', source, 'hex'], {}],
  'cipher ctr': (source) => ['cipher', ['aes-256-ctr', true, key, iv, source], {}],
  'hmacMany, hex': (source) => ['hmacMany', ['sha512', key, [source, 'text', aad], 'hex'], {}],
};

/** Returns what a call gives: its result or its target, and its tag. */
async function outcome(way, [name, args, options], route) {
  const value = await way(name, ...args, { ...options, ...route });
  const { target, tag } = options;
  const result = target ? target.subarray(0, value) : value;
  return tag ? Buffer.concat([result, tag]) : result;
}

for (const [name, call] of Object.entries(calls)) {
  test(`${name}: the same by every route, and later than the call`, async () => {
    for (const size of [0, 1, 300, 5000, 1_000_003]) {
      const source = randomBytes(size);
      const expected = await outcome(ways.sync, call(source));
      for (const route of [...routes, undefined]) {
        const title = `${size} bytes, ${route}`;
        assert.deepEqual(await outcome(ways.callback, call(source), { route }), expected, title);
        const promised = outcome(ways.promise, (atTheEnd[name] ?? call)(source), { route });
        let settled = false;
        promised.then(() => {
          settled = true;
        });
        await null;
        await null;
        if (route !== undefined) assert.equal(settled, false, `${title}: settled at once`);
        assert.deepEqual(await promised, expected, title);
      }
    }
  });

  test(`${name}: a route that is none, and one where there is none`, async () => {
    const [method, args, options] = call(Buffer.alloc(100));
    for (const wrong of ['fast', '', 'Pool', 1, null, ['pool'], {}]) {
      const code = typeof wrong === 'string' ? 'ERR_ARGUMENT_VALUE' : 'ERR_ARGUMENT_TYPE';
      const message = /options\.route must be 'auto', 'inline', 'pool' or 'split'/;
      const given = [...args, { ...options, route: wrong }];
      await assert.rejects(promises[method](...given), { code, message });
      assert.throws(() => millrace[method](...given, assert.fail), { code, message });
    }
    for (const route of routes)
      assert.throws(() => millrace[method](...args, { ...options, route }), {
        code: 'ERR_ARGUMENT_VALUE',
        message: /synchronous/,
      });
    millrace[method](...args, { ...options, route: undefined });
  });
}

test('a failed authentication is reported later, and zeroes the target', async () => {
  for (const size of [50, 3_000_000]) {
    const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: Buffer.alloc(size, 5) });
    sealed[size >> 1] ^= 1;
    for (const route of routes) {
      const target = Buffer.alloc(size, 9);
      const options = { key, nonce, source: sealed, route };
      for (const given of [options, { ...options, target }])
        await assert.rejects(promises.open('aes-256-gcm', given), { code: 'ERR_AUTHENTICATION' });
      assert.ok(target.equals(Buffer.alloc(size)), `${size} bytes by ${route}`);
    }
  }
});

test('inline: the source is read during the call, also by promise', async () => {
  for (const size of [16, 100_000]) {
    const source = Buffer.alloc(size, 3);
    const expected = millrace.hash('sha256', source);
    const digest = promises.hash('sha256', source, { route: 'inline' });
    source.fill(4);
    assert.deepEqual(await digest, expected);
  }
});

/** Returns the threads after a program has made one call. */
async function threadsAfter(program, env = {}) {
  const counted = 'console.log(JSON.stringify(millrace.engines().threads));';
  return JSON.parse(await output(`(async () => { ${program}; ${counted} })()`, { env }));
}

test('routes are what their names say: inline starts no thread, the pool one', async () => {
  const seal = `promises.seal('aes-256-gcm', {
    key: Buffer.alloc(32), nonce: Buffer.alloc(12), source, route: 'inline' })`;
  const pool = "millrace.configure({ route: 'pool' });";
  const short = "promises.hash('sha256', 'short')";
  const inline = [
    "await promises.hash('sha256', source, { route: 'inline' })",
    `await ${seal}`,
    "await promises.hash('sha256', source, { target: Buffer.alloc(32), route: 'inline' })",
    "await promises.hashMany('sha256', [source, source], { route: 'inline' })",
    "millrace.configure({ route: 'inline' }); await promises.hash('sha256', source)",
    `millrace.configure({ route: 'inline' }); await ${short}`,
    `await ${short}`,
    `${pool} await promises.hash('sha256', 'short', { route: 'inline' })`,
    `${pool} millrace.configure({ route: 'auto' }); await ${short}`,
  ];
  const pooled = [
    "await promises.hash('sha256', 'short', { route: 'pool' })",
    "await promises.hmac('sha256', 'key', 'short', { route: 'pool' })",
    "await promises.hashMany('sha256', ['short', 'shorter'], { route: 'pool' })",
    `${pool} await ${short}`,
    "await promises.hash('sha256', source)",
  ];
  await Promise.all(
    [...inline, ...pooled].map(async (program) => {
      const threads = await threadsAfter(`const source = Buffer.alloc(4 << 20); ${program}`);
      assert.equal(threads.started > 0, pooled.includes(program), program);
    }),
  );
});

test('inline work is limited per turn of the event loop; the rest goes to the pool', async () => {
  const calls = (count) =>
    `await Promise.all(Array.from({ length: ${count} }, () => promises.hmac('sha256', ` +
    `'key', 'a short text'.repeat(100))))`;
  const env = { MILLRACE_COST: 'table' };
  assert.equal((await threadsAfter(calls(100), env)).started, 0);
  assert.ok((await threadsAfter(calls(2000), env)).started > 0);
});

test('one call after the other is done inline while it takes no longer than the way to a worker', async () => {
  const calls = (size) => `
    const source = Buffer.alloc(${size});
    for (let call = 0; call < 20; call++) await promises.hmac('sha256', 'key', source);
    await new Promise((resolve) => {
      let left = 20;
      const again = () => (left-- > 0 ? millrace.hmac('sha256', 'key', source, again) : resolve());
      again();
    });`;
  const env = { MILLRACE_COST: 'table' };
  assert.equal((await threadsAfter(calls(16_384), env)).started, 0);
  assert.ok((await threadsAfter(calls(1 << 18), env)).started > 0);
});

test('work of any size runs inline if the copy of its source would take longer', async () => {
  const calls = (size, more = '') => `
    const source = Buffer.alloc(${size});
    const options = { key: Buffer.alloc(32), nonce: Buffer.alloc(12), source${more} };
    for (let call = 0; call < 8; call++) await promises.seal('aes-256-gcm', options);`;
  const together = `
    await Promise.all(Array.from({ length: 4 }, () => promises.seal('aes-256-gcm', options)));`;
  const env = { MILLRACE_COST: 'table' };
  const hashes = `
    for (const hash of ['crc32', 'xxh3-64']) await promises.hash(hash, Buffer.alloc(1 << 25));`;
  assert.equal((await threadsAfter(calls(1 << 20) + together, env)).started, 0);
  assert.equal((await threadsAfter(calls(8 << 20) + hashes, env)).started, 0);
  // Nothing would be copied.
  const lent = ', target: Buffer.alloc((1 << 20) + 16)';
  assert.ok((await threadsAfter(calls(1 << 20, lent), env)).started > 0);
});

test('a cost that a worker measured is used, although no job ran inline before', async () => {
  const found = await output(`
    (async () => {
      const { predict } = require(
        ${JSON.stringify(join(dirname(entryPaths.millrace), 'core.js'))},
      )['scheduling/cost-model'];
      const source = Buffer.alloc(1 << 20);
      const costs = () => Array.from({ length: 40 }, (_, hash) => predict(0, hash, 1 << 20)).join();
      await promises.hash('crc32', source);
      const table = costs();
      let calls = 0;
      while (costs() === table && calls++ < 2000) await promises.hash('crc32', source);
      console.log(costs() !== table);
      process.exit();
    })();
  `);
  assert.equal(found.trim(), 'true');
});

test('configure: a route applies to all environments, running ones too', async () => {
  const stdout = await output(`
    const { Worker, isMainThread, parentPort } = require('node:worker_threads');
    const { once } = require('node:events');
    if (isMainThread)
      (async () => {
        const worker = new Worker(__filename);
        const say = async (route) => {
          millrace.configure({ route });
          worker.postMessage(route);
          return (await once(worker, 'message'))[0];
        };
        const seen = [];
        for (const route of ['auto', 'pool', 'auto', 'inline']) seen.push(await say(route));
        console.log(JSON.stringify(seen));
        process.exit();
      })();
    else
      parentPort.on('message', async () => {
        const { defaultRoute } = require(
          ${JSON.stringify(join(dirname(entryPaths.millrace), 'core.js'))},
        )['scheduling/cost-model'];
        // The first call may still go by what was.
        for (let call = 0; call < 3; call++) await promises.hmac('sha256', 'key', 'text');
        parentPort.postMessage(defaultRoute());
      });
  `);
  assert.deepEqual(JSON.parse(stdout), [0, 2, 0, 1]);
});

test('configure: a route for all, and what it refuses', () => {
  const before = millrace.configure();
  assert.equal(before.route, 'auto');
  assert.equal(millrace.configure({ route: 'split' }).route, 'split');
  assert.equal(millrace.engines().settings.route, 'split');
  const takes = /settings\.speed is not an option of configure; it takes engine, .*maxQueuedBytes/;
  for (const [settings, code, message] of [
    [{ route: 'x', threads: 3 }, 'ERR_ARGUMENT_VALUE', /settings\.route/],
    [{ route: 7 }, 'ERR_ARGUMENT_TYPE', /settings\.route/],
    [{ speed: 7 }, 'ERR_ARGUMENT_VALUE', takes],
  ])
    assert.throws(() => millrace.configure(settings), { code, message });
  assert.deepEqual(millrace.configure({ route: 'auto' }), before);
});

test('a route is read once, before anything is looked at', async () => {
  let reads = 0;
  const reading = (options) => ({
    ...options,
    get route() {
      reads++;
      return 'inline';
    },
  });
  const digest = millrace.hash('sha256', 'abc', 'hex');
  assert.equal(await promises.hash('sha256', 'abc', reading({ encoding: 'hex' })), digest);
  assert.equal(reads, 1);
  assert.equal(await promises.hash('sha256', 'abc', 'hex', reading({})), digest);
  assert.equal(reads, 2);
});
