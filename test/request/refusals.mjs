// Makes every call with invalid values in the place of each argument and of each option, in each
// entry point and with a callback, and returns what they are refused with.
// `node test/request/refusals.mjs` writes that to refusals.json, with which refusals.test.mjs
// compares it: a change of a message shows there.

import assert from 'node:assert/strict';
import { createPublicKey, createSecretKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

import * as bigintBuffer from 'millrace/bigint-buffer';
import * as bigintHash from 'millrace/bigint-hash';
import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

import { templates, waysOf } from '../support/calls.mjs';
import { expectError } from '../support/refusals.mjs';

const { subtle } = webcrypto;
const namesOfStreams = new URL('../../src/base/stream-types.node.ts', import.meta.url);
const streams = [...readFileSync(namesOfStreams, 'utf8').matchAll(/^  '(.+)',$/gm)].flatMap(
  ([, names]) => names.split(' '),
);
assert.ok(streams.length > 20);
const [key, nonce, iv] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2), Buffer.alloc(16, 3)];
const message = Buffer.alloc(50, 4);
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message });

function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function detached(value) {
  const memory = value.buffer ?? value;
  structuredClone(memory, { transfer: [memory] });
  return value;
}

function shrunk() {
  const memory = new ArrayBuffer(16, { maxByteLength: 16 });
  const view = new Uint8Array(memory, 8, 8);
  memory.resize(4);
  return view;
}

function disposed() {
  const prepared = millrace.createKey('aes-256-gcm', key);
  prepared.dispose();
  return prepared;
}

const { privateKey } = generateKeyPairSync('ed25519');
const unextractable = await subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);

const named = (each, name) => Object.fromEntries(each.map((value) => [name(value), value]));

/** A placeholder for a key or a message, which no error must repeat. */
export const MARKER = 'hunter2-attack-at-dawn';

/** In the place of a value: the property, or this argument and all after it, are left out. */
const ABSENT = Symbol('absent');

/** The values that replace valid ones, by what messages call them; more is after a colon. */
const values = {
  absent: ABSENT,
  undefined: undefined,
  null: null,
  true: true,
  ...named([0, 5, -1, 0.5, NaN, Infinity, 2 ** 53], (number) => `the number ${number}`),
  'a bigint': 5n,
  'a bigint: negative': -1n,
  'a symbol': Symbol('x'),
  'a function': () => {},
  'a string: empty': '',
  'a string: NUL': '\0',
  'a string: of a caller': MARKER,
  'a string: __proto__': '__proto__',
  'an object: without a prototype': Object.create(null),
  'an object of class Object': {},
  'an object of class Object: like a view': { buffer: new ArrayBuffer(8), length: 8 },
  'an object of class Object: like an array': { length: 1, 0: 'x' },
  'an object of class Object: a false tag': { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 8 },
  'an object of class Array': [],
  'an object of class Array: of numbers': [5],
  'an object of class Array: of strings': [MARKER],
  'an object of class Array: of objects': [{}],
  'an object of class Date': new Date(0),
  'an object of class Map': new Map(),
  'an object of class RegExp': /x/,
  'an object of class Promise': Promise.resolve('x'),
  'an object of class String': new String('x'),
  'an object of class EventTarget': new EventTarget(),
  'an object of class Buffer: of a caller': Buffer.from(MARKER),
  'an object of class Uint8Array: empty': new Uint8Array(0),
  'an object of class Uint8Array: a proxy': new Proxy(new Uint8Array(8), {}),
  ...named(
    [Uint8Array, Buffer, DataView, ArrayBuffer].map(({ prototype }) => Object.create(prototype)),
    ({ constructor }) => `an object of class ${constructor.name}: a prototype`,
  ),
  'an object of class ArrayBuffer: a proxy': new Proxy(new ArrayBuffer(8), {}),
  'an object: a revoked proxy': revoked({}),
  'an object: a revoked proxy of an array': revoked([]),
  'an object: a view with a revoked prototype': Object.setPrototypeOf(
    new Uint8Array(8),
    revoked({}),
  ),
  ...named(
    [new Uint8Array(8), new DataView(new ArrayBuffer(8)), new ArrayBuffer(8)].map(detached),
    ({ constructor }) => `an object of class ${constructor.name}: detached`,
  ),
  'an object of class Uint8Array: left outside by a shrink': shrunk(),
  'an object of class PublicKeyObject': createPublicKey(privateKey),
  'an object of class PrivateKeyObject': privateKey,
  'an object of class SecretKeyObject: a proxy': new Proxy(createSecretKey(key), {}),
  'an object of class CryptoKey: not extractable': unextractable,
  'an object of class CryptoKey: private': pair.privateKey,
  'an object of class Key: for hmac-sha1': millrace.createKey('hmac-sha1', key),
  'an object of class Key: disposed': disposed(),
};

