/** Checks of noble's options: undefined or false for those that noble itself serves or refuses. */
import { OUTPUT_MAX } from '../../catalog/parameters.js';
import { isUint8Array, sizeOf } from '../../base/intrinsics.js';
import { message } from './checks.js';
import type { MajorVersion } from './original.js';

/** Returns the size that an option asks for; undefined for one that noble serves or refuses. */
export function sizeOption(size: unknown, usual: number): number | undefined {
  if (size === undefined) return usual;
  return isNumber(size, OUTPUT_MAX) ? size : undefined;
}

/** Returns true for an integer from 1 to `most`. */
export function isNumber(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

/** Returns true for bytes that a parameter can hold. */
export function isParameter(value: unknown): value is Uint8Array {
  return isUint8Array(value) && sizeOf(value) <= OUTPUT_MAX;
}

/** Returns bytes, or in version 1 those of a string; undefined for what noble refuses. */
export function inputOf(major: MajorVersion, value: unknown): Uint8Array | undefined {
  if (major === 1 && typeof value === 'string') return message(major, value);
  return isParameter(value) ? value : undefined;
}

/** Returns true for a plain object of options. Of other values noble decides, by its version. */
export function isPlain(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false;
  const prototype: unknown = Object.getPrototypeOf(options);
  return (
    (prototype === Object.prototype || prototype === null) && !Object.hasOwn(options, '__proto__')
  );
}
