// No code of the caller's runs while a request is being filled. Every argument of every entry point
// is made to run other calls wherever it can run code: a trap in its prototype chain, a getter of
// its own, the options object itself. The result must be the undisturbed one, or an error with a
// code.

import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';

import * as conversions from 'millrace/bigint-buffer';
import * as bigintHash from 'millrace/bigint-hash';
import original from 'millrace/crypto-async';
import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

import { templates, waysOf } from '../support/calls.mjs';
import { random } from '../support/random.mjs';

const rng = random('reentrancy');
const [key, message, aad, salt] = [rng.bytes(32), rng.bytes(100), rng.bytes(20), rng.bytes(16)];
const [iv, nonce, tag] = [rng.bytes(16), rng.bytes(12), Buffer.alloc(16)];
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message, aad });
const state = millrace.createHash('sha256').update(message).exportState();
const cost = { N: 2, r: 1, p: 1 };

const waited =
  (entryPoint, method) =>
  (...given) =>
    new Promise((resolve, reject) =>
      entryPoint[method](...given, (error, value) => (error ? reject(error) : resolve(value))),
    );
const target = (size) => () => Buffer.alloc(size);

/** Calls of objects and other entry points. What is a function makes an argument for each call. */
const others = {
  'hash of pieces': [
    promises.hash,
    'sha256',
    () =>
      (async function* () {
        yield Uint8Array.from(message);
        yield 'text';
      })(),
  ],
  createKey: [(given) => used(millrace.createKey('aes-256-gcm', given)), key],
  'createKey for HMAC': [
    (given) => millrace.hmac('sha256', millrace.createKey('hmac-sha256', given), 'x', 'hex'),
    key,
  ],
  createHash: [
    (given, options) => millrace.createHash('blake3', options).update(given).digest('hex'),
    message,
    { key, outputLength: 20 },
  ],
  'createHash, in parts': [
    (...given) =>
      given.reduce((hash, part) => hash.update(part), millrace.createHash('sha256')).digest('hex'),
    message,
    'text',
    aad,
  ],
  'createHash from a state': [
    (options) => millrace.createHash('sha256', options).update('x').digest('hex'),
    { state },
  ],
  'createHash, digestInto': [
    (given, place) => (millrace.createHash('sha256').update(given).digestInto(place, 2), place),
    message,
    target(40),
  ],
  'createHash, updateAsync': [
    (given) => {
      const hash = millrace.createHash('sha256');
      void hash.updateAsync(given);
      return hash.digestAsync('hex');
    },
    message,
  ],
  createHmac: [
    (secret, given) => millrace.createHmac('sha256', secret).update(given).digest('hex'),
    key,
    message,
  ],
  'sealStream and openStream': [streamed, key, message, aad],
  'crypto-async hash': [original.hash, 'sha256', message],
  'crypto-async hmac': [original.hmac, 'sha256', key, message],
  'crypto-async hmac of a window': [
    original.hmac,
    'sha256',
    key,
    0,
    32,
    message,
    1,
    50,
    target(32),
    0,
  ],
  'crypto-async cipher': [
    original.cipher,
    'aes-256-gcm',
    1,
    key,
    nonce,
    message,
    aad,
    () => Buffer.from(tag),
  ],
  'crypto-async cipher, called back': [
    waited(original, 'cipher'),
    'aes-256-ctr',
    1,
    key,
    iv,
    message,
  ],
  'bigint-hash hashAsBigInt': [bigintHash.hashAsBigInt, 'sha256', message],
  'bigint-hash hashAsBuffer': [bigintHash.hashAsBuffer, 'sha3-256', message],
  'bigint-hash hasher': [(given) => bigintHash.getHasher('sha1').update(given).digest(), message],
  toBigIntBE: [conversions.toBigIntBE, message],
  'toBigIntLE of few bytes': [conversions.toBigIntLE, nonce],
  'portable hash': [portable.sha256, message, 'hex'],
  'portable hash with a key': [portable.blake3, message, { key, encoding: 'hex' }],
  'portable hmac': [portable.hmac, portable.sha256, key, message, 'hex'],
  'portable seal': [portable.aes_256_gcm.seal, { key, nonce, source: message, aad }],
  'portable open': [portable.aes_256_gcm.open, { key, nonce, source: sealed, aad }],
  'portable encrypt': [portable.aes_256_ctr.encrypt, { key, iv, source: message }],
  'portable pbkdf2': [portable.pbkdf2, key, salt, 2, 20, portable.sha256],
  'portable hkdf': [portable.hkdf, portable.sha256, key, salt, aad, 20],
  'portable scrypt': [portable.scrypt, key, salt, 20, cost],
};

