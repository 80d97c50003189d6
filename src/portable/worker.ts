/**
 * What runs in a worker: one errand after the other.
 */
import { Operation } from '../request/frame.js';
import {
  deriveRequest,
  webcryptoRequest,
  runRequest,
  type WorkerRequest,
  type Outcome,
  type WorkerResponse,
} from './worker-messages.js';
import { inJavaScript } from './hashes/wasm-switches.js';
import type { Progress } from './kdf/index.js';
import { isCipher, measure } from './cost-model.js';

/** A worker's end of the way to the thread that has started it. */
export interface Port {
  post(response: WorkerResponse, transfer: ArrayBuffer[]): void;
  listen(receive: (request: WorkerRequest) => void): void;
}

/** Milliseconds between two reports of how far a derivation has come. */
const PROGRESS_INTERVAL_MS = 20;

/**
 * From so many bytes of a message on WebAssembly is asked for; to compile it takes a few
 * milliseconds, once a thread.
 */
const WASM_MIN_BYTES = 64 * 1024;

/** Runs what comes, until somebody ends the thread: in that order, and so are the answers. */
export function serve(port: Port): void {
  let previous: Promise<void> = Promise.resolve();
  port.listen((request) => {
    previous = previous.then(() => work(port, request)).catch(fail);
  });
  port.post({ type: 'ready' }, []);
}

async function work(port: Port, request: WorkerRequest): Promise<void> {
  const { derivation } = request;
  const progress = request.reportsProgress ? reporter(port) : undefined;
  answer(
    port,
    request,
    await (derivation === undefined
      ? run(request, progress)
      : deriveRequest(request, derivation, progress)),
  );
}

async function run(request: WorkerRequest, progress: Progress | undefined): Promise<Outcome> {
  const served = await webcryptoRequest(request);
  if (served !== undefined) return served;
  await prepared(request);
  return runRequest(request, progress);
}

/**
 * Ends the worker, which its owner hears of; a promise that is rejected would not be heard of
 * everywhere.
 */
function fail(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}

/** A long message is hashed by WebAssembly, where that may be had. */
async function prepared({ operation, algorithm, source }: WorkerRequest): Promise<void> {
  const many = operation === Operation.HashMany || operation === Operation.HmacMany;
  if (many || isCipher(operation) || source.length < WASM_MIN_BYTES) return;
  try {
    const { prepareWasm } = await import('./hashes/wasm.js');
    await prepareWasm(algorithm);
  } catch {
    // JavaScript it is.
  }
}

function reporter(port: Port): (fraction: number) => void {
  let told = Date.now();
  return (fraction) => {
    const now = Date.now();
    if (now - told < PROGRESS_INTERVAL_MS) return;
    told = now;
    port.post({ type: 'progress', fraction }, []);
  };
}

/**
 * Memory from so many bytes on goes back with the answer: the pages of fresh memory cost more than
 * copying to them.
 */
const SPARE_MIN_BYTES = 1024 * 1024;

function answer(
  port: Port,
  { measure: wanted, operation, algorithm, source }: WorkerRequest,
  { status, target, tag }: Outcome,
): void {
  // What is given away must be all of its buffer: a text, a tag, or both in one.
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
  else port.post({ type: 'end', status, target, tag }, transfer);
  if (!wanted) return;
  // In JavaScript, as the cost is that of work in the thread which asks.
  const cost = isCipher(operation)
    ? measure(operation, algorithm)
    : inJavaScript(algorithm, () => measure(operation, algorithm));
  if (cost !== undefined) port.post({ type: 'cost', operation, algorithm, cost }, []);
}
