/**
 * The platform's WebCrypto with Millrace behind it: short calls run at once and none is a job of
 * libuv's threads. Millrace serves digests, HMAC, KMAC, AES-GCM, AES-CTR, ChaCha20-Poly1305,
 * AES-KW, HKDF, PBKDF2, Argon2, ECDSA, Ed25519, ML-DSA, RSA, ECDH, X25519 and ML-KEM; everything
 * else is the platform's, with the same keys.
 *
 * In browsers and edge runtimes the platform serves what it has, and Millrace what it lacks.
 *
 * @packageDocumentation
 */
import {
  CryptoKey as PlatformCryptoKey,
  platformCrypto,
  platformSubtle,
} from './webcrypto/platform.js';
import { subtleMethods } from './webcrypto/subtle.js';
import type { PlatformCrypto, PlatformKey, PlatformSubtle } from '#platform/base/runtime.js';

const define = (prototype: object, members: object): object =>
  Object.create(prototype, Object.getOwnPropertyDescriptors(members)) as object;

/** The methods of the platform's SubtleCrypto, from which it inherits. */
export const subtle: PlatformSubtle = /* @__PURE__ */ define(
  Object.getPrototypeOf(platformSubtle) as object,
  subtleMethods((receiver) => receiver === subtle),
) as PlatformSubtle;

/**
 * Fills a typed array with random bytes: the platform's function.
 *
 * @example
 * ```js
 * import { getRandomValues } from 'millrace/webcrypto';
 *
 * getRandomValues(new Uint8Array(16));
 * ```
 */
export function getRandomValues<T extends ArrayBufferView>(array: T): T {
  return platformCrypto.getRandomValues(array as never) as T;
}

/**
 * Returns a random UUID of version 4: the platform's function.
 *
 * @example
 * ```js
 * import { randomUUID } from 'millrace/webcrypto';
 *
 * randomUUID(); // '3f6a…'
 * ```
 */
export function randomUUID(
  ...given: Parameters<PlatformCrypto['randomUUID']>
): ReturnType<PlatformCrypto['randomUUID']> {
  return platformCrypto.randomUUID(...given);
}

/** The platform's Crypto, from which it inherits, with {@link subtle}. */
export const crypto: PlatformCrypto = /* @__PURE__ */ define(
  Object.getPrototypeOf(platformCrypto) as object,
  { subtle, getRandomValues, randomUUID },
) as PlatformCrypto;

/** The platform's CryptoKey: the class of all keys. */
export const CryptoKey: { readonly prototype: PlatformKey; new (): PlatformKey } =
  PlatformCryptoKey as never;
/** A key. */
export type CryptoKey = PlatformKey;
