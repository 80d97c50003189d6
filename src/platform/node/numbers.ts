/**
 * Bytes as a BigInt and back: by native code, which makes them of the number's own memory.
 */
import { native } from '../../engines/binding.js';

/** Least significant byte first; undefined if it cannot be that large. */
export function numberLE(bytes: Uint8Array): bigint | undefined {
  return native.toBigIntLE(bytes);
}

/** Most significant byte first. */
export function numberBE(bytes: Uint8Array): bigint | undefined {
  return native.toBigIntBE(bytes);
}

/** Writes a number's magnitude, as much of it as fits; false if there was no memory for that. */
export function writeLE(number: bigint, target: Uint8Array): boolean {
  return native.writeBigIntLE(number, target) === undefined;
}

export function writeBE(number: bigint, target: Uint8Array): boolean {
  return native.writeBigIntBE(number, target) === undefined;
}
