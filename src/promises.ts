/**
 * Millrace with promises: the names and forms of `millrace`, a promise instead of a callback.
 *
 * Every call takes a signal, in its options object or as a last argument `{ signal }`. An abort
 * rejects with the signal's reason: at once if the job has not started, else when it has stopped,
 * within a few milliseconds; until then lent memory is in use. What is already done, or is done
 * during its call, resolves. Wrong arguments reject too: no function here throws, but for those
 * that make a stream.
 *
 * @packageDocumentation
 */
import { options, type Bytes, type Data } from './request/arguments.js';
import type { Route } from './request/frame.js';
import { bufferSize, isBytesView, isRevoked } from './request/intrinsics.js';
import { abortSignal, runPromise } from './scheduling/run.js';
import { type Parser } from './request/request.js';
import { cipherParser, openParser, sealParser } from './operations/cipher.js';
import type {
  CipherOptions,
  OpenOptions,
  SealOptions,
  TextTargetOptions,
} from './operations/cipher.js';
import { batchableFacts, join } from './scheduling/coalesce.js';
import { hashParser, fastForm } from './operations/hash.js';
import type { Encoding, HashOptions, TargetOptions } from './operations/hash.js';
import { hmacParser } from './operations/hmac.js';
import { isKey } from './operations/key.js';
import type { KeyInput } from './request/key-input.js';
import {
  hashManyParser,
  hmacManyParser,
  type ManyParser,
  type Sources,
  type ManyOptions,
  type ManyOutput,
} from './operations/batch/arguments.js';
import { runManyPromise } from './operations/batch/jobs.js';
import type { Buffer } from '#platform/runtime.js';
import type { FileSource } from '#platform/files.js';
import { makeError } from './request/errors.js';
import {
  passphrases,
  sealedDuplexes,
  sealedStreams,
  type Duplex,
  type TransformStream,
} from '#platform/sealed.js';
import type {
  OpenWithPassphraseOptions,
  PassphraseStreamOptions,
  SealWithPassphraseOptions,
} from './streams/passphrase/parameters.js';
import {
  readEnginePreference,
  type EngineOptions,
  type EnginePreference,
} from './engines/engines.js';
import {
  callNames,
  routeOf,
  type CallOptions,
  type RouteName,
  type RouteOptions,
} from './scheduling/routes.js';
import { accepted, type Accepted } from './request/options.js';
import {
  isStreamSource,
  type StreamSource,
  type StreamOptions,
  type Progress,
} from './streams/stream-source.js';
import type { SealedStreamOptions } from './streams/sealed-streams.js';
import { checkFileCount, hashFileAsync, hashStream, hmacStream } from './streams/digest-stream.js';
import type { CipherAlgorithm, Digest, HashAlgorithm, HmacOptions, Output } from './index.js';
import { PromiseCompletion } from './scheduling/completions.js';

export {
  configure,
  createHash,
  createHmac,
  createKey,
  engines,
  getCiphers,
  getHashes,
  Hash,
  Hmac,
  Key,
  MillraceError,
  needsRehash,
  timingSafeEqual,
} from './index.js';
export * from './kdf/promises.js';
export type {
  Argon2Algorithm,
  Argon2CallParameters,
  Argon2Cost,
  Argon2Parameters,
  Bytes,
  CipherAlgorithm,
  CipherName,
  CipherOptions,
  CopyOptions,
  Cost,
  CreateHashOptions,
  CreateHmacOptions,
  Data,
  DerivationCallOptions,
  DerivationProgress,
  Digest,
  DigestEncoding,
  Encoding,
  Engines,
  ErrorCode,
  Hasher,
  HashAlgorithm,
  HashName,
  HashOptions,
  HashPasswordOptions,
  HmacOptions,
  KeyInput,
  OpenOptions,
  ManyOptions,
  ManyOutput,
  Output,
  PackedSources,
  ScryptOptions,
  SealOptions,
  SecretInput,
  Settings,
  Sources,
  TargetOptions,
  TextTargetOptions,
  VerifyPasswordOptions,
} from './index.js';
export type { OpenWithPassphraseOptions, PassphraseStreamOptions, SealWithPassphraseOptions };
export type {
  CallOptions,
  StreamSource,
  StreamOptions,
  Progress,
  RouteName,
  RouteOptions,
  SealedStreamOptions,
};

