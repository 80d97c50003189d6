// Coalesced short messages: each gets its own digest, in the form and context it was asked
// for.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hashNames } from '../support/algorithms.mjs';
import { output } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { ways } from '../support/ways.mjs';

const encodings = [undefined, 'buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'];

function spelled(digest, encoding) {
  if (encoding === undefined || encoding === 'buffer') return digest;
  if (encoding === '0xhex') return `0x${digest.toString('hex')}`;
  return encoding === 'bigint' ? BigInt(`0x${digest.toString('hex')}`) : digest.toString(encoding);
}

test('short messages in any mixture have their digests, though their sources change', async () => {
  const numbers = random('coalescing');
  const sizes = [0, 1, 16, 55, 64, 100, 256, 300, 1000, 1024, 1025, 3000, 4096, 4097];
  for (const count of [1, 2, 3, 63, 64, 65, 129, 1000, 5000]) {
    const checks = [];
    for (let index = 0; index < count; index++) {
      const [algorithm, encoding] = [numbers.pick(hashNames), numbers.pick(encodings)];
      const text = numbers.below(8) === 0;
      const source = text ? 'tëxt '.repeat(numbers.below(60)) : numbers.bytes(numbers.pick(sizes));
      const digest = oracle({ kind: 'hash', algorithm, source: Buffer.from(source) }).output;
      const call = numbers.below(2) === 0 ? ways.promise : ways.callback;
      const encoded = encoding === undefined ? [] : [encoding];
      checks.push([
        call('hash', algorithm, source, ...encoded),
        spelled(digest, encoding),
        `${algorithm} ${encoding} ${source.length}`,
      ]);
      if (!text) source.fill(0xaa);
    }
    for (const [given, expected, title] of checks) assert.deepEqual(await given, expected, title);
  }
});

test('digests go to their places in targets, between bytes that stay', async () => {
  const numbers = random('targets');
  const memory = Buffer.alloc(300 * 96, 0x11);
  const expected = Buffer.from(memory);
  const calls = [];
  for (let index = 0; index < 300; index++) {
    const offset = numbers.below(8);
    const source = numbers.bytes(numbers.below(5000) + 8).subarray(offset);
    const algorithm = ['sha256', 'sha512', 'blake3', 'md5'][index % 4];
    const digest = oracle({ kind: 'hash', algorithm, source }).output;
    const at = index * 96 + offset;
    digest.copy(expected, at);
    const call = index % 2 === 0 ? ways.promise : ways.callback;
    const place =
      index % 3 === 0
        ? { target: memory.subarray(at, at + digest.length) }
        : { target: memory, targetOffset: at };
    const told = call('hash', algorithm, source, place);
    calls.push(told.then((size) => assert.equal(size, digest.length)));
  }
  const untouched = memory.every((byte) => byte === 0x11);
  assert.ok(untouched, 'nothing is written during the calls');
  await Promise.all(calls);
  assert.deepEqual(memory, expected);
});

test('a target that is detached before the digest arrives is an error', async () => {
  const target = Buffer.from(new ArrayBuffer(64));
  const lost = promises.hash('sha256', Buffer.alloc(10), { target, targetOffset: 8 });
  structuredClone(target.buffer, { transfer: [target.buffer] });
  await assert.rejects(lost, { code: 'ERR_ARGUMENT_VALUE', message: /detached or shrunk/ });
});

test('a digest is a Buffer of its caller alone', async () => {
  const digests = await Promise.all(
    Array.from({ length: 600 }, (_, index) => promises.hash('sha256', `${index}`)),
  );
  for (const digest of digests) {
    assert.equal(Object.getPrototypeOf(digest), Buffer.prototype);
    assert.equal(digest.length, 32);
  }
  digests[5].fill(0);
  await Promise.all(
    Array.from({ length: 600 }, (_, index) => promises.hash('sha256', `other ${index}`)),
  );
  for (const [index, digest] of digests.entries())
    if (index !== 5) assert.deepEqual(digest, millrace.hash('sha256', `${index}`));
});

