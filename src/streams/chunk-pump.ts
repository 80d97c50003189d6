/**
 * Pieces of any size in, runs of whole chunks over the pool, output in order: what is common to
 * sealing and opening, and to the two kinds of streams. Memory is constant: a run is at most 1 MiB
 * of message, and there are never more runs under way or waiting to be taken than {@link runsMax}
 * says.
 *
 * Pieces are copied, into memory that is used again and that nobody else can reach: their owner may
 * do with them what he likes as soon as they are taken, and what a worker verifies is what it
 * decrypts. The workers write to fresh memory, so that it is they who wait for its pages.
 */
import { NO_BYTES, part, sizeOf } from '../request/arguments.js';
import { native } from '../engines/binding.js';
import { CHUNK_SIZE, CHUNKS_MAX } from './chunk-format.js';
import { makeError } from '../request/errors.js';
import { after, allocateApart, type Buffer } from '#platform/runtime.js';
import { Threads } from '../request/protocol.js';

/** Where output goes. */
export interface OutputSink {
  /** Takes the next output. False: no more before {@link ChunkPump.resume}. */
  put(output: Buffer): boolean;
  /** Nothing comes any more. */
  fail(error: Error): void;
}

/** The most chunks of a run: one crossing for 1 MiB. */
const RUN_MAX_CHUNKS = 64;
/**
 * The first run is short, so that small messages cost little memory and output comes soon; each may
 * be four times as long as the one before.
 */
const RUN_FIRST_CHUNKS = 4;

/**
 * Whole chunks that have waited for so many milliseconds go without waiting for more. A run costs
 * 30 us beside its bytes (a worker and the event loop are woken), so a file read in parts of 64
 * KiB must not make a run of each.
 */
const FLUSH_AFTER_MS = 1;

/**
 * So many runs keep all workers busy. More than 16 are of no use: this thread cannot copy as fast
 * as that.
 */
const runsMax = (): number => Math.min(native.threads(Threads.Limit) + 1, 16);

/** Chunks under way, or output that waits to be taken, or an error in its place. */
interface Run {
  output: Buffer | undefined;
  error: Error | undefined;
}

/** What a stream hands inputs to. */
export interface Pump {
  /**
   * Takes an input; `taken` is called when it has been copied, which is how a writer is held back.
   * One at a time.
   */
  write(input: Uint8Array, taken: (error?: Error) => void): void;
  /** No more inputs; `ended` is called when all output was put. */
  end(ended: (error?: Error) => void): void;
  /** The sink takes output again. */
  resume(): void;
  /** Nothing happens any more; keys are wiped. Whoever waits hears of it. */
  close(error?: Error): void;
}

export abstract class ChunkPump implements Pump {
  readonly #sink: OutputSink;
  /** Bytes of a whole chunk as it comes in. */
  readonly #chunkSize: number;
  /** Oldest first. */
  readonly #runs: Run[] = [];
  /** Number of the next chunk. */
  #next: number;
  #sinkReady = true;

  #buffer: Uint8Array | undefined;
  #buffered = 0;
  #runLength = RUN_FIRST_CHUNKS;
  readonly #spare: Uint8Array[] = [];

  /** An input that has not been taken whole, and what to call when it is. */
  #input: Uint8Array | undefined;
  #inputSize = 0;
  #inputAt = 0;
  #taken: (error?: Error) => void = () => {};

  #ended: ((error?: Error) => void) | undefined;
  #flushing = false;
  /** An error is in line: what comes in is of no use any more. */
  #failed = false;
  #closed = false;

  /** @param first number of the first chunk */
  constructor(sink: OutputSink, chunkSize: number, first: number) {
    this.#sink = sink;
    this.#chunkSize = chunkSize;
    this.#next = first;
  }

  /**
   * Takes from the start of an input what does not belong to a chunk; how much that is. Throws what
   * ends the stream.
   */
  protected abstract header(input: Uint8Array): number;
  /** Checks what is left for the last chunk. Throws what ends the stream. */
  protected abstract checkLast(size: number): void;
  /** Turns consecutive chunks into output. `source` is lent. */
  protected abstract work(first: number, count: number, source: Uint8Array): Promise<Buffer>;
  /** Wipes keys. */
  protected abstract wipe(): void;

  write(input: Uint8Array, taken: (error?: Error) => void): void {
    if (this.#closed) {
      taken(destroyedError());
      return;
    }
    this.#input = input;
    this.#inputSize = sizeOf(input);
    this.#inputAt = 0;
    this.#taken = taken;
    this.#take();
  }

