/**
 * The workers and the jobs that wait for them. A job that finds no idle worker starts one. A worker
 * has one job at a time, or a few short ones, and ends after a time without jobs. Stopping a job
 * ends its worker. Where workers are unavailable (a page's security policy), jobs run on this
 * thread, one job or slice in each event-loop iteration.
 */
import { Status } from '../base/frame.js';
import { CancelResult } from '../base/protocol.js';
import {
  memoryOf,
  requestInSteps,
  requestOf,
  withoutInputs,
  type Outcome,
  type WorkerResponse,
} from './worker-messages.js';
import { settleCost } from './cost-model.js';
import { oncePerTurn, type Host, type WorkerHandle } from './host.js';
import { refuse, transferableCopy } from './windows.js';
import { runnerFor, statusOf } from './execute.js';
import type { Module } from './module.js';
import { timeLimit, type Work } from './work.js';

/** A job for a worker, with copies of all inputs but lent ones. */
export interface PoolJob {
  work: Work;
  /** True if the source is a copy. */
  owned: boolean;
  /** The source's size at the call. */
  readonly sourceSize: number;
  readonly reportsProgress: boolean;
  readonly measure: boolean;
  /** Predicted nanoseconds. */
  readonly cost: number;
  /** Progress from 0 to 1. */
  fraction: number;
  /**
   * Ends the job. A result from elsewhere is in `target` and `tag`; without them the result is in
   * the work's own memory.
   */
  end(status: Status, target: Uint8Array | undefined, tag: Uint8Array | undefined): void;
}

/** Jobs below this predicted cost go first. */
const SHORT_NS = 5_000_000;
/**
 * A worker has up to this many jobs of at most this predicted cost, so that it does not wait for
 * this thread between them.
 */
const CONCURRENT_MAX = 8;
const CONCURRENT_COST_NS = 1_000_000;
/** A worker ends after this time without jobs. */
const IDLE_MS = 5000;
/**
 * Time for a worker to report that it runs, and then for this thread, which may have been busy, to
 * receive the report.
 */
const READY_TIMEOUT_MS = 10_000;
const READY_GRACE_MS = 250;
/** Added to a job's time limit: a worker may take this long to start on a busy machine. */
const WORKER_START_MS = 2000;
/** Timers of this many milliseconds or more fire at once. */
const TIMER_MAX_MS = 2 ** 31;
/**
 * After this many failed starts in a row no more workers are started; after the first if none ever
 * ran.
 */
const FAILURES_MAX = 3;

class PoolWorker {
  handle: WorkerHandle | undefined;
  /** In the order in which they were sent. */
  readonly jobs: PoolJob[] = [];
  /** True after the worker has reported that it runs. */
  ready = false;
  ended = false;
  /** The names of the modules that it was sent. */
  readonly modules = new Set<string>();
  /**
   * Memory of an earlier source, for a copy of the same size. Cleared when the worker idles out.
   */
  spare: ArrayBuffer | undefined;
  clearTimer: () => void = () => {};

  /** Returns true if the worker may get this job in addition to those it has. */
  accepts(job: PoolJob): boolean {
    const short =
      this.ready &&
      this.jobs.length < CONCURRENT_MAX &&
      [...this.jobs, job].every(({ cost }) => cost <= CONCURRENT_COST_NS);
    return this.jobs.length === 0 || short;
  }
}

/** Returns the compiled modules that a work calls. */
function modulesFor(work: Work): [string, Module][] {
  return runnerFor(work)
    .families(work)
    .flatMap((family): [string, Module][] => {
      const module = family.compile();
      return typeof module === 'function' ? [] : [[family.name, module]];
    });
}

/** A job that runs on this thread. */
interface InlineJob {
  readonly job: PoolJob;
  readonly steps: Generator<undefined, Outcome, undefined>;
}

let shared: WorkerPool | undefined;

/** Returns the pool of this thread, which all engines share. */
export function sharedPool(host: Host): WorkerPool {
  return (shared ??= new WorkerPool(host));
}

class WorkerPool {
  limit: number;
  readonly #host: Host;
  readonly #waiting: PoolJob[] = [];
  readonly #workers: PoolWorker[] = [];
  /** True after any worker has reported that it runs. */
  #everReady = false;
  #failures = 0;
  /** True if workers are unavailable. */
  #unavailable = false;
  /** The functions that stop the time limits of jobs. */
  readonly #clocks = new Map<PoolJob, () => void>();
  /** The job that runs on this thread and needs more turns. */
  #inline: InlineJob | undefined;
  readonly #runInline: () => void;

