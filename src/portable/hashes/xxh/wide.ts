/**
 * 64-bit numbers as two words of an Int32Array, low half first, at an index. BigInt would be
 * simpler and ten times slower, because every result is an object.
 */

/** The primes of the xxHash specification; 64-bit ones in halves. */
export const PRIME32_1 = 0x9e3779b1 | 0;
export const PRIME32_2 = 0x85ebca77 | 0;
export const PRIME32_3 = 0xc2b2ae3d | 0;
export const PRIME32_4 = 0x27d4eb2f;
export const PRIME32_5 = 0x165667b1;
export const PRIME64_1 = { low: 0x85ebca87 | 0, high: 0x9e3779b1 | 0 } as const;
export const PRIME64_2 = { low: 0x27d4eb4f, high: 0xc2b2ae3d | 0 } as const;
export const PRIME64_3 = { low: 0x9e3779f9 | 0, high: 0x165667b1 } as const;
export const PRIME64_4 = { low: 0xc2b2ae63 | 0, high: 0x85ebca77 | 0 } as const;
export const PRIME64_5 = { low: 0x165667c5, high: 0x27d4eb2f } as const;

/** A 64-bit constant. */
export interface Wide {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the high half of the product of two unsigned 32-bit numbers; Math.imul returns the low
 * half.
 */
export function highProduct(one: number, other: number): number {
  const a = one >>> 16;
  const b = one & 0xffff;
  const c = other >>> 16;
  const d = other & 0xffff;
  const middle = (Math.imul(a, d) + (Math.imul(b, d) >>> 16)) | 0;
  const rest = (Math.imul(b, c) + (middle & 0xffff)) | 0;
  return (Math.imul(a, c) + (middle >>> 16) + (rest >>> 16)) | 0;
}

/** Returns 1 if the 32-bit sum with this term has overflowed. */
export function carry(sum: number, term: number): number {
  return sum >>> 0 < term >>> 0 ? 1 : 0;
}

export function addTo(numbers: Int32Array, at: number, low: number, high: number): void {
  const sum = (numbers[at]! + low) | 0;
  numbers[at] = sum;
  numbers[at + 1] = (numbers[at + 1]! + high + carry(sum, low)) | 0;
}

export function multiplyBy(numbers: Int32Array, at: number, { low, high }: Wide): void {
  const number = numbers[at]!;
  numbers[at + 1] =
    (highProduct(number, low) + Math.imul(number, high) + Math.imul(numbers[at + 1]!, low)) | 0;
  numbers[at] = Math.imul(number, low);
}

/** Rotates left by 1 to 31. */
export function rotate(numbers: Int32Array, at: number, bits: number): void {
  const low = numbers[at]!;
  const high = numbers[at + 1]!;
  numbers[at] = (low << bits) | (high >>> (32 - bits));
  numbers[at + 1] = (high << bits) | (low >>> (32 - bits));
}

/** XORs a number with itself shifted right by 1 to 63. */
export function fold(numbers: Int32Array, at: number, bits: number): void {
  const low = numbers[at]!;
  const high = numbers[at + 1]!;
  if (bits >= 32) {
    numbers[at] = low ^ (high >>> (bits - 32));
    return;
  }
  numbers[at] = low ^ ((low >>> bits) | (high << (32 - bits)));
  numbers[at + 1] = high ^ (high >>> bits);
}

/** XXH64's final mixing. */
export function avalanche64(numbers: Int32Array, at: number): void {
  fold(numbers, at, 33);
  multiplyBy(numbers, at, PRIME64_2);
  fold(numbers, at, 29);
  multiplyBy(numbers, at, PRIME64_3);
  fold(numbers, at, 32);
}

const MIX = { low: 0x9e3779f9 | 0, high: 0x16566791 } as const;

/** XXH3's final mixing. */
export function avalanche3(numbers: Int32Array, at: number): void {
  fold(numbers, at, 37);
  multiplyBy(numbers, at, MIX);
  fold(numbers, at, 32);
}

/** Writes the 128-bit product of two numbers as four words at `at`. */
export function multiplyWide(
  product: Int32Array,
  at: number,
  low: number,
  high: number,
  otherLow: number,
  otherHigh: number,
): void {
  const one = Math.imul(low, otherHigh);
  const two = Math.imul(high, otherLow);
  const three = Math.imul(high, otherHigh);
  const second = (highProduct(low, otherLow) >>> 0) + (one >>> 0) + (two >>> 0);
  const third =
    (highProduct(low, otherHigh) >>> 0) +
    (highProduct(high, otherLow) >>> 0) +
    (three >>> 0) +
    Math.floor(second / 2 ** 32);
  product[at] = Math.imul(low, otherLow);
  product[at + 1] = second | 0;
  product[at + 2] = third | 0;
  product[at + 3] = (highProduct(high, otherHigh) + Math.floor(third / 2 ** 32)) | 0;
}

/** Writes a 64-bit number in the canonical big-endian form. */
export function writeHash(target: Uint8Array, to: number, numbers: Int32Array, at: number): void {
  for (let index = 0; index < 4; index++) {
    target[to + index] = numbers[at + 1]! >>> (24 - 8 * index);
    target[to + 4 + index] = numbers[at]! >>> (24 - 8 * index);
  }
}
