/**
 * BLAKE3, with or without a key or a context, with any output size. Not from @noble/hashes, whose
 * running hash does not export its state, and for the reason in blake-mix.ts.
 *
 * The message is split into chunks of 1024 bytes. A chunk is hashed once it is known not to be the
 * only one; only the chaining values of whole subtrees are kept, as in
 * crates/core/src/engines/native/blake3.rs, whose state layout this is: length, output given plus
 * one, mark of the key, chunk, chaining values.
 */
import { mix } from './blake-mix.js';
import { parameterIn } from '../../catalog/parameters.js';
import { BLOCKS_MIN, PLAIN, StateError, type HashParams, type PortableHash } from './contract.js';
import {
  add,
  checkBlank,
  checkSize,
  LENGTH_BITS,
  littleEndian,
  read32,
  readCount,
  write32,
  writeCount,
  type Count,
} from './fields.js';

const CHUNK = 1024;
const BLOCK = 64;
/** Maximum number of subtrees of different sizes. */
const DEPTH_MAX = 50;
const HEAD = 24;
const STATE = HEAD + CHUNK + DEPTH_MAX * 32;

/** Length of a message that is reduced to the children of its root. */
const HALVES = 2 * CHUNK;

const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;
const KEYED_HASH = 16;
const DERIVE_KEY_CONTEXT = 32;
const DERIVE_KEY_MATERIAL = 64;

/** The initial words without a key, which are SHA-256's. */
const FIRST = /* @__PURE__ */ Int32Array.of(
  0x6a09e667,
  0xbb67ae85 | 0,
  0x3c6ef372,
  0xa54ff53a | 0,
  0x510e527f,
  0x9b05688c | 0,
  0x1f83d9ab,
  0x5be0cd19,
);

/** The message order: seven rounds, each a permutation of the last. */
const SCHEDULE = /* @__PURE__ */ schedule();

function schedule(): Uint8Array {
  const permutation = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
  const order = new Uint8Array(7 * 16);
  for (let index = 0; index < 16; index++) order[index] = index;
  for (let index = 16; index < order.length; index++)
    order[index] = order[index - 16 - (index % 16) + permutation[index % 16]!]!;
  return order;
}

/** The progress of a tree, with its words as the bytes of a state. */
export interface Place {
  readonly key: Uint8Array;
  readonly flags: number;
  /** Whole chunks hashed. */
  chunks: number;
  /** The number of chaining values of their subtrees; the last two may be one. */
  depth: number;
  readonly subtrees: Uint8Array;
}

/** An accelerator for many chunks: advances the place by most of the whole chunks. */
export type Chunks = (place: Place, chunks: Uint8Array) => void;

/** The tree of the message being hashed; shared by all hashes. */
class Tree {
  /** The words of the key, or {@link FIRST}. */
  readonly key = new Int32Array(8);
  flags = 0;
  /** Bytes added; {@link chunks} of them are hashed, the rest is pending. */
  readonly length: Count = { low: 0, high: 0 };
  chunks = 0;
  waiting = 0;
  /** Output bytes given plus one; 0 before the message has ended. */
  readonly output: Count = { low: 0, high: 0 };
  readonly chunk = new Uint8Array(CHUNK);
  /** A block as words. */
  readonly words = new Uint32Array(16);
  /** Chaining values of subtrees, from left to right. */
  readonly subtrees = new Int32Array((DEPTH_MAX + 6) * 8);
  depth = 0;
  /** The current chaining value. */
  readonly value = new Int32Array(8);
  /** The expanded block, and a block of output. */
  readonly given = new Int32Array(16);
  accelerator: Chunks | undefined;

  begin({ key, parameters }: HashParams): void {
    const context = parameterIn(parameters, 'context');
    if (context !== undefined) {
      const derived = this.contextKey(context);
      this.begin({ seed: 0n, key: derived });
      this.flags = DERIVE_KEY_MATERIAL;
      derived.fill(0);
      return;
    }
    this.flags = key === undefined ? 0 : KEYED_HASH;
    if (key === undefined) this.key.set(FIRST);
    else for (let index = 0; index < 8; index++) this.key[index] = read32(key, 4 * index);
    this.length.low = this.length.high = 0;
    this.output.low = this.output.high = 0;
    this.chunks = this.waiting = this.depth = 0;
  }

  /** Returns the hash of a context, which is the key of the hash of the key material. */
  contextKey(context: Uint8Array): Uint8Array {
    this.begin(PLAIN);
    this.flags = DERIVE_KEY_CONTEXT;
    this.take(context);
    this.end();
    const key = new Uint8Array(32);
    this.give(key, BEGINNING);
    this.clean();
    return key;
  }

