/**
 * Hashes files on worker threads that open and read them too, for hashFiles and the `millrace`
 * command: a slow disk blocks a worker, but a small file takes a tenth of the time (hashFile reads
 * through Node's file system, files.node.ts).
 *
 * Only readable regular files that do not change; the caller hashes all others.
 */
import { native } from '../engines/binding.js';
import { request, beginRequest, setTarget } from '../request/request.js';
import { runFilled, runAsync } from '../scheduling/run.js';
import { At, Flag, frame, Operation } from '../base/frame.js';
import { PromiseCompletion, SignalCompletion } from '../scheduling/completions.js';
import { Threads } from '../base/protocol.js';
import { secretMemory } from '../base/secret-memory.js';

/** Paths of files, each followed by a NUL, and their number. */
export interface Paths {
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Larger files, in bytes, are skipped. */
  readonly largest: number;
}

/** The results of the files. */
export class Answers {
  /**
   * Bytes hashed. Negative: the size of a file that was too large. NaN: a file that the caller must
   * hash.
   */
  readonly sizes: Float64Array;
  /** One digest after the other. */
  readonly digests: Uint8Array;
  readonly memory: Uint8Array;

  constructor({ count }: Paths, digestSize: number) {
    const numbers = count * Float64Array.BYTES_PER_ELEMENT;
    const { buffer: memory } = secretMemory(numbers + count * digestSize);
    this.sizes = new Float64Array(memory, 0, count);
    this.digests = new Uint8Array(memory, numbers);
    this.memory = new Uint8Array(memory);
  }
}

/** Hashes files synchronously. */
export function hashPathsSync(algorithm: number, paths: Paths, answers: Answers): void {
  fillPaths(algorithm, paths, answers);
  runFilled();
}

/**
 * Hashes files on a worker. An abort rejects with the signal's reason: at once if the call has not
 * started, otherwise after a few files.
 */
export function hashPaths(
  algorithm: number,
  paths: Paths,
  answers: Answers,
  signal?: AbortSignal,
): Promise<unknown> {
  return submit(signal, () => fillPaths(algorithm, paths, answers)).promise;
}

/** Runs the request that `fill` fills. */
function submit(signal: AbortSignal | undefined, fill: () => void): PromiseCompletion {
  const completion = signal === undefined ? new PromiseCompletion() : new SignalCompletion();
  try {
    fill();
    if (signal !== undefined) request.flags |= Flag.Cancellable;
    runAsync(completion);
  } catch (error) {
    completion.reject(error);
  }
  if (completion instanceof SignalCompletion && completion.slot >= 0)
    completion.attachSignal(signal!);
  return completion;
}

function fillPaths(algorithm: number, { bytes, count, largest }: Paths, { memory }: Answers): void {
  beginRequest(Operation.HashFiles, algorithm, bytes, 0, bytes.length);
  frame[At.Count] = count;
  frame[At.MessageSize] = largest;
  setTarget(memory, 0, memory.length);
}

/** The hashing of a large file. */
export interface Hashing {
  readonly digest: Promise<Uint8Array>;
  /** Returns the progress from 0 to 1. */
  progress(): number;
}

/**
 * Hashes a large file of this size on a worker, or on all workers if the hash is a tree. Rejects if
 * the file is not regular or changes, and with the signal's reason if it aborts.
 */
export function hashPath(
  algorithm: number,
  path: Uint8Array,
  size: number,
  digestSize: number,
  signal?: AbortSignal,
): Hashing {
  const target = new Uint8Array(digestSize);
  const completion = submit(signal, () => {
    beginRequest(Operation.HashFile, algorithm, path, 0, path.length);
    frame[At.Count] = 1;
    frame[At.MessageSize] = size;
    setTarget(target, 0, digestSize);
    request.flags |= Flag.Progress;
  });
  return {
    digest: completion.promise.then(() => target),
    progress: () => native.progress(completion.slot),
  };
}

/** A larger file is a separate call, so that the others need not wait for it. */
export const LARGE_FILE_BYTES = 1024 * 1024;

/**
 * Returns the digest of the file of this path, which ends in a NUL; undefined if native code does
 * not read it. Rejects with the signal's reason if it aborts.
 */
export async function hashOnePath(
  algorithm: number,
  path: Uint8Array,
  digestSize: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  try {
    const paths = { bytes: path, count: 1, largest: LARGE_FILE_BYTES };
    const answers = new Answers(paths, digestSize);
    await hashPaths(algorithm, paths, answers, signal);
    const size = answers.sizes[0]!;
    if (size >= 0) return answers.digests;
    if (Number.isNaN(size)) return undefined;
    return await hashPath(algorithm, path.subarray(0, -1), -size, digestSize, signal).digest;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** Returns the maximum number of worker threads. */
export function workers(): number {
  return native.threads(Threads.Limit);
}
