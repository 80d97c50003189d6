/**
 * XXH3 with 64 and 128 bits: up to 240 bytes in xxh3-short.ts, longer messages in xxh3-long.ts, the
 * running hash here. Its state, as in crates/core/src/engines/native/xxh/mod.rs: seed, length,
 * lanes, and the message's last 256 bytes, byte `i` at `i % 256`.
 */
import { StateError, type HashParams, type PortableHash } from '../contract.js';
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
import { hashLong, Long, type Runs } from './xxh3-long.js';
import { hashShort } from './xxh3-short.js';

/** Maximum bytes of the short form. */
const SHORT = 240;
/** Bytes of the ring buffer, and of a run. */
const RING = 256;
const STATE = 16 + 64 + RING;
/** Messages are shorter than 2^62 bytes. */
const LENGTH_BITS = 62;

/** XXH3 with 64 or 128 bits. */
export class Xxh3 implements PortableHash {
  readonly #wide: boolean;
  /** The low half first. */
  readonly #seed = new Int32Array(2);
  readonly #length: Count = { low: 0, high: 0 };
  readonly #long = new Long();
  /** The pending bytes and those before them: the last stripe ends with the message. */
  readonly #ring = new Uint8Array(RING);
  readonly #ringView = new DataView(this.#ring.buffer);
  readonly #last = new Uint8Array(64);
  readonly #lastView = new DataView(this.#last.buffer);

  /** `wide`: 128 bits. */
  constructor(wide: boolean) {
    this.#wide = wide;
  }

  /** Sets or removes the accelerator. */
  accelerate(runs: Runs | undefined): void {
    this.#long.accelerator = runs;
  }

  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#begin(params);
    const size = source.length;
    if (size <= SHORT) return hashShort(source, size, this.#seed, this.#wide, target);
    const view = new DataView(source.buffer, source.byteOffset, size);
    const long = this.#long;
    long.begin(this.#seed);
    const stripes = Math.floor((size - 1) / 64);
    long.consume(view, 0, stripes, 0);
    add(this.#length, size);
    hashLong(long, view, size - 64, this.#length, this.#wide, target);
  }

  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.#resume(params, state);
    this.#take(source);
    write32(next, 0, this.#seed[0]!);
    write32(next, 4, this.#seed[1]!);
    writeCount(next, 8, this.#length);
    for (let index = 0; index < 16; index++)
      write32(next, 16 + 4 * index, this.#long.lanes[index]!);
    next.set(this.#ring, 80);
  }

  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    if (state.length === 0) return this.digest(params, rest, target);
    this.#resume(params, state);
    this.#take(rest);
    const { low, high } = this.#length;
    if (high === 0 && low <= SHORT) hashShort(this.#ring, low, this.#seed, this.#wide, target);
    else this.#end(target);
  }

  check(params: HashParams, state: Uint8Array): void {
    if (state.length === 0) throw new StateError();
    this.#resume(params, state);
  }

  #begin({ seed }: HashParams): void {
    // Without BigInts for seed 0: they take as long as a short message.
    this.#seed[0] = seed === 0n ? 0 : Number(BigInt.asIntN(32, seed));
    this.#seed[1] = seed === 0n ? 0 : Number(BigInt.asIntN(32, seed >> 32n));
    this.#length.low = this.#length.high = 0;
  }

  #resume(params: HashParams, state: Uint8Array): void {
    this.#begin(params);
    const long = this.#long;
    long.begin(this.#seed);
    if (state.length === 0) {
      this.#ring.fill(0);
      return;
    }
    checkSize(state, STATE);
    if (read32(state, 0) !== this.#seed[0] || read32(state, 4) !== this.#seed[1])
      throw new StateError();
    const length = this.#length;
    readCount(state, 8, length, LENGTH_BITS);
    if (length.high === 2 ** 30) throw new StateError();
    const hasStripes = length.high > 0 || length.low > RING;
    for (let index = 0; index < 16; index++) {
      const word = read32(state, 16 + 4 * index);
      if (!hasStripes && word !== long.lanes[index]) throw new StateError();
      long.lanes[index] = word;
    }
    if (!hasStripes) checkBlank(state, 80 + length.low, STATE);
    this.#ring.set(state.subarray(80));
  }

  /** Returns the number of pending bytes; the last byte is always pending. */
  #waiting(): number {
    const { low, high } = this.#length;
    return low === 0 && high === 0 ? 0 : ((low - 1) & (RING - 1)) + 1;
  }

  /** Returns the stripe, in its block, that the pending bytes start with. */
  #stripe(): number {
    const { low } = this.#length;
    return low === 0 && this.#length.high === 0 ? 0 : (((low - 1) >>> 8) & 3) * 4;
  }

  #take(source: Uint8Array): void {
    const size = source.length;
    const waiting = this.#waiting();
    let stripe = this.#stripe();
    add(this.#length, size);
    if (waiting + size <= RING) {
      this.#ring.set(source, waiting);
      return;
    }
    let from = 0;
    if (waiting > 0) {
      from = RING - waiting;
      this.#ring.set(source.subarray(0, from), waiting);
      this.#long.consume(this.#ringView, 0, RING / 64, stripe);
      stripe += RING / 64;
    }
    const whole = Math.floor((size - from - 1) / RING) * RING;
    if (whole > 0)
      this.#long.consume(
        new DataView(source.buffer, source.byteOffset, size),
        from,
        whole / 64,
        stripe % 16,
      );
    const rest = size - from - whole;
    if (whole > 0) this.#ring.set(source.subarray(from + whole - RING + rest, from + whole), rest);
    this.#ring.set(source.subarray(from + whole));
  }

  /** Ends a message in the long form. */
  #end(target: Uint8Array): void {
    const ring = this.#ring;
    const rest = this.#waiting();
    this.#long.consume(this.#ringView, 0, Math.floor((rest - 1) / 64), this.#stripe());
    const before = Math.max(64 - rest, 0);
    this.#last.set(ring.subarray(RING - before));
    this.#last.set(ring.subarray(rest - (64 - before), rest), before);
    hashLong(this.#long, this.#lastView, 0, this.#length, this.#wide, target);
  }
}
