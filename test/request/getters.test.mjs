// Options are read once and first, memory is looked at last: user code that runs in between (a
// getter, a hook) may detach buffers, call Millrace again or dispose of keys, and the result is
// still right or a clear error.

import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { isOptions, templates, waited, waysOf } from '../support/calls.mjs';
import { oracle } from '../support/oracles.mjs';

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const plain = Buffer.alloc(5000, 3);
const sealed = ((expected) => Buffer.concat([expected.output, expected.tag]))(
  oracle({
    kind: 'cipher',
    algorithm: 'aes-256-gcm',
    encrypt: true,
    key,
    iv: nonce,
    source: plain,
    aad: Buffer.alloc(0),
  }),
);
const digest = oracle({ kind: 'hash', algorithm: 'sha256', source: plain }).output;

/** Calls of every export with an object of options, and where that is among the arguments. */
const calls = templates(millrace).flatMap(({ name, args }) => {
  const at = args().findIndex(isOptions);
  return at < 0 || Object.keys(args()[at]).length === 0 ? [] : [{ name, args, at }];
});

/** A function called in each way, with arguments of its own, and options as `change` makes them. */
const variants = ({ name, args, at }, change) =>
  Object.values(waysOf(name, { millrace, promises })).map((way) => {
    const given = args();
    const own = given[at];
    given[at] = change(own, given);
    return { own, given, run: () => settled(() => way(...given)) };
  });

/** Closes a stream that is a result. */
function closed({ value }) {
  value?.on?.('error', () => {});
  value?.destroy?.();
}

test('the calls are those of every function with options', () => {
  const names = new Set(calls.map(({ name }) => name));
  assert.ok(names.size > 24, [...names].join());
});

for (const [number, call] of calls.entries()) {
  const { name, args, at } = call;
  const options = Object.keys(args()[at]);
  const title = `${number}. ${name} with ${options.join(', ')}`;

  test(`${title}: each option is read once`, async () => {
    const reads = new Map();
    const watch = (own) =>
      new Proxy(own, {
        get(target, option) {
          reads.set(option, (reads.get(option) ?? 0) + 1);
          return target[option];
        },
      });
    for (const { run } of variants(call, watch)) {
      reads.clear();
      const outcome = await run();
      closed(outcome);
      for (const option of options)
        assert.equal(reads.get(option), 1, `${option}: ${outcome.error?.stack}`);
    }
  });

  test(`${title}: each getter in turn detaches everything`, async () => {
    for (const option of options) {
      const detach = (own, given) =>
        trap(own, option, () => {
          for (const value of [...given, ...Object.values(own)])
            if (ArrayBuffer.isView(value)) detach(value);
        });
      for (const { run } of variants(call, detach)) {
        const outcome = await run();
        closed(outcome);
        // Detached memory is refused.
        isExpectable(outcome, option);
      }
    }
  });

  test(`${title}: a throwing getter`, async () => {
    const reason = new Error('from the getter');
    for (const option of options) {
      const fail = (own) =>
        trap(own, option, () => {
          throw reason;
        });
      for (const { run } of variants(call, fail)) assert.equal((await run()).error, reason, option);
    }
    // And the next call is not disturbed.
    assert.deepEqual(millrace.hash('sha256', plain), digest);
  });
}

test('a source detached by an option read after it is refused', async () => {
  for (const entryPoint of [millrace, promises]) {
    const source = Uint8Array.from(plain);
    const options = trap({ encoding: 'hex' }, 'encoding', () => detach(source));
    await assert.rejects(async () => entryPoint.hash('sha256', source, options), {
      code: 'ERR_DETACHED',
    });
  }
});

test('a getter may dispose a prepared key', async () => {
  for (const entryPoint of [millrace, promises]) {
    const prepared = millrace.createKey('aes-256-gcm', key);
    const given = { key: prepared, nonce, source: plain, aad: '' };
    const options = trap(given, 'aad', () => prepared.dispose());
    const { value, error } = await settled(() => entryPoint.seal('aes-256-gcm', options));
    if (error) assert.equal(error.code, 'ERR_KEY_DISPOSED');
    else assert.deepEqual(value, sealed);
  }
});

/** Does something while a hook runs at each new asynchronous resource; not within itself. */
async function hooked(run, act) {
  let busy = false;
  const hook = createHook({
    init() {
      if (busy) return;
      busy = true;
      run();
      busy = false;
    },
  });
  hook.enable();
  try {
    return await act();
  } finally {
    hook.disable();
  }
}

