/**
 * Files hashed by worker threads that open and read them too: for the `millrace` command. Nothing
 * here is public: a slow disk holds a worker up, which a process that does anything else would feel
 * (the doors read through Node's file system, files.ts).
 *
 * Only regular files that can be read and stay as they are; the caller does the others by himself.
 */
import { native } from '../engines/binding.js';
import { request, beginRequest, setTarget } from '../request/request.js';
import { runFilled, runAsync } from '../scheduling/run.js';
import { At, Flag, frame, Operation } from '../request/frame.js';
import { CallbackCompletion } from '../scheduling/completions.js';
import { Threads } from '../request/protocol.js';

/** The paths of files, each followed by a NUL, and how many there are. */
export interface Paths {
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Files of more bytes are left out. */
  readonly largest: number;
}

/** What became of each file. */
export class Answers {
  /** The bytes hashed. Negative: the size of one that was too large. Not a number: none of ours. */
  readonly sizes: Float64Array;
  /** One after the other. */
  readonly digests: Uint8Array;
  readonly memory: Uint8Array;

  constructor({ count }: Paths, digestSize: number) {
    const numbers = count * Float64Array.BYTES_PER_ELEMENT;
    const memory = new ArrayBuffer(numbers + count * digestSize);
    this.sizes = new Float64Array(memory, 0, count);
    this.digests = new Uint8Array(memory, numbers);
    this.memory = new Uint8Array(memory);
  }
}

/** Hashes files here and now. */
export function hashPathsSync(algorithm: number, paths: Paths, answers: Answers): void {
  fillPaths(algorithm, paths, answers);
  runFilled();
}

/** Hashes files on a worker. */
export function hashPaths(algorithm: number, paths: Paths, answers: Answers): Promise<void> {
  return new Promise((resolve, reject) => {
    const completion = new CallbackCompletion((error) =>
      error === undefined ? resolve() : reject(error),
    );
    fillPaths(algorithm, paths, answers);
    runAsync(completion);
  });
}

function fillPaths(algorithm: number, { bytes, count, largest }: Paths, { memory }: Answers): void {
  beginRequest(Operation.HashFiles, algorithm, bytes, 0, bytes.length);
  frame[At.Count] = count;
  frame[At.MessageSize] = largest;
  setTarget(memory, 0, memory.length);
}

/** A large file under way. */
export interface Hashing {
  readonly digest: Promise<Uint8Array>;
  /** How much of it is done, from 0 to 1. */
  progress(): number;
}

/**
 * Hashes a large file of so many bytes on a worker, or on all of them if the hash has parts; it
 * fails if anything is odd with it.
 */
export function hashPath(
  algorithm: number,
  path: Uint8Array,
  size: number,
  digestSize: number,
): Hashing {
  const target = new Uint8Array(digestSize);
  let completion!: CallbackCompletion;
  const digest = new Promise<Uint8Array>((resolve, reject) => {
    completion = new CallbackCompletion((error) =>
      error === undefined ? resolve(target) : reject(error),
    );
  });
  beginRequest(Operation.HashFile, algorithm, path, 0, path.length);
  frame[At.Count] = 1;
  frame[At.MessageSize] = size;
  setTarget(target, 0, digestSize);
  request.flags |= Flag.Progress;
  runAsync(completion);
  return { digest, progress: () => native.progress(completion.slot) };
}

/** The most worker threads there may be. */
export function workers(): number {
  return native.threads(Threads.Limit);
}
