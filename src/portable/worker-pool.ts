/**
 * The workers, and the jobs that wait for one. A worker is started when a job finds none that is
 * free, has one job at a time (of short ones a few), and is ended when none came for a while. To
 * stop a job is to end its worker. Where there can be no workers (a page's security policy), jobs
 * are done on this thread, one or a slice of one in a turn of the event loop.
 */
import { Status } from '../request/frame.js';
import { CancelResult } from '../request/protocol.js';
import { requestOf, type Outcome, type WorkerResponse } from './worker-messages.js';
import type { Host, WorkerHandle } from './host.js';
import { clockLimit } from './kdf/index.js';
import { inSlices } from './slices.js';
import { copyOf, NOTHING, refuse } from './windows.js';
import { statusOf } from './execute.js';
import type { Work } from './work.js';

/** Work for a worker, with copies of everything but what is lent. */
export interface PoolJob {
  work: Work;
  /** Whether the source is a copy already. */
  owned: boolean;
  /** Its bytes when the call was made. */
  readonly sourceSize: number;
  readonly reportsProgress: boolean;
  readonly measure: boolean;
  /** Predicted nanoseconds. */
  readonly cost: number;
  /** How far it has come, from 0 to 1. */
  fraction: number;
  /**
   * It is over. A result that was made elsewhere is in `target` and `tag`; otherwise it stands
   * where the work says.
   */
  end(status: Status, target: Uint8Array | undefined, tag: Uint8Array | undefined): void;
}

/** Predicted nanoseconds of jobs that go first. */
const SHORT_NS = 5_000_000;
/**
 * So many jobs, each predicted to take no more nanoseconds, are with a worker at once: it shall not
 * wait for this thread after each.
 */
const CONCURRENT_MAX = 8;
const CONCURRENT_COST_NS = 1_000_000;
/** Milliseconds without work after which a worker is ended. */
const IDLE_MS = 5000;
/**
 * Milliseconds for a worker to say that it runs; and then for what it has said to be heard, as this
 * thread may have been busy for as long.
 */
const READY_TIMEOUT_MS = 10_000;
const READY_GRACE_MS = 250;
/** Milliseconds that a worker may take to start, on a busy machine, before a job's clock runs. */
const WORKER_START_MS = 2000;
/** Timers of more milliseconds end at once. */
const TIMER_MAX_MS = 2 ** 31;
/**
 * So many workers in a row that never ran, and no more are tried; the first is enough where none
 * ever ran.
 */
const FAILURES_MAX = 3;

/** A worker. */
class PoolWorker {
  handle: WorkerHandle | undefined;
  /** What it was given, in that order. */
  readonly jobs: PoolJob[] = [];
  /** It has said that it runs. */
  ready = false;
  ended = false;
  /** Memory of a source it had, for the copy of one as long. Goes when it does. */
  spare: ArrayBuffer | undefined;
  clearTimer: () => void = () => {};

  /** Whether it may be given this beside what it has. */
  accepts(job: PoolJob): boolean {
    const short =
      this.ready &&
      this.jobs.length < CONCURRENT_MAX &&
      [...this.jobs, job].every(({ cost }) => cost <= CONCURRENT_COST_NS);
    return this.jobs.length === 0 || short;
  }
}

/** A job that is done on this thread. */
interface InlineJob {
  readonly job: PoolJob;
  readonly steps: Iterator<undefined, Outcome, undefined>;
}

export class WorkerPool {
  limit: number;
  readonly #host: Host;
  readonly #costMeasured: (response: WorkerResponse & { type: 'cost' }) => void;
  readonly #waiting: PoolJob[] = [];
  readonly #workers: PoolWorker[] = [];
  /** One has said that it runs: there can be workers. */
  #everReady = false;
  #failures = 0;
  /** There can be none. */
  #unavailable = false;
  #scheduled = false;
  /** What stops the clocks of jobs that have one. */
  readonly #clocks = new Map<PoolJob, () => void>();
  /** What is done on this thread, if it was not done in one turn. */
  #inline: InlineJob | undefined;

  constructor(host: Host, costMeasured: (response: WorkerResponse & { type: 'cost' }) => void) {
    this.#host = host;
    this.limit = Math.max(1, host.cores);
    this.#costMeasured = costMeasured;
  }

  /** Whether there can be no workers. */
  get unavailable(): boolean {
    return this.#unavailable;
  }

  get started(): number {
    return this.#workers.length;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** A copy, in memory that a worker has given back where there is some of that size. */
  copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const worker = this.#workers.find(({ spare }) => spare?.byteLength === bytes.length);
    if (worker === undefined) return copyOf(bytes);
    const copy = new Uint8Array(worker.spare!);
    worker.spare = undefined;
    copy.set(bytes);
    return copy;
  }