test('hooks may call Millrace during a call', () => {
  // Synchronous and asynchronous calls of another shape, in the middle of the outer one.
  const run = () => {
    millrace.hash('sha1', 'inner');
    millrace.cipher('aes-128-ctr', true, key.subarray(0, 16), Buffer.alloc(16), 'inner');
    millrace.hmac('md5', 'inner', 'inner', () => {});
    millrace.hkdf('sha512', 'inner', 'inner', 'inner', 20);
    assert.throws(() => millrace.hash('sha256', 5));
  };
  const opens = { key, nonce, source: plain };
  const cost = { N: 2, r: 1, p: 1 };
  const derived = millrace.scrypt('password', 'salt', 20, cost);
  return hooked(run, async () => {
    assert.deepEqual(await promises.hash('sha256', plain), digest);
    assert.equal(await promises.hash('sha256', plain, 'hex'), digest.toString('hex'));
    assert.deepEqual(await promises.seal('aes-256-gcm', opens), sealed);
    assert.deepEqual(await promises.open('aes-256-gcm', { key, nonce, source: sealed }), plain);
    assert.deepEqual(await waited(millrace.hash)('sha256', plain), digest);
    assert.deepEqual(await waited(millrace.seal)('aes-256-gcm', opens), sealed);
    const target = Buffer.alloc(32);
    assert.equal(await waited(millrace.hash)('sha256', plain, { target }), 32);
    assert.deepEqual(target, digest);
    for (const scrypt of [promises.scrypt, waited(millrace.scrypt)])
      assert.deepEqual(await scrypt('password', 'salt', 20, { ...cost, onProgress() {} }), derived);
  });
});

test('hooks may hash empty messages during a call', async () => {
  // The worst case for state shared between calls: the ranges of the inner call fit any buffer.
  for (const inner of [
    () => millrace.hash('sha256', '', () => {}),
    () => void promises.hash('sha256', ''),
    () => millrace.hmac('sha256', '', ''),
    () => millrace.hash('sha256', Buffer.alloc(0), { target: Buffer.alloc(32) }),
    () => millrace.hash('sha256', '', { encoding: 'base64' }),
    () => millrace.cipher('aes-256-ctr', true, key, Buffer.alloc(16), ''),
  ])
    for (const outer of [
      () => promises.hash('sha256', plain),
      () => promises.hash('sha256', plain, { encoding: 'buffer' }),
      () => waited(millrace.hash)('sha256', plain),
    ])
      assert.deepEqual(await hooked(inner, outer), digest, `${inner} within ${outer}`);
});

test('a hook may detach the source during the call', async () => {
  for (const start of [
    (source) => promises.hash('sha256', source),
    (source) => promises.hash('sha256', source, { target: Buffer.alloc(32) }),
    (source) => promises.seal('aes-256-gcm', { key, nonce, source }),
    (source) => waited(millrace.hash)('sha256', source),
    (source) => waited(millrace.cipher)('aes-256-ctr', true, key, Buffer.alloc(16), source),
  ]) {
    const source = Uint8Array.from(plain);
    const outcome = await settled(() =>
      hooked(
        () => detach(source),
        () => start(source),
      ),
    );
    isExpectable(outcome, String(start));
    assert.ok(outcome.error || outcome.value !== undefined);
  }
  assert.deepEqual(millrace.hash('sha256', plain), digest);
});

test('getters of a signal may call Millrace or detach the source', async () => {
  const signalWith = (get) =>
    Object.defineProperty(new AbortController().signal, 'aborted', {
      get: () => (get(), false),
    });
  const hashing = { signal: signalWith(() => millrace.hash('sha1', 'inner')) };
  assert.deepEqual(await promises.hash('sha256', plain, hashing), digest);
  const signal = signalWith(() => millrace.hmac('sha1', 'inner', 'inner'));
  const sealing = { key, nonce, source: plain, signal };
  assert.deepEqual(await promises.seal('aes-256-gcm', sealing), sealed);
  const source = Uint8Array.from(plain);
  const detaching = { signal: signalWith(() => detach(source)) };
  const outcome = await settled(() => promises.hash('sha256', source, detaching));
  isExpectable(outcome, 'a signal');
  const results = [digest, millrace.hash('sha256', '')];
  assert.ok(outcome.error || results.some((possible) => possible.equals(outcome.value)));
});

test('objects with conversions are not asked', () => {
  const asked = () => {
    throw new Error('a conversion ran');
  };
  const tricky = {
    toString: asked,
    valueOf: asked,
    [Symbol.toPrimitive]: asked,
    get length() {
      return asked();
    },
  };
  const refused = { code: 'ERR_ARGUMENT_TYPE' };
  for (const [method, ...given] of [
    ['hash', tricky, plain],
    ['hash', 'sha256', tricky],
    ['hash', 'sha256', plain, { target: plain, targetOffset: tricky }],
    ['hash', 'blake3', plain, { outputLength: tricky }],
    ['hash', 'xxh64', plain, { seed: tricky }],
    ['cipher', 'aes-256-gcm', tricky, key, nonce, plain, plain, nonce],
  ])
    assert.throws(() => millrace[method](...given), refused);
});

function trap(values, name, trick) {
  const trapped = { ...values };
  if (!(name in values)) return trapped;
  return Object.defineProperty(trapped, name, {
    enumerable: true,
    get() {
      trick();
      return values[name];
    },
  });
}

/** Takes the memory of a view away. */
function detach({ buffer }) {
  if (buffer.byteLength > 0) structuredClone(buffer, { transfer: [buffer] });
}

/** Fails unless a call succeeded or gave an error of Millrace. */
function isExpectable({ error }, what) {
  assert.ok(
    error === undefined || error instanceof millrace.MillraceError,
    `${what}: ${error?.stack}`,
  );
}

async function settled(start) {
  try {
    return { value: await start() };
  } catch (error) {
    return { error };
  }
}
