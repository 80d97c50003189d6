/** Hashes and HMACs of `millrace/promises`. */
import type { Bytes, Data } from '../../base/arguments.js';
import type { Items } from '../../base/iterables.js';
import type { KeyInput } from '../../request/key-input.js';
import type { HashAlgorithm } from '../../catalog/catalog.js';
import type { CreateHashOptions } from '../../hashers/options.js';
import { refuseSurplus } from '../../base/errors.js';
import type { EngineOptions } from '../../engines/engines.js';
import type { ManyOptions, ManyOutput } from '../../operations/batch/arguments.js';
import type { Sources } from '../../operations/batch/messages.js';
import {
  fastForm,
  hashParser,
  type Digest,
  type Encoding,
  type HashOptions,
  type Output,
  type TargetOptions,
} from '../../operations/hash.js';
import { hmacParser, type HmacOptions } from '../../operations/hmac.js';
import type { Message } from '../../operations/tuple.js';
import { batchableFacts, join } from '../../scheduling/coalesce.js';
import { PromiseCompletion } from '../../scheduling/completions.js';
import type { CallOptions } from '../../scheduling/routes.js';
import {
  checkFileCount,
  hashFileAsync,
  hashStream,
  hmacStream,
} from '../../streams/digest-stream.js';
import {
  hashTransformStream as passThrough,
  type HashTransformStream,
} from '../../streams/hash-transform.js';
import { hashFilesAsync, hashFilesEntries } from '../../streams/hash-files.js';
import type {
  FileDigest,
  FilesSignalOptions,
  HashFilesOptions,
} from '../../streams/hash-files-options.js';
import {
  isStreamSource,
  type StreamOptions,
  type StreamSource,
} from '../../streams/stream-source.js';
import { perform } from './call.js';
import { performSources } from './many.js';
import type { FileSource } from '#platform/streams/files.js';

/**
 * Computes the digest of `data`; see `hash` of `millrace` for algorithms, sizes and standards.
 * `data` is copied at the call. With `options.target` it is lent instead: **do not transfer,
 * detach, resize or write it until the promise settles**.
 *
 * @example
 * ```js
 * import { createReadStream } from 'node:fs';
 * import { hash } from 'millrace/promises';
 *
 * await hash('sha256', 'abc', 'hex');
 * // Streams, async iterables and Blobs work too.
 * await hash('blake3', createReadStream('photos.tar'), 'hex');
 * ```
 */
export function hash<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  data: Message,
  encoding?: E,
  options?: CallOptions,
): Promise<Digest<E>>;
/** Works like the form above, with all options in one object. */
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  data: Message,
  options: HashOptions<E> & Partial<TargetOptions<T>> & CallOptions,
): Promise<Output<T, Digest<E>>>;
/**
 * Computes the digest of a message in chunks: an async iterable of bytes or strings, a Node.js or
 * web stream, or a Blob. It is read to its end in constant memory; the next chunk is read while the
 * last one is hashed. If an operation fails or the signal aborts, the source is closed (`return`,
 * `destroy`, `cancel`) and the promise rejects with that error.
 */
export function hash<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  source: StreamSource,
  encoding?: E,
  options?: StreamOptions,
): Promise<Digest<E>>;
/** Works like the form above, with all options in one object. */
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  source: StreamSource,
  options: HashOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
): Promise<Output<T, Digest<E>>>;
export function hash(
  algorithm: HashAlgorithm,
  data: unknown,
  third?: unknown,
  fourth?: unknown,
): Promise<unknown> {
  const count = arguments.length;
  if (count === 2 || (count === 3 && typeof third === 'string')) {
    const facts = batchableFacts(algorithm, data);
    const form = fastForm(third);
    if (facts !== undefined && form !== undefined) {
      const completion = new PromiseCompletion();
      if (join(facts, data as Uint8Array | string, form, completion)) return completion.promise;
    }
  }
  return isStreamSource(data)
    ? hashStream(algorithm, data, third, fourth, ...[...arguments].slice(4))
    : perform(hashParser, arguments);
}

/**
 * Computes the digest of a file. It is read to its end in constant memory: blocks are read while
 * others are hashed.
 *
 * Rejects with the file system's error (`ENOENT`, `EISDIR`, ...), and with ERR_FILE_CHANGED if a
 * regular file ends before the size it had when it was opened.
 *
 * @example
 * ```js
 * import { hashFile } from 'millrace/promises';
 *
 * const signal = AbortSignal.timeout(60_000);
 * await hashFile('sha256', 'photos.tar', 'hex', { signal });
 * ```
 *
 * @param path as for node:fs: a string, Buffer or file URL; in browsers a Blob, such as a File
 */
