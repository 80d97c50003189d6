/**
 * XXH3 of up to 240 bytes: each word is multiplied with another under the seeded secret.
 */
import { read32 } from '../fields.js';
import {
  addTo,
  avalanche3,
  avalanche64,
  fold,
  highProduct,
  multiplyBy,
  multiplyWide,
  PRIME32_2,
  PRIME64_1,
  PRIME64_2,
  PRIME64_4,
  type Wide,
  writeHash,
} from './wide.js';
import { SECRET } from './xxh3-secret.js';

const PRIME_MX2: Wide = { low: 0x1e98df25, high: 0x9fb21c65 | 0 };

/** Two sums (or a hash's low and high half), numbers at 4 and 6, and a 128-bit product at 8. */
const n = /* @__PURE__ */ new Int32Array(12);
/** The seed and its complement. */
const seeds = /* @__PURE__ */ new Int32Array(4);
const LOW = 0;
const HIGH = 2;
const FIRST = 4;
const SECOND = 6;
const PRODUCT = 8;

/** Hashes the first `size` bytes of the source. `wide`: 128 bits, the high 64 first. */
export function hashShort(
  source: Uint8Array,
  size: number,
  seed: Int32Array,
  wide: boolean,
  target: Uint8Array,
): void {
  seeds[0] = seed[0]!;
  seeds[1] = seed[1]!;
  seeds[2] = -seed[0]!;
  seeds[3] = seed[0] === 0 ? -seed[1]! : ~seed[1]!;
  n[LOW] = n[LOW + 1] = n[HIGH] = n[HIGH + 1] = 0;
  if (size === 0) nothing(wide);
  else if (size <= 3) upTo3(source, size, wide);
  else if (size <= 8) (wide ? wideTo8 : upTo8)(source, size);
  else if (size <= 16) (wide ? wideTo16 : upTo16)(source, size);
  else if (wide) wideTo240(source, size);
  else upTo240(source, size);
  if (wide) writeHash(target, 0, n, HIGH);
  writeHash(target, wide ? 8 : 0, n, LOW);
}

/** Sets a number to the XOR of two words of the secret. */
function setSecret(at: number, one: number, other: number): void {
  n[at] = read32(SECRET, one) ^ read32(SECRET, other);
  n[at + 1] = read32(SECRET, one + 4) ^ read32(SECRET, other + 4);
}

/** Adds or subtracts the seed. */
function addSeed(at: number, which: typeof PLUS | typeof MINUS): void {
  addTo(n, at, seeds[which]!, seeds[which + 1]!);
}
const PLUS = 0;
const MINUS = 2;

function mixIn(at: number, low: number, high: number): void {
  n[at]! ^= low;
  n[at + 1]! ^= high;
}

function nothing(wide: boolean): void {
  const place = wide ? 64 : 56;
  setSecret(LOW, place, place + 8);
  mixIn(LOW, seeds[0]!, seeds[1]!);
  avalanche64(n, LOW);
  if (!wide) return;
  setSecret(HIGH, 80, 88);
  mixIn(HIGH, seeds[0]!, seeds[1]!);
  avalanche64(n, HIGH);
}

function upTo3(source: Uint8Array, size: number, wide: boolean): void {
  const word = (source[0]! << 16) | (source[size >> 1]! << 24) | source[size - 1]! | (size << 8);
  n[LOW] = read32(SECRET, 0) ^ read32(SECRET, 4);
  addSeed(LOW, PLUS);
  mixIn(LOW, word, 0);
  avalanche64(n, LOW);
  if (!wide) return;
  const swapped = swap(word);
  n[HIGH] = read32(SECRET, 8) ^ read32(SECRET, 12);
  addSeed(HIGH, MINUS);
  mixIn(HIGH, (swapped << 13) | (swapped >>> 19), 0);
  avalanche64(n, HIGH);
}