  /**
   * Copies lent memory, which is done only when it can be worked on at once. Refuses what its owner
   * has taken away against his promise.
   */
  #ownSource(job: PoolJob): void {
    if (job.owned) return;
    const { work } = job;
    if (work.source.length !== job.sourceSize) refuse(Status.Argument);
    job.work = { ...work, source: this.copyOf(work.source) };
    job.owned = true;
  }

  submit(job: PoolJob): void {
    // Short jobs go before long ones, each among their like in the order of the calls.
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
   * Nobody wants this job any more, or it has taken too long. What has not started never will; a
   * worker is ended.
   */
  stop(job: PoolJob, status = Status.Cancelled): CancelResult {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      job.end(Status.Cancelled, undefined, undefined);
      return CancelResult.BeforeStart;
    }
    if (this.#inline?.job === job) {
      this.#inline = undefined;
      job.end(Status.Cancelled, undefined, undefined);
      return CancelResult.Requested;
    }
    const worker = this.#workers.find(({ jobs }) => jobs.includes(job));
    if (worker === undefined) return CancelResult.AfterEnd;
    // One of several is short: it may run, and nobody hears what comes of it.
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
      if (worker === undefined && this.#workers.length < this.limit) worker = this.#start();
      worker ??= this.#workers.find((each) => each.accepts(job));
      if (worker === undefined) break;
      this.#waiting.shift();
      this.#send(worker, job);
    }
    if (this.#unavailable && this.#waiting.length > 0) this.#runInline();
  }

  #start(): PoolWorker | undefined {
    const worker = new PoolWorker();
    const events = {
      message: (message: unknown): void => this.#receive(worker, message as WorkerResponse),
      lost: (memory: boolean): void => this.#lost(worker, memory),
    };
    try {
      worker.handle = this.#host.startWorker(events);
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
    if (worker.ready) worker.clearTimer();
    worker.jobs.push(job);
    try {
      this.#ownSource(job);
      const request = requestOf(job.work, job.reportsProgress, job.measure);
      // What is given away is gone; as long as nobody knows whether workers can be, it is cloned.
      const { buffer, length } = request.source;
      worker.handle!.hold(true);
      worker.handle!.post(request, worker.ready && length > 0 ? [buffer as ArrayBuffer] : []);
      if (worker.ready) job.work = { ...job.work, source: NOTHING };
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
        if (worker.jobs.length === 0) this.#idle(worker);
        this.#assign();
        return;
      case 'progress':
        if (worker.jobs[0] !== undefined) worker.jobs[0].fraction = response.fraction;
        return;
      case 'cost':
        this.#costMeasured(response);
        return;
      case 'end': {
        const job = worker.jobs.shift();
        if (job === undefined) return;
        this.#stopClock(job);
        worker.spare = response.spare ?? worker.spare;
        // The next one first: its worker shall not wait for those who are told.
        const free = worker.jobs.length === 0;
        if (free && this.#workers.length > this.limit) this.#end(worker);
        else if (free && this.#waiting.length === 0) this.#idle(worker);
        this.#assign();
        job.end(response.status, response.target, response.tag);
      }
    }
  }

  /**
   * Password hashes from anywhere are stopped by the clock: WebAssembly that computes one cannot be
   * asked to end itself.
   */
  #startClock(job: PoolJob): void {
    const { derivation } = job.work;
    if (derivation?.what !== 'verify') return;
    const limit = clockLimit(derivation.allowed) + WORKER_START_MS;
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

  /** A worker has ended by itself, or never begun. */
  #lost(worker: PoolWorker, memory: boolean): void {
    if (worker.ended) return;
    const jobs = worker.jobs.splice(0);
    for (const job of jobs) this.#stopClock(job);
    this.#end(worker);
    if (!worker.ready && !memory) this.#recordFailure();
    // What has not reached a worker that ran can still be done.
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

  /** One job a turn, or a slice of it, so that other events get theirs. */
  #runInline(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#host.nextTurn(() => {
      this.#scheduled = false;
      this.#inline ??= this.#beginInline(this.#waiting.shift());
      const inline = this.#inline;
      if (inline !== undefined) {
        const step = inline.steps.next();
        if (step.done) {
          this.#inline = undefined;
          const { status, target, tag } = step.value;
          inline.job.end(status, target, tag);
        }
      }
      if (this.#inline !== undefined || this.#waiting.length > 0) this.#runInline();
    });
  }

  #beginInline(job: PoolJob | undefined): InlineJob | undefined {
    if (job === undefined) return undefined;
    try {
      this.#ownSource(job);
      return { job, steps: inSlices(requestOf(job.work, false, false)) };
    } catch (error) {
      job.end(statusOf(error), undefined, undefined);
      return undefined;
    }
  }
}
