// Options are read once and first, memory is looked at last: user code that runs in between (a
// getter, a hook) may detach buffers, call Millrace again or dispose of keys, and the result is
// still right or a clear error.

import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

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

/** Calls with options, each option with a valid value. */
const calls = {
  hash: {
    first: () => ['sha256', Uint8Array.from(plain)],
    options: () => ({
      encoding: undefined,
      outputLength: 32,
      seed: undefined,
      target: new Uint8Array(40),
      targetOffset: 4,
    }),
  },
  hmac: {
    first: () => ['sha256', Uint8Array.from(key), Uint8Array.from(plain)],
    options: () => ({ encoding: undefined, target: new Uint8Array(40), targetOffset: 4 }),
  },
  cipher: {
    first: () => ['aes-256-gcm'],
    options: () => ({
      encrypt: true,
      key: Uint8Array.from(key),
      iv: Uint8Array.from(nonce),
      source: Uint8Array.from(plain),
      aad: new Uint8Array(3),
      tag: new Uint8Array(16),
      target: new Uint8Array(6000),
      targetOffset: 10,
    }),
  },
  seal: {
    first: () => ['aes-256-gcm'],
    options: () => ({
      key: Uint8Array.from(key),
      nonce: Uint8Array.from(nonce),
      source: Uint8Array.from(plain),
      aad: new Uint8Array(3),
      authTagLength: 16,
      target: new Uint8Array(6000),
      targetOffset: 10,
    }),
  },
  open: {
    first: () => ['aes-256-gcm'],
    options: () => ({
      key: Uint8Array.from(key),
      nonce: Uint8Array.from(nonce),
      source: Uint8Array.from(sealed),
      aad: new Uint8Array(0),
      authTagLength: 16,
      target: new Uint8Array(6000),
      targetOffset: 10,
    }),
  },
};

for (const [method, { first, options }] of Object.entries(calls)) {
  test(`${method} reads each option once`, async () => {
    for (const entryPoint of [millrace, promises]) {
      const reads = new Map();
      const watched = new Proxy(options(), {
        get(target, name) {
          reads.set(name, (reads.get(name) ?? 0) + 1);
          return target[name];
        },
      });
      await entryPoint[method](...first(), watched);
      for (const name of Object.keys(options()))
        assert.equal(reads.get(name), 1, `${method}: ${name}`);
    }
  });

  test(`${method}: each getter in turn detaches everything`, async () => {
    for (const name of Object.keys(options())) {
      for (const entryPoint of [millrace, promises]) {
        const given = first();
        const values = options();
        const trapped = trap(values, name, () => {
          for (const value of [...given, ...Object.values(values)])
            if (ArrayBuffer.isView(value) && value.buffer.byteLength > 0)
              structuredClone(value.buffer, { transfer: [value.buffer] });
        });
        const outcome = await settled(() => entryPoint[method](...given, trapped));
        // Detached memory is refused.
        if (outcome.error)
          assert.ok(
            outcome.error instanceof millrace.MillraceError,
            `${method} ${name}: ${outcome.error.stack}`,
          );
        else assert.ok(typeof outcome.value === 'number' || Buffer.isBuffer(outcome.value));
      }
    }
  });

  test(`${method}: each getter in turn makes other calls`, async () => {
    const expected = [];
    for (const name of ['none', ...Object.keys(options())]) {
      for (const entryPoint of [millrace, promises]) {
        const given = first();
        const values = options();
        let inner;
        const trapped = trap(values, name, () => {
          inner = others();
        });
        const written = await entryPoint[method](...given, trapped);
        expected.push([written, Buffer.from(values.target).toString('hex')]);
        assert.deepEqual(
          expected.at(-1),
          expected[0],
          `${method} ${name}: another call within changed the result`,
        );
        await inner;
      }
    }
  });

  test(`${method}: a throwing getter`, async () => {
    const reason = new Error('from the getter');
    for (const name of Object.keys(options())) {
      const trapped = trap(options(), name, () => {
        throw reason;
      });
      assert.throws(
        () => millrace[method](...first(), trapped),
        (error) => error === reason,
      );
      assert.throws(
        () => millrace[method](...first(), trapped, () => {}),
        (error) => error === reason,
      );
      await assert.rejects(promises[method](...first(), trapped), (error) => error === reason);
    }
    // And the next call is not disturbed.
    assert.deepEqual(millrace.hash('sha256', plain), digest);
  });
}

test('a source detached by an option read after it is refused', async () => {
  for (const entryPoint of [millrace, promises]) {
    const source = Uint8Array.from(plain);
    const options = {
      get encoding() {
        structuredClone(source.buffer, { transfer: [source.buffer] });
        return 'hex';
      },
    };
    await assert.rejects(async () => entryPoint.hash('sha256', source, options), {
      code: 'ERR_DETACHED',
    });
  }
});

test('a getter may dispose a prepared key', async () => {
  for (const entryPoint of [millrace, promises]) {
    const prepared = millrace.createKey('aes-256-gcm', key);
    const options = {
      key: prepared,
      nonce,
      source: plain,
      get aad() {
        prepared.dispose();
        return '';
      },
    };
    const { value, error } = await settled(() => entryPoint.seal('aes-256-gcm', options));
    if (error) assert.equal(error.code, 'ERR_KEY_DISPOSED');
    else assert.deepEqual(value, sealed);
  }
});