  load(params: HashParams, state: Uint8Array): void {
    checkSize(state, STATE);
    this.begin(params);
    readCount(state, 0, this.length, LENGTH_BITS);
    readCount(state, 8, this.output, LENGTH_BITS);
    const { low, high } = this.length;
    const single = high === 0 && low <= CHUNK;
    // After the first output only the root's children remain.
    if (this.squeezing && !single && (high > 0 || low !== HALVES)) throw new StateError();
    this.mark();
    if (read32(state, 16) !== this.value[0]! || read32(state, 20) !== this.value[1]!)
      throw new StateError();
    this.shape();
    checkBlank(state, HEAD + this.waiting, HEAD + CHUNK);
    checkBlank(state, HEAD + CHUNK + 32 * this.depth, STATE);
    this.chunk.set(state.subarray(HEAD, HEAD + this.waiting));
    for (let index = 0; index < 8 * this.depth; index++)
      this.subtrees[index] = read32(state, HEAD + CHUNK + 4 * index);
  }

  /**
   * Derives the shape of the tree from the message length. What may be the root is not hashed yet.
   */
  shape(): void {
    const { low, high } = this.length;
    const single = high === 0 && low <= CHUNK;
    this.chunks = single ? 0 : high * 2 ** 22 + Math.floor(low / CHUNK);
    this.waiting = single ? low : low % CHUNK;
    this.depth = this.waiting === 0 && ones(this.chunks) === 1 ? 2 : ones(this.chunks);
  }

  get squeezing(): boolean {
    return this.output.low !== 0 || this.output.high !== 0;
  }

  save(next: Uint8Array): void {
    writeCount(next, 0, this.length);
    writeCount(next, 8, this.output);
    this.mark();
    write32(next, 16, this.value[0]!);
    write32(next, 20, this.value[1]!);
    next.set(this.chunk.subarray(0, this.waiting), HEAD);
    next.fill(0, HEAD + this.waiting, HEAD + CHUNK);
    for (let index = 0; index < 8 * this.depth; index++)
      write32(next, HEAD + CHUNK + 4 * index, this.subtrees[index]!);
    next.fill(0, HEAD + CHUNK + 32 * this.depth);
  }

  /** Identifies the key in the first two words of the value; zeros without a key. */
  mark(): void {
    this.value.fill(0);
    if (this.flags === 0) return;
    this.value.set(this.key);
    this.words.fill(0);
    this.compress(this.words, 0, 0, BLOCK, this.flags | PARENT);
  }

  take(source: Uint8Array): void {
    const size = source.length;
    if (size === 0) return;
    add(this.length, size);
    // More input follows the full tree.
    if (this.waiting === 0 && this.depth === 2 && ones(this.chunks) === 1) {
      this.depth = 1;
      this.value.set(this.subtrees.subarray(8, 16));
      this.merge(0, 0);
      this.subtrees.set(this.value);
    }
    let from = 0;
    if (this.waiting > 0) {
      from = Math.min(CHUNK - this.waiting, size);
      this.chunk.set(from < size ? source.subarray(0, from) : source, this.waiting);
      this.waiting += from;
      const last = from === size;
      if (last && (this.waiting < CHUNK || this.chunks === 0)) return;
      this.hashChunk(this.chunk, 0, CHUNK, 0);
      this.push(last);
    }
    if (this.accelerator !== undefined && size - from >= BLOCKS_MIN)
      from = this.takeAccelerated(this.accelerator, source, from);
    // The last chunk is hashed too if it is whole, unless it is the only one.
    while (size - from >= CHUNK && !(this.chunks === 0 && size - from === CHUNK)) {
      this.hashChunk(source, from, CHUNK, 0);
      from += CHUNK;
      this.push(from === size);
    }
    this.waiting = size - from;
    this.chunk.set(from > 0 ? source.subarray(from) : source);
  }

