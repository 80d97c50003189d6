// Every way into the library: entry point x call style x form. A test describes its job once
// and runs it in every call style that offers it:
//
//   for (const style of callStylesFor(job))
//     expectResult(style, job, await attempt(style, job), oracle(job));
//
// A job is
//   { kind: 'hash', algorithm, source, outputLength?, seed?, key? }
//   { kind: 'hmac', algorithm, key, source }
//   { kind: 'cipher', algorithm, encrypt, key, iv, source, aad?, tagSize?, tag? }
// where an AEAD has `aad`, its encryption `tagSize` and its decryption `tag`.
//
// `attempt` also checks what holds for every job: nothing beside the target is touched, inputs
// stay as they are, callbacks get one argument or two and never inside the call, promises reject
// and never throw. Where the library promises a snapshot, the input is overwritten right after an
// asynchronous call returns.

import assert from 'node:assert/strict';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import { original, ciphers, hashes } from './algorithms.mjs';

/**
 * How a result is waited for: each takes a method with its arguments and gives `{ value }` or `{
 * error, how }`.
 */
const waitings = { sync: waitSync, callback: waitCallback, promise: waitPromise };

const entryPoints = [
  { name: 'millrace', module: millrace, waitings: ['sync', 'callback'], modern: true },
  { name: 'millrace/promises', module: promises, waitings: ['promise'], modern: true },
  {
    name: 'millrace/crypto-async',
    module: cryptoAsync,
    waitings: ['sync', 'callback'],
    modern: false,
  },
];

export const ways = entryPoints.flatMap((entryPoint) =>
  entryPoint.waitings.flatMap((waiting) =>
    forms()
      .filter((form) => (entryPoint.modern ? form.modern !== false : form.original))
      .map((form) => ({
        name: `${entryPoint.name} ${waiting} ${form.name}`,
        entryPoint,
        waiting,
        form,
        kind: form.kind,
      })),
  ),
);

/** Returns the ways that offer a job. */
export function callStylesFor(job) {
  return ways.filter(({ entryPoint, form }) => {
    if (form.kind !== job.kind || !form.offers(job)) return false;
    return entryPoint.modern ? inModernEntryPoints(job) : inCryptoAsync(job);
  });
}

/** Does a job in one way; returns a promise unless the way is synchronous. */
export function attempt(way, job) {
  const prepared = way.form.prepare(job, way.entryPoint);
  const outcome = waitings[way.waiting](way.entryPoint.module, prepared);
  return way.waiting === 'sync'
    ? finish(way, prepared, outcome)
    : outcome.then((settled) => finish(way, prepared, settled));
}

export function expectResult(way, job, outcome, expected) {
  if (outcome.error)
    assert.fail(`${describe(way, job)}: ${outcome.error.code} ${outcome.error.stack}`);
  if (!outcome.output.equals(expected.output))
    assert.fail(
      `${describe(way, job)}: wrong output${difference(outcome.output, expected.output)}`,
    );
  if (expected.tag && job.encrypt && !outcome.tag.equals(expected.tag)) {
    assert.fail(
      `${describe(way, job)}: wrong tag ${outcome.tag.toString('hex')}, not ` +
        `${expected.tag.toString('hex')}`,
    );
  }
}

/**
 * Checks that the job fails with `code`, as in the modern entry points; the drop-in entry point has
 * a message instead.
 */
export function expectFailure(way, job, outcome, code) {
  const { error, how } = outcome;
  assert.ok(error, `${describe(way, job)}: no error, expected ${code}`);
  if (way.entryPoint.modern) {
    assert.equal(error.code, code, `${describe(way, job)}: ${error.stack}`);
    assert.ok(
      error instanceof millrace.MillraceError,
      `${describe(way, job)}: not a MillraceError`,
    );
  } else {
    assert.equal(
      `${error}`,
      `Error: ${cryptoAsync[cryptoAsyncConstants[code]]}`,
      describe(way, job),
    );
  }
  assert.ok(error instanceof Error, describe(way, job));
  if (code !== 'ERR_AUTHENTICATION') return;
  // Only the operation itself can find this out, so it is never thrown by an asynchronous call.
  if (way.waiting === 'callback') assert.equal(how, 'called', describe(way, job));
  if (outcome.target)
    assert.ok(
      outcome.target.every((byte) => byte === 0),
      `${describe(way, job)}: the target holds ${outcome.target.subarray(0, 32).toString('hex')}`,
    );
}

