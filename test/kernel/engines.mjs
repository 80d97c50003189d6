// The algorithms that the guests' kernel and the tests' device must support, from the lists of the
// kernel and the module rather than the engine, and jobs for each of them.

import { encryption } from '../support/jobs.mjs';

const old = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'ripemd160'];
const all = [...old, 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512'];
const aes = ['ctr', 'gcm'].flatMap((mode) => [128, 192, 256].map((bits) => `aes-${bits}-${mode}`));
const afAlg = { hash: all, hmac: all, cipher: [...aes, 'chacha20', 'chacha20-poly1305'] };
const cryptodev = { hash: old, hmac: old, cipher: aes };

/**
 * Algorithms by engine. A kernel may have more through AF_ALG (BLAKE2 up to 7.1). Outside of guests
 * the tests have no device.
 */
export const served =
  process.env.MILLRACE_KERNEL_TEST === 'here' ? { af_alg: afAlg } : { af_alg: afAlg, cryptodev };

/** Algorithms that no Linux and no module has. */
export const never = {
  af_alg: {
    hash: ['blake3', 'xxh64', 'xxh3-128', 'keccak256', 'md5-sha1', 'sha512-256'],
    hmac: ['blake3', 'keccak256'],
    cipher: ['xchacha20-poly1305', 'aes-256-gcm-siv'],
  },
  cryptodev: {
    hash: ['blake3', 'sha3-256', 'xxh64', 'keccak256', 'blake2b512'],
    hmac: ['sha3-256', 'blake3'],
    cipher: ['chacha20', 'chacha20-poly1305', 'aes-256-gcm-siv'],
  },
};

/** Returns a job of entry-points.mjs. */
export function jobOf(kind, algorithm, source, rng, { aadSize = 20, keySize = 32 } = {}) {
  if (kind === 'hash') return { kind, algorithm, source };
  if (kind === 'hmac') return { kind, algorithm, key: rng.bytes(keySize), source };
  return encryption(algorithm, source, rng, { aadSize });
}

/** Lengths around the block and chunk sizes of both interfaces; some of them in the short form. */
export const lengths = process.env.MILLRACE_KERNEL_SHORT
  ? [0, 1, 17, 64, 112, 1000, 65_536, 65_537]
  : [
      0, 1, 15, 16, 17, 55, 56, 64, 111, 112, 128, 129, 1000, 4096, 20_000, 65_535, 65_536, 65_537,
      200_003,
    ];