/**
 * The digest of `data`; see `hash` of `millrace` for algorithms, sizes and standards. `data` is
 * copied at the call. With `options.target` it is lent instead: **you promise not to transfer,
 * detach, resize or write it until the promise settles**.
 */
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  data: Data,
  options: HashOptions<E> & Partial<TargetOptions<T>> & CallOptions,
): Promise<Output<T, Digest<E>>>;
export function hash<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  data: Data,
  encoding?: E,
  options?: CallOptions,
): Promise<Digest<E>>;
/**
 * The digest of a message in pieces: an async iterable of bytes or strings, a Node or web stream, a
 * Blob. It is read to its end in constant memory, the next piece while the last one is hashed. If
 * anything fails, or the signal aborts, the source is closed (`return`, `destroy`, `cancel`) and
 * the promise rejects with that error.
 */
export function hash<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  source: StreamSource,
  options: HashOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
): Promise<Output<T, Digest<E>>>;
export function hash<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  source: StreamSource,
  encoding?: E,
  options?: StreamOptions,
): Promise<Digest<E>>;
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
    ? hashStream(algorithm, data, third, fourth)
    : perform(hashParser, arguments);
}

/**
 * The digest of a file, read to its end in constant memory: blocks are read while others are
 * hashed.
 *
 * Rejects with the file system's error (`ENOENT`, `EISDIR`, ...), and with ERR_FILE_CHANGED if a
 * regular file ends before the size it had when it was opened.
 *
 * @param path as for node:fs: a string, Buffer or file URL; in browsers a Blob, such as a File
 */
export function hashFile<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  path: FileSource,
  options: HashOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
): Promise<Output<T, Digest<E>>>;
export function hashFile<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  path: FileSource,
  encoding?: E,
  options?: StreamOptions,
): Promise<Digest<E>>;
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
 * The HMAC of `data`; see `hmac` of `millrace`. Key and `data` are copied at the call. With
 * `options.target` `data` is lent instead: **you promise not to transfer, detach, resize or write
 * it until the promise settles**.
 */
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  options: HmacOptions<E> & Partial<TargetOptions<T>> & CallOptions,
): Promise<Output<T, Digest<E>>>;
export function hmac<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  data: Data,
  encoding?: E,
  options?: CallOptions,
): Promise<Digest<E>>;
/** The HMAC of a message in pieces; see {@link hash}. */
export function hmac<E extends Encoding = 'buffer', T extends Bytes | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  source: StreamSource,
  options: HmacOptions<E> & Partial<TargetOptions<T>> & StreamOptions,
): Promise<Output<T, Digest<E>>>;
export function hmac<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  source: StreamSource,
  encoding?: E,
  options?: StreamOptions,
): Promise<Digest<E>>;
export function hmac(
  algorithm: HashAlgorithm,
  key: unknown,
  data: unknown,
  fourth?: unknown,
  fifth?: unknown,
): Promise<unknown> {
  return isStreamSource(data)
    ? hmacStream(algorithm, key, data, fourth, fifth)
    : perform(hmacParser, arguments);
}

/**
 * The digests of many messages in one call, cut for all cores; see `hashMany` of `millrace`.
 * `sources` are copied at the call; with `options.target` they are lent: **you promise not to
 * transfer, detach, resize or write them until the promise settles**. An abort rejects unless all
 * of the work has started.
 */
export function hashMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  sources: Sources,
  encoding?: E,
  options?: CallOptions,
): Promise<ManyOutput<E>>;
export function hashMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  sources: Sources,
  options: ManyOptions<HashOptions, E, T> & CallOptions,
): Promise<ManyOutput<E, T>>;
export function hashMany(): Promise<unknown> {
  return performMany(hashManyParser, arguments);
}

/**
 * The HMACs of many messages under one key in one call, cut for all cores; see `hmacMany` of
 * `millrace`. Key and `sources` are copied at the call; with `options.target` the sources are lent:
 * **you promise not to transfer, detach, resize or write them until the promise settles**. An abort
 * rejects unless all of the work has started.
 */
export function hmacMany<E extends Encoding | undefined = undefined>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  encoding?: E,
  options?: CallOptions,
): Promise<ManyOutput<E>>;
export function hmacMany<
  E extends Encoding | undefined = undefined,
  T extends Bytes | undefined = undefined,
>(
  algorithm: HashAlgorithm,
  key: string | KeyInput,
  sources: Sources,
  options: ManyOptions<EngineOptions, E, T> & CallOptions,
): Promise<ManyOutput<E, T>>;
export function hmacMany(): Promise<unknown> {
  return performMany(hmacManyParser, arguments);
}

