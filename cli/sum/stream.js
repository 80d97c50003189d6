// Hashes one file in blocks and reads the next blocks meanwhile. A tree hash gets blocks large
// enough for all cores, the others blocks that fit into a core's cache.

'use strict';

const { fstat } = require('node:fs');
const { promisify } = require('node:util');

const { fill, readSome } = require('../descriptors.js');

const stat = promisify(fstat);

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
  const stats = await stat(file);
  // Files in /proc report 0 and are read like pipes.
  const regular = stats.isFile() && stats.size > 0 ? stats.size : undefined;
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
    // A terminal has an end once: another read would wait for a second Ctrl-D.
    if (regular === undefined && count < slot.memory.length) break;
  }
  for (const { hashing } of slots) await hashing;
}

/**
 * Fills a block with parallel reads. After a short read the next call continues from there.
 */
async function readParts(file, memory, position) {
  const parts = Array.from({ length: Math.ceil(memory.length / PART_BYTES) }, (_, index) =>
    memory.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  );
  const counts = await Promise.all(
    parts.map((part, index) => readSome(file, part, position + index * PART_BYTES)),
  );
  let total = 0;
  for (const [index, count] of counts.entries()) {
    total += count;
    if (count < parts[index].length) break;
  }
  return total;
}

module.exports = { digestStream };