/** The constants of the drop-in entry point that stand for the codes of the others. */
export const cryptoAsyncConstants = {
  ERR_AUTHENTICATION: 'E_CORRUPT',
  ERR_KEY_SIZE: 'E_KEY_INVALID',
  ERR_IV_SIZE: 'E_IV_INVALID',
  ERR_TAG_SIZE: 'E_TAG_INVALID',
};

export function describe(way, job) {
  const sizes = ['key', 'iv', 'source', 'aad', 'tag']
    .filter((name) => job[name] !== undefined)
    .map((name) => `${name} ${job[name].length}`);
  const numbers = ['tagSize', 'outputLength', 'seed']
    .filter((name) => job[name] !== undefined)
    .map((name) => `${name} ${job[name]}`);
  const direction = job.kind === 'cipher' ? (job.encrypt ? ' encrypt' : ' decrypt') : '';
  return `${way.name}: ${job.algorithm}${direction} (${[...sizes, ...numbers].join(', ')})`;
}

function difference(actual, expected) {
  if (actual.length !== expected.length) return `: ${actual.length} bytes, not ${expected.length}`;
  const at = actual.findIndex((byte, index) => byte !== expected[index]);
  return (
    ` from byte ${at} of ${expected.length}: ` +
    `${actual.subarray(at, at + 16).toString('hex')}, not ` +
    `${expected.subarray(at, at + 16).toString('hex')}`
  );
}

// the forms

/**
 * Returns the forms of calls. `prepare` gives the method and arguments of a call, and
 *   scribble   inputs that the library has copied once the call returns,
 *   unchanged  inputs that must keep their bytes,
 *   guards     ranges with neighbours that must not be touched,
 *   read       what the outcome of a successful call is,
 *   target     the target range, if the caller gave one.
 */
function forms() {
  return [
    {
      kind: 'hash',
      name: 'plain',
      original: true,
      offers: isPlain,
      prepare: (job) => plainDigest('hash', [job.algorithm], job),
    },
    ...['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'].map((encoding) => ({
      kind: 'hash',
      name: `as ${encoding}`,
      offers: isPlain,
      prepare: (job) => plainDigest('hash', [job.algorithm], job, encoding),
    })),
    { kind: 'hash', name: 'options', offers: () => true, prepare: hashOptions },
    { kind: 'hash', name: 'options with target', offers: () => true, prepare: hashIntoTarget },
    {
      kind: 'hash',
      name: 'options with prepared key',
      offers: (job) => job.key?.length === 32,
      prepare: (job) => hashOptions({ ...job, key: prepareKey(job.algorithm, job.key) }),
    },
    {
      kind: 'hash',
      name: 'window',
      original: true,
      modern: false,
      offers: isPlain,
      prepare: hashWindow,
    },

    {
      kind: 'hmac',
      name: 'plain',
      original: true,
      offers: () => true,
      prepare: (job) => hmacPlain(job),
    },
    { kind: 'hmac', name: 'as hex', offers: () => true, prepare: (job) => hmacPlain(job, 'hex') },
    {
      kind: 'hmac',
      name: 'options',
      offers: () => true,
      prepare: (job) => hmacPlain(job, { encoding: 'base64' }),
    },
    { kind: 'hmac', name: 'options with target', offers: () => true, prepare: hmacIntoTarget },
    {
      kind: 'hmac',
      name: 'prepared key',
      offers: () => true,
      prepare: (job) => hmacPlain({ ...job, key: prepareKey(`hmac-${job.algorithm}`, job.key) }),
    },
    {
      kind: 'hmac',
      name: 'window',
      original: true,
      modern: false,
      offers: () => true,
      prepare: hmacWindow,
    },

    { kind: 'cipher', name: 'options', offers: () => true, prepare: (job) => cipherOptions(job) },
    { kind: 'cipher', name: 'options with target', offers: () => true, prepare: cipherIntoTarget },
    {
      kind: 'cipher',
      name: 'options with prepared key',
      offers: hasRightKey,
      prepare: (job) => cipherOptions({ ...job, key: prepareKey(job.algorithm, job.key) }),
    },
    {
      kind: 'cipher',
      name: 'positional',
      original: true,
      offers: () => true,
      prepare: cipherPositional,
    },
    {
      kind: 'cipher',
      name: 'window',
      original: true,
      modern: false,
      offers: () => true,
      prepare: cipherWindow,
    },
    { kind: 'cipher', name: 'seal/open', offers: isAead, prepare: sealOrOpen },
    {
      kind: 'cipher',
      name: 'seal/open with target',
      offers: isAead,
      prepare: sealOrOpenIntoTarget,
    },
    {
      kind: 'cipher',
      name: 'seal/open with prepared key',
      offers: (job) => isAead(job) && hasRightKey(job),
      prepare: (job) => sealOrOpen({ ...job, key: prepareKey(job.algorithm, job.key) }),
    },
  ];
}