const isOptions = (value) => Object.getPrototypeOf(value ?? '') === Object.prototype;

/** A valid value of each option. */
const valid = Object.assign(
  {},
  ...templates(millrace).flatMap(({ args }) => args().filter(isOptions)),
  { cost: 4, engine: 'native', highWaterMark: 1000, iv, maxmem: 2 ** 26, N: 16, objectMode: false },
  { authTagLength: 12, blockSize: 8, context: 'x', domain: 7, onProgress() {}, passes: 1 },
  { parallelization: 1, probe: [], route: 'pool', saltLength: 8, hashLength: 20, start: 2 },
  { state: millrace.createHash('sha256').exportState(), version: 0x10, errors: 'return' },
  { target: Buffer.alloc(200), signal: new AbortController().signal, transform: () => message },
);
setMaxListeners(0, valid.signal);

/** Names that other calls or libraries have for options, and misspelt ones. */
const foreign = [
  ...Object.keys(valid),
  ...'asyncTick AAD abort additionalAuthenticatedData additionalData'.split(' '),
  ...'additional_data c ciphertext contxt counter data dkLen encodig engin'.split(' '),
  ...'extractable Encoding foo hash info iterations keyy length m maxtime memLimit'.split(' '),
  ...'memlimit memoryCost n name opslimit output outputEncoding outputlength'.split(' '),
  ...'password pepper plaintext prob raw rounds routes saltRounds sede stat t'.split(' '),
  ...'tag_length target_ thread timeCost type'.split(' '),
];

/** Returns what a call of a template looks like; without texts, all calls of the same kinds. */
function label(name, args, texts = true) {
  const shown = args.map((value) => {
    if (typeof value === 'string') return texts && value.length < 20 ? value : 'text';
    if (isOptions(value)) return `{ ${Object.keys(value).join(', ')} }`;
    if (Array.isArray(value)) return '[]';
    const isObject = /object|function/.test(typeof value) && value !== null;
    return isObject ? value.constructor.name : String(value);
  });
  return `${name}(${shown.join(', ')})`;
}

const { createCipher, createDecipher, createHash, createHmac } = millrace;
const { aes_256_ctr: ctr, aes_256_gcm: gcm, sha256, shake128 } = portable;
const room = Buffer.alloc(100);
const all = (names, ...given) => names.map((name) => [name, ...given]);
const updates = ['update', 'updateAsync'];
const derivations = [
  ['extract', 'sha256', key, iv],
  ['expand', 'sha256', key, 'info', 20],
];
const digests = [
  ...all(updates, message),
  ...all(['digest', 'digestAsync'], 'hex'),
  ['digestInto', room, 0],
  ['copy', { outputLength: 32 }],
];

/** Methods, and functions of other entry points: what has them, and their valid arguments. */
const others = {
  hkdf: [() => millrace.hkdf, ...derivations],
  'promises.hkdf': [() => promises.hkdf, ...derivations],
  'promises of streams': [
    () => promises,
    ['hash', 'sha256', new Blob(['x']), { encoding: 'hex' }],
    ['hash', 'sha256', new Blob(['x']), 'hex', {}],
    ['hmac', 'sha256', key, new Blob(['x'])],
  ],
  Hash: [
    () => createHash('sha256'),
    ...digests,
    ...all(updates, message, 0, 10),
    ['update', 'text', 'utf8'],
  ],
  'Hash of any length': [
    () => createHash('shake128'),
    ['squeeze', 10, 'hex'],
    ['squeezeInto', room, 0, 10],
    ['copy', { outputLength: 40 }],
  ],
  'Hash of tuples': [() => createHash('tuplehash128'), ...all(updates, ['x', message])],
  Hmac: [() => createHmac('sha256', key), ...digests],
  Cipher: [
    () => createCipher('aes-256-gcm', { key, nonce }),
    ...all(updates, message),
    ['update', 'text', 'utf8'],
    ...all(['updateInto', 'updateIntoAsync'], message, room, 0),
  ],
  Decipher: [
    () => createDecipher('aes-256-gcm', { key, nonce, unverified: true }),
    ...all(updates, message),
    ['setAuthTag', iv],
    ['copy'],
  ],
  portable: [
    () => portable,
    ['sha256', message, { encoding: 'hex' }],
    ['blake3', message, { key, outputLength: 20 }],
    ['xxh64', message, { seed: 7n }],
    ['hmac', sha256, key, message, 'hex'],
    ['createHmac', sha256, key],
    ['pbkdf2', 'password', iv, 2, 20, sha256],
    ['hkdf', sha256, key, iv, 'info', 20],
    ['scrypt', 'password', iv, 20, { N: 2, r: 1, p: 1, maxmem: 2 ** 20 }],
    ['argon2', 'argon2id', { message: 'x', nonce: iv, tagLength: 20, memory: 8, passes: 1 }],
    ['timingSafeEqual', key, key],
  ],
  'portable.blake3': [() => portable.blake3, ['create', { key, outputLength: 20 }]],
  'portable Hash': [() => sha256.create(), ['update', message], ['digest', 'hex']],
  'portable Hash of any length': [() => shake128.create(), ['squeeze', 10, 'hex']],
  'portable.aes_256_gcm': [
    () => gcm,
    ['seal', { key, nonce, source: message, aad: message, authTagLength: 16 }],
    ['open', { key, nonce, source: sealed }],
  ],
  'portable.aes_256_ctr': [() => ctr, ['encrypt', { key, iv, source: message }]],
  'bigint-buffer': [
    () => bigintBuffer,
    ...all(['toBigIntBE', 'toBigIntLE'], message),
    ...all(['toBufferBE', 'toBufferLE'], 5n, 10),
  ],
  'bigint-hash': [
    () => ({
      hashAsBigInt: (data) => bigintHash.hashAsBigInt('sha256', data),
      hashAsBuffer: (data) => bigintHash.hashAsBuffer('sha256', data),
    }),
    ...all(['hashAsBigInt', 'hashAsBuffer'], message),
  ],
};

