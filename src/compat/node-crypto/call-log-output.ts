/**
 * Prints counts of calls when the process or worker exits, if MILLRACE_REGISTER_LOG asks for it.
 */
import { callLog, callTable } from './call-log.js';

type WorkerThreads = typeof import('node:worker_threads');

const STDERR = 2;

/** Returns true if calls are counted. Called once for each register entry point that is loaded. */
export function logCalls(): boolean {
  const { env } = process;
  if (!Object.hasOwn(env, 'MILLRACE_REGISTER_LOG') || env.MILLRACE_REGISTER_LOG !== '1')
    return false;
  if (callLog.on) return true;
  callLog.on = true;
  process.on('exit', () => {
    // Not before: they take longer to load than the rest.
    const fs = require('node:fs') as typeof import('node:fs');
    const { isMainThread, threadId } = require('node:worker_threads') as WorkerThreads;
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