/**
 * Encrypts and authenticates; the tag is appended, and without a nonce a random one stands before.
 * See `seal` of `millrace`. Without a target the source is copied at the call; with one both are
 * lent: **you promise not to transfer, detach, resize or write them until the promise settles**.
 */
export function seal(
  algorithm: CipherAlgorithm,
  options: SealOptions & TextTargetOptions & CallOptions,
): Promise<number>;
export function seal(
  algorithm: CipherAlgorithm,
  options: SealOptions & CallOptions,
): Promise<Buffer>;
export function seal(): Promise<unknown> {
  return perform(sealParser, arguments);
}

/**
 * Checks and decrypts what `seal` made; rejects with ERR_AUTHENTICATION if anything is wrong, and
 * then leaves the target all zero. See `open` of `millrace`. Without a target the source is copied
 * at the call; with one both are lent: **you promise not to transfer, detach, resize or write them
 * until the promise settles**.
 */
export function open(
  algorithm: CipherAlgorithm,
  options: OpenOptions & TextTargetOptions & CallOptions,
): Promise<number>;
export function open(
  algorithm: CipherAlgorithm,
  options: OpenOptions & CallOptions,
): Promise<Buffer>;
export function open(): Promise<unknown> {
  return perform(openParser, arguments);
}

/**
 * Encrypts or decrypts with a stream cipher, or an AEAD whose tag has a buffer of its own; see
 * `cipher` of `millrace`. Without a target the source is copied at the call; with one both are
 * lent: **you promise not to transfer, detach, resize or write them until the promise settles**.
 */
export function cipher<T extends Bytes | undefined = undefined>(
  algorithm: CipherAlgorithm,
  options: CipherOptions & Partial<TextTargetOptions<T>> & CallOptions,
): Promise<Output<T, Buffer>>;
export function cipher(
  algorithm: CipherAlgorithm,
  encrypt: boolean | 0 | 1,
  key: KeyInput,
  iv: Bytes,
  source: Data,
  options?: CallOptions,
): Promise<Buffer>;
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

/**
 * A Node stream that seals what is written to it in authenticated chunks, on all cores and in
 * constant memory. The format is C2SP chunked encryption; with AES, what others call
 * Cobblestone-128 and Cobblestone-256.
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 * ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 */
export function sealStream(options: SealedStreamOptions): Duplex {
  return sealedDuplexes().sealStream(options);
}

/**
 * A Node stream that opens what {@link sealStream} made. Only what is authentic comes out, in
 * order. What is wrong destroys the stream: with ERR_AUTHENTICATION (another key, algorithm or
 * context, or anything changed), or ERR_TRUNCATED where the size alone shows that the end is
 * missing. **Until `'end'` what came out is authentic but may not be all.**
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 * ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 */
export function openStream(options: SealedStreamOptions): Duplex {
  return sealedDuplexes().openStream(options);
}

/**
 * Seals a message with a passphrase, in the format of `millrace seal`: the key is derived with
 * scrypt, and whatever is changed, also of the header, does not open. `data` is copied at the call;
 * text in the passphrase is brought to Unicode's form C. Take a passphrase that cannot be guessed:
 * anyone who has the result can try as many as they like.
 *
 * @returns header and sealed stream: 87 bytes and a tag of 16 for each chunk of 16 KiB more than
 * `data`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 * ERR_UNKNOWN_ALGORITHM, ERR_MEMORY_LIMIT,
 *   ERR_OUT_OF_MEMORY
 */
export function sealWithPassphrase(
  passphrase: Data,
  data: Data,
  options?: SealWithPassphraseOptions,
): Promise<Buffer>;
export async function sealWithPassphrase(...given: unknown[]): Promise<Buffer> {
  if (given.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'sealWithPassphrase needs a passphrase and data');
  return passphrases().sealWithPassphrase(given[0], given[1], given[2]);
}

/**
 * Opens what {@link sealWithPassphrase} or `millrace seal` made: all of it, or it rejects with
 * ERR_AUTHENTICATION (another passphrase, or anything changed), ERR_TRUNCATED or ERR_FORMAT. `data`
 * is copied at the call. What the header asks for to derive the key is limited by `maxMemory` and
 * `maxTime`, as it may come from anywhere.
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 * ERR_MEMORY_LIMIT, ERR_WORK_LIMIT,
 *   ERR_OUT_OF_MEMORY
 */
