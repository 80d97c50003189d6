/**
 * Millrace: ciphers, AEAD, hashes, HMAC and key derivation, native and on every core.
 *
 * Leave the callback out and a call is synchronous. With a callback it runs on Millrace's own
 * worker threads (or, if it is cheaper than the way there, during the call) and calls back
 * `(error)` or `(null, result)`, always later. For promises see `millrace/promises`.
 *
 * @packageDocumentation
 */
import type { Bytes, Data } from './request/arguments.js';
import { WHOLE } from './request/protocol.js';
import { runCallback, runSync } from './scheduling/run.js';
import { type Parser } from './request/request.js';
import { cipherList, findHash, hashList } from './catalog/catalog.js';
import type { CipherAlgorithm, HashAlgorithm } from './catalog/catalog.js';
import type { CipherName, HashName } from './catalog/catalog-table.js';
import { cipherParser, openParser, sealParser } from './operations/cipher.js';
import type {
  CipherOptions,
  OpenOptions,
  SealOptions,
  TextTargetOptions,
} from './operations/cipher.js';
import { batchableFacts, join } from './scheduling/coalesce.js';
import { makeError, wrongType } from './request/errors.js';
import { hashParser, fastForm } from './operations/hash.js';
import type { Digest, Encoding, HashOptions, Output, TargetOptions } from './operations/hash.js';
import { hmacParser, type HmacOptions } from './operations/hmac.js';
import type { KeyInput, SecretInput } from './request/key-input.js';
import {
  hashManyParser,
  hmacManyParser,
  type ManyParser,
  type Sources,
  type ManyOptions,
  type ManyOutput,
} from './operations/batch/arguments.js';
import { runManyCallback } from './operations/batch/jobs.js';
import { runManySync } from './operations/batch/sync.js';
import type { EngineOptions } from './engines/engines.js';
import type { RouteName, RouteOptions } from './scheduling/routes.js';
import type { StreamOptions, Progress } from './streams/stream-source.js';
import { checkFileCount, hashFileSync, hashFileThen } from './streams/digest-stream.js';
import type { Buffer } from '#platform/runtime.js';
import type { FileSource } from '#platform/files.js';
import type {
  OpenWithPassphraseOptions,
  SealWithPassphraseOptions,
} from './streams/passphrase/parameters.js';
import { passphrases } from '#platform/sealed.js';
import { fastBigInt, fastBuffer, fastHex } from './operations/fast-path.js';
import { encodeShort, isShort, TEXT_OFFSET, textScratch } from './request/input-buffer.js';
import { CallbackCompletion, type Callback } from './scheduling/completions.js';

export { MillraceError } from './request/errors.js';
export type { ErrorCode } from './request/error-codes.js';
export { configure } from './engines/settings.js';
export type { Settings } from './engines/settings.js';
export { engines } from './engines/report.js';
export type {
  Cost,
  Engines,
  EnginesOptions,
  KernelAlgorithm,
  KernelWay,
  ServedAlgorithm,
} from './engines/report.js';
export type { EngineName, EngineOptions, Fallback } from './engines/engines.js';
export { createKey, Key } from './operations/key.js';
export type { CreateKeyOptions } from './operations/key.js';
export { createHash, createHmac } from './hashers/create.js';
export { Hash, Hmac } from './hashers/hasher.js';
export type { Hasher } from './hashers/hasher.js';
export * from './kdf/derivations.js';
export type {
  Argon2Algorithm,
  Argon2CallParameters,
  Argon2Cost,
  Argon2Parameters,
} from './kdf/argon2.js';
export type { DerivationCallOptions, DerivationProgress } from './kdf/derive.js';
export type { HashPasswordOptions, VerifyPasswordOptions } from './kdf/passwords.js';
export type { ScryptOptions } from './kdf/scrypt.js';
export type {
  OpenWithPassphraseOptions,
  SealWithPassphraseOptions,
} from './streams/passphrase/parameters.js';
export type {
  CopyOptions,
  CreateHashOptions,
  CreateHmacOptions,
  DigestEncoding,
} from './hashers/options.js';
export type {
  ManyOptions,
  ManyOutput,
  PackedSources,
  Sources,
} from './operations/batch/arguments.js';
export type {
  Bytes,
  Callback,
  CipherAlgorithm,
  CipherName,
  CipherOptions,
  Data,
  Digest,
  Encoding,
  HashAlgorithm,
  HashName,
  HashOptions,
  HmacOptions,
  KeyInput,
  OpenOptions,
  Output,
  StreamOptions,
  Progress,
  RouteName,
  RouteOptions,
  SealOptions,
  SecretInput,
  TargetOptions,
  TextTargetOptions,
};

