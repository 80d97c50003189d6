/**
 * The worker's side of the pool: runs one request after the other.
 */
import {
  receiveModules,
  runRequest,
  type WorkerRequest,
  type Outcome,
  type WorkerResponse,
} from './worker-messages.js';
import { measure } from './cost-model.js';
import { provideCiphers } from './ciphers.js';
import { provideDigests } from './digests.js';
import { keepMemory } from './families/derivations.js';
import { provideParts } from './parts.js';
import { providePasswords } from './passwords.js';

/** A worker's channel to the thread that started it. */
export interface Port {
  /** Runs a request with the platform's own functions; undefined if these do not serve it. */
  tryPlatform(request: WorkerRequest): Promise<Outcome | undefined> | Outcome | undefined;
  post(response: WorkerResponse, transfer: ArrayBuffer[]): void;
  listen(receive: (request: WorkerRequest) => void): void;
}

/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 20;

/** Runs requests in order and answers in order, until the thread is ended. */
export function serve(port: Port): void {
  provideDigests();
  provideCiphers();
  provideParts();
  providePasswords();
  keepMemory();
  let previous: Promise<void> = Promise.resolve();
  port.listen((request) => {
    previous = previous.then(() => work(port, request)).catch(fail);
  });
  port.post({ type: 'ready' }, []);
}

async function work(port: Port, request: WorkerRequest): Promise<void> {
  receiveModules(request);
  const pause = request.reportsProgress ? reporter(port) : () => false;
  answer(port, request, (await port.tryPlatform(request)) ?? runRequest(request, pause));
}

/** Ends the worker, so that its owner is notified; not every runtime reports a rejected promise. */
function fail(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}

function reporter(port: Port): (fraction: number) => boolean {
  let lastReport = Date.now();
  return (fraction) => {
    const now = Date.now();
    if (now - lastReport >= PROGRESS_INTERVAL_MS) {
      lastReport = now;
      port.post({ type: 'progress', fraction }, []);
    }
    return false;
  };
}

/**
 * Source memory of at least this size returns with the answer: the page faults of fresh memory cost
 * more than copying.
 */
const SPARE_MIN_BYTES = 1024 * 1024;

function answer(
  port: Port,
  { measure: wanted, operation, algorithm, source }: WorkerRequest,
  { status, target, tag }: Outcome,
): void {
  // Transferred memory must be a whole buffer: a text, a tag, or both in one.
  const oneBuffer =
    tag.length > 0 &&
    target.buffer === tag.buffer &&
    target.length + tag.length === target.buffer.byteLength;
  const transfer = oneBuffer
    ? [target.buffer as ArrayBuffer]
    : [target, tag]
        .filter(({ buffer, length }) => length > 0 && buffer.byteLength === length)
        .map(({ buffer }) => buffer as ArrayBuffer);
  const spare = source.buffer as ArrayBuffer;
  if (spare.byteLength >= SPARE_MIN_BYTES && spare !== target.buffer && spare !== tag.buffer)
    port.post({ type: 'end', status, target, tag, spare }, [...transfer, spare]);
  else port.post({ type: 'end', status, target, tag, spare: undefined }, transfer);
  if (!wanted) return;
  const cost = measure(operation, algorithm);
  if (cost !== undefined) port.post({ type: 'cost', operation, algorithm, cost }, []);
}
