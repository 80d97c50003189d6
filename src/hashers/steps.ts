/**
 * The asynchronous operations of a hasher: one at a time, in the order of their calls.
 */
import { isResizable, part, sizeOf } from '../base/arguments.js';
import type { Form } from '../request/request.js';
import { detachedSource } from '../request/result.js';
import { secretCopy } from '../base/secret-memory.js';
import { nextTick } from '#platform/base/runtime.js';
import { Completion, NoCompletion } from '../scheduling/completions.js';
import type { Running } from './running.js';
import { Phase } from './setup.js';

/** One operation, from its call to its completion. The source is lent unless `copied`. */
export abstract class Step extends Completion {
  queue: Steps | undefined;

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

  /** Runs when the operation has ended, before the next one starts. */
  abstract end(running: Running): void;

  succeed(value: unknown): void {
    this.queue!.settle(this, undefined, value);
  }

  fail(error: unknown): void {
    this.queue!.settle(this, error, undefined);
  }
}

/** A piece that is missing in the message, for want of memory: the hasher fails in its turn. */
class LostStep extends Step {
  constructor(readonly error: unknown) {
    super(new NoCompletion());
  }

  begin(): boolean {
    throw this.error;
  }

  end(): void {}
}

/** An update. */
export class UpdateStep extends Step {
  #view: Uint8Array;
  #offset: number;
  #size: number;
  #copied: boolean;
  #sent = false;

  constructor(user: Completion, view: Uint8Array, offset: number, size: number, copied: boolean) {
    super(user);
    this.#view = view;
    this.#offset = offset;
    this.#size = size;
    // The memory of a resizable buffer can shrink.
    this.#copied = copied || isResizable(view);
  }

  begin(running: Running): boolean {
    if (this.#offset + this.#size > sizeOf(this.#view)) throw detachedSource();
    if (running.fits(this.#size)) {
      running.append(this.#view, this.#offset, this.#size);
      return false;
    }
    running.updateAsync(this, this.#view, this.#offset, this.#size, this.#copied);
    this.#sent = true;
    return true;
  }

  override wait(): void {
    if (!this.#copied || this.#size === 0) return;
    this.#view = secretCopy(part(this.#view, this.#offset, this.#size));
    this.#offset = 0;
    this.#copied = false;
  }

  end(running: Running): void {
    if (this.#sent) running.updated();
  }

  override succeed(): void {
    super.succeed(undefined);
  }
}

export class DigestStep extends Step {
  constructor(
    user: Completion,
    readonly wanted: Form,
    readonly convert: (digest: unknown) => unknown,
  ) {
    super(user);
  }

  begin(running: Running): boolean {
    running.digestAsync(this, this.wanted);
    return true;
  }

  end(running: Running): void {
    running.finalize();
  }

  override succeed(value: unknown): void {
    super.succeed(this.convert(value));
  }
}

/** The pending operations of one hasher; the first is in flight. */
export class Steps {
  #steps: Step[] = [];

  constructor(readonly running: Running) {}

  /** Starts the operation, or queues it. Throws, and does neither, without memory for a copy. */
  add(step: Step): void {
    if (this.#steps.length > 0) step.wait();
    step.queue = this;
    this.running.pending += 1;
    if (this.#steps.push(step) === 1) this.#begin(step);
  }

  /** Fails the hasher after the pending operations. */
  lose(error: unknown): void {
    this.add(new LostStep(error));
  }

  settle(step: Step, error: unknown, value: unknown): void {
    const { running } = this;
    this.#steps.shift();
    running.pending -= 1;
    if (error === undefined) step.end(running);
    else running.fail(error);
    const next = this.#steps[0];
    if (next !== undefined) this.#begin(next);
    if (error === undefined) step.user.succeed(value);
    else step.user.fail(error as Error);
  }

  /** Begins a step. One that ends at once also completes on a later tick. */
  #begin(step: Step): void {
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

function settleLater(queue: Steps, step: Step, error: unknown): void {
  queue.settle(step, error, undefined);
}