/**
 * Computes the digest of `data` (FIPS 180-4, FIPS 202, RFC 1321, RFC 7693, the BLAKE3 and xxHash
 * specifications; {@link getHashes} lists the algorithms).
 *
 * With a callback `data` is copied at the call. With `options.target` it is lent instead: **you
 * promise not to transfer, detach, resize or write it until the callback**.
 *
 * @param algorithm name of the hash, in any case; common aliases work (`SHA-256`)
 * @param data bytes, or a string that is hashed as UTF-8
 * @param options an encoding, `'buffer'` (default), `'hex'`, `'base64'`, `'base64url'` or
 * `'bigint'` (big-endian), or an object
 * @returns the digest; with a target, its size in bytes
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 * ERR_OUTPUT_SIZE, ERR_KEY_SIZE;
 *   also when a callback is given: it then is not called
 */
export function hash<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  data: Data,
  encoding?: E,
): Digest<E>;
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  data: Data,
  options: HashOptions<E> & Partial<TargetOptions<T>>,
): Output<T, Digest<E>>;
export function hash<E extends Encoding>(
  algorithm: HashAlgorithm,
  data: Data,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>>,
): void;
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  data: Data,
  options: HashOptions<E> & Partial<TargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Digest<E>>>,
): void;
export function hash(
  algorithm: unknown,
  data: unknown,
  third?: unknown,
  fourth?: unknown,
): unknown {
  // The fast path. It does not accept long strings, DataViews, unknown names and SHAKE; the full
  // request handles those and throws errors.
  if (arguments.length <= 3 && typeof algorithm === 'string') {
    const facts = findHash(algorithm);
    if (facts !== undefined && facts.digestSize > 0) {
      // A short string is passed in the input buffer.
      const size = (): number =>
        typeof data === 'string' && isShort(data) ? encodeShort(data, textScratch) : WHOLE;
      const digest =
        third === 'hex'
          ? fastHex(facts, data, TEXT_OFFSET, size())
          : third === undefined
            ? fastBuffer(facts, data, TEXT_OFFSET, size())
            : third === 'bigint'
              ? fastBigInt(facts, data, TEXT_OFFSET, size())
              : undefined;
      if (digest !== undefined) return digest;
    }
  }
  if (arguments.length === 3 && typeof third === 'function') {
    if (hashCoalesced(third as Callback<unknown>, algorithm, data, undefined)) return undefined;
  } else if (arguments.length === 4 && typeof fourth === 'function') {
    if (hashCoalesced(fourth as Callback<unknown>, algorithm, data, third)) return undefined;
  }
  return perform(hashParser, arguments);
}

/** Returns false if the message is not short or an argument is invalid. */
function hashCoalesced(
  callback: Callback<unknown>,
  algorithm: unknown,
  data: unknown,
  encoding: unknown,
): boolean {
  const facts = batchableFacts(algorithm, data);
  const form = fastForm(encoding);
  return (
    facts !== undefined &&
    form !== undefined &&
    join(facts, data as Uint8Array | string, form, new CallbackCompletion(callback))
  );
}

/**
 * The digest of a file, read to its end in constant memory. With a callback, blocks are read while
 * others are hashed on the worker threads.
 *
 * @param path as for node:fs: a string, Buffer or file URL; in browsers a Blob, such as a File
 * @throws MillraceError as {@link hash}; ERR_FILE_CHANGED if a regular file ends before the size it
 * had when it was opened; the file
 *   system's own errors (`ENOENT`, `EISDIR`, ...). With a callback those about the file go to it.
 */
