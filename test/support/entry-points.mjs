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
 * Returns a form of calls. `prepare` gives the method and arguments of a call, and
 *   scribble   inputs that the library has copied once the call returns,
 *   unchanged  inputs that must keep their bytes,
 *   guards     ranges with neighbours that must not be touched,
 *   read       what the outcome of a successful call is,
 *   target     the target range, if the caller gave one.
 */
function form(kind, name, prepare, facts) {
  return { kind, name, prepare, offers: () => true, ...facts };
}

function forms() {
  // In the drop-in entry point alone.
  const windows = { original: true, modern: false };
  const withKey = (prepare, name) => (job) =>
    prepare({ ...job, key: millrace.createKey(name(job.algorithm), job.key) });
  const same = (algorithm) => algorithm;
  const cipherKey = (job) => job.key.length === ciphers[job.algorithm].key;
  return [
    form('hash', 'plain', (job) => digest('hash', job), { original: true, offers: isPlain }),
    ...['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'].map((encoding) =>
      form('hash', `as ${encoding}`, (job) => digest('hash', job, encoding), { offers: isPlain }),
    ),
    form('hash', 'options', hashOptions),
    form('hash', 'options with target', hashIntoTarget),
    form('hash', 'options with prepared key', withKey(hashOptions, same), {
      offers: (job) => job.key?.length === 32,
    }),
    form('hash', 'window', hashWindow, { ...windows, offers: isPlain }),

    form('hmac', 'plain', (job) => digest('hmac', job), { original: true }),
    form('hmac', 'as hex', (job) => digest('hmac', job, 'hex')),
    form('hmac', 'options', (job) => digest('hmac', job, { encoding: 'base64' })),
    form('hmac', 'options with target', hmacIntoTarget),
    form(
      'hmac',
      'prepared key',
      withKey(
        (job) => digest('hmac', job),
        (algorithm) => `hmac-${algorithm}`,
      ),
    ),
    form('hmac', 'window', hmacWindow, windows),

    form('cipher', 'options', cipherOptions),
    form('cipher', 'options with target', cipherIntoTarget),
    form('cipher', 'options with prepared key', withKey(cipherOptions, same), {
      offers: cipherKey,
    }),
    form('cipher', 'positional', cipherPositional, { original: true }),
    form('cipher', 'window', cipherWindow, windows),
    form('cipher', 'seal/open', sealOrOpen, { offers: isAead }),
    form('cipher', 'seal/open with target', sealOrOpenIntoTarget, { offers: isAead }),
    form('cipher', 'seal/open with prepared key', withKey(sealOrOpen, same), {
      offers: (job) => isAead(job) && cipherKey(job),
    }),
  ];
}

// A digest without further parameters.
function isPlain({ outputLength, seed, key }) {
  return outputLength === undefined && seed === undefined && key === undefined;
}

function isAead({ algorithm }) {
  return ciphers[algorithm].aead;
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

/** Copies the inputs of a job; a tag that is written is one of the inputs. */
function copiesOf({ key, iv, source, aad, encrypt, tagSize, tag }) {
  const copies = { key, iv, source, aad, tag };
  for (const [name, value] of Object.entries(copies))
    if (Buffer.isBuffer(value)) copies[name] = Buffer.from(value);
  if (aad && encrypt) copies.tag = Buffer.alloc(tagSize, 0xa5);
  return copies;
}

const present = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Returns the bytes among values: keys may be prepared, and others absent. */
const bytesAmong = (...values) => values.filter((value) => Buffer.isBuffer(value));

/** Returns the inputs of a friendly form: the library copies all of them and changes none. */
function owned(job, copies) {
  const inputs = Object.entries(copies).filter(
    ([name, copy]) => Buffer.isBuffer(copy) && !(name === 'tag' && job.encrypt),
  );
  return {
    scribble: inputs.map(([, copy]) => copy),
    unchanged: inputs.map(([name, copy]) => [copy, job[name]]),
  };
}

/** Returns a call that writes to a range; `ranges` are the inputs in larger buffers. */
function writing(target, ranges, call, read = () => ({ output: target.view() })) {
  const [source] = ranges;
  return {
    ...call,
    unchanged: [[source.view(), source.bytes]],
    guards: [...ranges, target],
    target,
    read(value) {
      const { size } = target;
      assert.equal(value, size, `the call gave ${String(value)} for the ${size} bytes written`);
      return read();
    },
  };
}

function digest(method, job, encoding) {
  const { key, source } = copiesOf(job);
  const name = typeof encoding === 'object' ? encoding.encoding : encoding;
  return {
    method,
    args: [
      job.algorithm,
      ...(method === 'hmac' ? [key] : []),
      source,
      ...(encoding === undefined ? [] : [encoding]),
    ],
    ...owned(job, { key, source }),
    read: (value) => ({ output: decode(value, name, hashes[job.algorithm].digest) }),
  };
}

function hashParameters({ outputLength, seed, key }) {
  return present({ outputLength, seed, key: Buffer.isBuffer(key) ? Buffer.from(key) : key });
}

function hashOptions(job) {
  const source = Buffer.from(job.source);
  const options = hashParameters(job);
  return {
    method: 'hash',
    args: [job.algorithm, source, options],
    scribble: [source, ...bytesAmong(options.key)],
    unchanged: [[source, job.source]],
    read: (value) => ({ output: decode(value, 'buffer') }),
  };
}

function hashIntoTarget(job) {
  const source = lay(job.source);
  const target = layTarget(job.outputLength ?? hashes[job.algorithm].digest);
  const options = hashParameters(job);
  return writing(target, [source], {
    method: 'hash',
    args: [job.algorithm, source.view(), { ...options, ...target.options() }],
    scribble: bytesAmong(options.key),
  });
}

function hashWindow(job) {
  const source = lay(job.source);
  const target = layTarget(hashes[job.algorithm].digest);
  const args = [job.algorithm, ...source.window(), ...target.place()];
  return writing(target, [source], { method: 'hash', args });
}

function hmacIntoTarget(job) {
  const [key, source] = [Buffer.from(job.key), lay(job.source)];
  const target = layTarget(hashes[job.algorithm].digest);
  const args = [job.algorithm, key, source.view(), target.options()];
  return writing(target, [source], { method: 'hmac', args, scribble: [key] });
}

function hmacWindow(job) {
  const [key, source] = [lay(job.key), lay(job.source)];
  const target = layTarget(hashes[job.algorithm].digest);
  const args = [job.algorithm, ...key.window(), ...source.window(), ...target.place()];
  return writing(target, [source, key], { method: 'hmac', args, scribble: [key.view()] });
}

function cipherOptions(job) {
  const copies = copiesOf(job);
  const { aad, ...others } = copies;
  return {
    method: 'cipher',
    // An empty aad may as well be left out.
    args: [
      job.algorithm,
      { encrypt: job.encrypt, ...present(others), ...(aad?.length > 0 && { aad }) },
    ],
    ...owned(job, copies),
    read: (value) => ({ output: decode(value, 'buffer'), tag: copies.tag }),
  };
}

function cipherIntoTarget(job) {
  const { key, iv, aad, tag } = copiesOf(job);
  const [source, target] = [lay(job.source), layTarget(job.source.length)];
  const inputs = { key, iv, source: source.view(), aad, tag };
  const call = {
    method: 'cipher',
    args: [job.algorithm, { encrypt: job.encrypt, ...present(inputs), ...target.options() }],
    scribble: bytesAmong(key, iv, aad, job.encrypt ? undefined : tag),
  };
  return writing(target, [source], call, () => ({ output: target.view(), tag }));
}

function cipherPositional(job, entryPoint) {
  const copies = copiesOf(job);
  const { key, iv, source, aad, tag } = copies;
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
    ...owned(job, copies),
    read: (value) => ({ output: decode(value, 'buffer'), tag }),
  };
}

