/**
 * What a worker of the portable engine runs in Node.js.
 */
import { parentPort } from 'node:worker_threads';
import { serve } from '../portable/worker.js';

serve({
  post: (tiding, transfer) => parentPort!.postMessage(tiding, transfer),
  listen: (hear) => void parentPort!.on('message', hear),
});
