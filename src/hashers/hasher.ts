/**
 * Hashers: hashing a message incrementally, with the interface of node:crypto's Hash and Hmac. This
 * file has the classes with their stream; running.ts does the work.
 */
import {
  bytes,
  isUint8Array,
  options as optionsObject,
  part,
  range,
  sizeOf,
  unsigned,
  type Bytes,
  type Data,
} from '../base/arguments.js';
import { makeError, wrongType, refuseSurplus } from '../base/errors.js';
import { Form } from '../request/request.js';
import { ALWAYS_FITS, checkTextSize } from '../request/text-size.js';
import { outputSize } from '../operations/hash.js';
import {
  CallbackCompletion,
  PromiseCompletion,
  type Callback,
  type Completion,
} from '../scheduling/completions.js';
import { deferResult } from '../scheduling/deferred-results.js';
import { digestFormat, encodeDigest, extendable, messageInput, squeezedSize } from './arguments.js';
import { encodeItems } from '../catalog/integers.js';
import { refuseTuple } from '../operations/tuple.js';
import { copyTakes, type CopyOptions, type DigestEncoding } from './options.js';
import type { Running } from './running.js';
import { lost, Phase, Steps } from '../scheduling/steps.js';
import { ready, refusal } from './setup.js';
import { exportState } from './state.js';
import { DigestStep, UpdateStep } from './steps.js';
import {
  LazyTransform,
  loadStream,
  setUpLate,
  type TransformCallback,
  type TransformOptions,
} from '#platform/hashers/hasher-stream.js';
import {
  allocate,
  allocateApart,
  textOf,
  type Buffer,
  type BufferEncoding,
} from '#platform/base/runtime.js';
import type { Digest } from '../calls/digests.js';

/** Permits only create.ts and this file to construct hashers. */
export const inside = Symbol('inside');

/** Returns the size of a copy's digest. That of BLAKE2 is part of what has been hashed. */
function copySize(outputLength: unknown, { facts, size }: Running): number {
  if (facts.parameters?.outputLength === undefined) return outputSize(outputLength, facts);
  return outputSize(outputLength, { ...facts, digestSize: size, parameters: null });
}

/** Returns the running hash of a hasher. Set by the class, which alone can read the field. */
let runningIn: (hasher: Hasher) => Running;

/** Fails a hasher if the error is the lack of memory for a piece, and returns the error. */
let lostIn: (hasher: Hasher, error: unknown) => unknown;

/** Returns the stream's digest once: its reader may have written to the other copy. */
function takeStreamed(running: Running): Buffer | undefined {
  const { streamed } = running;
  if (streamed !== undefined) running.streamed = undefined;
  return streamed;
}

/** The common base of {@link Hash} and {@link Hmac}. */
export abstract class Hasher extends LazyTransform {
  // The other data of a hasher is in Running: its plain fields take fewer instructions.
  #running: Running;
  #steps: Steps<Running> | undefined;

  /** Serves {@link createHash} and {@link createHmac} only; throws for other callers. */
  constructor(permission: symbol, running: Running, streamOptions: TransformOptions | undefined) {
    super();
    loadStream();
    if (permission !== inside)
      throw makeError(
        'ERR_ARGUMENT_TYPE',
        'hashers are made by createHash(algorithm) and createHmac(algorithm, key)',
      );
    this.#running = running;
    if (streamOptions !== undefined) running.streamOptions = streamOptions;
    // An own function, as that of a stream made with options.transform: structured clones refuse
    // it, and copied the hasher without its state otherwise.
    const { _transform } = this;
    this._transform = _transform;
  }

  /** The standard name of the hash, for example `sha256`. */
  get algorithm(): string {
    return this.#running.facts.name;
  }

  /** The digest's size in bytes. */
  get outputLength(): number {
    return this.#running.size;
  }

  /** The block size of the hash in bytes. */
  get blockSize(): number {
    return this.#running.facts.blockSize;
  }

