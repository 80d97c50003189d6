/**
 * Converts arguments to byte arrays and checked numbers, or throws an error that names the
 * argument.
 *
 * No code of the caller (getters, proxy traps) may run while a request is being filled. Parsers
 * therefore read options into locals first, convert all arguments with these functions, which run
 * no such code (intrinsics.ts), and fill the request last.
 */
import { describe, detached, makeError, wrongType } from './errors.js';
import {
  bytesOfBuffer,
  bytesOfView,
  isBytesView,
  isLost,
  isResizable,
  isUint8Array,
  NO_BYTES,
  part,
  sizeOf,
} from './intrinsics.js';
import { unsigned } from './numbers.js';
import { utf8 } from '#platform/base/runtime.js';

/** Bytes: an ArrayBufferView, ArrayBuffer or SharedArrayBuffer. For strings see {@link Data}. */
export type Bytes = ArrayBufferView | ArrayBufferLike;

/** Bytes, or a string, which is encoded as UTF-8. */
export type Data = Bytes | string;

export { ownOptions as options } from './options.js';
export { isResizable, isUint8Array, NO_BYTES, part, sizeOf, unsigned };

/**
 * Returns bytes as a Uint8Array over the same memory.
 *
 * @throws MillraceError ERR_DETACHED, ERR_ARGUMENT_TYPE
 */
export function bytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return sizeOf(value) > 0 ? value : empty(value, value, name);
  return otherBytes(value, name, 'a Buffer, ArrayBufferView or ArrayBuffer');
}

/** Returns bytes, or a copy of a string as UTF-8. Lone surrogates become U+FFFD, as in Node. */
export function data(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return sizeOf(value) > 0 ? value : empty(value, value, name);
  if (typeof value === 'string') return utf8(value);
  return otherBytes(value, name, 'a string, Buffer, ArrayBufferView or ArrayBuffer');
}

/**
 * Works like {@link bytes}, without the check of memory: {@link sizeOfFound} checks it. For hot
 * calls.
 */
export function findBytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  return otherBytes(value, name, 'a Buffer, ArrayBufferView or ArrayBuffer');
}

/**
 * Works like {@link data}, without the check of memory: {@link sizeOfFound} checks it. For hot
 * calls.
 */
export function findData(value: unknown, name: string): Uint8Array {
  return isUint8Array(value) ? value : data(value, name);
}

/**
 * Returns the size of what {@link findBytes} or {@link findData} found.
 *
 * @throws MillraceError ERR_DETACHED
 */
export function sizeOfFound(found: Uint8Array, name: string): number {
  const size = sizeOf(found);
  if (size === 0) empty(found, found, name);
  return size;
}

/** Returns the bytes of an ArrayBufferView; none if it is detached. Throws for an ArrayBuffer. */
export function viewBytes(value: unknown, name: string): Uint8Array {
  if (isUint8Array(value)) return value;
  if (isBytesView(value)) return bytesOfView(value);
  throw wrongType(name, 'a Buffer or another ArrayBufferView', value);
}

function otherBytes(value: unknown, name: string, expected: string): Uint8Array {
  const found = isBytesView(value) ? bytesOfView(value) : bytesOfBuffer(value);
  if (found === undefined) throw wrongType(name, expected, value);
  return sizeOf(found) > 0 ? found : empty(found, value as Bytes, name);
}

/** Returns the bytes found in a value, which are none, or throws if its memory is gone. */
function empty(found: Uint8Array, value: Bytes, name: string): Uint8Array {
  if (isLost(value)) throw detached(name);
  return found;
}

/** Returns an argument; undefined beyond the last, where Object.prototype may have one. */
export function argument(given: ArrayLike<unknown>, at: number): unknown {
  return at < given.length ? given[at] : undefined;
}

/** Checks that `offset .. offset + size` lies within `length` bytes of `name`. */
export function range(offset: number, size: number, length: number, name: string): void {
  if (offset + size > length) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name} must have ${offset + size} bytes or more, ${name}Offset (${offset}) included, ` +
        `not ${length}`,
    );
  }
}

/**
 * Returns the error for a number of arguments that a call does not take; `takes` says which it
 * does. Without a remedy, the offset forms of @ronomon/crypto-async are the likely reason.
 */
export function surplusArguments(
  takes: string,
  count: number,
  remedy = 'Instead of offsets pass subarray(offset, end), options.target and ' +
    'options.targetOffset; millrace/crypto-async takes offsets',
): Error {
  return makeError('ERR_MISSING_ARGUMENT', `${takes}, and a callback; not ${count}. ${remedy}`);
}

/**
 * Returns the error for a number of arguments that `form` does not show. `count` leaves the
 * callback out, in the place of which the last of too many arguments may be.
 */
export function wrongCount(
  form: string,
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
): Error {
  const shown = promised ? form.replace('[, callback]', '') : form;
  const last = count > 0 ? given[count - 1] : undefined;
  const inPlace =
    promised || given.length > count || count < form.split(',').length || last === undefined;
  return makeError(
    'ERR_MISSING_ARGUMENT',
    `${shown.replace('(', ' takes (')}, not ${count} argument${count === 1 ? '' : 's'}` +
      (inPlace ? '' : `: the last is a callback, not ${describe(last)}`),
  );
}

/** Returns the parts one after the other, in new memory. */
export function joined<Memory extends Uint8Array>(
  parts: readonly Uint8Array[],
  allocate: (size: number) => Memory,
): Memory {
  const all = allocate(parts.reduce((size, each) => size + each.length, 0));
  let at = 0;
  for (const each of parts) {
    all.set(each, at);
    at += each.length;
  }
  return all;
}
