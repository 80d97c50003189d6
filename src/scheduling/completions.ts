/**
 * Completions deliver results to callbacks and promises.
 *
 * Creating an AsyncResource or a Promise may run the caller's async_hooks, which may call Millrace.
 * Completions are therefore created before a request is filled.
 */
import { servers } from '../engines/binding.js';
import { failure, type MillraceError } from '../base/errors.js';
import { ONCE } from '../base/options.js';
import { CancelResult, Status } from '../base/protocol.js';
import { AsyncResource, nextTick, type SystemError } from '#platform/base/runtime.js';

/**
 * A callback. It receives `(null, result)`, or an error alone. It is never called before the
 * function that took it returns.
 */
export type Callback<Result> = (error: MillraceError | SystemError | null, result: Result) => void;

export abstract class Completion {
  /** The slot of its job while the job is in flight. */
  slot = -1;

  abstract succeed(value: unknown): void;
  abstract fail(error: unknown): void;

  /** Reports that the job was cancelled and has no result. */
  cancelled(): void {
    this.fail(failure(Status.Cancelled));
  }
}

/** Passes the outcome on to the completion of the caller. */
export class Relay implements Completion {
  constructor(protected readonly user: Completion) {}

  get slot(): number {
    return this.user.slot;
  }

  set slot(slot: number) {
    this.user.slot = slot;
  }

  succeed(value: unknown): void {
    this.user.succeed(value);
  }

  fail(error: unknown): void {
    this.user.fail(error);
  }

  cancelled(): void {
    this.user.cancelled();
  }
}

/** Delivers to no one: the call has reported its error. */
export class NoCompletion extends Completion {
  succeed(): void {}
  fail(): void {}
}

const RESOURCE = { requireManualDestroy: true };

/** Calls the callback in the async context of its call. */
export class CallbackCompletion extends AsyncResource implements Completion {
  slot = -1;

  // As an AsyncResource it keeps AsyncLocalStorage's context and notifies async_hooks, for 15 ns.
  constructor(readonly callback: Callback<unknown>) {
    super('MILLRACE', RESOURCE);
  }

  succeed(value: unknown): void {
    try {
      this.runInAsyncScope(this.callback, undefined, null, value);
    } catch (error) {
      rethrowLater(error);
    }
    this.emitDestroy();
  }

  /** Calls back with one argument, as in crypto-async. */
  fail(error: unknown): void {
    try {
      this.runInAsyncScope(this.callback, undefined, error as Error);
    } catch (thrown) {
      rethrowLater(thrown);
    }
    this.emitDestroy();
  }

  cancelled(): void {
    this.fail(failure(Status.Cancelled));
  }
}

/**
 * Throws the error on the next tick, as an uncaughtException: the other jobs of the batch must
 * settle first.
 */
function rethrowLater(error: unknown): void {
  nextTick(rethrow, error);
}

function rethrow(error: unknown): never {
  throw error;
}

/** Settles a promise. */
export class PromiseCompletion extends Completion {
  resolve!: (value: unknown) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<unknown>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  succeed(value: unknown): void {
    this.resolve(value);
  }

  fail(error: unknown): void {
    this.reject(error);
  }
}

/** Settles a promise, or rejects it with the signal's reason when the signal aborts. */
export class SignalCompletion extends PromiseCompletion {
  #signal: AbortSignal | undefined;

  /** Cancels the job when the signal aborts. */
  attachSignal(signal: AbortSignal): void {
    this.#signal = signal;
    let attached = cancellable.get(signal);
    if (attached === undefined) {
      attached = new Set();
      cancellable.set(signal, attached);
      signal.addEventListener('abort', abort, ONCE);
    }
    attached.add(this);
  }

  /**
   * Handles an abort. A job that never starts rejects at once. A running job rejects when it has
   * stopped, because it still uses lent memory.
   */
  abort(reason: unknown): void {
    // The slot stays in use until the pool has dropped the job; the promise rejects before.
    const { slot } = this;
    if (slot >= 0 && servers[slot]!.cancel(slot) === CancelResult.BeforeStart) this.reject(reason);
  }

  override succeed(value: unknown): void {
    this.#ignore();
    this.resolve(value);
  }

  override fail(error: unknown): void {
    this.#ignore();
    this.reject(error);
  }

  override cancelled(): void {
    const reason: unknown = this.#signal?.reason;
    this.#ignore();
    this.reject(reason);
  }

  #ignore(): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    this.#signal = undefined;
    const attached = cancellable.get(signal);
    attached?.delete(this);
    if (attached?.size === 0) {
      cancellable.delete(signal);
      signal.removeEventListener('abort', abort);
    }
  }
}

/** The calls under a signal share one listener, because Node warns of a leak at the eleventh. */
const cancellable = new WeakMap<AbortSignal, Set<SignalCompletion>>();

function abort(this: AbortSignal): void {
  for (const completion of cancellable.get(this) ?? []) completion.abort(this.reason);
}