  /**
   * Adds data to the message.
   *
   * With a callback, large updates run on the worker threads, in the order of the calls; the data
   * is copied at the call. The form with an offset lends the source instead: **do not transfer,
   * detach, resize or write it before the callback**. Until the last callback only asynchronous
   * operations are allowed.
   *
   * @param data bytes, or a string
   * @param inputEncoding the encoding of the string; `'utf8'` by default
   * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_HASHER_SPENT after the digest,
   *   ERR_HASHER_BUSY, ERR_KEY_DISPOSED
   */
  update(data: Data, inputEncoding?: BufferEncoding): this;
  update(source: Bytes, offset: number, size: number): this;
  update(data: Data, callback: Callback<void>): this;
  update(data: Data, inputEncoding: BufferEncoding, callback: Callback<void>): this;
  update(source: Bytes, offset: number, size: number, callback: Callback<void>): this;
  update(source: unknown, second?: unknown, third?: unknown, fourth?: unknown): this {
    const count = arguments.length;
    if (count === 1 && isUint8Array(source) && this.#running.tryBuffer(source)) return this;
    // A separate method: passing `arguments` on would allocate an object in every call.
    return this.#update([source, second, third, fourth], count);
  }

  #update(given: unknown[], count: number): this {
    const [source] = given;
    const last = count > 1 && count <= given.length ? given[count - 1] : undefined;
    if (typeof last === 'function') {
      this.#updateLater(new CallbackCompletion(last as Callback<unknown>), given, count - 1);
    } else if (
      count !== 1 ||
      typeof source !== 'string' ||
      !ready(this.#running).updateText(source)
    ) {
      const { view, offset, size } = this.#input(given, count);
      ready(this.#running).update(view, offset, size);
    }
    return this;
  }

  /** Works like {@link Hasher.update} with a callback, but returns a promise. */
  updateAsync(data: Data, inputEncoding?: BufferEncoding): Promise<void>;
  updateAsync(source: Bytes, offset: number, size: number): Promise<void>;
  updateAsync(...given: unknown[]): Promise<void> {
    const completion = new PromiseCompletion();
    try {
      this.#updateLater(completion, given, given.length);
    } catch (error) {
      completion.reject(error);
    }
    return completion.promise as Promise<void>;
  }

  /**
   * Ends the message and returns its digest. The hasher cannot be used afterwards, except for
   * {@link Hasher.reset}.
   *
   * After the stream has ended (`pipeline`, `end`) this returns the stream's digest, once.
   *
   * With a callback the digest follows all earlier asynchronous updates.
   *
   * @param encoding `'buffer'` (default), `'hex'`, `'0xhex'`, `'base64'`, `'base64url'`,
   *   `'bigint'` (big-endian), or any other encoding of Buffer
   * @throws MillraceError ERR_HASHER_SPENT, ERR_HASHER_BUSY, ERR_ARGUMENT_VALUE,
   *   ERR_ARGUMENT_TYPE, ERR_KEY_DISPOSED
   */
  digest(): Buffer;
  digest<E extends DigestEncoding>(encoding: E): Digest<E>;
  digest(callback: Callback<Buffer>): void;
  digest<E extends DigestEncoding>(encoding: E, callback: Callback<Digest<E>>): void;
  digest(encoding?: unknown, callback?: unknown): unknown {
    if (arguments.length > 2) refuseSurplus(arguments, 2, 'digest([encoding][, callback])');
    if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
    const wanted = digestFormat(encoding);
    if (callback === undefined) {
      const running = this.#running;
      return running.streamed === undefined
        ? digestNow(running, wanted)
        : encodeDigest(takeStreamed(running)!, wanted);
    }
    if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
    const completion = new CallbackCompletion(callback as Callback<unknown>);
    this.#digestLater(completion, wanted);
    return undefined;
  }

  /** Works like {@link Hasher.digest} with a callback, but returns a promise. */
  digestAsync(): Promise<Buffer>;
  digestAsync<E extends DigestEncoding>(encoding: E): Promise<Digest<E>>;
  digestAsync(encoding?: unknown): Promise<unknown> {
    const completion = new PromiseCompletion();
    try {
      if (arguments.length > 1) refuseSurplus(arguments, 1, 'digestAsync([encoding])');
      this.#digestLater(completion, digestFormat(encoding));
    } catch (error) {
      completion.reject(error);
    }
    return completion.promise;
  }

  /**
   * Ends the message and writes its digest into `target` at `offset`.
   *
   * @returns the digest's size in bytes
   * @throws MillraceError as {@link Hasher.digest}
   */
  digestInto(target: Bytes, offset = 0): number {
    if (arguments.length > 2) refuseSurplus(arguments, 2, 'digestInto(target[, offset])');
    const view = bytes(target, 'target');
    const start = unsigned(offset, 'offset');
    const running = this.#running;
    if (running.streamed === undefined) ready(running);
    range(start, running.size, sizeOf(view), 'target');
    const streamed = takeStreamed(running);
    if (streamed === undefined) return running.digestInto(view, start);
    view.set(streamed, start);
    return streamed.length;
  }

  /**
   * Returns an independent hasher with the same message so far.
   *
   * @throws MillraceError ERR_HASHER_SPENT, ERR_HASHER_BUSY, ERR_OUTPUT_SIZE
   */
  copy(options?: CopyOptions): this {
    if (arguments.length > 1) refuseSurplus(arguments, 1, 'copy([options])');
    const own = optionsObject<CopyOptions>(options, 'options', copyTakes);
    const { outputLength } = own;
    const running = ready(this.#running, Phase.Squeezing);
    const size = outputLength === undefined ? running.size : copySize(outputLength, running);
    const copy = running.copy(size);
    return this.another(copy, own) as this;
  }

  /** @internal Returns a hasher of the same class. */
  protected abstract another(running: Running, options: TransformOptions | undefined): Hasher;

  /**
   * Discards the message and starts again with the same algorithm, key and seed. No asynchronous
   * operation may be in flight. A stream that has ended stays ended.
   *
   * @throws MillraceError ERR_HASHER_BUSY
   */
  reset(): this {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'reset()');
    const running = this.#running;
    if (running.pending > 0) throw refusal(running, false);
    running.reset();
    return this;
  }

  /**
   * Returns the state of the hasher in a Buffer of less than 3 KiB. `createHash` and `createHmac`
   * resume from it with `options.state`, also in another process or on another machine. The hasher
   * itself stays usable.
   *
   * **Protect the state as you protect the message**: it shows whether a message starts like this
   * one, contains its last bytes (docs/hashing.md lists how many), and lets its holder continue the
   * message. The key cannot be computed from it: KMAC, and HMAC over SHA-3, Keccak, BLAKE2 and
   * BLAKE3, export no state. **Protect the state of a keyed BLAKE2 as you protect the key**: it
   * suffices to compute MACs.
   *
   * @throws MillraceError ERR_HASHER_SPENT, ERR_HASHER_BUSY, ERR_KEY_DISPOSED, ERR_STATE
   */
  exportState(): Buffer {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'exportState()');
    return exportState(ready(this.#running, Phase.Squeezing));
  }

  /** @internal */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    _options: unknown,
    inspect: (value: unknown, options: unknown) => string,
  ): string {
    const { algorithm, outputLength, blockSize } = this;
    const { phase, length, pending } = this.#running;
    const state = pending > 0 ? 'busy' : ['open', 'giving output', 'spent', 'failed'][phase];
    const shown = { algorithm, outputLength, blockSize, state, length };
    return `${this.constructor.name} ${inspect(shown, _options)}`;
  }

  /** @internal */
  override _transform(chunk: unknown, encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      const given = [chunk, encoding];
      const { view, offset, size } = this.#input(given, typeof chunk === 'string' ? 2 : 1);
      const running = this.#running;
      if (size >= STREAM_POOL_MIN_BYTES || running.pending > 0) {
        // The writer of a stream no longer changes a chunk.
        this.#queue().add(
          new UpdateStep(
            new CallbackCompletion(callback as Callback<unknown>),
            view,
            offset,
            size,
            false,
          ),
        );
        return;
      }
      ready(running).update(view, offset, size);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback();
  }

  /** @internal */
  override _flush(callback: TransformCallback): void {
    const finish: Callback<unknown> = (error, digest) => {
      try {
        if (!error)
          (this.#running.streamed = allocateApart((digest as Buffer).length)).set(digest as Buffer);
      } catch (thrown) {
        callback(thrown as Error);
        return;
      }
      callback(error as Error | null, digest);
    };
    let digest: unknown;
    try {
      if (this.#running.pending > 0) {
        this.#digestLater(new CallbackCompletion(finish), Form.Buffer);
        return;
      }
      digest = digestNow(this.#running, Form.Buffer);
    } catch (error) {
      callback(error as Error);
      return;
    }
    finish(null, digest);
  }

  #updateLater(completion: Completion, given: ArrayLike<unknown>, count: number): void {
    const { view, offset, size, lent } = this.#input(given, count);
    const queue = this.#queue();
    try {
      queue.add(new UpdateStep(completion, view, offset, size, !lent));
    } catch (error) {
      throw lost(this.#running, this.#steps, error);
    }
  }

  /** Reads the arguments of an update. */
  #input(given: ArrayLike<unknown>, count: number): ReturnType<typeof messageInput> {
    try {
      return messageInput(given, count);
    } catch (error) {
      throw lost(this.#running, this.#steps, error);
    }
  }

  #digestLater(completion: Completion, wanted: Form | BufferEncoding): void {
    const running = this.#running;
    const streamed = takeStreamed(running);
    if (streamed !== undefined) {
      deferResult(completion, encodeDigest(streamed, wanted));
      return;
    }
    checkTextSize(running.size, wanted);
    const queue = this.#queue();
    if (running.phase === Phase.Open) running.phase = Phase.Finalized;
    queue.add(new DigestStep(completion, wanted));
  }

  /** Returns the queue of asynchronous operations; a failed hasher reports its error through it. */
  #queue(): Steps<Running> {
    const running = this.#running;
    if (running.phase !== Phase.Open && running.phase !== Phase.Failed)
      throw refusal(running, true);
    return (this.#steps ??= new Steps(running));
  }

  static {
    runningIn = (hasher) => hasher.#running;
    lostIn = (hasher, error) => lost(hasher.#running, hasher.#steps, error);
    // Checked before `in`: terser inlines this and drops the parentheses of `#running in (stream =
    // this)`.
    setUpLate((stream) =>
      typeof stream === 'object' && #running in stream
        ? [stream.#running.streamOptions]
        : undefined,
    );
  }
}

/**
 * A running hash, made by {@link createHash}; also a stream that reads the message and emits the
 * digest.
 */
export class Hash extends Hasher {
  protected override another(running: Running, options: TransformOptions | undefined): Hash {
    return new Hash(inside, running, options);
  }

  /**
   * Returns the next `size` bytes of an extendable output (the hashes with XOF in
   * docs/algorithms.md). The first
   * call ends the message: update and digest then fail with ERR_HASHER_SPENT. Several calls return
   * the same bytes as one longer call.
   *
   * @param encoding as for {@link Hasher.digest}
   * @throws MillraceError ERR_ARGUMENT_VALUE for a hash with a fixed output size, ERR_OUTPUT_SIZE,
   *   ERR_HASHER_SPENT, ERR_HASHER_BUSY
   */
  squeeze(size: number): Buffer;
  squeeze<E extends DigestEncoding>(size: number, encoding: E): Digest<E>;
  squeeze(size: number, encoding?: unknown): unknown {
    if (arguments.length > 2) refuseSurplus(arguments, 2, 'squeeze(size[, encoding])');
    const wanted = digestFormat(encoding);
    const count = squeezedSize(size);
    const running = extendable(runningIn(this));
    checkTextSize(count, wanted);
    const target = running.key === undefined ? allocate(count) : allocateApart(count);
    running.squeeze(target, 0, count);
    return encodeDigest(target, wanted);
  }

  /**
   * Works like {@link Hash.squeeze}, but writes into `target` at `offset`.
   *
   * @returns `size`
   */
  squeezeInto(target: Bytes, offset: number, size: number): number {
    if (arguments.length > 3) refuseSurplus(arguments, 3, 'squeezeInto(target, offset, size)');
    const view = bytes(target, 'target');
    const start = unsigned(offset, 'offset');
    const count = squeezedSize(size);
    range(start, count, sizeOf(view), 'target');
    extendable(runningIn(this)).squeeze(view, start, count);
    return count;
  }
}

/**
 * A running HMAC, made by {@link createHmac}; also a stream that reads the message and emits the
 * code.
 */
export class Hmac extends Hasher {
  protected override another(running: Running, options: TransformOptions | undefined): Hmac {
    return new Hmac(inside, running, options);
  }
}

/**
 * A running TupleHash, made by {@link createHash}: each update adds an item to the tuple. It is no
 * stream, because the chunks of a stream are not items.
 */
export class TupleHash extends Hash {
  protected override another(running: Running, options: TransformOptions | undefined): Hash {
    return new TupleHash(inside, running, options);
  }

  override update(...given: any[]): this {
    const last: unknown = given.at(-1);
    if (given.length < 2 || typeof last !== 'function') return super.update(this.#item(given));
    return super.update(this.#item(given.slice(0, -1)), last as Callback<void>);
  }

  override updateAsync(...given: any[]): Promise<void> {
    try {
      return super.updateAsync(this.#item(given));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Returns the encoded item of an update. */
  #item(given: readonly unknown[]): Uint8Array {
    try {
      const { view, offset, size } = messageInput(given, given.length);
      return encodeItems([part(view, offset, size)]);
    } catch (error) {
      throw lostIn(this, error);
    }
  }

  /** @internal */
  override _transform(
    _chunk: unknown,
    _encoding: BufferEncoding,
    callback: TransformCallback,
  ): void {
    try {
      refuseTuple(runningIn(this).facts, 'write');
    } catch (error) {
      callback(error as Error);
    }
  }
}

/**
 * A stream's chunks of at least this size go to the worker threads; smaller ones are faster here.
 */
const STREAM_POOL_MIN_BYTES = 64 * 1024;

function digestNow(running: Running, wanted: Form | BufferEncoding): unknown {
  ready(running);
  if (running.size > ALWAYS_FITS) checkTextSize(running.size, wanted);
  if (typeof wanted === 'number') return running.digest(wanted);
  return textOf(running.digest(Form.Buffer) as Buffer, wanted);
}