  /** Hashes most of the whole chunks with the accelerator. Returns the end of the bytes hashed. */
  takeAccelerated(accelerator: Chunks, source: Uint8Array, from: number): number {
    const whole = source.subarray(from, source.length - ((source.length - from) % CHUNK));
    const place: Place = {
      key: bytesOf(this.key, 8),
      flags: this.flags,
      chunks: this.chunks,
      depth: this.depth,
      subtrees: bytesOf(this.subtrees, this.subtrees.length),
    };
    accelerator(place, whole);
    const end = from + CHUNK * (place.chunks - this.chunks);
    this.chunks = place.chunks;
    this.depth = place.depth;
    for (let index = 0; index < 8 * place.depth; index++)
      this.subtrees[index] = read32(place.subtrees, 4 * index);
    const merged = Math.max(end === source.length ? 2 : 1, ones(this.chunks));
    while (this.depth > merged) {
      this.depth -= 2;
      this.value.set(this.subtrees.subarray(8 * this.depth + 8, 8 * this.depth + 16));
      this.merge(this.depth, 0);
      this.subtrees.set(this.value, 8 * this.depth++);
    }
    place.key.fill(0);
    place.subtrees.fill(0);
    return end;
  }

  /**
   * Adds the value of the next chunk and merges whole subtrees, except for the root after the last
   * chunk.
   */
  push(last: boolean): void {
    this.chunks++;
    const merged = Math.max(last ? 2 : 1, ones(this.chunks));
    while (this.depth >= merged) this.merge(--this.depth, 0);
    this.subtrees.set(this.value, 8 * this.depth++);
  }

  /** Hashes bytes of one chunk into the value; with flags for it, all but its last block. */
  hashChunk(source: Uint8Array, from: number, size: number, flags: number): void {
    this.value.set(this.key);
    const aligned =
      littleEndian && ((source.byteOffset + from) & 3) === 0 && size === CHUNK && flags === 0;
    const all = aligned
      ? new Uint32Array(source.buffer, source.byteOffset + from, CHUNK / 4)
      : this.words;
    const end = from + size;
    let start = CHUNK_START;
    let at = 0;
    for (let position = from; position + BLOCK < end; position += BLOCK) {
      if (!aligned) this.readBlock(source, position, BLOCK);
      this.compress(all, at, this.chunks, BLOCK, this.flags | start);
      if (aligned) at += BLOCK / 4;
      start = 0;
    }
    const rest = size === 0 ? 0 : ((size - 1) % BLOCK) + 1;
    if (!aligned) this.readBlock(source, end - rest, rest);
    if (flags === 0) this.compress(all, at, this.chunks, rest, this.flags | start | CHUNK_END);
    else this.root(0, rest, this.flags | start | CHUNK_END | flags);
  }

  readBlock(source: Uint8Array, from: number, size: number): void {
    const words = this.words;
    if (size === BLOCK) {
      for (let index = 0; index < 16; index++) words[index] = read32(source, from + 4 * index);
      return;
    }
    words.fill(0);
    for (let index = 0; index < size; index++)
      words[index >> 2]! |= source[from + index]! << (8 * (index & 3));
  }

  /** Replaces the value by that of its parent with a left subtree. */
  merge(subtree: number, flags: number): void {
    for (let index = 0; index < 8; index++) {
      this.words[index] = this.subtrees[8 * subtree + index]!;
      this.words[8 + index] = this.value[index]!;
    }
    this.value.set(this.key);
    if (flags === 0) this.compress(this.words, 0, 0, BLOCK, this.flags | PARENT);
  }

  /** Advances the value by a block. */
  compress(words: Uint32Array, at: number, counter: number, size: number, flags: number): void {
    const v = this.value;
    const o = this.given;
    this.lay(counter | 0, (counter / 2 ** 32) | 0, size, flags);
    mix(o, words, at, SCHEDULE);
    for (let index = 0; index < 8; index++) v[index] = o[index]! ^ o[index + 8]!;
  }

  /** Sets up the mixing of a block. */
  lay(low: number, high: number, size: number, flags: number): void {
    const v = this.value;
    const o = this.given;
    for (let index = 0; index < 8; index++) o[index] = v[index]!;
    for (let index = 0; index < 4; index++) o[index + 8] = FIRST[index]!;
    o[12] = low;
    o[13] = high;
    o[14] = size;
    o[15] = flags;
  }

  #rootSize = 0;
  #rootFlags = 0;

  /**
   * Sets up the root from the last block in `words` and the value in `value`: all output comes from
   * it.
   */
  root(_counter: number, size: number, flags: number): void {
    this.#rootSize = size;
    this.#rootFlags = flags;
  }

  /** Ends the message if it has not ended; output blocks follow. */
  end(): void {
    if (this.depth === 0) {
      this.hashChunk(this.chunk, 0, this.waiting, ROOT);
      return;
    }
    this.halve();
    this.value.set(this.subtrees.subarray(8, 16));
    this.merge(0, ROOT);
    this.root(0, BLOCK, this.flags | PARENT | ROOT);
  }

