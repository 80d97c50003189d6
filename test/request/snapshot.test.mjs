// The copies that an asynchronous call has made when it returns: secrets always, the source in the
// friendly forms. Then the caller may wipe, reuse, transfer or shrink them at once.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import millrace from 'millrace';
import nodeCrypto from 'millrace/node-crypto';
import promises from 'millrace/promises';

import { hooksOf, isOptions, rsaKey, templates, waited, waysOf } from '../support/calls.mjs';
import { callStylesFor, expectResult } from '../support/entry-points.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { decryption, encryption } from '../support/jobs.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const require = createRequire(import.meta.url);
const { sha256 } = require('millrace/noble-hashes/sha2.js');

/** Yields the bytes among arguments, at any depth, and where they are. */
function* bytesIn(holder, path = '') {
  for (const [name, value] of Object.entries(holder)) {
    const at = { path: `${path}.${name}`, value, holder, name };
    if (ArrayBuffer.isView(value)) yield at;
    else if (value instanceof Set) yield* bytesIn([...value], at.path);
    else if (Array.isArray(value) || isOptions(value)) yield* bytesIn(value, at.path);
  }
}

// Each call style of hash, hmac, cipher, seal and open, with the inputs in memory of several kinds.

const transfer = ArrayBuffer.prototype.transfer;
const own = (bytes) => Buffer.from(Uint8Array.from(bytes).buffer);

/** How inputs may go: `place` puts bytes in such memory, and `dispose` takes it away. */
const memories = {
  'overwritten, and used again': () => {
    // One buffer for the same argument of all calls: it is not known by its identity either.
    const buffers = new Map();
    return {
      place(bytes, path) {
        const at = `${path} ${bytes.length}`;
        if (!buffers.has(at)) buffers.set(at, Buffer.alloc(bytes.length));
        buffers.get(at).set(bytes);
        return buffers.get(at);
      },
      dispose: (bytes) => bytes.fill(0xee),
    };
  },
  'transferred by structuredClone': () => ({
    place: own,
    dispose: ({ buffer }) => structuredClone(buffer, { transfer: [buffer] }),
  }),
  'transferred by ArrayBuffer.prototype.transfer':
    transfer && (() => ({ place: own, dispose: ({ buffer }) => buffer.transfer(0) })),
  'shrunk to nothing, as views with a length': () => ({
    place: (bytes) => Buffer.from(resizable(bytes).buffer),
    dispose: shrink,
  }),
  'shrunk to nothing, as views without a length': () => ({ place: resizable, dispose: shrink }),
};

function resizable(bytes) {
  const memory = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length });
  const view = new Uint8Array(memory);
  view.set(bytes);
  return Object.setPrototypeOf(view, Buffer.prototype);
}

function shrink({ buffer }) {
  buffer.resize(0);
}

const stylesOf = (job) => callStylesFor(job).filter(({ waiting }) => waiting !== 'sync');

/** Makes a call, and takes away what it has copied. */
function begin({ form, entryPoint, waiting }, job, { place, dispose }) {
  const { method, args, scribble = [], read } = form.prepare(job, entryPoint);
  const placed = [];
  for (const { path, value, holder, name } of bytesIn(args))
    if (scribble.includes(value)) placed.push((holder[name] = place(value, path)));
  const { module } = entryPoint;
  const settled =
    waiting === 'callback' ? waited(module[method])(...args) : module[method](...args);
  // Those of windows are in larger buffers.
  for (const bytes of scribble) bytes.fill(0xee);
  placed.forEach(dispose);
  return settled.then(read);
}

const ciphers = ['aes-128-ctr', 'aes-256-ctr', 'aes-256-gcm', 'chacha20-poly1305'];
const calls = 2000;
{
  const rng = random('calls');
  const jobs = Array.from({ length: calls }, (_, index) => {
    const source = rng.bytes(index % 7 === 0 ? 3000 : 40);
    const job = encryption('aes-256-gcm', source, rng, { aadSize: 9 });
    return { job, expected: oracle(job) };
  });
  const tags = new Set(jobs.map(({ expected }) => expected.tag.toString('hex')));
  assert.equal(tags.size, calls, 'two calls have the same key and nonce');
  for (const style of stylesOf(jobs[0].job))
    test(`key, iv and aad changed right after each of ${calls} calls: ${style.name}`, async () => {
      const memory = memories['overwritten, and used again']();
      const started = jobs.map(({ job }) => begin(style, job, memory));
      for (const [index, { job, expected }] of jobs.entries())
        expectResult(style, job, await started[index], expected);
    });
}

