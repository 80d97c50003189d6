// The copies that an asynchronous call has made when it returns: secrets always, the source in the
// friendly forms. Then the caller may wipe, reuse, transfer or shrink them at once.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { Duplex } from 'node:stream';
import { test } from 'node:test';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import nodeCrypto from 'millrace/node-crypto';
import promises from 'millrace/promises';

import { templates } from '../support/calls.mjs';
import { ciphers } from '../support/algorithms.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { cipherOptions } from '../support/offsets.mjs';

const require = createRequire(import.meta.url);
const { sha256 } = require('millrace/noble-hashes/sha2.js');

const calls = 2000;

/**
 * A cipher call in each form; each takes `{ algorithm, key, iv, source, aad, tag }` and gives what
 * the oracle gives.
 */
const forms = {
  'callback, options': (job) =>
    waited(millrace, 'cipher', [
      job.algorithm,
      { encrypt: true, key: job.key, iv: job.iv, source: job.source, aad: job.aad, tag: job.tag },
    ]).then((output) => ({ output, tag: job.tag })),
  'callback, positional': (job) =>
    waited(millrace, 'cipher', [
      job.algorithm,
      true,
      job.key,
      job.iv,
      job.source,
      job.aad,
      job.tag,
    ]).then((output) => ({ output, tag: job.tag })),
  'callback, target': (job) =>
    waited(millrace, 'cipher', cipherOptions(windowArgs(job))).then(() => ({
      output: job.target,
      tag: job.tag,
    })),
  'callback, seal': (job) =>
    waited(millrace, 'seal', [job.algorithm, sealOptions(job)]).then(split),
  'promise, options': (job) =>
    promises
      .cipher(job.algorithm, {
        encrypt: true,
        key: job.key,
        iv: job.iv,
        source: job.source,
        aad: job.aad,
        tag: job.tag,
      })
      .then((output) => ({ output, tag: job.tag })),
  'promise, target': (job) =>
    promises
      .cipher(...cipherOptions(windowArgs(job)))
      .then(() => ({ output: job.target, tag: job.tag })),
  'promise, seal': (job) => promises.seal(job.algorithm, sealOptions(job)).then(split),
  'drop-in, positional': (job) =>
    waited(cryptoAsync, 'cipher', [
      job.algorithm,
      1,
      job.key,
      job.iv,
      job.source,
      job.aad,
      job.tag,
    ]).then((output) => ({ output, tag: job.tag })),
  'drop-in, window': (job) =>
    waited(cryptoAsync, 'cipher', windowArgs(job)).then(() => ({
      output: job.target,
      tag: job.tag,
    })),
};

for (const [title, call] of Object.entries(forms)) {
  test(`key wiped, iv and aad changed right after each of ${calls} calls: ${title}`, async () => {
    const rng = random(title);
    const algorithm = 'aes-256-gcm';
    const key = Buffer.alloc(32);
    const iv = Buffer.alloc(12);
    const aad = Buffer.alloc(9);
    const jobs = Array.from({ length: calls }, (_, index) => {
      const [keyBytes, aadBytes] = [rng.bytes(32), rng.bytes(9)];
      keyBytes.copy(key);
      aadBytes.copy(aad);
      iv.writeUInt32BE(index, 8);
      const source = rng.bytes(index % 7 === 0 ? 3000 : 40);
      const job = {
        algorithm,
        key,
        iv,
        source,
        aad,
        tag: Buffer.alloc(16),
        target: Buffer.alloc(source.length),
      };
      const expected = oracle({
        kind: 'cipher',
        algorithm,
        encrypt: true,
        key: keyBytes,
        iv: Buffer.from(iv),
        source: Buffer.from(source),
        aad: aadBytes,
      });
      const settled = call(job);
      key.fill(0);
      iv.fill(0xff);
      aad.fill(0);
      return { settled, expected };
    });
    const outputs = new Set();
    for (const { settled, expected } of jobs) {
      const { output, tag } = await settled;
      assert.ok(
        output.equals(expected.output) && tag.equals(expected.tag),
        'wrong ciphertext or tag',
      );
      outputs.add(tag.toString('hex'));
    }
    assert.equal(outputs.size, calls, 'two calls had the same key and nonce');
  });
}

