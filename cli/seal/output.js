// Where the result goes. Into a file it goes under another name in the same folder, and gets its
// own only when it is complete and on the disk: whatever happens before, there is either no file of
// that name or the one that was there.

'use strict';

const {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
} = require('node:fs');
const { dirname, join } = require('node:path');

const { atEnd } = require('../endings.js');
const { Problem, reason, shown } = require('../ui.js');

/** For the owner alone: the one is a secret, and the other is nobody else's business. */
const mode = 0o600;

/**
 * @typedef {object} Output
 * @property {(bytes: Uint8Array) => Promise<void>} write
 * @property {() => void} complete makes it the file of that name
 * @property {() => void} discard leaves nothing
 */

/** Refuses a name that is taken, before any work is done. @param {string | Buffer} path */
function checkOutput(path, force) {
  const stats = found(path);
  if (stats?.isDirectory()) throw new Problem(`${shown(path)}: Is a directory`);
  if (stats !== undefined && isReplaced(stats) && !force) throw taken(path);
}

/**
 * A file is, and a link that leads nowhere. A device or a pipe is written to; there is nothing to
 * rename.
 */
const isReplaced = (stats) => stats.isFile() || stats.isSymbolicLink();

const taken = (path) => new Problem(`${shown(path)}: File exists (--force replaces it)`);

/** @returns {Output} */
function openOutput(path, force) {
  if (path === '-') return { write: (bytes) => writeAll(1, bytes), complete() {}, discard() {} };
  const stats = found(path);
  if (stats !== undefined && !isReplaced(stats)) return writable(path);
  // A link stays a link: what it leads to is replaced.
  const target = stats?.isFile()
    ? realpathSync.native(path, typeof path === 'string' ? 'utf8' : 'buffer')
    : path;
  let temporary;
  let fd;
  let open = false;
  const close = () => {
    if (open) closeSync(fd);
    open = false;
  };
  const remove = () => {
    try {
      close();
      unlinkSync(temporary);
    } catch {
      // It is gone already.
    }
  };
  // Before there is something to remove: a signal may come at any time.
  const forget = atEnd(remove);
  try {
    ({ temporary, fd } = create(target, path));
    open = true;
  } catch (error) {
    forget();
    throw error;
  }
  return {
    write: (bytes) => writeAll(fd, bytes),
    complete() {
      attempt(path, () => {
        fsyncSync(fd);
        close();
        place(temporary, target, force, path);
      });
      forget();
      syncFolder(beside(target, ''));
    },
    discard() {
      forget();
      remove();
    },
  };
}

function create(target, shownAs) {
  const random = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  const temporary = beside(target, `.millrace-${random}.tmp`);
  return { temporary, fd: attempt(shownAs, () => openSync(temporary, 'wx', mode)) };
}

/** Another name in the folder of `path`, which may be bytes that are no text. */
function beside(path, name) {
  if (typeof path === 'string') return join(dirname(path), name);
  return Buffer.from(join(dirname(path.latin1Slice()), name), 'latin1');
}

/**
 * Without --force by a link, which fails if somebody else took the name meanwhile; where there are
 * no links, by a look and a rename.
 */
function place(temporary, target, force, shownAs) {
  if (!force) {
    try {
      linkSync(temporary, target);
      unlinkSync(temporary);
      return;
    } catch (error) {
      if (error.code === 'EEXIST') throw taken(shownAs);
      if (found(target) !== undefined) throw taken(shownAs);
    }
  }
  renameSync(temporary, target);
}

function writable(path) {
  const fd = attempt(path, () => openSync(path, 'w'));
  return {
    write: (bytes) => writeAll(fd, bytes),
    complete: () => attempt(path, () => closeSync(fd)),
    discard: () => closeSync(fd),
  };
}

async function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length;) at += await writeSome(fd, bytes, at);
}

function writeSome(fd, bytes, at) {
  return new Promise((resolve, reject) => {
    write(fd, bytes, at, bytes.length - at, null, (error, count) => {
      // Somebody made standard output non-blocking, and it is full.
      if (error?.code === 'EAGAIN') setTimeout(resolve, 2, 0);
      else if (error) reject(error);
      else resolve(count);
    });
  });
}

/** So that the name is on the disk too. Not every system lets a folder be opened. */
function syncFolder(folder) {
  try {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // Then it will be there when the system writes it.
  }
}

function found(path) {
  try {
    return statSync(path);
  } catch {
    // A link that leads nowhere is still a name that is taken.
    try {
      return lstatSync(path);
    } catch {
      return undefined;
    }
  }
}

function attempt(path, act) {
  try {
    return act();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${shown(path)}: ${reason(error)}`);
  }
}

module.exports = { checkOutput, openOutput };
