/** Hashes and HMACs of `millrace`. */
import type { Bytes, Data } from '../base/arguments.js';
import { refuseSurplus, wrongType } from '../base/errors.js';
import { encodeShort, isShort, TEXT_OFFSET, textScratch } from '../request/input-buffer.js';
import type { KeyInput } from '../request/key-input.js';
import { WHOLE } from '../base/protocol.js';
import { findHash, hashFacts, type HashAlgorithm } from '../catalog/catalog.js';
import type { EngineOptions } from '../engines/engines.js';
import type { ManyOptions, ManyOutput } from '../operations/batch/arguments.js';
import type { Sources } from '../operations/batch/messages.js';
import { hashPairsSync } from '../operations/batch/pairs.js';
import { fastBigInt, fastBuffer, fastHex, fastPrefixedHex } from '../operations/fast-path.js';
import {
  fastForm,
  hashParser,
  type Digest,
  type Encoding,
  type HashOptions,
  type Output,
  type TargetOptions,
} from '../operations/hash.js';
import { hmacParser, type HmacOptions } from '../operations/hmac.js';
import { hashSync, hmacSync } from '../operations/digest-sync.js';
import type { Message } from '../operations/tuple.js';
import { batchableFacts, join } from '../scheduling/coalesce.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';
import type { RouteOptions } from '../scheduling/routes.js';
import { checkFileCount, hashFileSync, hashFileThen } from '../streams/digest-stream.js';
import { hashFilesSync, hashFilesThen } from '../streams/hash-files.js';
import type {
  FileDigest,
  FilesSignalOptions,
  HashFilesOptions,
} from '../streams/hash-files-options.js';
import type { StreamOptions } from '../streams/stream-source.js';
import { perform } from './call.js';
import { performMany } from './many.js';
import type { FileSource } from '#platform/streams/files.js';
import type { Buffer } from '#platform/base/runtime.js';

/**
 * Computes the digest of `data` (FIPS 180-4, FIPS 202, RFC 1321, RFC 7693, the BLAKE3 and xxHash
 * specifications; {@link getHashes} lists the algorithms).
 *
 * @example
 * ```js
 * import { hash } from 'millrace';
 *
 * hash('sha256', 'abc', 'hex');
 * // 'ba7816bf8f01cfea414140de5dae2223…'
 *
 * // With a callback it runs off the main thread.
 * hash('blake3', Buffer.alloc(1e6), 'hex', (error, digest) => {
 *   if (error) throw error;
 *   console.log(digest);
 * });
 * ```
 *
 * @param algorithm name of the hash, in any case; common aliases work (`SHA-256`)
 * @param data bytes, or a string that is hashed as UTF-8; for a TupleHash an array of them
 * @param encoding `'buffer'` (default), `'hex'`, `'0xhex'`, `'base64'`, `'base64url'` or
 *   `'bigint'` (big-endian)
 * @returns the digest
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_OUTPUT_SIZE, ERR_KEY_SIZE
 */
export function hash<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  data: Message,
  encoding?: E,
): Digest<E>;
/**
 * Computes the digest of `data` with options.
 *
 * @returns the digest; with a target, its size in bytes
 */
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  data: Message,
  options: HashOptions<E> & Partial<TargetOptions<T>>,
): Output<T, Digest<E>>;
/**
 * Computes a digest asynchronously. `data` is copied at the call; with `options.target` it is lent
 * instead: **do not transfer, detach, resize or write it before the callback**.
 *
 * @throws MillraceError for invalid arguments; the callback is then not called
 */