for (const size of [0, 1, 100, 1000, 5000, 70_000, 2 ** 20]) {
  test(`source of ${size} bytes overwritten right after friendly calls`, async () => {
    const rng = random(`source ${size}`);
    const source = rng.bytes(size);
    const original = Buffer.from(source);
    const [key, iv, gcmIv] = [rng.bytes(32), rng.bytes(16), rng.bytes(12)];
    const stream = oracle({
      kind: 'cipher',
      algorithm: 'aes-256-ctr',
      encrypt: true,
      key,
      iv,
      source: original,
    }).output;
    const sealed = oracle({
      kind: 'cipher',
      algorithm: 'aes-256-gcm',
      encrypt: true,
      key,
      iv: gcmIv,
      source: original,
      aad: Buffer.alloc(0),
    });
    const digest = oracle({ kind: 'hash', algorithm: 'sha256', source: original }).output;
    const mac = oracle({ kind: 'hmac', algorithm: 'sha1', key, source: original }).output;
    const started = [
      [() => promises.hash('sha256', source), digest],
      [() => waited(millrace, 'hash', ['sha256', source, 'hex']), digest.toString('hex')],
      [() => waited(cryptoAsync, 'hash', ['sha256', source]), digest],
      [() => promises.hmac('sha1', key, source), mac],
      [() => waited(cryptoAsync, 'hmac', ['sha1', key, source]), mac],
      [() => promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source }), stream],
      [() => waited(millrace, 'cipher', ['aes-256-ctr', 0, key, iv, source]), stream],
      [() => waited(cryptoAsync, 'cipher', ['aes-256-ctr', 1, key, iv, source]), stream],
      [
        () => promises.seal('aes-256-gcm', { key, nonce: gcmIv, source }),
        Buffer.concat([sealed.output, sealed.tag]),
      ],
    ].map(([start, expected]) => {
      original.copy(source);
      const settled = start();
      source.fill(0xee);
      return { settled, expected };
    });
    for (const [index, { settled, expected }] of started.entries())
      assert.deepEqual(await settled, expected, `call ${index}`);

    const ciphertext = Buffer.concat([sealed.output, sealed.tag]);
    const given = Buffer.from(ciphertext);
    const tag = Buffer.from(sealed.tag);
    const opened = [
      promises.open('aes-256-gcm', { key, nonce: gcmIv, source: given }),
      waited(millrace, 'open', ['aes-256-gcm', { key, nonce: gcmIv, source: given }]),
    ];
    given.fill(0);
    const body = Buffer.from(sealed.output);
    opened.push(
      promises.cipher('aes-256-gcm', { encrypt: false, key, iv: gcmIv, source: body, tag }),
    );
    body.fill(0);
    tag.fill(0);
    for (const settled of opened) assert.ok((await settled).equals(original));
  });
}

for (const { name, detach } of [
  { name: 'structuredClone', detach: (buffer) => structuredClone(buffer, { transfer: [buffer] }) },
  {
    name: 'ArrayBuffer.prototype.transfer',
    detach: ArrayBuffer.prototype.transfer && ((buffer) => buffer.transfer(0)),
  },
]) {
  test(
    `inputs transferred away right after friendly calls: ${name}`,
    { skip: detach === undefined && 'not in this version of Node' },
    async () => {
      const rng = random(`transfer ${name}`);
      for (let round = 0; round < 40; round++) {
        const size = rng.pick([10, 5000, 300_000, 2 ** 20]);
        const original = rng.bytes(size);
        const fresh = (bytes) => Uint8Array.from(bytes);
        const [keyBytes, ivBytes] = [rng.bytes(32), rng.bytes(12)];
        const expected = oracle({
          kind: 'cipher',
          algorithm: 'chacha20-poly1305',
          encrypt: true,
          key: keyBytes,
          iv: ivBytes,
          source: original,
          aad: keyBytes,
        });
        const digest = oracle({ kind: 'hash', algorithm: 'blake3', source: original }).output;
        const started = [];
        for (const start of [
          (inputs) =>
            promises
              .seal('chacha20-poly1305', {
                key: inputs.key,
                nonce: inputs.iv,
                source: inputs.source,
                aad: inputs.aad,
              })
              .then(split),
          (inputs) =>
            waited(cryptoAsync, 'cipher', [
              'chacha20-poly1305',
              1,
              ...[inputs.key, inputs.iv, inputs.source, inputs.aad].map(asBuffer),
              (inputs.tag = Buffer.alloc(16)),
            ]).then((output) => ({ output, tag: inputs.tag })),
        ]) {
          const inputs = {
            key: fresh(keyBytes),
            iv: fresh(ivBytes),
            source: fresh(original),
            aad: fresh(keyBytes),
          };
          started.push([start(inputs), expected]);
          for (const input of [inputs.key, inputs.iv, inputs.source, inputs.aad])
            detach(input.buffer);
        }
        const source = fresh(original);
        started.push([
          promises.hash('blake3', source).then((output) => ({ output })),
          { output: digest },
        ]);
        detach(source.buffer);
        if (round % 10 === 0) collectGarbage();
        for (const [settled, wanted] of started) {
          const { output, tag } = await settled;
          assert.ok(output.equals(wanted.output));
          if (wanted.tag) assert.ok(tag.equals(wanted.tag));
        }
      }
    },
  );
}

