// Files that are written at the end of a long run. They are opened at its start, so that an error
// shows then, and renamed when complete.

'use strict';

const { closeSync, openSync, renameSync, statSync, unlinkSync, writeSync } = require('node:fs');

const { UserError, reason, displayName } = require('../ui.js');

/**
 * Opens a file that gets its name when it is complete and replaces an existing one. A device or a
 * pipe is written to directly.
 *
 * @param {string} path
 * @returns {{ write(text: string): void, discard(): void }}
 */
function futureFile(path) {
  const direct = isNoFile(path);
  const name = direct ? path : `${path}.${process.pid}.tmp`;
  const fd = attempt(path, () => openSync(name, direct ? 'w' : 'wx'));
  let open = true;
  const discard = () => {
    if (!open) return;
    open = false;
    closeSync(fd);
    if (!direct) unlinkSync(name);
  };
  return {
    discard,
    write(text) {
      try {
        attempt(path, () => {
          const bytes = Buffer.from(text);
          for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
          if (!direct) renameSync(name, path);
        });
        open = false;
        closeSync(fd);
      } catch (error) {
        discard();
        throw error;
      }
    },
  };
}

function isNoFile(path) {
  const stats = attempt(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) throw new UserError(`${displayName(path)}: Is a directory`);
  return stats !== undefined && !stats.isFile();
}

function attempt(path, act) {
  try {
    return act();
  } catch (error) {
    throw new UserError(`${displayName(path)}: ${reason(error)}`);
  }
}

module.exports = { futureFile };
