/**
 * `millrace/portable`: each algorithm by itself, in WebAssembly, synchronously. For browsers and
 * for every runtime without a native binary; a bundle contains only what is imported.
 *
 * Names are those of the catalog with `_` for `-`. Options, encodings and errors are those of
 * `millrace`; every result is a Uint8Array with its own memory. See docs/portable.md.
 */
import * as modules from './family-modules.js';
import { makeAead, makeCipher, type Aead, type Cipher } from './functions/cipher.js';

export type { ErrorCode } from '../base/error-codes.js';
export type { WrapAlgorithm } from '../base/wrap-algorithms.js';
export { MillraceError } from '../base/errors.js';
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
  RunningHash,
  SaltOptions,
  SeedOptions,
} from './functions/hash.js';
export type { Running } from './functions/running.js';
export type { RunningHmac } from './functions/hmac.js';
export type { Aead, Cipher, CipherOptions, OpenOptions, SealOptions } from './functions/cipher.js';
export * from './functions/hashes.js';
export { createHmac, hmac } from './functions/hmac.js';
export * from './functions/derivation.js';
export { hkdf } from './functions/hkdf.js';
export type { Hkdf } from './functions/hkdf.js';
export { unwrapKey, wrapKey } from './functions/key-wrap.js';
export type { KeyWrapOptions } from './functions/key-wrap.js';

/**
 * AES-128 in counter mode (NIST SP 800-38A): 16-byte key.
 *
 * @example
 * ```js
 * import { aes_128_ctr } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const [key, iv] = [random(16), random(16)];
 * const source = aes_128_ctr.encrypt({ key, iv, source: 'secret' });
 * aes_128_ctr.decrypt({ key, iv, source });
 * ```
 */
export const aes_128_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-128-ctr', modules.aesCtr, 16);
/**
 * AES-192 in counter mode (NIST SP 800-38A): 24-byte key.
 *
 * @example
 * ```js
 * import { aes_192_ctr } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const [key, iv] = [random(24), random(16)];
 * const source = aes_192_ctr.encrypt({ key, iv, source: 'secret' });
 * aes_192_ctr.decrypt({ key, iv, source });
 * ```
 */
export const aes_192_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-192-ctr', modules.aesCtr, 24);
/**
 * AES-256 in counter mode (NIST SP 800-38A): 32-byte key.
 *
 * @example
 * ```js
 * import { aes_256_ctr } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const [key, iv] = [random(32), random(16)];
 * const source = aes_256_ctr.encrypt({ key, iv, source: 'secret' });
 * aes_256_ctr.decrypt({ key, iv, source });
 * ```
 */
export const aes_256_ctr: Cipher = /* @__PURE__ */ makeCipher('aes-256-ctr', modules.aesCtr, 32);
/**
 * ChaCha20 (RFC 8439): 32-byte key; the iv is the counter followed by the nonce, as in OpenSSL.
 *
 * @example
 * ```js
 * import { chacha20 } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const [key, iv] = [random(32), random(16)];
 * const source = chacha20.encrypt({ key, iv, source: 'secret' });
 * chacha20.decrypt({ key, iv, source });
 * ```
 */
export const chacha20: Cipher = /* @__PURE__ */ makeCipher('chacha20', modules.chacha20, 32);

/**
 * AES-128-GCM (NIST SP 800-38D): 16-byte key.
 *
 * @example
 * ```js
 * import { aes_128_gcm } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(16);
 * const source = aes_128_gcm.seal({ key, source: 'secret' });
 * aes_128_gcm.open({ key, source });
 * ```
 */
export const aes_128_gcm: Aead = /* @__PURE__ */ makeAead('aes-128-gcm', modules.aesGcm, 16, 12, 4);
/**
 * AES-192-GCM (NIST SP 800-38D): 24-byte key.
 *
 * @example
 * ```js
 * import { aes_192_gcm } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(24);
 * const source = aes_192_gcm.seal({ key, source: 'secret' });
 * aes_192_gcm.open({ key, source });
 * ```
 */
export const aes_192_gcm: Aead = /* @__PURE__ */ makeAead('aes-192-gcm', modules.aesGcm, 24, 12, 4);
/**
 * AES-256-GCM (NIST SP 800-38D): 32-byte key.
 *
 * @example
 * ```js
 * import { aes_256_gcm } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const source = aes_256_gcm.seal({ key, source: 'secret' });
 * aes_256_gcm.open({ key, source });
 * ```
 */
export const aes_256_gcm: Aead = /* @__PURE__ */ makeAead('aes-256-gcm', modules.aesGcm, 32, 12, 4);
/**
 * AES-256-GCM-SIV (RFC 8452): 32-byte key. A repeated nonce reveals only whether two messages are
 * equal.
 *
 * @example
 * ```js
 * import { aes_256_gcm_siv } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const source = aes_256_gcm_siv.seal({ key, source: 'secret' });
 * aes_256_gcm_siv.open({ key, source });
 * ```
 */
export const aes_256_gcm_siv: Aead = /* @__PURE__ */ makeAead(
  'aes-256-gcm-siv',
  modules.aesGcmSiv,
  32,
  12,
  16,
);
/**
 * AES-128-GCM-SIV (RFC 8452): 16-byte key.
 *
 * @example
 * ```js
 * import { aes_128_gcm_siv } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(16);
 * const source = aes_128_gcm_siv.seal({ key, source: 'secret' });
 * aes_128_gcm_siv.open({ key, source });
 * ```
 */
export const aes_128_gcm_siv: Aead = /* @__PURE__ */ makeAead(
  'aes-128-gcm-siv',
  modules.aesGcmSiv,
  16,
  12,
  16,
);
/**
 * XAES-256-GCM (C2SP): 32-byte key and 24-byte nonce, which may be random.
 *
 * @example
 * ```js
 * import { xaes_256_gcm } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const source = xaes_256_gcm.seal({ key, source: 'secret' });
 * xaes_256_gcm.open({ key, source });
 * ```
 */
export const xaes_256_gcm: Aead = /* @__PURE__ */ makeAead(
  'xaes-256-gcm',
  modules.xaesGcm,
  32,
  24,
  16,
);
/**
 * ChaCha20-Poly1305 (RFC 8439): 32-byte key.
 *
 * @example
 * ```js
 * import { chacha20_poly1305 } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const source = chacha20_poly1305.seal({ key, source: 'secret' });
 * chacha20_poly1305.open({ key, source });
 * ```
 */
export const chacha20_poly1305: Aead = /* @__PURE__ */ makeAead(
  'chacha20-poly1305',
  modules.chachaPoly,
  32,
  12,
  16,
);
/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): 32-byte key and 24-byte nonce, which may be
 * random.
 *
 * @example
 * ```js
 * import { xchacha20_poly1305 } from 'millrace/portable';
 *
 * const random = (size) => crypto.getRandomValues(new Uint8Array(size));
 * const key = random(32);
 * const source = xchacha20_poly1305.seal({ key, source: 'secret' });
 * xchacha20_poly1305.open({ key, source });
 * ```
 */
export const xchacha20_poly1305: Aead = /* @__PURE__ */ makeAead(
  'xchacha20-poly1305',
  modules.chachaPoly,
  32,
  24,
  16,
);
