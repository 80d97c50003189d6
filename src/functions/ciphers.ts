/** Ciphers of `millrace`, and messages sealed with a passphrase. */
import type { Bytes, Data } from '../base/arguments.js';
import { makeError, refuseSurplus, wrongType } from '../base/errors.js';
import type { KeyInput } from '../request/key-input.js';
import type { AeadAlgorithm, CipherAlgorithm } from '../catalog/catalog.js';
import {
  cipherParser,
  openParser,
  openSync,
  sealParser,
  sealSync,
  type CipherOptions,
  type OpenOptions,
  type SealOptions,
  type TextTargetOptions,
} from '../operations/cipher.js';
import type { Output } from '../operations/hash.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';
import type { RouteOptions } from '../scheduling/routes.js';
import type {
  OpenWithPassphraseOptions,
  SealWithPassphraseOptions,
} from '../streams/passphrase/parameters.js';
import { perform } from './call.js';
import type { Buffer } from '#platform/base/runtime.js';
import { passphrases } from '#platform/streams/sealed.js';

/**
 * Encrypts and authenticates with an AEAD: AES-GCM (NIST SP 800-38D), ChaCha20-Poly1305 (RFC 8439),
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) or AES-256-GCM-SIV (RFC 8452). The tag is appended
 * to the ciphertext.
 *
 * Without a nonce, `seal` generates a random one and puts it before the ciphertext. Use
 * `xchacha20-poly1305` for that: its random 24-byte nonces do not repeat. With the 12-byte nonces
 * of the others seal at most 2^32 messages with one key (NIST SP 800-38D, 8.3). A sealed message is
 * not committed to its key: with two known keys a message can be made that opens under both.
 * Sealed streams are committed.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace';
 *
 * const key = generateKey('aes-256-gcm');
 * const aad = 'user 42'; // authenticated, not encrypted
 * // Without a nonce a random one is put before the ciphertext.
 * const sealed = seal('aes-256-gcm', {
 *   key,
 *   source: 'attack at dawn',
 *   aad,
 * });
 * open('aes-256-gcm', { key, source: sealed, aad }).toString();
 * ```
 *
 * @param algorithm `xchacha20-poly1305`, `aes-128-gcm`, `aes-192-gcm`, `aes-256-gcm`,
 *   `chacha20-poly1305` or `aes-256-gcm-siv`
 * @returns ciphertext and tag, source size + 16 bytes, after the nonce if it was generated; with a
 *   target, the number of bytes written
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_KEY_SIZE,
 *   ERR_IV_SIZE, ERR_TAG_SIZE, ERR_SOURCE_SIZE, ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM, ERR_RESIZABLE,
 *   ERR_NONCE_LIMIT
 */
export function seal<T extends Bytes | undefined = undefined>(
  algorithm: AeadAlgorithm,
  options: SealOptions & Partial<TextTargetOptions<T>>,
): Output<T, Buffer>;
/**
 * Seals asynchronously. Key, nonce and aad are copied at the call, and the source too without a
 * target. With a target both are lent: **do not transfer, detach, resize or write them before the
 * callback**.
 *
 * @throws MillraceError for invalid arguments; the callback is then not called
 */
export function seal<T extends Bytes | undefined = undefined>(
  algorithm: AeadAlgorithm,
  options: SealOptions & Partial<TextTargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Buffer>>,
): void;
export function seal(algorithm?: unknown, options?: unknown): unknown {
  if (arguments.length === 2 && typeof options === 'object' && options !== null)
    return sealSync(algorithm, options);
  return perform(sealParser, arguments);
}

/**
 * Checks and decrypts a message of {@link seal}. If anything is wrong (key, nonce, aad, tag, a
 * changed bit) it fails with ERR_AUTHENTICATION, returns nothing, and leaves the target all zero.
 *
 * @example
 * ```js
 * import { generateKey, open, seal } from 'millrace';
 *
 * const key = generateKey('aes-256-gcm');
 * const sealed = seal('aes-256-gcm', { key, source: 'attack at dawn' });
 * open('aes-256-gcm', { key, source: sealed }).toString();
 *
 * sealed[20] ^= 1;
 * try {
 *   open('aes-256-gcm', { key, source: sealed });
 * } catch (error) {
 *   console.log(error.code); // ERR_AUTHENTICATION
 * }
 * ```
 *
 * @returns the message, source size - 16 bytes, and 12 or 24 less if the source begins with the
 *   nonce; with a target, the number of bytes written
 * @throws MillraceError ERR_AUTHENTICATION, and those of {@link seal}
 */
export function open<T extends Bytes | undefined = undefined>(
  algorithm: AeadAlgorithm,
  options: OpenOptions & Partial<TextTargetOptions<T>>,
): Output<T, Buffer>;
/**
 * Opens asynchronously; memory is copied and lent as by {@link seal}.
 *
 * @throws MillraceError for invalid arguments; ERR_AUTHENTICATION goes to the callback
 */
export function open<T extends Bytes | undefined = undefined>(
  algorithm: AeadAlgorithm,
  options: OpenOptions & Partial<TextTargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Buffer>>,
): void;
export function open(algorithm?: unknown, options?: unknown): unknown {
  if (arguments.length === 2 && typeof options === 'object' && options !== null)
    return openSync(algorithm, options);
  return perform(openParser, arguments);
}

