// Cleanup that must run however the process ends: removing a temporary file, switching the
// terminal's echo on again, clearing the progress line. A signal still ends the process by that
// signal, so that a shell or make sees it.

'use strict';

/** @type {NodeJS.Signals[]} */
const signals =
  process.platform === 'win32'
    ? ['SIGINT', 'SIGTERM', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** @type {Set<() => void>} */
const pending = new Set();
let listening = false;

/**
 * Calls `cleanup` if a signal or `process.exit` ends the process. It must be synchronous and must
 * not throw.
 *
 * @param {() => void} cleanup
 * @returns {() => void} removes it again
 */
function onExit(cleanup) {
  if (!listening) {
    listening = true;
    for (const signal of signals) process.on(signal, exitBySignal);
    process.on('exit', cleanUp);
  }
  pending.add(cleanup);
  return () => {
    pending.delete(cleanup);
    // Without a handler a signal ends the process even while the event loop is blocked.
    if (pending.size > 0) return;
    listening = false;
    for (const signal of signals) process.off(signal, exitBySignal);
    process.off('exit', cleanUp);
  };
}

function cleanUp() {
  for (const cleanup of pending) {
    pending.delete(cleanup);
    cleanup();
  }
}

/** @param {NodeJS.Signals} signal */
function exitBySignal(signal) {
  cleanUp();
  for (const each of signals) process.off(each, exitBySignal);
  process.kill(process.pid, signal);
}

module.exports = { exitBySignal, onExit };