/** Returns a 32-bit word with its bytes reversed. */
function swap(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** For 4 to 8 bytes the high half of the seed is mixed with the low one. */
function spreadSeed(): void {
  const high = seeds[1]! ^ swap(seeds[0]!);
  seeds[1] = high;
  seeds[3] = seeds[0] === 0 ? -high : ~high;
}

function upTo8(source: Uint8Array, size: number): void {
  spreadSeed();
  setSecret(LOW, 8, 16);
  addSeed(LOW, MINUS);
  mixIn(LOW, read32(source, size - 4), read32(source, 0));
  const low = n[LOW]!;
  const high = n[LOW + 1]!;
  // Rotated by 49 and by 24.
  mixIn(LOW, (high << 17) | (low >>> 15), (low << 17) | (high >>> 15));
  mixIn(LOW, (low << 24) | (high >>> 8), (high << 24) | (low >>> 8));
  multiplyBy(n, LOW, PRIME_MX2);
  addShifted(size);
  multiplyBy(n, LOW, PRIME_MX2);
  fold(n, LOW, 28);
}

/** Mixes in the number itself, shifted right by 35, plus the size. */
function addShifted(size: number): void {
  n[FIRST] = n[LOW + 1]! >>> 3;
  n[FIRST + 1] = 0;
  addTo(n, FIRST, size, 0);
  mixIn(LOW, n[FIRST]!, n[FIRST + 1]!);
}

function upTo16(source: Uint8Array, size: number): void {
  setSecret(FIRST, 24, 32);
  addSeed(FIRST, PLUS);
  mixIn(FIRST, read32(source, 0), read32(source, 4));
  setSecret(SECOND, 40, 48);
  addSeed(SECOND, MINUS);
  mixIn(SECOND, read32(source, size - 8), read32(source, size - 4));
  n[LOW] = size;
  addTo(n, LOW, swap(n[FIRST + 1]!), swap(n[FIRST]!));
  addTo(n, LOW, n[SECOND]!, n[SECOND + 1]!);
  addProduct(LOW, n[FIRST]!, n[FIRST + 1]!, n[SECOND]!, n[SECOND + 1]!);
  avalanche3(n, LOW);
}

/** XORs the halves of a product into a sum. */
function addProduct(
  at: number,
  low: number,
  high: number,
  otherLow: number,
  otherHigh: number,
): void {
  multiplyWide(n, PRODUCT, low, high, otherLow, otherHigh);
  addTo(n, at, n[PRODUCT]! ^ n[PRODUCT + 2]!, n[PRODUCT + 1]! ^ n[PRODUCT + 3]!);
}

/** Mixes in 16 bytes of the source under the secret from a position, and the seed. */
function mix(
  at: number,
  source: Uint8Array,
  from: number,
  place: number,
  seed: typeof PLUS | typeof MINUS = PLUS,
): void {
  n[FIRST] = read32(SECRET, place);
  n[FIRST + 1] = read32(SECRET, place + 4);
  addSeed(FIRST, seed);
  n[SECOND] = read32(SECRET, place + 8);
  n[SECOND + 1] = read32(SECRET, place + 12);
  addSeed(SECOND, seed === PLUS ? MINUS : PLUS);
  addProduct(
    at,
    n[FIRST]! ^ read32(source, from),
    n[FIRST + 1]! ^ read32(source, from + 4),
    n[SECOND]! ^ read32(source, from + 8),
    n[SECOND + 1]! ^ read32(source, from + 12),
  );
}

/** Sets a number to the size times a prime. */
function setSize(at: number, size: number): void {
  n[at] = size;
  n[at + 1] = 0;
  multiplyBy(n, at, PRIME64_1);
}

function upTo240(source: Uint8Array, size: number): void {
  setSize(LOW, size);
  if (size <= 128) {
    for (let pair = (size - 1) >> 5; pair >= 0; pair--) {
      mix(LOW, source, 16 * pair, 32 * pair);
      mix(LOW, source, size - 16 * (pair + 1), 32 * pair + 16);
    }
    avalanche3(n, LOW);
    return;
  }
  for (let from = 0; from < 128; from += 16) mix(LOW, source, from, from);
  avalanche3(n, LOW);
  for (let from = 128; from + 16 <= size; from += 16) mix(LOW, source, from, from - 128 + 3);
  mix(LOW, source, size - 16, 119);
  avalanche3(n, LOW);
}

function wideTo8(source: Uint8Array, size: number): void {
  spreadSeed();
  setSecret(FIRST, 16, 24);
  addSeed(FIRST, PLUS);
  mixIn(FIRST, read32(source, 0), read32(source, size - 4));
  n[SECOND] = PRIME64_1.low;
  n[SECOND + 1] = PRIME64_1.high;
  addTo(n, SECOND, size << 2, 0);
  multiplyWide(n, PRODUCT, n[FIRST]!, n[FIRST + 1]!, n[SECOND]!, n[SECOND + 1]!);
  takeProduct();
  addTo(n, HIGH, n[LOW]! << 1, (n[LOW + 1]! << 1) | (n[LOW]! >>> 31));
  mixIn(LOW, (n[HIGH]! >>> 3) | (n[HIGH + 1]! << 29), n[HIGH + 1]! >>> 3);
  fold(n, LOW, 35);
  multiplyBy(n, LOW, PRIME_MX2);
  fold(n, LOW, 28);
  avalanche3(n, HIGH);
}

function takeProduct(): void {
  n[LOW] = n[PRODUCT]!;
  n[LOW + 1] = n[PRODUCT + 1]!;
  n[HIGH] = n[PRODUCT + 2]!;
  n[HIGH + 1] = n[PRODUCT + 3]!;
}

function wideTo16(source: Uint8Array, size: number): void {
  const lastLow = read32(source, size - 8);
  const lastHigh = read32(source, size - 4);
  setSecret(FIRST, 32, 40);
  addSeed(FIRST, MINUS);
  mixIn(FIRST, read32(source, 0) ^ lastLow, read32(source, 4) ^ lastHigh);
  setSecret(SECOND, 48, 56);
  addSeed(SECOND, PLUS);
  mixIn(SECOND, lastLow, lastHigh);
  multiplyWide(n, PRODUCT, n[FIRST]!, n[FIRST + 1]!, PRIME64_1.low, PRIME64_1.high);
  takeProduct();
  addTo(n, LOW, 0, (size - 1) << 22);
  // Adds the keyed word to the high half; its low half is multiplied by PRIME32_2.
  const low = n[SECOND]!;
  addTo(n, HIGH, low, n[SECOND + 1]!);
  addTo(n, HIGH, Math.imul(low, PRIME32_2 - 1), highProduct(low, PRIME32_2 - 1));
  // Mixes the high half, byte-reversed, into the low one; then multiplies once more.
  mixIn(LOW, swap(n[HIGH + 1]!), swap(n[HIGH]!));
  const highLow = n[HIGH]!;
  const highHigh = n[HIGH + 1]!;
  multiplyWide(n, PRODUCT, n[LOW]!, n[LOW + 1]!, PRIME64_2.low, PRIME64_2.high);
  takeProduct();
  n[FIRST] = highLow;
  n[FIRST + 1] = highHigh;
  multiplyBy(n, FIRST, PRIME64_2);
  addTo(n, HIGH, n[FIRST]!, n[FIRST + 1]!);
  avalanche3(n, LOW);
  avalanche3(n, HIGH);
}

/** Mixes two 16-byte parts, and adds each to the sum of the other. */
function mixTwo(
  source: Uint8Array,
  one: number,
  other: number,
  place: number,
  seed: typeof PLUS | typeof MINUS = PLUS,
): void {
  mix(LOW, source, one, place, seed);
  mixPlain(LOW, source, other);
  mix(HIGH, source, other, place + 16, seed);
  mixPlain(HIGH, source, one);
}

function mixPlain(at: number, source: Uint8Array, from: number): void {
  n[FIRST] = read32(source, from);
  n[FIRST + 1] = read32(source, from + 4);
  addTo(n, FIRST, read32(source, from + 8), read32(source, from + 12));
  mixIn(at, n[FIRST]!, n[FIRST + 1]!);
}

function wideTo240(source: Uint8Array, size: number): void {
  setSize(LOW, size);
  if (size <= 128) {
    for (let pair = (size - 1) >> 5; pair >= 0; pair--)
      mixTwo(source, 16 * pair, size - 16 * (pair + 1), 32 * pair);
  } else {
    for (let from = 0; from < 128; from += 32) mixTwo(source, from, from + 16, from);
    avalanche3(n, LOW);
    avalanche3(n, HIGH);
    for (let from = 128; from + 32 <= size; from += 32)
      mixTwo(source, from, from + 16, from - 128 + 3);
    mixTwo(source, size - 16, size - 32, 103, MINUS);
  }
  endWide(size);
}

function endWide(size: number): void {
  n[PRODUCT] = n[LOW]!;
  n[PRODUCT + 1] = n[LOW + 1]!;
  n[FIRST] = n[HIGH]!;
  n[FIRST + 1] = n[HIGH + 1]!;
  // The low half is the sum of both.
  addTo(n, LOW, n[HIGH]!, n[HIGH + 1]!);
  avalanche3(n, LOW);
  // The high half: each sum, and the size minus the seed, times a prime; negated at the end.
  multiplyBy(n, PRODUCT, PRIME64_1);
  multiplyBy(n, FIRST, PRIME64_4);
  n[SECOND] = size;
  n[SECOND + 1] = 0;
  addSeed(SECOND, MINUS);
  multiplyBy(n, SECOND, PRIME64_2);
  addTo(n, PRODUCT, n[FIRST]!, n[FIRST + 1]!);
  addTo(n, PRODUCT, n[SECOND]!, n[SECOND + 1]!);
  avalanche3(n, PRODUCT);
  n[HIGH] = -n[PRODUCT]!;
  n[HIGH + 1] = n[PRODUCT] === 0 ? -n[PRODUCT + 1]! : ~n[PRODUCT + 1]!;
}
