/**
 * The arguments of key derivations that the main entry points and millrace/portable read alike.
 */
import { shownName } from './nearest.js';
import { makeError, wrongType } from './errors.js';
import { between, unsigned } from './numbers.js';

/** The most bytes of a derived key, as in node:crypto. */
const KEY_MAX = 0x7fff_ffff;

/** Returns the size of the key to derive. */
export function keySize(value: unknown, name: string, min = 0): number {
  return between(value, min, KEY_MAX, name);
}

/** Returns the size of a key that HKDF derives. */
export function hkdfSize(value: unknown, algorithm: string, digestSize: number): number {
  const size = keySize(value, 'keylen');
  const most = 255 * digestSize;
  if (size <= most) return size;
  throw makeError(
    'ERR_OUTPUT_SIZE',
    `keylen must be at most 255 digests of ${algorithm}, ${most} bytes, not ${size}`,
  );
}

/** Returns the error for a key that HKDF cannot expand (RFC 5869, section 2.3). */
export function shortPrk(algorithm: string, digestSize: number, size: number): Error {
  return makeError(
    'ERR_KEY_SIZE',
    `prk must have at least ${digestSize} bytes, the digest of ${algorithm}, not ${size}`,
  );
}

/** The cost of an scrypt. Each number has two names, as in node:crypto; give one of them. */
export interface ScryptCostOptions {
  /** Cost: a power of two above 1; 16384 by default. Time and memory are proportional to it. */
  readonly N?: number | undefined;
  /** An alias of `N`. */
  readonly cost?: number | undefined;
  /** Block size; 8 by default. Time and memory are proportional to it. */
  readonly r?: number | undefined;
  /** An alias of `r`. */
  readonly blockSize?: number | undefined;
  /** Parallelization; 1 by default. Time is proportional to it; memory is not. */
  readonly p?: number | undefined;
  /** An alias of `p`. */
  readonly parallelization?: number | undefined;
}

/** A checked cost. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Returns the bytes of memory, counted as in node:crypto. */
export function scryptMemory({ N, r, p }: ScryptCost): number {
  return 128 * r * (N + p + 2);
}

/** Checks `options.maxmem`; 32 MiB by default, as in node:crypto. */
export function scryptMaxmem(cost: ScryptCost, value: unknown): number {
  const maxmem = value === undefined ? 32 * 2 ** 20 : unsigned(value, 'options.maxmem');
  const needed = scryptMemory(cost);
  if (needed <= maxmem) return maxmem;
  const { N, r, p } = cost;
  throw makeError(
    'ERR_MEMORY_LIMIT',
    `options.maxmem must be at least ${needed} bytes for scrypt with N=${N}, r=${r}, p=${p}, ` +
      `not ${maxmem}`,
  );
}

/**
 * Reads and checks a cost. All getters of the options run here.
 *
 * @param beyondRfc true to permit N >= 2^(16r), which RFC 7914 forbids
 */
export function scryptCost(
  options: ScryptCostOptions,
  fallback: ScryptCost = { N: 16384, r: 8, p: 1 },
  beyondRfc = false,
): ScryptCost {
  const N = one(options, 'N', 'cost', fallback.N);
  const r = one(options, 'r', 'blockSize', fallback.r);
  const p = one(options, 'p', 'parallelization', fallback.p);
  if (N < 2 || N > 2 ** 52 || 2 ** Math.round(Math.log2(N)) !== N) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.N (cost) must be a power of two above 1, not ${N}`,
    );
  }
  if (r < 1)
    throw makeError('ERR_ARGUMENT_VALUE', `options.r (blockSize) must be at least 1, not ${r}`);
  if (!beyondRfc && N >= 2 ** (16 * r))
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.N (cost) must be less than 2^(16r), which is ${2 ** (16 * r)}, not ${N}`,
    );
  if (p < 1 || p * r >= 2 ** 30) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.p (parallelization) must be at least 1, and p * r less than 2^30; not p=${p} ` +
        `with r=${r}`,
    );
  }
  return { N, r, p };
}

function one(
  options: ScryptCostOptions,
  short: 'N' | 'r' | 'p',
  long: 'cost' | 'blockSize' | 'parallelization',
  fallback: number,
): number {
  const [first, second]: unknown[] = [options[short], options[long]];
  if (first !== undefined && second !== undefined) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.${short} and options.${long} are the same: give one of them`,
    );
  }
  if (first !== undefined) return unsigned(first, `options.${short}`);
  return second === undefined ? fallback : unsigned(second, `options.${long}`);
}

/** The variant: data-dependent, data-independent or hybrid memory access. Prefer `'argon2id'`. */
export type Argon2Algorithm = 'argon2d' | 'argon2i' | 'argon2id';

const argon2Names: readonly Argon2Algorithm[] = ['argon2d', 'argon2i', 'argon2id'];

/** Returns the number of a variant. */
export function argon2Kind(value: unknown, name: string): 0 | 1 | 2 {
  const kind = argon2Names.indexOf(value as Argon2Algorithm);
  if (kind >= 0) return kind as 0 | 1 | 2;
  if (typeof value !== 'string') throw wrongType(name, 'a string', value);
  throw makeError(
    'ERR_UNKNOWN_ALGORITHM',
    `${name} must be 'argon2id', 'argon2i' or 'argon2d', not ${shownName(value, argon2Names)}`,
  );
}

/** Returns Argon2's version, that of RFC 9106 by default. */
export function argon2Version(value: unknown): 0x10 | 0x13 {
  if (value === undefined) return 0x13;
  if (value === 0x13 || value === 0x10) return value;
  throw makeError('ERR_ARGUMENT_VALUE', 'parameters.version must be 0x13 or 0x10');
}

/** Refuses a salt that is too short for Argon2. */
export function checkArgon2Salt(size: number, options: 'options' | 'parameters'): void {
  if (size < 8)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${options}.nonce must have at least 8 bytes, not ${size}`,
    );
}