  constructor(host: Host) {
    this.#host = host;
    this.limit = Math.max(1, host.cores);
    this.#runInline = oncePerTurn(host, () => this.#step());
  }

  /** Returns true if workers are unavailable. */
  get unavailable(): boolean {
    return this.#unavailable;
  }

  get started(): number {
    return this.#workers.length;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** Returns a copy to transfer, in memory that a worker returned if its size matches. */
  copyToSpare(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const worker = this.#workers.find(({ spare }) => spare?.byteLength === bytes.length);
    if (worker === undefined) return transferableCopy(bytes);
    const copy = new Uint8Array(worker.spare!);
    worker.spare = undefined;
    copy.set(bytes);
    return copy;
  }

  /**
   * Copies a lent source, at the time of its processing. Refuses a source that its owner has
   * detached or shrunk.
   */
  #ownSource(job: PoolJob): void {
    if (job.owned) return;
    const { work } = job;
    if (work.source.length !== job.sourceSize) refuse(Status.Argument);
    job.work = { ...work, source: this.copyToSpare(work.source) };
    job.owned = true;
  }

  submit(job: PoolJob): void {
    // Short jobs go before long ones, each in the order of the calls.
    const at = job.cost < SHORT_NS ? this.#waiting.findIndex(({ cost }) => cost >= SHORT_NS) : -1;
    if (at < 0) this.#waiting.push(job);
    else this.#waiting.splice(at, 0, job);
    this.#assign();
  }

  resize(limit: number): void {
    this.limit = limit;
    for (const worker of this.#workers
      .filter(({ jobs }) => jobs.length === 0)
      .slice(0, Math.max(0, this.#workers.length - limit)))
      this.#end(worker);
    this.#assign();
  }

  /**
   * Stops a job that was cancelled or has taken too long. A waiting job never starts; a running one
   * ends its worker.
   */
  stop(job: PoolJob, status = Status.Cancelled): CancelResult {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      job.end(Status.Cancelled, undefined, undefined);
      return CancelResult.BeforeStart;
    }
    if (this.#inline?.job === job) {
      // Its memory is overwritten.
      this.#inline.steps.return(undefined as never);
      this.#inline = undefined;
      job.end(Status.Cancelled, undefined, undefined);
      return CancelResult.Requested;
    }
    const worker = this.#workers.find(({ jobs }) => jobs.includes(job));
    if (worker === undefined) return CancelResult.AfterEnd;
    // Several jobs are short: this one continues, and its result is ignored.
    if (worker.jobs.length === 1) this.#end(worker);
    this.#stopClock(job);
    job.end(status, undefined, undefined);
    this.#assign();
    return CancelResult.Requested;
  }

  #assign(): void {
    while (this.#waiting.length > 0 && !this.#unavailable) {
      const job = this.#waiting[0]!;
      let worker = this.#workers.find(({ jobs }) => jobs.length === 0);
      if (worker === undefined && this.#workers.length < this.limit) worker = this.#start(job);
      worker ??= this.#workers.find((each) => each.accepts(job));
      if (worker === undefined) break;
      this.#waiting.shift();
      this.#send(worker, job);
    }
    if (this.#unavailable && this.#waiting.length > 0) this.#runInline();
  }

  #start(job: PoolJob): PoolWorker | undefined {
    const worker = new PoolWorker();
    const events = {
      message: (message: unknown): void => this.#receive(worker, message as WorkerResponse),
      lost: (memory: boolean): void => this.#lost(worker, memory),
    };
    try {
      // A worker runs compiled modules.
      if (modulesFor(job.work).length > 0) worker.handle = this.#host.startWorker(events);
    } catch {
      worker.handle = undefined;
    }
    if (worker.handle === undefined || worker.ended) {
      this.#recordFailure();
      return undefined;
    }
    worker.clearTimer = this.#host.after(READY_TIMEOUT_MS, () => {
      worker.clearTimer = this.#host.after(READY_GRACE_MS, () => this.#lost(worker, false));
    });
    this.#workers.push(worker);
    return worker;
  }