test('AsyncLocalStorage keeps its context across companies, rounds and turns', async () => {
  const storage = new AsyncLocalStorage();
  let wrong = 0;
  const chain = (name, left) =>
    new Promise((resolve) =>
      storage.run(name, () => {
        const next = () => {
          if (storage.getStore() !== name) wrong++;
          if (left-- === 0) resolve();
          else millrace.hash('sha256', 'a', next);
        };
        next();
      }),
    );
  const awaiting = (name) =>
    storage.run(name, async () => {
      for (let index = 0; index < 50; index++) {
        await promises.hash('sha256', 'b');
        if (storage.getStore() !== name) wrong++;
      }
    });
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      index % 2 === 0 ? chain(`chain ${index}`, 50) : awaiting(`await ${index}`),
    ),
  );
  assert.equal(wrong, 0);
});

test('endless short calls leave timers, immediates and I/O their turns', async () => {
  for (const wait of ['callback', 'promise']) {
    let going = true;
    let calls = 0;
    const again = () => {
      calls++;
      if (!going) return;
      if (wait === 'callback') millrace.hash('sha256', 'x', again);
      else promises.hash('sha256', 'x').then(again);
    };
    for (let index = 0; index < 64; index++) again();
    const begin = performance.now();
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    await setTimeout(5);
    await import('node:fs/promises').then(({ stat }) => stat('.'));
    going = false;
    assert.ok(calls > 64, `${calls} calls`);
    assert.ok(performance.now() - begin < 30_000);
    await setTimeout(5);
  }
});

test('what is always in flight stays in one batch on this thread; a burst goes to the pool', async () => {
  for (const [count, away] of [
    [1, false],
    [40, false],
    [64, false],
    [1000, true],
  ]) {
    const chains = `
      let left = 20_000;
      const again = () => { if (left-- > 0) millrace.hash('sha256', source, again); };
      const source = Buffer.alloc(256);
      for (let index = 0; index < ${count}; index++) again();
      process.on('exit', () => console.log(millrace.engines().threads.started > 0));`;
    const started = await output(chains, { env: { MILLRACE_COST: 'table' } });
    assert.equal(started.trim(), String(away), `${count} in flight`);
  }
});

test('an async_hook that takes the source away during the call: an error, no crash', async () => {
  const stdout = await output(`
    const { createHook } = require('node:async_hooks');
    let armed;
    createHook({
      init(id, type) {
        if (armed && (type === 'MILLRACE' || type === 'PROMISE')) {
          const buffer = armed;
          armed = undefined;
          structuredClone(buffer, { transfer: [buffer] });
        }
      },
    }).enable();
    const source = () => new Uint8Array(new ArrayBuffer(100)).fill(1);
    (async () => {
      const promised = source();
      armed = promised.buffer;
      console.log(await promises.hash('sha256', promised, 'hex').catch(({ code }) => code));
      const called = source();
      await new Promise(setImmediate);
      armed = called.buffer;
      try {
        millrace.hash('sha256', called, 'hex', (error, digest) => console.log(digest));
      } catch ({ code }) {
        console.log(code);
      }
    })();
  `);
  assert.equal(stdout, 'ERR_DETACHED\nERR_DETACHED\n');
});

test('an async_hook that makes the source longer during the call: the digest of all of it', async () => {
  const stdout = await output(`
    const { createHook } = require('node:async_hooks');
    const buffer = new ArrayBuffer(100, { maxByteLength: 200_000 });
    const source = new Uint8Array(buffer);
    const expected = millrace.hash('sha256', new Uint8Array(90_100), 'hex');
    let armed = false;
    createHook({
      init() {
        if (armed) {
          armed = false;
          buffer.resize(buffer.byteLength + 90_000);
        }
      },
    }).enable();
    armed = true;
    millrace.hash('sha256', source, 'hex', (error, digest) => {
      console.log(digest === expected);
      buffer.resize(100);
      armed = true;
      promises.hash('sha256', source, 'hex').then((digest) => console.log(digest === expected));
    });
  `);
  assert.equal(stdout, 'true\ntrue\n');
});
