/** hashMany and hmacMany on the pool: a call is divided into jobs, at most one for each thread. */
import { isResizable, sizeOf } from '../../base/arguments.js';
import { At, Flag, frame, Route } from '../../base/frame.js';
import { CancelResult, Threads } from '../../base/protocol.js';
import { wipeCopy } from '../../base/secret-copy.js';
import { secretResult } from '../../base/secret-results.js';
import { native, servers } from '../../engines/binding.js';
import { request, setTarget } from '../../request/request.js';
import { Completion, PromiseCompletion, SignalCompletion } from '../../scheduling/completions.js';
import { canCopy } from '../../scheduling/copies.js';
import { defaultRoute } from '../../scheduling/cost-model.js';
import { deferResult } from '../../scheduling/deferred-results.js';
import { runAsync } from '../../scheduling/run.js';
import type { Batch } from './arguments.js';
import { consecutive, measure, type Messages } from './messages.js';
import { fillRequest, finish, secretResultCopy, type Span } from './request.js';
import { COPIED_MAX, hashHere } from './sync.js';

/** Runs the jobs of `start`. An abort rejects with the signal's reason unless all are done. */
export function runBatch(
  start: (user: Completion) => BatchJobs | undefined,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const completion = signal === undefined ? new PromiseCompletion() : new SignalCompletion();
  try {
    if (signal?.aborted) throw signal.reason;
    const jobs = start(completion);
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
  const result = secretResult(count * size);
  const messages = own(batch);
  const total = sizeOfAll(messages);
  const cost = route === Route.Auto ? native.predict(batch.facts.id, total, count) : 0;
  return submitJobs(
    user,
    spansOf(messages, total, PADDING_BYTES, jobCount(route, count, cost, 1)),
    route,
    (span) => {
      fillRequest(batch, messages, span);
      setTarget(result, span.first * size, span.count * size);
      if (messages.packed !== batch.messages.packed) request.flags |= Flag.Copied;
    },
    () => finish(batch, result),
  );
}

/**
 * Returns the number of jobs for messages of a predicted cost in nanoseconds: at most `each` for
 * a thread.
 */
export function jobCount(route: Route, count: number, cost: number, each: number): number {
  const worthwhile =
    route === Route.Pool ? 1 : route === Route.Split ? count : Math.floor(cost / JOB_MIN_NS);
  return Math.max(1, Math.min(each * native.threads(Threads.Limit), worthwhile, count));
}

/**
 * Divides messages of `total` bytes into at most `wanted` spans of about equal work, to which each
 * message adds `fixed` bytes.
 */
export function spansOf(
  { count, size, sizes }: Messages,
  total: number,
  fixed: number,
  wanted: number,
): Span[] {
  const spans: Span[] = [];
  const share = (total + count * fixed) / wanted;
  for (let index = 1, first = 0, end = 0, offset = 0, place = 0; index <= wanted; index++) {
    for (; end < count && (index === wanted || place + end * fixed < share * index); end++)
      place += sizes === undefined ? size : sizes.numbers[end]!;
    if (end === first) continue;
    spans.push({ first, count: end - first, offset, size: place - offset });
    [first, offset] = [end, place];
  }
  return spans;
}

/** Submits a job for each span, whose request `fill` fills; `made` returns the result of all. */
export function submitJobs(
  user: Completion,
  spans: readonly Span[],
  route: Route,
  fill: (span: Span) => void,
  made: () => unknown,
): BatchJobs {
  const jobs = new BatchJobs(user, made);
  for (const span of spans) {
    const job = new BatchJob(jobs);
    try {
      fill(span);
      if (user instanceof SignalCompletion) request.flags |= Flag.Cancellable;
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
  const measured = measure(list);
  const views = list as Uint8Array[];
  // Short lent messages are copied too, which is faster than passing each view.
  if (lent && measured.total > count * COPIED_MAX) {
    // The memory of a resizable buffer can shrink.
    for (let index = 0; index < count; index++)
      if (isResizable(views[index]!)) views[index] = secretResultCopy(views[index]!);
    return { ...messages, sizes: measured.sizes };
  }
  return consecutive(views, measured);
}

/** The jobs of one call. */
export class BatchJobs {
  /** The submitted jobs that have not ended. */
  readonly flying = new Set<BatchJob>();
  failure: { readonly error: unknown } | undefined;
  /** The reason of the abort, if there was one. */
  reason: unknown;

  constructor(
    readonly user: Completion,
    readonly made: () => unknown,
  ) {}

  /** Handles the end of a job, unless an abort has ended it; the last one settles the call. */
  end(job: BatchJob, failure?: { readonly error: unknown }): void {
    if (!this.flying.delete(job)) return;
    this.failure ??= failure;
    if (this.flying.size > 0) return;
    let value: unknown;
    try {
      if (this.failure !== undefined) throw this.failure.error;
      value = this.made();
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
