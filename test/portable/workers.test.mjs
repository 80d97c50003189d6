// The portable engine's workers: when they begin and end, what they are given and give back, what
// happens when one is stopped, dies, or cannot be. Results are checked by node:crypto.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';

import { entryPaths, run } from '../support/child.mjs';

// Read when the engine is opened.
process.env.MILLRACE_ENGINE = 'portable';
const { default: millrace } = await import('millrace');
const { default: promises } = await import('millrace/promises');

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { portableHost: host } = require(join(dist, 'engines/portable.node.js'));
const usual = { ...host };

const LONG = 400_000;
const sha256 = (data) => crypto.createHash('sha256').update(data).digest();
/** Hashes with no hash of WebCrypto, so that a worker has to do it. */
const blake2 = (data) => crypto.createHash('blake2b512').update(data).digest();
const filled = (size, byte) => Buffer.alloc(size, byte);
const nonce = Buffer.alloc(12, 3);
const key = Buffer.alloc(32, 5);

/** Runs a child that uses the portable engine; `host` is defined in it. */
const child = (source, options = {}) =>
  run(
    `const assert = require('node:assert/strict'); const { portableHost: host } = ` +
      `require(${JSON.stringify(join(dist, 'engines/portable.node.js'))});\n${source}`,
    {
      ...options,
      env: { MILLRACE_ENGINE: 'portable', ...options.env },
    },
  );

async function until(condition, milliseconds = 10_000) {
  const end = Date.now() + milliseconds;
  while (!condition()) {
    assert.ok(Date.now() < end, 'it took too long');
    await setTimeout(5);
  }
}

test('short jobs start no worker, and long ones not more than allowed', async () => {
  const { code, stdout, stderr } = await child(`
    (async () => {
      const short = await Promise.all(
        Array.from({ length: 20 }, (_, index) => promises.hash('blake2b512', 'short' + index)),
      );
      console.log(millrace.engines().threads.started, short.length);
      millrace.configure({ threads: 2 });
      let most = 0;
      const look = setInterval(() => {
        most = Math.max(most, millrace.engines().threads.started);
      }, 1);
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          promises.hash('blake2b512', Buffer.alloc(${LONG}, index)),
        ),
      );
      clearInterval(look);
      console.log(most >= 1 && most <= 2, millrace.engines().threads.queued);
    })();
  `);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '0 20\ntrue 0\n');
});

test('many jobs of all kinds and sizes get their own results', async () => {
  const sizes = [0, 1, 100, 5_000, 20_000, 70_000, LONG];
  const calls = [];
  for (let index = 0; index < 140; index++) {
    const data = filled(sizes[index % sizes.length], index);
    calls.push(
      promises.hash('blake2b512', data).then((digest) => assert.deepEqual(digest, blake2(data))),
    );
    calls.push(
      promises.hash('sha256', data).then((digest) => assert.deepEqual(digest, sha256(data))),
    );
    calls.push(
      promises
        .hmac('sha512', key, data, 'hex')
        .then((mac) =>
          assert.equal(mac, crypto.createHmac('sha512', key).update(data).digest('hex')),
        ),
    );
    const algorithm = index % 2 ? 'aes-256-gcm' : 'chacha20-poly1305';
    const aad = filled(index % 33, index);
    calls.push(
      promises.seal(algorithm, { key, nonce, source: data, aad }).then(async (sealed) => {
        const oracle = crypto
          .createCipheriv(algorithm, key, nonce, { authTagLength: 16 })
          .setAAD(aad, { plaintextLength: data.length });
        assert.deepEqual(
          sealed,
          Buffer.concat([oracle.update(data), oracle.final(), oracle.getAuthTag()]),
        );
        assert.deepEqual(await promises.open(algorithm, { key, nonce, source: sealed, aad }), data);
      }),
    );
  }
  await Promise.all(calls);
  assert.equal(millrace.engines().queuedBytes, 0);
});

