/**
 * The asynchronous operations of a cipher: one at a time, in the order of their calls.
 */
import { isResizable, sizeOf } from '../base/arguments.js';
import { detachedSource, detachedTarget, fitsResult } from '../request/result.js';
import { Completion, NoCompletion } from '../scheduling/completions.js';
import { secretCopy, wipe, type Secret } from '../base/secret-memory.js';
import { Phase, type RunningCipher } from './running.js';
import {
  allocate,
  allocateApart,
  nextTick,
  nextTurn,
  type Buffer,
} from '#platform/base/runtime.js';

/** Updates of fewer bytes run on the event loop: a worker costs more than they do. */
const POOL_MIN_BYTES = 4096;

/** The portable engine's updates let the event loop run after so many bytes. */
const SLICE_BYTES = 64 * 1024;

/** One operation, from its call to its completion. */
export abstract class Step {
  /** `user` is the caller's completion. Creating one may run the caller's code. */
  constructor(readonly user: Completion) {}

  /** Starts the operation; calls `end` once, now or later. */
  abstract begin(running: RunningCipher, end: (error: unknown, value?: unknown) => void): void;

  /** Called before the operation is queued behind another: copies what may change. */
  wait(): void {}

  /** Wipes the result of an operation that ended after its cipher was disposed of. */
  discard(): void {}
}

/** A piece that is missing in the message, for want of memory: the cipher fails in its turn. */
class LostStep extends Step {
  constructor(readonly error: unknown) {
    super(new NoCompletion());
  }

  begin(): void {
    throw this.error;
  }
}

/** An update. The source is lent unless `copied`; without a target the result is a Buffer. */
export class UpdateStep extends Step {
  #source: Uint8Array;
  #copied: boolean;
  readonly #size: number;
  readonly #target: Uint8Array | undefined;
  readonly #offset: number;
  #result: Uint8Array | undefined;

  constructor(
    user: Completion,
    source: Uint8Array,
    copied: boolean,
    target?: Uint8Array,
    offset = 0,
  ) {
    super(user);
    this.#source = source;
    this.#size = sizeOf(source);
    // The memory of a resizable buffer can shrink.
    this.#copied = copied || isResizable(source);
    this.#target = target;
    this.#offset = offset;
  }

  begin(running: RunningCipher, end: (error: unknown, value?: unknown) => void): void {
    const { immediate } = running.setup;
    const [source, target, size] = [this.#source, this.#target, this.#size];
    if (sizeOf(source) !== size) throw detachedSource();
    if (target !== undefined && !fitsResult(target, this.#offset, size)) throw detachedTarget();
    if (size < POOL_MIN_BYTES) {
      const done =
        target === undefined
          ? (this.#result = running.update(source))
          : running.updateInto(source, target, this.#offset);
      nextTick(end, undefined, done);
      return;
    }
    const result = target ?? (immediate ? allocateApart(size) : allocate(0));
    this.#result = result;
    const value = (): Buffer | number => {
      const written = running.updated(size);
      return target === undefined ? (result as Buffer) : written;
    };
    if (!running.hasWorkers) {
      this.wait();
      sliced(running, this.#source, size, result, this.#offset, (error) =>
        end(error, target === undefined ? result : immediate ? size : 0),
      );
      return;
    }
    const job = new Job(end, value);
    running.updateAsync(job, source, result, this.#offset, this.#copied);
  }

  override wait(): void {
    const size = this.#size;
    if (!this.#copied || size === 0) return;
    this.#source = secretCopy(this.#source);
    this.#copied = false;
  }

  override discard(): void {
    const result = this.#target ?? this.#result;
    if (result !== undefined && sizeOf(result) > 0)
      wipe(result as Secret, this.#offset, this.#offset + this.#size);
  }
}

/** The end of the message. */
export class FinalStep extends Step {
  begin(running: RunningCipher, end: (error: unknown, value?: unknown) => void): void {
    nextTick(end, undefined, running.final());
  }
}

/** An update on a worker. */
class Job extends Completion {
  constructor(
    readonly end: (error: unknown, value?: unknown) => void,
    readonly value: () => Buffer | number,
  ) {
    super();
  }

  succeed(): void {
    this.end(undefined, this.value());
  }

  fail(error: unknown): void {
    this.end(error);
  }
}

/** Updates on the event loop, with pauses. */
function sliced(
  running: RunningCipher,
  source: Uint8Array,
  total: number,
  target: Uint8Array,
  offset: number,
  end: (error: unknown) => void,
): void {
  let at = 0;
  const next = (): void => {
    try {
      if (running.phase === Phase.Failed) throw running.failure;
      if (sizeOf(source) !== total) throw detachedSource();
      const size = Math.min(total - at, SLICE_BYTES);
      running.slice(source, at, size, target, offset + at);
      at += size;
    } catch (error) {
      nextTick(end, error);
      return;
    }
    if (at < total) nextTurn(next);
    else nextTick(end, undefined);
  };
  next();
}

/** The pending operations of one cipher; the first is in flight. */
export class Steps {
  #steps: Step[] = [];

  constructor(readonly running: RunningCipher) {}

  /** Starts the operation, or queues it. Throws, and does neither, without memory for a copy. */
  add(step: Step): void {
    if (this.#steps.length > 0) step.wait();
    this.running.pending += 1;
    if (this.#steps.push(step) === 1) this.#begin(step);
  }

  /** Fails the cipher after the pending operations. */
  lose(error: unknown): void {
    this.add(new LostStep(error));
  }

  #begin(step: Step): void {
    const { running } = this;
    try {
      if (running.phase === Phase.Failed) throw running.failure;
      step.begin(running, (error, value) => this.#settle(step, error, value));
    } catch (error) {
      nextTick(() => this.#settle(step, error, undefined));
    }
  }

  #settle(step: Step, error: unknown, value: unknown): void {
    const { running } = this;
    this.#steps.shift();
    running.pending -= 1;
    if (running.phase === Phase.Failed) {
      // Disposed of meanwhile, if not by this error.
      running.wipeHeld();
      step.discard();
      error = running.failure;
    } else if (error !== undefined && !(step instanceof FinalStep)) {
      running.fail(error);
    }
    const next = this.#steps[0];
    if (next !== undefined) this.#begin(next);
    if (error === undefined) step.user.succeed(value);
    else step.user.fail(error);
  }
}
