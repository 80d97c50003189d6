/**
 * Digests of many files in their order, in memory for a few hundred of them.
 *
 * With the native engine the worker threads open, read and hash files by themselves, many in a call
 * (file-batch.ts). Everything else is read through the platform's files.node.ts: files that native
 * code refuses (the errors of Node.js name the reason), hashes with a key, a seed or parameters,
 * other engines.
 */
import { eachItem, isAsyncIterable, isIterable, readItems, type Items } from '../base/iterables.js';
import { encodeResult } from '../request/result.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';
import {
  Answers,
  hashPath,
  hashPaths,
  hashPathsSync,
  LARGE_FILE_BYTES,
  workers,
  type Paths,
} from './file-batch.js';
import { planOf, refuseWatching, type FileError, type Plan } from './hash-files-options.js';
import {
  absorbFile,
  absorbFileSync,
  fileName,
  fileSource,
  joinPaths,
  type FileSource,
} from '#platform/streams/files.js';
import { viewOf } from '#platform/base/runtime.js';

/** Files of a call, also if their number is not known. */
const FILES_PER_CALL = 256;
const FEW_FILES = 64;
/** Files that are read through the platform, or large, at a time. */
const SINGLE_FILES = 8;
/** Interval at which the progress of a large file is read. */
const PROGRESS_MS = 100;

const ITEMS = 'an array or iterable of paths';

/** Hashes files: `(algorithm, paths[, encoding | options])`, synchronously. */
export function hashFilesSync(algorithm: unknown, paths: unknown, form: unknown): unknown[] {
  const plan = planOf(algorithm, form, undefined);
  refuseWatching(plan);
  const files = readItems(paths, 'paths', ITEMS, fileSource);
  const results = new Array<unknown>(files.length);
  for (let first = 0; first < files.length; first += FILES_PER_CALL) {
    const call = new Call(
      plan,
      files.slice(first, first + FILES_PER_CALL),
      Number.MAX_SAFE_INTEGER,
    );
    try {
      if (call.paths !== undefined) hashPathsSync(plan.facts.id, call.paths, call.answers!);
    } catch {
      call.refuse();
    }
    for (let index = 0; index < call.files.length; index++)
      results[first + index] =
        call.sizeOf(index) >= 0
          ? call.digest(index)
          : singleSync(plan, call.files[index]!, first + index);
  }
  return results;
}

function singleSync(plan: Plan, file: FileSource, index: number): unknown {
  try {
    const hasher = plan.hasher.copy();
    absorbFileSync(hasher, file);
    return hasher.digest(plan.encoding);
  } catch (error) {
    const named = fileError(error, file, index);
    if (plan.returnErrors) return named;
    throw named;
  }
}

/** Calls back. Invalid arguments throw. */
export function hashFilesThen(
  callback: Callback<unknown>,
  algorithm: unknown,
  paths: unknown,
  form: unknown,
): void {
  const completion = new CallbackCompletion(callback);
  const plan = planOf(algorithm, form, undefined);
  const files = readItems(paths, 'paths', ITEMS, fileSource);
  hashAll(plan, files, files.length).then(
    (digests) => completion.succeed(digests),
    (error) => completion.fail(error),
  );
}

/**
 * Hashes files: `(algorithm, paths[, encoding[, { errors, signal }] | options])`; also async
 * iterables.
 */
export async function hashFilesAsync(
  check: () => void,
  algorithm: unknown,
  paths: unknown,
  form: unknown,
  extra: unknown,
): Promise<unknown[]> {
  check();
  const plan = planOf(algorithm, form, extra);
  return await hashAll(plan, ...itemsOf(paths));
}

/** Returns the paths and, if all of them are known, their number. */
function itemsOf(paths: unknown): [source: Items<unknown>, count: number | undefined] {
  if (isAsyncIterable(paths) || (isIterable(paths) && !Array.isArray(paths)))
    return [paths, undefined];
  const files = readItems(paths, 'paths', ITEMS, fileSource);
  return [files, files.length];
}

/** Names the file in an error of the file system. */
function fileError(error: unknown, file: FileSource, index: number): FileError {
  const named = error instanceof Error ? error : new Error(String(error));
  const path = fileName(file);
  return Object.assign(named, path === undefined ? { index } : { path, index });
}

/** Files that native code reads in one call. */
class Call {
  /** Undefined if native code may not read them. */
  readonly paths: Paths | undefined;
  readonly answers: Answers | undefined;

