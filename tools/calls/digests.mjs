// Hashes and HMACs: the descriptions that tools/calls.mjs reads.

export default 'Hashes and HMACs';

const ENCODING = "E extends Encoding = 'buffer'";

// Of calls on many files: parameters of types, arguments, and options.
const ERRORS = [ENCODING, "R extends 'throw' | 'return' = 'throw'"];
const files = (list) => ['algorithm: HashAlgorithm', `paths: ${list}<FileSource>`];
const FILES_OPTIONS = 'options: HashFilesOptions<E, R>';
const WATCHED = `${FILES_OPTIONS} & FilesSignalOptions`;
const WATCHING = "Pick<HashFilesOptions<E, R>, 'errors'> & FilesSignalOptions";

/*
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
 *
 * @options
 * Computes the digest of `data` with options.
 *
 * @returns the digest; with a target, its size in bytes
 *
 * @later
 * Computes a digest asynchronously. `data` is copied at the call; with `options.target` it is lent
 * instead: **do not transfer, detach, resize or write it before the callback**.
 *
 * @throws MillraceError for invalid arguments; the callback is then not called
 *
 * @promised
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
 *
 * @chunks
 * Computes the digest of a message in chunks: an async iterable of bytes or strings, a Node.js or
 * web stream, or a Blob. It is read to its end in constant memory; the next chunk is read while the
 * last one is hashed. If an operation fails or the signal aborts, the source is closed (`return`,
 * `destroy`, `cancel`) and the promise rejects with that error.
 */
export const hash = {
  form: 'digest',
  takes: { algorithm: 'HashAlgorithm', data: 'Message' },
  options: 'HashOptions',
  chunks: { algorithm: 'HashAlgorithm', source: 'StreamSource' },
  fast: {
    // It does not accept long strings, DataViews, empty messages, unknown names and SHAKE; the full
    // request handles those and throws errors.
    millrace: `
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
      if (typeof (arguments.length === 3 ? third : fourth) === 'function' && arguments.length <= 4) {
        const callback = (arguments.length === 3 ? third : fourth) as Callback<unknown>;
        const form = fastForm(arguments.length === 3 ? undefined : third);
        const make = () => new CallbackCompletion(callback);
        if (coalesce(algorithm, data, form, make) !== undefined) return undefined;
      }`,
    promises: `
      if (arguments.length === 2 || (arguments.length === 3 && typeof third === 'string')) {
        const joined = coalesce(algorithm, data, fastForm(third), () => new PromiseCompletion());
        if (joined !== undefined) return joined.promise;
      }
      if (isStreamSource(data))
        return hashStream(algorithm, data, third, fourth, ...[...arguments].slice(4));`,
  },
  runs: {
    millrace: 'perform(hashParser, arguments)',
    promises: 'perform(hashParser, arguments)',
  },
  given: {
    millrace: 'algorithm?: unknown, data?: unknown, third?: unknown, fourth?: unknown',
    promises: 'algorithm?: unknown, data?: unknown, third?: unknown, fourth?: unknown',
  },
};

/*
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
 *
 * @options
 * Computes the digest of a file with options.
 *
 * @later
 * Computes the digest of a file asynchronously: blocks are read while others are hashed on the
 * worker threads. Errors about the file go to the callback; invalid arguments throw.
 *
 * @promised
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
export const hashFile = {
  form: 'digest',
  takes: { algorithm: 'HashAlgorithm', path: 'FileSource' },
  options: 'HashOptions',
  reading: 'StreamOptions',
  runs: {
    millrace:
      "runFiles('hashFile', hashFileSync, hashFileThen, algorithm, path, third, fourth, arguments)",
    promises: 'hashFileAsync(() => checkFileCount(arguments, 4), algorithm, path, third, fourth)',
  },
  given: {
    millrace: 'algorithm?: unknown, path?: unknown, third?: unknown, fourth?: unknown',
    promises: 'algorithm?: unknown, path?: unknown, third?: unknown, fourth?: unknown',
  },
};

/*
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
 *
 * @options
 * Computes the digests of many files with options.
 *
 * @later
 * Computes the digests of many files on the worker threads. Errors of files go to the callback once
 * nothing is read any more; invalid arguments throw.
 *
 * @promised
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
 *
 * @more1
 * Works like the form above, with `signal` and `errors`.
 */
export const hashFiles = {
  form: 'written',
  more: {
    millrace: [
      ['', [ENCODING], [...files('Iterable'), 'encoding?: E'], 'Digest<E>[]'],
      [
        'later',
        ['E extends Encoding'],
        [
          ...files('Iterable'),
          'encoding: E | Callback<Buffer[]>',
          'callback?: Callback<Digest<E>[]>',
        ],
        'void',
      ],
      ['options', ERRORS, [...files('Iterable'), FILES_OPTIONS], 'FileDigest<E, R>[]'],
      [
        'all options',
        ERRORS,
        [...files('Iterable'), WATCHED, 'callback: Callback<FileDigest<E, R>[]>'],
        'void',
      ],
    ],
    promises: [
      ['promised', [ENCODING], [...files('Items'), 'encoding?: E'], 'Promise<Digest<E>[]>'],
      [
        'more1',
        ERRORS,
        [...files('Items'), 'encoding: E | undefined', `options: ${WATCHING}`],
        'Promise<FileDigest<E, R>[]>',
      ],
      ['all options', ERRORS, [...files('Items'), WATCHED], 'Promise<FileDigest<E, R>[]>'],
    ],
  },
  runs: {
    millrace:
      "runFiles('hashFiles', hashFilesSync, hashFilesThen, " +
      'algorithm, paths, third, fourth, arguments)',
    promises:
      "hashFilesAsync(() => checkFileCount(arguments, 4, 'hashFiles'), " +
      'algorithm, paths, third, fourth)',
  },
  given: {
    millrace: 'algorithm?: unknown, paths?: unknown, third?: unknown, fourth?: unknown',
    promises: 'algorithm?: unknown, paths?: unknown, third?: unknown, fourth?: unknown',
  },
};