/** Calls of callbacks that must not be. */
const strays = [];

/** Ends a stream. Hashers and ciphers become one now, and Node.js may refuse some options. */
function ended(stream) {
  try {
    stream.on('error', () => {}).destroy();
  } catch (error) {
    assert.ok(!(error instanceof millrace.MillraceError), error);
  }
}

/** Returns what becomes of one call: `taken`, or the code and message of its error. */
export async function outcomeOf(way, call, given) {
  let result;
  let later = '';
  try {
    result =
      way === 'callback'
        ? await new Promise((resolve, reject) => {
            call(...given, (error, value) => {
              // Within the call, or after it has thrown.
              if (later === '') strays.push(way);
              if (error) reject(error);
              else resolve(value);
            });
            later = ', called back';
          })
        : call(...given);
    const value = await result;
    if (value instanceof Duplex) ended(value);
    if (typeof value?.next === 'function') await value.next();
    return { code: 'taken', message: '', promised: result instanceof Promise };
  } catch (error) {
    const { code, message, syscall } = error;
    const promised = result instanceof Promise;
    // Errors of the file system are its own.
    if (syscall) return { code, message: '', promised };
    expectError(error, code, undefined, `${way}: ${error?.stack}`);
    const { stack: _, ...shown } = Object.getOwnPropertyDescriptors(error);
    const text = inspect(shown, { depth: 9 });
    for (const secret of [MARKER, Buffer.from(MARKER).toString('hex')])
      assert.ok(!text.includes(secret), text);
    return { code: `${code}${later}`, message, promised };
  }
}

/** Places of values in arguments: the index of an argument, the name of an option or an item. */
const placesOf = (args) =>
  args.flatMap((value, index) => {
    const names = isOptions(value) || Array.isArray(value) ? Object.keys(value) : [];
    return [[index], ...names.map((name) => [index, name])];
  });

/** Returns the arguments with another value at a place. */
function replaced(args, [index, name], value) {
  if (name === undefined && value === ABSENT) return args.slice(0, index);
  if (name === undefined) return Object.assign([...args], { [index]: value });
  const { [index]: holder } = args;
  const copy = Array.isArray(holder) ? [...holder] : { ...holder };
  if (value === ABSENT) delete copy[name];
  else copy[name] = value;
  return replaced(args, [index], copy);
}

/** Returns arguments with an object of options, its index, and the names that it takes. */
async function optionsOf(args, ways) {
  for (const base of [args, [...args, {}]]) {
    const at = base.findLastIndex(isOptions);
    const names = new Set();
    for (const [way, call] of at < 0 ? [] : Object.entries(ways)) {
      const { message } = await outcomeOf(way, call, replaced(base, [at, 'qqqqqqqq'], 1));
      const known = /qqqqqqqq is not an option of .*; it takes (?!the )(\w+(, \w+)*)/.exec(
        message,
      )?.[1];
      const of = message?.endsWith('the options of streams') ? streams : [];
      for (const name of [...(known?.split(', ') ?? []), ...of].sort()) names.add(name);
    }
    if (names.size > 0) return { base, at, names: [...names] };
  }
  return { base: args, names: [] };
}

/** What these are by default takes long. */
const costs = ['N', 'r', 'p', 'cost', 'memory'];

