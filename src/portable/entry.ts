/**
 * `millrace/portable`: each algorithm by itself, in JavaScript, synchronously. For browsers and for
 * every runtime without a native binary; a bundle contains only what is imported.
 *
 * Names are those of the catalog with `_` for `-`. Options, encodings and errors are those of
 * `millrace`; every result is a Uint8Array with its own memory. See docs/portable.md.
 */
import { aesCtr } from './ciphers/aes-ctr.js';
import { aesGcm } from './ciphers/aes-gcm.js';
import { aesGcmSiv } from './ciphers/aes-gcm-siv.js';
import { chacha20 as prepareChacha20 } from './ciphers/chacha.js';
import { chacha20Poly1305, xchacha20Poly1305 } from './ciphers/chacha-poly.js';
import { makeAead, makeCipher, type Aead, type Cipher } from './functions/cipher.js';

export type { ErrorCode } from '../request/error-codes.js';
export type { WrapAlgorithm } from '../request/wrap-algorithms.js';
export { MillraceError } from '../request/errors.js';
export type { Digest, Encoding } from './functions/encodings.js';
export type { Bytes, Data } from './functions/inputs.js';
export type {
  ContextOptions,
  DigestOptions,
  HashFunction,
  KeyOptions,
  NoOptions,
  OutputOptions,
  PersonalizationOptions,
  Running,
  RunningHash,
  SaltOptions,
  SeedOptions,
} from './functions/hash.js';
export type { RunningHmac } from './functions/hmac.js';
export type { Aead, Cipher, CipherOptions, OpenOptions, SealOptions } from './functions/cipher.js';
export * from './functions/hashes.js';
export { createHmac, hmac } from './functions/hmac.js';
export * from './functions/derivation.js';
export { hkdf } from './functions/hkdf.js';
export type { Hkdf } from './functions/hkdf.js';
export { unwrapKey, wrapKey } from './functions/key-wrap.js';
export type { KeyWrapOptions } from './functions/key-wrap.js';

/** AES-128 in counter mode (NIST SP 800-38A): 16-byte key. */
export const aes_128_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-128-ctr', aesCtr, 16);
/** AES-192 in counter mode (NIST SP 800-38A): 24-byte key. */
export const aes_192_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-192-ctr', aesCtr, 24);
/** AES-256 in counter mode (NIST SP 800-38A): 32-byte key. */
export const aes_256_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-256-ctr', aesCtr, 32);
/** ChaCha20 (RFC 8439): 32-byte key; the iv is the counter followed by the nonce, as in OpenSSL. */
export const chacha20: Cipher = /* @__PURE__ */ makeCipher('chacha20', prepareChacha20, 32);

/** AES-128-GCM (NIST SP 800-38D): 16-byte key. */
export const aes_128_gcm: Aead = /* @__PURE__ */ makeAead('aes-128-gcm', aesGcm, 16, 12, 4);
/** AES-192-GCM (NIST SP 800-38D): 24-byte key. */
export const aes_192_gcm: Aead = /* @__PURE__ */ makeAead('aes-192-gcm', aesGcm, 24, 12, 4);
/** AES-256-GCM (NIST SP 800-38D): 32-byte key. */
export const aes_256_gcm: Aead = /* @__PURE__ */ makeAead('aes-256-gcm', aesGcm, 32, 12, 4);
/**
 * AES-256-GCM-SIV (RFC 8452): 32-byte key. A repeated nonce reveals only whether two messages are
 * equal.
 */
export const aes_256_gcm_siv: Aead = /* @__PURE__ */ makeAead(
  'aes-256-gcm-siv',
  aesGcmSiv,
  32,
  12,
  16,
);
/** AES-128-GCM-SIV (RFC 8452): 16-byte key. */
export const aes_128_gcm_siv: Aead = /* @__PURE__ */ makeAead(
  'aes-128-gcm-siv',
  aesGcmSiv,
  16,
  12,
  16,
);
/** ChaCha20-Poly1305 (RFC 8439): 32-byte key. */
export const chacha20_poly1305: Aead = /* @__PURE__ */ makeAead(
  'chacha20-poly1305',
  chacha20Poly1305,
  32,
  12,
  16,
);
/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): 32-byte key and 24-byte nonce, which may be
 * random.
 */
export const xchacha20_poly1305: Aead = /* @__PURE__ */ makeAead(
  'xchacha20-poly1305',
  xchacha20Poly1305,
  32,
  24,
  16,
);
