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

import { isOptions, nativeOnly, templates, waited, waysOf } from '../support/calls.mjs';
import { random } from '../support/random.mjs';

const rng = random('reentrancy');
const [key, message, aad, salt] = [rng.bytes(32), rng.bytes(100), rng.bytes(20), rng.bytes(16)];
const [iv, nonce] = [rng.bytes(16), rng.bytes(12)];
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message, aad });
const state = millrace.createHash('sha256').update(message).exportState();
const bytes = (given) => Object.setPrototypeOf(new Uint8Array(given), Buffer.prototype);

/** Calls of objects and other entry points, with functions that make their arguments. */
const others = {
  'hash of pieces': [
    promises.hash,
    () => [
      'sha256',
      (async function* () {
        yield bytes(message);
        yield 'text';
      })(),
    ],
  ],
  createKey: [(given) => used(millrace.createKey('aes-256-gcm', given)), () => [bytes(key)]],
  'createKey for HMAC': [
    (given) => millrace.hmac('sha256', millrace.createKey('hmac-sha256', given), 'x', 'hex'),
    () => [bytes(key)],
  ],
  createHash: [
    (given, options) => millrace.createHash('blake3', options).update(given).digest('hex'),
    () => [bytes(message), { key: bytes(key), outputLength: 20 }],
  ],
  'createHash, in parts': [
    (...given) =>
      given.reduce((hash, part) => hash.update(part), millrace.createHash('sha256')).digest('hex'),
    () => [bytes(message), 'text', bytes(aad)],
  ],
  'createHash from a state': [
    (options) => millrace.createHash('sha256', options).update('x').digest('hex'),
    () => [{ state: bytes(state) }],
  ],
  'createHash, digestInto': [
    (given, place) => (millrace.createHash('sha256').update(given).digestInto(place, 2), place),
    () => [bytes(message), bytes(40)],
  ],
  'createHash, updateAsync': [
    (given) => {
      const hash = millrace.createHash('sha256');
      void hash.updateAsync(given);
      return hash.digestAsync('hex');
    },
    () => [bytes(message)],
  ],
  createHmac: [
    (secret, given) => millrace.createHmac('sha256', secret).update(given).digest('hex'),
    () => [bytes(key), bytes(message)],
  ],
  'sealStream and openStream': [streamed, () => [bytes(key), bytes(message), bytes(aad)]],
  'crypto-async hash': [original.hash, () => ['sha256', bytes(message)]],
  'crypto-async hmac': [original.hmac, () => ['sha256', bytes(key), bytes(message)]],
  'crypto-async hmac of a window': [
    original.hmac,
    () => ['sha256', bytes(key), 0, 32, bytes(message), 1, 50, bytes(32), 0],
  ],
  'crypto-async cipher': [
    original.cipher,
    () => ['aes-256-gcm', 1, bytes(key), bytes(nonce), bytes(message), bytes(aad), bytes(16)],
  ],
  'crypto-async cipher, called back': [
    waited(original.cipher),
    () => ['aes-256-ctr', 1, bytes(key), bytes(iv), bytes(message)],
  ],
  'bigint-hash hashAsBigInt': [bigintHash.hashAsBigInt, () => ['sha256', bytes(message)]],
  'bigint-hash hashAsBuffer': [bigintHash.hashAsBuffer, () => ['sha3-256', bytes(message)]],
  'bigint-hash hasher': [
    (given) => bigintHash.getHasher('sha1').update(given).digest(),
    () => [bytes(message)],
  ],
  toBigIntBE: [conversions.toBigIntBE, () => [bytes(message)]],
  'toBigIntLE of few bytes': [conversions.toBigIntLE, () => [bytes(nonce)]],
  'portable hash': [portable.sha256, () => [bytes(message), 'hex']],
  'portable hash with a key': [
    portable.blake3,
    () => [bytes(message), { key: bytes(key), encoding: 'hex' }],
  ],
  'portable hmac': [portable.hmac, () => [portable.sha256, bytes(key), bytes(message), 'hex']],
  'portable seal': [portable.aes_256_gcm.seal, () => [sealing(message)]],
  'portable open': [portable.aes_256_gcm.open, () => [sealing(sealed)]],
  'portable encrypt': [
    portable.aes_256_ctr.encrypt,
    () => [{ key: bytes(key), iv: bytes(iv), source: bytes(message) }],
  ],
  'portable pbkdf2': [portable.pbkdf2, () => [bytes(key), bytes(salt), 2, 20, portable.sha256]],
  'portable hkdf': [
    portable.hkdf,
    () => [portable.sha256, bytes(key), bytes(salt), bytes(aad), 20],
  ],
  'portable scrypt': [portable.scrypt, () => [bytes(key), bytes(salt), 20, { N: 2, r: 1, p: 1 }]],
};