function cipherWindow(job) {
  const [source, key, iv] = [lay(job.source), lay(job.key), lay(job.iv)];
  const target = layTarget(job.source.length);
  const extras = job.aad ? [lay(job.aad), job.encrypt ? layTarget(job.tagSize) : lay(job.tag)] : [];
  const [aad, tag] = extras;
  const call = {
    method: 'cipher',
    args: [
      job.algorithm,
      Number(job.encrypt),
      ...[key, iv, source].flatMap((range) => range.window()),
      ...target.place(),
      ...extras.flatMap((range) => range.window()),
    ],
    scribble: [key, iv, aad, job.encrypt ? undefined : tag]
      .filter(Boolean)
      .map((range) => range.view()),
  };
  const ranges = [source, key, iv, ...extras];
  return writing(target, ranges, call, () => ({ output: target.view(), tag: tag?.view() }));
}

function sealOrOpen(job) {
  const { key, iv: nonce, aad } = copiesOf(job);
  const source = Buffer.from(sealedSource(job));
  return {
    method: job.encrypt ? 'seal' : 'open',
    args: [
      job.algorithm,
      { key, nonce, source, ...tagLength(job), ...(aad.length > 0 && { aad }) },
    ],
    scribble: bytesAmong(key, nonce, source, aad),
    unchanged: [[source, sealedSource(job)]],
    read: (value) => splitSealed(job, decode(value, 'buffer')),
  };
}

function sealOrOpenIntoTarget(job) {
  const { key, iv: nonce, aad } = copiesOf(job);
  const source = lay(sealedSource(job));
  const target = layTarget(job.source.length + (job.encrypt ? job.tagSize : 0));
  const inputs = { key, nonce, source: source.view(), aad };
  const call = {
    method: job.encrypt ? 'seal' : 'open',
    args: [job.algorithm, { ...inputs, ...tagLength(job), ...target.options() }],
    scribble: [key, nonce, aad],
  };
  return writing(target, [source], call, () => splitSealed(job, target.view()));
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
  const size = bytes.length - job.tagSize;
  return { output: bytes.subarray(0, size), tag: bytes.subarray(size) };
}

// ranges in larger buffers

let turn = 0;

/** Returns bytes somewhere in a larger buffer, at every alignment in turn. */
const lay = (bytes) => new Range(bytes);

/** Returns a range to write to. */
const layTarget = (size) => new Range(Buffer.alloc(size, 0xa5));

class Range {
  constructor(bytes) {
    turn = (turn + 1) % 1009;
    this.bytes = bytes;
    this.size = bytes.length;
    this.offset = turn % 37;
    this.buffer = Buffer.alloc(this.offset + this.size + (turn % 23), 0x5a);
    this.view().set(bytes);
  }

  view() {
    return this.buffer.subarray(this.offset, this.offset + this.size);
  }

  window() {
    return [this.buffer, this.offset, this.size];
  }

  place() {
    return [this.buffer, this.offset];
  }

  options() {
    return { target: this.buffer, targetOffset: this.offset };
  }

  neighboursIntact() {
    const { buffer, offset, size } = this;
    for (let index = 0; index < offset; index++) if (buffer[index] !== 0x5a) return false;
    for (let index = offset + size; index < buffer.length; index++)
      if (buffer[index] !== 0x5a) return false;
    return true;
  }
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