/** Calls of every export of `millrace` and `millrace/promises`, in each way; and those above. */
const calls = [
  ...templates(millrace).flatMap(({ name, args }, number) =>
    Object.entries(waysOf(name, { millrace, promises })).map(([way, run]) => ({
      title: `${number}. ${name}, ${way}`,
      run,
      given: args,
    })),
  ),
  ...Object.entries(others).map(([title, [run, ...given]]) => ({
    title,
    run,
    given: () => fresh(given),
  })),
];

function used(key) {
  return millrace.seal('aes-256-gcm', { key, nonce, source: message }).toString('hex');
}

/**
 * Seals to a stream and opens it again; the chunks are of a random salt, so only the text can be
 * compared.
 */
async function streamed(key, message, context) {
  const write = async (stream, piece) => {
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    stream.end(piece);
    await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
    return Buffer.concat(parts);
  };
  const options = { algorithm: 'aes-256-gcm', key, context };
  const seal = promises.sealStream(options);
  const open = promises.openStream({ ...options, key: shown(key), context: shown(context) });
  return write(open, await write(seal, message));
}

/** Returns the bytes behind a trap, without own properties. */
const getter = (name) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name).get;
const shown = (view) =>
  Buffer.from(
    Buffer.from(
      getter('buffer').call(view),
      getter('byteOffset').call(view),
      getter('byteLength').call(view),
    ),
  );

/** Calls of other shapes that disturb: of each of them other fields of the record are another's. */
const disturbers = [
  () => millrace.hash('sha1', 'inner', 'hex'),
  () => millrace.hmac('sha512', 'inner', 'inner'),
  () =>
    millrace.cipher('aes-256-ctr', {
      encrypt: 1,
      key: Buffer.alloc(32, 9),
      iv: Buffer.alloc(16),
      source: 'inner',
    }),
  () => millrace.seal('chacha20-poly1305', { key: Buffer.alloc(32, 9), source: '', aad: 'inner' }),
  () => millrace.hash('sha512', Buffer.alloc(100_000, 7), () => {}),
  () => millrace.hkdf('sha512', 'inner', 'inner', 'inner', 20),
  () => millrace.hashMany('sha1', ['inner', 'too']),
  () => millrace.createHmac('sha1', 'inner').update('inner').digest('hex'),
  () => millrace.hmac('sha256', createSecretKey(Buffer.alloc(20, 5)), 'inner'),
  () => assert.throws(() => millrace.seal('aes-256-gcm', { key: 5, nonce, source: '' })),
  () => portable.aes_256_gcm.seal({ key: Buffer.alloc(32, 9), nonce, source: 'inner' }),
];

/**
 * The ways in which a view can run code: all of its traps, and own getters that return other sizes.
 */
const traps = {
  prototype(view, run) {
    const { prototype } = Object.getPrototypeOf(view).constructor;
    const proxy = new Proxy(prototype, {
      get: (object, name, receiver) => (
        run(),
        name === 'constructor' ? Reflect.get(object, name) : Reflect.get(object, name, receiver)
      ),
      getPrototypeOf: (object) => (run(), Reflect.getPrototypeOf(object)),
      getOwnPropertyDescriptor: (object, name) => (
        run(),
        Reflect.getOwnPropertyDescriptor(object, name)
      ),
      has: (object, name) => (run(), Reflect.has(object, name)),
    });
    return Object.setPrototypeOf(view, proxy);
  },
  getters(view, run) {
    for (const name of [
      'length',
      'byteLength',
      'byteOffset',
      'buffer',
      'constructor',
      'subarray',
      'slice',
      'set',
      'includes',
      Symbol.toStringTag,
      Symbol.iterator,
    ]) {
      Object.defineProperty(view, name, {
        get: () => (run(), name === 'length' || name === 'byteLength' ? 3 : undefined),
      });
    }
    return view;
  },
};

const isBytes = (value) => ArrayBuffer.isView(value);
const isRecord = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
const made = (value) =>
  typeof value === 'function' && value.length === 0 && value !== portable.sha256 ? value() : value;
const copied = (value) =>
  isBytes(value) ? Object.setPrototypeOf(new Uint8Array(value), Buffer.prototype) : value;

