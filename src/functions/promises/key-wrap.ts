/** Key wrapping as exported by `millrace/promises`. */
import type { Buffer } from '#platform/base/runtime.js';
import { derivePromise, type DerivationCallOptions } from '../../kdf/derive.js';
import {
  unwrapKeyParser,
  wrapKeyParser,
  type UnwrapKeyOptions,
  type WrapKeyOptions,
} from '../../kdf/key-wrap.js';
import type { WrapAlgorithm } from '../../base/wrap-algorithms.js';

/**
 * Wraps a key with another key; see `wrapKey` of `millrace`.
 *
 * @example
 * ```js
 * import { generateKey, wrapKey } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = generateKey('hmac-sha256');
 * await wrapKey('aes-256-kw', { key, source });
 * ```
 */
export function wrapKey(
  algorithm: WrapAlgorithm,
  options: WrapKeyOptions & DerivationCallOptions,
): Promise<Buffer>;
export function wrapKey(): Promise<unknown> {
  return derivePromise(wrapKeyParser, arguments);
}

/**
 * Unwraps a key; rejects with ERR_AUTHENTICATION; see `unwrapKey` of `millrace`.
 *
 * @example
 * ```js
 * import { generateKey, unwrapKey, wrapKey } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = await wrapKey('aes-256-kw', {
 *   key,
 *   source: generateKey('hmac-sha256'),
 * });
 * await unwrapKey('aes-256-kw', { key, source });
 * ```
 */
export function unwrapKey(
  algorithm: WrapAlgorithm,
  options: UnwrapKeyOptions & DerivationCallOptions,
): Promise<Buffer>;
export function unwrapKey(): Promise<unknown> {
  return derivePromise(unwrapKeyParser, arguments);
}
