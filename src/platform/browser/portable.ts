/**
 * What the portable engine needs of its place, in browsers and other runtimes of the web platform:
 * workers are made from a text, so that no file has to be found, and no server has to send a
 * header.
 */
import { after, hex, nextTurn, stop } from './runtime.js';
import type { Host, WorkerHandle, WorkerEvents } from '../../portable/host.js';

/** A dedicated worker, as far as it is used. */
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
  /** A runtime whose workers are all modules. */
  readonly Deno?: unknown;
}

const { Worker, navigator, Deno } = globalThis as Place;

export const portableHost: Host = {
  nextTurn: (run) => void nextTurn(run),
  after(milliseconds, run) {
    const timer = after(run, milliseconds);
    (timer as { unref?: () => void }).unref?.();
    return () => stop(timer);
  },
  hex,
  platformMaxBytes: 2 ** 22,
  cores: navigator?.hardwareConcurrency ?? 1,
  startWorker,
};

let url: Promise<string> | undefined;

/** The text of a worker, under a name; loaded when the first one is wanted. */
function workerUrl(): Promise<string> {
  url ??= import('./worker-source.js').then(({ source }) => {
    if (source === '') throw new Error('this build has no source for workers');
    return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  });
  return url;
}

function startWorker({ message, lost }: WorkerEvents): WorkerHandle | undefined {
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
        // It is told as the error of a call; the page shall not hear of it twice.
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
    // Pages do not wait for anybody.
    hold: () => {},
  };
}
