/**
 * Bytes as a BigInt and back, in native code, which reads and writes the number's own memory.
 */
import { native } from './binding.js';

/** Returns the little-endian number, undefined if it is too large. */
export function numberLE(bytes: Uint8Array): bigint | undefined {
  return native.toBigIntLE(bytes);
}

/** Returns the big-endian number, undefined if it is too large. */
export function numberBE(bytes: Uint8Array): bigint | undefined {
  return native.toBigIntBE(bytes);
}

/** Writes the low bytes of a number's magnitude. Returns false if memory ran out. */
export function writeLE(number: bigint, target: Uint8Array): boolean {
  return native.writeBigIntLE(number, target) === undefined;
}

export function writeBE(number: bigint, target: Uint8Array): boolean {
  return native.writeBigIntBE(number, target) === undefined;
}
