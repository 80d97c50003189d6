// Batches against other implementations and against the single call: every algorithm, counts and
// lengths at random, all forms of sources and results, all call styles. Several messages are
// hashed at once where the CPU gains from it, so each test mixes lengths in its own way.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hashNames, hmacNames } from '../support/algorithms.mjs';
import { subjects } from '../support/hashers.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const ways = {
  sync: (method, ...given) => millrace[method](...given),
  callback: (method, ...given) =>
    new Promise((resolve, reject) => {
      assert.equal(
        millrace[method](...given, (error, result) => (error ? reject(error) : resolve(result))),
        undefined,
      );
    }),
  promise: (method, ...given) => {
    const promise = promises[method](...given);
    assert.ok(promise instanceof Promise);
    return promise;
  },
};

/**
 * Returns the call's beginning for a subject of support/hashers.mjs: method, arguments before
 * sources, options.
 */
const callOf = ({ kind, algorithm, key, options }) =>
  kind === 'hmac' ? ['hmacMany', [algorithm, key], {}] : ['hashMany', [algorithm], options];

const mixtures = {
  'all short': (rng) => rng.below(70),
  'all lengths': (rng) => rng.below(3000),
  'one length': (rng, index, fixed) => fixed,
  'around one length': (rng, index, fixed) => Math.max(0, fixed + rng.between(-2, 2)),
  'around blocks': (rng) =>
    Math.max(0, rng.pick([64, 128, 136, 144, 72, 104, 168]) * rng.below(5) + rng.between(-17, 1)),
  'mostly short, a few long': (rng) =>
    rng.chance(0.05) ? rng.between(2000, 20_000) : rng.below(64),
  growing: (rng, index) => index * 7,
  shrinking: (rng, index, fixed, count) => (count - index) * 7,
  'empty ones between': (rng, index) => (index % 2 ? 0 : rng.below(300)),
};

function messages(rng, count, data) {
  const size = rng.pick(Object.values(mixtures));
  const fixed = rng.below(3000);
  return Array.from({ length: count }, (_, index) => {
    const length = size(rng, index, fixed, count);
    const from = rng.below(data.length - length);
    return data.subarray(from, from + length);
  });
}

const data = random('batch data').bytes(40_000);

for (const subject of subjects) {
  test(`random batches: ${subject.name}`, async () => {
    const rng = random(`batch ${subject.name}`);
    const [method, before, options] = callOf(subject);
    for (let round = 0; round < 8; round++) {
      const sources = messages(rng, round < 2 ? rng.below(6) : rng.below(300), data);
      const expected = sources.map(subject.expected);
      const way = ways[rng.pick(['sync', 'sync', 'callback', 'promise'])];
      const found = await way(method, ...before, sources, options);
      const whole = Buffer.concat(expected);
      if (!found.equals(whole)) {
        const size = whole.length / sources.length;
        const wrong = sources.findIndex(
          (_, index) => !found.subarray(index * size, (index + 1) * size).equals(expected[index]),
        );
        assert.fail(
          `${subject.name}: message ${wrong} of ${sources.length}, lengths ` +
            `${sources.map(({ length }) => length)}`,
        );
      }
    }
  });
}

test('every count from 0 to 70, one length, every algorithm', () => {
  const rng = random('counts');
  for (const algorithm of hashNames) {
    const options = {};
    const size = rng.below(400);
    const sources = Array.from({ length: 70 }, (_, index) =>
      data.subarray(index * 3, index * 3 + size),
    );
    const all = Buffer.concat(
      sources.map((source) => oracle({ kind: 'hash', algorithm, source, ...options }).output),
    );
    const each = all.length / 70;
    for (let count = 0; count <= 70; count++)
      assert.ok(
        millrace
          .hashMany(algorithm, sources.slice(0, count), options)
          .equals(all.subarray(0, count * each)),
        `${algorithm}, ${count} messages of ${size} bytes`,
      );
  }
});

