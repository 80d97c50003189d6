/**
 * Transforms texts of ciphers in place, as 32-bit words where the memory is aligned, otherwise
 * through an aligned scratch buffer.
 *
 * A word holds four bytes, the first one lowest, on every CPU. On a big-endian CPU (s390x) {@link
 * littleEndianWords} swaps words that share memory with bytes; elsewhere it does nothing.
 */
import { littleEndian } from '../hashes/fields.js';

/** Copies a source to its target, with any overlap. */
export function move(source: Uint8Array, target: Uint8Array): void {
  if (source.buffer === target.buffer && source.byteOffset === target.byteOffset) return;
  target.set(source);
}

/** Transforms words that hold a text's bytes, the first one lowest: whole blocks. */
export type Transform = (words: Int32Array) => void;

/** Bytes of the scratch buffer: whole blocks of every cipher here, within the L1 cache. */
const SCRATCH_BYTES = 4096;
const scratchWords = new Int32Array(SCRATCH_BYTES / 4);
const scratch = new Uint8Array(scratchWords.buffer);

/** Swaps the bytes of words on a big-endian machine, in place, and returns them. */
export function littleEndianWords(words: Int32Array): Int32Array {
  if (!littleEndian)
    for (let index = 0; index < words.length; index++) words[index] = swapped(words[index]!);
  return words;
}

/** The bytes of words, in the words' own memory: the words are not to be used afterwards. */
export function bytesOfWords(words: Int32Array): Uint8Array {
  littleEndianWords(words);
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/**
 * Transforms a text in place, in order. The last block is padded; the result of the padding is
 * dropped.
 */
export function transform(text: Uint8Array, block: 16 | 64, change: Transform): void {
  const each: Transform = littleEndian
    ? change
    : (words) => {
        change(littleEndianWords(words));
        littleEndianWords(words);
      };
  let done = 0;
  if (text.byteOffset % 4 === 0) {
    done = text.length - (text.length % block);
    if (done > 0) each(new Int32Array(text.buffer, text.byteOffset, done / 4));
  }
  if (done === text.length) return;
  const used = roundUp(Math.min(SCRATCH_BYTES, text.length - done), block);
  while (done < text.length) {
    const size = Math.min(SCRATCH_BYTES, text.length - done);
    const run = text.subarray(done, done + size);
    scratch.set(run);
    each(scratchWords.subarray(0, roundUp(size, block) / 4));
    run.set(scratch.subarray(0, size));
    done += size;
  }
  scratch.fill(0, 0, used);
}

/**
 * Passes bytes, in order, as words: whole 16-byte blocks, the last one padded with zeros. `each`
 * must not write to them.
 */
export function show(bytes: Uint8Array, each: Transform): void {
  let done = 0;
  if (littleEndian && bytes.byteOffset % 4 === 0) {
    done = bytes.length - (bytes.length % 16);
    if (done > 0) each(new Int32Array(bytes.buffer, bytes.byteOffset, done / 4));
  }
  if (done === bytes.length) return;
  const used = roundUp(Math.min(SCRATCH_BYTES, bytes.length - done), 16);
  while (done < bytes.length) {
    const size = Math.min(SCRATCH_BYTES, bytes.length - done);
    scratch.set(bytes.subarray(done, done + size));
    scratch.fill(0, size, roundUp(size, 16));
    each(littleEndianWords(scratchWords.subarray(0, roundUp(size, 16) / 4)));
    done += size;
  }
  scratch.fill(0, 0, used);
}

function roundUp(size: number, block: number): number {
  return Math.ceil(size / block) * block;
}

/** Four words of 16 bytes at `offset`, at any alignment. */
export function blockOf(bytes: Uint8Array, offset = 0): Int32Array {
  const block = new Int32Array(4);
  new Uint8Array(block.buffer).set(bytes.subarray(offset, offset + 16));
  return littleEndianWords(block);
}

/** A word with its bytes in the other order. */
export function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** Compares a tag, which may be truncated, in constant time. */
export function sameTag(right: Uint8Array, tag: Uint8Array): boolean {
  let difference = tag.length <= right.length ? 0 : 1;
  for (let index = 0; index < tag.length; index++) difference |= right[index]! ^ tag[index]!;
  return difference === 0;
}