  #send(worker: PoolWorker, job: PoolJob): void {
    worker.jobs.push(job);
    worker.handle!.hold(true);
    if (!worker.ready) return;
    worker.clearTimer();
    this.#post(worker, job);
  }

  /**
   * Transfers a job to a worker that has reported that it runs: transferred memory is lost with a
   * worker that fails to start.
   */
  #post(worker: PoolWorker, job: PoolJob): void {
    try {
      this.#ownSource(job);
      const modules = modulesFor(job.work).filter(([name]) => !worker.modules.has(name));
      const request = requestOf(job.work, modules, job.reportsProgress, job.measure);
      worker.handle!.post(request, memoryOf(request));
      for (const [name] of modules) worker.modules.add(name);
      job.work = withoutInputs(job.work);
      this.#startClock(job);
    } catch (error) {
      worker.jobs.pop();
      if (worker.jobs.length === 0) worker.handle!.hold(false);
      job.end(statusOf(error), undefined, undefined);
    }
  }

  #receive(worker: PoolWorker, response: WorkerResponse): void {
    if (worker.ended) return;
    switch (response.type) {
      case 'ready':
        worker.ready = this.#everReady = true;
        this.#failures = 0;
        worker.clearTimer();
        // Only the first: a second one waits until the worker runs.
        if (worker.jobs.length > 0) this.#post(worker, worker.jobs[0]!);
        if (worker.jobs.length === 0) this.#idle(worker);
        this.#assign();
        return;
      case 'progress':
        if (worker.jobs.length > 0) worker.jobs[0]!.fraction = response.fraction;
        return;
      case 'cost':
        settleCost(response.operation, response.algorithm, response.cost);
        return;
      case 'end': {
        const job = worker.jobs.shift();
        if (job === undefined) return;
        this.#stopClock(job);
        worker.spare = response.spare ?? worker.spare;
        // Sends the next job first: the worker must not wait for the callbacks of this one.
        const free = worker.jobs.length === 0;
        if (free && this.#workers.length > this.limit) this.#end(worker);
        else if (free && this.#waiting.length === 0) this.#idle(worker);
        this.#assign();
        job.end(response.status, response.target, response.tag);
      }
    }
  }

  /** Limits the time of password hashes from untrusted strings: WebAssembly cannot stop itself. */
  #startClock(job: PoolJob): void {
    const limit = timeLimit(job.work) + WORKER_START_MS;
    if (limit < TIMER_MAX_MS)
      this.#clocks.set(
        job,
        this.#host.after(limit, () => this.stop(job, Status.Work)),
      );
  }

  #stopClock(job: PoolJob): void {
    this.#clocks.get(job)?.();
    this.#clocks.delete(job);
  }

  #idle(worker: PoolWorker): void {
    worker.handle!.hold(false);
    worker.clearTimer();
    worker.clearTimer = this.#host.after(IDLE_MS, () => this.#end(worker));
  }

  #end(worker: PoolWorker): void {
    worker.ended = true;
    worker.spare = undefined;
    worker.clearTimer();
    const at = this.#workers.indexOf(worker);
    if (at >= 0) this.#workers.splice(at, 1);
    worker.handle?.end();
  }

  /** Handles a worker that ended by itself or never started. */
  #lost(worker: PoolWorker, memory: boolean): void {
    if (worker.ended) return;
    const jobs = worker.jobs.splice(0);
    for (const job of jobs) this.#stopClock(job);
    this.#end(worker);
    if (!worker.ready && !memory) this.#recordFailure();
    // Jobs of a worker that never ran can run elsewhere.
    if (!worker.ready && !memory) this.#waiting.unshift(...jobs);
    else
      for (const job of jobs)
        job.end(memory ? Status.Memory : Status.Internal, undefined, undefined);
    this.#assign();
  }

  #recordFailure(): void {
    this.#failures += 1;
    this.#unavailable ||= this.#failures >= (this.#everReady ? FAILURES_MAX : 1);
  }

  /** Runs one job or slice in each iteration, so that other events are handled in between. */
  #step(): void {
    this.#inline ??= this.#beginInline(this.#waiting.shift());
    const inline = this.#inline;
    const step = inline?.steps.next();
    if (step?.done) {
      this.#inline = undefined;
      inline!.job.end(step.value.status, step.value.target, step.value.tag);
    }
    if (this.#inline !== undefined || this.#waiting.length > 0) this.#runInline();
  }

  #beginInline(job: PoolJob | undefined): InlineJob | undefined {
    if (job === undefined) return undefined;
    try {
      this.#ownSource(job);
      const request = requestOf(job.work, [], false, false);
      const pause = (fraction: number): boolean => {
        job.fraction = fraction;
        return false;
      };
      return { job, steps: requestInSteps(request, pause) };
    } catch (error) {
      job.end(statusOf(error), undefined, undefined);
      return undefined;
    }
  }
}