export function hash<E extends Encoding>(
  algorithm: HashAlgorithm,
  data: Message,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>>,
): void;
/** Computes a digest asynchronously, with options. */
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  data: Message,
  options: HashOptions<E> & Partial<TargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Digest<E>>>,
): void;
export function hash(
  algorithm: unknown,
  data: unknown,
  third?: unknown,
  fourth?: unknown,
): unknown {
  // The fast path. It does not accept long strings, DataViews, empty messages, unknown names and
  // SHAKE; the full request handles those and throws errors.
  if (arguments.length <= 3 && typeof algorithm === 'string') {
    const facts = findHash(algorithm);
    if (facts !== undefined && facts.direct) {
      const digest =
        third === 'hex'
          ? fastHex(facts, data, TEXT_OFFSET, fastSize(data))
          : third === undefined
            ? fastBuffer(facts, data, TEXT_OFFSET, fastSize(data))
            : third === 'bigint'
              ? fastBigInt(facts, data, TEXT_OFFSET, fastSize(data))
              : undefined;
      if (digest !== undefined) return digest;
    }
    if (typeof third === 'object' && third !== null)
      return hashSync(facts ?? hashFacts(algorithm), data, third);
    if (third === '0xhex' && facts !== undefined && facts.direct) {
      const digest = fastPrefixedHex(facts, data, TEXT_OFFSET, fastSize(data));
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

/**
 * Returns the size of a source for the fast path: that of a short string, which is encoded into the
 * input buffer, or {@link WHOLE}.
 */
function fastSize(data: unknown): number {
  return typeof data === 'string' && isShort(data) ? encodeShort(data, textScratch) : WHOLE;
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
 * Computes the digest of a file. It is read to its end in constant memory.
 *
 * @example
 * ```js
 * import { hashFile } from 'millrace';
 *
 * hashFile('sha256', 'photos.tar', 'hex');
 * ```
 *
 * @param path as for node:fs: a string, Buffer or file URL; in browsers a Blob, such as a File
 * @throws MillraceError as {@link hash}; ERR_FILE_CHANGED if a regular file ends before the size it
 *   had when it was opened; the file system's own errors (`ENOENT`, `EISDIR`, ...)
 */
export function hashFile<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  path: FileSource,
  encoding?: E,
): Digest<E>;
/** Computes the digest of a file with options. */
export function hashFile<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  path: FileSource,
  options: HashOptions<E> & Partial<TargetOptions<T>>,
): Output<T, Digest<E>>;
/**
 * Computes the digest of a file asynchronously: blocks are read while others are hashed on the
 * worker threads. Errors about the file go to the callback; invalid arguments throw.
 */
export function hashFile<E extends Encoding>(
  algorithm: HashAlgorithm,
  path: FileSource,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>>,
): void;
/** Computes the digest of a file asynchronously, with options. */
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
 * Computes the digests of many files in the order of their paths. The files are opened, read and
 * hashed by native code, many in one call.
 *
 * @example
 * ```js
 * import { hashFiles } from 'millrace';
 *
 * const paths = ['photos.tar', 'notes.txt'];
 * const digests = hashFiles('sha256', paths, 'hex');
 * paths.forEach((path, index) => console.log(digests[index], path));
 * ```
 *
 * @param paths an array, or an iterable, which is run to its end first; each path as for
 *   {@link hashFile}
 * @returns an array of digests; with `errors: 'return'` an Error in the place of each file that
 *   cannot be hashed
 * @throws MillraceError as {@link hash}; otherwise the error of the first file, in the order given,
 *   that cannot be hashed, as {@link hashFile} has it, with `path` and `index`
 */
export function hashFiles<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  paths: Iterable<FileSource>,
  encoding?: E,
): Digest<E>[];
/** Computes the digests of many files with options. */
export function hashFiles<E extends Encoding = 'buffer', R extends 'throw' | 'return' = 'throw'>(
  algorithm: HashAlgorithm,
  paths: Iterable<FileSource>,
  options: HashFilesOptions<E, R>,
): FileDigest<E, R>[];
/**
 * Computes the digests of many files on the worker threads. Errors of files go to the callback once
 * nothing is read any more; invalid arguments throw.
 */
export function hashFiles<E extends Encoding>(
  algorithm: HashAlgorithm,
  paths: Iterable<FileSource>,
  encoding: E | Callback<Buffer[]>,
  callback?: Callback<Digest<E>[]>,
): void;
/** Computes the digests of many files on the worker threads, with options. */
export function hashFiles<E extends Encoding = 'buffer', R extends 'throw' | 'return' = 'throw'>(
  algorithm: HashAlgorithm,
  paths: Iterable<FileSource>,
  options: HashFilesOptions<E, R> & FilesSignalOptions,
  callback: Callback<FileDigest<E, R>[]>,
): void;
export function hashFiles(
  algorithm: HashAlgorithm,
  paths: unknown,
  third?: unknown,
  fourth?: unknown,
): unknown {
  const callback = typeof third === 'function' ? third : fourth;
  checkFileCount(arguments, callback === third ? 3 : 4, 'hashFiles takes an algorithm, paths');
  if (callback === undefined) return hashFilesSync(algorithm, paths, third);
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  return hashFilesThen(
    callback as Callback<unknown>,
    algorithm,
    paths,
    callback === third ? undefined : third,
  );
}

/**
 * Computes the HMAC of `data` (RFC 2104, FIPS 198-1) over any cryptographic hash of fixed size.
 *
 * @example
 * ```js
 * import { hmac } from 'millrace';
 *
 * hmac('sha256', 'a secret', 'a message', 'hex');
 * // To check a code that was received use verifyHmac.
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`
 * @param key any number of bytes, a string (UTF-8), a secret KeyObject, an extractable secret
 *   CryptoKey, or a key prepared for `hmac-sha256`
 * @param data bytes, or a string that is authenticated as UTF-8
 * @param encoding `'buffer'` (default), `'hex'`, `'0xhex'`, `'base64'`, `'base64url'` or
 *   `'bigint'` (big-endian)
 * @returns the code, of the hash's digest size
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM
 */
export function hmac<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  encoding?: E,
): Digest<E>;
/**
 * Computes the HMAC of `data` with options.
 *
 * @returns the code; with a target, its size in bytes
 */
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  options: HmacOptions<E> & Partial<TargetOptions<T>>,
): Output<T, Digest<E>>;
/**
 * Computes an HMAC asynchronously. Key and `data` are copied at the call; with `options.target`
 * `data` is lent instead: **do not transfer, detach, resize or write it before the callback**.
 *
 * @throws MillraceError for invalid arguments; the callback is then not called
 */
