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
    const outputLength = made.hashes[algorithm].digestSize === size ? undefined : size;
    found[algorithm].push({
      note: standard,
      source: message(input),
      digest,
      options: optional({
        outputLength,
        seed: seed === undefined ? undefined : BigInt(seed),
        key: key && hex(key),
      }),
    });
  }
  for (const [algorithm, { digestSize, sizes, seeded = {}, keyed = {} }] of Object.entries(
    made.hashes,
  )) {
    const outputLength = digestSize === 0 ? 40 : undefined;
    for (const [size, digest] of Object.entries(sizes))
      found[algorithm].push({
        note: `${size} bytes`,
        source: pattern(Number(size)),
        digest,
        options: optional({ outputLength }),
      });
    for (const [seed, digests] of Object.entries(seeded)) {
      for (const [size, digest] of Object.entries(digests))
        found[algorithm].push({
          note: `seed ${seed}, ${size} bytes`,
          source: pattern(Number(size)),
          digest,
          options: { seed: BigInt(seed) },
        });
    }
    for (const [size, digest] of Object.entries(keyed))
      found[algorithm].push({
        note: `keyed, ${size} bytes`,
        source: pattern(Number(size)),
        digest,
        options: { key: pattern(32, 7) },
      });
  }
  return found;
}

/**
 * Returns `{ [algorithm]: [{ note, key, source, digest }] }`; `size` if only so many bytes are
 * published, `valid: false` if they must differ.
 */
export async function hmacVectors({ load, made }) {
  const found = Object.fromEntries(Object.keys(made.hmacs).map((name) => [name, []]));
  for (const { algorithm, standard, key, source, digest } of await load('vectors/hmacs.json'))
    found[algorithm].push({ note: standard, key: hex(key), source: hex(source), digest });
  for (const { algorithm, id, result, key, msg, tag } of rows(
    await load('vectors/wycheproof-hmac.json'),
  )) {
    // One in five: all of them are walked by test/operations/vectors.test.mjs.
    if (id % 5 === 0 && algorithm in found)
      found[algorithm].push({
        note: `Wycheproof ${id}`,
        key: hex(key),
        source: hex(msg),
        digest: tag,
        valid: result === 'valid',
      });
  }
  for (const [algorithm, rowsMade] of Object.entries(made.hmacs)) {
    for (const [keySize, size, digest] of rowsMade)
      found[algorithm].push({
        note: `key of ${keySize}, ${size} bytes`,
        key: pattern(keySize, 3),
        source: pattern(size),
        digest,
      });
  }
  return found;
}

/**
 * Returns `{ [algorithm]: [{ note, key, iv, aad, plain, secret, tag }] }`: `secret` as bytes, or as
 * a fingerprint of ciphertext and tag.
 */
export async function cipherVectors({ load, made }) {
  const found = Object.fromEntries(Object.keys(made.ciphers).map((name) => [name, []]));
  for (const { algorithm, standard, key, iv, aad, source, target, tag } of await load(
    'vectors/ciphers.json',
  )) {
    found[algorithm].push(
      optional({
        note: standard,
        key: hex(key),
        iv: hex(iv),
        aad: aad === undefined ? undefined : hex(aad),
        plain: hex(source),
        secret: hex(target),
        tag: tag === undefined ? undefined : hex(tag),
      }),
    );
  }
  for (const [algorithm, { keySize, ivSize, aead, rows: rowsMade }] of Object.entries(
    made.ciphers,
  )) {
    for (const [size, aadSize, digest] of rowsMade) {
      found[algorithm].push(
        optional({
          note: `${size} bytes, aad of ${aadSize}`,
          key: pattern(keySize, 4),
          iv: pattern(ivSize, 5),
          aad: aead ? pattern(aadSize, 6) : undefined,
          plain: pattern(size),
          sealed: digest,
        }),
      );
    }
  }
  return found;
}

/** Returns Wycheproof's AEAD cases of the nonce sizes there are, `valid` or not. */
export async function aeadCases({ load, made }) {
  const found = [];
  for (const { algorithm, ivSize, id, result, key, iv, aad, msg, ct, tag } of rows(
    await load('vectors/wycheproof-aead.json'),
  )) {
    if (ivSize !== made.ciphers[algorithm]?.ivSize || (id % 5 !== 0 && result === 'valid'))
      continue;
    found.push({
      algorithm,
      note: `Wycheproof ${id}`,
      valid: result === 'valid',
      key: hex(key),
      iv: hex(iv),
      aad: hex(aad),
      plain: hex(msg),
      secret: hex(ct),
      tag: hex(tag),
    });
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

/** Returns the fields without undefined ones. */
export function optional(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