for (const [title, memoryOf] of Object.entries(memories))
  test(
    `inputs ${title}, right after the call`,
    { skip: memoryOf === undefined && 'not in this version of Node' },
    async () => {
      const rng = random(title);
      const memory = memoryOf();
      for (const size of [0, 1, 10, 100, 1000, 5000, 70_000, 300_000, 2 ** 20]) {
        const source = rng.bytes(size);
        const started = [];
        const start = (job, expected) => {
          for (const style of stylesOf(job))
            started.push([style, job, begin(style, job, memory), expected]);
        };
        for (const algorithm of ['sha256', 'sha512', 'blake3']) {
          const job = { kind: 'hash', algorithm, source };
          start(job, oracle(job));
        }
        const hmac = { kind: 'hmac', algorithm: 'sha1', key: rng.bytes(32), source };
        start(hmac, oracle(hmac));
        for (const algorithm of ciphers) {
          const job = encryption(algorithm, source, rng, { aadSize: 32 });
          const expected = oracle(job);
          start(job, expected);
          start(decryption(job, expected), { output: source });
        }
        collectGarbage();
        for (const [style, job, settled, expected] of started)
          expectResult(style, job, { output: undefined, ...(await settled) }, expected);
      }
    },
  );

test('a resizable ArrayBuffer, and lent memory, may shrink to nothing', async () => {
  const rng = random('shrink');
  for (const size of [100, 5000, 300_000]) {
    const original = rng.bytes(size);
    const shrunk = (call) => {
      const view = resizable(original);
      const settled = call(view);
      shrink(view);
      return settled;
    };
    const digest = oracle({ kind: 'hash', algorithm: 'sha512', source: original }).output;
    assert.deepEqual(await shrunk(({ buffer }) => promises.hash('sha512', buffer)), digest);
    // Lent: copied or refused, never read after it is gone.
    const refused = (error) => assert.equal(error.code, 'ERR_RESIZABLE');
    const into = Buffer.alloc(64);
    await shrunk((view) => promises.hash('sha512', view, { target: into })).then(
      () => assert.deepEqual(into, digest),
      refused,
    );
    const job = encryption('aes-128-ctr', original, rng);
    const { encrypt, key, iv } = job;
    const target = Buffer.alloc(size);
    await shrunk((source) =>
      promises.cipher('aes-128-ctr', { encrypt, key, iv, source, target }),
    ).then(() => assert.deepEqual(target, oracle(job).output), refused);
  }
});

test('results of friendly calls belong to the caller alone', async () => {
  const {
    kind: _,
    algorithm,
    ...options
  } = encryption('aes-256-ctr', Buffer.alloc(500, 3), random('results'));
  const { output } = oracle({ algorithm, ...options });
  const results = await Promise.all(
    Array.from({ length: 200 }, () => promises.cipher(algorithm, options)),
  );
  const digests = Array.from({ length: 200 }, (_, index) => millrace.hash('sha256', `${index}`));
  for (const [index, result] of results.entries()) {
    assert.ok(result.equals(output), `result ${index} was changed by a neighbour`);
    assert.deepEqual(digests[index], crypto.createHash('sha256').update(`${index}`).digest());
    result.fill(0);
    digests[index].fill(0);
  }
});

test('the target of a small digest may be dropped and collected before it is written', async () => {
  const settled = Array.from({ length: 500 }, (_, index) =>
    promises.hash('sha256', Buffer.alloc(10, index), { target: Buffer.alloc(32) }),
  );
  collectGarbage();
  assert.ok((await Promise.all(settled)).every((written) => written === 32));
});

// Every asynchronous export: each argument that is bytes changes after the call, then everything.

const key = () => Buffer.alloc(32, 7);
const text = Buffer.alloc(40_000, 1);

