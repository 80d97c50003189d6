/**
 * What XXH32 and XXH64 have in common: four lanes, and a buffer of one stripe. The states are those
 * of crates/core/src/engines/native/xxh/mod.rs: seed, length, lanes, buffer.
 */
import {
  BLOCKS_MIN,
  StateError,
  type Blocks,
  type HashParams,
  type PortableHash,
} from '../contract.js';
import {
  add,
  checkBlank,
  checkSize,
  read32,
  readCount,
  write32,
  writeCount,
  type Count,
} from '../fields.js';

/** No message is longer than 2^62 bytes less one. */
const LENGTH_BITS = 62;

/**
 * One of the two. The lanes, as words of 32 bits, are in {@link lanes}, and the seed in {@link
 * seed}.
 */
export abstract class FourLanes implements PortableHash {
  /** Bytes of a stripe. */
  readonly #stripe: number;
  protected readonly lanes: Int32Array;
  protected readonly first: Int32Array;
  /** The low half first. */
  protected readonly seed = new Int32Array(2);
  protected readonly length: Count = { low: 0, high: 0 };
  readonly #buffer: Uint8Array;
  readonly #bufferView: DataView;
  #blocks: Blocks | undefined;

  constructor(stripe: number) {
    this.#stripe = stripe;
    this.lanes = new Int32Array(stripe / 4);
    this.first = new Int32Array(stripe / 4);
    this.#buffer = new Uint8Array(stripe);
    this.#bufferView = new DataView(this.#buffer.buffer);
  }

  /** Has many stripes taken in by something quicker, or not any more. */
  accelerate(blocks: Blocks | undefined): void {
    this.#blocks = blocks;
  }

  /** Writes to {@link first} the lanes before the first byte, as the seed makes them. */
  protected abstract begin(): void;
  /** Takes in whole stripes. */
  protected abstract consume(view: DataView, from: number, end: number): void;
  /**
   * Writes the hash of a message of which these bytes are what the lanes lack. `long`: of a stripe
   * at least.
   */
  protected abstract end(rest: Uint8Array, from: number, long: boolean, target: Uint8Array): void;

  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#begin(params);
    const size = source.length;
    add(this.length, size);
    const whole = size - (size % this.#stripe);
    if (whole > 0) {
      this.lanes.set(this.first);
      this.#consume(source, 0, whole);
    }
    this.end(source, whole, whole > 0, target);
  }

  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    const waiting = this.#take(this.#resume(params, state), source);
    write32(next, 0, this.seed[0]!);
    write32(next, 4, this.seed[1]!);
    writeCount(next, 8, this.length);
    for (let index = 0; index < this.lanes.length; index++)
      write32(next, 16 + 4 * index, this.lanes[index]!);
    this.#buffer.fill(0, waiting);
    next.set(this.#buffer, 16 + this.#stripe);
  }

  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    const waiting = this.#take(this.#resume(params, state), rest);
    const long = this.length.high > 0 || this.length.low >= this.#stripe;
    this.end(this.#buffer.subarray(0, waiting), 0, long, target);
  }

  check(params: HashParams, state: Uint8Array): void {
    if (state.length === 0) throw new StateError();
    this.#resume(params, state);
  }

  #begin({ seed }: HashParams): void {
    // The plain case without BigInts, which take as long as a short message.
    this.seed[0] = seed === 0n ? 0 : Number(BigInt.asIntN(32, seed));
    this.seed[1] = seed === 0n ? 0 : Number(BigInt.asIntN(32, seed >> 32n));
    this.begin();
    this.length.low = 0;
    this.length.high = 0;
  }

  /** Goes where a state was, and tells how many bytes wait. */
  #resume(params: HashParams, state: Uint8Array): number {
    this.#begin(params);
    if (state.length === 0) {
      this.lanes.set(this.first);
      return 0;
    }
    const stripe = this.#stripe;
    checkSize(state, 16 + 2 * stripe);
    if (read32(state, 0) !== this.seed[0] || read32(state, 4) !== this.seed[1])
      throw new StateError();
    readCount(state, 8, this.length, LENGTH_BITS);
    if (this.length.high === 2 ** 30) throw new StateError();
    const begun = this.length.high > 0 || this.length.low >= stripe;
    for (let index = 0; index < this.lanes.length; index++) {
      this.lanes[index] = read32(state, 16 + 4 * index);
      if (!begun && this.lanes[index] !== this.first[index]) throw new StateError();
    }
    const waiting = this.length.low % stripe;
    checkBlank(state, 16 + stripe + waiting, state.length);
    this.#buffer.set(state.subarray(16 + stripe));
    return waiting;
  }

  /** Takes in more, while so many bytes wait; tells how many do then. */
  #take(waiting: number, source: Uint8Array): number {
    const size = source.length;
    const stripe = this.#stripe;
    add(this.length, size);
    let from = 0;
    if (waiting > 0) {
      from = Math.min(stripe - waiting, size);
      this.#buffer.set(source.subarray(0, from), waiting);
      if (waiting + from < stripe) return waiting + from;
      this.consume(this.#bufferView, 0, stripe);
    }
    const rest = (size - from) % stripe;
    if (size - from > rest) this.#consume(source, from, size - rest);
    this.#buffer.set(source.subarray(size - rest));
    return rest;
  }

  /** Takes in whole stripes. */
  #consume(source: Uint8Array, from: number, end: number): void {
    if (this.#blocks === undefined || end - from < BLOCKS_MIN) {
      this.consume(new DataView(source.buffer, source.byteOffset, end), from, end);
      return;
    }
    const words = new Uint8Array(this.#stripe);
    for (let index = 0; index < this.lanes.length; index++)
      write32(words, 4 * index, this.lanes[index]!);
    this.#blocks(words, source.subarray(from, end));
    for (let index = 0; index < this.lanes.length; index++)
      this.lanes[index] = read32(words, 4 * index);
  }
}
