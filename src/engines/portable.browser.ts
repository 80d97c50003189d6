/**
 * The portable engine's host in browsers and other runtimes of the web platform. Workers are
 * created from source text, so that neither a file nor a server header is needed.
 */
import { after, hex, nextTurn, stop } from '../base/runtime.browser.js';
import { featureOf } from '../base/features.js';
import type { Host, WorkerHandle, WorkerEvents } from '../portable/host.js';

/** The used part of a dedicated worker. */
interface WebWorker {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  terminate(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onmessageerror: (() => void) | null;
  onerror: ((event: { preventDefault?(): void }) => void) | null;
}

interface Place {
  readonly Worker?: new (url: string, options?: { readonly type: 'module' }) => WebWorker;
  readonly navigator?: { readonly hardwareConcurrency?: number };
  /** Deno's workers are all modules. */
  readonly Deno?: unknown;
}

const place = globalThis as Place;

export const portableHost: Host = {
  nextTurn: (run) => void nextTurn(run),
  after(milliseconds, run) {
    const timer = after(run, milliseconds);
    (timer as { unref?: () => void }).unref?.();
    return () => stop(timer);
  },
  hex,
  platformMaxBytes: 2 ** 22,
  cores: featureOf(place, 'navigator')?.hardwareConcurrency ?? 1,
  startWorker,
};

let url: Promise<string> | undefined;

/** Returns a URL of the worker's source text; loaded with the first worker. */
function workerUrl(): Promise<string> {
  url ??= import('./worker-source.browser.js').then(({ source }) => {
    if (source === '') throw new Error('this build has no source for workers');
    return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  });
  return url;
}

function startWorker({ message, lost }: WorkerEvents): WorkerHandle | undefined {
  const Worker = featureOf(place, 'Worker');
  const Deno = featureOf(place, 'Deno');
  if (Worker === undefined) return undefined;
  let worker: WebWorker | undefined;
  let over = false;
  const waiting: [unknown, ArrayBuffer[]][] = [];
  const lose = (): void => {
    if (over) return;
    over = true;
    worker?.terminate();
    lost(false);
  };
  workerUrl()
    .then((name) => {
      if (over) return;
      worker = Deno === undefined ? new Worker(name) : new Worker(name, { type: 'module' });
      worker.onmessage = ({ data }) => message(data);
      worker.onmessageerror = lose;
      worker.onerror = (event) => {
        // The call reports the error; the page must not report it again.
        event.preventDefault?.();
        lose();
      };
      for (const [sent, transfer] of waiting.splice(0)) worker.postMessage(sent, transfer);
    })
    .catch(lose);
  return {
    post(sent, transfer) {
      if (worker === undefined) waiting.push([sent, transfer]);
      else worker.postMessage(sent, transfer);
    },
    end() {
      over = true;
      worker?.terminate();
    },
    // Pages do not wait for workers.
    hold: () => {},
  };
}