/*
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
 *
 * @options
 * Computes the HMAC of `data` with options.
 *
 * @returns the code; with a target, its size in bytes
 *
 * @later
 * Computes an HMAC asynchronously. Key and `data` are copied at the call; with `options.target`
 * `data` is lent instead: **do not transfer, detach, resize or write it before the callback**.
 *
 * @throws MillraceError for invalid arguments; the callback is then not called
 *
 * @promised
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
 *
 * @chunks
 * Computes the HMAC of a message in chunks; see {@link hash}.
 */
export const hmac = {
  form: 'digest',
  takes: { algorithm: 'HashAlgorithm', key: 'string | KeyInput', data: 'Data' },
  options: 'HmacOptions',
  chunks: { algorithm: 'HashAlgorithm', key: 'string | KeyInput', source: 'StreamSource' },
  fast: {
    millrace: `
      if (typeof fourth !== 'function' && (arguments.length === 4 || arguments.length === 3)) {
        if (typeof data !== 'function') return hmacSync(algorithm, key, data, fourth);
      }`,
    promises: `
      if (isStreamSource(data))
        return hmacStream(algorithm, key, data, fourth, fifth, ...[...arguments].slice(5));`,
  },
  runs: {
    millrace: 'perform(hmacParser, arguments)',
    promises: 'perform(hmacParser, arguments)',
  },
  given: {
    millrace: 'algorithm?: unknown, key?: unknown, data?: unknown, fourth?: unknown',
    promises:
      'algorithm?: unknown, key?: unknown, data?: unknown, fourth?: unknown, fifth?: unknown',
  },
};

/*
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
 *
 * @options
 * Computes the digests of many messages with options.
 *
 * @later
 * Computes the digests of many messages on all cores. `sources` are copied at the call; with
 * `options.target` they are lent instead: **do not transfer, detach, resize or write them before
 * the callback**.
 *
 * @promised
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
export const hashMany = {
  form: 'many',
  takes: { algorithm: 'HashAlgorithm', sources: 'Sources' },
  options: 'HashOptions',
  runs: {
    millrace: 'performMany(false, arguments)',
    promises: 'performSources(false, arguments, sources)',
  },
  given: { promises: '_algorithm?: unknown, sources?: unknown' },
};

/*
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
 *
 * @options
 * Writes the digest of each pair of consecutive nodes to `target`, which may be or overlap `nodes`:
 * `hashPairs(algorithm, nodes, nodes)` leaves the parents in the first half.
 */
export const hashPairs = {
  form: 'written',
  more: {
    millrace: [
      ['', [], ['algorithm: HashAlgorithm', 'nodes: Bytes'], 'Buffer'],
      ['options', [], ['algorithm: HashAlgorithm', 'nodes: Bytes', 'target: Bytes'], 'number'],
    ],
  },
  runs: { millrace: 'hashPairsSync(algorithm, nodes, target)' },
  most: 3,
  given: { millrace: 'algorithm?: unknown, nodes?: unknown, target?: unknown' },
};

/*
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
 *
 * @options
 * Computes the HMACs of many messages with options.
 *
 * @later
 * Computes the HMACs of many messages on all cores. Key and `sources` are copied at the call; with
 * `options.target` the sources are lent instead: **do not transfer, detach, resize or write them
 * before the callback**.
 *
 * @promised
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
export const hmacMany = {
  form: 'many',
  takes: { algorithm: 'HashAlgorithm', key: 'string | KeyInput', sources: 'Sources' },
  options: 'EngineOptions',
  runs: {
    millrace: 'performMany(true, arguments)',
    promises: 'performSources(true, arguments, sources)',
  },
  given: { promises: '_algorithm?: unknown, _key?: unknown, sources?: unknown' },
};

/*
 * @promised
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
export const hashTransformStream = {
  form: 'written',
  more: {
    promises: [
      [
        'promised',
        [ENCODING],
        ['algorithm: HashAlgorithm', 'encoding?: E', 'options?: CreateHashOptions'],
        'HashTransformStream<E>',
      ],
    ],
  },
  promise: false,
  runs: { promises: 'hashingStream(algorithm, encoding, options)' },
  most: 3,
  given: { promises: 'algorithm: HashAlgorithm, encoding?: Encoding, options?: CreateHashOptions' },
};

/*
 * @promised
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
export const hashFilesIterator = {
  form: 'written',
  more: {
    promises: [
      [
        'promised',
        ERRORS,
        [...files('Items'), 'encoding?: E', `options?: ${WATCHING}`],
        'AsyncGenerator<FileEntry<E, R>, void, void>',
      ],
      [
        'all options',
        ERRORS,
        [...files('Items'), WATCHED],
        'AsyncGenerator<FileEntry<E, R>, void, void>',
      ],
    ],
  },
  promise: false,
  first: { promises: "checkFileCount(arguments, 4, 'hashFilesIterator')" },
  runs: { promises: 'hashFilesEntries(algorithm, paths, third, fourth)' },
  given: { promises: 'algorithm?: unknown, paths?: unknown, third?: unknown, fourth?: unknown' },
};