export function hmac<E extends Encoding>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>>,
): void;
/** Computes an HMAC asynchronously, with options. */
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  options: HmacOptions<E> & Partial<TargetOptions<T>> & RouteOptions,
  callback: Callback<Output<T, Digest<E>>>,
): void;
export function hmac(
  algorithm?: unknown,
  key?: unknown,
  data?: unknown,
  fourth?: unknown,
): unknown {
  if (typeof fourth !== 'function' && (arguments.length === 4 || arguments.length === 3)) {
    if (typeof data !== 'function') return hmacSync(algorithm, key, data, fourth);
  }
  return perform(hmacParser, arguments);
}

/**
 * Computes the digests of many messages in one call: several messages at once on each core, if the
 * CPU has the instructions.
 *
 * @example
 * ```js
 * import { hashMany } from 'millrace';
 *
 * hashMany('sha256', ['one', 'two', 'three'], 'hex');
 * // An array of three digests; without an encoding
 * // one Buffer of 96 bytes.
 * ```
 *
 * @param sources an array or iterable of bytes and strings, or `{ data, size }`: consecutive
 *   messages of one size
 * @returns a Buffer of consecutive digests; with an encoding, also `'buffer'`, an array; with a
 *   target, the number of bytes written
 * @throws MillraceError as {@link hash}; the message names the element: `sources[17]`
 */
export function hashMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  sources: Sources,
  encoding?: E,
): ManyOutput<E>;
/** Computes the digests of many messages with options. */
export function hashMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  sources: Sources,
  options: ManyOptions<HashOptions, E, T>,
): ManyOutput<E, T>;
/**
 * Computes the digests of many messages on all cores. `sources` are copied at the call; with
 * `options.target` they are lent instead: **do not transfer, detach, resize or write them before
 * the callback**.
 */
export function hashMany<E extends Encoding>(
  algorithm: HashAlgorithm,
  sources: Sources,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>[]>,
): void;
/** Computes the digests of many messages on all cores, with options. */
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
  return performMany(false, arguments);
}

/**
 * Computes the digest of each pair of consecutive nodes: the parents of a level of a Merkle tree.
 *
 * @example
 * ```js
 * import { hash, hashPairs } from 'millrace';
 *
 * const left = hash('sha256', 'left');
 * const right = hash('sha256', 'right');
 * const parent = hashPairs('sha256', Buffer.concat([left, right]));
 * console.log(parent.length);
 * ```
 *
 * @param nodes pairs of digests of this algorithm, one after the other
 * @returns a Buffer of consecutive digests; with a target, the number of bytes written
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_DETACHED
 */
export function hashPairs(algorithm: HashAlgorithm, nodes: Bytes): Buffer;
/**
 * Writes the digest of each pair of consecutive nodes to `target`, which may be or overlap `nodes`:
 * `hashPairs(algorithm, nodes, nodes)` leaves the parents in the first half.
 */
export function hashPairs(algorithm: HashAlgorithm, nodes: Bytes, target: Bytes): number;
export function hashPairs(algorithm?: unknown, nodes?: unknown, target?: unknown): unknown {
  refuseSurplus(arguments, 3, 'hashPairs');
  return hashPairsSync(algorithm, nodes, target);
}

/**
 * Computes the HMACs of many messages under one key in one call; see {@link hashMany}.
 *
 * @example
 * ```js
 * import { hmacMany } from 'millrace';
 *
 * const codes = hmacMany('sha256', 'a secret', ['one', 'two'], 'hex');
 * ```
 *
 * @param key any number of bytes, a string (UTF-8), a secret KeyObject, an extractable secret
 *   CryptoKey, or a key prepared for `hmac-sha256`
 * @param sources an array or iterable of bytes and strings, or `{ data, size }`: consecutive
 *   messages of one size
 * @returns a Buffer of consecutive codes; with an encoding, also `'buffer'`, an array; with a
 *   target, the number of bytes written
 * @throws MillraceError as {@link hmac}; the message names the element: `sources[17]`
 */
export function hmacMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  encoding?: E,
): ManyOutput<E>;
/** Computes the HMACs of many messages with options. */
export function hmacMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  options: ManyOptions<EngineOptions, E, T>,
): ManyOutput<E, T>;
/**
 * Computes the HMACs of many messages on all cores. Key and `sources` are copied at the call; with
 * `options.target` the sources are lent instead: **do not transfer, detach, resize or write them
 * before the callback**.
 */
export function hmacMany<E extends Encoding>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  encoding: E | Callback<Buffer>,
  callback?: Callback<Digest<E>[]>,
): void;
/** Computes the HMACs of many messages on all cores, with options. */
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
  return performMany(true, arguments);
}