export function openWithPassphrase(
  passphrase: Data,
  data: Bytes,
  options?: OpenWithPassphraseOptions,
): Promise<Buffer>;
export async function openWithPassphrase(...given: unknown[]): Promise<Buffer> {
  if (given.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'openWithPassphrase needs a passphrase and data');
  return passphrases().openWithPassphrase(given[0], given[1], given[2]);
}

/**
 * {@link sealWithPassphrase} as a Node stream, in constant memory. The passphrase is copied at the
 * call.
 */
export function sealStreamWithPassphrase(
  passphrase: Data,
  options?: SealWithPassphraseOptions & PassphraseStreamOptions,
): Duplex {
  return sealedDuplexes().sealStreamWithPassphrase(passphrase, options);
}

/**
 * {@link openWithPassphrase} as a Node stream, in constant memory. Only what is authentic comes
 * out, in order. **Until `'end'` what came out is authentic but may not be all.**
 */
export function openStreamWithPassphrase(
  passphrase: Data,
  options?: OpenWithPassphraseOptions & PassphraseStreamOptions,
): Duplex {
  return sealedDuplexes().openStreamWithPassphrase(passphrase, options);
}

/**
 * {@link sealStreamWithPassphrase} as a TransformStream of the web. It takes bytes, not strings.
 */
export function sealTransformStreamWithPassphrase(
  passphrase: Data,
  options?: SealWithPassphraseOptions & PassphraseStreamOptions,
): TransformStream<Bytes, Uint8Array> {
  return passphrases().sealTransformStreamWithPassphrase(passphrase, options);
}

/**
 * {@link openStreamWithPassphrase} as a TransformStream of the web. **Until the readable side
 * closes what came out is authentic but may not be all.**
 */
export function openTransformStreamWithPassphrase(
  passphrase: Data,
  options?: OpenWithPassphraseOptions & PassphraseStreamOptions,
): TransformStream<Bytes, Uint8Array> {
  return passphrases().openTransformStreamWithPassphrase(passphrase, options);
}

/**
 * {@link sealStream} as a TransformStream of the web, for `pipeThrough`. It takes bytes, not
 * strings.
 */
export function sealTransformStream(
  options: SealedStreamOptions,
): TransformStream<Bytes, Uint8Array> {
  return sealedStreams().sealTransformStream(options);
}

/**
 * {@link openStream} as a TransformStream of the web, for `pipeThrough`. **Until the readable side
 * closes what came out is authentic but may not be all.**
 */
export function openTransformStream(
  options: SealedStreamOptions,
): TransformStream<Bytes, Uint8Array> {
  return sealedStreams().openTransformStream(options);
}

/** Runs a call with a promise. The signal and the route are in the last argument, if any. */
function perform({ fill, counts }: Parser, given: IArguments): Promise<unknown> {
  return withOptions(counts, given, (signal, count, route, preference) =>
    runPromise(signal, fill, given, count, route, preference),
  );
}

function performMany(parser: ManyParser, given: IArguments): Promise<unknown> {
  return withOptions(parser.counts, given, (signal, count, route, preference) =>
    runManyPromise(signal, parser, given, count, route, preference),
  );
}

/** A separate last argument. */
const takes: Accepted<keyof CallOptions> = accepted('this call', callNames);

function withOptions(
  counts: readonly number[],
  given: IArguments,
  run: (
    signal: AbortSignal | undefined,
    count: number,
    route: Route | undefined,
    preference: EnginePreference | undefined,
  ) => Promise<unknown>,
): Promise<unknown> {
  try {
    let count = given.length;
    const last = given[count - 1] as unknown;
    const own = !counts.includes(count);
    let signal: AbortSignal | undefined;
    let route: Route | undefined;
    let preference: EnginePreference | undefined;
    if (isOptions(last)) {
      if (own) options<CallOptions>(last, 'options', takes);
      signal = abortSignal((last as { signal?: unknown }).signal);
      if (own) {
        // If the options are those of the call, its parser reads route and engine.
        const { route: asked, engine } = last as Record<keyof CallOptions, unknown>;
        if (asked !== undefined) route = routeOf(asked, 'options.route');
        if (engine !== undefined) preference = readEnginePreference(engine, 'options.engine');
        count -= 1;
      }
    } else if (own && last === undefined) {
      count -= 1;
    }
    return run(signal, count, route, preference);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function isOptions(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isBytesView(value) &&
    !isKey(value) &&
    !isRevoked(value) &&
    // Without the first check every call with options would catch two exceptions, 20 us.
    (getPrototypeOf(value) === Object.prototype || bufferSize(value) === undefined)
  );
}

const { getPrototypeOf } = Object;
