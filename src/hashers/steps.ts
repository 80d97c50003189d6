/**
 * The asynchronous operations of a hasher: one at a time, in the order of their calls.
 */
import { isResizable, part } from '../request/arguments.js';
import type { Form } from '../request/request.js';
import { nextTick } from '#platform/runtime.js';
import { Completion } from '../scheduling/completions.js';
import type { Running } from './running.js';
import { Phase } from './setup.js';

/** One operation, from its call to its completion. The source is lent unless `copied`. */
export abstract class Step extends Completion {
  queue: Steps | undefined;

  /**
   * `user` is the caller's completion. It exists before the request is filled, because creating one
   * may run the caller's code.
   */
  constructor(readonly user: Completion) {
    super();
  }

  /** Starts the operation. Returns false if it is already complete. */
  abstract begin(running: Running): boolean;

  /** Called when the operation must wait: copies what may change. */
  abstract wait(): void;

  /** Called when the operation has ended, before the next one starts. */
  abstract end(running: Running): void;

  succeed(value: unknown): void {
    this.queue!.settle(this, undefined, value);
  }

  fail(error: unknown): void {
    this.queue!.settle(this, error, undefined);
  }
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
    if (running.fits(this.#size)) {
      running.append(this.#view, this.#offset, this.#size);
      return false;
    }
    running.updateAsync(this, this.#view, this.#offset, this.#size, this.#copied);
    this.#sent = true;
    return true;
  }

  wait(): void {
    if (!this.#copied || this.#size === 0) return;
    const copy = new Uint8Array(new ArrayBuffer(this.#size));
    copy.set(part(this.#view, this.#offset, this.#size));
    this.#view = copy;
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

  wait(): void {}

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

  /** Starts the operation, or queues it. */
  add(step: Step): void {
    step.queue = this;
    this.running.pending += 1;
    if (this.#steps.push(step) === 1) this.#begin(step);
    else step.wait();
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

  /** An operation that ends at once also completes on a later tick. */
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
