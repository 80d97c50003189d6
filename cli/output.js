// Output files. A file is written under a temporary name in the same directory and renamed when it
// is complete and synced. Until then its name is absent or the previous file.

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
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');

const { onExit } = require('./cleanup.js');
const { writeAll } = require('./descriptors.js');
const { FileError, attempt } = require('./ui.js');

/** Only the owner may read keys and opened files. */
const PRIVATE_MODE = 0o600;

/**
 * @typedef {object} Output
 * @property {(bytes: Uint8Array) => Promise<void>} write
 * @property {(text: string) => void} writeNow returns when the text is written
 * @property {() => void} complete renames the file to its final name
 * @property {() => void} discard removes it, unless it is complete
 */

/** Throws if the name exists, before any work is done. @param {string | Buffer} path */
function checkOutput(path, force) {
  const stats = found(path);
  if (stats?.isDirectory()) throw new FileError(path, 'Is a directory');
  if (stats !== undefined && isReplaceable(stats) && !force) throw taken(path);
}

/**
 * Returns true for what is replaced: regular files and dangling links. Devices and pipes are
 * written to.
 */
const isReplaceable = (stats) => stats.isFile() || stats.isSymbolicLink();

const taken = (path) => new FileError(path, 'File exists (use --force to replace it)');

/**
 * @param {string | Buffer} path
 * @param {{ force?: boolean, mode?: number }} options
 * @returns {Output}
 */
function openOutput(path, { force = false, mode = PRIVATE_MODE }) {
  const stats = found(path);
  const direct = stats !== undefined && !isReplaceable(stats);
  // A link stays; its target is replaced.
  const target = stats?.isFile()
    ? typeof path === 'string'
      ? realpathSync.native(path)
      : realpathSync.native(path, 'buffer')
    : path;
  const random = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  const temporary = beside(target, `.millrace-${random}.tmp`);
  let fd;
  const close = () => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  const remove = () => {
    try {
      close();
      if (!direct) unlinkSync(temporary);
    } catch {
      // It was already removed or renamed.
    }
  };
  // Before the file exists, because a signal may arrive at any time.
  const removeCleanup = onExit(remove);
  try {
    fd = attempt(path, () => (direct ? openSync(path, 'w') : openSync(temporary, 'wx', mode)));
  } catch (error) {
    removeCleanup();
    throw error;
  }
  return {
    write: (bytes) => writeAll(fd, bytes),
    writeNow: (text) => attempt(path, () => writeFileSync(fd, text)),
    complete() {
      attempt(path, () => {
        if (!direct) fsyncSync(fd);
        close();
        if (!direct) place(temporary, target, force, path);
      });
      removeCleanup();
      if (!direct) syncDirectory(beside(target, ''));
    },
    discard() {
      removeCleanup();
      remove();
    },
  };
}

/** Returns another name in the directory of `path`, which may be bytes that are not UTF-8. */
function beside(path, name) {
  if (typeof path === 'string') return join(dirname(path), name);
  return Buffer.from(join(dirname(path.latin1Slice()), name), 'latin1');
}

/**
 * Gives the file its name. Without --force this is a hard link, which fails if the name has been
 * taken meanwhile. A file system without hard links gets a check and a rename.
 */
function place(temporary, target, force, shownAs) {
  if (!force) {
    try {
      linkSync(temporary, target);
      unlinkSync(temporary);
      return;
    } catch (error) {
      if (error.code === 'EEXIST' || found(target) !== undefined) throw taken(shownAs);
    }
  }
  renameSync(temporary, target);
}

/** Syncs the new name too. Not every system can open a directory. */
function syncDirectory(directory) {
  try {
    const fd = openSync(directory, 'r');
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // The system writes it later.
  }
}

function found(path) {
  try {
    return statSync(path);
  } catch {
    // A dangling link is a name that is taken.
    try {
      return lstatSync(path);
    } catch {
      return undefined;
    }
  }
}

module.exports = { checkOutput, openOutput };