test(
  'short jobs that share a worker, some of them cancelled, some for the first time in ' +
    'WebAssembly',
  async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const names = ['sha3-256', 'blake2s256', 'ripemd160', 'md5', 'sha3-384'];
    await promises.hash('blake2b512', filled(LONG, 1));
    const calls = Array.from({ length: 200 }, (_, index) => {
      const name = names[index % names.length];
      const data = filled(index % 7 === 0 ? 70_000 : 3000 + index, index);
      const given = index % 9 === 5;
      const call = promises.hash(name, data, {
        route: 'pool',
        ...(given && { signal: controller.signal }),
      });
      const expected = crypto.createHash(name).update(data).digest();
      return call.then(
        (digest) => assert.deepEqual(digest, expected),
        (error) => assert.ok(given && error === reason, error.stack),
      );
    });
    await setTimeout(3);
    controller.abort(reason);
    await Promise.all(calls);
  },
);

test('no callback runs during a call; inline results keep the order of the calls', async () => {
  const order = [];
  let calling = true;
  const told = [];
  for (let index = 0; index < 50; index++) {
    told.push(
      new Promise((resolve) => {
        const long = index % 10 === 9;
        millrace.hash(
          long ? 'blake2b512' : 'blake2s256',
          filled(long ? LONG : 40, index),
          { route: long ? 'pool' : 'inline' },
          (error) => {
            assert.equal(calling, false);
            assert.ifError(error);
            if (!long) order.push(index);
            resolve();
          },
        );
      }),
    );
  }
  await null;
  process.nextTick(() => {
    calling = false;
  });
  await Promise.all(told);
  assert.deepEqual(
    order,
    [...order].sort((left, right) => left - right),
  );
  assert.equal(order.length, 45);
});

test(
  "memory stays the caller's: copied when it may change, written when the call settles, " +
    'never taken away',
  async () => {
    const source = filled(LONG, 1);
    const expected = blake2(source);
    const friendly = promises.hash('blake2b512', source);
    source.fill(2);
    assert.deepEqual(await friendly, expected);
    assert.equal(source.length, LONG);

    const text = filled(LONG, 3);
    const target = filled(LONG + 16, 9);
    const secret = Buffer.from(key);
    const iv = Buffer.from(nonce);
    const lent = promises.seal('chacha20-poly1305', {
      key: secret,
      nonce: iv,
      source: text,
      target,
    });
    secret.fill(0);
    iv.fill(0);
    assert.ok(
      target.every((byte) => byte === 9),
      'written during the call',
    );
    assert.equal(await lent, LONG + 16);
    assert.deepEqual(
      target,
      millrace.seal('chacha20-poly1305', { key, nonce, source: filled(LONG, 3) }),
    );
    assert.ok(text.every((byte) => byte === 3));
    assert.equal(text.buffer.byteLength >= LONG && target.buffer.byteLength >= LONG, true);

    // In place, and in shared memory.
    const shared = Buffer.from(new SharedArrayBuffer(LONG + 16));
    shared.fill(3, 0, LONG);
    await promises.seal('chacha20-poly1305', {
      key,
      nonce,
      source: shared.subarray(0, LONG),
      target: shared,
    });
    assert.deepEqual(Buffer.from(shared), target);
    shared[7] ^= 1;
    await assert.rejects(
      promises.open('chacha20-poly1305', { key, nonce, source: Buffer.from(shared), target: text }),
      { code: 'ERR_AUTHENTICATION' },
    );
    assert.ok(
      text.every((byte) => byte === 0),
      'something was left in the target',
    );
  },
);

test('lent memory that is transferred while its job waits is an error', async () => {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    const first = promises.hash('blake2b512', filled(50 * LONG, 1));
    const source = new Uint8Array(20 * LONG);
    const lent = promises.hash('blake2b512', source, { target: Buffer.alloc(64) });
    structuredClone(source.buffer, { transfer: [source.buffer] });
    await first;
    await assert.rejects(lent, { code: 'ERR_ARGUMENT_VALUE' });
  } finally {
    millrace.configure({ threads });
  }
});

