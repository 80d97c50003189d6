/**
 * Asynchronous operations: chooses where each runs and returns its result through the completion
 * buffer, as completion.rs and environment.rs in crates/node do, but one at a time. No result is
 * delivered before the event-loop iteration of its call has ended.
 */
import { At, Flag, Operation, Route, Status, type Settle } from '../base/frame.js';
import {
  derivesSecret,
  isChunks,
  isCipher,
  isDerivation,
  isOneMessage,
  makesTag,
  isPublicKey,
} from '../base/operations.js';
import { CancelResult, RECORD_NUMBERS } from '../base/protocol.js';
import { sharedPool, type PoolJob } from './worker-pool.js';
import { tryWebCryptoChunks } from './webcrypto-chunks.js';
import { tryWebCrypto, type Ended } from './webcrypto-backend.js';
import { joinMessages, ownSecrets, wipeSecrets } from './worker-messages.js';
import { perform, runnerFor, statusOf, type Needs } from './execute.js';
import { oncePerTurn, type Host } from './host.js';
import { INLINE_NS, isMeasured, predict, defaultRoute } from './cost-model.js';
import { MemoryBudget, type MemoryPermit } from './memory-budget.js';
import { NOTHING, Refusal, refuse, transferableCopy } from './windows.js';
import type { Work } from './work.js';

/** The least reported cost: the caller polls for shorter jobs, which these do not need. */
const MIN_COST_NS = 5_000;

/** Bytes that may be copied before a limit must be set. */
const UNLIMITED_COPIES_BYTES = 64 * 2 ** 20;

/** The most rounds in one iteration of results and of the jobs that their callbacks start. */
const SETTLE_ROUNDS = 4;

/** The stage of a job. */
const enum Stage {
  /** Waits for a worker or for memory. */
  Queued,
  /** In the worker pool. */
  Pool,
  /** In WebCrypto, which cannot be stopped. */
  Platform,
  Ended,
}

/** A job in flight. */
class Job implements PoolJob, MemoryPermit {
  stage = Stage.Queued;
  fraction = 0;
  status = Status.Internal;
  /** Why the platform is not available to it. */
  reason = '';
  /** The memory that the result belongs in: the caller's or the engine's. */
  readonly place: Uint8Array;
  readonly tagPlace: Uint8Array;
  /** The result, if it is elsewhere. */
  target: Uint8Array | undefined;
  tag: Uint8Array | undefined;
  owned = false;
  /**
   * The target was allocated for this result and is not visible yet: other memory may replace it.
   */
  fresh = false;
  readonly sourceSize: number;
  /** True if the result is secret; a worker has the inputs that tell. */
  readonly secret: boolean;
  admitted = false;

  constructor(
    readonly jobs: Jobs,
    readonly slot: number,
    public work: Work,
    /** True if the result travels through the completion buffer. */
    readonly reply: boolean,
    readonly reportsProgress: boolean,
    readonly measure: boolean,
    readonly cost: number,
    readonly copied: number,
    readonly needs: number,
    /** True if all inputs but the source are copies. */
    readonly own: boolean,
  ) {
    this.place = work.target;
    this.tagPlace = work.tag;
    this.sourceSize = work.source.length;
    this.secret = givesSecret(work);
  }

  admit(): void {
    this.admitted = true;
    this.stage = Stage.Pool;
    this.jobs.pool.submit(this);
  }

  end(status: Status, target: Uint8Array | undefined, tag: Uint8Array | undefined): void {
    if (this.stage === Stage.Ended) return;
    this.stage = Stage.Ended;
    this.status = status;
    this.target = target;
    this.tag = tag;
    this.jobs.ended(this);
  }

  /** Returns a result that can replace the target: it fills memory that nothing else refers to. */
  transferable(): Uint8Array | undefined {
    const { work, place, tagPlace, target, tag } = this;
    const { operation } = work;
    // Runs of chunks, many messages and states are read from the target itself.
    if (
      this.status !== Status.Done ||
      !this.fresh ||
      target === undefined ||
      !isOneMessage(operation) ||
      target.length !== place.length
    )
      return undefined;
    if (operation === Operation.Encrypt && tagPlace.length > 0) return undefined;
    // A tag that follows the text in the target must follow it here.
    const appended = operation === Operation.Seal ? tagPlace.length : 0;
    if (
      appended > 0 &&
      (tag?.length !== appended ||
        tag.buffer !== target.buffer ||
        tag.byteOffset !== target.byteOffset + target.length)
    )
      return undefined;
    const size = target.length + appended;
    // The target must fill its memory: a nonce may precede a result.
    if (place.byteOffset !== 0 || place.buffer.byteLength !== size) return undefined;
    return target.byteOffset === 0 && target.buffer.byteLength === size
      ? new Uint8Array(target.buffer)
      : undefined;
  }