/** Returns each place of the arguments with each value for it, by the name of the value. */
function* attempts({ base, at, names, others }) {
  const costly = at !== undefined && costs.some((name) => name in base[at]);
  for (const place of [...placesOf(base), [base.length], ...names.map((name) => [at, name])]) {
    const [index, name] = place;
    const isOption = index === at && name !== undefined;
    for (const [value, each] of Object.entries(values)) {
      const defaults = isOption ? /absent|undefined/.test(value) : typeof each === 'object';
      if (defaults && costly && index === at && (!isOption || costs.includes(name))) continue;
      yield { title: place.join('.'), place, value, each };
    }
    if (isOption && name in valid)
      yield { title: place.join('.'), place, value: 'a valid one', each: valid[name] };
  }
  for (const name of others)
    for (const each of ['x', undefined])
      yield { title: `${at}, other names`, place: [at, name], value: name, each };
}

/** Returns the message with placeholders for the value and for what follows from it. */
function general(message, value) {
  const [what] = value.split(':');
  return message
    .replace(`not ${what}`, 'not <value>')
    .replace(`not ${what.replace('the number ', '')}`, 'not <number>')
    .replace(/<value> of \d+ characters?/, '<value> of <n> characters')
    .replace(`.${value} is not`, '.<name> is not');
}

/**
 * Returns the records of a call: a place, the values there (`most` for those that no other record
 * names), the code, the message, and the ways of calling if these are not all.
 */
export async function recordsOf(call) {
  const { args, ways, base } = call;
  const isPromised = {};
  for (const [way, run] of Object.entries(ways))
    isPromised[way] = (await outcomeOf(way, run, args())).promised;
  const records = new Map();
  for (const { title, place, value, each } of attempts(call)) {
    const outcomes = new Map();
    for (const [way, run] of Object.entries(ways)) {
      const given = replaced([...args(), {}].slice(0, base.length), place, each);
      const { code, message, promised } = await outcomeOf(way, run, given);
      if (isPromised[way]) assert.ok(promised, `${way} throws: ${message}`);
      const text = JSON.stringify([code, general(message, value)]);
      outcomes.set(text, [...(outcomes.get(text) ?? []), way]);
    }
    for (const [text, by] of outcomes) {
      const some = outcomes.size === 1 ? [] : [by.join(', ')];
      const key = JSON.stringify([title, text, some]);
      if (!records.has(key)) records.set(key, [title, new Set(), ...JSON.parse(text), ...some]);
      records.get(key)[1].add(value);
    }
  }
  await turn();
  assert.deepEqual(strays.splice(0), []);
  return [...records.values()].map((record) => {
    const all = [...records.values()].filter(([title]) => title === record[0]);
    const most = Math.max(...all.map(([, { size }]) => size));
    const isMost = record[1].size === most && most > 5;
    return record.with(1, isMost ? 'most' : [...record[1]].join(', '));
  });
}

const { engine, maxKdfMemory: _, ...settings } = millrace.configure();

/** Sets what messages depend on, and what a call has changed. */
const reset = () => millrace.configure({ ...settings, engine, maxKdfMemory: 2 ** 30 });
reset();

/** Returns the calls of all exports: a name, valid arguments, and the functions by their ways. */
async function callsOf() {
  const calls = new Map();
  for (const { name, args } of templates(millrace)) {
    const shape = label(name, args(), false);
    if (name.startsWith('get') || calls.has(shape)) continue;
    const ways = waysOf(name, { millrace, promises });
    if (ways.callback) ways.callback = millrace[name];
    if (name === 'configure')
      for (const [way, configure] of Object.entries(ways))
        ways[way] = (...given) => {
          configure(...given);
          reset();
        };
    calls.set(shape, { name, title: label(name, args()), args, ways });
  }
  for (const [owner, [make, ...each]] of Object.entries(others))
    for (const [name, ...given] of each) {
      const title = `${owner}: ${label(name, given)}`;
      const ways = { [owner]: (...args) => make()[name](...args) };
      calls.set(title, { name: `${owner}.${name}`, title, args: () => given, ways });
    }
  // An option or a wrong name that no template has is tried once for a function.
  const tried = new Set();
  const isNew = (key) => !tried.has(key) && tried.add(key);
  for (const call of calls.values()) {
    const { name, args, ways } = call;
    const { base, at, names } = await optionsOf(args(), ways);
    const wrong = names.length > 0 ? foreign.filter((each) => !names.includes(each)) : [];
    Object.assign(call, {
      base,
      at,
      names: names.filter((each) => !(each in base[at]) && isNew(`${name} ${at} ${each}`)),
      others: wrong.filter((each) => isNew(`${name} ${at} other ${each}`)),
    });
  }
  return [...calls.values()];
}

export const calls = await callsOf();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parts = [];
  for (const call of calls) {
    const records = (await recordsOf(call)).map((record) => JSON.stringify(record));
    parts.push(`${JSON.stringify(call.title)}: [\n${records.join(',\n')}\n]`);
  }
  writeFileSync(new URL('refusals.json', import.meta.url), `{\n${parts.join(',\n')}\n}\n`);
}
