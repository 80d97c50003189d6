/** Key derivation of millrace/noble-hashes: by the engine that is chosen. */
import type { FreshBytes } from '../../base/platform-types.js';
import { argon2Parser } from '../../kdf/argon2.js';
import { derivePromise, deriveSync, type DerivationParser } from '../../kdf/derive.js';
import { hkdfExpandParser, hkdfParser } from '../../kdf/hkdf.js';
import { pbkdf2Parser } from '../../kdf/pbkdf2.js';
import { scryptBeyondRfc } from '../../kdf/scrypt.js';
import type { Algorithm } from './algorithms.node.js';

/** A password or a salt; a string means its UTF-8 encoding. */
type Input = string | Uint8Array;

/** The cost of scrypt. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The parameters of Argon2. */
export interface Argon2Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly version: number;
  readonly secret: Input;
  readonly associatedData: Input;
}

/** Called with the fraction that is complete. */
export type Progress = ((fraction: number) => void) | undefined;

/** Derives with HKDF (RFC 5869). */
export function hkdf(
  { name }: Algorithm,
  ikm: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  size: number,
): FreshBytes {
  return derived(hkdfParser, [name, ikm, salt, info, size]);
}

/** Expands a uniform key with HKDF. */
export function expand(
  { name }: Algorithm,
  key: Uint8Array,
  info: Uint8Array,
  size: number,
): FreshBytes {
  return derived(hkdfExpandParser, [name, key, info, size]);
}

/** Derives with PBKDF2 (RFC 8018). */
export function pbkdf2(
  { name }: Algorithm,
  password: Input,
  salt: Input,
  iterations: number,
  size: number,
): FreshBytes {
  return derived(pbkdf2Parser, [password, salt, iterations, size, name]);
}

/** Derives with PBKDF2 on the pool. */
export function pbkdf2Later(
  { name }: Algorithm,
  password: Input,
  salt: Input,
  iterations: number,
  size: number,
  _tick: number,
): Promise<FreshBytes> {
  return derivedLater(pbkdf2Parser, [password, salt, iterations, size, name]);
}

function scryptOptions({ N, r, p }: ScryptCost): object {
  return { N, r, p, maxmem: 128 * r * (N + p + 2) };
}

/** Derives with scrypt (RFC 7914). */
export function scrypt(password: Input, salt: Input, size: number, cost: ScryptCost): FreshBytes {
  return derived(scryptBeyondRfc, [password, salt, size, scryptOptions(cost)]);
}

/** Derives with scrypt on the pool. */
export function scryptLater(
  password: Input,
  salt: Input,
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
  message: Input,
  nonce: Input,
  tagLength: number,
  cost: Argon2Cost,
): FreshBytes {
  return derived(argon2Parser, [algorithm, { message, nonce, tagLength, ...cost }]);
}

/** Derives with Argon2 on the pool. */
export function argon2Later(
  algorithm: string,
  message: Input,
  nonce: Input,
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

function derived(parser: DerivationParser, given: readonly unknown[]): FreshBytes {
  return unpooled(deriveSync(parser, given, given.length) as FreshBytes);
}

async function derivedLater(
  parser: DerivationParser,
  given: readonly unknown[],
): Promise<FreshBytes> {
  return unpooled((await derivePromise(parser, given)) as FreshBytes);
}

/** Returns a Uint8Array instead of a Buffer; a derived key has a separate ArrayBuffer. */
function unpooled({ buffer, byteOffset, length }: FreshBytes): FreshBytes {
  return new Uint8Array(buffer, byteOffset, length);
}
