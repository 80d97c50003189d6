/**
 * The argument checks of noble, with the classes and messages of its two lines: version 2 throws
 * TypeErrors and RangeErrors, version 1 Errors.
 */
import type { Line } from './original.js';

/** Returns true for a Uint8Array, also of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    value instanceof Uint8Array ||
    (ArrayBuffer.isView(value) && value.constructor.name === 'Uint8Array')
  );
}

/** Checks that a value is bytes, of one of the sizes if there are any. */
export function checkBytes(line: Line, value: unknown, title = '', size?: number): Uint8Array {
  if (isBytes(value) && (size === undefined || value.length === size)) return value;
  const expected = size === undefined ? '' : ` of length ${size}`;
  if (line === 1) {
    if (!isBytes(value)) throw new Error('Uint8Array expected');
    throw new Error(`Uint8Array expected${expected}, got length=${value.length}`);
  }
  const prefix = title === '' ? '' : `"${title}" `;
  if (!isBytes(value))
    throw new TypeError(`${prefix}expected Uint8Array${expected}, got type=${typeof value}`);
  throw new RangeError(`${prefix}expected Uint8Array${expected}, got length=${value.length}`);
}

/** Checks that a value is an integer from 0 on. */
export function checkNumber(line: Line, value: unknown, title = ''): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  if (line === 1) throw new Error(`positive integer expected, got ${String(value)}`);
  const prefix = title === '' ? '' : `"${title}" `;
  if (typeof value !== 'number')
    throw new TypeError(`${prefix}expected number, got ${typeof value}`);
  throw new RangeError(`${prefix}expected integer >= 0, got ${value}`);
}

/** Returns a message: line 1 encodes strings as UTF-8, line 2 refuses them. */
export function message(line: Line, value: unknown): Uint8Array {
  if (line === 1 && typeof value === 'string') return new TextEncoder().encode(value);
  return checkBytes(line, value);
}

/** A running hash, as the checks see it. */
export interface Used {
  readonly finished: boolean;
  readonly destroyed: boolean;
}

/** Checks that a hash was not destroyed, and did not return its digest unless `finished`. */
export function checkUsable(line: Line, hash: Used, finished = false): void {
  if (hash.destroyed)
    throw new Error(line === 1 ? 'Hash instance has been destroyed' : 'hash was destroyed');
  if (!finished && hash.finished)
    throw new Error(
      line === 1 ? 'Hash#digest() has already been called' : 'digest() was already called',
    );
}

/** Checks the memory for a digest. */
export function checkOutput(line: Line, output: unknown, size: number): Uint8Array {
  const bytes = checkBytes(line, output, 'output');
  if (bytes.length >= size) return bytes;
  throw line === 1
    ? new Error(`digestInto() expects output buffer of length at least ${size}`)
    : new RangeError(`"output" expected length >= ${size}`);
}

/** Checks that a value is a hash function, as noble's `ahash`. */
export function checkHash(line: Line, hash: unknown): void {
  const { create, outputLen, blockLen } = (hash ?? {}) as Record<string, unknown>;
  if (typeof hash !== 'function' || typeof create !== 'function') {
    throw line === 1
      ? new Error('Hash should be wrapped by utils.createHasher')
      : new TypeError('expected hash wrapped by utils.createHasher');
  }
  const sizes = [checkNumber(line, outputLen), checkNumber(line, blockLen)];
  if (line === 2 && sizes.includes(0)) throw new Error('hash blockLen / outputLen must be >= 1');
}

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