  /** Copies a result from elsewhere to the target. A refused result leaves no partial output. */
  put(): void {
    const { work, place, tagPlace, target, tag, status } = this;
    if (
      status === Status.Authentication ||
      (isChunks(work.operation) && status === Status.Cancelled)
    ) {
      place.fill(0);
      return;
    }
    if (status !== Status.Done) return;
    if (
      (target !== undefined && target.length !== place.length) ||
      (tag !== undefined && tag.length > tagPlace.length)
    ) {
      // The owner has detached or shrunk the target despite its promise.
      this.status = Status.Argument;
      return;
    }
    if (target !== undefined) place.set(target);
    if (tag !== undefined && tag.length > 0) tagPlace.set(tag);
    if (this.secret) target?.fill(0);
  }
}

/** Returns true if the result is secret: made with a key and not a ciphertext. */
function givesSecret({ operation, secret }: Work): boolean {
  if (derivesSecret(operation)) return true;
  return secret.length > 0 && !makesTag(operation) && operation !== Operation.SealChunks;
}

export class Jobs {
  readonly pool: ReturnType<typeof sharedPool>;
  readonly budget = new MemoryBudget();
  /** Bytes copied for jobs that have not settled, and their limit; 0 while none is set. */
  copied = 0;
  copiesLimit = 0;
  readonly #host: Host;
  readonly #frame: Float64Array;
  readonly #completionBuffer: Uint8Array;
  readonly #settle: Settle;
  /** By slot. */
  readonly #inFlight = new Map<number, Job>();
  #finished: Job[] = [];
  #queuedDerivations: Job[] = [];
  readonly #scheduleFlush: () => void;
  readonly #scheduleSettle: () => void;
  #settling = false;

  constructor(host: Host, frame: Float64Array, completionBuffer: Uint8Array, settle: Settle) {
    this.#host = host;
    this.#frame = frame;
    this.#completionBuffer = completionBuffer;
    this.#settle = settle;
    this.pool = sharedPool(host);
    this.#scheduleFlush = oncePerTurn(host, () => this.flush());
    this.#scheduleSettle = oncePerTurn(host, () => this.settle());
  }

  /** Accepts a work; of a derivation with what it needs. */
  submit(described: Work, derivation: Needs | undefined): void {
    const frame = this.#frame;
    const { operation } = described;
    if (operation === Operation.Squeeze || operation === Operation.MacBegin)
      refuse(Status.NotSupported);
    const flags = frame[At.Flags]!;
    const snapshot = (flags & Flag.Snapshot) !== 0;
    const isKeys = isPublicKey(operation);
    const cost = derivation?.cost ?? (isKeys ? 0 : predict(described));
    const copied = (flags & (Flag.Snapshot | Flag.Copied)) !== 0 ? described.source.length : 0;
    if (runnerFor(described).computesLater?.(described)) return this.#later(described, copied);
    // Asymmetric keys are of this thread: the source of workers, which all bundles have, lacks them.
    const route = isKeys ? Route.Inline : this.#route(cost, flags, snapshot, copied);
    const slot = frame[At.Slot]!;
    const reply = (flags & Flag.HasTarget) === 0;
    const reportsProgress = (flags & Flag.Progress) !== 0;
    frame[At.Cost] = Math.max(cost, MIN_COST_NS);
    if (route === Route.Inline) {
      const job = new Job(this, slot, described, reply, reportsProgress, false, cost, 0, 0, false);
      this.#inFlight.set(slot, job);
      job.end(perform(described), undefined, undefined);
      return;
    }
    const cipher = isCipher(operation);
    const measure = !isDerivation(operation) && !isMeasured(cipher, described.algorithm);
    const work = joinMessages(ownSecrets(described));
    const job = new Job(
      this,
      slot,
      work,
      reply,
      reportsProgress,
      measure,
      cost,
      copied,
      derivation?.memory ?? 0,
      true,
    );
    job.owned = work.source !== described.source;
    job.fresh = (flags & Flag.Fresh) !== 0 && !reply;
    const ended: Ended = (status, target, tag) => job.end(status, target, tag);
    // Large sources reach WebCrypto through a worker.
    const here =
      derivation === undefined &&
      (work.source.length <= this.#host.platformMaxBytes || this.pool.unavailable);
    if (
      here &&
      (tryWebCrypto(work, ended, !snapshot || job.owned) ||
        (!snapshot && tryWebCryptoChunks(work, ended)))
    ) {
      job.stage = Stage.Platform;
    } else if (snapshot && !job.owned) {
      job.work = { ...work, source: this.pool.copyToSpare(work.source) };
      job.owned = true;
    }
    this.copied += copied;
    this.#inFlight.set(slot, job);
    if (derivation !== undefined) {
      this.#queuedDerivations.push(job);
      this.#scheduleFlush();
    } else if (job.stage === Stage.Queued) {
      job.stage = Stage.Pool;
      this.pool.submit(job);
    }
  }

  /** Lets the platform compute an operation with a key that no module knows. */
  #later(described: Work, copied: number): void {
    const frame = this.#frame;
    const [slot, flags] = [frame[At.Slot]!, frame[At.Flags]!];
    const own = ownSecrets(described);
    const work = { ...own, source: transferableCopy(own.source) };
    const reply = (flags & Flag.HasTarget) === 0;
    const job = new Job(this, slot, work, reply, false, false, MIN_COST_NS, copied, 0, true);
    frame[At.Cost] = MIN_COST_NS;
    job.stage = Stage.Platform;
    this.copied += copied;
    this.#inFlight.set(slot, job);
    runnerFor(work).later!(work)
      .then(
        (target) => job.end(Status.Done, target, undefined),
        (error: unknown) => {
          if (error instanceof Refusal) job.reason = error.reason;
          job.end(statusOf(error), undefined, undefined);
        },
      )
      .finally(() => work.source.fill(0));
  }