export function hashFile<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  path: FileSource,
  encoding?: E,
): Digest<E>;
export function hashFile<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  path: FileSource,
  options: HashOptions<E> & Partial<TargetOptions<T>>,
): Output<T, Digest<E>>;
export function hashFile<E extends Encoding>(
  algorithm: HashAlgorithm,
  path: FileSource,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>>,
): void;
export function hashFile<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  path: FileSource,
  options: HashOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
  callback: Callback<Output<T, Digest<E>>>,
): void;
export function hashFile(
  algorithm: HashAlgorithm,
  path: unknown,
  third?: unknown,
  fourth?: unknown,
): unknown {
  const callback = typeof third === 'function' ? third : fourth;
  checkFileCount(arguments, callback === third ? 3 : 4);
  if (callback === undefined) return hashFileSync(algorithm, path, third);
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  return hashFileThen(
    callback as Callback<unknown>,
    algorithm,
    path,
    callback === third ? undefined : third,
  );
}

/**
 * Computes the HMAC of `data` (RFC 2104, FIPS 198-1) over any cryptographic hash of fixed size.
 *
 * The asynchronous friendly forms copy `data` at the call; the key is always copied. With
 * `options.target` the source is lent: **you promise not to
 * transfer, detach, resize or write it until the callback**.
 *
 * @param algorithm name of the hash, e.g. `sha256`
 * @param key any number of bytes, a string (UTF-8), a secret KeyObject, an extractable secret
 * CryptoKey, or a key prepared
 *   for `hmac-sha256`
 * @param data bytes, or a string that is authenticated as UTF-8
 * @param options an encoding, `'buffer'` (default), `'hex'`, `'base64'`, `'base64url'` or
 * `'bigint'` (big-endian), or an object
 * @returns the code, of the hash's digest size; with a target, its size in bytes
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 * ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM;
 *   also when a callback is given: it then is not called
 */
export function hmac<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  encoding?: E,
): Digest<E>;
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  options: HmacOptions<E> & Partial<TargetOptions<T>>,
): Output<T, Digest<E>>;
export function hmac<E extends Encoding>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>>,
): void;
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  options: HmacOptions<E> & Partial<TargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Digest<E>>>,
): void;
export function hmac(): unknown {
  return perform(hmacParser, arguments);
}

/**
 * The digests of many messages in one call: several messages at once on each core, where the CPU
 * has the instructions.
 *
 * The asynchronous forms cut the work for all cores, and copy `sources` at the call. With
 * `options.target` they are lent: **you promise not to transfer, detach, resize or write them until
 * the callback**.
 *
 * @param sources an array of bytes and strings, or `{ data, size }`: messages of one size that
 * stand one after the other
 * @param options as for {@link hash}
 * @returns a Buffer with all digests, one after the other; with an encoding, also `'buffer'`, an
 * array; with a target,
 *   the number of bytes written
 * @throws MillraceError as {@link hash}; the message names the element: `sources[17]`
 */
export function hashMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  sources: Sources,
  encoding?: E,
): ManyOutput<E>;
export function hashMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  sources: Sources,
  options: ManyOptions<HashOptions, E, T>,
): ManyOutput<E, T>;
export function hashMany<E extends Encoding>(
  algorithm: HashAlgorithm,
  sources: Sources,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>[]>,
): void;
export function hashMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  sources: Sources,
  options: ManyOptions<HashOptions, E, T> & RouteOptions,
  callback: Callback<ManyOutput<E, T>>,
): void;
export function hashMany(): unknown {
  return performMany(hashManyParser, arguments);
}

/**
 * The HMACs of many messages under one key in one call; see {@link hashMany}. The key is always
 * copied.
 *
 * @param key any number of bytes, a string (UTF-8), a secret KeyObject, an extractable secret
 * CryptoKey, or a key prepared
 *   for `hmac-sha256`
 * @param sources an array of bytes and strings, or `{ data, size }`: messages of one size that
 * stand one after the other
 * @returns a Buffer with all codes, one after the other; with an encoding, also `'buffer'`, an
 * array; with a target, the
 *   number of bytes written
 * @throws MillraceError as {@link hmac}; the message names the element: `sources[17]`
 */
export function hmacMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  encoding?: E,
): ManyOutput<E>;
export function hmacMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  options: ManyOptions<EngineOptions, E, T>,
): ManyOutput<E, T>;
export function hmacMany<E extends Encoding>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>[]>,
): void;
export function hmacMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  options: ManyOptions<EngineOptions, E, T> & RouteOptions,
  callback: Callback<ManyOutput<E, T>>,
): void;
export function hmacMany(): unknown {
  return performMany(hmacManyParser, arguments);
}

