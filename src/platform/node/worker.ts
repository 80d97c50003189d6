/**
 * What a worker of the portable engine runs in Node.js.
 */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../portable/worker.js';

serve({
  post: (tiding, transfer) => parentPort!.postMessage(tiding, transfer),
  listen(hear) {
    parentPort!.on('message', hear);
    // What cannot be read is never answered: the thread ends, and its owner knows.
    parentPort!.on('messageerror', (error) => {
      throw error;
    });
  },
});
