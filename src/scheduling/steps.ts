/**
 * The asynchronous operations of a running hash or cipher: one at a time, in the order of their
 * calls.
 */
import { isOutOfMemory } from '../base/errors.js';
import { secretCopy, type Secret } from '../base/secret-memory.js';
import { Completion, NoCompletion } from './completions.js';
import { countCopies } from './copies.js';
import { nextTick } from '#platform/base/runtime.js';

/** The operations that a running hash or cipher allows. */
export const enum Phase {
  /** Updates and the end. */
  Open,
  /** Extendable output; the message has ended. */
  Squeezing,
  /** None: it has returned its digest, or its last piece. */
  Finalized,
  /** None: an operation failed, or it was disposed. */
  Failed,
}

/** A running hash or cipher. */
export interface Runner {
  readonly phase: Phase;
  /** The error that later operations throw. */
  readonly failure: unknown;
  /** Number of asynchronous operations in flight or waiting. */
  pending: number;
  /** Wipes the state and records the error. */
  fail(error: unknown): void;
}

/** One operation, from its call to its completion. */
export abstract class Step<Running extends Runner> extends Completion {
  queue: Steps<Running> | undefined;
  /** The result of an operation that `begin` completes. */
  value: unknown;
  /** The bytes of its copy. */
  #copied = 0;

  /**
   * Makes a step. `user` is the caller's completion. It exists before the request is filled,
   * because creating one may run the caller's code.
   */
  constructor(readonly user: Completion) {
    super();
  }

  /** Starts the operation. Returns false if it is already complete. */
  abstract begin(running: Running): boolean;

  /** Called before the operation is queued behind another: copies what may change. */
  wait(): void {}

  /** Returns a copy that counts towards the limit of copies until the operation has ended. */
  protected copyOf(bytes: Uint8Array): Secret {
    const copy = secretCopy(bytes);
    this.#copied = copy.length;
    countCopies(copy.length);
    return copy;
  }

  /** Counts the copy no more. */
  release(): void {
    if (this.#copied > 0) countCopies(-this.#copied);
  }

  /** Runs when the operation has succeeded, before the next one starts. */
  end(_running: Running): void {}

  /** Wipes the result of an operation that ended after its object was disposed of. */
  discard(_running: Running): void {}

  /** Returns true if the message lacks a piece when the operation has failed. */
  get isPiece(): boolean {
    return true;
  }

  succeed(value: unknown): void {
    this.queue!.settle(this, undefined, value);
  }

  fail(error: unknown): void {
    this.queue!.settle(this, error, undefined);
  }
}

/** A piece that is missing in the message, for want of memory: the object fails in its turn. */
class LostStep<Running extends Runner> extends Step<Running> {
  constructor(readonly error: unknown) {
    super(new NoCompletion());
  }

  begin(): boolean {
    throw this.error;
  }
}

/** The pending operations of one hash or cipher; the first is in flight. */
export class Steps<Running extends Runner> {
  #steps: Step<Running>[] = [];

  constructor(readonly running: Running) {}

  /** Starts the operation, or queues it. Throws, and does neither, without memory for a copy. */
  add(step: Step<Running>): void {
    if (this.#steps.length > 0) step.wait();
    step.queue = this;
    this.running.pending += 1;
    if (this.#steps.push(step) === 1) this.#begin(step);
  }

  settle(step: Step<Running>, error: unknown, value: unknown): void {
    const { running } = this;
    this.#steps.shift();
    running.pending -= 1;
    step.release();
    if (running.phase === Phase.Failed) {
      // Disposed of meanwhile, if not by this error.
      step.discard(running);
      error = running.failure;
    } else if (error === undefined) step.end(running);
    else if (step.isPiece) running.fail(error);
    // Within the length: Object.prototype can have a property `0`.
    if (this.#steps.length > 0) this.#begin(this.#steps[0]!);
    if (error === undefined) step.user.succeed(value);
    else step.user.fail(error);
  }

  /** Begins a step. One that ends at once also completes on a later tick. */
  #begin(step: Step<Running>): void {
    const { running } = this;
    let error: unknown;
    try {
      if (running.phase === Phase.Failed) throw running.failure;
      if (step.begin(running)) return;
    } catch (thrown) {
      error = thrown;
    }
    nextTick(settleLater, this, step, error);
  }
}

function settleLater<Running extends Runner>(
  queue: Steps<Running>,
  step: Step<Running>,
  error: unknown,
): void {
  queue.settle(step, error, error === undefined ? step.value : undefined);
}

/**
 * Fails the object if a piece is missing in its message for want of memory: at once, or after the
 * pending operations. Returns the error.
 */
export function lost<Running extends Runner>(
  running: Running,
  steps: Steps<Running> | undefined,
  error: unknown,
): unknown {
  if (isOutOfMemory(error) && running.phase === Phase.Open) {
    if (running.pending === 0) running.fail(error);
    else steps!.add(new LostStep(error));
  }
  return error;
}
