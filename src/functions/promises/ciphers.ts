/** Ciphers of `millrace/promises`. */
import type { Bytes, Data } from '../../base/arguments.js';
import type { KeyInput } from '../../request/key-input.js';
import type { AeadAlgorithm, CipherAlgorithm } from '../../catalog/catalog.js';
import {
  cipherParser,
  openParser,
  sealParser,
  type CipherOptions,
  type OpenOptions,
  type SealOptions,
  type TextTargetOptions,
} from '../../operations/cipher.js';
import type { Output } from '../../operations/hash.js';
import type { CallOptions } from '../../scheduling/routes.js';
import { perform } from './call.js';
import type { Buffer } from '#platform/base/runtime.js';

/**
 * Encrypts and authenticates; the tag is appended, and without a nonce a random one is generated
 * and put before the ciphertext. See `seal` of `millrace`. Without a target the source is copied at
 * the call; with one both are lent: **do not transfer, detach, resize or write them until the
 * promise settles**.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = 'attack at dawn';
 * const sealed = await seal('aes-256-gcm', { key, source });
 * await open('aes-256-gcm', { key, source: sealed });
 * ```
 */
export function seal<T extends Bytes | undefined = undefined>(
  algorithm: AeadAlgorithm,
  options: SealOptions & Partial<TextTargetOptions<T>> & CallOptions,
): Promise<Output<T, Buffer>>;
export function seal(): Promise<unknown> {
  return perform(sealParser, arguments);
}

/**
 * Checks and decrypts a message of `seal`. Rejects with ERR_AUTHENTICATION if anything is wrong,
 * and then leaves the target all zero. See `open` of `millrace`. Without a target the source is
 * copied at the call; with one both are lent: **do not transfer, detach, resize or write them until
 * the promise settles**.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-gcm');
 * const source = await seal('aes-256-gcm', {
 *   key,
 *   source: 'attack at dawn',
 * });
 * const message = await open('aes-256-gcm', { key, source });
 * message.toString();
 * ```
 */
export function open<T extends Bytes | undefined = undefined>(
  algorithm: AeadAlgorithm,
  options: OpenOptions & Partial<TextTargetOptions<T>> & CallOptions,
): Promise<Output<T, Buffer>>;
export function open(): Promise<unknown> {
  return perform(openParser, arguments);
}

/**
 * Encrypts or decrypts with a stream cipher, or an AEAD with the tag in its own buffer; see
 * `cipher` of `millrace`. Without a target the source is copied at the call; with one both are
 * lent: **do not transfer, detach, resize or write them until the promise settles**.
 *
 * @example
 * ```js
 * import { cipher, generateKey, randomBytes } from 'millrace/promises';
 *
 * const key = generateKey('aes-256-ctr');
 * const iv = randomBytes(16);
 * await cipher('aes-256-ctr', {
 *   encrypt: true,
 *   key,
 *   iv,
 *   source: 'secret',
 * });
 * ```
 */
export function cipher<T extends Bytes | undefined = undefined>(
  algorithm: CipherAlgorithm,
  options: CipherOptions & Partial<TextTargetOptions<T>> & CallOptions,
): Promise<Output<T, Buffer>>;
/**
 * Encrypts or decrypts, with positional arguments.
 *
 * @param encrypt true or 1 to encrypt, false or 0 to decrypt
 */
export function cipher(
  algorithm: CipherAlgorithm,
  encrypt: boolean | 0 | 1,
  key: KeyInput,
  iv: Bytes,
  source: Data,
  options?: CallOptions,
): Promise<Buffer>;
/** Encrypts or decrypts with an AEAD, with positional arguments. */
export function cipher(
  algorithm: CipherAlgorithm,
  encrypt: boolean | 0 | 1,
  key: KeyInput,
  iv: Bytes,
  source: Data,
  aad: Data,
  tag: Bytes,
  options?: CallOptions,
): Promise<Buffer>;
export function cipher(): Promise<unknown> {
  return perform(cipherParser, arguments);
}