test('a key may be disposed when a job has been accepted', async () => {
  const prepared = millrace.createKey('chacha20-poly1305', key);
  const calls = Array.from({ length: 6 }, (_, index) =>
    promises.seal('chacha20-poly1305', { key: prepared, nonce, source: filled(LONG, index) }),
  );
  prepared.dispose();
  for (const [index, call] of calls.entries())
    assert.deepEqual(
      await call,
      millrace.seal('chacha20-poly1305', { key, nonce, source: filled(LONG, index) }),
    );
});

test('an abort drops what waits at once, and stops what runs', async () => {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    const controller = new AbortController();
    const reason = new Error('enough');
    const passwords = Array.from({ length: 3 }, () =>
      promises.scrypt('password', 'salt', 32, {
        N: 2 ** 17,
        r: 8,
        p: 64, // a minute of work each
        maxmem: 2 ** 29,
        signal: controller.signal,
      }),
    );
    const waits = promises.hash('blake2b512', filled(LONG, 1));
    await until(() => millrace.engines().threads.started === 1);
    await setTimeout(100);
    const began = Date.now();
    controller.abort(reason);
    for (const each of passwords) await assert.rejects(each, (error) => error === reason);
    assert.ok(Date.now() - began < 30_000, 'it went on');
    assert.deepEqual(await waits, blake2(filled(LONG, 1)));
  } finally {
    millrace.configure({ threads });
  }
});

test('an abort of what the platform computes: rejected, its target left as it was', async () => {
  // Asked for once, it is tried; then it is trusted.
  await promises.hash('sha256', filled(LONG, 0));
  await setTimeout(50);
  const controller = new AbortController();
  const target = filled(64 * LONG, 7);
  const sealing = promises.cipher('aes-256-ctr', {
    encrypt: true,
    key,
    iv: filled(16, 0),
    source: filled(64 * LONG, 1),
    target,
    signal: controller.signal,
  });
  controller.abort('no');
  await assert.rejects(sealing, (error) => error === 'no');
  await setTimeout(100);
  assert.ok(target.every((byte) => byte === 7));
});

test('a derivation reports its progress', async () => {
  const seen = [];
  await promises.scrypt('password', 'salt', 32, {
    N: 2 ** 15,
    r: 8,
    p: 2,
    maxmem: 2 ** 28,
    onProgress: ({ fraction }) => seen.push(fraction),
  });
  assert.ok(seen.length > 2, String(seen));
  assert.deepEqual(
    seen,
    [...seen].sort((left, right) => left - right),
  );
  assert.equal(seen.at(-1), 1);
  assert.ok(seen[0] > 0 && seen[0] < 1);
});

test('a worker that dies fails its job only', async () => {
  const handles = [];
  host.startWorker = (events) => {
    const handle = usual.startWorker(events);
    handles.push({ handle, events });
    return handle;
  };
  const { threads } = millrace.configure();
  try {
    for (const memory of [false, true]) {
      millrace.configure({ threads: 1 });
      // A worker of ours.
      await until(() => millrace.engines().threads.started <= 1);
      const controller = new AbortController();
      const stopped = promises.scrypt('password', 'salt', 32, {
        N: 2 ** 17,
        r: 8,
        maxmem: 2 ** 29,
        signal: controller.signal,
      });
      await setTimeout(50);
      controller.abort();
      await assert.rejects(stopped);
      const first = promises.hash('blake2b512', filled(LONG, 1));
      await first;
      const { handle, events } = handles.at(-1);
      const lost = promises.hash('blake2b512', filled(50 * LONG, 1));
      const next = promises.hash('blake2b512', filled(LONG, 2));
      await setImmediate();
      handle.end();
      events.lost(memory);
      await assert.rejects(lost, { code: memory ? 'ERR_OUT_OF_MEMORY' : 'ERR_ENGINE' });
      assert.deepEqual(await next, blake2(filled(LONG, 2)));
    }
  } finally {
    host.startWorker = usual.startWorker;
    millrace.configure({ threads });
  }
});

