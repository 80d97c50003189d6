/**
 * MD5, SHA-1, RIPEMD-160 and SHA-2. The compression is from @noble/hashes, that of SHA-256 and
 * SHA-224 from sha256.ts; the states are defined here.
 *
 * Four methods of the library's classes are used, which its types call protected: they get and set
 * the words, compress one block, and wipe the message schedule. Padding and length are implemented
 * here, because the library counts in numbers, exact up to 2^53 only, and allocates an object, a
 * buffer and a view for each message. One object serves all messages here, which makes short ones
 * faster than the library's own functions.
 */
import {
  BLOCKS_MIN,
  StateError,
  type Blocks,
  type HashParams,
  type PortableHash,
} from './contract.js';
import {
  add,
  checkBlank,
  checkSize,
  LENGTH_BITS,
  read32,
  readCount,
  write32,
  writeCount,
  type Count,
} from './fields.js';

/** The used members of the library's classes. A test fails if a new version changes them. */
interface Compression {
  readonly blockLen: number;
  readonly outputLen: number;
  readonly isLE: boolean;
  /** The words as signed 32-bit numbers; of 64-bit words the high halves first. */
  get(): number[];
  set(...words: number[]): void;
  process(block: DataView, offset: number): void;
  roundClean(): void;
}

/** Shorter messages are copied next to the padding, which is faster than a view. */
const SHORT = 64;

/** A hash of this construction. Its states are words, length, buffer. */
export class MerkleDamgard implements PortableHash {
  readonly #compression: Compression;
  readonly #first: Int32Array;
  /** Bytes of a block, of the words and of the digest. */
  readonly #block: number;
  readonly #wordBytes: number;
  readonly #size: number;
  readonly #little: boolean;
  /** 64-bit words: a state swaps the library's halves. */
  readonly #swap: number;
  /** The pending block, with space for the padding. */
  readonly #tail: Uint8Array;
  readonly #tailView: DataView;
  readonly #words = new Int32Array(16);
  readonly #length: Count = { low: 0, high: 0 };
  #blocks: Blocks | undefined;

  /** `compression` is an object of the library's class, used by this hash only. */
  constructor(compression: object) {
    const library = compression as Compression;
    this.#compression = library;
    this.#block = library.blockLen;
    this.#size = library.outputLen;
    this.#little = library.isLE;
    const words = library.get();
    this.#first = new Int32Array(16);
    this.#first.set(words);
    this.#wordBytes = words.length * 4;
    this.#swap = library.blockLen === 128 ? 1 : 0;
    this.#tail = new Uint8Array(2 * library.blockLen);
    this.#tailView = new DataView(this.#tail.buffer);
  }