/**
 * Encrypts and authenticates with an AEAD: AES-GCM (NIST SP 800-38D), ChaCha20-Poly1305 (RFC 8439),
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) or AES-256-GCM-SIV (RFC 8452). The tag is appended
 * to the ciphertext.
 *
 * Without a target the asynchronous form copies the source at the call. With a target source and
 * target are lent: **you promise not to transfer, detach, resize or write them until the
 * callback**. Key, nonce and aad are always copied.
 *
 * Without a nonce a random one is taken and stands before the ciphertext. `xchacha20-poly1305` is
 * the default choice: its random 24-byte nonces do not repeat. With a 12-byte nonce (all others)
 * seal at most 2^32 messages with one key (NIST SP 800-38D, 8.3). A sealed message is not committed
 * to its key: someone who knows two keys can make a message that opens under both. Sealed streams
 * are committed.
 *
 * @param algorithm `xchacha20-poly1305`, `aes-128-gcm`, `aes-192-gcm`, `aes-256-gcm`,
 * `chacha20-poly1305` or `aes-256-gcm-siv`
 * @returns ciphertext and tag, source size + 16 bytes; without a nonce, nonce, ciphertext and tag;
 * with a target, that number
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_KEY_SIZE,
 *   ERR_IV_SIZE, ERR_TAG_SIZE, ERR_SOURCE_SIZE, ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM, ERR_RESIZABLE;
 *   with a callback too, which then is not called
 */
export function seal(algorithm: CipherAlgorithm, options: SealOptions & TextTargetOptions): number;
export function seal(algorithm: CipherAlgorithm, options: SealOptions): Buffer;
export function seal(
  algorithm: CipherAlgorithm,
  options: SealOptions & TextTargetOptions & RouteOptions,
  callback: Callback<number>,
): void;
export function seal(
  algorithm: CipherAlgorithm,
  options: SealOptions & RouteOptions,
  callback: Callback<Buffer>,
): void;
export function seal(): unknown {
  return perform(sealParser, arguments);
}

/**
 * Checks and decrypts what {@link seal} made; without a nonce, one that the source begins with. If
 * anything is wrong (key, nonce, aad, tag, a changed bit) it fails with ERR_AUTHENTICATION, nothing
 * is returned, and the target is left all zero.
 *
 * Without a target the asynchronous form copies the source at the call. With a target source and
 * target are lent: **you promise not to transfer, detach, resize or write them until the
 * callback**. Key, nonce and aad are always copied.
 *
 * @returns the message, source size - 16 bytes, without a nonce 12 or 24 less; with a target, that
 * number
 * @throws MillraceError ERR_AUTHENTICATION, and those of {@link seal}; ERR_AUTHENTICATION goes to
 * the callback if there is one
 */
export function open(algorithm: CipherAlgorithm, options: OpenOptions & TextTargetOptions): number;
export function open(algorithm: CipherAlgorithm, options: OpenOptions): Buffer;
export function open(
  algorithm: CipherAlgorithm,
  options: OpenOptions & TextTargetOptions & RouteOptions,
  callback: Callback<number>,
): void;
export function open(
  algorithm: CipherAlgorithm,
  options: OpenOptions & RouteOptions,
  callback: Callback<Buffer>,
): void;
export function open(): unknown {
  return perform(openParser, arguments);
}

/**
 * Seals a message with a passphrase, in the format of `millrace seal`; see `sealWithPassphrase` of
 * `millrace/promises`. There is no synchronous form: to derive the key takes a third of a second.
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE for no callback; all else goes to
 * the callback
 */
export function sealWithPassphrase(passphrase: Data, data: Data, callback: Callback<Buffer>): void;
export function sealWithPassphrase(
  passphrase: Data,
  data: Data,
  options: SealWithPassphraseOptions | undefined,
  callback: Callback<Buffer>,
): void;
export function sealWithPassphrase(
  passphrase: unknown,
  data: unknown,
  third?: unknown,
  fourth?: unknown,
): void {
  withPassphrase('sealWithPassphrase', passphrase, data, third, fourth);
}

