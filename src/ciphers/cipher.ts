/**
 * Incremental ciphers: the classes with their stream; running.ts does the work.
 */
import {
  bytes,
  data,
  isResizable,
  isUint8Array,
  options as optionsObject,
  range,
  sizeOf,
  unsigned,
  type Bytes,
  type Data,
} from '../base/arguments.js';
import { makeError, wrongType, refuseSurplus } from '../base/errors.js';
import {
  CallbackCompletion,
  PromiseCompletion,
  type Callback,
  type Completion,
} from '../scheduling/completions.js';
import { bytesOfString } from '../hashers/arguments.js';
import { resizableTarget } from '../request/result.js';
import { copyTakes } from './options.js';
import { lost, Phase, Steps } from '../scheduling/steps.js';
import { ready, refusal, spent, type RunningCipher } from './running.js';
import { FinalStep, UpdateStep } from './steps.js';
import { copiedTag } from './tag.js';
import {
  LazyTransform,
  loadStream,
  setUpLate,
  type TransformCallback,
  type TransformOptions,
} from '#platform/hashers/hasher-stream.js';
import { allocate, type Buffer, type BufferEncoding } from '#platform/base/runtime.js';

/** Permits only create.ts and this file to construct ciphers. */
export const inside = Symbol('inside');

/** Returns the running cipher of an object. Set by the class, which alone can read the field. */
let runningIn: (cipher: IncrementalCipher) => RunningCipher;

/** A stream's chunks of at least this size go to the worker threads. */
const STREAM_POOL_MIN_BYTES = 64 * 1024;

/** The common base of {@link Cipher} and {@link Decipher}. */
export abstract class IncrementalCipher extends LazyTransform {
  readonly #running: RunningCipher;
  #steps: Steps<RunningCipher> | undefined;
  /** True once an asynchronous `final` was called. */
  #ending = false;
  readonly #streamOptions: TransformOptions | undefined;

  /** For `createCipher` and `createDecipher` only; it throws for other callers. */
  constructor(
    permission: symbol,
    running: RunningCipher,
    streamOptions: TransformOptions | undefined,
  ) {
    super();
    loadStream();
    if (permission !== inside)
      throw makeError(
        'ERR_ARGUMENT_TYPE',
        'ciphers are made by createCipher(algorithm, options) and createDecipher',
      );
    this.#running = running;
    this.#streamOptions = streamOptions;
    // An own function, as that of a stream made with options.transform: structured clones refuse
    // it, and copied the cipher without its state otherwise.
    const { _transform } = this;
    this._transform = _transform;
  }

  /** The standard name of the cipher, for example `aes-256-gcm`. */
  get algorithm(): string {
    return this.#running.setup.facts.name;
  }

  /** The size of the tag in bytes; 0 for a stream cipher. */
  get authTagLength(): number {
    return this.#running.setup.tagSize;
  }

