/**
 * The worker of the portable engine in Node.js.
 */
import { parentPort } from 'node:worker_threads';
import { hashes } from '../catalog/catalog-table.js';
import { serve } from '../portable/worker.js';
import { pbkdf2Request } from '../portable/worker-messages.js';

serve({
  // Not WebCrypto: its keys stay in memory until they are collected, and nothing collects an idle
  // worker's.
  tryPlatform: (request) =>
    pbkdf2Request(request, (hash, password, salt, iterations, size) => {
      const { pbkdf2Sync } = require('node:crypto') as typeof import('node:crypto');
      const { name } = hashes[hash]!;
      return /^sha\d+$/.test(name) ? pbkdf2Sync(password, salt, iterations, size, name) : undefined;
    }),
  post: (response, transfer) => parentPort!.postMessage(response, transfer),
  listen(receive) {
    parentPort!.on('message', receive);
    // An unreadable message is never answered: the thread ends, which its owner detects.
    parentPort!.on('messageerror', (error) => {
      throw error;
    });
  },
});
