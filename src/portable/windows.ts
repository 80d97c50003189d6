/**
 * Ranges of the memory that calls name. Each is a plain Uint8Array made here: own properties or
 * methods of the caller's array have no effect, and the libraries see one kind of array, which
 * keeps them fast.
 */
import { Status } from '../base/frame.js';
import { bytesOfView, isTypedArray, NO_BYTES, part as partOf, sizeOf } from '../base/intrinsics.js';

/** Thrown where a call is refused. Not an Error: nothing reads its stack. */
export class Refusal {
  /** With the reason why an engine is not available, if it is another one than always. */
  constructor(
    readonly status: Status,
    readonly reason = '',
  ) {}
}

export function refuse(status: Status): never {
  throw new Refusal(status);
}

export const NOTHING = NO_BYTES;

/** Returns all bytes of a typed array; refuses anything else. */
export function whole(bytes: unknown): Uint8Array {
  return isTypedArray(bytes) ? bytesOfView(bytes) : refuse(Status.Argument);
}

/** Returns the range `offset .. offset + size`; refuses one outside the array. */
export function range(bytes: unknown, offset: number, size: number): Uint8Array {
  if (!isTypedArray(bytes) || !isSize(offset) || !isSize(size) || offset + size > sizeOf(bytes))
    refuse(Status.Argument);
  return size === 0 ? NOTHING : partOf(bytes, offset, size);
}

export function isSize(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}

/** Returns a part of a range made here. */
export function part(bytes: Uint8Array, offset: number, size: number): Uint8Array {
  return size === 0 ? NOTHING : new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size);
}

/** Returns true if two ranges share a byte. */
export function overlap(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length === 0 || right.length === 0 || left.buffer !== right.buffer) return false;
  const [a, b] = [left.byteOffset, right.byteOffset];
  return a < b + right.length && b < a + left.length;
}

/** Returns a copy that fills its own ArrayBuffer, so that it can be transferred. */
export function transferableCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = made(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * Allocates zeroed memory, which V8 does not move; refuses with Status.Memory if that fails.
 */
export function made(size: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(new ArrayBuffer(size));
  } catch {
    return refuse(Status.Memory);
  }
}