function sealing(source) {
  return { key: bytes(key), nonce: bytes(nonce), source: bytes(source), aad: bytes(aad) };
}

/** Calls of every export of `millrace` and `millrace/promises`, in each way; and those above. */
const calls = [
  ...templates(millrace).flatMap(({ name, args }, number) =>
    Object.entries(waysOf(name, { millrace, promises })).map(([way, run]) => ({
      title: `${number}. ${name}, ${way}`,
      name,
      run,
      given: args,
    })),
  ),
  ...Object.entries(others).map(([title, [run, given]]) => ({ title, run, given })),
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
    Buffer.from(...['buffer', 'byteOffset', 'byteLength'].map((name) => getter(name).call(view))),
  );

/** Calls of other shapes that disturb: of each of them other fields of the record are another's. */
const disturbers = [
  () => millrace.hash('sha1', 'inner', 'hex'),
  () => millrace.hmac('sha512', 'inner', 'inner'),
  () => millrace.cipher('aes-256-ctr', true, Buffer.alloc(32, 9), Buffer.alloc(16), 'inner'),
  () => millrace.seal('chacha20-poly1305', { key: Buffer.alloc(32, 9), source: '', aad: 'inner' }),
  () => millrace.hash('sha512', Buffer.alloc(100_000, 7), () => {}),
  () => millrace.hkdf('sha512', 'inner', 'inner', 'inner', 20),
  () => millrace.hashMany('sha1', ['inner', 'too']),
  () => millrace.createHmac('sha1', 'inner').update('inner').digest('hex'),
  () => millrace.hmac('sha256', createSecretKey(Buffer.alloc(20, 5)), 'inner'),
  () => assert.throws(() => millrace.seal('aes-256-gcm', { key: 5, nonce, source: '' })),
  () => void promises.seal('chacha20-poly1305', { key: Buffer.alloc(32, 9), source: 'inner' }),
  () => void assert.rejects(promises.hash('sha256', 7)),
  () => portable.aes_256_gcm.seal({ key: Buffer.alloc(32, 9), nonce, source: 'inner' }),
];

const getters = 'length byteLength byteOffset buffer constructor subarray slice set includes'.split(
  ' ',
);

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
    for (const name of [...getters, Symbol.toStringTag, Symbol.iterator]) {
      Object.defineProperty(view, name, {
        get: () => (run(), name === 'length' || name === 'byteLength' ? 3 : undefined),
      });
    }
    return view;
  },
};

/** Returns the places of arguments, and of fields of arguments, where something can be put. */
function places(given) {
  return given.flatMap((value, index) => {
    if (Array.isArray(value) || isOptions(value))
      return [[index], ...Object.keys(value).map((name) => [index, name])];
    return [[index]];
  });
}

/** Puts what runs code to a place; false if nothing fits there. */
function arm(given, [index, name], kind, run) {
  const holder = name === undefined ? given : given[index];
  const at = name ?? index;
  const value = holder[at];
  if (ArrayBuffer.isView(value)) {
    holder[at] = traps[kind](value, run);
    return true;
  }
  if (name !== undefined && kind === 'getters') {
    Object.defineProperty(holder, at, { enumerable: true, get: () => (run(), value) });
    return true;
  }
  if (kind !== 'prototype' || !(isOptions(value) || Array.isArray(value))) return false;
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
    .flatMap((each) => (isOptions(each) ? Object.values(each) : [each]))
    .filter(ArrayBuffer.isView);
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
    ArrayBuffer.isView(each)
      ? shown(each).toString('hex')
      : typeof each === 'bigint'
        ? each.toString(16)
        : String(each),
  );
  return { text: texts.join(' ') };
}

for (const { title, run, given, name = '' } of calls) {
  const skip =
    process.env.MILLRACE_ENGINE === 'portable' &&
    nativeOnly.test(name) &&
    'the portable engine refuses it';
  test(
    `${title}: other calls run by its arguments do not change its result`,
    { skip },
    async () => {
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
      if (given().some((each) => Array.isArray(each) || isOptions(each))) assert.ok(ran > 0);
    },
  );
}