// A digest without further parameters.
function isPlain({ outputLength, seed, key }) {
  return outputLength === undefined && seed === undefined && key === undefined;
}

function isAead({ algorithm }) {
  return ciphers[algorithm].aead;
}

function hasRightKey({ algorithm, key }) {
  return key.length === ciphers[algorithm].key;
}

function inModernEntryPoints({ kind, algorithm, tagSize, tag }) {
  return (
    kind !== 'cipher' ||
    !ciphers[algorithm].aead ||
    ciphers[algorithm].tagSizes.includes(tagSize ?? tag.length)
  );
}

function inCryptoAsync({ kind, algorithm, tagSize, tag }) {
  if (kind !== 'cipher') return original.hashes.includes(algorithm);
  return (
    original.ciphers.includes(algorithm) &&
    (!ciphers[algorithm].aead || original.tagSizes(algorithm).includes(tagSize ?? tag.length))
  );
}

function plainDigest(method, first, job, encoding) {
  const source = copy(job.source);
  return {
    method,
    args: [...first, source, ...(encoding === undefined ? [] : [encoding])],
    scribble: [source],
    unchanged: [[source, job.source]],
    read: (value) => ({
      output: decode(
        value,
        typeof encoding === 'object' ? encoding.encoding : encoding,
        hashes[job.algorithm].digest,
      ),
    }),
  };
}

function hashOptions(job) {
  const source = copy(job.source);
  const options = hashParameters(job);
  return {
    method: 'hash',
    args: [job.algorithm, source, options],
    scribble: [source, ...bytesOf(options.key)],
    unchanged: [[source, job.source]],
    read: (value) => ({ output: decode(value, 'buffer') }),
  };
}

function hashIntoTarget(job) {
  const size = job.outputLength ?? hashes[job.algorithm].digest;
  const source = lay(job.source);
  const target = layTarget(size);
  const options = { ...hashParameters(job), target: target.buffer, targetOffset: target.offset };
  return {
    method: 'hash',
    args: [job.algorithm, source.view(), options],
    scribble: bytesOf(options.key),
    unchanged: [[source.view(), job.source]],
    guards: [source, target],
    target,
    read: writes(size, () => ({ output: target.view() })),
  };
}

