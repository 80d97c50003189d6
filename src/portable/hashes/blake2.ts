/**
 * BLAKE2b with up to 64 bytes of digest and BLAKE2s with up to 32. Digest size, key, salt and
 * personalization change the first words, and the key is the first block (RFC 7693). The
 * compression of BLAKE2b is from
 * @noble/hashes, that of BLAKE2s in blake2s.ts; the states are defined here.
 *
 * Four members of the library's class are used, which its types call protected: they get and set
 * the words, compress one block, and count the bytes. One object serves all messages. The count is
 * a number, exact up to 2^53; the state of a longer message (8 PiB), which the native engine
 * accepts, is refused.
 */
import { numberIn, parameterIn } from '../../catalog/parameters.js';
import { NO_BYTES } from '../../request/intrinsics.js';
import { BLOCKS_MIN, StateError, type HashParams, type PortableHash } from './contract.js';
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

/** The used members of the library's class. A test fails if a new version changes them. */
interface Compression {
  readonly blockLen: number;
  readonly outputLen: number;
  /** Bytes of the message up to the end of the next block. */
  length: number;
  /** The words of 32 bits; of words of 64 bits the low halves first. */
  get(): number[];
  set(...words: number[]): void;
  compress(words: Uint32Array, offset: number, last: boolean): void;
}

/**
 * An accelerator for many blocks: advances the words of a state by all blocks but the last, after a
 * message of this many bytes.
 */
export type CountedBlocks = (words: Uint8Array, blocks: Uint8Array, length: number) => void;

/** BLAKE2b or BLAKE2s. Its states are words, length, buffer. */
export class Blake2 implements PortableHash {
  readonly #compression: Compression;
  readonly #first: Int32Array;
  readonly #words = new Int32Array(16);
  readonly #block: number;
  readonly #size: number;
  /** The pending block; a whole block stays pending because the hash marks the last one. */
  readonly #tail: Uint8Array;
  /** A block as words. */
  readonly #tailWords: Uint32Array;
  #waiting = 0;
  #blocks: CountedBlocks | undefined;

