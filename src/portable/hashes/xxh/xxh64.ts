/** XXH64. */
import { read32 } from '../fields.js';
import { FourLanes } from './four-lanes.js';
import {
  addTo,
  avalanche64,
  carry,
  highProduct,
  multiplyBy,
  PRIME64_1,
  PRIME64_2,
  PRIME64_3,
  PRIME64_4,
  PRIME64_5,
  rotate,
  writeHash,
  type Wide,
} from './wide.js';

/** The hash during finalization, and a word being mixed in. */
const hash = /* @__PURE__ */ new Int32Array(4);

/** XXH64; takes a 64-bit seed. */
export class Xxh64 extends FourLanes {
  constructor() {
    super(32);
  }

  protected override begin(): void {
    const { seed, first } = this;
    for (let at = 0; at < 8; at += 2) first.set(seed, at);
    addTo(first, 0, PRIME64_1.low, PRIME64_1.high);
    addTo(first, 0, PRIME64_2.low, PRIME64_2.high);
    addTo(first, 2, PRIME64_2.low, PRIME64_2.high);
    // Subtracts a prime by adding its complement.
    addTo(first, 6, -PRIME64_1.low, ~PRIME64_1.high);
  }

  protected override consume(view: DataView, from: number, end: number): void {
    const { lanes } = this;
    for (let lane = 0; lane < 8; lane += 2) {
      // One lane at a time: all four in one loop exceed what V8 inlines into one function and are
      // 1.2 times slower.
      let low = lanes[lane]!;
      let high = lanes[lane + 1]!;
      for (let at = from + 4 * lane; at < end; at += 32) {
        const word = view.getInt32(at, true);
        const product = Math.imul(word, PRIME64_2.low);
        const sum = (low + product) | 0;
        high =
          (high +
            highProduct(word, PRIME64_2.low) +
            Math.imul(word, PRIME64_2.high) +
            Math.imul(view.getInt32(at + 4, true), PRIME64_2.low) +
            carry(sum, product)) |
          0;
        const turned = (sum << 31) | (high >>> 1);
        const turnedHigh = (high << 31) | (sum >>> 1);
        high =
          (highProduct(turned, PRIME64_1.low) +
            Math.imul(turned, PRIME64_1.high) +
            Math.imul(turnedHigh, PRIME64_1.low)) |
          0;
        low = Math.imul(turned, PRIME64_1.low);
      }
      lanes[lane] = low;
      lanes[lane + 1] = high;
    }
  }

  protected override end(rest: Uint8Array, from: number, long: boolean, target: Uint8Array): void {
    if (long) this.#merge();
    else {
      hash.set(this.seed);
      addTo(hash, 0, PRIME64_5.low, PRIME64_5.high);
    }
    addTo(hash, 0, this.length.low | 0, this.length.high);
    let at = from;
    for (; at + 8 <= rest.length; at += 8) {
      round(read32(rest, at), read32(rest, at + 4));
      rotate(hash, 0, 27);
      multiplyBy(hash, 0, PRIME64_1);
      addTo(hash, 0, PRIME64_4.low, PRIME64_4.high);
    }
    if (at + 4 <= rest.length) {
      mix(read32(rest, at), 0, PRIME64_1);
      rotate(hash, 0, 23);
      multiplyBy(hash, 0, PRIME64_2);
      addTo(hash, 0, PRIME64_3.low, PRIME64_3.high);
      at += 4;
    }
    for (; at < rest.length; at++) {
      mix(rest[at]!, 0, PRIME64_5);
      rotate(hash, 0, 11);
      multiplyBy(hash, 0, PRIME64_1);
    }
    avalanche64(hash, 0);
    writeHash(target, 0, hash, 0);
  }

  #merge(): void {
    const { lanes } = this;
    hash.fill(0);
    addRotated(lanes, 0, 1);
    addRotated(lanes, 2, 7);
    addRotated(lanes, 4, 12);
    addRotated(lanes, 6, 18);
    for (let lane = 0; lane < 8; lane += 2) {
      round(lanes[lane]!, lanes[lane + 1]!);
      multiplyBy(hash, 0, PRIME64_1);
      addTo(hash, 0, PRIME64_4.low, PRIME64_4.high);
    }
  }
}

function addRotated(lanes: Int32Array, lane: number, bits: number): void {
  hash[2] = lanes[lane]!;
  hash[3] = lanes[lane + 1]!;
  rotate(hash, 2, bits);
  addTo(hash, 0, hash[2]!, hash[3]!);
}

/** Mixes in a word, times a prime. */
function mix(low: number, high: number, prime: Wide): void {
  hash[2] = low;
  hash[3] = high;
  multiplyBy(hash, 2, prime);
  hash[0]! ^= hash[2]!;
  hash[1]! ^= hash[3]!;
}

/** Mixes in a word, after one more round. */
function round(low: number, high: number): void {
  hash[2] = low;
  hash[3] = high;
  multiplyBy(hash, 2, PRIME64_2);
  rotate(hash, 2, 31);
  multiplyBy(hash, 2, PRIME64_1);
  hash[0]! ^= hash[2]!;
  hash[1]! ^= hash[3]!;
}
