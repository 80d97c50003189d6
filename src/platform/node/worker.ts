/**
 * What a worker of the portable engine runs in Node.js.
 */
import { parentPort } from 'node:worker_threads';
import { serve } from '../../portable/worker.js';

serve({
  post: (response, transfer) => parentPort!.postMessage(response, transfer),
  listen(receive) {
    parentPort!.on('message', receive);
    // What cannot be read is never answered: the thread ends, and its owner knows.
    parentPort!.on('messageerror', (error) => {
      throw error;
    });
  },
});
