// Abort signals of the promise entry point: a call that has not started is cancelled, one that runs
// is not disturbed, and whatever happens the promise settles exactly once and nothing is kept.

import assert from 'node:assert/strict';
import { getEventListeners, setMaxListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { isOptions, templates, unequal } from '../support/calls.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { oracle } from '../support/oracles.mjs';
import { thrown } from '../support/refusals.mjs';

const never = () => assert.fail('called back');
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

/** Returns arguments and the options at their end, if there are any. */
function divided(given) {
  const hasOptions = isOptions(given.at(-1)) && !('data' in given.at(-1));
  return hasOptions ? [given.slice(0, -1), given.at(-1)] : [given, {}];
}

const isEmpty = (options) => Object.keys(options).length === 0;

/** Calls of every export that returns a promise, with a signal among its options. */
const calls = templates(millrace)
  .filter(
    ({ name }) =>
      name in promises && promises[name] !== millrace[name] && !/Stream|Iterator/.test(name),
  )
  .map(({ name, args }, number) => ({
    title: `${number}. ${name}`,
    start(signal) {
      const [given, options] = divided(args());
      return promises[name](...given, { ...options, signal });
    },
    isEqual: !unequal.has(name),
  }));

/** Some templates have bytes that do not open: their error is their outcome. */
const outcomeOf = (settled) =>
  settled.then(
    (value) => ({ value }),
    (error) => ({ error: error.code ?? error }),
  );

test('the calls are those of every asynchronous export', () => {
  const names = new Set(calls.map(({ title }) => title.split(' ')[1]));
  for (const [name, promised] of Object.entries(promises))
    assert.ok(names.has(name) || promised === millrace[name] || /Stream|Iterator/.test(name), name);
});

for (const { title, start, isEqual } of calls) {
  test(`${title}: aborted before`, async () => {
    const reason = new Error('not wanted');
    await assert.rejects(start(AbortSignal.abort(reason)), (error) => error === reason);
    await assert.rejects(start(AbortSignal.abort()), { name: 'AbortError' });
    await assert.rejects(start(AbortSignal.abort('a string')), (error) => error === 'a string');
  });

  test(`${title}: aborted never, or after: the right result, and no listener stays`, async () => {
    const controller = manyListeners();
    const plain = await outcomeOf(start(undefined));
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(start(controller.signal))),
    );
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    controller.abort();
    await setImmediate();
    for (const outcome of outcomes)
      assert.deepEqual(isEqual ? outcome : outcome.error, isEqual ? plain : plain.error);
  });

  test(`${title}: a signal that is none`, async () => {
    const refused = { code: 'ERR_ARGUMENT_TYPE', message: /signal/ };
    for (const wrong of [null, 0, true, 'signal', {}, { aborted: true }, new EventTarget(), never])
      await assert.rejects(start(wrong), refused, String(wrong));
  });

  test(`${title}: aborted right after the call`, async () => {
    const plain = await outcomeOf(start(undefined));
    for (let round = 0; round < 50; round++) {
      const controller = new AbortController();
      const settled = start(controller.signal);
      if (round % 2) await null;
      const reason = new Error('changed my mind');
      controller.abort(reason);
      const { error, value } = await outcomeOf(settled);
      // It may have started already, and then it completes.
      if (error !== plain.error) assert.equal(error, reason);
      else if (isEqual && !error) assert.deepEqual(value, plain.value);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    }
  });
}

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

test('synchronous calls take no signal, nor do callback forms that cannot be cancelled', () => {
  const { signal } = new AbortController();
  for (const { name, args } of templates(millrace)) {
    const [given, options] = divided(args());
    const call = millrace[name];
    if (call === undefined || call === promises[name] || /Stream|Passphrase/.test(name)) continue;
    if (isEmpty(options)) continue;
    const { code, message } = thrown(() => call(...given, { ...options, signal }), name);
    assert.equal(code, 'ERR_ARGUMENT_VALUE', name);
    assert.match(message, /^options\.signal\b.*millrace\/promises/);
    if (/is not an option of \w+; /.test(message))
      assert.throws(() => call(...given, { ...options, signal }, never), { code, message });
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
