/**
 * Takes input of any size, processes runs of whole chunks on the pool and returns the output in
 * order: the common part of sealing and opening, and of both kinds of streams. Memory is constant:
 * a run is at most 1 MiB of the message, and at most {@link runsMax} runs are in flight or wait for
 * their reader.
 *
 * Input is copied into reused private memory: its owner may change it as soon as it is taken, and
 * the bytes that a worker verifies are those it decrypts. Output goes to buffers that the reader
 * gave back, or to fresh memory, so that the workers pay for its page faults. A whole message is
 * copied once, before, and its runs write to their places in one result.
 */
import { NO_BYTES, part, sizeOf } from '../base/arguments.js';
import {
  CHUNKS_MAX,
  RUN_FIRST_BYTES,
  RUN_MAX_BYTES,
  runsMax,
  TAG_SIZE,
  type ChunkKey,
} from './chunk-format.js';
import { makeError } from '../base/errors.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { after, allocateApart, type Buffer } from '#platform/base/runtime.js';

/** Receives the output. */
export interface OutputSink {
  /**
   * Returns memory of this size for all further output, which is then written there instead of
   * being put. Only of a sink that takes whole messages; an own property, as others may add one to
   * Object.prototype.
   */
  readonly room: ((size: number) => Secret<Buffer>) | undefined;
  /** Takes the next output. Returns false if no more may follow before {@link ChunkPump.resume}. */
  put(output: Buffer): boolean;
  /** Ends the output with an error. */
  fail(error: Error): void;
}

/**
 * Buffered chunks are processed after this time even if the run is not full. A run costs 30 us in
 * addition to its bytes (it wakes a worker and the event loop), so reading a file 64 KiB at a time
 * must not make a run of each read.
 */
const FLUSH_AFTER_MS = 1;

/** Chunks in flight, or output that waits for its reader, or an error in its place. */
interface Run {
  output: Buffer | undefined;
  error: Error | undefined;
}

/** What differs between formats of chunks. */
export interface InputChunks {
  /** Bytes of a whole input chunk, which a tag makes a little more than a power of two. */
  readonly size: number;
  /** True if they are opened, false if they are sealed. */
  readonly sealed: boolean;
  /**
   * True if the last chunk is marked and may be whole, so that only the end of the input tells it
   * from others. It then makes a run of its own.
   */
  readonly marksLast: boolean;
}

export abstract class ChunkPump {
  readonly #sink: OutputSink;
  readonly #chunkSize: number;
  /** Bytes that the output of a chunk has more than the chunk. */
  readonly #growth: number;
  readonly #marksLast: boolean;
  /** Oldest first. */
  readonly #runs: Run[] = [];
  /** Number of the next chunk. */
  #next: number;
  #sinkReady = true;

  #buffer: Uint8Array | undefined;
  #buffered = 0;
  /** The most chunks of the next run. */
  #runLength: number;
  readonly #spare: Uint8Array[] = [];
  /** The free list of output buffers. */
  readonly #free: Buffer[] = [];

  /** Input that has not been taken completely, and its callback. */
  #input: Uint8Array | undefined;
  #inputSize = 0;
  #inputAt = 0;
  #taken: (error?: Error) => void = () => {};

  #ended: ((error?: Error) => void) | undefined;
  #flushing = false;
  /** Input waits for a key. */
  #held: Promise<void> | undefined;
  #key: ChunkKey | undefined;
  /** The input is a whole message. */
  #whole = false;
  /** An error is queued: further input is ignored. */
  #failed = false;
  #closed = false;

  /** @param first number of the first chunk */
  constructor(sink: OutputSink, { size, sealed, marksLast }: InputChunks, first: number) {
    this.#sink = sink;
    this.#chunkSize = size;
    this.#growth = sealed ? -TAG_SIZE : TAG_SIZE;
    this.#marksLast = marksLast;
    this.#runLength = this.#chunksOf(RUN_FIRST_BYTES);
    this.#next = first;
  }

  /**
   * Reads from `at` what belongs to no chunk, until it returns 0. Returns its size; throws to end
   * the stream.
   */
  protected header(_input: Uint8Array, _at: number): number {
    return 0;
  }

  /** Checks the size and the number of the last chunk. Throws to end the stream. */
  protected checkLast(_size: number, _number: number): void {}

  /** Wipes secrets. */
  protected wipe(): void {}

  /** Called when all output has been put. */
  protected finished(): void {}

  /** Returns the bytes that an input stands for. Throws to end the stream. */
  protected decode(input: Uint8Array): Uint8Array {
    return input;
  }

  #chunksOf(bytes: number): number {
    return Math.round(bytes / this.#chunkSize);
  }

  /** Returns the number of chunks in the buffered bytes that are whole and not the last. */
  #ready(buffered = this.#buffered): number {
    const whole = Math.floor(buffered / this.#chunkSize);
    const rest = buffered - whole * this.#chunkSize;
    return this.#marksLast && rest === 0 ? Math.max(whole - 1, 0) : whole;
  }

