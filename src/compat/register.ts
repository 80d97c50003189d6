/**
 * Puts Millrace in place of node:crypto for a whole program:
 * `node --import millrace/register app.js`, or with `--require`. Worker threads inherit it.
 *
 * @packageDocumentation
 */
import fs = require('node:fs');
import module = require('node:module');
import workerThreads = require('node:worker_threads');
import { callLog, callTable } from './node-crypto/call-log.js';
import { countingFunctions, replacements } from './node-crypto/exports.js';
import { moduleExports } from './node-crypto/original.js';

const STDERR = 2;

if (process.env.MILLRACE_REGISTER_LOG === '1') {
  callLog.on = true;
  Object.assign(moduleExports, countingFunctions());
  process.on('exit', () => {
    const { isMainThread, threadId } = workerThreads;
    const thread = isMainThread ? '' : ` (worker ${threadId})`;
    try {
      // Synchronous: the process ends after this event.
      fs.writeSync(STDERR, `${callTable()}${thread === '' ? '' : `\n${thread.trim()}`}\n`);
    } catch {
      // Standard error was closed.
    }
  });
}
Object.assign(moduleExports, replacements);
// Named imports of node:crypto and crypto in ES modules.
module.syncBuiltinESMExports();
