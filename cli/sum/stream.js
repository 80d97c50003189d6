// One large message, read in blocks while the blocks before are hashed. A block is as large as its
// hash can use: a hash that is worked on by several cores gets so much that each has a share worth
// having, the others get what still fits a core's cache.

'use strict';

const { fstat, read } = require('node:fs');

/** The only hash that is a tree. */
const forManyCores = new Set(['blake3']);
const largeBlock = 8 * 1024 * 1024;
const block = 2 * 1024 * 1024;
const blocks = 3;
/**
 * Where reads of parts of a block wait for one another, copying out of the page cache is what takes
 * the time: 8 GB/s a core.
 */
const part = 4 * 1024 * 1024;

/**
 * Feeds a file to a hasher.
 *
 * @param {number} file open
 * @param {{ threads: number, add: (bytes: number) => void }} options
 */
async function digestStream(hasher, file, algorithm, { threads, add }) {
  const regular = await sizeOf(file);
  const size = forManyCores.has(algorithm) && threads > 1 ? largeBlock : block;
  const rooms = Array.from({ length: blocks }, () => ({ memory: undefined, hashing: undefined }));
  let at = 0;
  for (let turn = 0; ; turn++) {
    const room = rooms[turn % blocks];
    await room.hashing;
    room.memory ??= Buffer.allocUnsafeSlow(
      regular === undefined ? size : Math.max(Math.min(size, regular), 65536),
    );
    // By position, in parts at once, only where there is a position and a size; a pipe gives what
    // it has.
    const count = await (regular !== undefined && at < regular
      ? readParts(file, room.memory, at)
      : fill(file, room.memory, regular === undefined ? null : at));
    if (count === 0) break;
    at += count;
    room.hashing = hasher.updateAsync(room.memory, 0, count).then(() => add(count));
    room.hashing.catch(() => {});
  }
  for (const { hashing } of rooms) await hashing;
}

/** Size of a regular file; those of /proc say 0 and are read like pipes. */
function sizeOf(file) {
  return new Promise((resolve, reject) =>
    fstat(file, (error, stats) =>
      error ? reject(error) : resolve(stats.isFile() && stats.size > 0 ? stats.size : undefined),
    ),
  );
}

/**
 * Fills a block from several threads. Where one part comes back short that is the end, or the next
 * call starts there.
 */
async function readParts(file, memory, position) {
  const counts = await Promise.all(
    Array.from({ length: Math.ceil(memory.length / part) }, (_, index) => {
      const from = index * part;
      return readSome(file, memory, from, Math.min(part, memory.length - from), position + from);
    }),
  );
  let total = 0;
  for (const [index, count] of counts.entries()) {
    total += count;
    if (count < Math.min(part, memory.length - index * part)) break;
  }
  return total;
}

/** A pipe gives 64 KiB at a time at most; the hash is asked less often than that. */
async function fill(file, memory, position) {
  let total = 0;
  while (total < memory.length) {
    const count = await readSome(
      file,
      memory,
      total,
      memory.length - total,
      position === null ? null : position + total,
    );
    total += count;
    if (count === 0) break;
  }
  return total;
}

function readSome(file, memory, offset, size, position) {
  return new Promise((resolve, reject) => {
    read(file, memory, offset, size, position, (error, count) => {
      if (error?.code === 'EAGAIN')
        setTimeout(() => readSome(file, memory, offset, size, position).then(resolve, reject), 2);
      else if (error) reject(error);
      else resolve(count);
    });
  });
}

module.exports = { digestStream };
