// Published vectors through every entry point and call style. Where they come from:
// vectors/README.md.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';

import { ciphers, hashes } from '../support/algorithms.mjs';
import {
  attempt,
  describe,
  expectFailure,
  expectResult,
  ways,
  callStylesFor,
} from '../support/entry-points.mjs';

const walked = new Set();

walk('hashes', hashVectors());
walk('digests', digestVectors());
walk('hmacs', hmacVectors());
walk('ciphers', cipherVectors());
walk('Wycheproof HMAC', wycheproofHmac());
walk('Wycheproof AEAD', wycheproofAead());

test('every call style of every entry point is used by a vector', () => {
  const unused = ways.filter((way) => !walked.has(way.name)).map((way) => way.name);
  assert.deepEqual(unused, []);
});

/**
 * Makes one test for each algorithm and way, over all its vectors: `{ job, expected }`, `{ job,
 * code }` where the job must fail, or `{ job, mac }`.
 */
function walk(title, vectors) {
  const groups = new Map();
  for (const vector of vectors) {
    const found = callStylesFor(vector.job);
    assert.ok(found.length > 0, `nothing offers ${vector.job.algorithm}`);
    for (const way of found) {
      const name = `${title}: ${vector.job.algorithm}: ${way.kind}: ${way.name}`;
      if (!groups.has(name)) groups.set(name, { way, vectors: [] });
      groups.get(name).vectors.push(vector);
    }
  }
  assert.ok(groups.size > 0, `no vectors in ${title}`);
  for (const [name, { way, vectors }] of groups) {
    walked.add(way.name);
    test(name, async () => {
      // All in flight at once in the asynchronous ways.
      await Promise.all(
        vectors.map(async ({ job, expected, code, mac, note }) => {
          const outcome = await attempt(way, job);
          try {
            if (code) expectFailure(way, job, outcome, code);
            else if (mac) expectMac(way, job, outcome, mac);
            else expectResult(way, job, outcome, expected);
          } catch (error) {
            error.message = `${note}: ${error.message}`;
            throw error;
          }
        }),
      );
    });
  }
}

function expectMac(way, job, { error, output }, { tag, valid, size }) {
  assert.ifError(error);
  assert.equal(output.length, hashes[job.algorithm].digest, describe(way, job));
  assert.equal(output.subarray(0, size).equals(tag), valid, describe(way, job));
}

function* hashVectors() {
  for (const { algorithm, standard, digest, seed, key, ...input } of load('hashes.json')) {
    const expected = { output: hex(digest) };
    const size = expected.output.length;
    const facts = hashes[algorithm];
    yield {
      note: standard,
      expected,
      job: {
        kind: 'hash',
        algorithm,
        source: message(input),
        ...(size !== facts.digest && { outputLength: size }),
        ...(seed !== undefined && { seed: BigInt(seed) }),
        ...(key !== undefined && { key: hex(key) }),
      },
    };
    // The default length of an extendable output is its beginning.
    if (facts.xof && size > facts.digest && key === undefined) {
      yield {
        note: standard,
        expected: { output: expected.output.subarray(0, facts.digest) },
        job: { kind: 'hash', algorithm, source: message(input) },
      };
    }
  }
}

function* digestVectors() {
  const inputs = {
    empty: '',
    a: 'a',
    abc: 'abc',
    helloworld: 'helloworld',
    'hello world': 'hello world',
    'bytes 00..ff': Uint8Array.from({ length: 256 }, (_, index) => index),
    "1000 x 'a'": 'a'.repeat(1000),
    '1 MiB of zero': Buffer.alloc(2 ** 20),
  };
  for (const [algorithm, digests] of Object.entries(load('digests.json'))) {
    for (const [input, digest] of Object.entries(digests)) {
      yield {
        note: input,
        expected: { output: hex(digest) },
        job: { kind: 'hash', algorithm, source: Buffer.from(inputs[input]) },
      };
    }
  }
}

function* hmacVectors() {
  for (const { algorithm, standard, key, source, digest } of load('hmacs.json')) {
    yield {
      note: standard,
      expected: { output: hex(digest) },
      job: { kind: 'hmac', algorithm, key: hex(key), source: hex(source) },
    };
  }
}

function* cipherVectors() {
  for (const { algorithm, standard, key, iv, aad, source, target, tag } of load('ciphers.json')) {
    const shared = {
      kind: 'cipher',
      algorithm,
      key: hex(key),
      iv: hex(iv),
      ...(aad !== undefined && { aad: hex(aad) }),
    };
    const [plain, secret] = [hex(source), hex(target)];
    if (tag === undefined) {
      yield {
        note: standard,
        job: { ...shared, encrypt: true, source: plain },
        expected: { output: secret },
      };
      yield {
        note: standard,
        job: { ...shared, encrypt: false, source: secret },
        expected: { output: plain },
      };
      continue;
    }
    yield {
      note: standard,
      job: { ...shared, encrypt: true, source: plain, tagSize: tag.length / 2 },
      expected: { output: secret, tag: hex(tag) },
    };
    yield {
      note: standard,
      job: { ...shared, encrypt: false, source: secret, tag: hex(tag) },
      expected: { output: plain },
    };
    for (const broken of ['source', 'tag', 'aad', 'iv', 'key']) {
      const job = { ...shared, encrypt: false, source: secret, tag: hex(tag) };
      if (job[broken].length === 0) continue;
      yield {
        note: `${standard}, ${broken} broken`,
        job: { ...job, [broken]: flipped(job[broken]) },
        code: 'ERR_AUTHENTICATION',
      };
    }
  }
}

