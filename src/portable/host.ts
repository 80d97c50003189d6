/**
 * The interface between the portable engine and its runtime: the end of an event-loop iteration,
 * and workers if the runtime has them. Browsers and Node.js each provide a host
 * (src/engines/portable.node.ts and portable.browser.ts).
 */

/** A thread that runs worker.ts. */
export interface WorkerHandle {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  /** Ends the thread at once, even during a job. */
  end(): void;
  /** Decides whether the process waits for this thread. */
  hold(open: boolean): void;
}

/** The events of a {@link WorkerHandle}. */
export interface WorkerEvents {
  message(message: unknown): void;
  /**
   * Reports that the worker could not be started or ended by itself; `memory` is true if it ran out
   * of memory. At most once, as the last event.
   */
  lost(memory: boolean): void;
}

export interface Host {
  /** Calls `run` after this event-loop iteration. Fake timers do not stop it. */
  readonly nextTurn: (run: () => void) => void;
  /**
   * Calls `run` after this time unless the returned function is called first. The process does not
   * wait for it.
   */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Returns a range as lower-case hexadecimal text. */
  readonly hex: (bytes: Uint8Array, start: number, end: number) => string;
  /**
   * The largest source in bytes that WebCrypto gets on this thread. Node.js computes on other
   * threads, Chromium before the call returns: 64 MiB of AES-GCM would block a page for hundreds of
   * milliseconds.
   */
  readonly platformMaxBytes: number;
  /** The number of workers worth having. */
  readonly cores: number;
  /**
   * Starts a worker. Returns undefined, throws or reports `lost` where the runtime has no workers.
   */
  readonly startWorker: (events: WorkerEvents) => WorkerHandle | undefined;
}

/**
 * Returns a function that lets `run` be called after this event-loop iteration, once for all calls
 * in it.
 */
export function oncePerTurn(host: Host, run: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    host.nextTurn(() => {
      scheduled = false;
      run();
    });
  };
}
