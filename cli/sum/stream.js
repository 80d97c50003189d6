// Hashes one file in blocks and reads the next blocks meanwhile. A tree hash gets blocks large
// enough for all cores, the others blocks that fit into a core's cache.

'use strict';

const { fstat, read } = require('node:fs');

const treeHashes = new Set(['blake3']);
const TREE_BLOCK_BYTES = 8 * 1024 * 1024;
const BLOCK_BYTES = 2 * 1024 * 1024;
const BLOCKS = 3;
/**
 * Bytes before a block, up to a cache line: large memory begins 16 bytes after a page does, and to
 * there Zen 3 copies from the page cache at 2 GB/s instead of 11.
 */
const LEAD = 48;
/** A block is read in parts at once: one core copies 8 GB/s out of the page cache. */
const PART_BYTES = 4 * 1024 * 1024;

/**
 * Feeds a file to a hasher.
 *
 * @param {any} hasher
 * @param {number} file a file descriptor
 * @param {string} algorithm
 * @param {{ threads: number, add: (bytes: number) => void }} options
 */
async function digestStream(hasher, file, algorithm, { threads, add }) {
  const regular = await sizeOf(file);
  const size = treeHashes.has(algorithm) && threads > 1 ? TREE_BLOCK_BYTES : BLOCK_BYTES;
  const slots = Array.from({ length: BLOCKS }, () => ({ memory: undefined, hashing: undefined }));
  let at = 0;
  for (let turn = 0; ; turn++) {
    const slot = slots[turn % BLOCKS];
    await slot.hashing;
    slot.memory ??= Buffer.allocUnsafeSlow(
      LEAD + (regular === undefined ? size : Math.max(Math.min(size, regular), 65536)),
    ).subarray(LEAD);
    // Parts need a position and a size, which a pipe lacks.
    const count = await (regular !== undefined && at < regular
      ? readParts(file, slot.memory, at)
      : fill(file, slot.memory, regular === undefined ? null : at));
    if (count === 0) break;
    at += count;
    slot.hashing = hasher.updateAsync(slot.memory, 0, count).then(() => add(count));
    slot.hashing.catch(() => {});
  }
  for (const { hashing } of slots) await hashing;
}

/** Returns the size of a regular file. Files in /proc report 0 and are read like pipes. */
function sizeOf(file) {
  return new Promise((resolve, reject) =>
    fstat(file, (error, stats) =>
      error ? reject(error) : resolve(stats.isFile() && stats.size > 0 ? stats.size : undefined),
    ),
  );
}

/**
 * Fills a block with parallel reads. After a short read the next call continues from there.
 */
async function readParts(file, memory, position) {
  const counts = await Promise.all(
    Array.from({ length: Math.ceil(memory.length / PART_BYTES) }, (_, index) => {
      const from = index * PART_BYTES;
      return readSome(
        file,
        memory,
        from,
        Math.min(PART_BYTES, memory.length - from),
        position + from,
      );
    }),
  );
  let total = 0;
  for (const [index, count] of counts.entries()) {
    total += count;
    if (count < Math.min(PART_BYTES, memory.length - index * PART_BYTES)) break;
  }
  return total;
}

/** Fills a block from a pipe, which gives at most 64 KiB at a time. */
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
