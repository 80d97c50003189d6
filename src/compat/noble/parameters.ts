/** Checks of noble's options: undefined or false for those that noble itself serves or refuses. */
import { OUTPUT_MAX, type Parameter } from '../../catalog/parameters.js';
import { isUint8Array, sizeOf } from '../../base/intrinsics.js';
import { message } from './checks.js';
import type { Algorithm } from '#platform/compat/noble/algorithms.js';
import type { MajorVersion } from './original.js';

/**
 * Reads an option of a hash, undefined if it is absent; `keyed` is true if an option before it was
 * a key. Returns the parameter that it asks for, null if that is none, or undefined if only noble
 * serves or refuses it.
 */
export type Reader = (
  value: unknown,
  hash: { readonly major: MajorVersion; readonly facts: Algorithm },
  keyed: boolean,
) => Parameter | null | undefined;

/** What reads the options of a hash. */
export interface Readers {
  /** Returns dkLen and the other options: by name in each function, which V8 finds at once. */
  pick(options: Readonly<Record<string, unknown>>): readonly unknown[];
  /** The readers of the other options. */
  readonly reads: readonly Reader[];
}

/** Returns true for an integer from 1 to `most`. */
export function isNumber(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

/** Returns bytes, or in version 1 those of a string; undefined for what noble refuses. */
export function inputOf(major: MajorVersion, value: unknown): Uint8Array | undefined {
  if (major === 1 && typeof value === 'string') return message(major, value);
  return isUint8Array(value) && sizeOf(value) <= OUTPUT_MAX ? value : undefined;
}

/** Returns what reads an option with bytes, of a size that the hash takes. */
export function bytesReader(name: 'key' | 'salt' | 'personalization'): Reader {
  return (value, { facts }) => {
    if (value === undefined) return null;
    const [least, most] = facts.parameters![name]!;
    const fits = isUint8Array(value) && sizeOf(value) >= least && sizeOf(value) <= most;
    return fits ? [name, value] : undefined;
  };
}

/** Returns true for a plain object of options. Of other values noble decides, by its version. */
export function isPlain(options: unknown): options is Readonly<Record<string, unknown>> {
  if (typeof options !== 'object' || options === null) return false;
  const prototype: unknown = Object.getPrototypeOf(options);
  return (
    (prototype === Object.prototype || prototype === null) && !Object.hasOwn(options, '__proto__')
  );
}
