/**
 * The worker of the portable engine in Node.js.
 */
import { parentPort } from 'node:worker_threads';
import { serve } from '../portable/worker.js';

serve({
  post: (response, transfer) => parentPort!.postMessage(response, transfer),
  listen(receive) {
    parentPort!.on('message', receive);
    // An unreadable message is never answered: the thread ends, which its owner detects.
    parentPort!.on('messageerror', (error) => {
      throw error;
    });
  },
});
