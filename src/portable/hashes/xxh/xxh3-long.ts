/**
 * XXH3 of more than 240 bytes: eight lanes, 64-byte stripes and blocks of 16 stripes; the lanes are
 * scrambled after each block.
 *
 * In a stripe, lane `i` adds word `i ^ 1` and a product of word `i` and the secret.
 */
import { BLOCKS_MIN } from '../contract.js';
import { read32, write32, type Count } from '../fields.js';
import {
  addTo,
  avalanche3,
  carry,
  highProduct,
  multiplyWide,
  PRIME32_1,
  PRIME32_2,
  PRIME32_3,
  PRIME64_1,
  PRIME64_2,
  PRIME64_3,
  PRIME64_4,
  PRIME64_5,
  writeHash,
} from './wide.js';
import { SECRET } from './xxh3-secret.js';

/** Stripes in a block. Each starts one word further in the secret. */
const BLOCK = 16;
/**
 * Offsets in the secret of the scrambling, the last stripe, the merging of the lanes, and that of
 * the high half of 128 bits.
 */
const SCRAMBLE = 128;
const LAST = 121;
const MERGE = 11;
const MERGE_HIGH = 117;

/** The initial lanes. */
const FIRST = /* @__PURE__ */ Int32Array.of(
  PRIME32_3,
  0,
  PRIME64_1.low,
  PRIME64_1.high,
  PRIME64_2.low,
  PRIME64_2.high,
  PRIME64_3.low,
  PRIME64_3.high,
  PRIME64_4.low,
  PRIME64_4.high,
  PRIME32_2,
  0,
  PRIME64_5.low,
  PRIME64_5.high,
  PRIME32_1,
  0,
);

/** Bytes of a run for the accelerator. */
const RUN = 256;

/**
 * An accelerator for many stripes: advances the lanes of a state by all 256-byte runs but the last,
 * with this secret, from this stripe of the block.
 */
export type Runs = (
  lanes: Uint8Array,
  runs: Uint8Array,
  secret: Uint8Array,
  number: number,
) => void;

/** The long form of a message; shared by all hashes. */
export class Long {
  /** Low half first. */
  readonly lanes = new Int32Array(16);
  /** The secret under the seed, as bytes and as words. */
  readonly secret = new Uint8Array(192);
  readonly words = new Int32Array(48);
  #seedLow = 0;
  #seedHigh = 0;
  #seeded = false;
  accelerator: Runs | undefined;