/**
 * Encrypts or decrypts: a stream cipher (AES-CTR of NIST SP 800-38A with a 128-bit big-endian
 * counter; ChaCha20 of RFC 8439 with a 16-byte iv: 4-byte little-endian counter, then the nonce),
 * or an AEAD with the tag in its own buffer. A stream cipher alone does not detect changes; prefer
 * {@link seal}.
 *
 * @example
 * ```js
 * import { cipher, generateKey, randomBytes } from 'millrace';
 *
 * const key = generateKey('aes-256-ctr');
 * const iv = randomBytes(16);
 * const text = cipher('aes-256-ctr', {
 *   encrypt: true,
 *   key,
 *   iv,
 *   source: 'secret',
 * });
 * cipher('aes-256-ctr', {
 *   encrypt: false,
 *   key,
 *   iv,
 *   source: text,
 * }).toString();
 * ```
 *
 * @param algorithm name of the cipher, in any case; {@link getCiphers} lists them
 * @returns the text, of the source's size; with a target, the number of bytes written
 * @throws MillraceError as {@link seal} and {@link open}; ERR_OVERLAP if a tag to be written
 *   overlaps the target
 */
export function cipher<T extends Bytes | undefined = undefined>(
  algorithm: CipherAlgorithm,
  options: CipherOptions & Partial<TextTargetOptions<T>>,
): Output<T, Buffer>;
/**
 * Encrypts or decrypts asynchronously. Key, iv, aad and a tag to check are copied at the call, and
 * the source too without a target. With a target both are lent: **do not transfer, detach, resize
 * or write them before the callback**. A tag to write is written when the call settles.
 */
export function cipher<T extends Bytes | undefined = undefined>(
  algorithm: CipherAlgorithm,
  options: CipherOptions & Partial<TextTargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Buffer>>,
): void;
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
  ...tagged: [] | [aad: Data, tag: Bytes]
): Buffer;
/** Encrypts or decrypts asynchronously, with positional arguments. */
export function cipher(
  algorithm: CipherAlgorithm,
  encrypt: boolean | 0 | 1,
  key: KeyInput,
  iv: Bytes,
  source: Data,
  ...tagged: [callback: Callback<Buffer>] | [aad: Data, tag: Bytes, callback: Callback<Buffer>]
): void;
export function cipher(): unknown {
  return perform(cipherParser, arguments);
}

/**
 * Seals a message with a passphrase, in the format of `millrace seal`; see `sealWithPassphrase` of
 * `millrace/promises`. There is no synchronous form, as deriving the key takes a third of a second.
 *
 * @example
 * ```js
 * import { sealWithPassphrase } from 'millrace';
 *
 * const passphrase = 'correct horse battery staple';
 * sealWithPassphrase(passphrase, 'attack at dawn', (error, sealed) => {
 *   if (error) throw error;
 *   console.log(sealed.length);
 * });
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT or ERR_ARGUMENT_TYPE if there is no callback; all
 *   other errors go to the callback
 */
export function sealWithPassphrase(passphrase: Data, data: Data, callback: Callback<Buffer>): void;
/** Seals a message with a passphrase, with options. */
export function sealWithPassphrase(
  passphrase: Data,
  data: Data,
  options: SealWithPassphraseOptions | undefined,
  callback: Callback<Buffer>,
): void;
export function sealWithPassphrase(...given: unknown[]): void {
  withPassphrase('sealWithPassphrase', given);
}

/**
 * Opens a message of {@link sealWithPassphrase} or `millrace seal` as a whole, or calls back with
 * an error; see `openWithPassphrase` of `millrace/promises`.
 *
 * @example
 * ```js
 * import { openWithPassphrase, sealWithPassphrase } from 'millrace';
 *
 * const passphrase = 'correct horse battery staple';
 * sealWithPassphrase(passphrase, 'attack at dawn', (error, sealed) => {
 *   if (error) throw error;
 *   openWithPassphrase(passphrase, sealed, (failure, message) => {
 *     if (failure) throw failure; // ERR_AUTHENTICATION if it was changed
 *     console.log(message.toString());
 *   });
 * });
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT or ERR_ARGUMENT_TYPE if there is no callback; all
 *   other errors go to the callback
 */
export function openWithPassphrase(passphrase: Data, data: Bytes, callback: Callback<Buffer>): void;
/** Opens a message sealed with a passphrase, with options. */
export function openWithPassphrase(
  passphrase: Data,
  data: Bytes,
  options: OpenWithPassphraseOptions | undefined,
  callback: Callback<Buffer>,
): void;
export function openWithPassphrase(...given: unknown[]): void {
  withPassphrase('openWithPassphrase', given);
}

function withPassphrase(
  name: 'sealWithPassphrase' | 'openWithPassphrase',
  given: readonly unknown[],
): void {
  const [passphrase, data, third, fourth] = given;
  const callback = typeof third === 'function' ? third : fourth;
  refuseSurplus(given, callback === third ? 3 : 4, name);
  if (callback === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${name} needs a callback; millrace/promises has a form without`,
    );
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  const completion = new CallbackCompletion(callback as Callback<unknown>);
  const result = passphrases()[name](passphrase, data, callback === third ? undefined : third);
  result.then(
    (value) => completion.succeed(value),
    (error: unknown) => completion.fail(error),
  );
}