test('resizable inputs may shrink to nothing right after the call', async () => {
  const rng = random('shrink');
  for (const size of [100, 5000, 300_000]) {
    const original = rng.bytes(size);
    const digest = oracle({ kind: 'hash', algorithm: 'sha512', source: original }).output;
    const start = (call) => {
      const memory = new ArrayBuffer(size, { maxByteLength: size });
      const view = new Uint8Array(memory);
      view.set(original);
      const settled = call(view, memory);
      memory.resize(0);
      return settled;
    };
    assert.deepEqual(await start((view) => promises.hash('sha512', view)), digest);
    assert.deepEqual(await start((view, memory) => promises.hash('sha512', memory)), digest);
    assert.deepEqual(await start((view) => waited(millrace, 'hash', ['sha512', view])), digest);
    const key = rng.bytes(16);
    const iv = rng.bytes(16);
    const expected = oracle({
      kind: 'cipher',
      algorithm: 'aes-128-ctr',
      encrypt: true,
      key,
      iv,
      source: original,
    }).output;
    assert.deepEqual(
      await start((view) =>
        promises.cipher('aes-128-ctr', { encrypt: true, key, iv, source: view }),
      ),
      expected,
    );
    // Lent: copied or refused, never read after it is gone.
    await start((view) => promises.hash('sha512', view, { target: Buffer.alloc(64) })).then(
      (written) => assert.equal(written, 64),
      (error) => assert.equal(error.code, 'ERR_RESIZABLE'),
    );
    const target = Buffer.alloc(size);
    await start((view) =>
      promises.cipher('aes-128-ctr', { encrypt: true, key, iv, source: view, target }),
    ).then(
      () => assert.deepEqual(target, expected),
      (error) => assert.equal(error.code, 'ERR_RESIZABLE'),
    );
  }
});

test('results of friendly calls belong to the caller alone', async () => {
  const key = Buffer.alloc(32, 1);
  const iv = Buffer.alloc(16, 2);
  const source = Buffer.alloc(500, 3);
  const expected = oracle({
    kind: 'cipher',
    algorithm: 'aes-256-ctr',
    encrypt: true,
    key,
    iv,
    source,
  }).output;
  const results = await Promise.all(
    Array.from({ length: 200 }, () =>
      promises.cipher('aes-256-ctr', { encrypt: true, key, iv, source }),
    ),
  );
  for (const [index, result] of results.entries()) {
    assert.ok(result.equals(expected), `result ${index} was changed by a neighbour`);
    result.fill(0);
  }
  const digests = Array.from({ length: 200 }, (_, index) => millrace.hash('sha256', `${index}`));
  for (const [index, digest] of digests.entries()) {
    assert.ok(
      digest.equals(
        oracle({ kind: 'hash', algorithm: 'sha256', source: Buffer.from(`${index}`) }).output,
      ),
    );
    digest.fill(0);
  }
});

test('the target of a small digest may be dropped and collected before it is written', async () => {
  const settled = Array.from({ length: 500 }, (_, index) =>
    promises.hash('sha256', Buffer.alloc(10, index), { target: Buffer.alloc(32) }),
  );
  collectGarbage();
  assert.ok((await Promise.all(settled)).every((written) => written === 32));
});

// Every asynchronous export: all arguments change right after the call.

const key = () => Buffer.alloc(32, 7);
const nonce = () => Buffer.alloc(12, 3);
const stream = () => ({ algorithm: 'aes-256-gcm', key: key(), context: Buffer.alloc(9, 4) });
const text = Buffer.alloc(40_000, 1);
const cost = { memory: 64, passes: 1 };
const same = (value) => value;

/**
 * Calls that templates lack or make with arguments that are refused, by name: each makes its
 * arguments and, where results differ from call to call, what must be equal.
 */