  begin(seed: Int32Array): void {
    this.lanes.set(FIRST);
    if (this.#seeded && seed[0] === this.#seedLow && seed[1] === this.#seedHigh) return;
    this.#seeded = true;
    const low = (this.#seedLow = seed[0]!);
    const high = (this.#seedHigh = seed[1]!);
    const { words } = this;
    for (let index = 0; index < 48; index++) words[index] = read32(SECRET, 4 * index);
    for (let index = 0; index < 48; index += 4) {
      addTo(words, index, low, high);
      addTo(words, index + 2, -low | 0, low === 0 ? -high | 0 : ~high);
    }
    for (let index = 0; index < 48; index++) write32(this.secret, 4 * index, words[index]!);
  }

  /** Adds whole stripes, from this stripe of the block. */
  consume(view: DataView, from: number, stripes: number, number: number): void {
    let stripe = number;
    let done = 0;
    if (this.accelerator !== undefined && 64 * stripes >= BLOCKS_MIN) {
      done = this.#consumeAccelerated(this.accelerator, view, from, stripes, number);
      stripe = (stripe + done) % BLOCK;
    }
    for (let index = done; index < stripes; index++) {
      this.#add(view, from + 64 * index, 2 * stripe);
      if (++stripe === BLOCK) {
        this.#scramble();
        stripe = 0;
      }
    }
  }

  /** Adds most of the stripes with the accelerator. Returns their number. */
  #consumeAccelerated(
    accelerator: Runs,
    view: DataView,
    from: number,
    stripes: number,
    number: number,
  ): number {
    const size = Math.floor((64 * stripes) / RUN) * RUN;
    const lanes = new Uint8Array(64);
    for (let index = 0; index < 16; index++) write32(lanes, 4 * index, this.lanes[index]!);
    accelerator(
      lanes,
      new Uint8Array(view.buffer, view.byteOffset + from, size),
      this.secret,
      number,
    );
    for (let index = 0; index < 16; index++) this.lanes[index] = read32(lanes, 4 * index);
    return (size - RUN) / 64;
  }

  /** Adds one stripe, with the secret from a word on. */
  #add(view: DataView, from: number, word: number): void {
    const { lanes, words } = this;
    for (let lane = 0; lane < 16; lane += 2) {
      const low = view.getInt32(from + 4 * lane, true);
      const high = view.getInt32(from + 4 * lane + 4, true);
      const one = low ^ words[word + lane]!;
      const other = high ^ words[word + lane + 1]!;
      const product = Math.imul(one, other);
      const sum = (lanes[lane]! + product) | 0;
      lanes[lane + 1] = (lanes[lane + 1]! + highProduct(one, other) + carry(sum, product)) | 0;
      lanes[lane] = sum;
      const beside = lane ^ 2;
      const besideSum = (lanes[beside]! + low) | 0;
      lanes[beside + 1] = (lanes[beside + 1]! + high + carry(besideSum, low)) | 0;
      lanes[beside] = besideSum;
    }
  }

  #scramble(): void {
    const { lanes, words } = this;
    for (let lane = 0; lane < 16; lane += 2) {
      const high = lanes[lane + 1]!;
      const low = lanes[lane]! ^ (high >>> 15) ^ words[SCRAMBLE / 4 + lane]!;
      lanes[lane + 1] =
        (highProduct(low, PRIME32_1) +
          Math.imul(high ^ words[SCRAMBLE / 4 + lane + 1]!, PRIME32_1)) |
        0;
      lanes[lane] = Math.imul(low, PRIME32_1);
    }
  }

  /** Adds the last stripe, which may overlap the one before. */
  end(view: DataView, from: number): void {
    const { lanes, secret } = this;
    for (let lane = 0; lane < 16; lane += 2) {
      const low = view.getInt32(from + 4 * lane, true);
      const high = view.getInt32(from + 4 * lane + 4, true);
      const one = low ^ read32(secret, LAST + 4 * lane);
      const other = high ^ read32(secret, LAST + 4 * lane + 4);
      addTo(lanes, lane, Math.imul(one, other), highProduct(one, other));
      addTo(lanes, lane ^ 2, low, high);
    }
  }

  /** Merges the lanes into a sum, with the secret from a byte on. */
  merge(sum: Int32Array, place: number): void {
    const { lanes, secret } = this;
    const word = (lane: number): number => lanes[lane]! ^ read32(secret, place + 4 * lane);
    for (let lane = 0; lane < 16; lane += 4) {
      multiplyWide(product, 0, word(lane), word(lane + 1), word(lane + 2), word(lane + 3));
      addTo(sum, 0, product[0]! ^ product[2]!, product[1]! ^ product[3]!);
    }
    avalanche3(sum, 0);
  }
}

const product = /* @__PURE__ */ new Int32Array(4);
const sum = /* @__PURE__ */ new Int32Array(2);

/** Ends a message by its last 64 bytes and writes its hash; of 128 bits the high 64 first. */
export function hashLong(
  long: Long,
  view: DataView,
  from: number,
  length: Count,
  wide: boolean,
  target: Uint8Array,
): void {
  long.end(view, from);
  times(length, PRIME64_1.low, PRIME64_1.high);
  long.merge(sum, MERGE);
  writeHash(target, wide ? 8 : 0, sum, 0);
  if (!wide) return;
  times(length, PRIME64_2.low, PRIME64_2.high);
  sum[0] = ~sum[0]!;
  sum[1] = ~sum[1]!;
  long.merge(sum, MERGE_HIGH);
  writeHash(target, 0, sum, 0);
}

function times({ low, high }: Count, primeLow: number, primeHigh: number): void {
  sum[0] = Math.imul(low, primeLow);
  sum[1] = highProduct(low, primeLow) + Math.imul(low, primeHigh) + Math.imul(high, primeLow);
}
