/** HKDF and PBKDF2 of millrace/noble-hashes: by the engine that is chosen. */
import type { FreshBytes } from '../../base/platform-types.js';
import { parserOf } from '../../kdf/parsers.js';
import { derived, derivedLater } from './derive-by-parser.js';
import type { ExpandGiven, HkdfGiven, Pbkdf2Given } from './derivations.js';

/** Derives with HKDF (RFC 5869). */
export function hkdf(...[{ name }, ikm, salt, info, size]: HkdfGiven): FreshBytes {
  return derived(parserOf('hkdf'), [name, ikm, salt, info, size]);
}

/** Expands a uniform key with HKDF. */
export function expand(...[{ name }, key, info, size]: ExpandGiven): FreshBytes {
  return derived(parserOf('hkdfExpand'), [name, key, info, size]);
}

/** Derives with PBKDF2 (RFC 8018). */
export function pbkdf2(...[{ name }, password, salt, iterations, size]: Pbkdf2Given): FreshBytes {
  return derived(parserOf('pbkdf2'), [password, salt, iterations, size, name]);
}

/** Derives with PBKDF2 on the pool. */
export function pbkdf2Later(
  ...[{ name }, password, salt, iterations, size]: Pbkdf2Given
): Promise<FreshBytes> {
  return derivedLater(parserOf('pbkdf2'), [password, salt, iterations, size, name]);
}
