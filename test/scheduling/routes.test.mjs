// Routes: whichever is asked for, the result is the same and comes later than the call; and it is
// the one that was asked for.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { entryPaths, run } from '../support/child.mjs';

const routes = ['auto', 'inline', 'pool', 'split'];
const key = randomBytes(32);
const nonce = randomBytes(12);
const iv = randomBytes(16);
const aad = randomBytes(20);

/** Every call that takes a route: what it gives synchronously, by callback and by promise. */
const calls = {
  hash: (source) => [
    millrace.hash('sha256', source),
    (options, done) => millrace.hash('sha256', source, options, done),
    (options) => promises.hash('sha256', source, options),
  ],
  'hash blake3, hex': (source) => [
    millrace.hash('blake3', source, 'hex'),
    (options, done) => millrace.hash('blake3', source, { encoding: 'hex', ...options }, done),
    (options) => promises.hash('blake3', source, 'hex', options),
  ],
  'hash with a target': (source) => [
    millrace.hash('sha512', source),
    (options, done) =>
      target(
        64,
        (into, told) => millrace.hash('sha512', source, { target: into, ...options }, told),
        done,
      ),
    (options) =>
      targeted(64, (into) => promises.hash('sha512', source, { target: into, ...options })),
  ],
  hmac: (source) => [
    millrace.hmac('sha256', key, source),
    (options, done) => millrace.hmac('sha256', key, source, options, done),
    (options) => promises.hmac('sha256', key, source, options),
  ],
  'seal gcm': (source) => [
    millrace.seal('aes-256-gcm', { key, nonce, source, aad }),
    (options, done) => millrace.seal('aes-256-gcm', { key, nonce, source, aad, ...options }, done),
    (options) => promises.seal('aes-256-gcm', { key, nonce, source, aad, ...options }),
  ],
  'seal gcm into a target': (source) => [
    millrace.seal('aes-256-gcm', { key, nonce, source, aad }),
    (options, done) =>
      target(
        source.length + 16,
        (into, told) =>
          millrace.seal('aes-256-gcm', { key, nonce, source, aad, target: into, ...options }, told),
        done,
      ),
    (options) =>
      targeted(source.length + 16, (into) =>
        promises.seal('aes-256-gcm', { key, nonce, source, aad, target: into, ...options }),
      ),
  ],
  'open chacha20-poly1305': (source) => {
    const sealed = millrace.seal('chacha20-poly1305', { key, nonce, source, aad });
    return [
      source,
      (options, done) =>
        millrace.open('chacha20-poly1305', { key, nonce, source: sealed, aad, ...options }, done),
      (options) =>
        promises.open('chacha20-poly1305', { key, nonce, source: sealed, aad, ...options }),
    ];
  },
  'cipher ctr': (source) => [
    millrace.cipher('aes-256-ctr', true, key, iv, source),
    (options, done) =>
      millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source, ...options }, done),
    (options) => promises.cipher('aes-256-ctr', true, key, iv, source, options),
  ],
  'cipher gcm-siv, a separate tag': (source) => {
    const tag = Buffer.alloc(16);
    const text = millrace.cipher('aes-256-gcm-siv', {
      encrypt: true,
      key,
      iv: nonce,
      source,
      aad,
      tag,
    });
    return [
      Buffer.concat([text, tag]),
      (options, done) => {
        const made = Buffer.alloc(16);
        millrace.cipher(
          'aes-256-gcm-siv',
          { encrypt: true, key, iv: nonce, source, aad, tag: made, ...options },
          (error, result) => done(error, result && Buffer.concat([result, made])),
        );
      },
      async (options) => {
        const made = Buffer.alloc(16);
        const result = await promises.cipher('aes-256-gcm-siv', {
          encrypt: true,
          key,
          iv: nonce,
          source,
          aad,
          tag: made,
          ...options,
        });
        return Buffer.concat([result, made]);
      },
    ];
  },
  hashMany: (source) => {
    const sources = { data: Buffer.concat([source, Buffer.alloc(64)]), size: 1 };
    sources.size = sources.data.length / 2 ** (sources.data.length % 2 === 0 ? 1 : 0);
    return [
      millrace.hashMany('sha256', sources),
      (options, done) => millrace.hashMany('sha256', sources, options, done),
      (options) => promises.hashMany('sha256', sources, options),
    ];
  },
  'hmacMany, hex': (source) => [
    millrace.hmacMany('sha512', key, [source, 'text', aad], 'hex'),
    (options, done) =>
      millrace.hmacMany(
        'sha512',
        key,
        [source, 'text', aad],
        { encoding: 'hex', ...options },
        done,
      ),
    (options) => promises.hmacMany('sha512', key, [source, 'text', aad], 'hex', options),
  ],
};

