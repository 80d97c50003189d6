/**
 * CRC-32, CRC-32C and CRC-64/NVME, eight bytes at once with tables. As in
 * crates/core/src/engines/native/crc/mod.rs, all three are remainders of a polynomial of degree 64,
 * and a state is the register.
 *
 * Polynomials are reflected and come in two 32-bit halves; the low half of a word meets the message
 * first.
 */
import { checkSize, read32, write32 } from './fields.js';
import { StateError, type HashParams, type PortableHash } from './contract.js';

/** The remainders of each byte with 0 to 7 bytes after it, 256 for each. */
interface Tables {
  readonly low: Int32Array;
  /** Only zeros for a CRC of 32 bits. */
  readonly high: Int32Array;
}

/** A CRC with 4 or 8 bytes of digest. */
export class Crc implements PortableHash {
  readonly #size: 4 | 8;
  readonly #polyLow: number;
  readonly #polyHigh: number;
  /** Made when first used: 16 KiB. */
  #tables: Tables | undefined;
  #low = 0;
  #high = 0;

  constructor(size: 4 | 8, polyLow: number, polyHigh = 0) {
    this.#size = size;
    this.#polyLow = polyLow;
    this.#polyHigh = polyHigh;
  }

  digest(_params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#begin();
    this.#absorb(source);
    this.#end(target);
  }

  update(_params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.#resume(state);
    this.#absorb(source);
    write32(next, 0, this.#low);
    if (this.#size === 8) write32(next, 4, this.#high);
  }

  finish(_params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.#resume(state);
    this.#absorb(rest);
    this.#end(target);
  }

  check(_params: HashParams, state: Uint8Array): void {
    if (state.length === 0) throw new StateError();
    this.#resume(state);
  }

  /** The register before the first byte has ones, the upper half only if it is part of the CRC. */
  #begin(): void {
    this.#low = -1;
    this.#high = this.#size === 8 ? -1 : 0;
  }

  #resume(state: Uint8Array): void {
    this.#begin();
    if (state.length === 0) return;
    checkSize(state, this.#size);
    this.#low = read32(state, 0);
    if (this.#size === 8) this.#high = read32(state, 4);
  }

  /** Writes the inverted register, big-endian. */
  #end(target: Uint8Array): void {
    let at = 0;
    if (this.#size === 8) at = putBigEndian(target, at, ~this.#high);
    putBigEndian(target, at, ~this.#low);
  }

  #absorb(source: Uint8Array): void {
    const tables = (this.#tables ??= makeTables(this.#polyLow, this.#polyHigh));
    const whole = source.length - (source.length % 8);
    if (whole > 0) {
      const words = new DataView(source.buffer, source.byteOffset, whole);
      if (this.#size === 4) this.#words32(tables.low, words);
      else this.#words64(tables, words);
    }
    for (let at = whole; at < source.length; at++) {
      const index = (this.#low ^ source[at]!) & 0xff;
      this.#low = ((this.#low >>> 8) | (this.#high << 24)) ^ tables.low[index]!;
      this.#high = (this.#high >>> 8) ^ tables.high[index]!;
    }
  }

  #words32(table: Int32Array, words: DataView): void {
    let register = this.#low;
    for (let at = 0; at < words.byteLength; at += 8) {
      const one = register ^ words.getInt32(at, true);
      const two = words.getInt32(at + 4, true);
      register =
        table[1792 | (one & 0xff)]! ^
        table[1536 | ((one >>> 8) & 0xff)]! ^
        table[1280 | ((one >>> 16) & 0xff)]! ^
        table[1024 | (one >>> 24)]! ^
        table[768 | (two & 0xff)]! ^
        table[512 | ((two >>> 8) & 0xff)]! ^
        table[256 | ((two >>> 16) & 0xff)]! ^
        table[two >>> 24]!;
    }
    this.#low = register;
  }

  #words64({ low, high }: Tables, words: DataView): void {
    let registerLow = this.#low;
    let registerHigh = this.#high;
    for (let at = 0; at < words.byteLength; at += 8) {
      const one = registerLow ^ words.getInt32(at, true);
      const two = registerHigh ^ words.getInt32(at + 4, true);
      const a = 1792 | (one & 0xff);
      const b = 1536 | ((one >>> 8) & 0xff);
      const c = 1280 | ((one >>> 16) & 0xff);
      const d = 1024 | (one >>> 24);
      const e = 768 | (two & 0xff);
      const f = 512 | ((two >>> 8) & 0xff);
      const g = 256 | ((two >>> 16) & 0xff);
      const h = two >>> 24;
      registerLow = low[a]! ^ low[b]! ^ low[c]! ^ low[d]! ^ low[e]! ^ low[f]! ^ low[g]! ^ low[h]!;
      registerHigh =
        high[a]! ^ high[b]! ^ high[c]! ^ high[d]! ^ high[e]! ^ high[f]! ^ high[g]! ^ high[h]!;
    }
    this.#low = registerLow;
    this.#high = registerHigh;
  }
}

function makeTables(polyLow: number, polyHigh: number): Tables {
  const tables = { low: new Int32Array(8 * 256), high: new Int32Array(8 * 256) };
  for (let byte = 0; byte < 256; byte++) {
    let low = byte;
    let high = 0;
    for (let bit = 1; bit <= 64; bit++) {
      const odd = -(low & 1);
      low = ((low >>> 1) | (high << 31)) ^ (odd & polyLow);
      high = (high >>> 1) ^ (odd & polyHigh);
      if (bit % 8 !== 0) continue;
      tables.low[(bit / 8 - 1) * 256 + byte] = low;
      tables.high[(bit / 8 - 1) * 256 + byte] = high;
    }
  }
  return tables;
}

/** Returns the offset after the number. */
function putBigEndian(target: Uint8Array, at: number, number: number): number {
  target[at] = number >>> 24;
  target[at + 1] = number >>> 16;
  target[at + 2] = number >>> 8;
  target[at + 3] = number;
  return at + 4;
}
