/**
 * Who waits for a result, and how he is told: by callback or by promise.
 *
 * Making an AsyncResource or a Promise may run async_hooks of the user's, which may call us in
 * turn: waiters are made before the description of a call begins.
 */
import { servers } from '../engines/binding.js';
import { failure } from '../request/errors.js';
import { CancelResult, Status } from '../request/protocol.js';
import { AsyncResource, nextTick } from '#platform/runtime.js';

/** Receives `(error)` or `(undefined, result)`, never before the call that took it has returned. */
export type Callback<Result> = (error?: Error, result?: Result) => void;

export abstract class Completion {
  /** Of its job, while that is in flight. */
  slot = -1;

  abstract succeed(value: unknown): void;
  abstract fail(error: unknown): void;

  /** The job has come back without a result because it was cancelled. */
  cancelled(): void {
    this.fail(failure(Status.Cancelled));
  }
}

const RESOURCE = { requireManualDestroy: true };

/** Calls back in the context of the call it was made for. */
export class CallbackCompletion extends AsyncResource implements Completion {
  slot = -1;

  // As a resource it keeps AsyncLocalStorage's context and tells async_hooks of the call: 15 ns.
  constructor(readonly callback: Callback<unknown>) {
    super('MILLRACE', RESOURCE);
  }

  succeed(value: unknown): void {
    try {
      this.runInAsyncScope(this.callback, undefined, undefined, value);
    } catch (error) {
      rethrowLater(error);
    }
    this.emitDestroy();
  }

  /** With one argument, as the ancestor had it. */
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

/** The other jobs of the batch must still settle; this becomes an uncaughtException right after. */
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

/** Settles a promise, or rejects it with the reason of a signal that aborts. */
export class SignalCompletion extends PromiseCompletion {
  #signal: AbortSignal | undefined;

  /** From now on an abort cancels. */
  attachSignal(signal: AbortSignal): void {
    this.#signal = signal;
    let attached = cancellable.get(signal);
    if (attached === undefined) {
      attached = new Set();
      cancellable.set(signal, attached);
      signal.addEventListener('abort', abort, { once: true });
    }
    attached.add(this);
  }

  /**
   * The signal has aborted. What will never run is rejected at once; memory lent to what runs is in
   * use until that comes back.
   */
  abort(reason: unknown): void {
    // The slot stays taken until the pool has passed the job by; the promise need not wait for
    // that.
    if (servers[this.slot]?.cancel(this.slot) === CancelResult.BeforeStart) this.reject(reason);
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

/**
 * The calls that wait under a signal: one listener for all, or Node would warn of a leak at the
 * eleventh.
 */
const cancellable = new WeakMap<AbortSignal, Set<SignalCompletion>>();

function abort(this: AbortSignal): void {
  for (const completion of cancellable.get(this) ?? []) completion.abort(this.reason);
}
