// The portable engine's workers: when they begin and end, what they are given and give back, what
// happens when one is stopped, dies, or cannot be. Results are those of synchronous calls, which
// need no worker, or of node:crypto.

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
/** Hashes with no hash of WebCrypto, so that a worker has to do it. */
const blake2 = (data) => crypto.createHash('blake2b512').update(data).digest();
const filled = (size, byte) => Buffer.alloc(size, byte);
const nonce = Buffer.alloc(12, 3);
const key = Buffer.alloc(32, 5);

/** A test of a program that uses the portable engine, by its output; `host` is defined in it. */
const program =
  (title, output, exit = 0) =>
  (...source) =>
    test(title, async () => {
      const { code, stdout, stderr } = await run(
        `const assert = require('node:assert/strict'); const { portableHost: host } = ` +
          `require(${JSON.stringify(join(dist, 'engines/portable.node.js'))});\n` +
          `const LONG = ${LONG};\n(async () => {${String.raw(...source)}})();`,
        { env: { MILLRACE_ENGINE: 'portable' } },
      );
      assert.equal(code, exit, stderr);
      assert.equal(stdout, output);
    });

/** Calls asynchronously, and expects the result of the synchronous call, which comes first. */
async function alike(method, ...given) {
  const expected = millrace[method](...given);
  const result = await promises[method](...given);
  assert.deepEqual(result, expected, method);
  return result;
}

/** Runs with one worker at most. */
async function withOneThread(work) {
  const { threads } = millrace.configure();
  millrace.configure({ threads: 1 });
  try {
    await work();
  } finally {
    millrace.configure({ threads });
  }
}

async function until(condition, milliseconds = 10_000) {
  const end = Date.now() + milliseconds;
  while (!condition()) {
    assert.ok(Date.now() < end, 'it took too long');
    await setTimeout(5);
  }
}

program('short jobs start no worker, and long ones not more than allowed', '0 20\ntrue 0\n')`
    const hash = (data) => promises.hash('blake2b512', data);
    const short = await Promise.all(Array.from({ length: 20 }, (_, index) => hash('no' + index)));
    console.log(millrace.engines().threads.started, short.length);
    millrace.configure({ threads: 2 });
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, millrace.engines().threads.started);
    }, 1);
    await Promise.all(Array.from({ length: 12 }, (_, index) => hash(Buffer.alloc(LONG, index))));
    clearInterval(look);
    console.log(most >= 1 && most <= 2, millrace.engines().threads.queued);
`;

test('many jobs of all kinds, and keys disposed meanwhile, get their own results', async () => {
  const sizes = [0, 1, 100, 5_000, 20_000, 70_000, LONG];
  const prepared = millrace.createKey('chacha20-poly1305', key);
  const calls = Array.from({ length: 140 }, (_, index) => {
    const source = filled(sizes[index % sizes.length], index);
    const aead = index % 2 ? 'aes-256-gcm' : 'chacha20-poly1305';
    const given = { key, nonce, aad: filled(index % 33, index) };
    return [
      alike('hash', 'blake2b512', source),
      alike('hash', 'sha256', source),
      alike('hmac', 'sha512', key, source, 'hex'),
      alike('seal', 'chacha20-poly1305', { key: prepared, nonce, source }),
      alike('seal', aead, { ...given, source }).then(async (sealed) =>
        assert.deepEqual(await promises.open(aead, { ...given, source: sealed }), source),
      ),
    ];
  });
  prepared.dispose();
  await Promise.all(calls.flat());
  assert.equal(millrace.engines().queuedBytes, 0);
});

test('short jobs that share a worker, some cancelled, some new to WebAssembly', async () => {
  const controller = new AbortController();
  const names = ['sha3-256', 'blake2s256', 'ripemd160', 'md5', 'sha3-384'];
  await promises.hash('blake2b512', filled(LONG, 1));
  const calls = Array.from({ length: 200 }, async (_, index) => {
    const name = names[index % names.length];
    const data = filled(index % 7 === 0 ? 70_000 : 3000 + index, index);
    const signal = index % 9 === 5 ? controller.signal : undefined;
    const digest = await promises.hash(name, data, { route: 'pool', signal }).catch((error) => {
      assert.ok(signal && error === 'enough', error.stack);
    });
    if (digest) assert.deepEqual(digest, crypto.createHash(name).update(data).digest());
  });
  await setTimeout(3);
  controller.abort('enough');
  await Promise.all(calls);
});

