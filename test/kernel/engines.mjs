// The algorithms that the guests' kernel and the tests' device must support, from the lists of the
// kernel and the module rather than the engine, and jobs for each of them.

import { ciphers, hmacNames, hashNames, cipherNames } from '../support/algorithms.mjs';

const sha2 = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
const aes = (mode) => [128, 192, 256].map((bits) => `aes-${bits}-${mode}`);

const sha3 = ['sha3-224', 'sha3-256', 'sha3-384', 'sha3-512'];
const afAlg = {
  hash: ['md5', ...sha2, ...sha3, 'ripemd160'],
  hmac: ['md5', ...sha2, ...sha3, 'ripemd160'],
  cipher: [...aes('ctr'), 'chacha20', ...aes('gcm'), 'chacha20-poly1305'],
};
const cryptodev = {
  hash: ['md5', ...sha2, 'ripemd160'],
  hmac: ['md5', ...sha2, 'ripemd160'],
  cipher: [...aes('ctr'), ...aes('gcm')],
};

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

/** `[kind, algorithm]` of every algorithm in the catalog. */
export const everything = [
  ...hashNames.map((name) => ['hash', name]),
  ...hmacNames.map((name) => ['hmac', name]),
  ...cipherNames.map((name) => ['cipher', name]),
];

/** Returns a job of entry-points.mjs. */
export function jobOf(kind, algorithm, source, rng, { aadSize = 20, keySize = 32 } = {}) {
  if (kind === 'hash') return { kind, algorithm, source };
  if (kind === 'hmac') return { kind, algorithm, key: rng.bytes(keySize), source };
  const { key, iv, aead } = ciphers[algorithm];
  return {
    kind,
    algorithm,
    encrypt: true,
    key: rng.bytes(key),
    iv: rng.bytes(iv),
    source,
    ...(aead && { aad: rng.bytes(aadSize), tagSize: 16 }),
  };
}

/** Returns the job that decrypts the result of a cipher's job. */
export function backOf({ tagSize, ...job }, { output, tag }) {
  return { ...job, encrypt: false, source: output, ...(tag && { tag }) };
}

/** Lengths around the block and chunk sizes of both interfaces; some of them in the short form. */
export const lengths = process.env.MILLRACE_KERNEL_SHORT
  ? [0, 1, 17, 64, 112, 1000, 65_536, 65_537]
  : [
      0, 1, 15, 16, 17, 55, 56, 64, 111, 112, 128, 129, 1000, 4096, 20_000, 65_535, 65_536, 65_537,
      200_003,
    ];