  /**
   * `compression` is an object of the library's class or of Blake2sCompression, used by this hash
   * only.
   */
  constructor(compression: object) {
    const library = compression as Compression;
    this.#compression = library;
    this.#block = library.blockLen;
    this.#size = library.outputLen;
    this.#first = new Int32Array(16);
    this.#first.set(library.get());
    this.#tail = new Uint8Array(library.blockLen);
    this.#tailWords = littleEndian
      ? new Uint32Array(this.#tail.buffer)
      : new Uint32Array(library.blockLen / 4);
  }

  /** Sets or removes the accelerator. */
  accelerate(blocks: CountedBlocks | undefined): void {
    this.#blocks = blocks;
  }

  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#begin(params);
    this.#take(source);
    this.#end(target);
  }

  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.#resume(params, state);
    this.#take(source);
    this.#save(next);
    this.#clean();
  }

  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.#resume(params, state);
    this.#take(rest);
    this.#end(target);
  }

  check(params: HashParams, state: Uint8Array): void {
    if (state.length === 0) throw new StateError();
    this.#resume(params, state);
    this.#clean();
  }

  #setWords(w: Int32Array): void {
    // The shorter hash ignores the arguments it lacks.
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

  #begin({ parameters }: HashParams): void {
    this.#setWords(this.#first);
    this.#compression.length = 0;
    this.#waiting = 0;
    if (parameters !== undefined) this.#apply(parameters);
  }

  /** Mixes the parameter block into the first words, and begins with the key. */
  #apply(parameters: Uint8Array): void {
    const key = parameterIn(parameters, 'key') ?? NO_BYTES;
    const size = numberIn(parameters, 'outputLength') ?? this.#size;
    const given = new Uint8Array(this.#size);
    this.#writeWords(given);
    given[0]! ^= this.#size ^ size;
    given[1]! ^= key.length;
    // The second half of the block: salt and personalization, a quarter each.
    const half = this.#size / 2;
    mixInto(given, half, parameterIn(parameters, 'salt'));
    mixInto(given, half + half / 2, parameterIn(parameters, 'personalization'));
    this.#readWords(given);
    given.fill(0);
    if (key.length === 0) return;
    this.#tail.fill(0);
    this.#tail.set(key);
    this.#waiting = this.#block;
    this.#compression.length = this.#block;
  }

  #resume(params: HashParams, state: Uint8Array): void {
    if (state.length === 0) return this.#begin(params);
    const at = this.#size;
    const block = this.#block;
    checkSize(state, at + 8 + block);
    readCount(state, at, count, LENGTH_BITS);
    const length = count.high * 2 ** 32 + count.low;
    if (length > Number.MAX_SAFE_INTEGER) throw new StateError();
    if (length < block && parameterIn(params.parameters, 'key') !== undefined)
      throw new StateError();
    const waiting = length === 0 ? 0 : ((length - 1) % block) + 1;
    checkBlank(state, at + 8 + waiting, state.length);
    this.#readWords(state);
    this.#tail.set(state.subarray(at + 8));
    this.#compression.length = length;
    this.#waiting = waiting;
  }

  #readWords(state: Uint8Array): void {
    for (let index = 0; 4 * index < this.#size; index++)
      this.#words[index] = read32(state, 4 * index);
    this.#setWords(this.#words);
  }

  #writeWords(state: Uint8Array): void {
    const words = this.#compression.get();
    for (let index = 0; 4 * index < this.#size; index++) write32(state, 4 * index, words[index]!);
  }

  #save(next: Uint8Array): void {
    const at = this.#size;
    this.#writeWords(next);
    count.low = count.high = 0;
    add(count, this.#compression.length);
    writeCount(next, at, count);
    this.#tail.fill(0, this.#waiting);
    next.set(this.#tail, at + 8);
  }

  /** Compresses everything before the last block; the rest stays pending. */
  #take(source: Uint8Array): void {
    const size = source.length;
    if (size === 0) return;
    const block = this.#block;
    const library = this.#compression;
    let from = 0;
    if (this.#waiting > 0) {
      from = Math.min(block - this.#waiting, size);
      this.#tail.set(from < size ? source.subarray(0, from) : source, this.#waiting);
      this.#waiting += from;
      library.length += from;
      if (from === size) return;
      this.#compressTail(false);
    }
    if (this.#blocks !== undefined && size - from >= BLOCKS_MIN) {
      const whole = size - from - ((size - from) % block);
      const words = new Uint8Array(this.#size);
      this.#writeWords(words);
      this.#blocks(words, source.subarray(from, from + whole), library.length);
      this.#readWords(words);
      words.fill(0);
      from += whole - block;
      library.length += whole - block;
    }
    if (from + block < size && littleEndian && ((source.byteOffset + from) & 3) === 0) {
      const words = new Uint32Array(source.buffer, source.byteOffset + from, (size - from) >>> 2);
      for (let at = 0; from + block < size; from += block, at += block / 4) {
        library.length += block;
        library.compress(words, at, false);
      }
    }
    for (; from + block < size; from += block) {
      library.length += block;
      this.#tail.set(source.subarray(from, from + block));
      this.#compressTail(false);
    }
    this.#tail.set(from > 0 ? source.subarray(from) : source);
    this.#waiting = size - from;
    library.length += size - from;
  }

  #compressTail(last: boolean): void {
    const words = this.#tailWords;
    if (!littleEndian)
      for (let index = 0; index < words.length; index++)
        words[index] = read32(this.#tail, 4 * index);
    this.#compression.compress(words, 0, last);
  }

  #end(target: Uint8Array): void {
    this.#tail.fill(0, this.#waiting);
    this.#compressTail(true);
    if (target.length === this.#size) {
      this.#writeWords(target);
    } else {
      const digest = new Uint8Array(this.#size);
      this.#writeWords(digest);
      target.set(digest.subarray(0, target.length));
      digest.fill(0);
    }
    this.#clean();
  }

  #clean(): void {
    this.#compression.set(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    this.#tail.fill(0);
    this.#tailWords.fill(0);
    this.#words.fill(0);
  }
}

function mixInto(block: Uint8Array, at: number, value: Uint8Array | undefined): void {
  if (value !== undefined)
    for (let index = 0; index < value.length; index++) block[at + index]! ^= value[index]!;
}

const count: Count = { low: 0, high: 0 };
