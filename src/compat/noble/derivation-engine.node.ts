/** HKDF and PBKDF2 of millrace/noble-hashes: by the engine that is chosen. */
import type { FreshBytes } from '../../base/platform-types.js';
import { hkdfExpandParser, hkdfParser } from '../../kdf/hkdf.js';
import { pbkdf2Parser } from '../../kdf/pbkdf2.js';
import { derived, derivedLater } from './derive-by-parser.js';
import type { ExpandGiven, HkdfGiven, Pbkdf2Given } from './derivations.js';

/** Derives with HKDF (RFC 5869). */
export function hkdf(...[{ name }, ikm, salt, info, size]: HkdfGiven): FreshBytes {
  return derived(hkdfParser, [name, ikm, salt, info, size]);
}

/** Expands a uniform key with HKDF. */
export function expand(...[{ name }, key, info, size]: ExpandGiven): FreshBytes {
  return derived(hkdfExpandParser, [name, key, info, size]);
}

/** Derives with PBKDF2 (RFC 8018). */
export function pbkdf2(...[{ name }, password, salt, iterations, size]: Pbkdf2Given): FreshBytes {
  return derived(pbkdf2Parser, [password, salt, iterations, size, name]);
}

/** Derives with PBKDF2 on the pool. */
export function pbkdf2Later(
  ...[{ name }, password, salt, iterations, size]: Pbkdf2Given
): Promise<FreshBytes> {
  return derivedLater(pbkdf2Parser, [password, salt, iterations, size, name]);
}
