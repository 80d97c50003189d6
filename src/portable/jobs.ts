/**
 * Asynchronous calls: where each is done, and how its result comes back through the completion buffer, as
 * crates/node/src/completion.rs and environment.rs have it. Nobody is told of anything before the
 * turn of the event loop in which he called has ended.
 */
import { At, Flag, Operation, Route, Status } from '../request/frame.js';
import { CancelResult } from '../request/protocol.js';
import { WorkerPool, type PoolJob } from './worker-pool.js';
import { tryWebCryptoChunks } from './webcrypto-chunks.js';
import { tryWebCrypto, type Ended } from './webcrypto-backend.js';
import { joinMessages, ownSecrets, wipeSecrets } from './worker-messages.js';
import type { Host } from './host.js';
import { memoryOf } from './kdf/index.js';
import {
  INLINE_NS,
  isCipher,
  isMeasured,
  predict,
  settleCost,
  defaultRoute,
} from './cost-model.js';
import { MemoryBudget, type MemoryPermit } from './memory-budget.js';
import { NOTHING, refuse } from './windows.js';
import { perform } from './execute.js';
import type { Work } from './work.js';

/**
 * The least that is said of a job's cost: the front looks for the results of shorter ones itself,
 * which these need not.
 */
const MIN_COST_NS = 5_000;

/** Bytes that may be copied before there must be a limit. */
const UNLIMITED_COPIES_BYTES = 64 * 2 ** 20;

/**
 * The most rounds of results, jobs that these make and do at once, and their results, in one turn.
 */
const SETTLE_ROUNDS = 4;

/** The front's: of some jobs the result is not where it was to be put, but this, by slot. */
type Settle = (records: number, instead?: ReadonlyMap<number, Uint8Array>) => void;

/** Where a job is. */
const enum Stage {
  /** Its turn, or room for it, has not come. */
  Queued,
  /** With the crew. */
  Pool,
  /** With the platform's own cryptography, which cannot be stopped. */
  Platform,
  Ended,
}

/** A job on its way. */
class Job implements PoolJob, MemoryPermit {
  stage = Stage.Queued;
  fraction = 0;
  status = Status.Internal;
  /** Where the result belongs: memory of the caller's or of ours. */
  readonly place: Uint8Array;
  readonly tagPlace: Uint8Array;
  /** The result, while it is not there yet. */
  target: Uint8Array | undefined;
  tag: Uint8Array | undefined;
  owned = false;
  /**
   * The memory of the result was made for it, and nobody has it yet: another may take its place.
   */
  fresh = false;
  readonly sourceSize: number;
  admitted = false;

  constructor(
    readonly jobs: Jobs,
    readonly slot: number,
    public work: Work,
    /** Whether the result goes back through the completion buffer. */
    readonly reply: boolean,
    readonly reportsProgress: boolean,
    readonly measure: boolean,
    readonly cost: number,
    readonly copied: number,
    readonly needs: number,
    /** Whether the inputs of the work, but the source, are copies of ours. */
    readonly own: boolean,
  ) {
    this.place = work.target;
    this.tagPlace = work.tag;
    this.sourceSize = work.source.length;
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
}

export class Jobs {
  readonly pool: WorkerPool;
  readonly budget = new MemoryBudget();
  /**
   * Bytes copied for jobs that have not settled, and the most there may be; 0 while that is not
   * set.
   */
  copied = 0;
  copiesLimit = 0;
  readonly #host: Host;
  readonly #frame: Float64Array;
  readonly #completionBuffer: CompletionBuffer;
  /** By slot. */
  readonly #inFlight = new Map<number, Job>();
  #finished: Job[] = [];
  #queuedDerivations: Job[] = [];
  #settleScheduled = false;
  #flushing = false;
  #settling = false;

  constructor(host: Host, frame: Float64Array, completionBuffer: Uint8Array, settle: Settle) {
    this.#host = host;
    this.#frame = frame;
    this.#completionBuffer = new CompletionBuffer(completionBuffer, settle);
    this.pool = new WorkerPool(host, ({ operation, algorithm, cost }) =>
      settleCost(operation, algorithm, cost),
    );
  }