  /**
   * Processes the next bytes of the message and returns as many, in a new Buffer. A decipher that
   * holds its plaintext returns an empty one.
   *
   * With a callback, large updates run on the worker threads, in the order of the calls; the data
   * is copied at the call. Until the last callback only asynchronous operations are allowed.
   *
   * @param data bytes, or a string
   * @param inputEncoding the encoding of the string; `'utf8'` by default
   * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_MISSING_ARGUMENT: the cipher
   *   remains usable; ERR_SOURCE_SIZE for a message longer than the algorithm allows and
   *   ERR_HELD_LIMIT: it does not; ERR_CIPHER_SPENT after `final`, ERR_CIPHER_BUSY
   */
  update(data: Data, inputEncoding?: BufferEncoding): Buffer;
  update(data: Data, callback: Callback<Buffer>): void;
  update(data: Data, inputEncoding: BufferEncoding, callback: Callback<Buffer>): void;
  update(source: unknown, second?: unknown, third?: unknown): Buffer | void {
    const count = arguments.length;
    if (count === 1 && isUint8Array(source) && sizeOf(source) > 0)
      return ready(this.#running).update(source);
    refuseSurplus(
      arguments,
      typeof second === 'function' ? 2 : 3,
      'update(data[, inputEncoding][, callback])',
    );
    const callback = count === 3 ? third : typeof second === 'function' ? second : undefined;
    if (callback === undefined)
      return ready(this.#running).update(this.#message(source, second, count));
    if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
    const completion = new CallbackCompletion(callback as Callback<unknown>);
    const encoding = callback === second ? undefined : second;
    this.#updateLater(completion, this.#message(source, encoding, count), true);
  }

  /** Works like {@link IncrementalCipher.update} with a callback, but returns a promise. */
  updateAsync(data: Data, inputEncoding?: BufferEncoding): Promise<Buffer> {
    const given = arguments;
    return promised((completion) => {
      refuseSurplus(given, 2, 'updateAsync(data[, inputEncoding])');
      this.#updateLater(completion, this.#message(data, inputEncoding, given.length), true);
    }) as Promise<Buffer>;
  }

  /**
   * Processes the next bytes of the message into `target` at `targetOffset`. The target may be the
   * source or overlap it. Returns the number of bytes written: those of the source, or 0 for a
   * decipher that holds its plaintext.
   *
   * With a callback both are lent: **do not transfer, detach, resize or write them before the
   * callback**.
   *
   * @throws MillraceError as {@link IncrementalCipher.update}; also ERR_RESIZABLE with a callback
   */
  updateInto(source: Bytes, target: Bytes, targetOffset?: number): number;
  updateInto(source: Bytes, target: Bytes, callback: Callback<number>): void;
  updateInto(source: Bytes, target: Bytes, targetOffset: number, callback: Callback<number>): void;
  updateInto(source: unknown, target: unknown, third?: unknown, fourth?: unknown): number | void {
    const callback = typeof third === 'function' ? third : fourth;
    refuseSurplus(
      arguments,
      callback === third ? 3 : 4,
      'updateInto(source, target[, targetOffset][, callback])',
    );
    const place = placeOf(source, target, callback === third ? undefined : third);
    if (callback === undefined) {
      const [from, to, offset] = place;
      return ready(this.#running).updateInto(from, to, offset);
    }
    if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
    this.#intoLater(new CallbackCompletion(callback as Callback<unknown>), place);
  }

  /** Works like {@link IncrementalCipher.updateInto} with a callback, but returns a promise. */
  updateIntoAsync(source: Bytes, target: Bytes, targetOffset?: number): Promise<number> {
    const given = arguments;
    return promised((completion) => {
      refuseSurplus(given, 3, 'updateIntoAsync(source, target[, targetOffset])');
      this.#intoLater(completion, placeOf(source, target, targetOffset));
    }) as Promise<number>;
  }

  /**
   * Ends the message. Returns the plaintext that a decipher has held, otherwise an empty Buffer.
   * The key and the keystream are wiped.
   *
   * With a callback it follows all earlier asynchronous updates.
   *
   * @throws MillraceError ERR_AUTHENTICATION if the tag of a decipher does not match: all plaintext
   *   that was held is wiped; ERR_MISSING_ARGUMENT without a tag, ERR_CIPHER_SPENT, ERR_CIPHER_BUSY
   */
  final(): Buffer;
  final(callback: Callback<Buffer>): void;
  final(callback?: unknown): Buffer | void {
    if (arguments.length > 1) refuseSurplus(arguments, 1, 'final([callback])');
    if (callback === undefined) return ready(this.#running).final();
    if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
    this.#finalLater(new CallbackCompletion(callback as Callback<unknown>));
  }

  /** Works like {@link IncrementalCipher.final} with a callback, but returns a promise. */
  finalAsync(): Promise<Buffer> {
    const given = arguments;
    return promised((completion) => {
      refuseSurplus(given, 0, 'finalAsync()');
      this.#finalLater(completion);
    }) as Promise<Buffer>;
  }

  /**
   * Wipes key, keystream and held plaintext; later operations fail with ERR_CIPHER_SPENT. A cipher
   * that has ended needs no disposal, and garbage collection wipes one that has not.
   */
  dispose(): void {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'dispose()');
    if (this.#running.phase === Phase.Open) this.#running.fail(spent('was disposed'));
  }

  /** Does the same as {@link IncrementalCipher.dispose}, for `using cipher = createCipher(...)`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: unknown,
    inspect: (value: unknown, options: unknown) => string,
  ): string {
    const { algorithm, authTagLength } = this;
    const { phase, pending } = this.#running;
    const state = pending > 0 ? 'busy' : ['open', 'ended', 'failed'][phase];
    return `${this.constructor.name} ${inspect({ algorithm, authTagLength, state }, options)}`;
  }

  /** @internal */
  override _transform(chunk: unknown, encoding: BufferEncoding, callback: TransformCallback): void {
    let result: Buffer;
    try {
      const view = this.#message(chunk, encoding, typeof chunk === 'string' ? 2 : 1);
      const running = this.#running;
      if (sizeOf(view) >= STREAM_POOL_MIN_BYTES || running.pending > 0) {
        // The writer of a stream no longer changes a chunk.
        this.#updateLater(new CallbackCompletion(passing(callback)), view, false);
        return;
      }
      result = ready(running).update(view);
    } catch (error) {
      callback(error as Error);
      return;
    }
    passing(callback)(null, result);
  }

  /** @internal */
  override _flush(callback: TransformCallback): void {
    let result: Buffer;
    try {
      if (this.#running.pending > 0) {
        this.#finalLater(new CallbackCompletion(passing(callback)));
        return;
      }
      result = ready(this.#running).final();
    } catch (error) {
      callback(error as Error);
      return;
    }
    passing(callback)(null, result);
  }

  /** @internal */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.dispose();
    callback(error);
  }

  #updateLater(completion: Completion, view: Uint8Array, copied: boolean): void {
    const queue = this.#queue();
    try {
      queue.add(new UpdateStep(completion, view, copied));
    } catch (error) {
      throw lost(this.#running, this.#steps, error);
    }
  }

  /** Reads the data of an update. */
  #message(source: unknown, encoding: unknown, count: number): Uint8Array {
    try {
      return messageOf(source, encoding, count);
    } catch (error) {
      throw lost(this.#running, this.#steps, error);
    }
  }

  #intoLater(completion: Completion, [source, target, offset]: Place): void {
    if (isResizable(target)) throw resizableTarget();
    this.#queue().add(new UpdateStep(completion, source, false, target, offset));
  }

  #finalLater(completion: Completion): void {
    const queue = this.#queue();
    this.#running.checkTag();
    this.#ending = true;
    queue.add(new FinalStep(completion));
  }

  /** Returns the queue of asynchronous operations; a failed cipher reports its error through it. */
  #queue(): Steps<RunningCipher> {
    const running = this.#running;
    if (this.#ending && running.phase === Phase.Open) throw spent('has ended its message');
    if (running.phase === Phase.Finalized) throw refusal(running, true);
    return (this.#steps ??= new Steps(running));
  }

  static {
    runningIn = (cipher) => cipher.#running;
    setUpLate((stream) =>
      typeof stream === 'object' && #running in stream ? [stream.#streamOptions] : undefined,
    );
  }
}

/** Encrypts a message incrementally; made by `createCipher`. Also a stream of the ciphertext. */
export class Cipher extends IncrementalCipher {
  /**
   * The tag of an AEAD, of `authTagLength` bytes, after `final` or the end of the stream; empty for
   * a stream cipher.
   *
   * @throws MillraceError ERR_CIPHER_OPEN before; the error of a cipher that failed
   */
  get authTag(): Buffer {
    const { phase, tag, failure } = runningIn(this);
    if (phase === Phase.Open)
      throw makeError('ERR_CIPHER_OPEN', 'authTag is there once final has ended the message');
    if (phase === Phase.Failed) throw failure;
    const copy = allocate(tag!.length);
    copy.set(tag!);
    return copy;
  }
}

/** Decrypts a message incrementally; made by `createDecipher`. Also a stream of the plaintext. */
export class Decipher extends IncrementalCipher {
  /**
   * Sets the tag that `final` checks, for formats that send it after the ciphertext. It is copied.
   *
   * @throws MillraceError ERR_TAG_SIZE, ERR_ARGUMENT_VALUE for a stream cipher, ERR_CIPHER_SPENT
   */
  setAuthTag(authTag: Bytes): this {
    if (arguments.length > 1) refuseSurplus(arguments, 1, 'setAuthTag(authTag)');
    const running = runningIn(this);
    if (running.phase !== Phase.Open) throw refusal(running, true);
    const { facts, tagSize } = running.setup;
    running.tag = copiedTag(authTag, facts, tagSize);
    return this;
  }

  /**
   * Returns an independent decipher with the same message so far. Only a decipher can be copied: of
   * two ciphertexts under one nonce the difference of their plaintexts can be computed, and with
   * an AEAD tags can be forged.
   *
   * @throws MillraceError ERR_CIPHER_SPENT, ERR_CIPHER_BUSY
   */
  copy(options?: TransformOptions): Decipher {
    if (arguments.length > 1) refuseSurplus(arguments, 1, 'copy([options])');
    const own = optionsObject<TransformOptions>(options, 'options', copyTakes);
    return new Decipher(inside, ready(runningIn(this)).copy(), own);
  }
}

type Place = readonly [source: Uint8Array, target: Uint8Array, offset: number];

/** Reads the arguments of an update into the caller's memory. */
function placeOf(source: unknown, target: unknown, targetOffset: unknown): Place {
  const from = bytes(source, 'source');
  const to = bytes(target, 'target');
  const offset = targetOffset === undefined ? 0 : unsigned(targetOffset, 'targetOffset');
  range(offset, sizeOf(from), sizeOf(to), 'target');
  return [from, to, offset];
}

/** Reads the data of an update. */
function messageOf(source: unknown, encoding: unknown, count: number): Uint8Array {
  if (count === 0) throw makeError('ERR_MISSING_ARGUMENT', 'update needs data');
  return typeof source === 'string' ? bytesOfString(source, encoding) : data(source, 'data');
}

/** Passes a result to a stream, unless it is empty. */
function passing(callback: TransformCallback): Callback<unknown> {
  return (error, result) => {
    if (error) callback(error as Error);
    else if ((result as Buffer).length === 0) callback();
    else callback(null, result);
  };
}

function promised(start: (completion: PromiseCompletion) => void): Promise<unknown> {
  const completion = new PromiseCompletion();
  try {
    start(completion);
  } catch (error) {
    completion.reject(error);
  }
  return completion.promise;
}