function target(size, call, done) {
  const into = Buffer.alloc(size);
  call(into, (error, written) => done(error, into.subarray(0, written)));
}

async function targeted(size, call) {
  const into = Buffer.alloc(size);
  return into.subarray(0, await call(into));
}

for (const [name, make] of Object.entries(calls)) {
  test(`${name}: the same by every route, and later than the call`, async () => {
    for (const size of [0, 1, 300, 5000, 1_000_003]) {
      const [expected, byCallback, byPromise] = make(randomBytes(size));
      for (const route of [...routes, undefined]) {
        const title = `${size} bytes, ${route}`;
        if (byCallback !== undefined) {
          let returned = false;
          const given = new Promise((resolve, reject) =>
            byCallback({ route }, (error, value) => {
              assert.ok(returned, `${title}: called back during the call`);
              if (error) reject(error);
              else resolve(value);
            }),
          );
          returned = true;
          assert.deepEqual(await given, expected, title);
        }
        let settled = false;
        const promised = byPromise({ route });
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
    const [, byCallback, byPromise] = make(Buffer.alloc(100));
    for (const [wrong, code] of [
      ['fast', 'ERR_ARGUMENT_VALUE'],
      ['', 'ERR_ARGUMENT_VALUE'],
      ['Pool', 'ERR_ARGUMENT_VALUE'],
      [1, 'ERR_ARGUMENT_TYPE'],
      [null, 'ERR_ARGUMENT_TYPE'],
      [['pool'], 'ERR_ARGUMENT_TYPE'],
      [{}, 'ERR_ARGUMENT_TYPE'],
    ]) {
      await assert.rejects(
        byPromise({ route: wrong }),
        { code, message: /options\.route must be 'auto', 'inline', 'pool' or 'split'/ },
        String(wrong),
      );
      if (byCallback !== undefined)
        assert.throws(
          () => byCallback({ route: wrong }, assert.fail),
          { code, message: /options\.route/ },
          String(wrong),
        );
    }
  });
}

test('a failed authentication is reported later, and zeroes the target', async () => {
  for (const size of [50, 3_000_000]) {
    const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: Buffer.alloc(size, 5) });
    sealed[size >> 1] ^= 1;
    for (const route of routes) {
      await assert.rejects(promises.open('aes-256-gcm', { key, nonce, source: sealed, route }), {
        code: 'ERR_AUTHENTICATION',
      });
      const into = Buffer.alloc(size, 9);
      await assert.rejects(
        promises.open('aes-256-gcm', { key, nonce, source: sealed, target: into, route }),
        { code: 'ERR_AUTHENTICATION' },
      );
      assert.ok(
        into.every((byte) => byte === 0),
        `${size} bytes by ${route}`,
      );
    }
  }
});