test('no callback runs during a call; inline results keep the order of the calls', async () => {
  const order = [];
  let calling = true;
  const told = Array.from({ length: 50 }, async (_, index) => {
    const long = index % 10 === 9;
    const options = { route: long ? 'pool' : 'inline' };
    const data = filled(long ? LONG : 40, index);
    await new Promise((resolve) =>
      millrace.hash('blake2b512', data, options, (error) => {
        assert.ifError(error);
        if (!long) order.push(index);
        resolve(assert.equal(calling, false));
      }),
    );
  });
  await null;
  process.nextTick(() => {
    calling = false;
  });
  await Promise.all(told);
  assert.equal(order.length, 45);
  assert.ok(order.every((index, at) => at === 0 || index > order[at - 1]));
});

test('memory is copied if it may change, written when the call settles, never taken', async () => {
  const source = filled(LONG, 1);
  const friendly = promises.hash('blake2b512', source);
  source.fill(2);
  assert.deepEqual(await friendly, blake2(filled(LONG, 1)));
  assert.equal(source.length, LONG);

  const name = 'chacha20-poly1305';
  const text = filled(LONG, 3);
  const target = filled(LONG + 16, 9);
  const [secret, iv] = [Buffer.from(key), Buffer.from(nonce)];
  const lent = promises.seal(name, { key: secret, nonce: iv, source: text, target });
  secret.fill(0);
  iv.fill(0);
  assert.deepEqual(target, filled(LONG + 16, 9), 'written during the call');
  assert.equal(await lent, LONG + 16);
  assert.deepEqual(target, millrace.seal(name, { key, nonce, source: filled(LONG, 3) }));
  assert.deepEqual(text, filled(LONG, 3));

  // In place, and in shared memory.
  const shared = Buffer.from(new SharedArrayBuffer(LONG + 16)).fill(3, 0, LONG);
  await promises.seal(name, { key, nonce, source: shared.subarray(0, LONG), target: shared });
  assert.deepEqual(Buffer.from(shared), target);
  shared[7] ^= 1;
  const forged = { key, nonce, source: Buffer.from(shared), target: text };
  await assert.rejects(promises.open(name, forged), { code: 'ERR_AUTHENTICATION' });
  assert.deepEqual(text, filled(LONG, 0), 'something was left in the target');
});

test('lent memory that is transferred while its job waits is an error', () =>
  withOneThread(async () => {
    const first = promises.hash('blake2b512', filled(50 * LONG, 1));
    const source = new Uint8Array(20 * LONG);
    const lent = promises.hash('blake2b512', source, { target: Buffer.alloc(64) });
    structuredClone(source.buffer, { transfer: [source.buffer] });
    await first;
    await assert.rejects(lent, { code: 'ERR_ARGUMENT_VALUE' });
  }));

test('an abort drops what waits at once, and stops what runs', () =>
  withOneThread(async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    // A minute of work each.
    const costs = { N: 2 ** 17, r: 8, p: 64, maxmem: 2 ** 29 };
    const passwords = [1, 2, 3].map(() =>
      promises.scrypt('password', 'salt', 32, { ...costs, signal }),
    );
    const waits = promises.hash('blake2b512', filled(LONG, 1));
    await until(() => millrace.engines().threads.started === 1);
    await setTimeout(100);
    const began = Date.now();
    controller.abort(reason);
    for (const each of passwords) await assert.rejects(each, (error) => error === reason);
    assert.ok(Date.now() - began < 30_000, 'it went on');
    assert.deepEqual(await waits, blake2(filled(LONG, 1)));
  }));