export function hashFile<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  path: FileSource,
  encoding?: E,
  options?: StreamOptions,
): Promise<Digest<E>>;
/** Works like the form above, with all options in one object. */
export function hashFile<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  path: FileSource,
  options: HashOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
): Promise<Output<T, Digest<E>>>;
export function hashFile(
  algorithm: HashAlgorithm,
  path: unknown,
  third?: unknown,
  fourth?: unknown,
): Promise<unknown> {
  const given = arguments;
  return hashFileAsync(() => checkFileCount(given, 4), algorithm, path, third, fourth);
}

/**
 * Computes the digests of many files in the order of their paths; see `hashFiles` of `millrace`.
 *
 * It rejects with the error of the first file, in the order given, that cannot be hashed, with
 * `path` and `index`; later files may not have been read. With `errors: 'return'` that Error takes
 * the place of the digest. It settles once nothing is read any more.
 *
 * @example
 * ```js
 * import { hashFiles } from 'millrace/promises';
 *
 * const paths = ['photos.tar', 'missing.txt'];
 * // Without `errors` the first error rejects.
 * await hashFiles('sha256', paths, 'hex', { errors: 'return' });
 * // ['…', Error: ENOENT …]
 * ```
 *
 * @param paths an array or iterable, or an async iterable such as `fs.promises.glob(...)`: the next
 *   paths are requested while files are hashed. After an error or an abort it is closed
 */
export function hashFiles<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  paths: Items<FileSource>,
  encoding?: E,
): Promise<Digest<E>[]>;
/** Works like the form above, with `signal` and `errors`. */
export function hashFiles<E extends Encoding = 'buffer', R extends 'throw' | 'return' = 'throw'>(
  algorithm: HashAlgorithm,
  paths: Items<FileSource>,
  encoding: E | undefined,
  options: Pick<HashFilesOptions<E, R>, 'errors'> & FilesSignalOptions,
): Promise<FileDigest<E, R>[]>;
/** Works like the forms above, with all options in one object. */
export function hashFiles<E extends Encoding = 'buffer', R extends 'throw' | 'return' = 'throw'>(
  algorithm: HashAlgorithm,
  paths: Items<FileSource>,
  options: HashFilesOptions<E, R> & FilesSignalOptions,
): Promise<FileDigest<E, R>[]>;
export async function hashFiles(
  algorithm: HashAlgorithm,
  paths: unknown,
  third?: unknown,
  fourth?: unknown,
): Promise<unknown> {
  checkFileCount(arguments, 4, 'hashFiles takes an algorithm, paths');
  return await hashFilesAsync(algorithm, paths, third, fourth);
}

/**
 * Computes the HMAC of `data`; see `hmac` of `millrace`. Key and `data` are copied at the call.
 * With `options.target` `data` is lent instead: **do not transfer, detach, resize or write it until
 * the promise settles**.
 *
 * @example
 * ```js
 * import { hmac } from 'millrace/promises';
 *
 * await hmac('sha256', 'a secret', 'a message', 'hex');
 * ```
 */
export function hmac<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  encoding?: E,
  options?: CallOptions,
): Promise<Digest<E>>;
/** Works like the form above, with all options in one object. */
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  options: HmacOptions<E> & Partial<TargetOptions<T>> & CallOptions,
): Promise<Output<T, Digest<E>>>;
/** Computes the HMAC of a message in chunks; see {@link hash}. */
export function hmac<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  source: StreamSource,
  encoding?: E,
  options?: StreamOptions,
): Promise<Digest<E>>;
/** Works like the form above, with all options in one object. */
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  source: StreamSource,
  options: HmacOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
): Promise<Output<T, Digest<E>>>;
export function hmac(
  algorithm: HashAlgorithm,
  key: unknown,
  data: unknown,
  fourth?: unknown,
  fifth?: unknown,
): Promise<unknown> {
  return isStreamSource(data)
    ? hmacStream(algorithm, key, data, fourth, fifth, ...[...arguments].slice(5))
    : perform(hmacParser, arguments);
}

/**
 * Returns a web TransformStream that passes bytes and strings on unchanged and hashes them; its
 * property `digest` is a promise. `stream.pipeline` of Node.js takes it too.
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import { hashTransformStream } from 'millrace/promises';
 *
 * const hashing = hashTransformStream('sha256', 'hex');
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   hashing,
 *   createWriteStream('copy.tar'),
 * );
 * console.log(await hashing.digest);
 * ```
 *
 * @throws MillraceError as `createHash` of `millrace`
 */