/** Passes bytes through a stream of either kind. */
async function through(made, bytes) {
  const { readable, writable } = typeof made.readable === 'object' ? made : Duplex.toWeb(made);
  const writer = writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const [chunks] = await Promise.all([listOf(readable), written]);
  return Buffer.concat(chunks);
}

async function listOf(iterable) {
  const list = [];
  for await (const each of iterable) list.push(each);
  return list;
}

/** The stream that seals or opens with the given arguments of the other. */
function counterpart(action, by, args) {
  const options = action === 'seal' && by === 'WithPassphrase' ? { N: 1024 } : {};
  return promises[`${action}Stream${by}`](...(by === '' ? args : [args[0], options]));
}

/** Returns the options of HPKE's recipient for those of a sender. */
const received = ({ senderKey, ...options }) =>
  senderKey === undefined ? options : { ...options, senderPublicKey: senderKey };

/**
 * What is equal for equal arguments, of results that are streams, or that differ from call to call:
 * by the pattern of a name, functions of the result and of fresh arguments.
 */
const readers = [
  [
    /^encapsulate$/,
    async ({ sharedKey, ciphertext }, [key]) =>
      isDeepStrictEqual(await promises.decapsulate(key, ciphertext), sharedKey),
  ],
  [
    /^hpkeSeal$/,
    ({ encapsulatedKey, ciphertext }, [key, , options]) =>
      promises.hpkeOpen(
        key,
        encapsulatedKey,
        ciphertext,
        received({ ...options, target: undefined }),
      ),
  ],
  [
    /^createHpkeSender$/,
    async (sender, [key, options]) => {
      const { encapsulatedKey } = sender;
      const other = await promises.createHpkeRecipient(key, encapsulatedKey, received(options));
      return sender.export('x', 32).equals(other.export('x', 32));
    },
  ],
  [/^createHpkeRecipient$/, (recipient) => recipient.export('x', 32)],
  [/^generateKeyPair$/, ({ privateKey }) => privateKey?.algorithm],
  [
    /^publicEncrypt$/,
    (text, [{ oaepHash }, , options]) =>
      promises.privateDecrypt(rsaKey, text, { oaepHash, ...options, target: undefined }),
  ],
  [/^hashFilesIterator$/, listOf],
  [/^hashTransformStream$/, async (made) => [await through(made, text), await made.digest]],
  [
    /^hashPassword$/,
    (hash, [password, { salt }]) => (salt ? hash : promises.verifyPassword(password, hash)),
  ],
  [
    /^seal$/,
    (sealed, [algorithm, { key, nonce, aad = '' }]) =>
      nonce ? sealed : promises.open(algorithm, { key, source: sealed, aad }),
  ],
  [/^sealWith(Key|Passphrase)$/, (sealed, [key], by) => promises[`openWith${by}`](key, sealed)],
  [
    /^seal(?:Transform)?Stream(.*)$/,
    async (made, args, by) => through(counterpart('open', by, args), await through(made, text)),
  ],
  [
    /^open(?:Transform)?Stream(.*)$/,
    async (made, args, by) => through(made, await through(counterpart('seal', by, args), text)),
  ],
];

function readerOf(name) {
  for (const [pattern, read] of readers) {
    const match = pattern.exec(name);
    if (match) return (value, args) => read(value, args, match[1]);
  }
  return (value) => value;
}

/** Calls of what only an asynchronous function makes, or of several chunks. */
async function moreTemplates() {
  const stream = () => ({ algorithm: 'aes-256-gcm', key: key(), context: Buffer.alloc(9, 4) });
  const sealed = await through(promises.sealStream(stream()), text);
  const range = (from, to) => sealed.subarray(from, to);
  const more = [{ name: 'openRange', args: () => [range, { ...stream(), end: 20_000 }] }];
  for (const by of ['Key', 'Passphrase']) {
    const cost = by === 'Key' ? {} : { N: 1024 };
    const given = await promises[`sealWith${by}`](key(), text, cost);
    more.push(
      { name: `sealWith${by}`, args: () => [key(), Buffer.from(text), { ...cost }] },
      { name: `openWith${by}`, args: () => [key(), Buffer.from(given)] },
    );
  }
  return more;
}

/** Names of the functions with other results than those of `millrace`. */
const asynchronous = Object.keys(promises).filter(
  (name) => typeof promises[name] === 'function' && promises[name] !== millrace[name],
);

