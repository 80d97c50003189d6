/**
 * Parsing at the door: what callers may pass, turned into byte arrays and checked numbers, or into
 * an error that names the argument. No code of the caller's (getters, traps of proxies) may run
 * while the request record is being filled: so parsers read options into locals first, convert
 * all arguments with these functions (which run no such code, see intrinsics.ts), and fill the
 * record last.
 */
import { makeError, wrongType } from './errors.js';
import {
  bytesOfBuffer,
  bytesOfView,
  isBytesView,
  isResizable,
  isRevoked,
  isUint8Array,
  NO_BYTES,
  part,
  sizeOf,
} from './intrinsics.js';
import { checkNames, type Accepted } from './options.js';
import { utf8 } from '#platform/runtime.js';

/** Bytes in any of JavaScript's forms. A string is not bytes; see {@link Data}. */
export type Bytes = ArrayBufferView | ArrayBufferLike;

/** Bytes, or a string that stands for its UTF-8 encoding. */
export type Data = Bytes | string;

export { isResizable, isUint8Array, NO_BYTES, part, sizeOf };

/** Bytes as a Uint8Array over the same memory. What is detached counts as empty. */
export function bytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  return otherBytes(value, name, 'a Buffer, ArrayBufferView or ArrayBuffer');
}

/**
 * Bytes, or the UTF-8 encoding of a string (a copy; lone surrogates become U+FFFD, as everywhere in
 * Node).
 */
export function data(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  if (typeof value === 'string') return utf8(value);
  return otherBytes(value, name, 'a string, Buffer, ArrayBufferView or ArrayBuffer');
}

/** The bytes of an ArrayBufferView, where a bare ArrayBuffer is not taken. */
export function viewBytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  if (isBytesView(value)) return bytesOfView(value);
  throw wrongType(name, 'a Buffer or another ArrayBufferView', value);
}

function otherBytes(value: unknown, name: string, expected: string): Uint8Array {
  const found = isBytesView(value) ? bytesOfView(value) : bytesOfBuffer(value);
  if (found !== undefined) return found;
  throw wrongType(name, expected, value);
}

/** An unsigned integer to 2^53 - 1. */
export function unsigned(value: unknown, name: string): number {
  if (typeof value !== 'number') throw wrongType(name, 'an unsigned integer', value);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name} must be an unsigned integer below 2^53, not ${value}`,
    );
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

/**
 * An options object that has no unknown names, or nothing. Runs code of the user's if it is a
 * Proxy.
 */
export function options<T extends object>(
  value: unknown,
  name: string,
  table: Accepted<keyof T>,
): T {
  if (value === undefined) return {} as T;
  if (typeof value !== 'object' || value === null || isBytesView(value) || isRevoked(value))
    throw wrongType(name, 'an object', value);
  checkNames(value, name, table);
  return value as T;
}