  /** Takes input; calls `taken` when it has been copied (back-pressure). One input at a time. */
  write(input: Uint8Array, taken: (error?: Error) => void): void {
    if (this.#closed) {
      taken(destroyedError());
      return;
    }
    try {
      this.#input = this.#failed ? NO_BYTES : this.decode(input);
    } catch (error) {
      this.#input = NO_BYTES;
      this.#fail(error as Error);
    }
    this.#inputSize = sizeOf(this.#input);
    this.#inputAt = 0;
    this.#taken = taken;
    this.#take();
  }

  /** Ends the input; calls `ended` when all output has been put. */
  end(ended: (error?: Error) => void): void {
    this.#ended = ended;
    if (this.#held === undefined) this.#finish();
  }

  /**
   * Processes a whole message, in place of `write` and `end`. The message is lent for good: after
   * {@link ChunkPump.close} some of its chunks may still be read.
   */
  message(input: Uint8Array): Promise<void> {
    this.#whole = true;
    return promiseOf((ended) => {
      this.#ended = ended;
      this.#processWhole(input).then(
        () => this.#end(),
        (error: Error) => this.close(error),
      );
    });
  }

  async #processWhole(input: Uint8Array): Promise<void> {
    const size = this.#chunkSize;
    const decoded = this.decode(input);
    let start = 0;
    for (let read = 1; read > 0; start += read) {
      await this.#held;
      if (this.#closed) return;
      read = this.header(decoded, start);
    }
    const source = decoded.subarray(start);
    let count = this.#ready(source.length);
    let failure: Error | undefined;
    try {
      this.checkLast(source.length - count * size, this.#next + count);
      count += 1;
    } catch (error) {
      // An error in the chunks before it is reported instead.
      failure = error as Error;
    }
    const outputSize = Math.min(source.length, count * size) + count * this.#growth;
    const room = this.#sink.room?.(outputSize);
    const target = room ?? secretResult(outputSize);
    if (count > 0) {
      const first = this.#next;
      const last = failure === undefined && this.#marksLast;
      const chunks = { first, count, last, isOver: () => this.#closed };
      await this.#key!.runs(this.#growth > 0 ? 'seal' : 'open', chunks, source, target);
    }
    if (failure !== undefined) {
      wipe(target);
      throw failure;
    }
    if (room === undefined && !this.#closed) this.#sink.put(target);
  }

  /** Processes the last chunk. */
  #finish(): void {
    if (!this.#failed) {
      const whole = this.#ready();
      try {
        this.checkLast(this.#buffered - whole * this.#chunkSize, this.#next + whole);
        if (this.#marksLast) this.#dispatch(whole);
        this.#dispatch(this.#marksLast ? 1 : whole + 1, true);
      } catch (error) {
        this.#dispatch(whole);
        this.#fail(error as Error);
      }
    }
    this.#deliver();
  }

  /** Continues: the sink takes output again. */
  resume(): void {
    this.#sinkReady = true;
    this.#deliver();
  }

  /** Stops everything, wipes the keys and reports the error to pending callbacks. */
  close(error: Error = destroyedError()): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#runs.length = 0;
    this.#spare.length = this.#free.length = 0;
    this.#buffer = undefined;
    this.#key?.dispose();
    this.wipe();
    if (this.#input !== undefined) this.#taken(error);
    this.#ended?.(error);
    this.#input = this.#ended = undefined;
  }

  protected get closed(): boolean {
    return this.#closed;
  }

  /** Sets the key of the chunks, which the pump then owns. */
  protected begun(key: ChunkKey): void {
    this.#key = key;
  }

  /** True after {@link ChunkPump.begun}. */
  protected get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** Puts an output buffer on the free list. The caller must not use it again. */
  reuse(output: Buffer): void {
    // Part of a larger ArrayBuffer is not the pump's: Node.js pools small Buffers.
    const isWhole = sizeOf(output) === output.buffer.byteLength;
    if (isWhole && !this.#closed && this.#free.length < runsMax()) this.#free.push(output);
  }

  /** Seals or opens consecutive chunks. */
  #work(first: number, count: number, source: Uint8Array, last: boolean): Promise<Buffer> {
    const size = source.length + count * this.#growth;
    const free = this.#free.pop();
    const target = free?.length === size ? free : undefined;
    return this.#growth > 0
      ? this.#key!.seal(first, count, source, last, target)
      : this.#key!.open(first, count, source, last, target);
  }

  /** Takes no input before the promise resolves; its rejection ends the stream. */
  protected hold(ready: Promise<void>): void {
    this.#held = ready;
    const release = (): void => {
      this.#held = undefined;
      if (this.#whole) return;
      if (this.#ended === undefined) this.#deliver();
      else this.#finish();
    };
    ready.then(release, (error: Error) => {
      if (!this.#whole) this.#fail(error);
      release();
    });
  }

  /** Queues output that needs no processing. */
  protected emit(output: Buffer): void {
    this.#runs.push({ output, error: undefined });
    this.#deliver();
  }

  /** Queues an error behind pending output; it is delivered in order. */
  #fail(error: Error): void {
    this.#failed = true;
    this.#runs.push({ output: undefined, error });
  }

  /** Copies as much of the pending input as fits. */
  #take(): void {
    const input = this.#input;
    if (input === undefined || this.#held !== undefined) return;
    try {
      if (sizeOf(input) < this.#inputSize)
        throw makeError(
          'ERR_ARGUMENT_VALUE',
          'a chunk was detached or shrunk before the stream had taken it',
        );
      for (let read = 1; read > 0 && !this.#failed && this.#held === undefined;) {
        read = this.header(input, this.#inputAt);
        this.#inputAt += read;
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    if (this.#held !== undefined) return;
    while (!this.#failed) {
      const free = this.#runLength * this.#chunkSize - this.#buffered;
      const left = this.#inputSize - this.#inputAt;
      if (free === 0 && (left > 0 || !this.#marksLast)) {
        if (this.#runs.length >= runsMax()) return;
        this.#dispatch(this.#runLength);
        continue;
      }
      const size = Math.min(free, left);
      if (size === 0) break;
      this.#buffer ??= this.#memory();
      if (this.#buffer === undefined) break;
      this.#buffer.set(part(input, this.#inputAt, size), this.#buffered);
      this.#inputAt += size;
      this.#buffered += size;
    }
    // An error with no output before it is the writer's answer.
    if (this.#failed && this.#runs.length === 1) {
      this.#deliver();
      return;
    }
    this.#input = undefined;
    this.#flushLater();
    // The writer may call write() again at once.
    this.#taken();
    if (this.#failed) this.#deliver();
  }

  /** Returns memory for the next run; without any the stream fails. */
  #memory(): Uint8Array | undefined {
    const size = this.#runLength * this.#chunkSize;
    for (let spare = this.#spare.pop(); spare !== undefined; spare = this.#spare.pop()) {
      if (spare.length >= size) return spare;
    }
    try {
      return allocateApart(size);
    } catch (error) {
      this.#fail(error as Error);
      return undefined;
    }
  }

  /**
   * Sends this many buffered chunks to the pool; the last of them may be short. Keeps the rest,
   * which is at most a chunk.
   */
  #dispatch(count: number, last = false): void {
    if (count === 0 || this.#failed) return;
    const first = this.#next;
    if (first + count > CHUNKS_MAX) {
      this.#fail(
        makeError('ERR_SOURCE_SIZE', `a sealed stream holds at most ${CHUNKS_MAX} chunks`),
      );
      return;
    }
    this.#runLength = Math.min(this.#runLength * 4, this.#chunksOf(RUN_MAX_BYTES));
    const memory = this.#buffer ?? NO_BYTES;
    const buffered = this.#buffered;
    const size = Math.min(buffered, count * this.#chunkSize);
    const rest = buffered > size ? this.#memory() : undefined;
    if (this.#failed) return;
    rest?.set(memory.subarray(size, buffered));
    this.#buffer = rest;
    this.#buffered = buffered - size;
    this.#next += count;
    const run: Run = { output: undefined, error: undefined };
    this.#runs.push(run);
    const settle = (): void => {
      if (this.#closed) return;
      this.#spare.push(memory);
      this.#deliver();
    };
    this.#work(first, count, memory.subarray(0, size), last).then(
      (output) => {
        run.output = output;
        settle();
      },
      (error: Error) => {
        run.error = error;
        settle();
      },
    );
  }

  /** Flushes before a run is full, so that a slow source gets its output. */
  #flushLater(): void {
    if (this.#flushing || !this.#canFlush()) return;
    this.#flushing = true;
    const next = this.#next;
    after(() => {
      this.#flushing = false;
      if (this.#next === next && this.#canFlush()) this.#dispatch(this.#ready());
      this.#deliver();
    }, FLUSH_AFTER_MS);
  }

  #canFlush(): boolean {
    return this.#ready() > 0 && this.#runs.length < runsMax() && !this.#failed && !this.#closed;
  }

  /** Puts the completed output, in order. The sink may call write, resume and close meanwhile. */
  #deliver(): void {
    while (this.#runs.length > 0 && !this.#closed) {
      const run = this.#runs[0]!;
      if (run.error !== undefined) {
        this.close(run.error);
        this.#sink.fail(run.error);
        return;
      }
      if (run.output === undefined || !this.#sinkReady) break;
      this.#runs.shift();
      if (run.output.length === 0) continue;
      this.#sinkReady = false;
      if (this.#sink.put(run.output)) this.#sinkReady = true;
    }
    if (this.#closed || this.#held !== undefined || this.#whole) return;
    this.#take();
    this.#flushLater();
    if (this.#ended !== undefined && this.#runs.length === 0) this.#end();
  }

  /** Reports the end, unless the pump is closed. */
  #end(): void {
    const ended = this.#ended;
    if (ended === undefined || this.#closed) return;
    this.finished();
    this.#ended = undefined;
    this.close();
    ended();
  }
}

/** Returns a promise of what calls back, with an error or none. */
export function promiseOf(begin: (done: (error?: Error) => void) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    begin((error) => (error === undefined ? resolve() : reject(error))),
  );
}

function destroyedError(): Error {
  return Object.assign(new Error('the stream was destroyed before it was finished'), {
    code: 'ERR_STREAM_DESTROYED',
  });
}