/** Functions of node-crypto that are those of Millrace; the arguments are those of `millrace`. */
const served = Object.keys(nodeCrypto).filter(
  (name) => `${name}Sync` in nodeCrypto && nodeCrypto[name] !== crypto[name],
);

/** Returns the ways to call an asynchronous function, by title. */
const asyncWaysOf = (name) =>
  Object.entries({
    ...waysOf(name, { millrace, promises }),
    ...(served.includes(name) && { 'node-crypto': waited(nodeCrypto[name]) }),
  })
    // But for the synchronous way.
    .filter(([way]) => way !== 'millrace' || /Stream/.test(name))
    .map(([way, start]) => [`${way} ${name}`, start]);

/** Calls of the functions with the shapes of noble-hashes. */
const ofNoble = Object.entries({
  pbkdf2: { pbkdf2Async: () => [sha256, key(), key(), { c: 10, dkLen: 32 }] },
  scrypt: { scryptAsync: () => [key(), key(), { N: 16, r: 1, p: 1, dkLen: 32 }] },
  argon2: Object.fromEntries(
    ['d', 'i', 'id'].map((kind) => [
      `argon2${kind}Async`,
      () => [key(), key(), { t: 1, m: 64, p: 1, key: key(), personalization: key() }],
    ]),
  ),
}).flatMap(([module, calls]) => {
  const api = require(`millrace/noble-hashes/${module}.js`);
  const names = Object.keys(api).filter((name) => name.endsWith('Async'));
  assert.deepEqual(names.sort(), Object.keys(calls).sort());
  return names.map((name) => ({
    title: `noble ${name}`,
    start: api[name],
    args: calls[name],
    read: (value) => value,
  }));
});

/** The asynchronous function that ethers gets. */
const ofEthers = {
  title: 'ethers scrypt',
  start: hooksOf(require('millrace/ethers')).scrypt,
  args: () => [key(), key(), 16, 1, 1, 32],
  read: (value) => value,
};

/** What a call writes to, besides its result: its target, and the tag of an encryption. */
function outputsOf(args) {
  const { target, encrypt, tag } = isOptions(args.at(-1)) ? args.at(-1) : {};
  return [target, encrypt ? tag : args[1] === true ? args[6] : undefined];
}

/** The bytes that a call with a target borrows: the target, and its source. */
function lentBy(args) {
  const options = args.at(-1);
  const outputs = outputsOf(args);
  // The source of a digest stands before the options.
  const sources = outputs[0] ? [...bytesIn([options.source, args.at(-2)])] : [];
  return new Set([...outputs, ...sources.map(({ value }) => value)]);
}

/** Changes all bytes, arrays and options of the arguments, and adds options. */
function changeAll(args) {
  const lent = lentBy(args);
  const change = (value) => {
    if (ArrayBuffer.isView(value)) {
      if (!lent.has(value)) value.fill(0xee);
    } else if (Array.isArray(value)) {
      value.forEach(change);
      value.fill('other').push('more');
    } else if (value instanceof Set) {
      value.forEach(change);
      value.clear();
    } else if (isOptions(value)) {
      Object.values(value).forEach(change);
      for (const option of Object.keys(value)) value[option] = undefined;
      Object.assign(value, { engine: 'none', route: 'none', key: 5, signal: AbortSignal.abort() });
    }
  };
  args.forEach(change);
}

/** Makes a call, of which the arguments change before or after it, and returns what it gives. */
async function outcomeOf({ start, args, read }, { before, after }) {
  const given = args();
  const { targetOffset = 0 } = Object(given.at(-1));
  const [target, tag] = outputsOf(given);
  before?.(given);
  try {
    const settled = start(...given);
    after?.(given);
    const value = await settled;
    const written = (size) => target.subarray(targetOffset, targetOffset + size);
    const bytes = !target
      ? value
      : typeof value === 'number'
        ? written(value)
        : { ...value, ciphertext: written(value.ciphertext) };
    return { value: await read(bytes, args()), tag };
  } catch (error) {
    return { error: error.code ?? error.message };
  }
}

/**
 * Changes each argument that is bytes in turn, then everything. Returns whether the call succeeds,
 * the paths of these arguments, and those of which a change is seen: after the call, which is
 * wrong, and before it, as it should be.
 */
