/**
 * The common part of XXH32 and XXH64: four lanes and a buffer of one stripe. The states are those
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

/** Messages are shorter than 2^62 bytes. */
const LENGTH_BITS = 62;

/** XXH32 or XXH64. {@link lanes} has the lanes as 32-bit words, {@link seed} the seed. */
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

  /** Sets or removes the accelerator. */
  accelerate(blocks: Blocks | undefined): void {
    this.#blocks = blocks;
  }

  /** Writes the initial lanes under the seed to {@link first}. */
  protected abstract begin(): void;
  /** Adds whole stripes. */
  protected abstract consume(view: DataView, from: number, end: number): void;
  /**
   * Writes the hash of a message that ends with these bytes. `long`: the message has at least one
   * stripe.
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
    // Without BigInts for seed 0: they take as long as a short message.
    this.seed[0] = seed === 0n ? 0 : Number(BigInt.asIntN(32, seed));
    this.seed[1] = seed === 0n ? 0 : Number(BigInt.asIntN(32, seed >> 32n));
    this.begin();
    this.length.low = 0;
    this.length.high = 0;
  }

  /** Loads a state. Returns the number of pending bytes. */
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
    const hasStripes = this.length.high > 0 || this.length.low >= stripe;
    for (let index = 0; index < this.lanes.length; index++) {
      this.lanes[index] = read32(state, 16 + 4 * index);
      if (!hasStripes && this.lanes[index] !== this.first[index]) throw new StateError();
    }
    const waiting = this.length.low % stripe;
    checkBlank(state, 16 + stripe + waiting, state.length);
    this.#buffer.set(state.subarray(16 + stripe));
    return waiting;
  }

  /** Adds input after `waiting` pending bytes. Returns the number of pending bytes then. */
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

  /** Adds whole stripes. */
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