test('an abort of what the platform computes: rejected, its target left as it was', async () => {
  // Asked for once, it is tried; then it is trusted.
  await promises.hash('sha256', filled(LONG, 0));
  await setTimeout(50);
  const controller = new AbortController();
  const [source, target] = [filled(64 * LONG, 1), filled(64 * LONG, 7)];
  const given = { encrypt: true, key, iv: filled(16, 0), source, target };
  const sealing = promises.cipher('aes-256-ctr', { ...given, signal: controller.signal });
  controller.abort('no');
  await assert.rejects(sealing, (error) => error === 'no');
  await setTimeout(100);
  assert.ok(target.every((byte) => byte === 7));
});

test('a derivation reports its progress', async () => {
  const seen = [];
  const onProgress = ({ fraction }) => seen.push(fraction);
  const options = { N: 2 ** 15, r: 8, p: 2, maxmem: 2 ** 28, onProgress };
  await promises.scrypt('password', 'salt', 32, options);
  assert.ok(seen.length > 2, String(seen));
  assert.ok(seen.every((fraction, index) => index === 0 || fraction >= seen[index - 1]));
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
  try {
    for (const memory of [false, true])
      await withOneThread(async () => {
        // A worker of ours.
        await until(() => millrace.engines().threads.started <= 1);
        const controller = new AbortController();
        const { signal } = controller;
        const options = { N: 2 ** 17, r: 8, maxmem: 2 ** 29, signal };
        const stopped = promises.scrypt('password', 'salt', 32, options);
        await setTimeout(50);
        controller.abort();
        await assert.rejects(stopped);
        await promises.hash('blake2b512', filled(LONG, 1));
        const { handle, events } = handles.at(-1);
        const lost = promises.hash('blake2b512', filled(50 * LONG, 1));
        const next = promises.hash('blake2b512', filled(LONG, 2));
        await setImmediate();
        handle.end();
        events.lost(memory);
        await assert.rejects(lost, { code: memory ? 'ERR_OUT_OF_MEMORY' : 'ERR_ENGINE' });
        assert.deepEqual(await next, blake2(filled(LONG, 2)));
      });
  } finally {
    host.startWorker = usual.startWorker;
  }
});

/** A program's count of turns of the event loop, while `timer` runs. */
const turning = `
  let turns = 0;
  const turn = () => {
    turns++;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  const alike = async (method, ...given) =>
    assert.deepEqual(await promises[method](...given), millrace[method](...given), method);
`;

for (const [how, startWorker] of Object.entries({
  'there are none': '() => undefined',
  'they are refused': "() => { throw new Error('SecurityError'); }",
  'they are lost at once':
    '({ lost }) => { setImmediate(lost, false); return { post() {}, end() {}, hold() {} }; }',
  'they are lost during their start':
    '({ lost }) => { lost(false); return { post() {}, end() {}, hold() {} }; }',
})) {
  program(`without workers all is done on this thread: ${how}`, 'true 0\n')`
      host.startWorker = ${startWorker};
      const source = Buffer.alloc(LONG, 1);
      const sealing = { key: Buffer.alloc(32), nonce: Buffer.alloc(12), source };
      const name = 'chacha20-poly1305';
      const expected = millrace.hash('blake2b512', source, 'hex');
      let calling = true;
      ${turning}
      const controller = new AbortController();
      const calls = Array.from({ length: 5 }, () =>
        promises.hash('blake2b512', source, 'hex').then((digest) => {
          assert.equal(calling, false);
          assert.equal(digest, expected);
        }),
      );
      calls.push(alike('scrypt', 'password', 'salt', 32));
      const sealed = promises.seal(name, sealing);
      const dropped = promises.hash('blake2b512', source, { signal: controller.signal });
      controller.abort('no');
      calling = false;
      source.fill(9);
      await assert.rejects(dropped, (error) => error === 'no');
      await Promise.all(calls);
      const opened = await promises.open(name, { ...sealing, source: await sealed });
      assert.deepEqual(opened, Buffer.alloc(LONG, 1));
      clearImmediate(timer);
      console.log(turns > 5, millrace.engines().threads.started);
  `;
}