test('hooks may call Millrace during a call', async () => {
  let busy = false;
  const hook = createHook({
    init() {
      if (busy) return;
      busy = true;
      // Synchronous and asynchronous calls of another shape, in the middle of the outer one.
      millrace.hash('sha1', 'inner');
      millrace.cipher('aes-128-ctr', {
        encrypt: true,
        key: key.subarray(0, 16),
        iv: Buffer.alloc(16),
        source: 'inner',
      });
      millrace.hmac('md5', 'inner', 'inner', () => {});
      assert.throws(() => millrace.hash('sha256', 5));
      busy = false;
    },
  });
  hook.enable();
  try {
    assert.deepEqual(await promises.hash('sha256', plain), digest);
    assert.equal(await promises.hash('sha256', plain, 'hex'), digest.toString('hex'));
    assert.deepEqual(await promises.seal('aes-256-gcm', { key, nonce, source: plain }), sealed);
    assert.deepEqual(await promises.open('aes-256-gcm', { key, nonce, source: sealed }), plain);
    assert.deepEqual(await waited('hash', 'sha256', plain), digest);
    assert.deepEqual(await waited('seal', 'aes-256-gcm', { key, nonce, source: plain }), sealed);
    const target = Buffer.alloc(32);
    assert.equal(await waited('hash', 'sha256', plain, { target }), 32);
    assert.deepEqual(target, digest);
  } finally {
    hook.disable();
  }
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
  ]) {
    for (const outer of [
      () => promises.hash('sha256', plain),
      () => promises.hash('sha256', plain, { encoding: 'buffer' }),
      () => waited('hash', 'sha256', plain),
    ]) {
      let busy = false;
      const hook = createHook({
        init() {
          if (!busy) {
            busy = true;
            inner();
            busy = false;
          }
        },
      });
      hook.enable();
      const { error, value } = await settled(outer);
      hook.disable();
      assert.equal(error, undefined, `${inner} within ${outer}: ${error?.stack}`);
      assert.deepEqual(value, digest, `${inner} within ${outer}`);
    }
  }
});

test('a hook may detach the source during the call', async () => {
  for (const start of [
    (source) => promises.hash('sha256', source),
    (source) => promises.hash('sha256', source, { target: Buffer.alloc(32) }),
    (source) => promises.seal('aes-256-gcm', { key, nonce, source }),
    (source) => waited('hash', 'sha256', source),
    (source) => waited('cipher', 'aes-256-ctr', true, key, Buffer.alloc(16), source),
  ]) {
    const source = Uint8Array.from(plain);
    const hook = createHook({
      init() {
        if (source.buffer.byteLength > 0)
          structuredClone(source.buffer, { transfer: [source.buffer] });
      },
    });
    hook.enable();
    const { error, value } = await settled(() => start(source));
    hook.disable();
    if (error) assert.ok(error instanceof millrace.MillraceError, error.stack);
    else assert.ok(value !== undefined);
  }
  assert.deepEqual(millrace.hash('sha256', plain), digest);
});

test('getters of a signal may call Millrace or detach the source', async () => {
  const signalWith = (trick) => {
    const { signal } = new AbortController();
    Object.defineProperty(signal, 'aborted', {
      get() {
        trick();
        return false;
      },
    });
    return signal;
  };
  assert.deepEqual(
    await promises.hash('sha256', plain, {
      signal: signalWith(() => millrace.hash('sha1', 'inner')),
    }),
    digest,
  );
  assert.deepEqual(
    await promises.seal('aes-256-gcm', {
      key,
      nonce,
      source: plain,
      signal: signalWith(() => millrace.hmac('sha1', 'inner', 'inner')),
    }),
    sealed,
  );
  const source = Uint8Array.from(plain);
  const { error, value } = await settled(() =>
    promises.hash('sha256', source, {
      signal: signalWith(
        () =>
          source.buffer.byteLength > 0 &&
          structuredClone(source.buffer, { transfer: [source.buffer] }),
      ),
    }),
  );
  if (error) assert.ok(error instanceof millrace.MillraceError, error.stack);
  else assert.ok([digest, millrace.hash('sha256', '')].some((possible) => possible.equals(value)));
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
  assert.throws(() => millrace.hash(tricky, plain), { code: 'ERR_ARGUMENT_TYPE' });
  assert.throws(() => millrace.hash('sha256', tricky), { code: 'ERR_ARGUMENT_TYPE' });
  assert.throws(() => millrace.hash('sha256', plain, { target: plain, targetOffset: tricky }), {
    code: 'ERR_ARGUMENT_TYPE',
  });
  assert.throws(() => millrace.hash('blake3', plain, { outputLength: tricky }), {
    code: 'ERR_ARGUMENT_TYPE',
  });
  assert.throws(() => millrace.hash('xxh64', plain, { seed: tricky }), {
    code: 'ERR_ARGUMENT_TYPE',
  });
  assert.throws(() => millrace.cipher('aes-256-gcm', tricky, key, nonce, plain, plain, nonce), {
    code: 'ERR_ARGUMENT_TYPE',
  });
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

function others() {
  millrace.hash('sha1', 'inner', { target: Buffer.alloc(20) });
  millrace.cipher('aes-128-ctr', {
    encrypt: true,
    key: key.subarray(0, 16),
    iv: Buffer.alloc(16),
    source: 'inner',
  });
  return Promise.all([
    promises.hmac('sha512', 'inner', 'inner'),
    promises.seal('chacha20-poly1305', { key, nonce, source: 'inner', aad: 'inner' }),
    assert.rejects(promises.hash('sha256', 7)),
  ]);
}

async function settled(start) {
  try {
    return { value: await start() };
  } catch (error) {
    return { error };
  }
}

function waited(method, ...args) {
  return new Promise((resolve, reject) => {
    millrace[method](...args, (error, value) => (error ? reject(error) : resolve(value)));
  });
}
