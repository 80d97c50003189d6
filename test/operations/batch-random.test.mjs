// Batches against other implementations and against the single call: every algorithm, counts and
// lengths at random, all forms of sources and results, all call styles. Several messages are
// hashed at once where the CPU gains from it, so each test mixes lengths in its own way.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { hashNames, hmacNames } from '../support/algorithms.mjs';
import { subjects } from '../support/hashers.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { ways } from '../support/ways.mjs';

const randomWay = (rng) => rng.pick(Object.values(ways));
const hashOf = (algorithm, source) => oracle({ kind: 'hash', algorithm, source }).output;
/** Returns the bytes of one of many equal parts. */
const part = (bytes, index, size) => bytes.subarray(index * size, (index + 1) * size);

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
      const found = await randomWay(rng)(method, ...before, sources, options);
      const size = Buffer.concat(expected).length / sources.length;
      const wrong = expected.findIndex((digest, at) => !part(found, at, size).equals(digest));
      assert.equal(wrong, -1, `of lengths ${sources.map(({ length }) => length)}`);
      assert.equal(found.length, Buffer.concat(expected).length);
    }
  });
}

for (const algorithm of hashNames) {
  test(`${algorithm}: every count from 0 to 70 of one length`, () => {
    const size = random(`counts ${algorithm}`).below(400);
    const sources = Array.from({ length: 70 }, (_, index) =>
      data.subarray(index * 3, index * 3 + size),
    );
    const digests = sources.map((source) => hashOf(algorithm, source));
    for (let count = 0; count <= 70; count++) {
      const found = millrace.hashMany(algorithm, sources.slice(0, count));
      assert.ok(found.equals(Buffer.concat(digests.slice(0, count))), `${count} of ${size} bytes`);
    }
  });

  test(`${algorithm}: every length to 600 in one batch, in any order`, () => {
    const rng = random(`length mixes ${algorithm}`);
    const sources = Array.from({ length: 601 }, (_, size) => data.subarray(size, size * 2));
    const digests = sources.map((source) => hashOf(algorithm, source));
    const order = sources.map((_, index) => index);
    for (const each of [order, [...order].reverse(), [...order].sort(() => rng.word() - 2 ** 31)]) {
      const mixed = each.map((index) => sources[index]);
      const wanted = Buffer.concat(each.map((index) => digests[index]));
      assert.ok(millrace.hashMany(algorithm, mixed).equals(wanted));
    }
  });
}

test('packed messages of every size have the digests of single calls', async () => {
  const rng = random('packed');
  for (const subject of subjects) {
    const [method, before, options] = callOf(subject);
    const among = [rng.between(2, 64), rng.between(65, 300), rng.between(301, 3000)];
    for (const size of [1, ...among, 1024, 1025]) {
      const count = rng.below(Math.min(200, Math.floor(data.length / size)));
      const packed = data.subarray(7, 7 + count * size);
      const expected = Array.from({ length: count }, (_, index) =>
        subject.expected(part(packed, index, size)),
      );
      const found = await randomWay(rng)(method, ...before, { data: packed, size }, options);
      assert.ok(
        found.equals(Buffer.concat(expected)),
        `${subject.name}: ${count} of ${size} bytes`,
      );
    }
  }
});

// A run of 32 short messages has a request of its own.
test('runs of short messages among long ones, as bytes and as text', () => {
  const long = data.subarray(0, 1025);
  for (const run of [1, 31, 32, 33, 70])
    for (const make of [(index) => data.subarray(index, 2 * index), (index) => 'ä'.repeat(index)]) {
      const short = Array.from({ length: run }, (_, index) => make(index));
      const sources = [long, ...short, long, 'ü'.repeat(1000), ...short];
      const expected = sources.map((source) => millrace.hash('sha512', source));
      assert.ok(millrace.hashMany('sha512', sources).equals(Buffer.concat(expected)), `${run}`);
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
      const way = randomWay(rng);
      const wanted = expected.map(show);
      const given = [{ ...options, encoding }];
      if (Object.keys(options).length === 0) given.push(encoding);
      for (const last of given)
        assert.deepEqual(
          await way(method, ...before, sources, last),
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
      assert.ok(target.equals(wanted), `${subject.name}: ${sources.length} to ${targetOffset}`);
    }
  }
});

function resizable(bytes) {
  const memory = new ArrayBuffer(bytes.length, { maxByteLength: 30_000 });
  new Uint8Array(memory).set(bytes);
  return memory;
}

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
    resizable,
    (bytes) => new Uint8Array(resizable(bytes)),
    () => '',
    () => new ArrayBuffer(0),
  ];
  for (const [method, ...before] of [
    ['hash', 'sha256'],
    ['hash', 'keccak256'],
    ['hash', 'blake3'],
    ['hmac', 'sha512', 'key'],
  ]) {
    for (const way of Object.values(ways)) {
      for (const target of [false, true]) {
        const sources = messages(rng, 200, data).map((bytes) => rng.pick(kinds)(bytes));
        const single = (source) => millrace[method](...before, source);
        const expected = Buffer.concat(sources.map(single));
        const room = Buffer.alloc(expected.length);
        const options = target ? { target: room } : {};
        const outcome = await way(`${method}Many`, ...before, sources, options);
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
        const found = await randomWay(rng)('hmacMany', algorithm, each, sources);
        assert.ok(found.equals(expected), `hmac-${algorithm}, a key of ${size} bytes`);
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
  const bytes = rng.bytes(100_000 * size);
  const sources = Array.from({ length: 100_000 }, (_, index) =>
    bytes.subarray(index * size, index * size + (index % 34)),
  );
  for (const [algorithm, step] of [
    ['sha256', 1],
    ['keccak256', 997],
    ['xxh64', 997],
    ['md5', 7],
    ['sha512', 7],
  ]) {
    const all = (given) =>
      Promise.all(Object.values(ways).map((way) => way('hashMany', algorithm, given)));
    const [found, ...others] = await all(sources);
    for (const other of others) assert.ok(other.equals(found), algorithm);
    const each = found.length / sources.length;
    for (let index = 0; index < sources.length; index += step) {
      const right = part(found, index, each).equals(hashOf(algorithm, sources[index]));
      if (!right) assert.fail(`${algorithm}: message ${index}`);
    }
    const packed = await all({ data: bytes, size });
    for (let index = 0; index < 100_000; index += 1009) {
      const expected = hashOf(algorithm, part(bytes, index, size));
      for (const outcome of packed)
        assert.ok(part(outcome, index, each).equals(expected), `${algorithm}: packed ${index}`);
    }
  }
  const mac = millrace.hmacMany('sha256', 'key', sources);
  for (let index = 0; index < sources.length; index += 1009)
    assert.ok(part(mac, index, 32).equals(millrace.hmac('sha256', 'key', sources[index])));
});
