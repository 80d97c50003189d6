/**
 * The fields of an exported state, little-endian, as in crates/core/src/engines/native/state.rs. A
 * state has one form: unused bytes are zero, and any other form is refused.
 *
 * 64-bit counts are two 32-bit numbers, because no JavaScript number holds all of them.
 */
import { StateError } from './contract.js';

/** Reads a signed 32-bit number. */
export function read32(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

export function write32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** The message's length in bytes as unsigned 32-bit halves. */
export interface Count {
  low: number;
  high: number;
}

/** Adds a number of bytes below 2^53. */
export function add(count: Count, size: number): void {
  const low = count.low + (size >>> 0);
  count.low = low >>> 0;
  count.high = (count.high + Math.floor(size / 2 ** 32) + (low >= 2 ** 32 ? 1 : 0)) >>> 0;
}

/** Reads a count of at most 2^`bits`. */
export function readCount(state: Uint8Array, at: number, count: Count, bits: number): void {
  count.low = read32(state, at) >>> 0;
  count.high = read32(state, at + 4) >>> 0;
  const limit = 2 ** (bits - 32);
  if (count.high > limit || (count.high === limit && count.low > 0)) throw new StateError();
}

export function writeCount(state: Uint8Array, at: number, count: Count): void {
  write32(state, at, count.low);
  write32(state, at + 4, count.high);
}

/** The longest message with a state has 2^60 bytes, as in state.rs. */
export const LENGTH_BITS = 60;

/** Throws unless all unused bytes are zero. */
export function checkBlank(state: Uint8Array, begin: number, end: number): void {
  let all = 0;
  for (let at = begin; at < end; at++) all |= state[at]!;
  if (all !== 0) throw new StateError();
}

/** Throws unless the state has this size. */
export function checkSize(state: Uint8Array, size: number): void {
  if (state.length !== size) throw new StateError();
}

/** True if this machine stores words as states do. */
export const littleEndian = /* @__PURE__ */ isLittleEndian();

function isLittleEndian(): boolean {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
}