function hashParameters({ outputLength, seed, key }) {
  return Object.fromEntries(
    Object.entries({ outputLength, seed, key: copyKey(key) }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function hashWindow(job) {
  const size = hashes[job.algorithm].digest;
  const source = lay(job.source);
  const target = layTarget(size);
  return {
    method: 'hash',
    args: [job.algorithm, ...source.window(), target.buffer, target.offset],
    unchanged: [[source.view(), job.source]],
    guards: [source, target],
    target,
    read: writes(size, () => ({ output: target.view() })),
  };
}

function hmacPlain(job, encoding) {
  const key = copyKey(job.key);
  const plain = plainDigest('hmac', [job.algorithm, key], job, encoding);
  return {
    ...plain,
    scribble: [...plain.scribble, ...bytesOf(key)],
    unchanged: [...plain.unchanged, ...(Buffer.isBuffer(key) ? [[key, job.key]] : [])],
  };
}

function hmacIntoTarget(job) {
  const size = hashes[job.algorithm].digest;
  const [key, source, target] = [copy(job.key), lay(job.source), layTarget(size)];
  return {
    method: 'hmac',
    args: [
      job.algorithm,
      key,
      source.view(),
      { target: target.buffer, targetOffset: target.offset },
    ],
    scribble: [key],
    unchanged: [[source.view(), job.source]],
    guards: [source, target],
    target,
    read: writes(size, () => ({ output: target.view() })),
  };
}

function hmacWindow(job) {
  const size = hashes[job.algorithm].digest;
  const [key, source, target] = [lay(job.key), lay(job.source), layTarget(size)];
  return {
    method: 'hmac',
    args: [job.algorithm, ...key.window(), ...source.window(), target.buffer, target.offset],
    scribble: [key.view()],
    unchanged: [[source.view(), job.source]],
    guards: [key, source, target],
    target,
    read: writes(size, () => ({ output: target.view() })),
  };
}

function cipherOptions(job) {
  const [key, iv, source] = [copyKey(job.key), copy(job.iv), copy(job.source)];
  const { aad, tag } = copyExtras(job);
  return {
    method: 'cipher',
    // An empty aad may as well be left out.
    args: [
      job.algorithm,
      {
        encrypt: job.encrypt,
        key,
        iv,
        source,
        ...(tag && { tag }),
        ...(aad?.length > 0 && { aad }),
      },
    ],
    ...owned(job, { key, iv, source, aad, tag }),
    read: (value) => ({ output: decode(value, 'buffer'), tag }),
  };
}

function cipherIntoTarget(job) {
  const [key, iv, source, target] = [
    copy(job.key),
    copy(job.iv),
    lay(job.source),
    layTarget(job.source.length),
  ];
  const { aad, tag } = copyExtras(job);
  return {
    method: 'cipher',
    args: [
      job.algorithm,
      {
        encrypt: job.encrypt,
        key,
        iv,
        source: source.view(),
        ...(aad && { aad, tag }),
        target: target.buffer,
        targetOffset: target.offset,
      },
    ],
    scribble: [key, iv, ...bytesOf(aad), ...(job.encrypt ? [] : bytesOf(tag))],
    unchanged: [[source.view(), job.source]],
    guards: [source, target],
    target,
    read: writes(job.source.length, () => ({ output: target.view(), tag })),
  };
}

function cipherPositional(job, entryPoint) {
  const [key, iv, source] = [copy(job.key), copy(job.iv), copy(job.source)];
  const { aad, tag } = copyExtras(job);
  return {
    method: 'cipher',
    args: [
      job.algorithm,
      entryPoint.modern ? job.encrypt : Number(job.encrypt),
      key,
      iv,
      source,
      ...(aad ? [aad, tag] : []),
    ],
    ...owned(job, { key, iv, source, aad, tag }),
    read: (value) => ({ output: decode(value, 'buffer'), tag }),
  };
}

function cipherWindow(job) {
  const [key, iv, source, target] = [
    lay(job.key),
    lay(job.iv),
    lay(job.source),
    layTarget(job.source.length),
  ];
  const aad = job.aad && lay(job.aad);
  const tag = job.aad && (job.encrypt ? layTarget(job.tagSize) : lay(job.tag));
  return {
    method: 'cipher',
    args: [
      job.algorithm,
      Number(job.encrypt),
      ...key.window(),
      ...iv.window(),
      ...source.window(),
      target.buffer,
      target.offset,
      ...(aad ? [...aad.window(), ...tag.window()] : []),
    ],
    scribble: [key, iv, aad, job.encrypt ? undefined : tag]
      .filter(Boolean)
      .map((part) => part.view()),
    unchanged: [[source.view(), job.source]],
    guards: [key, iv, source, target, aad, tag].filter(Boolean),
    target,
    read: writes(job.source.length, () => ({ output: target.view(), tag: tag?.view() })),
  };
}

function sealOrOpen(job) {
  const [key, nonce, source, aad] = [
    copyKey(job.key),
    copy(job.iv),
    copy(sealedSource(job)),
    copy(job.aad),
  ];
  return {
    method: job.encrypt ? 'seal' : 'open',
    args: [
      job.algorithm,
      { key, nonce, source, ...tagLength(job), ...(aad.length > 0 && { aad }) },
    ],
    scribble: [...bytesOf(key), nonce, source, aad],
    unchanged: [[source, sealedSource(job)]],
    read: (value) => splitSealed(job, decode(value, 'buffer')),
  };
}

function sealOrOpenIntoTarget(job) {
  const size = job.encrypt ? job.source.length + job.tagSize : job.source.length;
  const [key, nonce, source, aad, target] = [
    copy(job.key),
    copy(job.iv),
    lay(sealedSource(job)),
    copy(job.aad),
    layTarget(size),
  ];
  return {
    method: job.encrypt ? 'seal' : 'open',
    args: [
      job.algorithm,
      {
        key,
        nonce,
        source: source.view(),
        aad,
        ...tagLength(job),
        target: target.buffer,
        targetOffset: target.offset,
      },
    ],
    scribble: [key, nonce, aad],
    unchanged: [[source.view(), sealedSource(job)]],
    guards: [source, target],
    target,
    read: writes(size, () => splitSealed(job, target.view())),
  };
}

function sealedSource(job) {
  return job.encrypt ? job.source : Buffer.concat([job.source, job.tag]);
}

function tagLength(job) {
  const size = job.tagSize ?? job.tag.length;
  return size === 16 ? {} : { authTagLength: size };
}

function splitSealed(job, bytes) {
  if (!job.encrypt) return { output: bytes };
  return {
    output: bytes.subarray(0, bytes.length - job.tagSize),
    tag: bytes.subarray(bytes.length - job.tagSize),
  };
}

function copyExtras(job) {
  if (job.aad === undefined) return {};
  return { aad: copy(job.aad), tag: job.encrypt ? Buffer.alloc(job.tagSize, 0xa5) : copy(job.tag) };
}

/** Returns the inputs of a friendly form: the library copies all of them and changes none. */
function owned(job, { key, iv, source, aad, tag }) {
  const inputs = [
    [source, job.source],
    [iv, job.iv],
  ];
  if (Buffer.isBuffer(key)) inputs.push([key, job.key]);
  if (aad) inputs.push([aad, job.aad]);
  if (aad && !job.encrypt) inputs.push([tag, job.tag]);
  return { scribble: inputs.map(([input]) => input), unchanged: inputs };
}

function prepareKey(algorithm, bytes) {
  return millrace.createKey(algorithm, bytes);
}

function copyKey(key) {
  return Buffer.isBuffer(key) ? copy(key) : key;
}

function bytesOf(value) {
  return Buffer.isBuffer(value) ? [value] : [];
}

function copy(bytes) {
  return Buffer.from(bytes);
}

// ranges in larger buffers

let turn = 0;

/** Returns bytes somewhere in a larger buffer, at every alignment in turn. */
function lay(bytes) {
  return new Range(bytes.length, (range) => range.set(bytes));
}

/** Returns a range to write to. */
function layTarget(size) {
  return new Range(size, (range) => range.fill(0xa5));
}

class Range {
  constructor(size, fill) {
    turn = (turn + 1) % 1009;
    this.offset = turn % 37;
    this.size = size;
    this.buffer = Buffer.alloc(this.offset + size + (turn % 23), 0x5a);
    fill(this.view());
  }

  view() {
    return this.buffer.subarray(this.offset, this.offset + this.size);
  }

  window() {
    return [this.buffer, this.offset, this.size];
  }

  neighboursIntact() {
    const { buffer, offset, size } = this;
    for (let index = 0; index < offset; index++) if (buffer[index] !== 0x5a) return false;
    for (let index = offset + size; index < buffer.length; index++)
      if (buffer[index] !== 0x5a) return false;
    return true;
  }
}

function writes(size, read) {
  return (value) => {
    assert.equal(value, size, `the call gave ${String(value)} for the ${size} bytes written`);
    return read();
  };
}

function decode(value, encoding, size) {
  if (encoding === 'bigint') {
    assert.equal(typeof value, 'bigint');
    const hex = value.toString(16);
    assert.ok(hex.length <= 2 * size, `a bigint of ${hex.length} digits for ${size} bytes`);
    return Buffer.from(hex.padStart(2 * size, '0'), 'hex');
  }
  if (encoding === undefined || encoding === 'buffer') {
    assert.ok(Buffer.isBuffer(value), `not a Buffer but ${Object.prototype.toString.call(value)}`);
    return value;
  }
  assert.equal(typeof value, 'string');
  if (encoding === '0xhex') {
    assert.match(value, /^0x([0-9a-f]{2})*$/);
    return Buffer.from(value.slice(2), 'hex');
  }
  const bytes = Buffer.from(value, encoding);
  assert.equal(value, bytes.toString(encoding), `not canonical ${encoding}`);
  return bytes;
}

// the call styles

function waitSync(entryPoint, { method, args }) {
  try {
    return { value: entryPoint[method](...args) };
  } catch (error) {
    return { error, how: 'thrown' };
  }
}

function waitCallback(entryPoint, { method, args, scribble = [] }) {
  return new Promise((resolve, reject) => {
    let returned = false;
    const callback = (...results) => {
      try {
        assert.ok(returned, 'the callback was called inside the call');
        if (results.length === 1) {
          assert.ok(results[0] instanceof Error, 'one argument must be an error');
          resolve({ error: results[0], how: 'called' });
        } else {
          assert.equal(results.length, 2);
          assert.equal(results[0], entryPoint.hasOwnProperty('E_ARGUMENTS') ? undefined : null);
          resolve({ value: results[1] });
        }
      } catch (error) {
        reject(error);
      }
    };
    try {
      assert.equal(entryPoint[method](...args, callback), undefined);
    } catch (error) {
      resolve({ error, how: 'thrown' });
    }
    returned = true;
    for (const input of scribble) input.fill(0xee);
  });
}

async function waitPromise(entryPoint, { method, args, scribble = [] }) {
  const promise = entryPoint[method](...args);
  assert.ok(promise instanceof Promise, 'not a promise');
  for (const input of scribble) input.fill(0xee);
  return promise.then(
    (value) => ({ value }),
    (error) => ({ error, how: 'rejected' }),
  );
}

function finish(
  way,
  { scribble = [], unchanged = [], guards = [], target, read },
  { value, error, how },
) {
  for (const guard of guards)
    assert.ok(guard.neighboursIntact(), `${way.name}: bytes beside a range were touched`);
  const scribbled = way.waiting === 'sync' ? new Set() : new Set(scribble);
  for (const [input, bytes] of unchanged) {
    if (!scribbled.has(input)) assert.ok(input.equals(bytes), `${way.name}: an input was changed`);
  }
  return error ? { error, how, target: target?.view() } : read(value);
}
