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
  readonly watched: boolean;
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
const SHORT = 5_000_000;
/**
 * So many jobs, each predicted to take no more nanoseconds, are with a worker at once: it shall not
 * wait for this thread after each.
 */
const AT_ONCE = 8;
const AT_ONCE_COST = 1_000_000;
/** Milliseconds without work after which a worker is ended. */
const IDLE = 5000;
/**
 * Milliseconds for a worker to say that it runs; and then for what it has said to be heard, as this
 * thread may have been busy for as long.
 */
const START = 10_000;
const HEAR = 250;
/** Milliseconds that a worker may take to start, on a busy machine, before a job's clock runs. */
const WORKER_START = 2000;
/** Timers of more milliseconds end at once. */
const TIMER_MAX = 2 ** 31;
/**
 * So many workers in a row that never ran, and no more are tried; the first is enough where none
 * ever ran.
 */
const FAILURES = 3;

/** A worker. */
class Hand {
  handle: WorkerHandle | undefined;
  /** What it was given, in that order. */
  readonly jobs: PoolJob[] = [];
  /** It has said that it runs. */
  ready = false;
  gone = false;
  /** Memory of a source it had, for the copy of one as long. Goes when it does. */
  spare: ArrayBuffer | undefined;
  forget: () => void = () => {};

  /** Whether it may be given this beside what it has. */
  takes(job: PoolJob): boolean {
    const short =
      this.ready &&
      this.jobs.length < AT_ONCE &&
      [...this.jobs, job].every(({ cost }) => cost <= AT_ONCE_COST);
    return this.jobs.length === 0 || short;
  }
}

/** A job that is done on this thread. */
interface Here {
  readonly job: PoolJob;
  readonly steps: Iterator<undefined, Outcome, undefined>;
}

export class WorkerPool {
  limit: number;
  readonly #host: Host;
  readonly #priced: (tiding: WorkerResponse & { tells: 'price' }) => void;
  readonly #waiting: PoolJob[] = [];
  readonly #hands: Hand[] = [];
  /** One has said that it runs: there can be workers. */
  #proven = false;
  #failures = 0;
  /** There can be none. */
  #alone = false;
  #turning = false;
  /** What stops the clocks of jobs that have one. */
  readonly #clocks = new Map<PoolJob, () => void>();
  /** What is done on this thread, if it was not done in one turn. */
  #here: Here | undefined;

  constructor(host: Host, priced: (tiding: WorkerResponse & { tells: 'price' }) => void) {
    this.#host = host;
    this.limit = Math.max(1, host.cores);
    this.#priced = priced;
  }

  /** Whether there can be no workers. */
  get alone(): boolean {
    return this.#alone;
  }

  get started(): number {
    return this.#hands.length;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** A copy, in memory that a worker has given back where there is some of that size. */
  copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const hand = this.#hands.find(({ spare }) => spare?.byteLength === bytes.length);
    if (hand === undefined) return copyOf(bytes);
    const copy = new Uint8Array(hand.spare!);
    hand.spare = undefined;
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
    const at = job.cost < SHORT ? this.#waiting.findIndex(({ cost }) => cost >= SHORT) : -1;
    if (at < 0) this.#waiting.push(job);
    else this.#waiting.splice(at, 0, job);
    this.#assign();
  }

  resize(limit: number): void {
    this.limit = limit;
    for (const hand of this.#hands
      .filter(({ jobs }) => jobs.length === 0)
      .slice(0, Math.max(0, this.#hands.length - limit)))
      this.#dismiss(hand);
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
    if (this.#here?.job === job) {
      this.#here = undefined;
      job.end(Status.Cancelled, undefined, undefined);
      return CancelResult.Requested;
    }
    const hand = this.#hands.find(({ jobs }) => jobs.includes(job));
    if (hand === undefined) return CancelResult.AfterEnd;
    // One of several is short: it may run, and nobody hears what comes of it.
    if (hand.jobs.length === 1) this.#dismiss(hand);
    this.#unwatch(job);
    job.end(status, undefined, undefined);
    this.#assign();
    return CancelResult.Requested;
  }

  #assign(): void {
    while (this.#waiting.length > 0 && !this.#alone) {
      const job = this.#waiting[0]!;
      let hand = this.#hands.find(({ jobs }) => jobs.length === 0);
      if (hand === undefined && this.#hands.length < this.limit) hand = this.#start();
      hand ??= this.#hands.find((each) => each.takes(job));
      if (hand === undefined) break;
      this.#waiting.shift();
      this.#give(hand, job);
    }
    if (this.#alone && this.#waiting.length > 0) this.#workHere();
  }

  #start(): Hand | undefined {
    const hand = new Hand();
    const events = {
      message: (message: unknown): void => this.#hear(hand, message as WorkerResponse),
      lost: (memory: boolean): void => this.#lose(hand, memory),
    };
    try {
      hand.handle = this.#host.startWorker(events);
    } catch {
      hand.handle = undefined;
    }
    if (hand.handle === undefined || hand.gone) {
      this.#fail();
      return undefined;
    }
    hand.forget = this.#host.after(START, () => {
      hand.forget = this.#host.after(HEAR, () => this.#lose(hand, false));
    });
    this.#hands.push(hand);
    return hand;
  }

  #give(hand: Hand, job: PoolJob): void {
    if (hand.ready) hand.forget();
    hand.jobs.push(job);
    try {
      this.#ownSource(job);
      const request = requestOf(job.work, job.watched, job.measure);
      // What is given away is gone; as long as nobody knows whether workers can be, it is cloned.
      const { buffer, length } = request.source;
      hand.handle!.hold(true);
      hand.handle!.post(request, hand.ready && length > 0 ? [buffer as ArrayBuffer] : []);
      if (hand.ready) job.work = { ...job.work, source: NOTHING };
      this.#watch(job);
    } catch (error) {
      hand.jobs.pop();
      if (hand.jobs.length === 0) hand.handle!.hold(false);
      job.end(statusOf(error), undefined, undefined);
    }
  }

