/** scrypt and Argon2 of millrace/noble-hashes: by the engine that is chosen. */
import type { FreshBytes } from '../../base/platform-types.js';
import { argon2Parser } from '../../kdf/argon2.js';
import { scryptBeyondRfc } from '../../kdf/scrypt.js';
import { derived, derivedLater } from './derive-by-parser.js';
import type { Argon2Cost, Progress, ScryptCost } from './derivations.js';
import type { KDFInput } from './hash-objects.js';

function scryptOptions({ N, r, p }: ScryptCost): object {
  return { N, r, p, maxmem: 128 * r * (N + p + 2) };
}

/** Derives with scrypt (RFC 7914). */
export function scrypt(
  password: KDFInput,
  salt: KDFInput,
  size: number,
  cost: ScryptCost,
): FreshBytes {
  return derived(scryptBeyondRfc, [password, salt, size, scryptOptions(cost)]);
}

/** Derives with scrypt on the pool. */
export function scryptLater(
  password: KDFInput,
  salt: KDFInput,
  size: number,
  cost: ScryptCost,
  report: Progress,
): Promise<FreshBytes> {
  const options = { ...scryptOptions(cost), ...reporting(report) };
  return derivedLater(scryptBeyondRfc, [password, salt, size, options]);
}

/** Derives with Argon2 (RFC 9106); `algorithm` is `argon2d`, `argon2i` or `argon2id`. */
export function argon2(
  algorithm: string,
  message: KDFInput,
  nonce: KDFInput,
  tagLength: number,
  cost: Argon2Cost,
): FreshBytes {
  return derived(argon2Parser, [algorithm, { message, nonce, tagLength, ...cost }]);
}

/** Derives with Argon2 on the pool. */
export function argon2Later(
  algorithm: string,
  message: KDFInput,
  nonce: KDFInput,
  tagLength: number,
  cost: Argon2Cost,
  report: Progress,
): Promise<FreshBytes> {
  const options = { message, nonce, tagLength, ...cost, ...reporting(report) };
  return derivedLater(argon2Parser, [algorithm, options]);
}

function reporting(report: Progress): object {
  if (report === undefined) return {};
  return { onProgress: ({ fraction }: { fraction: number }): void => report(fraction) };
}
