/**
 * `millrace/portable`: each algorithm by itself, in JavaScript, here and now. For browsers and for
 * all else without a native binary; a bundle has what is imported and nothing more.
 *
 * Names are those of the catalog with `_` for `-`. Options, encodings and errors are those of
 * `millrace`; results are Uint8Arrays of their own. See docs/portable.md.
 */
import { aesCtr } from './ciphers/aes-ctr.js';
import { aesGcm } from './ciphers/aes-gcm.js';
import { aesGcmSiv } from './ciphers/aes-gcm-siv.js';
import { chacha20 as prepareChacha20 } from './ciphers/chacha.js';
import { chacha20Poly1305, xchacha20Poly1305 } from './ciphers/chacha-poly.js';
import { makeAead, makeCipher, type Aead, type Cipher } from './functions/cipher.js';
import {
  makeHash,
  type HashFunction,
  type KeyOptions,
  type OutputOptions,
  type SeedOptions,
} from './functions/hash.js';
import * as families from './hashes/families.js';

export type { ErrorCode } from '../request/error-codes.js';
export { MillraceError } from '../request/errors.js';
export type { Digest, Encoding } from './functions/encodings.js';
export type { Bytes, Data } from './functions/inputs.js';
export type {
  DigestOptions,
  HashFunction,
  KeyOptions,
  NoOptions,
  OutputOptions,
  Running,
  RunningHash,
  SeedOptions,
} from './functions/hash.js';
export type { RunningHmac } from './functions/hmac.js';
export type { Aead, Cipher, CipherOptions, OpenOptions, SealOptions } from './functions/cipher.js';
export type { Argon2Algorithm, Argon2Parameters, ScryptOptions } from './functions/derivation.js';
export { createHmac, hmac } from './functions/hmac.js';
export { argon2, hkdf, pbkdf2, scrypt, timingSafeEqual } from './functions/derivation.js';

/** MD5 (RFC 1321): broken, for old formats. */
export const md5: HashFunction = /* @__PURE__ */ makeHash('md5', families.md5, {
  digestSize: 16,
  blockSize: 64,
  stateSize: 88,
});
/** SHA-1 (FIPS 180-4): broken, for old formats. */
export const sha1: HashFunction = /* @__PURE__ */ makeHash('sha1', families.sha1, {
  digestSize: 20,
  blockSize: 64,
  stateSize: 92,
});
/** SHA-224 (FIPS 180-4). */
export const sha224: HashFunction = /* @__PURE__ */ makeHash('sha224', families.sha224, {
  digestSize: 28,
  blockSize: 64,
  stateSize: 104,
});
/** SHA-256 (FIPS 180-4). */
export const sha256: HashFunction = /* @__PURE__ */ makeHash('sha256', families.sha256, {
  digestSize: 32,
  blockSize: 64,
  stateSize: 104,
});
/** SHA-384 (FIPS 180-4). */
export const sha384: HashFunction = /* @__PURE__ */ makeHash('sha384', families.sha384, {
  digestSize: 48,
  blockSize: 128,
  stateSize: 200,
});
/** SHA-512 (FIPS 180-4). */
export const sha512: HashFunction = /* @__PURE__ */ makeHash('sha512', families.sha512, {
  digestSize: 64,
  blockSize: 128,
  stateSize: 200,
});
/** SHA-512/224 (FIPS 180-4). */
export const sha512_224: HashFunction = /* @__PURE__ */ makeHash(
  'sha512-224',
  families.sha512_224,
  { digestSize: 28, blockSize: 128, stateSize: 200 },
);
/** SHA-512/256 (FIPS 180-4). */
export const sha512_256: HashFunction = /* @__PURE__ */ makeHash(
  'sha512-256',
  families.sha512_256,
  { digestSize: 32, blockSize: 128, stateSize: 200 },
);
/** SHA3-224 (FIPS 202). */
export const sha3_224: HashFunction = /* @__PURE__ */ makeHash('sha3-224', families.sha3_224, {
  digestSize: 28,
  blockSize: 144,
  stateSize: 202,
});
/** SHA3-256 (FIPS 202). */
export const sha3_256: HashFunction = /* @__PURE__ */ makeHash('sha3-256', families.sha3_256, {
  digestSize: 32,
  blockSize: 136,
  stateSize: 202,
});
/** SHA3-384 (FIPS 202). */
export const sha3_384: HashFunction = /* @__PURE__ */ makeHash('sha3-384', families.sha3_384, {
  digestSize: 48,
  blockSize: 104,
  stateSize: 202,
});
/** SHA3-512 (FIPS 202). */
export const sha3_512: HashFunction = /* @__PURE__ */ makeHash('sha3-512', families.sha3_512, {
  digestSize: 64,
  blockSize: 72,
  stateSize: 202,
});
/** Keccak with 224 bits, as submitted to NIST. */
export const keccak224: HashFunction = /* @__PURE__ */ makeHash('keccak224', families.keccak224, {
  digestSize: 28,
  blockSize: 144,
  stateSize: 202,
});
/** Keccak with 256 bits, as Ethereum has it. */
export const keccak256: HashFunction = /* @__PURE__ */ makeHash('keccak256', families.keccak256, {
  digestSize: 32,
  blockSize: 136,
  stateSize: 202,
});
/** Keccak with 384 bits, as submitted to NIST. */
export const keccak384: HashFunction = /* @__PURE__ */ makeHash('keccak384', families.keccak384, {
  digestSize: 48,
  blockSize: 104,
  stateSize: 202,
});
/** Keccak with 512 bits, as submitted to NIST. */
export const keccak512: HashFunction = /* @__PURE__ */ makeHash('keccak512', families.keccak512, {
  digestSize: 64,
  blockSize: 72,
  stateSize: 202,
});
/** SHAKE128 (FIPS 202): as many bytes as `outputLength` says. */
export const shake128: HashFunction<OutputOptions> = /* @__PURE__ */ makeHash(
  'shake128',
  families.shake128,
  { digestSize: 0, blockSize: 168, stateSize: 202, xof: true, hmac: false },
);
/** SHAKE256 (FIPS 202): as many bytes as `outputLength` says. */
export const shake256: HashFunction<OutputOptions> = /* @__PURE__ */ makeHash(
  'shake256',
  families.shake256,
  { digestSize: 0, blockSize: 136, stateSize: 202, xof: true, hmac: false },
);
/** BLAKE2b with 64 bytes (RFC 7693). */
export const blake2b512: HashFunction = /* @__PURE__ */ makeHash(
  'blake2b512',
  families.blake2b512,
  { digestSize: 64, blockSize: 128, stateSize: 200 },
);
/** BLAKE2s with 32 bytes (RFC 7693). */
export const blake2s256: HashFunction = /* @__PURE__ */ makeHash(
  'blake2s256',
  families.blake2s256,
  { digestSize: 32, blockSize: 64, stateSize: 104 },
);
/** BLAKE3: 32 bytes, or as many as `outputLength` says; with a `key` of 32 bytes a MAC. */
export const blake3: HashFunction<OutputOptions & KeyOptions> = /* @__PURE__ */ makeHash(
  'blake3',
  families.blake3,
  { digestSize: 32, blockSize: 64, stateSize: 2648, xof: true, keySize: 32 },
);
/** RIPEMD-160 (ISO/IEC 10118-3). */
export const ripemd160: HashFunction = /* @__PURE__ */ makeHash('ripemd160', families.ripemd160, {
  digestSize: 20,
  blockSize: 64,
  stateSize: 92,
});
/** MD5 and then SHA-1, as TLS 1.0 signed (RFC 2246): broken. */
export const md5_sha1: HashFunction = /* @__PURE__ */ makeHash('md5-sha1', families.md5Sha1, {
  digestSize: 36,
  blockSize: 64,
  stateSize: 108,
});
/** XXH32: not cryptographic. Takes a `seed`. */
export const xxh32: HashFunction<SeedOptions> = /* @__PURE__ */ makeHash('xxh32', families.xxh32, {
  digestSize: 4,
  blockSize: 16,
  stateSize: 48,
  seedBits: 32,
  hmac: false,
});
/** XXH64: not cryptographic. Takes a `seed`. */
export const xxh64: HashFunction<SeedOptions> = /* @__PURE__ */ makeHash('xxh64', families.xxh64, {
  digestSize: 8,
  blockSize: 32,
  stateSize: 80,
  seedBits: 64,
  hmac: false,
});
/** XXH3 with 64 bits: not cryptographic. Takes a `seed`. */
export const xxh3_64: HashFunction<SeedOptions> = /* @__PURE__ */ makeHash(
  'xxh3-64',
  families.xxh3_64,
  { digestSize: 8, blockSize: 64, stateSize: 336, seedBits: 64, hmac: false },
);
/** XXH3 with 128 bits: not cryptographic. Takes a `seed`. */
export const xxh3_128: HashFunction<SeedOptions> = /* @__PURE__ */ makeHash(
  'xxh3-128',
  families.xxh3_128,
  { digestSize: 16, blockSize: 64, stateSize: 336, seedBits: 64, hmac: false },
);

