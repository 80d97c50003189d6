/**
 * The argument checks of noble, with the classes and messages of its two major versions: version 2
 * throws TypeErrors and RangeErrors, version 1 Errors.
 */
import type { MajorVersion } from './original.js';

/** Returns true for a Uint8Array, also of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    value instanceof Uint8Array ||
    (ArrayBuffer.isView(value) && value.constructor.name === 'Uint8Array')
  );
}

/** Checks that a value is bytes, of one of the sizes if there are any. */
export function checkBytes(
  major: MajorVersion,
  value: unknown,
  title = '',
  size?: number,
): Uint8Array {
  if (isBytes(value) && (size === undefined || value.length === size)) return value;
  const expected = size === undefined ? '' : ` of length ${size}`;
  if (major === 1) {
    if (!isBytes(value)) throw new Error('Uint8Array expected');
    throw new Error(`Uint8Array expected${expected}, got length=${value.length}`);
  }
  const prefix = title === '' ? '' : `"${title}" `;
  if (!isBytes(value))
    throw new TypeError(`${prefix}expected Uint8Array${expected}, got type=${typeof value}`);
  throw new RangeError(`${prefix}expected Uint8Array${expected}, got length=${value.length}`);
}

/** Checks that a value is an integer from 0 on. */
export function checkNumber(major: MajorVersion, value: unknown, title = ''): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  if (major === 1) throw new Error(`positive integer expected, got ${String(value)}`);
  const prefix = title === '' ? '' : `"${title}" `;
  if (typeof value !== 'number')
    throw new TypeError(`${prefix}expected number, got ${typeof value}`);
  throw new RangeError(`${prefix}expected integer >= 0, got ${value}`);
}

/** Returns a message: version 1 encodes strings as UTF-8, version 2 refuses them. */
export function message(major: MajorVersion, value: unknown): Uint8Array {
  if (major === 1 && typeof value === 'string') return new TextEncoder().encode(value);
  return checkBytes(major, value);
}

/** A running hash, as the checks see it. */
export interface Used {
  readonly finished: boolean;
  readonly destroyed: boolean;
}

/** Checks that a hash was not destroyed, and did not return its digest unless `finished`. */
export function checkUsable(major: MajorVersion, hash: Used, finished = false): void {
  if (hash.destroyed)
    throw new Error(major === 1 ? 'Hash instance has been destroyed' : 'hash was destroyed');
  if (!finished && hash.finished)
    throw new Error(
      major === 1 ? 'Hash#digest() has already been called' : 'digest() was already called',
    );
}

/** Checks the memory for a digest. */
export function checkOutput(major: MajorVersion, output: unknown, size: number): Uint8Array {
  const bytes = checkBytes(major, output, 'output');
  if (bytes.length >= size) return bytes;
  throw major === 1
    ? new Error(`digestInto() expects output buffer of length at least ${size}`)
    : new RangeError(`"output" expected length >= ${size}`);
}

/** Checks that a value is a hash function, as noble's `ahash`. */
export function checkHash(major: MajorVersion, hash: unknown): void {
  const { create, outputLen, blockLen } = (hash ?? { __proto__: null }) as Record<string, unknown>;
  if (typeof hash !== 'function' || typeof create !== 'function') {
    throw major === 1
      ? new Error('Hash should be wrapped by utils.createHasher')
      : new TypeError('expected hash wrapped by utils.createHasher');
  }
  const sizes = [checkNumber(major, outputLen), checkNumber(major, blockLen)];
  if (major === 2 && sizes.includes(0)) throw new Error('hash blockLen / outputLen must be >= 1');
}

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
