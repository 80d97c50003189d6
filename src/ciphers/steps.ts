/**
 * The asynchronous operations of a cipher: one at a time, in the order of their calls.
 */
import { isResizable, sizeOf } from '../request/arguments.js';
import { Completion } from '../scheduling/completions.js';
import { Phase, type RunningCipher } from './running.js';
import { allocate, allocateApart, nextTick, nextTurn, type Buffer } from '#platform/runtime.js';

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

  /** Called when the operation must wait: copies what may change. */
  abstract wait(): void;
}

/** An update. The source is lent unless `copied`; without a target the result is a Buffer. */
export class UpdateStep extends Step {
  #source: Uint8Array;
  #copied: boolean;
  readonly #target: Uint8Array | undefined;
  readonly #offset: number;

  constructor(
    user: Completion,
    source: Uint8Array,
    copied: boolean,
    target?: Uint8Array,
    offset = 0,
  ) {
    super(user);
    this.#source = source;
    // The memory of a resizable buffer can shrink.
    this.#copied = copied || isResizable(source);
    this.#target = target;
    this.#offset = offset;
  }

  begin(running: RunningCipher, end: (error: unknown, value?: unknown) => void): void {
    const { immediate } = running.setup;
    const [source, target] = [this.#source, this.#target];
    const size = sizeOf(source);
    if (size < POOL_MIN_BYTES) {
      const done =
        target === undefined
          ? running.update(source)
          : running.updateInto(source, target, this.#offset);
      nextTick(end, undefined, done);
      return;
    }
    const result = target ?? (immediate ? allocateApart(size) : allocate(0));
    const value = (): Buffer | number => {
      const written = running.updated(size);
      return target === undefined ? (result as Buffer) : written;
    };
    if (!running.hasWorkers) {
      this.wait();
      sliced(running, this.#source, result, this.#offset, (error) =>
        end(error, target === undefined ? result : immediate ? size : 0),
      );
      return;
    }
    const job = new Job(end, value);
    running.updateAsync(job, source, result, this.#offset, this.#copied);
  }

  wait(): void {
    const size = sizeOf(this.#source);
    if (!this.#copied || size === 0) return;
    const copy = new Uint8Array(new ArrayBuffer(size));
    copy.set(this.#source);
    this.#source = copy;
    this.#copied = false;
  }
}

/** The end of the message. */
export class FinalStep extends Step {
  begin(running: RunningCipher, end: (error: unknown, value?: unknown) => void): void {
    nextTick(end, undefined, running.final());
  }

  wait(): void {}
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
  target: Uint8Array,
  offset: number,
  end: (error: unknown) => void,
): void {
  let at = 0;
  const next = (): void => {
    try {
      if (running.phase === Phase.Failed) throw running.failure;
      const size = Math.min(sizeOf(source) - at, SLICE_BYTES);
      running.slice(source, at, size, target, offset + at);
      at += size;
    } catch (error) {
      nextTick(end, error);
      return;
    }
    if (at < sizeOf(source)) nextTurn(next);
    else nextTick(end, undefined);
  };
  next();
}

/** The pending operations of one cipher; the first is in flight. */
export class Steps {
  #steps: Step[] = [];

  constructor(readonly running: RunningCipher) {}

  /** Starts the operation, or queues it. */
  add(step: Step): void {
    this.running.pending += 1;
    if (this.#steps.push(step) === 1) this.#begin(step);
    else step.wait();
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
    if (error !== undefined && running.phase !== Phase.Failed && !(step instanceof FinalStep))
      running.fail(error);
    const next = this.#steps[0];
    if (next !== undefined) this.#begin(next);
    if (error === undefined) step.user.succeed(value);
    else step.user.fail(error);
  }
}
