// Every running hash there is: what a test of hashers walks through. Each subject is
//   { name, algorithm, exports, make(more), expected(message), beginnings }
// where `make` begins one with the options `more` besides its own, `exports` is true if its state
// can be exported, and `expected` is the oracle's digest of a whole message.

import millrace from 'millrace';

import { hashes, hashNames, hmacNames } from './algorithms.mjs';
import { oracle, prepareSeeds } from './oracles.mjs';

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index * 7));
const longKey = Buffer.alloc(200, 'long key ');
const seeds = { 32: 0x9e3779b1, 64: 0xfedcba9876543210n };
await prepareSeeds(Object.values(seeds));

function hashing(name, algorithm, options) {
  return {
    name,
    algorithm,
    kind: 'hash',
    exports: true,
    options,
    xof: hashes[algorithm].xof === true,
    make: (more) => millrace.createHash(algorithm, { ...options, ...more }),
    expected: (source) => oracle({ kind: 'hash', algorithm, source, ...options }).output,
  };
}

function authenticating(name, algorithm, secret) {
  return {
    name,
    algorithm,
    kind: 'hmac',
    // From a state over another hash the key could be computed.
    exports: /^(md5|sha1$|sha(224|256|384|512)|ripemd160)/.test(algorithm),
    key: secret,
    xof: false,
    make: (more) => millrace.createHmac(algorithm, secret, more),
    expected: (source) => oracle({ kind: 'hmac', algorithm, key: secret, source }).output,
  };
}

/** With whatever an algorithm knows: seeds, keys, lengths. */
export const subjects = [
  ...hashNames.map((algorithm) => hashing(algorithm, algorithm, {})),
  ...hashNames
    .filter((algorithm) => hashes[algorithm].seedBits)
    .map((algorithm) =>
      hashing(`${algorithm} with a seed`, algorithm, { seed: seeds[hashes[algorithm].seedBits] }),
    ),
  hashing('shake128 of 333 bytes', 'shake128', { outputLength: 333 }),
  hashing('shake256 of 1 byte', 'shake256', { outputLength: 1 }),
  hashing('blake3 of 200 bytes', 'blake3', { outputLength: 200 }),
  hashing('blake3 with a key', 'blake3', { key }),
  hashing('blake3 with a key, of 100 bytes', 'blake3', { key, outputLength: 100 }),
  ...hmacNames.map((algorithm) => authenticating(`hmac-${algorithm}`, algorithm, key)),
  ...['sha256', 'sha512', 'sha3-256', 'blake3'].map((algorithm) =>
    authenticating(`hmac-${algorithm} with a long key`, algorithm, longKey),
  ),
];

/** A few of each family, for tests that do much with each. */
export const families = subjects.filter(({ name }) =>
  ['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'keccak256', 'shake128', 'ripemd160']
    .concat(['blake2b512', 'blake2s256', 'blake3', 'blake3 with a key', 'md5-sha1'])
    .concat(['xxh64', 'xxh32 with a seed', 'xxh3-128 with a seed'])
    .concat(['hmac-sha256', 'hmac-sha512', 'hmac-sha3-256', 'hmac-blake3', 'hmac-md5-sha1'])
    .includes(name),
);

/**
 * Cuts of all sizes that together are the bytes; many are small, some empty, some larger than what
 * is gathered.
 */
export function pieces(bytes, rng) {
  const cuts = [];
  const largest = rng.pick([1, 20, 300, 1100, 5000, 100_000]);
  const least = Math.ceil(bytes.length / 400);
  for (let at = 0; at < bytes.length;) {
    const size = Math.min(
      bytes.length - at,
      Math.max(rng.chance(0.1) ? 0 : rng.between(1, largest), least),
    );
    cuts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cuts;
}