  #hear(hand: Hand, tiding: WorkerResponse): void {
    if (hand.gone) return;
    switch (tiding.tells) {
      case 'ready':
        hand.ready = this.#proven = true;
        this.#failures = 0;
        hand.forget();
        if (hand.jobs.length === 0) this.#rest(hand);
        this.#assign();
        return;
      case 'progress':
        if (hand.jobs[0] !== undefined) hand.jobs[0].fraction = tiding.fraction;
        return;
      case 'price':
        this.#priced(tiding);
        return;
      case 'end': {
        const job = hand.jobs.shift();
        if (job === undefined) return;
        this.#unwatch(job);
        hand.spare = tiding.spare ?? hand.spare;
        // The next one first: its worker shall not wait for those who are told.
        const free = hand.jobs.length === 0;
        if (free && this.#hands.length > this.limit) this.#dismiss(hand);
        else if (free && this.#waiting.length === 0) this.#rest(hand);
        this.#assign();
        job.end(tiding.status, tiding.target, tiding.tag);
      }
    }
  }

  /**
   * Password hashes from anywhere are stopped by the clock: WebAssembly that computes one cannot be
   * asked to end itself.
   */
  #watch(job: PoolJob): void {
    const { derivation } = job.work;
    if (derivation?.what !== 'verify') return;
    const limit = clockLimit(derivation.allowed) + WORKER_START;
    if (limit < TIMER_MAX)
      this.#clocks.set(
        job,
        this.#host.after(limit, () => this.stop(job, Status.Work)),
      );
  }

  #unwatch(job: PoolJob): void {
    this.#clocks.get(job)?.();
    this.#clocks.delete(job);
  }

  #rest(hand: Hand): void {
    hand.handle!.hold(false);
    hand.forget();
    hand.forget = this.#host.after(IDLE, () => this.#dismiss(hand));
  }

  #dismiss(hand: Hand): void {
    hand.gone = true;
    hand.spare = undefined;
    hand.forget();
    const at = this.#hands.indexOf(hand);
    if (at >= 0) this.#hands.splice(at, 1);
    hand.handle?.end();
  }

  /** A worker has ended by itself, or never begun. */
  #lose(hand: Hand, memory: boolean): void {
    if (hand.gone) return;
    const jobs = hand.jobs.splice(0);
    for (const job of jobs) this.#unwatch(job);
    this.#dismiss(hand);
    if (!hand.ready && !memory) this.#fail();
    // What has not reached a worker that ran can still be done.
    if (!hand.ready && !memory) this.#waiting.unshift(...jobs);
    else
      for (const job of jobs)
        job.end(memory ? Status.Memory : Status.Internal, undefined, undefined);
    this.#assign();
  }

  #fail(): void {
    this.#failures += 1;
    this.#alone ||= this.#failures >= (this.#proven ? FAILURES : 1);
  }

  /** One job a turn, or a slice of it, so that other events get theirs. */
  #workHere(): void {
    if (this.#turning) return;
    this.#turning = true;
    this.#host.nextTurn(() => {
      this.#turning = false;
      this.#here ??= this.#begin(this.#waiting.shift());
      const here = this.#here;
      if (here !== undefined) {
        const step = here.steps.next();
        if (step.done) {
          this.#here = undefined;
          const { status, target, tag } = step.value;
          here.job.end(status, target, tag);
        }
      }
      if (this.#here !== undefined || this.#waiting.length > 0) this.#workHere();
    });
  }

  #begin(job: PoolJob | undefined): Here | undefined {
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