async function walk(call) {
  const expected = await outcomeOf(call, {});
  const isSeen = async (change) => !isDeepStrictEqual(await outcomeOf(call, change), expected);
  const found = { succeeds: !('error' in expected), paths: [], late: [], early: [] };
  const given = call.args();
  const lent = lentBy(given);
  for (const { path, value } of bytesIn(given)) {
    if (lent.has(value)) continue;
    found.paths.push(path);
    const change = (args) => [...bytesIn(args)].find((each) => each.path === path).value.fill(0xee);
    if (await isSeen({ before: change })) found.early.push(path);
    if (await isSeen({ after: change })) found.late.push(path);
  }
  if (await isSeen({ after: changeAll })) found.late.push('all');
  return found;
}

/** There is something to change: an object that is not empty. */
const isChangeable = ({ args }) =>
  args().some((each) => typeof each === 'object' && Object.keys(each ?? {}).length > 0);

/** Returns true for a function that the default engine refuses. */
const lacks = (name) =>
  millrace.configure().engine === 'portable' && /^(sign|verify)Many$|[hH]pke/.test(name);

const callsOf = async (ways) =>
  [...templates(millrace), ...(await moreTemplates())]
    .filter((each) => asynchronous.includes(each.name) && isChangeable(each))
    .filter(({ name }) => !lacks(name))
    .flatMap(({ name, args }) =>
      ways(name).map(([title, start]) => ({ title, start, args, read: readerOf(name) })),
    );

for (const engine of ['native', 'portable'])
  test(`every asynchronous export reads its arguments at the call: ${engine}`, async () => {
    millrace.configure({ engine });
    try {
      const late = [];
      const sets = {
        titles: new Set(served.map((name) => `node-crypto ${name}`)),
        succeeded: new Set(),
        paths: new Set(),
        early: new Set(),
      };
      for (const name of asynchronous)
        if (!lacks(name)) for (const [title] of asyncWaysOf(name)) sets.titles.add(title);
      for (const call of [...(await callsOf(asyncWaysOf)), ...ofNoble, ofEthers]) {
        const { title, args } = call;
        const found = await walk(call);
        if (found.late.length > 0) late.push(`${title}(${args().map(String)}): ${found.late}`);
        if (found.succeeds) sets.succeeded.add(title);
        for (const key of ['paths', 'early'])
          for (const path of found[key]) sets[key].add(`${title} ${path}`);
      }
      assert.deepEqual(late, []);
      const missing = (all, some) => [...all].filter((each) => !some.has(each));
      // Each function has a call that succeeds, and each argument one that depends on its bytes.
      assert.deepEqual(missing(sets.titles, sets.succeeded), []);
      assert.deepEqual(missing(sets.paths, sets.early), []);
    } finally {
      millrace.configure({ engine: 'native' });
    }
  });

test('a call that read its arguments later would be found', async () => {
  const later = async (name, args) => {
    await undefined;
    return promises[name](...args);
  };
  const calls = await callsOf((name) => [[name, (...args) => later(name, args)]]);
  for (const call of calls) {
    const { early, late } = await walk(call);
    assert.deepEqual(
      late.filter((path) => path !== 'all'),
      early,
      call.title,
    );
    if (early.length > 0) assert.ok(late.includes('all'), call.title);
  }
  const job = encryption('aes-256-gcm', Buffer.alloc(40), random('later'), { aadSize: 9 });
  for (const style of stylesOf(job)) {
    const { entryPoint } = style;
    const module = Object.fromEntries(
      ['cipher', 'seal'].map((method) => [
        method,
        async (...args) => {
          await undefined;
          return entryPoint.module[method](...args);
        },
      ]),
    );
    const late = { ...style, entryPoint: { ...entryPoint, module } };
    const outcome = await begin(late, job, memories['overwritten, and used again']());
    assert.throws(() => expectResult(style, job, outcome, oracle(job)), style.name);
  }
});

test('only pairs of digests are of `millrace` alone, and synchronous', () => {
  const alone = Object.keys(millrace).filter((name) => !(name in promises));
  assert.deepEqual(alone, ['hashPairs']);
});