test('a synchronous call takes no route', () => {
  const source = Buffer.alloc(10);
  for (const call of [
    (options) => millrace.hash('sha256', source, options),
    (options) => millrace.hmac('sha256', key, source, options),
    (options) => millrace.seal('aes-256-gcm', { key, nonce, source, ...options }),
    (options) =>
      millrace.open('aes-256-gcm', {
        key,
        nonce,
        source: millrace.seal('aes-256-gcm', { key, nonce, source }),
        ...options,
      }),
    (options) => millrace.cipher('aes-256-ctr', { encrypt: true, key, iv, source, ...options }),
    (options) => millrace.hashMany('sha256', [source], options),
    (options) => millrace.hmacMany('sha256', key, [source], options),
  ]) {
    for (const route of routes)
      assert.throws(() => call({ route }), { code: 'ERR_ARGUMENT_VALUE', message: /synchronous/ });
    call({ route: undefined });
    call({});
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
  const { stdout, stderr, code } = await run(
    `(async () => { ${program}; console.log(JSON.stringify(millrace.engines().threads)); })()`,
    { env },
  );
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('routes are what their names say: inline starts no thread, the pool one', async () => {
  const large = 'const source = Buffer.alloc(4 << 20);';
  const cases = [
    ["await promises.hash('sha256', source, { route: 'inline' })", 0],
    [
      "await promises.seal('aes-256-gcm', { key: Buffer.alloc(32), nonce: " +
        "Buffer.alloc(12), source, route: 'inline' })",
      0,
    ],
    ["await promises.hash('sha256', source, { target: Buffer.alloc(32), route: 'inline' })", 0],
    ["await promises.hashMany('sha256', [source, source], { route: 'inline' })", 0],
    [
      "millrace.configure({ route: 'inline' }); await promises.hash('sha256', source); " +
        "await promises.hash('sha256', 'short')",
      0,
    ],
    ["await promises.hash('sha256', 'short')", 0],
    ["await promises.hash('sha256', 'short', { route: 'pool' })", 1],
    ["await promises.hmac('sha256', 'key', 'short', { route: 'pool' })", 1],
    ["await promises.hashMany('sha256', ['short', 'shorter'], { route: 'pool' })", 1],
    ["millrace.configure({ route: 'pool' }); await promises.hash('sha256', 'short')", 1],
    [
      "millrace.configure({ route: 'pool' }); await promises.hash('sha256', 'short', { " +
        "route: 'inline' })",
      0,
    ],
    [
      "millrace.configure({ route: 'pool' }); millrace.configure({ route: 'auto' }); " +
        "await promises.hash('sha256', 'short')",
      0,
    ],
    ["await promises.hash('sha256', source)", 1],
  ];
  await Promise.all(
    cases.map(async ([program, started]) => {
      const threads = await threadsAfter(`${large} ${program}`);
      assert.equal(threads.started > 0, started > 0, program);
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

test(
  'one call after the other is done inline while it takes no longer than the way to a ' + 'worker',
  async () => {
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
  },
);

test('work runs inline if the copy of its source would take longer, up to 0.2 ms', async () => {
  const calls = (size, more = '') => `
    const source = Buffer.alloc(${size});
    const options = { key: Buffer.alloc(32), nonce: Buffer.alloc(12), source${more} };
    for (let call = 0; call < 8; call++) await promises.seal('aes-256-gcm', options);`;
  const together = `
    await Promise.all(Array.from({ length: 4 }, () => promises.seal('aes-256-gcm', options)));`;
  const env = { MILLRACE_COST: 'table' };
  assert.equal((await threadsAfter(calls(1 << 20) + together, env)).started, 0);
  assert.ok((await threadsAfter(calls(8 << 20), env)).started > 0);
  // Nothing would be copied.
  const lent = ', target: Buffer.alloc((1 << 20) + 16)';
  assert.ok((await threadsAfter(calls(1 << 20, lent), env)).started > 0);
});

test('configure: a route applies to all environments, running ones too', async () => {
  const { stdout, stderr, code } = await run(`
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
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [0, 2, 0, 1]);
});

test('configure: a route for all, and what it refuses', () => {
  const before = millrace.configure();
  assert.equal(before.route, 'auto');
  assert.equal(millrace.configure({ route: 'split' }).route, 'split');
  assert.equal(millrace.engines().settings.route, 'split');
  assert.throws(() => millrace.configure({ route: 'x', threads: 3 }), {
    code: 'ERR_ARGUMENT_VALUE',
    message: /settings\.route/,
  });
  assert.throws(() => millrace.configure({ route: 7 }), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /settings\.route/,
  });
  assert.throws(() => millrace.configure({ speed: 7 }), {
    code: 'ERR_ARGUMENT_VALUE',
    message: /settings\.speed is not an option of configure; it takes engine, .*maxQueuedBytes/,
  });
  assert.deepEqual(millrace.configure({ route: 'auto' }), before);
});

test('a route is read once, before anything is looked at', async () => {
  let reads = 0;
  const options = {
    get route() {
      reads++;
      return 'inline';
    },
    encoding: 'hex',
  };
  assert.equal(
    await promises.hash('sha256', 'abc', options),
    millrace.hash('sha256', 'abc', 'hex'),
  );
  assert.equal(reads, 1);
  const last = {
    get route() {
      reads++;
      return 'pool';
    },
  };
  await promises.hash('sha256', 'abc', 'hex', last);
  assert.equal(reads, 2);
});
