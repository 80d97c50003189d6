// Abort signals of the promise entry point: a call that has not started is cancelled, one that runs
// is not disturbed, and whatever happens the promise settles exactly once and nothing is kept.

import assert from 'node:assert/strict';
import { getEventListeners, setMaxListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { collectGarbage } from '../support/garbage.mjs';
import { oracle } from '../support/oracles.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const source = Buffer.alloc(64, 3);
const large = Buffer.alloc(16 * 2 ** 20, 4);
/**
 * Large enough to wait its turn: what runs inline has run before any abort, and short jobs go
 * before long ones.
 */
const queueable = Buffer.alloc(2 ** 20, 5);
const digest = oracle({ kind: 'hash', algorithm: 'sha256', source }).output;

/** Every form that takes a signal. */
const forms = {
  'hash, last argument': (signal) => promises.hash('sha256', source, { signal }),
  'hash, encoding and last argument': (signal) =>
    promises.hash('sha256', source, 'hex', { signal }),
  'hash, options': (signal) => promises.hash('sha256', source, { encoding: 'base64', signal }),
  'hash, target': (signal) => promises.hash('sha256', source, { target: Buffer.alloc(32), signal }),
  'hash, window': (signal) => promises.hash('sha256', source, { target: Buffer.alloc(32), signal }),
  'hmac, last argument': (signal) => promises.hmac('sha256', key, source, { signal }),
  'hmac, encoding and last argument': (signal) =>
    promises.hmac('sha256', key, source, 'bigint', { signal }),
  'hmac, window': (signal) =>
    promises.hmac('sha256', key, source, { target: Buffer.alloc(32), signal }),
  'cipher, options': (signal) =>
    promises.cipher('aes-256-gcm', {
      encrypt: true,
      key,
      iv: nonce,
      source,
      tag: Buffer.alloc(16),
      signal,
    }),
  'cipher, 5 arguments': (signal) =>
    promises.cipher('aes-256-ctr', true, key, Buffer.alloc(16), source, { signal }),
  'cipher, 7 arguments': (signal) =>
    promises.cipher('aes-256-gcm', true, key, nonce, source, source, Buffer.alloc(16), { signal }),
  'cipher, 13 arguments': (signal) =>
    promises.cipher('aes-256-ctr', {
      encrypt: 1,
      key,
      iv: Buffer.alloc(16),
      source,
      target: Buffer.alloc(64),
      signal,
    }),
  'cipher, 19 arguments': (signal) =>
    promises.cipher('aes-256-gcm', {
      encrypt: 1,
      key,
      iv: nonce,
      source,
      aad: source,
      tag: Buffer.alloc(16),
      target: Buffer.alloc(64),
      signal,
    }),
  seal: (signal) => promises.seal('aes-256-gcm', { key, nonce, source, signal }),
  open: (signal) =>
    promises.open('aes-256-gcm', {
      key,
      nonce,
      source: millrace.seal('aes-256-gcm', { key, nonce, source }),
      signal,
    }),
};

for (const [title, start] of Object.entries(forms)) {
  test(`${title}: aborted before`, async () => {
    const reason = new Error('not wanted');
    await assert.rejects(start(AbortSignal.abort(reason)), (error) => error === reason);
    await assert.rejects(start(AbortSignal.abort()), { name: 'AbortError' });
    await assert.rejects(start(AbortSignal.abort('a string')), (error) => error === 'a string');
  });

  test(`${title}: not aborted, and no listener stays`, async () => {
    const { signal } = manyListeners();
    const results = await Promise.all(Array.from({ length: 20 }, () => start(signal)));
    const plain = await start(undefined);
    for (const result of results) assert.deepEqual(result, plain);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test(`${title}: aborted after`, async () => {
    const controller = new AbortController();
    const result = await start(controller.signal);
    const plain = await start(undefined);
    controller.abort();
    await setImmediate();
    assert.deepEqual(result, plain);
  });

  test(`${title}: a signal that is none`, async () => {
    for (const wrong of [
      null,
      0,
      true,
      'signal',
      {},
      { aborted: true },
      new EventTarget(),
      () => {},
    ]) {
      await assert.rejects(
        start(wrong),
        { code: 'ERR_ARGUMENT_TYPE', message: /signal/ },
        String(wrong),
      );
    }
  });

  test(`${title}: aborted right after the call`, async () => {
    for (let round = 0; round < 50; round++) {
      const controller = new AbortController();
      const settled = start(controller.signal);
      if (round % 2) await null;
      const reason = new Error('changed my mind');
      controller.abort(reason);
      const outcome = await settled.then(
        (value) => ({ value }),
        (error) => ({ error }),
      );
      // It may have started already, and then it completes.
      if (outcome.error) assert.equal(outcome.error, reason);
      else assert.ok(outcome.value !== undefined);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    }
  });
}

test('queued jobs are cancelled at once, running ones complete', async () => {
  const { threads } = millrace.configure();
  // Keeps every worker busy for some tens of milliseconds.
  const busy = Array.from({ length: threads }, () =>
    promises.hash('sha512', large, { target: Buffer.alloc(64) }),
  );
  const controller = manyListeners();
  const target = Buffer.alloc(queueable.length, 7);
  const queue = () =>
    promises.cipher('aes-256-ctr', {
      encrypt: 1,
      key,
      iv: Buffer.alloc(16),
      source: queueable,
      target,
      signal: controller.signal,
    });
  const queued = Array.from({ length: 50 }, queue);
  const reason = new Error('too late');
  controller.abort(reason);
  const outcomes = await Promise.allSettled(queued);
  const first = await Promise.race([
    Promise.all(busy).then(() => 'busy'),
    setTimeout(0, 'cancelled'),
  ]);
  for (const outcome of outcomes) {
    assert.equal(outcome.status, 'rejected');
    assert.equal(outcome.reason, reason);
  }
  assert.equal(first, 'cancelled', 'the cancelled calls waited for the running ones');
  assert.ok(
    target.every((byte) => byte === 7),
    'a cancelled call wrote to its target',
  );
  assert.deepEqual(await Promise.all(busy), Array(threads).fill(64));
  assert.ok(
    target.every((byte) => byte === 7),
    'a cancelled call wrote to its target later',
  );
  assert.deepEqual(await promises.hash('sha256', source), digest);
});

test('one signal aborts many calls, of which half are done', async () => {
  const controller = manyListeners();
  const settled = Array.from({ length: 2000 }, () =>
    promises.hash('sha256', source, { signal: controller.signal }),
  );
  await settled[300];
  controller.abort();
  let cancelled = 0;
  for (const outcome of await Promise.allSettled(settled)) {
    if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, digest);
    else {
      assert.equal(outcome.reason.name, 'AbortError');
      cancelled++;
    }
  }
  assert.ok(cancelled <= 1700);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});

test('AbortSignal.timeout aborts a call', async () => {
  const { threads } = millrace.configure();
  const busy = Array.from({ length: threads * 4 }, () =>
    promises.hash('sha512', large, { target: Buffer.alloc(64) }),
  );
  await assert.rejects(promises.hash('sha256', queueable, { signal: AbortSignal.timeout(1) }), {
    name: 'TimeoutError',
  });
  await Promise.all(busy);
});

test('a wrong argument wins over the signal, and leaves no listener', async () => {
  const { signal } = new AbortController();
  await assert.rejects(promises.hash('sha257', source, { signal }), {
    code: 'ERR_UNKNOWN_ALGORITHM',
  });
  await assert.rejects(
    promises.seal('aes-256-gcm', { key, nonce: Buffer.alloc(129), source, signal }),
    {
      code: 'ERR_IV_SIZE',
    },
  );
  const sealed = millrace.seal('aes-256-gcm', { key, nonce, source });
  sealed[0] ^= 1;
  await assert.rejects(promises.open('aes-256-gcm', { key, nonce, source: sealed, signal }), {
    code: 'ERR_AUTHENTICATION',
  });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a listener may call Millrace or throw', async () => {
  const controller = manyListeners();
  let inner;
  controller.signal.addEventListener('abort', () => {
    inner = promises.hash('sha256', source);
  });
  const settled = Array.from({ length: 200 }, () =>
    promises.hash('sha256', source, { signal: controller.signal }),
  );
  controller.abort();
  await Promise.allSettled(settled);
  assert.deepEqual(await inner, digest);
});

test('cancelled calls keep neither buffers nor slots', async () => {
  const references = [];
  for (let round = 0; round < 200; round++) {
    const controller = new AbortController();
    const memory = Buffer.alloc(100_000);
    references.push(new WeakRef(memory));
    const settled = promises.hash('sha256', memory, {
      target: Buffer.alloc(32),
      signal: controller.signal,
    });
    controller.abort();
    await settled.catch(() => {});
  }
  await setTimeout(20);
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await setImmediate();
  }
  const alive = references.filter((reference) => reference.deref()).length;
  assert.ok(alive <= 5, `${alive} of 200 buffers are still held`);
});

test('the synchronous and callback entry points take no signal', () => {
  const { signal } = new AbortController();
  const refused = {
    code: 'ERR_ARGUMENT_VALUE',
    message: /^options\.signal is not an option of \w+; .*millrace\/promises/,
  };
  for (const more of [[], [() => assert.fail('called back')]]) {
    assert.throws(() => millrace.hash('sha256', source, { signal }, ...more), refused);
    assert.throws(() => millrace.hashMany('sha256', [source], { signal }, ...more), refused);
    assert.throws(() => millrace.hmac('sha256', key, source, { signal }, ...more), refused);
    assert.throws(
      () => millrace.seal('aes-256-gcm', { key, nonce, source, signal }, ...more),
      refused,
    );
  }
});

/**
 * Returns a controller that allows many listeners: Node warns of more than ten, which many calls
 * with one signal add.
 */
function manyListeners() {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