function* wycheproofHmac() {
  for (const { algorithm, tagSize, id, result, key, msg, tag, comment } of wycheproof(
    'wycheproof-hmac.json',
  )) {
    const job = { kind: 'hmac', algorithm, key: hex(key), source: hex(msg) };
    // The tag may be truncated, and an invalid one must not be ours.
    yield {
      note: `${id} ${comment}`,
      job,
      mac: { tag: hex(tag), valid: result === 'valid', size: tagSize },
    };
  }
}

function* wycheproofAead() {
  for (const { algorithm, ivSize, id, result, key, iv, aad, msg, ct, tag, comment } of wycheproof(
    'wycheproof-aead.json',
  )) {
    const note = `${id} ${comment}`;
    const shared = { kind: 'cipher', algorithm, key: hex(key), iv: hex(iv), aad: hex(aad) };
    const encryption = {
      ...shared,
      encrypt: true,
      source: hex(msg),
      tagSize: tag.length / 2 || 16,
    };
    const decryption = {
      ...shared,
      encrypt: false,
      source: hex(ct),
      tag: tag ? hex(tag) : Buffer.alloc(16),
    };
    // One nonce size for each algorithm; GCM's others are below: millrace/crypto-async, as its
    // original, and millrace/portable take 12 bytes only.
    if (algorithm.endsWith('-gcm') && ivSize >= 1 && ivSize <= 128 && ivSize !== 12) continue;
    if (ivSize !== ciphers[algorithm].iv) {
      yield { note, job: encryption, code: 'ERR_IV_SIZE' };
      yield { note, job: decryption, code: 'ERR_IV_SIZE' };
    } else if (result === 'valid') {
      yield { note, job: encryption, expected: { output: hex(ct), tag: hex(tag) } };
      yield { note, job: decryption, expected: { output: hex(msg) } };
    } else {
      yield { note, job: decryption, code: 'ERR_AUTHENTICATION' };
    }
  }
}

test('Wycheproof AEAD: nonces of other sizes, in one call and incrementally', () => {
  const counts = { valid: 0, invalid: 0 };
  for (const engine of ['native', 'portable']) {
    for (const vector of wycheproof('wycheproof-aead.json')) {
      const { algorithm, ivSize, id, result, tag } = vector;
      if (!algorithm.endsWith('-gcm') || ivSize < 1 || ivSize > 128 || ivSize === 12) continue;
      const [key, nonce, aad, plain, sealed] = ['key', 'iv', 'aad', 'msg', 'ct'].map((name) =>
        hex(vector[name]),
      );
      const options = { key, nonce, aad, engine };
      const source = Buffer.concat([sealed, hex(tag)]);
      const decipher = millrace.createDecipher(algorithm, { ...options, authTag: hex(tag) });
      for (const byte of sealed) decipher.update(Buffer.of(byte));
      counts[result] += 1;
      if (result === 'valid') {
        assert.deepEqual(millrace.seal(algorithm, { ...options, source: plain }), source, id);
        assert.deepEqual(millrace.open(algorithm, { ...options, source }), plain, id);
        assert.deepEqual(decipher.final(), plain, id);
      } else {
        const code = { code: 'ERR_AUTHENTICATION' };
        assert.throws(() => millrace.open(algorithm, { ...options, source }), code, id);
        assert.throws(() => decipher.final(), code, id);
      }
    }
  }
  assert.ok(counts.valid > 50, JSON.stringify(counts));
});

function* wycheproof(name) {
  const { fields, groups } = load(name);
  for (const { tests, ...group } of groups) {
    for (const row of tests)
      yield { ...group, ...Object.fromEntries(fields.map((field, index) => [field, row[index]])) };
  }
}

function message({ text, hex: digits, repeat, times, counting, sanity }) {
  if (text !== undefined) return Buffer.from(text);
  if (digits !== undefined) return hex(digits);
  if (repeat !== undefined) return Buffer.alloc(times, hex(repeat));
  if (counting !== undefined)
    return Buffer.from(Array.from({ length: counting }, (_, index) => index % 251));
  assert.ok(Number.isInteger(sanity), 'a vector without an input');
  return xxhashSanityBuffer(sanity);
}

/** Returns the input of xxHash's own sanity check. */
function xxhashSanityBuffer(size) {
  let state = 2654435761n;
  return Buffer.from(
    Array.from({ length: size }, () => {
      const byte = Number(state >> 56n);
      state = (state * 11400714785074694797n) & 0xffffffffffffffffn;
      return byte;
    }),
  );
}

function flipped(bytes) {
  const broken = Buffer.from(bytes);
  broken[broken.length >> 1] ^= 1;
  return broken;
}

function hex(digits) {
  return Buffer.from(digits, 'hex');
}

function load(name) {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8'));
}
