// XAES-256-GCM: the accumulated test of its specification, c2sp.org/XAES-256-GCM. The vectors there
// are in vectors/ciphers.json, and support/oracles.mjs has the definition over node:crypto.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import * as portable from 'millrace/portable';

const ITERATIONS = 10_000;
const EXPECTED = 'e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939';

const name = 'xaes-256-gcm';

/** Yields key, nonce, message and additional data of each iteration. */
function* inputs() {
  const outputLength = ITERATIONS * (32 + 24 + 2 * 256);
  const stream = crypto.createHash('shake128', { outputLength }).digest();
  let at = 0;
  const next = (size) => stream.subarray(at, (at += size));
  const sized = () => next(next(1)[0]);
  for (let round = 0; round < ITERATIONS; round++)
    yield { key: next(32), nonce: next(24), source: sized(), aad: sized() };
}

/** Ways to seal, each the ciphertext and the tag. */
const ways = {
  bytes: (given) => millrace.seal(name, given),
  'a prepared key'({ key: bytes, ...given }) {
    const key = millrace.createKey(name, bytes);
    const sealed = millrace.seal(name, { ...given, key });
    key.dispose();
    return sealed;
  },
  incremental({ source, ...given }) {
    const cipher = millrace.createCipher(name, given);
    return Buffer.concat([cipher.update(source), cipher.final(), cipher.authTag]);
  },
  'the portable engine': (given) => millrace.seal(name, { ...given, engine: 'portable' }),
  'millrace/portable': (given) => portable.xaes_256_gcm.seal(given),
};

for (const [way, seal] of Object.entries(ways))
  test(`${ITERATIONS} messages have the digest of the specification: ${way}`, () => {
    const digest = crypto.createHash('shake128', { outputLength: 32 });
    for (const given of inputs()) {
      const sealed = seal(given);
      digest.update(sealed);
      const opened = millrace.open(name, { ...given, source: sealed });
      assert.ok(opened.equals(given.source));
    }
    assert.equal(digest.digest('hex'), EXPECTED);
  });
