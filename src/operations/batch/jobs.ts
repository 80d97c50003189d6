/** hashMany and hmacMany on the pool: a call is divided into jobs, at most one for each thread. */
import { isResizable, sizeOf } from '../../base/arguments.js';
import { At, Flag, frame, Route } from '../../base/frame.js';
import { CancelResult, Threads } from '../../base/protocol.js';
import { wipeCopy } from '../../base/secret-copy.js';
import type { Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { native, servers } from '../../engines/binding.js';
import { request, setTarget } from '../../request/request.js';
import { Completion, PromiseCompletion, SignalCompletion } from '../../scheduling/completions.js';
import { canCopy } from '../../scheduling/copies.js';
import { defaultRoute } from '../../scheduling/cost-model.js';
import { deferResult } from '../../scheduling/deferred-results.js';
import { runAsync } from '../../scheduling/run.js';
import type { Batch } from './arguments.js';
import { checkMemory, sizesFor, type Messages } from './messages.js';
import { fillRequest, finish, secretResultCopy } from './request.js';
import { COPIED_MAX, hashHere } from './sync.js';
import { allocateApart, utf8, type Buffer } from '#platform/base/runtime.js';

/**
 * Runs the call that `parse` returns. An abort rejects with the signal's reason unless all jobs are
 * done.
 */
export function runBatch(parse: () => Batch, signal: AbortSignal | undefined): Promise<unknown> {
  const completion = signal === undefined ? new PromiseCompletion() : new SignalCompletion();
  try {
    if (signal?.aborted) throw signal.reason;
    const jobs = startBatch(parse(), completion);
    if (jobs !== undefined && completion instanceof SignalCompletion) {
      completion.abort = (reason) => jobs.abort(reason);
      completion.attachSignal(signal!);
    }
  } catch (error) {
    completion.reject(error);
  }
  return completion.promise;
}

/**
 * Runs a parsed call by the requested route, and wipes its key. Returns undefined if it ran inline;
 * the completion then settles at the end of the event-loop iteration.
 */
export function startBatch(batch: Batch, user: Completion): BatchJobs | undefined {
  const { messages, options } = batch;
  const route = batch.route ?? defaultRoute();
  try {
    if (
      messages.count > 0 &&
      route !== Route.Inline &&
      (route !== Route.Auto || options.target !== undefined || canCopy(sizeOfAll(messages)))
    )
      return send(batch, route, user);
    deferResult(user, hashHere(batch));
    return undefined;
  } finally {
    wipeCopy(batch.key); // Native code has used or copied the key.
  }
}

/** Returns the size of all messages, an estimate for strings. */
function sizeOfAll({ list, packed }: Messages): number {
  if (list === undefined) return sizeOf(packed);
  let size = 0;
  for (const each of list) size += typeof each === 'string' ? each.length : sizeOf(each);
  return size;
}

/** The predicted nanoseconds that are worth a job. */
const JOB_MIN_NS = 100_000;

/** The fixed cost of a message in bytes, roughly its padding. */
const PADDING_BYTES = 64;

/**
 * Divides the work into jobs and submits them. Without a target the messages are copied; with a
 * target they are lent.
 */
function send(batch: Batch, route: Route, user: Completion): BatchJobs {
  const { size } = batch.options;
  const { count } = batch.messages;
  const jobs = new BatchJobs(batch, user, secretResult(count * size));
  const messages = own(batch);
  const total = sizeOfAll(messages);
  const worthwhile =
    route === Route.Pool
      ? 1
      : route === Route.Split
        ? count
        : Math.floor(native.predict(batch.facts.id, total, count) / JOB_MIN_NS);
  const wanted = Math.max(1, Math.min(native.threads(Threads.Limit), worthwhile, count));
  const share = (total + count * PADDING_BYTES) / wanted;
  for (let index = 1, first = 0, end = 0, offset = 0, place = 0; index <= wanted; index++) {
    for (; end < count && (index === wanted || place + end * PADDING_BYTES < share * index); end++)
      place += messages.sizes === undefined ? messages.size : messages.sizes.numbers[end]!;
    if (end === first) continue;
    const job = new BatchJob(jobs);
    try {
      fillRequest(batch, messages, { first, count: end - first, offset, size: place - offset });
      setTarget(jobs.result, first * size, (end - first) * size);
      if (user instanceof SignalCompletion) request.flags |= Flag.Cancellable;
      if (messages.packed !== batch.messages.packed) request.flags |= Flag.Copied;
      // The route of each job.
      if (route !== Route.Auto) frame[At.Route] = Route.Pool;
      runAsync(job);
    } catch (error) {
      if (jobs.flying.size === 0) throw error;
      // The submitted jobs must settle before the call does.
      jobs.failure = { error };
      break;
    }
    jobs.flying.add(job);
    [first, offset] = [end, place];
  }
  return jobs;
}

/**
 * Returns the messages in memory that does not change until the jobs are done: lent by the caller,
 * or copies, which are consecutive.
 */
function own({ messages, options }: Batch): Messages {
  const lent = options.target !== undefined;
  const { list, count } = messages;
  if (list === undefined) {
    if (lent && !isResizable(messages.packed)) return messages;
    return { ...messages, packed: secretResultCopy(messages.packed) };
  }
  const sizes = sizesFor(count);
  const { numbers } = sizes;
  let total = 0;
  for (let index = 0; index < count; index++) {
    const each = list[index]!;
    const view = typeof each === 'string' ? (list[index] = utf8(each)) : each;
    total += numbers[index] = sizeOf(view);
    if (numbers[index] === 0) checkMemory(view, index);
  }
  const views = list as Uint8Array[];
  // Short lent messages are copied too, which is faster than passing each view.
  if (lent && total > count * COPIED_MAX) {
    // The memory of a resizable buffer can shrink.
    for (let index = 0; index < count; index++)
      if (isResizable(views[index]!)) views[index] = secretResultCopy(views[index]!);
    return { ...messages, sizes };
  }
  const packed = allocateApart(total);
  for (let index = 0, offset = 0; index < count; index++) {
    if (numbers[index]! > 0) packed.set(views[index]!, offset);
    offset += numbers[index]!;
  }
  return { count, list: undefined, packed, size: 0, sizes };
}

/** The jobs of one call. */
class BatchJobs {
  /** The submitted jobs that have not ended. */
  readonly flying = new Set<BatchJob>();
  failure: { readonly error: unknown } | undefined;
  /** The reason of the abort, if there was one. */
  reason: unknown;

  constructor(
    readonly batch: Batch,
    readonly user: Completion,
    readonly result: Secret<Buffer>,
  ) {}

  /** Handles the end of a job, unless an abort has ended it; the last one settles the call. */
  end(job: BatchJob, failure?: { readonly error: unknown }): void {
    if (!this.flying.delete(job)) return;
    this.failure ??= failure;
    if (this.flying.size > 0) return;
    let value: unknown;
    try {
      if (this.failure !== undefined) throw this.failure.error;
      value = finish(this.batch, this.result);
    } catch (error) {
      this.user.fail(error);
      return;
    }
    this.user.succeed(value);
  }

  /**
   * Cancels the jobs: those that have not started never will, and those that run stop soon. They
   * may read lent memory, which is the caller's again once the promise settles.
   */
  abort(reason: unknown): void {
    this.reason = reason;
    for (const job of this.flying) {
      if (servers[job.slot]!.cancel(job.slot) !== CancelResult.BeforeStart) continue;
      this.failure = { error: reason };
      this.end(job);
    }
  }
}

class BatchJob extends Completion {
  constructor(readonly jobs: BatchJobs) {
    super();
  }

  succeed(): void {
    this.jobs.end(this);
  }

  fail(error: unknown): void {
    this.jobs.end(this, { error });
  }

  override cancelled(): void {
    this.fail(this.jobs.reason);
  }
}
