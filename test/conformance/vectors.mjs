// The published vectors of test/vectors, as jobs.

import { hex, pattern, utf8 } from './bytes.mjs';

/** Hashes of SP 800-185 and RFC 9861, which test/operations/keccak-family.test.mjs tests. */
const keccakFamily = /^(cshake|kmac|tuplehash|parallelhash|turboshake|kt)/;

/**
 * Returns `{ [algorithm]: [{ note, source, options, digest }] }`: published digests, and those of
 * made.json.
 */
export async function hashVectors({ load, made, millrace }) {
  const names = millrace.getHashes().filter((name) => !keccakFamily.test(name));
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (const { algorithm, standard, digest, seed, key, ...input } of await load(
    'vectors/hashes.json',
  )) {
    const size = digest.length / 2;
    const options = {
      ...(made.hashes[algorithm].digestSize !== size && { outputLength: size }),
      ...(seed !== undefined && { seed: BigInt(seed) }),
      ...(key && { key: hex(key) }),
    };
    found[algorithm].push({ note: standard, source: message(input), digest, options });
  }
  for (const [algorithm, entry] of Object.entries(made.hashes)) {
    const { digestSize, sizes, seeded = {}, keyed = {} } = entry;
    const add = (what, digests, options) => {
      for (const [size, digest] of Object.entries(digests)) {
        const source = pattern(Number(size));
        found[algorithm].push({ note: `${what}${size} bytes`, source, digest, options });
      }
    };
    add('', sizes, digestSize === 0 ? { outputLength: 40 } : {});
    for (const [seed, digests] of Object.entries(seeded))
      add(`seed ${seed}, `, digests, { seed: BigInt(seed) });
    add('keyed, ', keyed, { key: pattern(32, 7) });
  }
  return found;
}

/**
 * Returns `{ [algorithm]: [{ note, key, source, digest, valid }] }`: only Wycheproof's codes have
 * `valid`, which is false for those that must differ.
 */
export async function hmacVectors({ load, made }) {
  const found = Object.fromEntries(Object.keys(made.hmacs).map((name) => [name, []]));
  for (const { algorithm, standard, key, source, digest } of await load('vectors/hmacs.json'))
    found[algorithm].push({ note: standard, key: hex(key), source: hex(source), digest });
  for (const { algorithm, id, result, key, msg, tag } of rows(
    await load('vectors/wycheproof-hmac.json'),
  )) {
    // One in five: all of them are walked by test/operations/vectors.test.mjs.
    if (id % 5 !== 0 || !(algorithm in found)) continue;
    const given = { key: hex(key), source: hex(msg), digest: tag, valid: result === 'valid' };
    found[algorithm].push({ note: `Wycheproof ${id}`, ...given });
  }
  for (const [algorithm, rowsMade] of Object.entries(made.hmacs)) {
    for (const [keySize, size, digest] of rowsMade) {
      const given = { key: pattern(keySize, 3), source: pattern(size), digest };
      found[algorithm].push({ note: `key of ${keySize}, ${size} bytes`, ...given });
    }
  }
  return found;
}

/**
 * Returns `{ [algorithm]: [{ note, key, iv, aad, plain, secret, tag }] }`, or with `sealed`, a
 * fingerprint of ciphertext and tag, instead of these.
 */
export async function cipherVectors({ load, made }) {
  const found = Object.fromEntries(Object.keys(made.ciphers).map((name) => [name, []]));
  for (const { algorithm, standard, ...vector } of await load('vectors/ciphers.json')) {
    const { source: plain, target: secret, ...others } = mapped(vector, hex);
    found[algorithm].push({ note: standard, plain, secret, ...others });
  }
  for (const [algorithm, entry] of Object.entries(made.ciphers)) {
    const { keySize, ivSize, aead, rows: rowsMade } = entry;
    for (const [size, aadSize, sealed] of rowsMade)
      found[algorithm].push({
        note: `${size} bytes, aad of ${aadSize}`,
        key: pattern(keySize, 4),
        iv: pattern(ivSize, 5),
        ...(aead && { aad: pattern(aadSize, 6) }),
        plain: pattern(size),
        sealed,
      });
  }
  return found;
}

/** Returns Wycheproof's AEAD cases of the nonce sizes there are, `valid` or not. */
export async function aeadCases({ load, made }) {
  const found = [];
  for (const { algorithm, ivSize, id, result, key, iv, aad, msg, ct, tag } of rows(
    await load('vectors/wycheproof-aead.json'),
  )) {
    const valid = result === 'valid';
    if (ivSize !== made.ciphers[algorithm]?.ivSize || (id % 5 !== 0 && valid)) continue;
    const bytes = mapped({ key, iv, aad, plain: msg, secret: ct, tag }, hex);
    found.push({ algorithm, note: `Wycheproof ${id}`, valid, ...bytes });
  }
  return found;
}

function* rows({ fields, groups }) {
  for (const { tests, ...group } of groups)
    for (const row of tests)
      yield { ...group, ...Object.fromEntries(fields.map((field, index) => [field, row[index]])) };
}

function message({ text, hex: digits, repeat, times, counting, sanity }) {
  if (text !== undefined) return utf8(text);
  if (digits !== undefined) return hex(digits);
  if (repeat !== undefined) {
    const piece = hex(repeat);
    return Uint8Array.from({ length: times }, (_, index) => piece[index % piece.length]);
  }
  if (counting !== undefined)
    return Uint8Array.from({ length: counting }, (_, index) => index % 251);
  let state = 2654435761n;
  // The input of xxHash's own sanity check.
  return Uint8Array.from({ length: sanity }, () => {
    const byte = Number(state >> 56n);
    state = (state * 11400714785074694797n) & 0xffffffffffffffffn;
    return byte;
  });
}

function mapped(fields, read) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, read(value)]));
}