  /** Accepts a job. */
  submit(described: Work): void {
    const frame = this.#frame;
    const { operation } = described;
    if (operation === Operation.Squeeze || operation === Operation.MacBegin)
      refuse(Status.NotSupported);
    const flags = frame[At.Flags]!;
    const snapshot = (flags & Flag.Snapshot) !== 0;
    const cost = predict(described);
    const copied = (flags & (Flag.Snapshot | Flag.Copied)) !== 0 ? described.source.length : 0;
    const route = this.#route(cost, flags, snapshot, copied);
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
    const measure = operation < Operation.Scrypt && !isMeasured(cipher, described.algorithm);
    const { derivation } = described;
    const needs = derivation === undefined ? 0 : memoryOf(derivation);
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
      needs,
      true,
    );
    job.owned = work.source !== described.source;
    job.fresh = (flags & Flag.Fresh) !== 0 && !reply;
    const ended: Ended = (status, target, tag) => job.end(status, target, tag);
    // A large one goes to the platform's cryptography by way of a worker.
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
      job.work = { ...work, source: this.pool.copyOf(work.source) };
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

  #route(cost: number, flags: number, snapshot: boolean, copied: number): Route {
    const requested: Route = this.#frame[At.Route]!;
    const route = requested === Route.Auto ? defaultRoute() : requested;
    if (route !== Route.Auto) return route;
    // However many: to send one away would hold this thread up as long.
    if (cost <= INLINE_NS) return Route.Inline;
    // Back-pressure: what may not be copied is done now, while it is still as the caller left it.
    if (snapshot && (flags & Flag.Unlimited) === 0) {
      const room = this.canCopy(copied);
      if (room < 0) refuse(Status.CopyLimitUnset);
      if (room === 0) return Route.Inline;
    }
    return Route.Pool;
  }

  /**
   * Whether so many bytes may be copied: 1 or 0; -1 while no limit is set and that matters. Whoever
   * is alone may always.
   */
  canCopy(size: number): number {
    if (this.copied === 0 || size === 0) return 1;
    const sum = this.copied + size;
    if (this.copiesLimit === 0) return sum <= UNLIMITED_COPIES_BYTES ? 1 : -1;
    return sum <= this.copiesLimit ? 1 : 0;
  }

  /** Nobody wants the job in this slot any more. */
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
        // It has a copy of its own and works on; nobody waits for it.
        job.end(Status.Cancelled, undefined, undefined);
        return CancelResult.Requested;
      default:
        return CancelResult.AfterEnd;
    }
  }

  /** How far the job in this slot has come, from 0 to 1. */
  progress(slot: number): number {
    return this.#inFlight.get(slot)?.fraction ?? 0;
  }

  /** Derivations that have gathered go on their way, as far as there is memory for them. */
  flush(): void {
    this.#flushing = false;
    const jobs = this.#queuedDerivations;
    this.#queuedDerivations = [];
    for (const job of jobs) this.budget.admit(job);
  }

  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#host.nextTurn(() => {
      if (this.#flushing) this.flush();
    });
  }

  /** A job is over; its caller is told when this turn has ended. */
  ended(job: Job): void {
    if (job.admitted) this.budget.release(job);
    if (job.own) wipeSecrets(job.work);
    this.#finished.push(job);
    this.#scheduleSettle();
  }

  #scheduleSettle(): void {
    if (this.#settleScheduled) return;
    this.#settleScheduled = true;
    this.#host.nextTurn(() => {
      this.#settleScheduled = false;
      this.settle();
    });
  }

  /** Tells of all jobs that are over. */
  settle(): void {
    if (this.#settling) return;
    this.#settling = true;
    try {
      for (let round = 0; round < SETTLE_ROUNDS && this.#finished.length > 0; round++) {
        const jobs = this.#finished;
        this.#finished = [];
        for (const job of jobs) this.#record(job);
        this.#completionBuffer.deliver();
      }
    } finally {
      this.#settling = false;
      if (this.#finished.length > 0) this.#scheduleSettle();
    }
  }

  #record(job: Job): void {
    const { slot, work, reply, place, tagPlace } = job;
    this.#inFlight.delete(slot);
    this.copied -= job.copied;
    const replacement = transferableResult(job);
    if (replacement !== undefined) {
      this.#completionBuffer.writeInstead(slot, replacement);
      return;
    }
    putResult(job);
    const { status } = job;
    let small: Uint8Array = NOTHING;
    let large: Uint8Array = NOTHING;
    if (status === Status.Done) {
      const cipher = isCipher(work.operation);
      if (work.operation === Operation.Encrypt || (work.operation === Operation.Seal && reply))
        small = tagPlace;
      if (reply && cipher) large = place;
      else if (reply) small = place;
    }
    this.#completionBuffer.write(slot, status, small, large);
    if (reply && givesSecret(work)) place.fill(0);
  }
}