  #route(cost: number, flags: number, snapshot: boolean, copied: number): Route {
    const requested: Route = this.#frame[At.Route]!;
    const route = requested === Route.Auto ? defaultRoute() : requested;
    if (route !== Route.Auto) return route;
    // At any number of calls: sending one away would block this thread as long.
    if (cost <= INLINE_NS) return Route.Inline;
    // Back-pressure: a source that may not be copied is processed now, while it is unchanged.
    if (snapshot && (flags & Flag.Unlimited) === 0) {
      const allowed = this.canCopy(copied);
      if (allowed < 0) refuse(Status.CopyLimitUnset);
      if (allowed === 0) return Route.Inline;
    }
    return Route.Pool;
  }

  /**
   * Returns 1 if this many bytes may be copied, 0 if not, -1 if that depends on a limit which is
   * not set. The only job in flight may always copy.
   */
  canCopy(size: number): number {
    if (this.copied === 0 || size === 0) return 1;
    const sum = this.copied + size;
    if (this.copiesLimit === 0) return sum <= UNLIMITED_COPIES_BYTES ? 1 : -1;
    return sum <= this.copiesLimit ? 1 : 0;
  }

  /** Cancels the job in this slot. */
  cancel(slot: number): CancelResult {
    const job = this.#inFlight.get(slot);
    switch (job?.stage) {
      case Stage.Queued: {
        const at = this.#queuedDerivations.indexOf(job);
        if (at >= 0) this.#queuedDerivations.splice(at, 1);
        else this.budget.withdraw(job);
        job.end(Status.Cancelled, undefined, undefined);
        return CancelResult.BeforeStart;
      }
      case Stage.Pool:
        return this.pool.stop(job);
      case Stage.Platform:
        // WebCrypto continues with its copy; the result is dropped.
        job.end(Status.Cancelled, undefined, undefined);
        return CancelResult.Requested;
      default:
        return CancelResult.AfterEnd;
    }
  }

  /** Returns the progress of the job in this slot, from 0 to 1. */
  progress(slot: number): number {
    return this.#inFlight.get(slot)?.fraction ?? 0;
  }

  /** Starts the queued derivations that fit into the memory budget. */
  flush(): void {
    const jobs = this.#queuedDerivations;
    this.#queuedDerivations = [];
    for (const job of jobs) this.budget.admit(job);
  }

  /** Accepts the end of a job; its caller learns of it after this iteration. */
  ended(job: Job): void {
    if (job.admitted) this.budget.release(job);
    if (job.own) wipeSecrets(job.work);
    this.#finished.push(job);
    this.#scheduleSettle();
  }

  /** Delivers all jobs that have ended. */
  settle(): void {
    if (this.#settling) return;
    this.#settling = true;
    try {
      for (let round = 0; round < SETTLE_ROUNDS && this.#finished.length > 0; round++) {
        const jobs = this.#finished;
        this.#finished = [];
        for (const { slot, copied } of jobs) {
          this.#inFlight.delete(slot);
          this.copied -= copied;
        }
        for (const job of jobs) this.#deliver(job);
      }
    } finally {
      this.#settling = false;
      if (this.#finished.length > 0) this.#scheduleSettle();
    }
  }

  #deliver(job: Job): void {
    const { slot, work, reply, place, tagPlace } = job;
    const made = job.transferable();
    if (made === undefined) job.put();
    const { status } = job;
    let small: Uint8Array = NOTHING;
    let large: Uint8Array = NOTHING;
    if (status === Status.Done && made === undefined) {
      const cipher = isCipher(work.operation);
      if (work.operation === Operation.Encrypt || (work.operation === Operation.Seal && reply))
        small = tagPlace;
      if (reply && cipher) large = place;
      else if (reply) small = place;
    }
    if (job.reason !== '')
      large = Uint8Array.from(job.reason, (character) => character.charCodeAt(0));
    const { buffer, byteOffset } = this.#completionBuffer;
    const numbers = new Uint32Array(buffer, byteOffset, RECORD_NUMBERS);
    numbers.set([slot, status, small.length, large.length]);
    this.#completionBuffer.set(small, numbers.byteLength);
    this.#completionBuffer.set(large, numbers.byteLength + small.length);
    if (reply && job.secret) place.fill(0);
    this.#settle(1, made);
  }
}
