/**
 * CRCs as polynomials over GF(2): the CRC of a message from those of its parts, without its bytes.
 *
 * A CRC is a polynomial modulo that of its algorithm, reflected: its highest bit is the coefficient
 * of x^0. It is in two halves of 32 bits, the high one first; that of a 32-bit CRC is 0. All CRCs
 * here begin with ones and end with an inversion, which cancel each other in these sums.
 */

/** A CRC: its high and its low 32 bits. */
export type CrcValue = Uint32Array;

/** The polynomials modulo that of a CRC. */
export interface CrcField {
  /** The size of the CRC in bytes. */
  readonly size: 4 | 8;
  /** The polynomial, reflected, without its highest power, in two halves. */
  readonly high: number;
  readonly low: number;
  /** x^(8 · 2^k) for each k below `known`; more are computed when they are needed. */
  readonly powers: CrcValue[];
  known: number;
  /** The last size of a part, and x to the power of its bits: most parts have one size. */
  lastSize: number;
  readonly lastPower: CrcValue;
}

/** The most powers that a size of a part, below 2^53, needs. */
const POWERS = 53;

/** Returns x^n of a field; n is less than 32. */
function monomial({ size }: CrcField, n: number): CrcValue {
  const bit = 2 ** (31 - n);
  return Uint32Array.of(size === 8 ? bit : 0, size === 8 ? 0 : bit);
}

function fieldOf(size: 4 | 8, high: number, low: number): CrcField {
  return {
    size,
    high,
    low,
    powers: Array.from({ length: POWERS }, () => new Uint32Array(2)),
    known: 0,
    lastSize: -1,
    lastPower: new Uint32Array(2),
  };
}

let fields: Readonly<Record<string, CrcField | undefined>> | undefined;

/** Returns the field of a CRC by the standard name of the catalog; undefined for other hashes. */
export function crcField(name: string): CrcField | undefined {
  fields ??= {
    __proto__: null as never,
    crc32: fieldOf(4, 0, 0xedb88320),
    crc32c: fieldOf(4, 0, 0x82f63b78),
    crc64nvme: fieldOf(8, 0x9a6c9329, 0xac4bc9b5),
  };
  return fields[name];
}

/** Writes the product of two polynomials to `product`, which may be one of them. */
function multiply(field: CrcField, a: CrcValue, b: CrcValue, product: CrcValue): void {
  const { size } = field;
  const last = a[1]!;
  let bHigh = b[0]!;
  let bLow = b[1]!;
  let high = 0;
  let low = 0;
  let bits = size === 8 ? a[0]! : last;
  for (let power = 0; power < 8 * size; power++) {
    if (power === 32) bits = last;
    const chosen = bits >> 31;
    high ^= bHigh & chosen;
    low ^= bLow & chosen;
    bits <<= 1;
    // Times x.
    const carry = -(bLow & 1);
    bLow = ((bLow >>> 1) | (bHigh << 31)) ^ (field.low & carry);
    bHigh = (bHigh >>> 1) ^ (field.high & carry);
  }
  product[0] = high;
  product[1] = low;
}

/** Returns x^(8 · size): what the CRC of a message is multiplied by when so many bytes follow. */
function powerOf(field: CrcField, size: number): CrcValue {
  const { powers, lastPower } = field;
  if (size === field.lastSize) return lastPower;
  lastPower.set(monomial(field, 0));
  for (let k = 0, rest = size; rest > 0; k++, rest = Math.floor(rest / 2)) {
    if (k === field.known) {
      if (k === 0) powers[0]!.set(monomial(field, 8));
      else multiply(field, powers[k - 1]!, powers[k - 1]!, powers[k]!);
      field.known++;
    }
    if (rest % 2 === 1) multiply(field, lastPower, powers[k]!, lastPower);
  }
  field.lastSize = size;
  return lastPower;
}

/** Changes the CRC of a message to that with `size` more bytes, which have the CRC `next`. */
export function appendCrc(field: CrcField, crc: CrcValue, next: CrcValue, size: number): void {
  if (crc[0] !== 0 || crc[1] !== 0) multiply(field, crc, powerOf(field, size), crc);
  crc[0]! ^= next[0]!;
  crc[1]! ^= next[1]!;
}

/** Reads a CRC from its bytes, which are big-endian. */
export function readCrc({ size }: CrcField, bytes: Uint8Array, crc: CrcValue): void {
  const word = (at: number) =>
    (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  crc[0] = size === 8 ? word(0) : 0;
  crc[1] = word(size - 4);
}

/** Writes a CRC as big-endian bytes. */
export function writeCrc({ size }: CrcField, crc: CrcValue, bytes: Uint8Array): void {
  for (let at = 0; at < size; at++) bytes[size - 1 - at] = crc[at < 4 ? 1 : 0]! >>> (8 * (at % 4));
}