  get #stateSize(): number {
    return this.#wordBytes + 8 + this.#block;
  }

  /** Sets or removes the accelerator. */
  accelerate(blocks: Blocks | undefined): void {
    this.#blocks = blocks;
  }

  digest(_params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#begin();
    this.#end(this.#take(0, source), target);
  }

  update(_params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    const waiting = this.#take(this.#load(state), source);
    this.#save(next, waiting);
    this.#clean();
  }

  finish(_params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.#end(this.#take(this.#load(state), rest), target);
  }

  check(_params: HashParams, state: Uint8Array): void {
    if (state.length === 0) throw new StateError();
    this.#load(state);
    this.#clean();
  }

  #begin(): void {
    this.#setWords(this.#first);
    this.#length.low = 0;
    this.#length.high = 0;
  }

  #setWords(w: Int32Array): void {
    // The shorter hashes ignore the arguments they lack.
    this.#compression.set(
      w[0]!,
      w[1]!,
      w[2]!,
      w[3]!,
      w[4]!,
      w[5]!,
      w[6]!,
      w[7]!,
      w[8]!,
      w[9]!,
      w[10]!,
      w[11]!,
      w[12]!,
      w[13]!,
      w[14]!,
      w[15]!,
    );
  }

  /** Loads a state. Returns the number of pending bytes. */
  #load(state: Uint8Array): number {
    if (state.length === 0) {
      this.#begin();
      return 0;
    }
    checkSize(state, this.#stateSize);
    const at = this.#wordBytes;
    readCount(state, at, this.#length, LENGTH_BITS);
    const waiting = this.#length.low % this.#block;
    checkBlank(state, at + 8 + waiting, state.length);
    this.#readWords(state);
    for (let index = 0; index < waiting; index++) this.#tail[index] = state[at + 8 + index]!;
    return waiting;
  }

  #readWords(state: Uint8Array): void {
    const words = this.#words;
    for (let index = 0; 4 * index < this.#wordBytes; index++)
      words[index] = read32(state, 4 * (index ^ this.#swap));
    this.#setWords(words);
  }

  #writeWords(state: Uint8Array): void {
    const words = this.#compression.get();
    for (let index = 0; index < words.length; index++)
      write32(state, 4 * (index ^ this.#swap), words[index]!);
  }

  #save(next: Uint8Array, waiting: number): void {
    this.#writeWords(next);
    writeCount(next, this.#wordBytes, this.#length);
    this.#tail.fill(0, waiting, this.#block);
    next.set(this.#tail.subarray(0, this.#block), this.#wordBytes + 8);
  }

  /** Adds input after `waiting` pending bytes. Returns the number of pending bytes then. */
  #take(waiting: number, source: Uint8Array): number {
    const { length: size } = source;
    const block = this.#block;
    add(this.#length, size);
    if (waiting + size < SHORT) {
      for (let index = 0; index < size; index++) this.#tail[waiting + index] = source[index]!;
      return waiting + size;
    }
    let at = 0;
    if (waiting > 0) {
      at = Math.min(block - waiting, size);
      this.#tail.set(source.subarray(0, at), waiting);
      if (waiting + at < block) return waiting + at;
      this.#compression.process(this.#tailView, 0);
    }
    if (this.#blocks !== undefined && size - at >= BLOCKS_MIN)
      at = this.#takeBlocks(this.#blocks, source, at);
    if (size - at >= block) {
      const view = new DataView(source.buffer, source.byteOffset, size);
      for (; at + block <= size; at += block) this.#compression.process(view, at);
    }
    this.#tail.set(at > 0 ? source.subarray(at) : source);
    return size - at;
  }

  /** Compresses all whole blocks from a position. Returns their end. */
  #takeBlocks(blocks: Blocks, source: Uint8Array, from: number): number {
    const end = source.length - ((source.length - from) % this.#block);
    const words = new Uint8Array(this.#wordBytes);
    this.#writeWords(words);
    blocks(words, source.subarray(from, end));
    this.#readWords(words);
    words.fill(0);
    return end;
  }

  /** Pads, writes the digest and wipes the block. */
  #end(waiting: number, target: Uint8Array): void {
    const block = this.#block;
    const tail = this.#tail;
    // The length field is an eighth of a block.
    const end = waiting < block - block / 8 ? block : 2 * block;
    tail[waiting] = 0x80;
    tail.fill(0, waiting + 1, end);
    const { low, high } = this.#length;
    this.#tailView.setInt32(end - (this.#little ? 8 : 4), low << 3, this.#little);
    this.#tailView.setInt32(end - (this.#little ? 4 : 8), (high << 3) | (low >>> 29), this.#little);
    this.#compression.process(this.#tailView, 0);
    if (end > block) this.#compression.process(this.#tailView, block);
    const words = this.#compression.get();
    for (let index = 0; 4 * index < this.#size; index++) {
      const word = words[index]!;
      if (this.#little) write32(target, 4 * index, word);
      else {
        target[4 * index] = word >>> 24;
        target[4 * index + 1] = word >>> 16;
        target[4 * index + 2] = word >>> 8;
        target[4 * index + 3] = word;
      }
    }
    this.#clean();
  }

  #clean(): void {
    this.#compression.roundClean();
    this.#compression.set(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    this.#tail.fill(0);
    this.#words.fill(0);
  }
}