test('every length to 600 in one batch, forwards, backwards and shuffled', () => {
  const rng = random('length mixes');
  for (const algorithm of hashNames) {
    const options = {};
    const sources = Array.from({ length: 601 }, (_, size) => data.subarray(size, size * 2));
    const digests = sources.map(
      (source) => oracle({ kind: 'hash', algorithm, source, ...options }).output,
    );
    const order = sources.map((_, index) => index);
    for (const each of [order, [...order].reverse(), [...order].sort(() => rng.word() - 2 ** 31)]) {
      const found = millrace.hashMany(
        algorithm,
        each.map((index) => sources[index]),
        options,
      );
      assert.ok(found.equals(Buffer.concat(each.map((index) => digests[index]))), algorithm);
    }
  }
});

test('packed messages of every size have the digests of single calls', async () => {
  const rng = random('packed');
  for (const subject of subjects) {
    const [method, before, options] = callOf(subject);
    for (const size of [
      1,
      rng.between(2, 64),
      rng.between(65, 300),
      rng.between(301, 3000),
      1024,
      1025,
    ]) {
      const count = rng.below(Math.min(200, Math.floor(data.length / size)));
      const packed = data.subarray(7, 7 + count * size);
      const expected = Array.from({ length: count }, (_, index) =>
        subject.expected(packed.subarray(index * size, (index + 1) * size)),
      );
      const found = await ways[rng.pick(Object.keys(ways))](
        method,
        ...before,
        { data: packed, size },
        options,
      );
      assert.ok(
        found.equals(Buffer.concat(expected)),
        `${subject.name}: ${count} messages of ${size} bytes`,
      );
    }
  }
});

test('batches give digests in every encoding', async () => {
  const rng = random('encodings');
  for (const subject of subjects) {
    const [method, before, options] = callOf(subject);
    const sources = messages(rng, rng.below(40), data);
    const expected = sources.map(subject.expected);
    const shown = {
      buffer: (digest) => digest,
      hex: (digest) => digest.toString('hex'),
      '0xhex': (digest) => `0x${digest.toString('hex')}`,
      base64: (digest) => digest.toString('base64'),
      base64url: (digest) => digest.toString('base64url'),
      bigint: (digest) => BigInt(`0x${digest.toString('hex')}`),
    };
    for (const [encoding, show] of Object.entries(shown)) {
      const way = ways[rng.pick(Object.keys(ways))];
      const wanted = expected.map(show);
      assert.deepEqual(
        await way(method, ...before, sources, { ...options, encoding }),
        wanted,
        `${subject.name}, ${encoding}`,
      );
      if (Object.keys(options).length === 0)
        assert.deepEqual(
          await way(method, ...before, sources, encoding),
          wanted,
          `${subject.name}, ${encoding}`,
        );
    }
  }
});

test('targets take digests at any offset', async () => {
  const rng = random('targets');
  for (const subject of subjects) {
    const [method, before, options] = callOf(subject);
    for (const way of Object.values(ways)) {
      const sources = messages(rng, rng.below(100), data);
      const expected = Buffer.concat(sources.map(subject.expected));
      const targetOffset = rng.below(40);
      const target = Buffer.alloc(targetOffset + expected.length + rng.below(20), 0xa5);
      const wanted = Buffer.from(target);
      expected.copy(wanted, targetOffset);
      assert.equal(
        await way(method, ...before, sources, { ...options, target, targetOffset }),
        expected.length,
      );
      assert.ok(
        target.equals(wanted),
        `${subject.name}: ${sources.length} messages to ${targetOffset}`,
      );
    }
  }
});

