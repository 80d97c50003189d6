/** scrypt and Argon2 of millrace/noble-hashes: by the engine that is chosen. */
import { scryptMemory } from '../../base/kdf-costs.js';
import type { FreshBytes } from '../../base/platform-types.js';
import { argon2Parser } from '../../kdf/password-derivations.js';
import { scryptBeyondRfc } from '../../kdf/password-derivations.js';
import { derived, derivedLater } from './derive-by-parser.js';
import type { Argon2Given, Progress, ScryptGiven } from './derivations.js';

/** Derives with scrypt (RFC 7914). */
export function scrypt(...given: ScryptGiven): FreshBytes {
  return derived(scryptBeyondRfc, scryptArguments(...given));
}

/** Derives with scrypt on the pool. */
export function scryptLater(...given: ScryptGiven): Promise<FreshBytes> {
  return derivedLater(scryptBeyondRfc, scryptArguments(...given));
}

function scryptArguments(...[password, salt, size, cost, report]: ScryptGiven): unknown[] {
  return [password, salt, size, { ...cost, maxmem: scryptMemory(cost), ...reporting(report) }];
}

/** Derives with Argon2 (RFC 9106). */
export function argon2(...given: Argon2Given): FreshBytes {
  return derived(argon2Parser, argon2Arguments(...given));
}

/** Derives with Argon2 on the pool. */
export function argon2Later(...given: Argon2Given): Promise<FreshBytes> {
  return derivedLater(argon2Parser, argon2Arguments(...given));
}

function argon2Arguments(
  ...[algorithm, message, nonce, tagLength, cost, report]: Argon2Given
): unknown[] {
  return [algorithm, { message, nonce, tagLength, ...cost, ...reporting(report) }];
}

function reporting(report: Progress): object {
  if (report === undefined) return {};
  return { onProgress: ({ fraction }: { fraction: number }): void => report(fraction) };
}
