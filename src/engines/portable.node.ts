/**
 * The portable engine's host in Node.js: workers are worker_threads.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { clearTimeout as forget, setImmediate as nextTurn, setTimeout as later } from 'node:timers';
import type { WorkerOptions } from 'node:worker_threads';
import type { Host, WorkerHandle, WorkerEvents } from '../portable/host.js';
import { hexOf } from '../base/hex.js';
import { folder } from '../base/place.node.js';

/** Up to this many bytes are faster without a call of Node.js. */
const FEW = 8;

export const portableHost: Host = {
  nextTurn,
  after(milliseconds, run) {
    const timer = later(run, milliseconds).unref();
    return () => forget(timer);
  },
  hex: (bytes, start, end) =>
    end - start <= FEW
      ? hexOf(bytes, start, end)
      : (Buffer.isBuffer(bytes) ? bytes : viewOf(bytes)).toString('hex', start, end),
  platformMaxBytes: Infinity,
  cores: availableParallelism(),
  startWorker,
};

/** Returns undefined if a bundle lacks the worker's file. */
function startWorker({ message, lost }: WorkerEvents): WorkerHandle | undefined {
  const entry = workerFile();
  if (entry === undefined || !existsSync(entry)) return undefined;
  // Loaded here, as it takes 2 ms.
  const { Worker } = require('node:worker_threads') as typeof import('node:worker_threads');
  // The program's own flags (a loader, a test runner's setup) do not apply to a worker.
  const worker = new Worker(entry, {
    __proto__: null,
    execArgv: [],
    env: {},
    stdin: false,
  } as WorkerOptions);
  let memory = false;
  worker.on('message', message);
  worker.on('error', (error: Error & { code?: string }) => {
    memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  });
  worker.on('messageerror', () => void worker.terminate());
  worker.on('exit', () => lost(memory));
  worker.unref();
  return {
    post: (sent, transfer) => worker.postMessage(sent, transfer),
    end: () => void worker.terminate(),
    hold: (open) => void (open ? worker.ref() : worker.unref()),
  };
}

/**
 * Returns the worker's file. In CommonJS through `__dirname`, because tools that trace files follow
 * it.
 */
function workerFile(): string | undefined {
  if (typeof __dirname === 'string') return join(__dirname, 'worker.node.js');
  return folder && join(folder, '..', 'engines', 'worker.node.js');
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