/** Whether the result is secret: it is made with a key and is no ciphertext. */
function givesSecret({ operation, key, secret }: Work): boolean {
  if (operation >= Operation.Scrypt) return true;
  return (
    (key !== undefined || secret.length > 0) &&
    operation !== Operation.Encrypt &&
    operation !== Operation.Seal &&
    operation !== Operation.SealChunks
  );
}

/**
 * A result that was made elsewhere and can be given out as it is: all of some memory that nobody
 * else has.
 */
function transferableResult({
  status,
  fresh,
  work: { operation },
  place,
  tagPlace,
  target,
  tag,
}: Job): Uint8Array | undefined {
  // Runs of chunks, of messages, and states are read where they were to be put.
  if (
    status !== Status.Done ||
    !fresh ||
    target === undefined ||
    operation > Operation.Open ||
    target.length !== place.length
  )
    return undefined;
  if (operation === Operation.Encrypt && tagPlace.length > 0) return undefined;
  // A tag that follows the text in its place must do so here.
  const appended = operation === Operation.Seal ? tagPlace.length : 0;
  if (
    appended > 0 &&
    (tag?.length !== appended ||
      tag.buffer !== target.buffer ||
      tag.byteOffset !== target.byteOffset + target.length)
  )
    return undefined;
  const size = target.length + appended;
  // Nor does it replace a part of some memory: before a result a nonce may stand.
  if (place.byteOffset !== 0 || place.buffer.byteLength !== size) return undefined;
  return target.byteOffset === 0 && target.buffer.byteLength === size
    ? new Uint8Array(target.buffer)
    : undefined;
}

/**
 * Puts a result that was made elsewhere where it belongs; what was refused is not left half done.
 */
function putResult(job: Job): void {
  const { work, place, tagPlace, target, tag } = job;
  const chunks = work.operation === Operation.SealChunks || work.operation === Operation.OpenChunks;
  if (job.status === Status.Authentication || (chunks && job.status === Status.Cancelled)) {
    place.fill(0);
    return;
  }
  if (job.status !== Status.Done) return;
  if (
    (target !== undefined && target.length !== place.length) ||
    (tag !== undefined && tag.length > tagPlace.length)
  ) {
    // The memory has gone meanwhile: its owner has broken the promise not to take it.
    job.status = Status.Argument;
    return;
  }
  if (target !== undefined) place.set(target);
  if (tag !== undefined && tag.length > 0) tagPlace.set(tag);
  if (givesSecret(work)) target?.fill(0);
}

/** Bytes of a record beside its parts: slot, status, and the sizes of both. */
const HEADER = 16;

/** The records that the front reads: four numbers and two parts, padded to 4 bytes. */
class CompletionBuffer {
  readonly #bytes: Uint8Array;
  readonly #numbers: Uint32Array;
  readonly #settle: Settle;
  #used = 0;
  #records = 0;
  #instead: Map<number, Uint8Array> | undefined;

  constructor(memory: Uint8Array, settle: Settle) {
    this.#bytes = memory;
    this.#numbers = new Uint32Array(memory.buffer, memory.byteOffset, memory.length / 4);
    this.#settle = settle;
  }

  write(slot: number, status: Status, small: Uint8Array, large: Uint8Array): void {
    const size = HEADER + Math.ceil((small.length + large.length) / 4) * 4;
    if (this.#used + size > this.#bytes.length) this.deliver();
    const at = this.#used;
    this.#numbers.set([slot, status, small.length, large.length], at / 4);
    this.#bytes.set(small, at + HEADER);
    this.#bytes.set(large, at + HEADER + small.length);
    this.#used += size;
    this.#records += 1;
  }

  /** Of a job whose result is this. */
  writeInstead(slot: number, result: Uint8Array): void {
    this.write(slot, Status.Done, NOTHING, NOTHING);
    (this.#instead ??= new Map()).set(slot, result);
  }

  deliver(): void {
    const records = this.#records;
    if (records === 0) return;
    const instead = this.#instead;
    this.#used = this.#records = 0;
    this.#instead = undefined;
    this.#settle(records, instead);
  }
}