  end(ended: (error?: Error) => void): void {
    this.#ended = ended;
    if (!this.#failed) {
      const whole = Math.floor(this.#buffered / this.#chunkSize);
      try {
        this.checkLast(this.#buffered - whole * this.#chunkSize);
        this.#dispatch(whole + 1);
      } catch (error) {
        this.#dispatch(whole);
        this.#fail(error as Error);
      }
    }
    this.#deliver();
  }

  resume(): void {
    this.#sinkReady = true;
    this.#deliver();
  }

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

  /** Puts output in line that no chunk has to be worked for. */
  protected emit(output: Buffer): void {
    this.#runs.push({ output, error: undefined });
    this.#deliver();
  }

  /** Puts an error in line, behind the output that is on its way; it is delivered like output. */
  #fail(error: Error): void {
    this.#failed = true;
    this.#runs.push({ output: undefined, error });
  }

  /** Copies as much of the waiting input as there is room for. */
  #take(): void {
    const input = this.#input;
    if (input === undefined) return;
    try {
      if (sizeOf(input) < this.#inputSize)
        throw makeError(
          'ERR_ARGUMENT_VALUE',
          'a chunk was detached or shrunk before the stream had taken it',
        );
      if (this.#inputAt === 0 && !this.#failed) this.#inputAt = this.header(input);
    } catch (error) {
      this.#fail(error as Error);
    }
    while (!this.#failed) {
      const free = this.#runLength * this.#chunkSize - this.#buffered;
      if (free === 0) {
        if (this.#runs.length >= runsMax()) return;
        this.#dispatch(this.#runLength);
        continue;
      }
      const size = Math.min(free, this.#inputSize - this.#inputAt);
      if (size === 0) break;
      this.#buffer ??= this.#memory();
      this.#buffer.set(part(input, this.#inputAt, size), this.#buffered);
      this.#inputAt += size;
      this.#buffered += size;
    }
    this.#input = undefined;
    this.#flushLater();
    // The writer may come with the next input at once.
    this.#taken();
    if (this.#failed) this.#deliver();
  }

  /** Room for the run that comes next. */
  #memory(): Uint8Array {
    const size = this.#runLength * this.#chunkSize;
    for (let spare = this.#spare.pop(); spare !== undefined; spare = this.#spare.pop()) {
      if (spare.length >= size) return spare;
    }
    return allocateApart(size);
  }

  /**
   * Sends so many of the buffered chunks to the pool, the last of which may be short; less than a
   * chunk stays.
   */
  #dispatch(count: number): void {
    if (count === 0) return;
    const first = this.#next;
    if (first + count > CHUNKS_MAX) {
      this.#fail(
        makeError(
          'ERR_SOURCE_SIZE',
          `a sealed stream holds at most ${CHUNKS_MAX} chunks of ${CHUNK_SIZE} bytes`,
        ),
      );
      return;
    }
    this.#next += count;
    this.#runLength = Math.min(this.#runLength * 4, RUN_MAX_CHUNKS);
    const memory = this.#buffer ?? NO_BYTES;
    const buffered = this.#buffered;
    const size = Math.min(buffered, count * this.#chunkSize);
    this.#buffer = undefined;
    this.#buffered = buffered - size;
    if (buffered > size) {
      this.#buffer = this.#memory();
      this.#buffer.set(memory.subarray(size, buffered));
    }
    const run: Run = { output: undefined, error: undefined };
    this.#runs.push(run);
    const settle = (): void => {
      if (this.#closed) return;
      this.#spare.push(memory);
      this.#deliver();
    };
    this.work(first, count, memory.subarray(0, size)).then(
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

  /** A slow source must not wait for its output until a run is full. */
  #flushLater(): void {
    if (this.#flushing || !this.#canFlush()) return;
    this.#flushing = true;
    const next = this.#next;
    after(() => {
      this.#flushing = false;
      if (this.#next === next && this.#canFlush())
        this.#dispatch(Math.floor(this.#buffered / this.#chunkSize));
      this.#deliver();
    }, FLUSH_AFTER_MS);
  }

  #canFlush(): boolean {
    return (
      this.#buffered >= this.#chunkSize &&
      this.#runs.length < runsMax() &&
      !this.#failed &&
      !this.#closed
    );
  }

  /** Puts what is ready, in order. The sink may run anything meanwhile: write, resume, close. */
  #deliver(): void {
    for (let run = this.#runs[0]; run !== undefined && !this.#closed; run = this.#runs[0]) {
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
    if (this.#closed) return;
    this.#take();
    this.#flushLater();
    const ended = this.#ended;
    if (ended === undefined || this.#runs.length > 0 || this.#closed) return;
    this.#ended = undefined;
    this.close();
    ended();
  }
}

function destroyedError(): Error {
  return Object.assign(new Error('the stream was destroyed before it was finished'), {
    code: 'ERR_STREAM_DESTROYED',
  });
}
