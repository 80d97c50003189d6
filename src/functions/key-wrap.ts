/**
 * Key wrapping as exported by `millrace`: synchronous without a callback, otherwise on the worker
 * threads.
 */
import type { Callback } from '../scheduling/completions.js';
import type { Buffer } from '#platform/base/runtime.js';
import { derive, type DerivationCallOptions } from '../kdf/derive.js';
import {
  unwrapKeyParser,
  wrapKeyParser,
  type UnwrapKeyOptions,
  type WrapKeyOptions,
} from '../kdf/key-wrap.js';
import type { WrapAlgorithm } from '../base/wrap-algorithms.js';

/**
 * Encrypts and authenticates a key with another key, deterministically and without a nonce (NIST SP
 * 800-38F). The result has 8 bytes more than the key, with padding to a multiple of 8.
 *
 * @example
 * ```js
 * import { generateKey, unwrapKey, wrapKey } from 'millrace';
 *
 * const master = generateKey('aes-256-gcm');
 * const dataKey = generateKey('aes-256-gcm');
 * const wrapped = wrapKey('aes-256-kw', { key: master, source: dataKey });
 * unwrapKey('aes-256-kw', { key: master, source: wrapped }); // dataKey
 * ```
 *
 * @param algorithm `aes-128-kw`, `aes-192-kw` or `aes-256-kw` (RFC 3394) for keys of at least 16
 *   bytes, a multiple of 8; `aes-128-kwp`, `aes-192-kwp` or `aes-256-kwp` (RFC 5649) for keys of
 *   any size from 1 byte. Keys have at most 64 KiB.
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE, ERR_SOURCE_SIZE
 */
export function wrapKey(algorithm: WrapAlgorithm, options: WrapKeyOptions): Buffer;
export function wrapKey(
  algorithm: WrapAlgorithm,
  options: WrapKeyOptions & DerivationCallOptions,
  callback: Callback<Buffer>,
): void;
export function wrapKey(): unknown {
  return derive(wrapKeyParser, arguments);
}

/**
 * Decrypts a key that {@link wrapKey} wrapped. The result has its own ArrayBuffer.
 *
 * @example
 * ```js
 * import { generateKey, unwrapKey, wrapKey } from 'millrace';
 *
 * const master = generateKey('aes-256-gcm');
 * const dataKey = generateKey('aes-256-gcm');
 * const wrapped = wrapKey('aes-256-kw', { key: master, source: dataKey });
 *
 * try {
 *   unwrapKey('aes-256-kw', {
 *     key: generateKey('aes-256-gcm'),
 *     source: wrapped,
 *   });
 * } catch (error) {
 *   console.log(error.code); // ERR_AUTHENTICATION
 * }
 * ```
 *
 * @throws MillraceError as {@link wrapKey}; ERR_AUTHENTICATION if the wrapping key differs or a bit
 *   has changed, without any byte of the key
 */
export function unwrapKey(algorithm: WrapAlgorithm, options: UnwrapKeyOptions): Buffer;
export function unwrapKey(
  algorithm: WrapAlgorithm,
  options: UnwrapKeyOptions & DerivationCallOptions,
  callback: Callback<Buffer>,
): void;
export function unwrapKey(): unknown {
  return derive(unwrapKeyParser, arguments);
}