async function specialCalls() {
  const seal = {
    stream: await through(promises.sealStream(stream()), text),
    Key: await promises.sealWithKey(key(), text),
    Passphrase: await promises.sealWithPassphrase(key(), text, { N: 1024 }),
  };
  const special = {
    hashFiles: [[() => ['sha256', [import.meta.filename ?? process.execPath]]]],
    hashTransformStream: [
      [
        () => ['blake3', 'hex', { key: key() }],
        async (made) => [await through(made, text), await made.digest],
      ],
    ],
    hashPassword: [[() => [key(), { ...cost, secret: key() }], verified({ secret: key() })]],
    openRange: [
      [() => [(from, to) => seal.stream.subarray(from, to), { ...stream(), end: 20_000 }]],
    ],
    seal: [
      [() => ['aes-256-gcm', { key: key(), nonce: nonce(), source: key(), aad: key() }]],
      [
        () => ['aes-256-gcm', { key: key(), source: key() }],
        (source) => promises.open('aes-256-gcm', { key: key(), source }),
      ],
      [() => ['aes-256-gcm', { key: key(), nonce: nonce(), source: Buffer.alloc(2 ** 20, 1) }]],
    ],
    verifyPassword: [[() => [key(), millrace.hashPassword(key(), cost), { maxTime: 1000 }]]],
    ...Object.fromEntries(
      ['Key', 'Passphrase'].flatMap((by) => [
        [
          `sealWith${by}`,
          [
            [
              () => [key(), Buffer.from(text), by === 'Key' ? {} : { N: 1024 }],
              (sealed) => promises[`openWith${by}`](key(), sealed),
            ],
          ],
        ],
        [`openWith${by}`, [[() => [key(), Buffer.from(seal[by])]]]],
      ]),
    ),
  };
  for (const transform of ['', 'Transform'])
    for (const by of ['', 'WithKey', 'WithPassphrase']) {
      const given =
        by === '' ? () => [stream()] : () => [key(), by === 'WithKey' ? {} : { N: 1024 }];
      const opening = by === '' ? given : () => [key(), {}];
      special[`seal${transform}Stream${by}`] = [
        [
          given,
          async (made) =>
            through(promises[`openStream${by}`](...opening()), await through(made, text)),
        ],
      ];
      special[`open${transform}Stream${by}`] = [
        [opening, (made) => through(made, seal[by.slice(4) || 'stream'])],
      ];
    }
  return special;
}

/** Exports whose results say nothing of their arguments, or that are synchronous in both. */
const synchronous = ['MillraceError', 'configure', 'createKey', 'engines', 'generateKey']
  .concat(['getCiphers', 'getHashes', 'needsRehash', 'randomBytes', 'timingSafeEqual'])
  .concat(['Cipher', 'Decipher', 'Hash', 'Hmac', 'Key', 'hashPairs'])
  .concat(['createCipher', 'createDecipher', 'createHash', 'createHmac']);

const verified = (options) => async (hash) => promises.verifyPassword(key(), hash, options);

/** Returns the asynchronous functions of the entry points with the shapes of other packages. */
function callsOfShapes() {
  const argon2 = {
    message: key(),
    nonce: key(),
    parallelism: 1,
    tagLength: 32,
    memory: 64,
    passes: 1,
  };
  const node = {
    hkdf: () => ['sha256', key(), key(), key(), 32],
    pbkdf2: () => [key(), key(), 10, 32, 'sha256'],
    scrypt: () => [key(), key(), 32, { N: 16 }],
    argon2: () => ['argon2id', { ...argon2, message: key(), nonce: key() }],
  };
  const noble = {
    pbkdf2: { pbkdf2Async: () => [sha256, key(), key(), { c: 10, dkLen: 32 }] },
    scrypt: { scryptAsync: () => [key(), key(), { N: 16, r: 1, p: 1, dkLen: 32 }] },
    argon2: Object.fromEntries(
      ['d', 'i', 'id'].map((kind) => [
        `argon2${kind}Async`,
        () => [key(), key(), { t: 1, m: 64, p: 1, key: key(), personalization: key() }],
      ]),
    ),
  };
  const served = Object.keys(nodeCrypto).filter(
    (name) => `${name}Sync` in nodeCrypto && nodeCrypto[name] !== crypto[name],
  );
  for (const name of served) assert.ok(name in node, `node-crypto: ${name} is not called here`);
  return [
    ...served.map((name) => [
      `node-crypto ${name}`,
      (...args) => waited(nodeCrypto, name, args),
      node[name],
    ]),
    ...Object.entries(noble).flatMap(([module, calls]) => {
      const api = require(`millrace/noble-hashes/${module}.js`);
      const names = Object.keys(api).filter((name) => name.endsWith('Async'));
      assert.deepEqual(names.sort(), Object.keys(calls).sort());
      return names.map((name) => [`noble ${name}`, api[name], calls[name]]);
    }),
  ];
}