export function hashTransformStream<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  encoding?: E,
  options?: CreateHashOptions,
): HashTransformStream<E> {
  refuseSurplus(arguments, 3, 'hashTransformStream');
  return passThrough(algorithm, encoding ?? ('buffer' as E), options);
}

/**
 * Yields the path and digest of each file as soon as it is hashed, in any order; see
 * {@link hashFiles}. Reading stops while 1024 results wait, and when the loop ends early. With
 * `errors: 'return'` the digest of a file that cannot be hashed is an Error.
 *
 * @example
 * ```js
 * import { hashFilesIterator } from 'millrace/promises';
 *
 * const paths = ['photos.tar', 'notes.txt'];
 * for await (const { path, digest } of hashFilesIterator(
 *   'sha256',
 *   paths,
 *   'hex',
 * ))
 *   console.log(digest, path);
 * ```
 */
export function hashFilesIterator<
  E extends Encoding = 'buffer',
  R extends 'throw' | 'return' = 'throw',
>(
  algorithm: HashAlgorithm,
  paths: Items<FileSource>,
  encoding?: E,
  options?: Pick<HashFilesOptions<E, R>, 'errors'> & FilesSignalOptions,
): AsyncGenerator<FileEntry<E, R>, void, void>;
/** Works like the form above, with all options in one object. */
export function hashFilesIterator<
  E extends Encoding = 'buffer',
  R extends 'throw' | 'return' = 'throw',
>(
  algorithm: HashAlgorithm,
  paths: Items<FileSource>,
  options: HashFilesOptions<E, R> & FilesSignalOptions,
): AsyncGenerator<FileEntry<E, R>, void, void>;
export function hashFilesIterator(
  algorithm?: unknown,
  paths?: unknown,
  form?: unknown,
  options?: unknown,
): unknown {
  checkFileCount(arguments, 4, 'hashFilesIterator takes an algorithm, paths');
  return hashFilesEntries(algorithm, paths, form, options);
}

/** A file of {@link hashFilesIterator}. */
export interface FileEntry<E extends Encoding, R extends 'throw' | 'return'> {
  /** The index of the path. */
  readonly index: number;
  /** The path as it was given. */
  readonly path: FileSource;
  /** The digest, or the error of the file if the call returns errors. */
  readonly digest: FileDigest<E, R>;
}

/**
 * Computes the digests of many messages in one call, divided among all cores; see `hashMany` of
 * `millrace`. An iterable, which may be asynchronous, is read while its messages are hashed in
 * batches of about a mebibyte; it may reuse their memory, and is closed after an error or an abort.
 * An array and packed messages are copied at the call; with `options.target` they are lent instead:
 * **do not transfer, detach, resize or write them until the promise settles**. An abort rejects
 * unless all of the work has started.
 *
 * @example
 * ```js
 * import { hashMany } from 'millrace/promises';
 *
 * await hashMany('sha256', ['one', 'two', 'three'], 'hex');
 * ```
 */
export function hashMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  sources: Sources | AsyncIterable<Message>,
  encoding?: E,
  options?: CallOptions,
): Promise<ManyOutput<E>>;
/** Works like the form above, with all options in one object. */
export function hashMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  sources: Sources | AsyncIterable<Message>,
  options: ManyOptions<HashOptions, E, T> & CallOptions,
): Promise<ManyOutput<E, T>>;
export function hashMany(_algorithm?: unknown, sources?: unknown): Promise<unknown> {
  return performSources(false, arguments, sources);
}

/**
 * Computes the HMACs of many messages under one key in one call, divided among all cores; see
 * `hmacMany` of `millrace`. Key and `sources` are copied at the call; with `options.target` the
 * sources are lent instead: **do not transfer, detach, resize or write them until the promise
 * settles**. An abort rejects unless all of the work has started.
 *
 * @example
 * ```js
 * import { hmacMany } from 'millrace/promises';
 *
 * await hmacMany('sha256', 'a secret', ['one', 'two'], 'hex');
 * ```
 */
export function hmacMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources | AsyncIterable<Message>,
  encoding?: E,
  options?: CallOptions,
): Promise<ManyOutput<E>>;
/** Works like the form above, with all options in one object. */
export function hmacMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources | AsyncIterable<Message>,
  options: ManyOptions<EngineOptions, E, T> & CallOptions,
): Promise<ManyOutput<E, T>>;
export function hmacMany(
  _algorithm?: unknown,
  _key?: unknown,
  sources?: unknown,
): Promise<unknown> {
  return performSources(true, arguments, sources);
}
