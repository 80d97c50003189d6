// The input, a file or standard input. The header is read first, then the rest in chunks.

'use strict';

const { closeSync, fstatSync, openSync, statSync } = require('node:fs');

const { fill, readSome } = require('../descriptors.js');
const { FileError } = require('../ui.js');

/** A read returns up to this from a file, and 64 KiB from a pipe. */
const CHUNK_BYTES = 2 ** 20;

/**
 * @param {string | Buffer} file
 * @param {string} [ofDirectory] what is wrong with a directory
 */
function openInput(file, ofDirectory) {
  const name = file === '-' ? 'standard input' : file;
  let fd = 0;
  let size;
  try {
    if (file !== '-') fd = openSync(file, 'r');
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (stats.isFile() && stats.size > 0) size = stats.size;
  } catch (error) {
    if (fd !== 0) closeSync(fd);
    throw new FileError(name, (error.code === 'EISDIR' && ofDirectory) || error);
  }
  /** @type {Buffer[]} */
  const taken = [];
  // A terminal has an end once: another read would wait for a second Ctrl-D.
  let ended = false;
  return {
    name,
    /** In bytes, of a regular file. */
    size,
    /**
     * Returns true if `path` is this regular file.
     *
     * @param {string | Buffer} path
     */
    isAt(path) {
      const there = statSync(path, { bigint: true, throwIfNoEntry: false });
      const here = fstatSync(fd, { bigint: true });
      return (
        here.isFile() && there !== undefined && there.dev === here.dev && there.ino === here.ino
      );
    },
    /**
     * Reads the next bytes, fewer at the end. `chunks` begins with them.
     *
     * @param {number} count
     */
    async take(count) {
      const bytes = Buffer.alloc(count);
      const got = ended ? 0 : await fill(fd, bytes);
      ended = got < count;
      taken.push(bytes.subarray(0, got));
      return taken.at(-1);
    },
    async *chunks() {
      yield* taken;
      // A stream takes a chunk of this size before it asks for the next but one: its memory is used
      // again. It may hold several that are shorter.
      const memory = [];
      for (let turn = 0; !ended; turn ^= 1) {
        const bytes = (memory[turn] ??= Buffer.allocUnsafeSlow(CHUNK_BYTES));
        const got = await readSome(fd, bytes);
        if (got === 0) return;
        if (got < CHUNK_BYTES) memory[turn] = undefined;
        yield bytes.subarray(0, got);
      }
    },
    close() {
      if (fd !== 0) closeSync(fd);
    },
  };
}

module.exports = { openInput };
