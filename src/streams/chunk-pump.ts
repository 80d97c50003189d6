/**
 * Takes input of any size, processes runs of whole chunks on the pool and returns the output in
 * order: the common part of sealing and opening, and of both kinds of streams. Memory is constant:
 * a run is at most 1 MiB of the message, and at most {@link runsMax} runs are in flight or wait for
 * their reader.
 *
 * Input is copied into reused private memory: its owner may change it as soon as it is taken, and
 * the bytes that a worker verifies are those it decrypts. Output goes to fresh memory, so that the
 * workers pay for its page faults.
 */
import { NO_BYTES, part, sizeOf } from '../base/arguments.js';
import { native } from '../engines/binding.js';
import { CHUNKS_MAX } from './chunk-format.js';
import { makeError } from '../base/errors.js';
import { after, allocateApart, type Buffer } from '#platform/base/runtime.js';
import { Threads } from '../base/protocol.js';

/** Receives the output. */
export interface OutputSink {
  /** Takes the next output. Returns false if no more may follow before {@link ChunkPump.resume}. */
  put(output: Buffer): boolean;
  /** Ends the output with an error. */
  fail(error: Error): void;
}

/** The longest run: one native call for 64 chunks of 16 KiB, or 16 of 64 KiB. */
const RUN_MAX_BYTES = 2 ** 20;
/**
 * The first run is short, so that small messages take little memory and output starts soon; each
 * run may be four times as long as the last.
 */
const RUN_FIRST_BYTES = 2 ** 16;

/**
 * Buffered chunks are processed after this time even if the run is not full. A run costs 30 us in
 * addition to its bytes (it wakes a worker and the event loop), so reading a file 64 KiB at a time
 * must not make a run of each read.
 */
const FLUSH_AFTER_MS = 1;

/**
 * Returns the number of runs that keep all workers busy. More than 16 gain nothing: this thread
 * cannot copy faster.
 */
const runsMax = (): number => Math.min(native.threads(Threads.Limit) + 1, 16);

/** Chunks in flight, or output that waits for its reader, or an error in its place. */
interface Run {
  output: Buffer | undefined;
  error: Error | undefined;
}

/** What differs between formats of chunks. */
export interface InputChunks {
  /** Bytes of a whole input chunk, which a tag makes a little more than a power of two. */
  readonly size: number;
  /**
   * True if the last chunk is marked and may be whole, so that only the end of the input tells it
   * from others. It then makes a run of its own.
   */
  readonly marksLast: boolean;
}

export abstract class ChunkPump {
  readonly #sink: OutputSink;
  readonly #chunkSize: number;
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

  /** Input that has not been taken completely, and its callback. */
  #input: Uint8Array | undefined;
  #inputSize = 0;
  #inputAt = 0;
  #taken: (error?: Error) => void = () => {};

  #ended: ((error?: Error) => void) | undefined;
  #flushing = false;
  /** Input waits for a key. */
  #held = false;
  /** An error is queued: further input is ignored. */
  #failed = false;
  #closed = false;

  /** @param first number of the first chunk */
  constructor(sink: OutputSink, { size, marksLast }: InputChunks, first: number) {
    this.#sink = sink;
    this.#chunkSize = size;
    this.#marksLast = marksLast;
    this.#runLength = this.#chunksOf(RUN_FIRST_BYTES);
    this.#next = first;
  }

  /**
   * Reads from `at` what belongs to no chunk, until it returns 0. Returns its size; throws to end
   * the stream.
   */
  protected abstract header(input: Uint8Array, at: number): number;
  /** Checks the size and the number of the last chunk. Throws to end the stream. */
  protected abstract checkLast(size: number, number: number): void;
  /** Turns consecutive chunks into output. `source` is lent; `last` says that the input ends. */
  protected abstract work(
    first: number,
    count: number,
    source: Uint8Array,
    last: boolean,
  ): Promise<Buffer>;
  /** Wipes keys. */
  protected abstract wipe(): void;

  /** Returns the bytes that an input stands for. Throws to end the stream. */
  protected decode(input: Uint8Array): Uint8Array {
    return input;
  }

  #chunksOf(bytes: number): number {
    return Math.round(bytes / this.#chunkSize);
  }

  /** Returns the number of buffered chunks that are whole and not the last. */
  #ready(): number {
    const whole = Math.floor(this.#buffered / this.#chunkSize);
    const rest = this.#buffered - whole * this.#chunkSize;
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
    if (!this.#held) this.#finish();
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
    this.#spare.length = 0;
    this.#buffer = undefined;
    this.wipe();
    if (this.#input !== undefined) this.#taken(error);
    this.#ended?.(error);
    this.#input = this.#ended = undefined;
  }

  protected get closed(): boolean {
    return this.#closed;
  }

  /** Takes no input before the promise resolves; its rejection ends the stream. */
  protected hold(ready: Promise<void>): void {
    this.#held = true;
    void ready
      .catch((error: unknown) => this.#fail(error as Error))
      .then(() => {
        this.#held = false;
        if (this.#ended === undefined) this.#deliver();
        else this.#finish();
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
    if (input === undefined || this.#held) return;
    try {
      if (sizeOf(input) < this.#inputSize)
        throw makeError(
          'ERR_ARGUMENT_VALUE',
          'a chunk was detached or shrunk before the stream had taken it',
        );
      for (let read = 1; read > 0 && !this.#failed && !this.#held;) {
        read = this.header(input, this.#inputAt);
        this.#inputAt += read;
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    if (this.#held) return;
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
    this.work(first, count, memory.subarray(0, size), last).then(
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
    if (this.#closed || this.#held) return;
    this.#take();
    this.#flushLater();
    const ended = this.#ended;
    if (ended === undefined || this.#runs.length > 0 || this.#closed) return;
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