/** Returns new arguments for a call. */
function fresh(given) {
  return given.map((each) => {
    const value = made(each);
    if (Array.isArray(value)) return value.map(copied);
    return isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, part]) => [
            name,
            copied(name === 'onProgress' ? part : made(part)),
          ]),
        )
      : copied(value);
  });
}

/** Returns the places of arguments, and of fields of arguments, where something can be put. */
function places(given) {
  return given.flatMap((value, index) => {
    if (Array.isArray(value) || isRecord(value))
      return [[index], ...Object.keys(value).map((name) => [index, name])];
    return [[index]];
  });
}

/** Puts what runs code to a place; false if nothing fits there. */
function arm(given, [index, name], kind, run) {
  const holder = name === undefined ? given : given[index];
  const at = name ?? index;
  const value = holder[at];
  if (isBytes(value)) {
    holder[at] = traps[kind](value, run);
    return true;
  }
  if (name !== undefined && kind === 'getters') {
    Object.defineProperty(holder, at, { enumerable: true, get: () => (run(), value) });
    return true;
  }
  if (kind !== 'prototype' || !(isRecord(value) || Array.isArray(value))) return false;
  holder[at] = new Proxy(value, {
    get: (object, field) => (run(), object[field]),
    has: (object, field) => (run(), field in object),
    ownKeys: (object) => (run(), Reflect.ownKeys(object)),
    getOwnPropertyDescriptor: (object, field) => (
      run(),
      Reflect.getOwnPropertyDescriptor(object, field)
    ),
    getPrototypeOf: (object) => (run(), Reflect.getPrototypeOf(object)),
  });
  return true;
}

/** Returns the outcome of a call, and what it wrote, as text. */
async function outcome(run, given, armed) {
  const targets = given
    .flatMap((each) => (isRecord(each) ? Object.values(each) : [each]))
    .filter(isBytes);
  let value;
  try {
    value = await run(...given);
  } catch (error) {
    if (
      error instanceof millrace.MillraceError ||
      (armed && Object.values(original).includes(error.message))
    )
      return { error };
    throw error;
  }
  const texts = [value, ...targets.map(shown)].map((each) =>
    isBytes(each)
      ? shown(each).toString('hex')
      : typeof each === 'bigint'
        ? each.toString(16)
        : String(each),
  );
  return { text: texts.join(' ') };
}

for (const { title, run, given } of calls) {
  test(`${title}: other calls run by its arguments do not change its result`, async () => {
    const expected = await outcome(run, given(), false);
    assert.ok(expected.text !== undefined || /open(With|Range)/.test(title), `${expected.error}`);
    // Random nonces and salts.
    const same = expected.text === (await outcome(run, given(), false)).text;
    let ran = 0;
    for (const place of places(given())) {
      for (const kind of Object.keys(traps)) {
        for (const disturb of disturbers) {
          let busy = false;
          const armed = given();
          const fits = arm(armed, place, kind, () => {
            if (busy) return;
            busy = true;
            ran++;
            disturb();
            busy = false;
          });
          if (!fits) break;
          const found = await outcome(run, armed, true);
          if (same && found.text !== expected.text && found.error === undefined)
            assert.fail(
              `${place.join('.')}, ${kind}, ${disturb}: ${found.text.slice(0, 100)} ` +
                `instead of ${expected.text.slice(0, 100)}`,
            );
        }
      }
    }
    // Where arguments are options or lists, their getters do run.
    if (given().some((each) => Array.isArray(each) || isRecord(each))) assert.ok(ran > 0);
  });
}

test('a hook that runs when progress is asked for', async () => {
  const { createHook } = await import('node:async_hooks');
  const expected = millrace.scrypt('password', salt, 20, cost);
  let busy = false;
  const hook = createHook({
    init() {
      if (busy) return;
      busy = true;
      millrace.hkdf('sha512', 'inner', 'inner', 'inner', 20);
      millrace.hmac('sha256', 'inner', 'inner', () => {});
      busy = false;
    },
  });
  hook.enable();
  try {
    assert.deepEqual(
      await promises.scrypt('password', salt, 20, { ...cost, onProgress() {} }),
      expected,
    );
    assert.deepEqual(
      await waited(millrace, 'scrypt')('password', salt, 20, { ...cost, onProgress() {} }),
      expected,
    );
  } finally {
    hook.disable();
  }
});
