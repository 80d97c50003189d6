/**
 * Parsing at the door: what callers may pass, turned into byte arrays and checked numbers, or into
 * an error that names the argument. No user code (getters) may run after an argument was parsed
 * and before the native call; so options are read into locals first, everything else follows.
 */
import { makeError, wrongType } from './errors.js';
import { checkNames, type Accepted } from './options.js';
import { utf8 } from './platform/node.js';

/** Bytes in any of JavaScript's forms. A string is not bytes; see {@link Data}. */
export type Bytes = ArrayBufferView | ArrayBufferLike;

/** Bytes, or a string that stands for its UTF-8 encoding. */
export type Data = Bytes | string;

export const NO_BYTES = new Uint8Array(0);

/** Bytes as a Uint8Array over the same memory. What is detached counts as empty. */
export function bytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  return otherBytes(value, name, 'a Buffer, ArrayBufferView or ArrayBuffer');
}

/** Bytes, or the UTF-8 encoding of a string (a copy; lone surrogates become U+FFFD, as everywhere in Node). */
export function data(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  if (typeof value === 'string') return utf8(value);
  return otherBytes(value, name, 'a string, Buffer, ArrayBufferView or ArrayBuffer');
}

/** The bytes of an ArrayBufferView, where a bare ArrayBuffer is not taken. */
export function viewBytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  if (ArrayBuffer.isView(value)) return bytesOfView(value);
  throw wrongType(name, 'a Buffer or another ArrayBufferView', value);
}

/** A prototype can be borrowed; what isView sees cannot. Both checks are intrinsics of the engine. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && value instanceof Uint8Array;
}

function otherBytes(value: unknown, name: string, expected: string): Uint8Array {
  const found = ArrayBuffer.isView(value) ? bytesOfView(value) : bytesOfBuffer(value);
  if (found !== undefined) return found;
  throw wrongType(name, expected, value);
}

// The getters of the prototypes themselves: they work on objects of any realm (vm contexts, test runners), see through
// own properties and exchanged prototypes that tell other sizes, and throw at forgeries.
type Getter = (this: unknown) => unknown;
const getter = (prototype: object, name: string): Getter => Object.getOwnPropertyDescriptor(prototype, name)!.get as Getter;
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const typedArraySize = getter(typedArray, 'byteLength') as (this: unknown) => number;
// A page that is not isolated from others has no SharedArrayBuffer.
const bufferSizes = [ArrayBuffer.prototype, ...(typeof SharedArrayBuffer === 'function' ? [SharedArrayBuffer.prototype] : [])].map((prototype) => getter(prototype, 'byteLength'));
const viewParts = [typedArray, DataView.prototype].map((prototype) =>
  (['buffer', 'byteOffset', 'byteLength'] as const).map((name) => getter(prototype, name)),
);

const viewBuffer = viewParts[0]![0]!;
const typedArrayOffset = viewParts[0]![1] as (this: unknown) => number;

/** The true size in bytes; 0 when detached. */
export function sizeOf(view: Uint8Array): number {
  return typedArraySize.call(view);
}

/** The same memory from `offset` on. Not `subarray`, which asks the view's class what to make. */
export function part(view: Uint8Array, offset: number, size: number): Uint8Array {
  return new Uint8Array(viewBuffer.call(view) as ArrayBuffer, typedArrayOffset.call(view) + offset, size);
}

function bytesOfView(view: unknown): Uint8Array {
  for (const parts of viewParts) {
    try {
      const [buffer, offset, size] = parts.map((part) => part.call(view)) as [ArrayBuffer, number, number];
      return size === 0 ? NO_BYTES : new Uint8Array(buffer, offset, size);
    } catch {
      // Not of this kind, or a DataView whose buffer was detached or shrunk.
    }
  }
  return NO_BYTES;
}

function bytesOfBuffer(buffer: unknown): Uint8Array | undefined {
  for (const size of bufferSizes) {
    try {
      return size.call(buffer) === 0 ? NO_BYTES : new Uint8Array(buffer as ArrayBuffer);
    } catch {
      // Not of this kind.
    }
  }
  return undefined;
}

/** An unsigned integer to 2^53 - 1. */
export function unsigned(value: unknown, name: string): number {
  if (typeof value !== 'number') throw wrongType(name, 'an unsigned integer', value);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw makeError('ERR_ARGUMENT_VALUE', `${name} must be an unsigned integer below 2^53, not ${value}`);
  }
  return value;
}

/** Checks that `offset .. offset + size` lies within `length` bytes. */
export function range(offset: number, size: number, length: number, name: string): void {
  if (offset + size > length) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name}Offset + ${name}Size must be at most ${name}'s size in bytes: ${offset} + ${size} > ${length}`,
    );
  }
}

/** An options object that has no unknown names, or nothing. Runs code of the user's if it is a Proxy. */
export function options<T extends object>(value: unknown, name: string, table: Accepted<keyof T>): T {
  if (value === undefined) return {} as T;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) throw wrongType(name, 'an object', value);
  checkNames(value, name, table);
  return value as T;
}

/** True if the memory under these bytes can shrink while native code uses it; a SharedArrayBuffer only grows. */
export function isResizable(view: Uint8Array): boolean {
  return (viewBuffer.call(view) as { resizable?: boolean }).resizable === true;
}
