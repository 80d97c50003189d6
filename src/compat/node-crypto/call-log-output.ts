/** Prints counts of calls when the process or worker exits, if MILLRACE_REGISTER_LOG asks for it. */
import fs = require('node:fs');
import workerThreads = require('node:worker_threads');
import { callLog, callTable } from './call-log.js';

const STDERR = 2;

/** Returns true if calls are counted. Called once for each register entry point that is loaded. */
export function logCalls(): boolean {
  if (process.env.MILLRACE_REGISTER_LOG !== '1') return false;
  if (callLog.on) return true;
  callLog.on = true;
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
  return true;
}