  /** Keeps only the children of the root. */
  halve(): void {
    let others = this.depth;
    if (this.waiting > 0) this.hashChunk(this.chunk, 0, this.waiting, 0);
    else this.value.set(this.subtrees.subarray(8 * --others, 8 * others + 8));
    while (others > 1) this.merge(--others, 0);
    this.subtrees.set(this.value, 8);
    this.depth = 2;
    this.waiting = 0;
  }

  /** Writes output from a position on. */
  give(target: Uint8Array, position: Count): void {
    let skip = position.low % BLOCK;
    // The block number in 64 bits; the position has six more.
    let low = ((position.low >>> 6) | (position.high << 26)) >>> 0;
    let high = position.high >>> 6;
    for (let to = 0; to < target.length;) {
      this.giveBlock(low, high);
      const given = this.given;
      if (skip === 0 && to + BLOCK <= target.length) {
        for (let index = 0; index < 16; index++) write32(target, to + 4 * index, given[index]!);
        to += BLOCK;
      } else {
        for (; skip < BLOCK && to < target.length; skip++, to++)
          target[to] = given[skip >> 2]! >>> (8 * (skip & 3));
        skip = 0;
      }
      low = (low + 1) >>> 0;
      if (low === 0) high++;
    }
  }

  giveBlock(low: number, high: number): void {
    const v = this.value;
    const given = this.given;
    this.lay(low | 0, high | 0, this.#rootSize, this.#rootFlags);
    mix(given, this.words, 0, SCHEDULE);
    for (let index = 0; index < 8; index++) {
      given[index]! ^= given[index + 8]!;
      given[index + 8]! ^= v[index]!;
    }
  }

  clean(): void {
    this.key.fill(0);
    this.chunk.fill(0);
    this.words.fill(0);
    if (this.chunks > 0 || this.depth > 0) this.subtrees.fill(0);
    this.value.fill(0);
    this.given.fill(0);
  }
}

/** Returns the number of set bits of an integer below 2^53. */
function ones(number: number): number {
  let count = 0;
  for (let low = number >>> 0; low !== 0; low &= low - 1) count++;
  for (let high = (number / 2 ** 32) >>> 0; high !== 0; high &= high - 1) count++;
  return count;
}

function bytesOf(words: Int32Array, count: number): Uint8Array {
  const bytes = new Uint8Array(4 * count);
  for (let index = 0; index < count; index++) write32(bytes, 4 * index, words[index]!);
  return bytes;
}

const BEGINNING: Count = { low: 0, high: 0 };

export class Blake3 implements PortableHash {
  readonly #tree = new Tree();

  /** Sets or removes the accelerator. */
  accelerate(chunks: Chunks | undefined): void {
    this.#tree.accelerator = chunks;
  }

  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#tree.begin(params);
    this.#finish(source, target);
  }

  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    const tree = this.#resume(params, state);
    tree.take(source);
    tree.save(next);
    tree.clean();
  }

  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.#resume(params, state);
    this.#finish(rest, target);
  }

  squeeze(
    params: HashParams,
    state: Uint8Array,
    rest: Uint8Array,
    target: Uint8Array,
    next: Uint8Array,
  ): void {
    const tree = this.#tree;
    if (state.length === 0) tree.begin(params);
    else tree.load(params, state);
    if (tree.squeezing && rest.length > 0) this.#refuse();
    tree.take(rest);
    if (!tree.squeezing) {
      tree.output.low = 1;
      // The root's children are the state of a message of two chunks, so that later calls cost no
      // more than their output.
      if (tree.depth > 0) {
        tree.halve();
        tree.chunks = 2;
        tree.length.low = HALVES;
        tree.length.high = 0;
      }
    }
    const { output } = tree;
    const position: Count = {
      low: (output.low - 1) >>> 0,
      high: output.low === 0 ? output.high - 1 : output.high,
    };
    tree.end();
    tree.give(target, position);
    add(output, target.length);
    tree.save(next);
    tree.clean();
  }

  check(params: HashParams, state: Uint8Array): void {
    this.#tree.load(params, state);
    this.#tree.clean();
  }

  #finish(rest: Uint8Array, target: Uint8Array): void {
    const tree = this.#tree;
    tree.take(rest);
    tree.end();
    tree.give(target, BEGINNING);
    tree.clean();
  }

  #resume(params: HashParams, state: Uint8Array): Tree {
    const tree = this.#tree;
    if (state.length === 0) tree.begin(params);
    else tree.load(params, state);
    if (tree.squeezing) this.#refuse();
    return tree;
  }

  #refuse(): never {
    this.#tree.clean();
    throw new StateError();
  }
}
