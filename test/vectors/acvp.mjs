// Reads NIST's ACVP vectors: prompt.json beside expectedResults.json, as usnistgov/ACVP-Server
// has them, or compressed with gzip, as paulmillr/acvp-vectors. Sizes that are not whole bytes are
// left out, and what Millrace does not have or refuses.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { checkAead, checkHash, checkWrap, hex, monteCarloOf } from './suites.mjs';

/** Returns the text of a file, of a compressed one too. */
export function textOf(path) {
  const bytes = readFileSync(path);
  return String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

export const hashName = (name) =>
  name
    .toLowerCase()
    .replace(/^sha2?-/, 'sha')
    .replace('/', '-');

/** @returns {Generator<{ name: string, check: () => unknown }>} */
export function* acvpFile(path, text) {
  for (const { algorithm, test, expected } of acvpTests(path, text)) {
    const [, check] = checks.find(([pattern]) => pattern.test(algorithm)) ?? [];
    const made = check?.(algorithm, test, expected);
    if (made !== undefined) yield { name: `${algorithm} ${test.tcId}`, check: made };
  }
}

/** Yields the tests of a file, each with the fields of its group and with its expected results. */
export function* acvpTests(path, text) {
  const { algorithm, testGroups } = JSON.parse(text);
  const results = JSON.parse(textOf(path.replace(/prompt(?=\.json(\.gz)?$)/, 'expectedResults')));
  const found = new Map(
    results.testGroups.flatMap(({ tests, ...group }) =>
      tests.map((each) => [each.tcId, { ...group, ...each }]),
    ),
  );
  for (const { tests, ...group } of testGroups)
    for (const test of tests)
      yield { algorithm, test: { ...group, ...test }, expected: found.get(test.tcId) };
}

const whole = (...sizes) => sizes.every((size) => size === undefined || size % 8 === 0);

function hash(algorithm, { testType, msg, len, outLen, largeMsg, ...test }, { md, resultsArray }) {
  const name = algorithm.replace(/^SHAKE-/, 'SHAKE');
  if (testType === 'MCT') return () => checkMonteCarlo(hashName(name), test, msg, resultsArray);
  if (testType === 'LDT') return () => checkLarge(hashName(name), largeMsg, md);
  if (!whole(len, outLen)) return undefined;
  return () => checkHash(hashName(name), hex(msg).subarray(0, len / 8), hex(md));
}

/** Each message has the size of the seed: the digests that it is made of are cut, or filled up. */
function* alternateMonteCarlo(algorithm, seed) {
  const { length } = seed;
  const count = algorithm.startsWith('sha3-') ? 1 : 3;
  for (;;) {
    let last = Array.from({ length: count }, () => seed);
    for (let index = 0; index < 1000; index++) {
      const joined = Buffer.concat(last).subarray(0, length);
      const message = Buffer.concat([joined, Buffer.alloc(length - joined.length)]);
      last = [...last.slice(1), millrace.hash(algorithm, message)];
    }
    seed = last.at(-1);
    yield seed;
  }
}

function checkMonteCarlo(algorithm, { mctVersion, minOutLen, maxOutLen }, msg, expected) {
  const digests =
    mctVersion === 'alternate'
      ? alternateMonteCarlo(algorithm, hex(msg))
      : monteCarloOf(algorithm, hex(msg), [minOutLen / 8, maxOutLen / 8]);
  for (const { md } of expected) assert.deepEqual(digests.next().value, hex(md));
}

/** Messages of 1 to 8 GiB, in updates of 64 MiB. */
function checkLarge(algorithm, { content, fullLength }, md) {
  const part = Buffer.alloc(2 ** 26, hex(content));
  const hasher = millrace.createHash(algorithm);
  for (let left = fullLength / 8; left > 0; left -= part.length) hasher.update(part);
  assert.deepEqual(hasher.digest(), hex(md));
}

/** cSHAKE, KMAC, TupleHash and ParallelHash, without their Monte Carlo tests. */
function keccakFamily(algorithm, test, expected) {
  const { testType, msg, len, msgLen, tuple, key, keyLen, macLen, outLen, xof } = test;
  if (testType === 'MCT' || !whole(...[len, msgLen, keyLen, macLen, outLen].flat()))
    return undefined;
  const name = algorithm.toLowerCase().replace('-', xof ? 'xof' : '');
  const { customization, customizationHex, functionName, blockSize } = test;
  const options = {
    outputLength: (outLen ?? macLen) / 8,
    customization: customizationHex === undefined ? customization : hex(customizationHex),
    ...(functionName !== undefined && { functionName }),
    ...(blockSize !== undefined && { blockSize }),
    ...(key !== undefined && { key: hex(key) }),
  };
  const message = tuple?.map(hex) ?? hex(msg);
  return async () => {
    const made = millrace.hash(name, message, options);
    assert.deepEqual(await promises.hash(name, message, options), made);
    if (expected.testPassed === undefined) assert.deepEqual(made, hex(expected.md ?? expected.mac));
    else assert.equal(made.equals(hex(test.mac)), expected.testPassed);
  };
}

function hmac(algorithm, { key, keyLen, msg, msgLen, macLen }, { mac }) {
  if (!whole(keyLen, msgLen, macLen)) return undefined;
  const name = hashName(algorithm.replace('HMAC-', ''));
  const [keyBytes, message] = [hex(key), hex(msg)];
  return async () => {
    const pieces = millrace.createHmac(name, keyBytes).update(message.subarray(0, 5));
    for (const made of [
      millrace.hmac(name, keyBytes, message),
      await promises.hmac(name, keyBytes, message),
      pieces.update(message.subarray(5)).digest(),
    ])
      assert.deepEqual(made.subarray(0, macLen / 8), hex(mac));
  };
}

function aead(algorithm, test, expected) {
  const { direction, keyLen, payloadLen, aadLen, tagLen = 128, key, iv, aad = '' } = test;
  if (tagLen < 96 || !whole(payloadLen, aadLen)) return undefined;
  if (iv === undefined || iv.length === 0 || iv.length > 256) return undefined;
  const seals = direction === 'encrypt';
  const {
    pt: text = '',
    ct: encrypted = '',
    tag = '',
  } = seals ? { ...test, ...expected } : { ...expected, ...test };
  const valid = expected.testPassed !== false;
  return () =>
    checkAead(`aes-${keyLen}-${algorithm.endsWith('SIV') ? 'gcm-siv' : 'gcm'}`, {
      key: hex(key),
      nonce: hex(iv),
      aad: hex(aad),
      // Of a message that is refused, the size.
      text: valid
        ? hex(text)
        : hex(encrypted).subarray(0, hex(encrypted + tag).length - tagLen / 8),
      sealed: hex(encrypted + tag),
      valid,
    });
}

function ctr(_, { direction, keyLen, payloadLen, key, ...test }, expected) {
  if (!whole(payloadLen)) return undefined;
  const { pt, ct, iv } = { ...test, ...expected };
  const seals = direction === 'encrypt';
  return () =>
    assert.deepEqual(
      millrace.cipher(`aes-${keyLen}-ctr`, seals, hex(key), hex(iv), hex(seals ? pt : ct)),
      hex(seals ? ct : pt),
    );
}

function wrap(algorithm, { kwCipher, keyLen, payloadLen, key, ...test }, expected) {
  if (kwCipher !== 'cipher' || !whole(payloadLen)) return undefined;
  const { pt, ct, testPassed } = { ...test, ...expected };
  const name = `aes-${keyLen}-${algorithm.endsWith('P') ? 'kwp' : 'kw'}`;
  return () => checkWrap(name, hex(key), hex(pt), hex(ct), testPassed !== false);
}

function pbkdf2(_, { hmacAlg, keyLen, password, salt, iterationCount }, { derivedKey }) {
  const given = [password, hex(salt), iterationCount, keyLen / 8, hashName(hmacAlg)];
  return async () => {
    assert.deepEqual(millrace.pbkdf2(...given), hex(derivedKey));
    assert.deepEqual(await promises.pbkdf2(...given), hex(derivedKey));
  };
}

const checks = [
  [/^SHA(-1|[23]-)|^SHAKE-/, hash],
  [/^(cSHAKE|KMAC|TupleHash|ParallelHash)-/, keccakFamily],
  [/^HMAC-SHA/, hmac],
  [/^ACVP-AES-(GCM|GMAC|GCM-SIV)$/, aead],
  [/^ACVP-AES-CTR$/, ctr],
  [/^ACVP-AES-KWP?$/, wrap],
  [/^PBKDF$/, pbkdf2],
];
