/** hashMany and hmacMany on the pool: a call is divided into jobs, at most one for each thread. */
import { isResizable, sizeOf } from '../../base/arguments.js';
import { At, Flag, frame, Route } from '../../base/frame.js';
import { CancelResult, Threads } from '../../base/protocol.js';
import { request, setTarget } from '../../request/request.js';
import { native, servers } from '../../engines/binding.js';
import type { EnginePreference } from '../../engines/engines.js';
import {
  CallbackCompletion,
  Completion,
  PromiseCompletion,
  SignalCompletion,
  type Callback,
} from '../../scheduling/completions.js';
import { canCopy } from '../../scheduling/copies.js';
import { defaultRoute } from '../../scheduling/cost-model.js';
import { deferResult } from '../../scheduling/deferred-results.js';
import { runAsync } from '../../scheduling/run.js';
import { enginesAmong, wipeKey, type Batch, type ManyParser } from './arguments.js';
import { checkMemory, type Messages } from './messages.js';
import {
  secretResultCopy,
  fillBeginning,
  finish,
  setPacked,
  setSized,
  setViews,
} from './request.js';
import { COPIED_MAX, hashHere } from './sync.js';
import type { Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { allocateApart, nextTick, utf8, type Buffer } from '#platform/base/runtime.js';

/** Hashes on the pool. The callback receives what {@link runManySync} returns. */
export function runManyCallback(
  callback: Callback<unknown>,
  { parse }: ManyParser,
  given: ArrayLike<unknown>,
  count: number,
): void {
  const completion = new CallbackCompletion(callback);
  start(parse(given, count), completion, false);
}

/** Hashes on the pool. An abort rejects with the signal's reason unless all jobs are done. */
export function runManyPromise(
  signal: AbortSignal | undefined,
  { parse }: ManyParser,
  given: ArrayLike<unknown>,
  count: number,
  route: Route | undefined,
  preference: EnginePreference | undefined,
): Promise<unknown> {
  return runBatch(() => {
    let batch = parse(given, count, true, preference);
    if (route !== undefined) batch = { ...batch, route };
    if (preference === undefined) return batch;
    return { ...batch, preference: enginesAmong(batch.preference, preference) };
  }, signal);
}

/** Runs the call that `parse` returns, as {@link runManyPromise} does. */
export function runBatch(parse: () => Batch, signal: AbortSignal | undefined): Promise<unknown> {
  const completion = signal === undefined ? new PromiseCompletion() : new ManyPromise();
  try {
    if (signal?.aborted) throw signal.reason;
    const jobs = start(parse(), completion, signal !== undefined);
    if (jobs !== undefined && completion instanceof ManyPromise && !jobs.settled) {
      completion.jobs = jobs;
      completion.attachSignal(signal!);
    }
  } catch (error) {
    completion.reject(error);
  }
  return completion.promise;
}

/** The predicted nanoseconds that are worth a job. */
const JOB_MIN_NS = 100_000;

/** The fixed cost of a message in bytes, roughly its padding. */
const PADDING_BYTES = 64;

/**
 * Hashes by the requested route. Returns undefined if it ran inline; the completion then settles at
 * the end of the event-loop iteration.
 */
function start(batch: Batch, user: Completion, cancellable: boolean): BatchJobs | undefined {
  const route = batch.route ?? defaultRoute();
  const here =
    route === Route.Inline ||
    (route === Route.Auto && batch.target === undefined && !canCopy(sourceSize(batch.messages)));
  if (here) {
    deferResult(user, hashHere(batch));
    return undefined;
  }
  try {
    return send(batch, route, user, cancellable);
  } finally {
    wipeKey(batch); // Native code has copied the key.
  }
}

/** Returns the size of all messages, an estimate for strings. */
function sourceSize({ list, packed }: Messages): number {
  if (list === undefined) return sizeOf(packed);
  let size = 0;
  for (const each of list) size += typeof each === 'string' ? each.length : sizeOf(each);
  return size;
}

/**
 * Divides the work into jobs and submits them. Without a target the messages are copied; with a
 * target they are lent.
 */
function send(batch: Batch, route: Route, user: Completion, cancellable: boolean): BatchJobs {
  const { messages, size, facts } = batch;
  const { count } = messages;
  const result = secretResult(count * size);
  const jobs = new BatchJobs(batch, user, result);
  if (count === 0) {
    nextTick(settleNothing, jobs);
    return jobs;
  }
  const { fill, sizes, total, copied } = own(batch);
  const worthwhile =
    route === Route.Pool
      ? 1
      : route === Route.Split
        ? count
        : Math.floor(native.predict(facts.id, total, count) / JOB_MIN_NS);
  const wanted = Math.max(1, Math.min(native.threads(Threads.Limit), worthwhile, count));
  const share = (total + count * PADDING_BYTES) / wanted;
  for (let index = 1, first = 0, end = 0, weight = 0; index <= wanted; index++, first = end) {
    for (; end < count && (index === wanted || weight < share * index); end++) {
      weight += (sizes === undefined ? messages.size : sizes[end]!) + PADDING_BYTES;
    }
    if (end === first) continue;
    const job = new BatchJob(jobs);
    try {
      fill(first, end);
      fillBeginning(batch);
      setTarget(result, first * size, (end - first) * size);
      if (cancellable) request.flags |= Flag.Cancellable;
      if (copied) request.flags |= Flag.Copied;
      // The route of each job.
      if (route !== Route.Auto) frame[At.Route] = Route.Pool;
      runAsync(job);
    } catch (error) {
      // The submitted jobs must settle before the call does.
      if (!jobs.failToStart(error)) throw error;
      return jobs;
    }
    jobs.add(job);
  }
  return jobs;
}

function settleNothing(jobs: BatchJobs): void {
  jobs.settle();
}

interface Owned {
  /** Fills a request with the messages from `first` up to `end`. */
  readonly fill: (first: number, end: number) => void;
  /** The sizes in bytes, if they differ. */
  readonly sizes: Float64Array | undefined;
  readonly total: number;
  /** True if the messages are copies. */
  readonly copied: boolean;
}

/** Returns memory for this many numbers, which is not cleared. */
function numbers(count: number): Float64Array {
  return new Float64Array(allocateApart(count * Float64Array.BYTES_PER_ELEMENT).buffer, 0, count);
}

/**
 * Returns the messages in memory that does not change until the jobs are done: lent by the caller,
 * or copies.
 */
function own(batch: Batch): Owned {
  const { messages, target } = batch;
  const lent = target !== undefined;
  const { list } = messages;
  if (list === undefined) {
    const packed =
      lent && !isResizable(messages.packed) ? messages.packed : secretResultCopy(messages.packed);
    return {
      fill: (first, end) => setPacked(batch, packed, first, end - first, messages.size),
      sizes: undefined,
      total: sizeOf(packed),
      copied: packed !== messages.packed,
    };
  }
  const sizes = numbers(list.length);
  let total = 0;
  for (let index = 0; index < list.length; index++) {
    const each = list[index]!;
    if (typeof each === 'string') list[index] = utf8(each);
    total += sizes[index] = sizeOf(list[index] as Uint8Array);
    if (sizes[index] === 0) checkMemory(list[index] as Uint8Array, index);
  }
  const views = list as Uint8Array[];
  // Short lent messages are copied too, which is faster than passing each view.
  if (lent && total > list.length * COPIED_MAX) {
    // The memory of a resizable buffer can shrink.
    for (let index = 0; index < views.length; index++)
      if (isResizable(views[index]!)) views[index] = secretResultCopy(views[index]!);
    return {
      fill: (first, end) => setViews(batch, views, first, end - first),
      sizes,
      total,
      copied: false,
    };
  }
  const all = allocateApart(total);
  const offsets = numbers(list.length + 1);
  offsets[0] = 0;
  for (let index = 0, offset = 0; index < views.length; index++) {
    if (sizes[index]! > 0) all.set(views[index]!, offset);
    offset += sizes[index]!;
    offsets[index + 1] = offset;
  }
  const sizeBytes = new Uint8Array(sizes.buffer);
  return {
    fill: (first, end) =>
      setSized(
        batch,
        all,
        offsets[first]!,
        offsets[end]! - offsets[first]!,
        sizeBytes,
        first,
        end - first,
      ),
    sizes,
    total,
    copied: true,
  };
}

/** The jobs of one call. */
class BatchJobs {
  settled = false;
  /** The reason of the abort, if there was one. */
  reason: unknown;
  #jobs: BatchJob[] = [];
  #left = 0;
  #failure: { error: unknown } | undefined;

  constructor(
    readonly batch: Batch,
    readonly user: Completion,
    readonly result: Secret<Buffer>,
  ) {}

  add(job: BatchJob): void {
    this.#jobs.push(job);
    this.#left += 1;
  }

  /**
   * Handles a job that could not be submitted. Returns true if others are in flight; the call
   * settles after them.
   */
  failToStart(error: unknown): boolean {
    this.#failure = { error };
    return this.#left > 0;
  }

  done(error: unknown): void {
    if (error !== undefined) this.#failure ??= { error };
    this.#left -= 1;
    if (this.#left === 0) this.settle();
  }

  /** Cancels the jobs: those that have not started never will, and those that run stop soon. */
  abort(reason: unknown): void {
    this.reason = reason;
    for (const job of this.#jobs) {
      if (job.done || servers[job.slot]!.cancel(job.slot) !== CancelResult.BeforeStart) continue;
      job.done = true;
      this.#failure = { error: reason };
      this.#left -= 1;
    }
    // Running jobs may read lent memory, which is the caller's again once the promise settles.
    if (this.#left === 0 && this.#failure !== undefined) this.settle();
  }

  settle(): void {
    if (this.settled) return;
    this.settled = true;
    let value: unknown;
    let failure = this.#failure;
    if (failure === undefined) {
      try {
        value = finish(this.batch, this.result);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure === undefined) this.user.succeed(value);
    else this.user.fail(failure.error);
  }
}

class BatchJob extends Completion {
  done = false;

  constructor(readonly jobs: BatchJobs) {
    super();
  }

  succeed(): void {
    this.#end(undefined);
  }

  fail(error: unknown): void {
    this.#end(error);
  }

  override cancelled(): void {
    this.#end(this.jobs.reason);
  }

  #end(error: unknown): void {
    if (this.done) return;
    this.done = true;
    this.jobs.done(error);
  }
}

class ManyPromise extends SignalCompletion {
  jobs: BatchJobs | undefined;

  override abort(reason: unknown): void {
    this.jobs!.abort(reason);
  }
}