/**
 * Opens what {@link sealWithPassphrase} or `millrace seal` made: all of it, or an error goes to the
 * callback; see `openWithPassphrase` of `millrace/promises`.
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE for no callback; all else goes to
 * the callback
 */
export function openWithPassphrase(passphrase: Data, data: Bytes, callback: Callback<Buffer>): void;
export function openWithPassphrase(
  passphrase: Data,
  data: Bytes,
  options: OpenWithPassphraseOptions | undefined,
  callback: Callback<Buffer>,
): void;
export function openWithPassphrase(
  passphrase: unknown,
  data: unknown,
  third?: unknown,
  fourth?: unknown,
): void {
  withPassphrase('openWithPassphrase', passphrase, data, third, fourth);
}

function withPassphrase(
  name: 'sealWithPassphrase' | 'openWithPassphrase',
  passphrase: unknown,
  data: unknown,
  third: unknown,
  fourth: unknown,
): void {
  const callback = typeof third === 'function' ? third : fourth;
  if (callback === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${name} needs a callback; millrace/promises has a form without`,
    );
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  const completion = new CallbackCompletion(callback as Callback<unknown>);
  const begun = passphrases()[name](passphrase, data, callback === third ? undefined : third);
  begun.then(
    (result) => completion.succeed(result),
    (error: unknown) => completion.fail(error),
  );
}

/**
 * Encrypts or decrypts: a stream cipher (AES-CTR of NIST SP 800-38A with a 128-bit big-endian
 * counter; ChaCha20 of RFC 8439 with a 16-byte iv: 4-byte little-endian counter, then the nonce),
 * or an AEAD with the tag in a buffer of its own. A stream cipher alone does not detect changes;
 * prefer {@link seal}.
 *
 * The call takes an options object, or five arguments, or seven with aad and tag. With a callback
 * and no target the source is copied at the call. With a target source and target are lent: **you
 * promise not to transfer, detach, resize or write them until the callback**. Key, iv, aad and the
 * tag to check are always copied; a tag to be made is written when the call settles.
 *
 * @param algorithm name of the cipher, in any case; {@link getCiphers} lists them
 * @param encrypt true or 1 to encrypt, false or 0 to decrypt
 * @returns the text, of the source's size; with a target, that number
 * @throws MillraceError as {@link seal} and {@link open}; ERR_OVERLAP if the tag to be made lies
 * over the target
 */
export function cipher<T extends Bytes | undefined = undefined>(
  algorithm: CipherAlgorithm,
  options: CipherOptions & Partial<TextTargetOptions<T>>,
): Output<T, Buffer>;
export function cipher<T extends Bytes | undefined = undefined>(
  algorithm: CipherAlgorithm,
  options: CipherOptions & Partial<TextTargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Buffer>>,
): void;
export function cipher(
  algorithm: CipherAlgorithm,
  encrypt: boolean | 0 | 1,
  key: KeyInput,
  iv: Bytes,
  source: Data,
  ...tagged: [] | [aad: Data, tag: Bytes]
): Buffer;
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

/** Returns the standard names of all ciphers, sorted. */
export function getCiphers(): string[] {
  return cipherList();
}

/** Returns the standard names of all hashes, sorted. */
export function getHashes(): string[] {
  return hashList();
}

/** Runs a call: asynchronously if the last argument is a callback, otherwise synchronously. */
function perform({ fill, counts }: Parser, given: IArguments): unknown {
  const { count, callback } = waiting(counts, given);
  return callback === undefined
    ? runSync(fill, given, count)
    : runCallback(callback, fill, given, count);
}

function performMany(parser: ManyParser, given: IArguments): unknown {
  const { count, callback } = waiting(parser.counts, given);
  return callback === undefined
    ? runManySync(parser, given, count)
    : runManyCallback(callback, parser, given, count);
}

/** Returns the callback, if the last argument is one, and the number of other arguments. */
function waiting(
  counts: readonly number[],
  given: IArguments,
): { count: number; callback: Callback<unknown> | undefined } {
  const count = given.length;
  const last = given[count - 1] as unknown;
  if (typeof last === 'function') return { count: count - 1, callback: last as Callback<unknown> };
  // A trailing undefined counts as an absent argument.
  return {
    count: last === undefined && !counts.includes(count) ? count - 1 : count,
    callback: undefined,
  };
}