for (const [how, startWorker] of Object.entries({
  'there are none': '() => undefined',
  'they are refused': "() => { throw new Error('SecurityError'); }",
  'they are lost at once':
    '({ lost }) => { setImmediate(lost, false); return { post() {}, end() {}, hold() {} }; }',
  'they are lost during their start':
    '({ lost }) => { lost(false); return { post() {}, end() {}, hold() {} }; }',
})) {
  test(`without workers all is done on this thread: ${how}`, async () => {
    const { code, stdout, stderr } = await child(`
      host.startWorker = ${startWorker};
      const crypto = require('node:crypto');
      const source = Buffer.alloc(${LONG}, 1);
      const expected = crypto.createHash('blake2b512').update(source).digest('hex');
      let calling = true;
      let turns = 0;
      const turn = () => {
        turns++;
        timer = setImmediate(turn);
      };
      let timer = setImmediate(turn);
      (async () => {
        const controller = new AbortController();
        const calls = Array.from({ length: 5 }, () =>
          promises.hash('blake2b512', source, 'hex').then((digest) => {
            assert.equal(calling, false);
            assert.equal(digest, expected);
          }),
        );
        calls.push(
          promises
            .scrypt('password', 'salt', 32)
            .then((derived) =>
              assert.deepEqual(derived, crypto.scryptSync('password', 'salt', 32)),
            ),
        );
        const sealed = promises.seal('chacha20-poly1305', {
          key: Buffer.alloc(32),
          nonce: Buffer.alloc(12),
          source,
        });
        const dropped = promises.hash('blake2b512', source, { signal: controller.signal });
        controller.abort('no');
        calling = false;
        source.fill(9);
        await assert.rejects(dropped, (error) => error === 'no');
        await Promise.all(calls);
        assert.deepEqual(
          await promises.open('chacha20-poly1305', {
            key: Buffer.alloc(32),
            nonce: Buffer.alloc(12),
            source: await sealed,
          }),
          Buffer.alloc(${LONG}, 1),
        );
        clearImmediate(timer);
        console.log(turns > 5, millrace.engines().threads.started);
      })();
    `);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'true 0\n');
  });
}

test(
  'without workers a long message is hashed in slices: other events get their turns, and ' +
    'an abort stops it',
  async () => {
    const { code, stdout, stderr } = await child(`
    host.startWorker = () => undefined;
    const crypto = require('node:crypto');
    const source = Buffer.alloc(4_000_001, 1);
    const key = Buffer.alloc(20, 2);
    (async () => {
      let turns = 0;
      const turn = () => {
        turns++;
        timer = setImmediate(turn);
      };
      let timer = setImmediate(turn);
      const expected = crypto.createHash('blake2b512').update(source).digest('hex');
      assert.equal(await promises.hash('blake2b512', source, 'hex'), expected);
      console.log(turns >= 15);
      assert.equal(
        await promises.hmac('md5', key, source, 'hex'),
        crypto.createHmac('md5', key).update(source).digest('hex'),
      );
      const mac = millrace.createKey('hmac-ripemd160', key);
      assert.equal(
        await promises.hmac('ripemd160', mac, source, 'hex'),
        crypto.createHmac('ripemd160', key).update(source).digest('hex'),
      );
      assert.equal(
        await promises.hash('shake256', source, { outputLength: 99, encoding: 'hex' }),
        crypto.createHash('shake256', { outputLength: 99 }).update(source).digest('hex'),
      );
      assert.equal(
        await promises.hash('blake3', source, { key: Buffer.alloc(32, 3), encoding: 'hex' }),
        millrace.hash('blake3', source, { key: Buffer.alloc(32, 3), encoding: 'hex' }),
      );
      assert.equal(
        await promises.hash('xxh64', source, { seed: 7n, encoding: 'hex' }),
        millrace.hash('xxh64', source, { seed: 7n, encoding: 'hex' }),
      );
      const controller = new AbortController();
      let began = performance.now();
      millrace.hash('sha3-512', Buffer.alloc(1_000_000));
      const whole = 64 * (performance.now() - began);
      const stopped = promises.hash('sha3-512', Buffer.alloc(64_000_000), {
        signal: controller.signal,
      });
      setTimeout(() => controller.abort('enough'), 30);
      began = performance.now();
      await assert.rejects(stopped, (error) => error === 'enough');
      console.log(performance.now() - began < whole / 2);
      assert.equal(await promises.hash('blake2b512', source, 'hex'), expected);
      clearImmediate(timer);
    })();
  `);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'true\ntrue\n');
  },
);