/** AES-128 in counter mode (NIST SP 800-38A): 16 bytes of key. */
export const aes_128_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-128-ctr', aesCtr, 16);
/** AES-192 in counter mode (NIST SP 800-38A): 24 bytes of key. */
export const aes_192_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-192-ctr', aesCtr, 24);
/** AES-256 in counter mode (NIST SP 800-38A): 32 bytes of key. */
export const aes_256_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-256-ctr', aesCtr, 32);
/**
 * ChaCha20 (RFC 8439): 32 bytes of key; the iv is the counter and then the nonce, as OpenSSL has
 * them.
 */
export const chacha20: Cipher = /* @__PURE__ */ makeCipher('chacha20', prepareChacha20, 32);

/** AES-128-GCM (NIST SP 800-38D): 16 bytes of key. */
export const aes_128_gcm: Aead = /* @__PURE__ */ makeAead('aes-128-gcm', aesGcm, 16, 12, 12);
/** AES-192-GCM (NIST SP 800-38D): 24 bytes of key. */
export const aes_192_gcm: Aead = /* @__PURE__ */ makeAead('aes-192-gcm', aesGcm, 24, 12, 12);
/** AES-256-GCM (NIST SP 800-38D): 32 bytes of key. */
export const aes_256_gcm: Aead = /* @__PURE__ */ makeAead('aes-256-gcm', aesGcm, 32, 12, 12);
/**
 * AES-256-GCM-SIV (RFC 8452): 32 bytes of key. A nonce used twice tells no more than that a message
 * was the same.
 */
export const aes_256_gcm_siv: Aead = /* @__PURE__ */ makeAead(
  'aes-256-gcm-siv',
  aesGcmSiv,
  32,
  12,
  16,
);
/** ChaCha20-Poly1305 (RFC 8439): 32 bytes of key. */
export const chacha20_poly1305: Aead = /* @__PURE__ */ makeAead(
  'chacha20-poly1305',
  chacha20Poly1305,
  32,
  12,
  16,
);
/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): 32 bytes of key, 24 of nonce, which may be
 * random ones.
 */
export const xchacha20_poly1305: Aead = /* @__PURE__ */ makeAead(
  'xchacha20-poly1305',
  xchacha20Poly1305,
  32,
  24,
  16,
);
