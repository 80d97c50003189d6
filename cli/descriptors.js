// Asynchronous reads and writes of file descriptors, also of those that another process made
// non-blocking: they fail with EAGAIN while a pipe is empty or full.

'use strict';

const fs = require('node:fs');
const { promisify } = require('node:util');

const read = promisify(fs.read);
const write = promisify(fs.write);
const RETRY_MS = 2;

async function whenReady(act) {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Resolves to the number of bytes read, 0 at the end. A pipe gives at most 64 KiB at a time. */
async function readSome(fd, bytes, position = null) {
  const { bytesRead } = await whenReady(() => read(fd, bytes, 0, bytes.length, position));
  return bytesRead;
}

/** Reads until `bytes` is full. Resolves to the number of bytes read, fewer at the end. */
async function fill(fd, bytes, position = null) {
  let total = 0;
  for (let got = 1; got > 0 && total < bytes.length; total += got)
    got = await readSome(fd, bytes.subarray(total), position === null ? null : position + total);
  return total;
}

async function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await whenReady(() => write(fd, bytes, at, bytes.length - at, null));
    at += bytesWritten;
  }
}

module.exports = { fill, readSome, writeAll };
