/**
 * What the portable engine needs of the place it runs in: the end of a turn, and workers if there
 * can be any. Browsers and Node give each their own (src/platform).
 */

/** Another thread that runs worker.ts. */
export interface WorkerHandle {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  /** Ends it at once, whatever it is doing. */
  end(): void;
  /** Whether the process has to wait for it. */
  hold(open: boolean): void;
}

/** Who hears of a {@link Mate}. */
export interface WorkerEvents {
  message(message: unknown): void;
  /**
   * It could not be started, or has ended by itself; `memory` if it ran out of that. Once at most,
   * and the last event.
   */
  lost(memory: boolean): void;
}

export interface Host {
  /** Calls when the turn of the event loop has ended. Not to be stopped by fake timers. */
  readonly nextTurn: (run: () => void) => void;
  /**
   * Calls after so many milliseconds, unless the function returned is called before; the process
   * does not wait for it.
   */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Lower-case hex. */
  readonly hex: (bytes: Uint8Array) => string;
  /**
   * The largest text in bytes that the platform's cryptography is given on this thread. Node.js
   * computes on other threads, Chromium before the call returns: 64 MiB of AES-GCM would stop a
   * page for a few hundred milliseconds.
   */
  readonly platformMaxBytes: number;
  /** As many workers are worth having. */
  readonly cores: number;
  /** Starts a worker; undefined, an exception, or a lost one where there can be none. */
  readonly startWorker: (events: WorkerEvents) => WorkerHandle | undefined;
}
