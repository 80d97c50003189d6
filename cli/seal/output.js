// The output. A file is written under a temporary name in the same directory and renamed when it is
// complete and synced. Until then its name is absent or the previous file.

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

const { onExit } = require('../cleanup.js');
const { UserError, reason, displayName } = require('../ui.js');

/** Only the owner may read keys and opened files. */
const FILE_MODE = 0o600;

/**
 * @typedef {object} Output
 * @property {(bytes: Uint8Array) => Promise<void>} write
 * @property {() => void} complete renames the file to its final name
 * @property {() => void} discard removes it
 */

/** Throws if the name exists, before any work is done. @param {string | Buffer} path */
function checkOutput(path, force) {
  const stats = found(path);
  if (stats?.isDirectory()) throw new UserError(`${displayName(path)}: Is a directory`);
  if (stats !== undefined && isReplaceable(stats) && !force) throw taken(path);
}

/**
 * Returns true for what is replaced: regular files and dangling links. Devices and pipes are
 * written to.
 */
const isReplaceable = (stats) => stats.isFile() || stats.isSymbolicLink();

const taken = (path) =>
  new UserError(`${displayName(path)}: File exists (use --force to replace it)`);

/** @returns {Output} */
function openOutput(path, force) {
  if (path === '-') return { write: (bytes) => writeAll(1, bytes), complete() {}, discard() {} };
  const stats = found(path);
  if (stats !== undefined && !isReplaceable(stats)) return writable(path);
  // A link stays; its target is replaced.
  const target = stats?.isFile()
    ? typeof path === 'string'
      ? realpathSync.native(path)
      : realpathSync.native(path, 'buffer')
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
      // It was already removed.
    }
  };
  // Before the file exists, because a signal may arrive at any time.
  const removeCleanup = onExit(remove);
  try {
    ({ temporary, fd } = create(target, path));
    open = true;
  } catch (error) {
    removeCleanup();
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
      removeCleanup();
      syncDirectory(beside(target, ''));
    },
    discard() {
      removeCleanup();
      remove();
    },
  };
}

function create(target, shownAs) {
  const random = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  const temporary = beside(target, `.millrace-${random}.tmp`);
  return { temporary, fd: attempt(shownAs, () => openSync(temporary, 'wx', FILE_MODE)) };
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
      // Another process made standard output non-blocking, and it is full.
      if (error?.code === 'EAGAIN') setTimeout(resolve, 2, 0);
      else if (error) reject(error);
      else resolve(count);
    });
  });
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

function attempt(path, act) {
  try {
    return act();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${displayName(path)}: ${reason(error)}`);
  }
}

module.exports = { checkOutput, openOutput };