  constructor(
    readonly plan: Plan,
    readonly files: readonly FileSource[],
    largest: number,
  ) {
    const bytes = plan.fast ? joinPaths(files) : undefined;
    if (bytes === undefined) return;
    this.paths = { bytes, count: files.length, largest };
    this.answers = new Answers(this.paths, plan.size);
  }

  /** Has the files read one by one, after a failure for want of memory. */
  refuse(): void {
    this.answers!.sizes.fill(NaN);
  }

  /**
   * Returns the bytes hashed; minus the size of a large file; NaN for a file that native code
   * refuses.
   */
  sizeOf(index: number): number {
    return this.answers === undefined ? NaN : this.answers.sizes[index]!;
  }

  digest(index: number): unknown {
    const { buffer, byteOffset } = this.answers!.digests;
    const { size, form } = this.plan;
    return encodeResult(viewOf(buffer, byteOffset + index * size, size), form);
  }
}

/**
 * Hashes files as they are given. Their number decides how many are one call; if it is not known,
 * few are, as the next path may be long in coming.
 */
async function hashAll(
  plan: Plan,
  source: Items<unknown>,
  count: number | undefined,
): Promise<unknown[]> {
  const results: unknown[] = [];
  await feed(new Run(plan, count, (index, _file, result) => (results[index] = result)), source);
  return results;
}

/** Gives the files to a run, and waits for all of them; `ready` is awaited before each. */
async function feed(
  run: Run,
  source: Items<unknown>,
  ready?: () => Promise<boolean>,
): Promise<void> {
  const { plan, count } = run;
  try {
    const add = (item: unknown, index: number): boolean | Promise<boolean> =>
      run.add(count === undefined ? fileSource(item, `paths[${index}]`) : (item as FileSource));
    const later = async (item: unknown, index: number): Promise<boolean> =>
      (await ready!()) && add(item, index);
    await eachItem(source, 'paths', plan.signal, ready === undefined ? add : later);
    await run.flush();
  } catch (error) {
    // Of the iterable or of a wrong path: no file matters any more.
    run.fail(-1, error);
  }
  await run.end();
}

/** A file of {@link hashFilesIterator} and its digest, or its error if errors are returned. */
interface Entry {
  readonly index: number;
  readonly path: FileSource;
  readonly digest: unknown;
}

/** The most results that wait for their reader; then no more files are begun. */
const WAITING_MAX = 1024;

/**
 * Yields entries as they are ready: `(algorithm, paths[, encoding[, { errors, signal }] |
 * options])`.
 */
export function hashFilesEntries(
  algorithm: unknown,
  paths: unknown,
  form: unknown,
  extra: unknown,
): AsyncGenerator<Entry, void, void> {
  const plan = planOf(algorithm, form, extra);
  return entries(plan, ...itemsOf(paths));
}

async function* entries(
  plan: Plan,
  source: Items<unknown>,
  count: number | undefined,
): AsyncGenerator<Entry, void, void> {
  const waiting: Entry[] = [];
  let [over, stopped, failure] = [false, false, undefined as { error: unknown } | undefined];
  let changed = (): void => {};
  const change = (): Promise<void> => new Promise((resolve) => (changed = resolve));
  let [room, read] = [undefined as Promise<void> | undefined, (): void => {}];
  const run = new Run(plan, count, (index, path, digest) => {
    waiting.push({ index, path, digest });
    changed();
  });
  const ready = async (): Promise<boolean> => {
    while (waiting.length >= WAITING_MAX && !stopped)
      await (room ??= new Promise((resolve) => (read = resolve)));
    return !stopped;
  };
  const fed = feed(run, source, ready)
    .catch((error: unknown) => (failure = { error }))
    .finally(() => ((over = true), changed()));
  try {
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        yield next;
        room = undefined;
        read();
      }
      if (over) break;
      await change();
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    stopped = true;
    room = undefined;
    read();
    await fed;
  }
}

/** The files of one call of hashFiles in flight. */
class Run {
  readonly #perCall: number;
  /** The number of paths taken. */
  #taken = 0;
  readonly #calls: Semaphore;
  readonly #singles: Semaphore;
  #files: FileSource[] = [];
  #working = new Set<Promise<void>>();
  readonly #progress = { bytes: 0, files: 0 };
  #failure: { readonly index: number; readonly error: unknown } | undefined;

  /** @param take takes the digest of a file, or its error */
  constructor(
    readonly plan: Plan,
    readonly count: number | undefined,
    readonly take: (index: number, file: FileSource, result: unknown) => void,
  ) {
    const threads = workers();
    const even = count === undefined ? FEW_FILES : Math.ceil(count / (4 * threads));
    this.#perCall = Math.max(1, Math.min(even, FILES_PER_CALL));
    this.#calls = new Semaphore(threads + 1);
    this.#singles = new Semaphore(SINGLE_FILES);
  }