/** Passes bytes through a stream of either kind. */
async function through(made, bytes) {
  const { readable, writable } = typeof made.readable === 'object' ? made : Duplex.toWeb(made);
  const writer = writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const chunks = [];
  for await (const chunk of readable) chunks.push(Buffer.from(chunk));
  await written;
  return Buffer.concat(chunks);
}

/** The arguments that a call with a target borrows: the target, and its source. */
const lent = new Set(['source', 'target']);

/** Changes all bytes, arrays and options of the arguments, and adds options. */
function change(args) {
  const lends = args.some((each) => each?.target !== undefined);
  const scribble = (value, name) => {
    if (ArrayBuffer.isView(value)) {
      if (!lends || !lent.has(name)) value.fill(0xee);
    } else if (Array.isArray(value)) {
      value.forEach((each) => scribble(each));
      value.fill('other').push('more');
    } else if (value instanceof Set) {
      value.clear();
    } else if (Object.getPrototypeOf(value ?? '') === Object.prototype) {
      for (const [option, each] of Object.entries(value)) {
        if (!lends || !lent.has(option)) scribble(each, option);
        value[option] = undefined;
      }
      Object.assign(value, { engine: 'none', route: 'none', key: 5, signal: AbortSignal.abort() });
    }
  };
  // The source of a digest is its second argument.
  args.forEach((each, index) =>
    scribble(each, index > 0 && ArrayBuffer.isView(each) ? 'source' : ''),
  );
}

async function listOf(iterable) {
  const list = [];
  for await (const each of iterable) list.push(each);
  return list;
}

async function outcomeOf(start, args, equal, changes) {
  const target = args.find((each) => each?.target !== undefined)?.target;
  let settled = start(...args);
  if (changes) change(args);
  // An iterator of files.
  if (settled[Symbol.asyncIterator] && !settled.pipe) settled = listOf(settled);
  const value = await equal(await settled);
  return target === undefined ? value : [value, Buffer.from(target)];
}

for (const engine of ['native', 'portable'])
  test(`every asynchronous export reads its arguments at the call: ${engine}`, async () => {
    millrace.configure({ engine });
    try {
      const special = await specialCalls();
      const calls = [
        ...Object.entries(special).flatMap(([name, list]) => list.map((each) => [name, ...each])),
        ...templates(millrace)
          .filter(({ name }) => !(name in special) && !synchronous.includes(name))
          .map(({ name, args }) => [name, args]),
      ];
      for (const [entryPoint, module] of Object.entries({ millrace, promises })) {
        const functions = Object.keys(module).filter((name) => typeof module[name] === 'function');
        assert.deepEqual(
          functions.filter((n) => !synchronous.includes(n) && !calls.some(([name]) => name === n)),
          [],
          `${entryPoint}: exports that are not called here`,
        );
      }
      const wrong = [];
      for (const [name, start, args, equal = same] of [
        ...calls.map(([name, ...given]) => [`promises ${name}`, promises[name], ...given]),
        ...calls
          .filter(([name]) => name in millrace)
          .map(([name, ...given]) => [
            `millrace ${name}`,
            /Stream/.test(name) ? millrace[name] : (...args) => waited(millrace, name, args),
            ...given,
          ]),
        ...callsOfShapes(),
      ]) {
        const expected = await outcomeOf(start, args(), equal, false);
        try {
          assert.deepEqual(await outcomeOf(start, args(), equal, true), expected);
        } catch (error) {
          wrong.push(`${name}(${args().map(String)}): ${error.message.split('\n')[0]}`);
        }
      }
      assert.deepEqual(wrong, []);
    } finally {
      millrace.configure({ engine: 'native' });
    }
  });

function windowArgs({ algorithm, key, iv, source, aad, tag, target }) {
  return [
    algorithm,
    1,
    key,
    0,
    ciphers[algorithm].key,
    iv,
    0,
    ciphers[algorithm].iv,
    source,
    0,
    source.length,
    target,
    0,
    aad,
    0,
    aad.length,
    tag,
    0,
    tag.length,
  ];
}

function sealOptions({ key, iv, source, aad }) {
  return { key, nonce: iv, source, aad };
}

function split(sealed) {
  return { output: sealed.subarray(0, -16), tag: sealed.subarray(-16) };
}

function asBuffer(view) {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

function waited(entryPoint, method, args) {
  return new Promise((resolve, reject) => {
    entryPoint[method](...args, (error, value) => (error ? reject(error) : resolve(value)));
  });
}
