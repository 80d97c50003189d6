// What must be put right however the process ends: a temporary file, a terminal without echo, a
// line of progress. A signal still ends the process as that signal, so that a shell or make sees
// what happened.

'use strict';

const signals =
  process.platform === 'win32'
    ? ['SIGINT', 'SIGTERM', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** @type {Set<() => void>} */
const pending = new Set();
let listening = false;

/**
 * Has `restore` called if the process is ended by a signal or by `process.exit`. It must be
 * synchronous, and not throw.
 *
 * @returns {() => void} takes that back
 */
function atEnd(restore) {
  if (!listening) {
    listening = true;
    for (const signal of signals) process.on(signal, endBySignal);
    process.on('exit', restoreAll);
  }
  pending.add(restore);
  return () => {
    pending.delete(restore);
    // With nothing to restore a signal works as ever, even while the event loop is held.
    if (pending.size > 0) return;
    listening = false;
    for (const signal of signals) process.off(signal, endBySignal);
    process.off('exit', restoreAll);
  };
}

function restoreAll() {
  for (const restore of [...pending]) {
    pending.delete(restore);
    restore();
  }
}

function endBySignal(signal) {
  restoreAll();
  for (const each of signals) process.off(each, endBySignal);
  process.kill(process.pid, signal);
}

module.exports = { atEnd, endBySignal };