  /** Takes a file; returns false if the call has failed. */
  add(file: FileSource): boolean | Promise<boolean> {
    this.#taken += 1;
    return this.#files.push(file) < this.#perCall ? this.#failure === undefined : this.flush();
  }

  /** Starts hashing the files taken. Waits while enough are in flight. */
  async flush(): Promise<boolean> {
    const files = this.#files;
    this.#files = [];
    if (files.length > 0) {
      await this.#calls.acquire();
      const work = this.#hash(files, this.#taken - files.length).finally(() => {
        this.#calls.release();
        this.#working.delete(work);
      });
      this.#working.add(work);
    }
    return this.#failure === undefined;
  }

  /** Notes the failure of the call, unless an earlier file has failed. */
  fail(index: number, error: unknown): void {
    if (this.#failure === undefined || index < this.#failure.index)
      this.#failure = { index, error };
  }

  /** Reports bytes and files beside those reported before. */
  #report(bytes: number, files: number): void {
    const progress = this.#progress;
    progress.bytes += bytes;
    progress.files += files;
    if (this.#failure !== undefined || this.plan.signal?.aborted === true) return;
    try {
      this.plan.onProgress?.({ ...progress });
    } catch (error) {
      this.fail(-1, error);
    }
  }

  /** Waits for all that is in flight. */
  async end(): Promise<void> {
    await Promise.all(this.#working);
    // An abort is the error, whatever it made files fail with.
    this.plan.signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Returns true if the digest of this file is not wanted any more. */
  #isOver(index: number): boolean {
    return (
      this.plan.signal?.aborted === true ||
      (this.#failure !== undefined && index > this.#failure.index)
    );
  }

  async #hash(files: readonly FileSource[], first: number): Promise<void> {
    if (this.#isOver(first)) return;
    const { facts, signal } = this.plan;
    const call = new Call(this.plan, files, LARGE_FILE_BYTES);
    if (call.paths !== undefined)
      await hashPaths(facts.id, call.paths, call.answers!, signal).catch(() => call.refuse());
    const others: Promise<void>[] = [];
    let bytes = 0;
    for (let index = 0; index < files.length; index++) {
      const size = call.sizeOf(index);
      if (size >= 0) {
        this.take(first + index, files[index]!, call.digest(index));
        bytes += size;
      } else {
        others.push(this.#single(files[index]!, first + index, -size));
      }
    }
    if (others.length < files.length) this.#report(bytes, files.length - others.length);
    await Promise.all(others);
  }

  /** Hashes one file: a large one of this size, or one that native code refuses. */
  async #single(file: FileSource, index: number, size: number): Promise<void> {
    await this.#singles.acquire();
    try {
      if (this.#isOver(index)) return;
      // A file that is read again is reported again from where it was.
      let reported = 0;
      const report = (bytes: number): void => {
        if (bytes <= reported) return;
        this.#report(bytes - reported, 0);
        reported = bytes;
      };
      if (!(size > 0 && (await this.#large(file, index, size, report)))) {
        const { signal, encoding } = this.plan;
        const hasher = this.plan.hasher.copy();
        await absorbFile(hasher, file, { signal, onProgress: ({ bytes }) => report(bytes) });
        this.take(index, file, hasher.digest(encoding));
      }
    } catch (error) {
      if (this.plan.signal?.aborted === true) return;
      const named = fileError(error, file, index);
      if (this.plan.returnErrors) this.take(index, file, named);
      else this.fail(index, named);
    } finally {
      this.#report(0, 1);
      this.#singles.release();
    }
  }

  /** Returns false if the file has changed or is unreadable: files.node.ts reads it or says why. */
  async #large(
    file: FileSource,
    index: number,
    size: number,
    report: (bytes: number) => void,
  ): Promise<boolean> {
    const { facts, size: digestSize, form, signal, onProgress } = this.plan;
    const path = joinPaths([file])!.subarray(0, -1);
    let timer: ReturnType<typeof setInterval> | undefined;
    try {
      const { digest, progress } = hashPath(facts.id, path, size, digestSize, signal);
      if (onProgress !== undefined)
        timer = setInterval(() => report(Math.floor(progress() * size)), PROGRESS_MS);
      const { buffer } = await digest;
      report(size);
      this.take(index, file, encodeResult(viewOf(buffer, 0, digestSize), form));
      return true;
    } catch {
      return false;
    } finally {
      clearInterval(timer);
    }
  }
}

/** A semaphore with a first-in, first-out queue. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
