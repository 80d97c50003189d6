// Published vectors through every entry point and call style. Where they come from:
// vectors/README.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { ciphers, gcmNames, hashes } from '../support/algorithms.mjs';
import {
  attempt,
  describe,
  expectFailure,
  expectResult,
  ways,
  callStylesFor,
} from '../support/entry-points.mjs';
import { hex, pattern, vectors, wycheproof } from '../support/vectors.mjs';

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
function walk(title, found) {
  const groups = new Map();
  for (const vector of found) {
    const offered = callStylesFor(vector.job);
    assert.ok(offered.length > 0, `nothing offers ${vector.job.algorithm}`);
    for (const way of offered) {
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
  for (const { algorithm, standard, digest, seed, key, ...input } of vectors('hashes')) {
    const expected = { output: hex(digest) };
    const size = expected.output.length;
    const facts = hashes[algorithm];
    const plain = { kind: 'hash', algorithm, source: message(input) };
    const job = {
      ...plain,
      ...(size !== facts.digest && { outputLength: size }),
      ...(seed !== undefined && { seed: BigInt(seed) }),
      ...(key !== undefined && { key: hex(key) }),
    };
    yield { note: standard, expected, job };
    // The default length of an extendable output is its beginning.
    if (facts.xof && size > facts.digest && key === undefined) {
      const output = expected.output.subarray(0, facts.digest);
      yield { note: standard, expected: { output }, job: plain };
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
  for (const [algorithm, digests] of Object.entries(vectors('digests'))) {
    for (const [input, digest] of Object.entries(digests)) {
      const job = { kind: 'hash', algorithm, source: Buffer.from(inputs[input]) };
      yield { note: input, expected: { output: hex(digest) }, job };
    }
  }
}

function* hmacVectors() {
  for (const { algorithm, standard, key, source, digest } of vectors('hmacs')) {
    const job = { kind: 'hmac', algorithm, key: hex(key), source: hex(source) };
    yield { note: standard, expected: { output: hex(digest) }, job };
  }
}

function* cipherVectors() {
  for (const { algorithm, standard, key, iv, aad, source, target, tag } of vectors('ciphers')) {
    const shared = { kind: 'cipher', algorithm, key: hex(key), iv: hex(iv) };
    if (aad !== undefined) shared.aad = hex(aad);
    const encryption = { ...shared, encrypt: true, source: hex(source) };
    const decryption = { ...shared, encrypt: false, source: hex(target) };
    const [plain, secret] = [{ output: hex(source) }, { output: hex(target) }];
    if (tag !== undefined) {
      secret.tag = hex(tag);
      encryption.tagSize = secret.tag.length;
      decryption.tag = secret.tag;
    }
    yield { note: standard, job: encryption, expected: secret };
    yield { note: standard, job: decryption, expected: plain };
    if (tag === undefined) continue;
    for (const broken of ['source', 'tag', 'aad', 'iv', 'key']) {
      if (decryption[broken].length === 0) continue;
      yield {
        note: `${standard}, ${broken} broken`,
        job: { ...decryption, [broken]: flipped(decryption[broken]) },
        code: 'ERR_AUTHENTICATION',
      };
    }
  }
}

function* wycheproofHmac() {
  for (const test of wycheproof('hmac')) {
    // The tag may be truncated, and an invalid one must not be ours.
    yield {
      note: `${test.id} ${test.comment}`,
      job: { kind: 'hmac', algorithm: test.algorithm, key: hex(test.key), source: hex(test.msg) },
      mac: { tag: hex(test.tag), valid: test.result === 'valid', size: test.tagSize },
    };
  }
}

function* wycheproofAead() {
  for (const { algorithm, ivSize, id, result, comment, ...test } of wycheproof('aead')) {
    const note = `${id} ${comment}`;
    const [key, iv, aad, msg, ct, tag] = ['key', 'iv', 'aad', 'msg', 'ct', 'tag'].map((name) =>
      hex(test[name]),
    );
    const shared = { kind: 'cipher', algorithm, key, iv, aad };
    const encryption = { ...shared, encrypt: true, source: msg, tagSize: tag.length || 16 };
    const made = tag.length > 0 ? tag : Buffer.alloc(16);
    const decryption = { ...shared, encrypt: false, source: ct, tag: made };
    // One nonce size for each algorithm; GCM's others are below: millrace/crypto-async, as its
    // original, and millrace/portable take 12 bytes only.
    if (gcmNames.includes(algorithm) && ivSize >= 1 && ivSize <= 128 && ivSize !== 12) continue;
    if (ivSize !== ciphers[algorithm].iv) {
      yield { note, job: encryption, code: 'ERR_IV_SIZE' };
      yield { note, job: decryption, code: 'ERR_IV_SIZE' };
    } else if (result === 'valid') {
      yield { note, job: encryption, expected: { output: ct, tag } };
      yield { note, job: decryption, expected: { output: msg } };
    } else {
      yield { note, job: decryption, code: 'ERR_AUTHENTICATION' };
    }
  }
}

test('Wycheproof AEAD: nonces of other sizes, in one call and incrementally', () => {
  const counts = { valid: 0, invalid: 0 };
  for (const engine of ['native', 'portable']) {
    for (const vector of wycheproof('aead')) {
      const { algorithm, ivSize, id, result, tag } = vector;
      if (!gcmNames.includes(algorithm) || ivSize < 1 || ivSize > 128 || ivSize === 12) continue;
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

function message({ text, hex: digits, repeat, times, counting, sanity }) {
  if (text !== undefined) return Buffer.from(text);
  if (digits !== undefined) return hex(digits);
  if (repeat !== undefined) return Buffer.alloc(times, hex(repeat));
  if (counting !== undefined) return pattern(counting);
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