program('without workers long messages are hashed in slices, and aborted', 'true\ntrue\n')`
    host.startWorker = () => undefined;
    const source = Buffer.alloc(4_000_001, 1);
    const key = Buffer.alloc(32, 2);
    ${turning}
    // The synchronous call lets no other event have its turn.
    turns = 0;
    await alike('hash', 'blake2b512', source);
    console.log(turns >= 15);
    await alike('hmac', 'md5', key, source, 'hex');
    await alike('hmac', 'ripemd160', millrace.createKey('hmac-ripemd160', key), source, 'hex');
    await alike('hash', 'shake256', source, { outputLength: 99 });
    await alike('hash', 'blake3', source, { key });
    await alike('hash', 'xxh64', source, { seed: 7n });
    const controller = new AbortController();
    let began = performance.now();
    millrace.hash('sha3-512', Buffer.alloc(1_000_000));
    const whole = 64 * (performance.now() - began);
    const large = Buffer.alloc(64_000_000);
    const stopped = promises.hash('sha3-512', large, { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 30);
    began = performance.now();
    await assert.rejects(stopped, (error) => error === 'enough');
    console.log(performance.now() - began < whole / 2);
    await alike('hash', 'blake2b512', source);
    clearImmediate(timer);
`;

program('short jobs run before long ones', 'first short second\n')`
    millrace.configure({ threads: 1 });
    const order = [];
    const long = Buffer.alloc(4_000_000);
    await promises.hash('blake2b512', Buffer.alloc(LONG));
    const calls = ['first', 'second'].map((name) =>
      promises.hash('sha3-512', long).then(() => order.push(name)),
    );
    const short = promises.hash('blake2b512', Buffer.alloc(20_000), { route: 'pool' });
    await Promise.all([...calls, short.then(() => order.push('short'))]);
    console.log(order.join(' '));
`;

program('workers that have nothing to do are ended', '1 0 1\n')`
    const { after } = host;
    host.after = (milliseconds, run) => after(milliseconds === 5000 ? 100 : milliseconds, run);
    const { setTimeout: wait } = require('node:timers/promises');
    await promises.hash('blake2b512', Buffer.alloc(LONG));
    const before = millrace.engines().threads.started;
    while (millrace.engines().threads.started > 0) await wait(20);
    const later = millrace.engines().threads.started;
    await promises.hash('blake2b512', Buffer.alloc(LONG));
    console.log(before, later, millrace.engines().threads.started);
`;

program('the process ends after its last job, not before and not long after', 'told\ntrue\n')`
    const { after } = host;
    host.after = (milliseconds, run) => after(milliseconds === 5000 ? 60_000 : milliseconds, run);
    const data = Buffer.alloc(LONG);
    const called = new Promise((resolve) => millrace.hash('blake2b512', data, resolve));
    await Promise.all([called, promises.hash('sha256', data)]);
    console.log('told');
    const began = Date.now();
    process.on('exit', () => console.log(Date.now() - began < 30_000));
`;

program('process.exit ends jobs in flight', '', 7)`
    for (let index = 0; index < 8; index++)
      promises.hash('blake2b512', Buffer.alloc(20 * LONG)).catch(console.log);
    setTimeout(() => process.exit(7), 50);
`;

program("in a worker thread of the user's, which may be ended at any time", 'true\nended\n')`
    const { Worker, isMainThread, parentPort } = require('node:worker_threads');
    if (isMainThread) {
      const worker = new Worker(__filename);
      worker.once('message', (digest) => {
        console.log(digest === millrace.hash('blake2b512', Buffer.alloc(LONG), 'hex'));
        worker.terminate().then(() => console.log('ended'));
      });
      return;
    }
    const digest = await promises.hash('blake2b512', Buffer.alloc(LONG), 'hex');
    for (let index = 0; index < 4; index++)
      promises.hash('blake2b512', Buffer.alloc(50 * LONG));
    parentPort.postMessage(digest);
`;

test('a cost is measured by the first worker that has done a job, and used', async () => {
  await promises.hash('sha3-256', filled(LONG, 1));
  await until(() => millrace.engines().costs['sha3-256'].measured);
  const { fixed, perByte, inlineTo } = millrace.engines().costs['sha3-256'];
  assert.ok(fixed > 0 && perByte > 0.1 && perByte < 1000, `${fixed} ${perByte}`);
  assert.ok(inlineTo > 0);
});
