/**
 * Converts the arguments of millrace/portable to bytes and checked numbers, with the errors of the
 * main entry point. Small and free of platform APIs: it is in every bundle.
 */
import { makeError, outOfMemory, wrongType, type MillraceError } from '../../base/errors.js';
import {
  bytesOfBuffer,
  bytesOfView,
  isBytesView,
  isUint8Array,
  NO_BYTES,
} from '../../base/intrinsics.js';
import { secretMemory } from '../../base/secret-memory.js';
import type { Accepted, Words } from '../../base/options.js';

/** Bytes in any of JavaScript's forms. A string is not bytes; see {@link Data}. */
export type Bytes = ArrayBufferView | ArrayBufferLike;

/** Bytes, or a string, which means its UTF-8 encoding. */
export type Data = Bytes | string;

export { NO_BYTES };
export { unsigned } from '../../base/numbers.js';

/** Returns bytes as a Uint8Array over the same memory. */
export function bytes(value: unknown, name: string): Uint8Array {
  return found(value) ?? refuse(value, name, 'an ArrayBufferView or ArrayBuffer');
}

/** Returns bytes, or the UTF-8 encoding of a string; lone surrogates become U+FFFD. */
export function data(value: unknown, name: string): Uint8Array {
  if (typeof value === 'string') return new TextEncoder().encode(value);
  return found(value) ?? refuse(value, name, 'a string, ArrayBufferView or ArrayBuffer');
}

/**
 * Works like {@link data}, but returns the caller's Uint8Array itself, for functions that read it
 * by intrinsics only. A view of it takes some 50 ns.
 */
export function message(value: unknown, name: string): Uint8Array {
  return isUint8Array(value) ? value : data(value, name);
}

/** Returns a plain Uint8Array made here, so that the caller's subclass has no effect. */
function found(value: unknown): Uint8Array | undefined {
  return isBytesView(value) ? bytesOfView(value) : bytesOfBuffer(value);
}

function refuse(value: unknown, name: string, expected: string): never {
  throw wrongType(name, expected, value);
}

/** The type of results: `Uint8Array<ArrayBuffer>`, and Uint8Array before TypeScript 5.7. */
export type Result = ReturnType<Uint8Array['slice']>;

/** Allocates memory for a result. */
export function memory(size: number): Result {
  try {
    return new Uint8Array(size);
  } catch {
    throw outOfMemory(size);
  }
}

/** Allocates memory for a derived key, which V8 does not move. */
export function derivedKey(size: number): Result {
  return secretMemory(size) as Uint8Array as Result;
}

/** Makes the table of a function's options. */
export function accepted<Text extends string>(
  signature: string,
  names: Text,
): Accepted<Words<Text>> {
  return { signature, order: [...names.split(' '), undefined], refuse: refuseTarget };
}

function refuseTarget(name: string, argument: string): MillraceError | undefined {
  if (name !== 'target') return undefined;
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${argument}.target: the functions of millrace/portable return their results`,
  );
}
