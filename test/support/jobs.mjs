// Jobs at random, as entry-points.mjs describes them.

import { cipherNames, ciphers, hashes, hashNames, hmacNames } from './algorithms.mjs';
import { prepareSeeds } from './oracles.mjs';

const seeds = { 32: [0, 1, 0xffffffff], 64: [0, 1n, 0xffffffffffffffffn, 0x123456789abcdef0n, 77] };
await prepareSeeds([...seeds[32], ...seeds[64]]);

/** Returns a hash, HMAC or encryption of `source`. */
export function randomJob(rng, source) {
  const kind = rng.pick(['hash', 'hmac', 'cipher']);
  if (kind === 'cipher')
    return encryption(rng.pick(cipherNames), source, rng, {
      aadSize: rng.chance(0.3) ? 0 : rng.below(300),
      randomTag: true,
    });
  if (kind === 'hmac')
    return {
      kind,
      algorithm: rng.pick(hmacNames),
      key: rng.bytes(rng.chance(0.1) ? rng.below(5000) : rng.below(150)),
      source,
    };
  const algorithm = rng.pick(hashNames);
  return {
    kind,
    algorithm,
    source,
    ...(rng.chance(0.5) && randomParameters(algorithm, rng)),
  };
}

export function encryption(
  algorithm,
  source,
  rng,
  { aadSize = 0, tagSize, randomTag = false } = {},
) {
  const { key, iv, aead, tagSizes } = ciphers[algorithm];
  const job = {
    kind: 'cipher',
    algorithm,
    encrypt: true,
    key: rng.bytes(key),
    iv: rng.bytes(iv),
    source,
  };
  if (!aead) return job;
  return {
    ...job,
    aad: rng.bytes(aadSize),
    tagSize: tagSize ?? (randomTag ? rng.pick(tagSizes) : 16),
  };
}

/** Returns the way back, from what the encryption gave. */
export function decryption({ tagSize, ...job }, { output, tag }) {
  return { ...job, encrypt: false, source: output, ...(tag && { tag }) };
}

/** Returns the same decryption with one bit changed somewhere: it must fail. */
export function tampered(job, rng) {
  const field = rng.pick(
    ['key', 'iv', 'source', 'aad', 'tag'].filter((name) => job[name].length > 0),
  );
  const bytes = Buffer.from(job[field]);
  bytes[rng.below(bytes.length)] ^= 1 << rng.below(8);
  return { ...job, [field]: bytes };
}

/** Returns a seed, a key, an output length: what the hash knows. */
export function randomParameters(algorithm, rng) {
  const { xof, seedBits, key } = hashes[algorithm];
  return {
    ...(xof && { outputLength: rng.chance(0.1) ? rng.between(1, 3000) : rng.between(1, 200) }),
    ...(seedBits && { seed: rng.pick(seeds[seedBits]) }),
    ...(key && rng.chance(0.5) && { key: rng.bytes(key) }),
  };
}