test('short jobs run before long ones', async () => {
  const { code, stdout, stderr } = await child(`
    millrace.configure({ threads: 1 });
    const order = [];
    (async () => {
      await promises.hash('blake2b512', Buffer.alloc(${LONG}));
      const calls = ['first', 'second'].map((name) =>
        promises.hash('sha3-512', Buffer.alloc(4_000_000)).then(() => order.push(name)),
      );
      calls.push(
        promises
          .hash('blake2b512', Buffer.alloc(20_000), { route: 'pool' })
          .then(() => order.push('short')),
      );
      await Promise.all(calls);
      console.log(order.join(' '));
    })();
  `);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'first short second\n');
});

test('workers that have nothing to do are ended', async () => {
  const { code, stdout, stderr } = await child(`
    const { after } = host;
    host.after = (milliseconds, run) => after(milliseconds === 5000 ? 100 : milliseconds, run);
    const { setTimeout: wait } = require('node:timers/promises');
    (async () => {
      await promises.hash('blake2b512', Buffer.alloc(${LONG}));
      const before = millrace.engines().threads.started;
      while (millrace.engines().threads.started > 0) await wait(20);
      const after = millrace.engines().threads.started;
      await promises.hash('blake2b512', Buffer.alloc(${LONG}));
      console.log(before, after, millrace.engines().threads.started);
    })();
  `);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '1 0 1\n');
});

test('the process ends when its last job has settled, not before and not long after', async () => {
  const { code, stdout, stderr } = await child(`
    const { after } = host;
    host.after = (milliseconds, run) => after(milliseconds === 5000 ? 60_000 : milliseconds, run);
    millrace.hash('blake2b512', Buffer.alloc(${LONG}), () => {
      console.log('told');
      const began = Date.now();
      process.on('exit', () => console.log(Date.now() - began < 30_000));
    });
    promises
      .hash('sha256', Buffer.alloc(${LONG}))
      .then(() => console.log('and told'), console.error);
  `);
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n').sort(), ['and told', 'told', 'true']);
});

test('process.exit ends jobs in flight', async () => {
  const { code, stdout, stderr } = await child(`
    for (let index = 0; index < 8; index++)
      promises.hash('blake2b512', Buffer.alloc(${20 * LONG})).then(() => console.log('told'));
    setTimeout(() => process.exit(7), 50);
  `);
  assert.equal(code, 7, stderr);
  assert.equal(stderr, '');
  assert.doesNotMatch(stdout, /error/i);
});

test("in a worker thread of the user's, which may be ended at any time", async () => {
  const { code, stdout, stderr } = await child(`
    const { Worker, isMainThread, parentPort } = require('node:worker_threads');
    if (isMainThread) {
      const worker = new Worker(__filename);
      worker.once('message', (digest) => {
        console.log(digest === millrace.hash('blake2b512', Buffer.alloc(${LONG}), 'hex'));
        worker.terminate().then(() => console.log('ended'));
      });
    } else {
      promises.hash('blake2b512', Buffer.alloc(${LONG}), 'hex').then((digest) => {
        for (let index = 0; index < 4; index++)
          promises.hash('blake2b512', Buffer.alloc(${50 * LONG}));
        parentPort.postMessage(digest);
      });
    }
  `);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'true\nended\n');
});

test('a cost is measured by the first worker that has done a job, and used', async () => {
  await promises.hash('sha3-256', filled(LONG, 1));
  await until(() => millrace.engines().costs['sha3-256'].measured);
  const { fixed, perByte, inlineTo } = millrace.engines().costs['sha3-256'];
  assert.ok(fixed > 0 && perByte > 0.1 && perByte < 1000, `${fixed} ${perByte}`);
  assert.ok(inlineTo > 0);
});