test('strings, views and buffers may be mixed', async () => {
  const rng = random('mixed');
  const kinds = [
    (bytes) => bytes,
    (bytes) => bytes.toString('latin1'),
    (bytes) => `grün 日本 ${bytes.toString('hex')} \ud800`,
    (bytes) => Uint8Array.from(bytes).buffer,
    (bytes) => new DataView(Uint8Array.from(bytes).buffer),
    (bytes) => new Float64Array(Uint8Array.from(bytes).buffer.slice(0, bytes.length & ~7)),
    (bytes) => new Uint8Array(new SharedArrayBuffer(bytes.length)),
    (bytes) =>
      ((memory) => (new Uint8Array(memory).set(bytes), memory))(
        new ArrayBuffer(bytes.length, { maxByteLength: 30_000 }),
      ),
    (bytes) =>
      ((memory) => (new Uint8Array(memory).set(bytes), new Uint8Array(memory)))(
        new ArrayBuffer(bytes.length, { maxByteLength: 30_000 }),
      ),
    () => '',
    () => new ArrayBuffer(0),
  ];
  for (const [method, before] of [
    ['hashMany', ['sha256']],
    ['hashMany', ['keccak256']],
    ['hashMany', ['blake3']],
    ['hmacMany', ['sha512', 'key']],
  ]) {
    const single =
      method === 'hashMany'
        ? (source) => millrace.hash(before[0], source)
        : (source) => millrace.hmac('sha512', 'key', source);
    for (const way of Object.values(ways)) {
      for (const target of [false, true]) {
        const sources = messages(rng, 200, data).map((bytes) => rng.pick(kinds)(bytes));
        const expected = Buffer.concat(sources.map(single));
        const room = Buffer.alloc(expected.length);
        const outcome = await way(method, ...before, sources, target ? { target: room } : {});
        assert.ok((target ? room : outcome).equals(expected), `${method} ${before[0]}`);
      }
    }
  }
});

test('hmacMany takes every kind of key', async () => {
  const rng = random('mac keys');
  const sources = messages(rng, 60, data);
  for (const algorithm of hmacNames) {
    for (const size of [0, 1, 31, 63, 64, 65, 127, 128, 129, 136, 145, 300]) {
      const key = rng.bytes(size);
      const expected = Buffer.concat(
        sources.map((source) => oracle({ kind: 'hmac', algorithm, key, source }).output),
      );
      const prepared = millrace.createKey(`hmac-${algorithm}`, key);
      for (const each of [key, prepared, Uint8Array.from(key).buffer]) {
        assert.ok(
          (await ways[rng.pick(Object.keys(ways))]('hmacMany', algorithm, each, sources)).equals(
            expected,
          ),
          `hmac-${algorithm}, a key of ${size} bytes`,
        );
      }
      prepared.dispose();
      for (const way of Object.values(ways))
        await assert.rejects(async () => way('hmacMany', algorithm, prepared, sources), {
          code: 'ERR_KEY_DISPOSED',
        });
    }
  }
});

test('100,000 messages are hashed in one call', async () => {
  const rng = random('100,000');
  const size = 33;
  const all = rng.bytes(100_000 * size);
  const sources = Array.from({ length: 100_000 }, (_, index) =>
    all.subarray(index * size, index * size + (index % 34)),
  );
  for (const [algorithm, step] of [
    ['sha256', 1],
    ['keccak256', 997],
    ['xxh64', 997],
    ['md5', 7],
    ['sha512', 7],
  ]) {
    const found = await Promise.all(
      Object.values(ways).map((way) => way('hashMany', algorithm, sources)),
    );
    assert.ok(
      found.every((each) => each.equals(found[0])),
      algorithm,
    );
    const each = found[0].length / sources.length;
    for (let index = 0; index < sources.length; index += step) {
      if (
        !found[0]
          .subarray(index * each, (index + 1) * each)
          .equals(oracle({ kind: 'hash', algorithm, source: sources[index] }).output)
      )
        assert.fail(`${algorithm}: message ${index}`);
    }
    const packed = await Promise.all(
      Object.values(ways).map((way) => way('hashMany', algorithm, { data: all, size })),
    );
    for (let index = 0; index < 100_000; index += 1009) {
      const expected = oracle({
        kind: 'hash',
        algorithm,
        source: all.subarray(index * size, (index + 1) * size),
      }).output;
      for (const outcome of packed)
        assert.ok(
          outcome.subarray(index * each, (index + 1) * each).equals(expected),
          `${algorithm}: packed message ${index}`,
        );
    }
  }
  const [mac] = [millrace.hmacMany('sha256', 'key', sources)];
  for (let index = 0; index < sources.length; index += 1009)
    assert.ok(
      mac.subarray(index * 32, (index + 1) * 32).equals(
        oracle({
          kind: 'hmac',
          algorithm: 'sha256',
          key: Buffer.from('key'),
          source: sources[index],
        }).output,
      ),
    );
});
