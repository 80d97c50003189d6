/**
 * Key derivation as exported by `millrace/promises`. Invalid arguments reject.
 */
import type { Data } from '../base/arguments.js';
import type { SecretInput } from '../request/key-input.js';
import type { HashAlgorithm } from '../catalog/catalog.js';
import type { Buffer } from '#platform/base/runtime.js';
import { argon2Parser, type Argon2Algorithm, type Argon2CallParameters } from './argon2.js';
import { derivePromise, type DerivationCallOptions } from './derive.js';
import {
  hashing,
  verifyParser,
  type HashPasswordOptions,
  type VerifyPasswordOptions,
} from './passwords.js';
import { pbkdf2Parser } from './pbkdf2.js';
import { scryptParser, type ScryptOptions } from './scrypt.js';

export type {
  Argon2Algorithm,
  Argon2CallParameters,
  Argon2Cost,
  Argon2Parameters,
  DerivationCallOptions,
  DerivationProgress,
  HashPasswordOptions,
  ScryptOptions,
  VerifyPasswordOptions,
} from './derivations.js';
export type { HkdfPromises } from './hkdf-types.js';

/**
 * Derives a key from a password with scrypt (RFC 7914); see `scrypt` of `millrace`.
 *
 * @example
 * ```js
 * import { randomBytes, scrypt } from 'millrace/promises';
 *
 * const salt = randomBytes(16);
 * await scrypt('a password', salt, 32, { N: 16384, r: 8, p: 1 });
 * ```
 */
export function scrypt(
  password: SecretInput,
  salt: Data,
  keylen: number,
  options?: ScryptOptions & DerivationCallOptions,
): Promise<Buffer>;
export function scrypt(): Promise<unknown> {
  return derivePromise(scryptParser, arguments);
}

/**
 * Derives a key from a password with PBKDF2 (RFC 8018); see `pbkdf2` of `millrace`.
 *
 * @example
 * ```js
 * import { pbkdf2, randomBytes } from 'millrace/promises';
 *
 * await pbkdf2('a password', randomBytes(16), 600_000, 32, 'sha256');
 * ```
 */
export function pbkdf2(
  password: SecretInput,
  salt: Data,
  iterations: number,
  keylen: number,
  digest: HashAlgorithm,
  options?: DerivationCallOptions,
): Promise<Buffer>;
export function pbkdf2(): Promise<unknown> {
  return derivePromise(pbkdf2Parser, arguments);
}

/**
 * Derives a key from a password with Argon2 (RFC 9106); see `argon2` of `millrace`.
 *
 * @example
 * ```js
 * import { argon2, randomBytes } from 'millrace/promises';
 *
 * await argon2('argon2id', {
 *   message: 'a password',
 *   nonce: randomBytes(16),
 *   memory: 19456, // KiB
 *   passes: 2,
 *   parallelism: 1,
 *   tagLength: 32,
 * });
 * ```
 */
export function argon2(
  algorithm: Argon2Algorithm,
  parameters: Argon2CallParameters,
): Promise<Buffer>;
export function argon2(): Promise<unknown> {
  return derivePromise(argon2Parser, arguments);
}

/**
 * Hashes a password for storage; see `hashPassword` of `millrace`.
 *
 * @example
 * ```js
 * import { hashPassword, verifyPassword } from 'millrace/promises';
 *
 * const stored = await hashPassword('a password');
 * // '$argon2id$v=19$m=19456,t=2,p=1$…'
 * await verifyPassword('a password', stored); // true
 * ```
 */
export function hashPassword(
  password: SecretInput,
  options?: HashPasswordOptions & DerivationCallOptions,
): Promise<string>;
export function hashPassword(): Promise<unknown> {
  try {
    const { parser, finish } = hashing(arguments, arguments.length);
    return derivePromise(parser, arguments).then((hash) => finish(hash as Buffer));
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/**
 * Resolves with true if the password matches the hash; see `verifyPassword` of `millrace`.
 *
 * @example
 * ```js
 * import { verifyPassword } from 'millrace/promises';
 *
 * // A hash that the bcrypt package made.
 * const stored =
 *   '$2b$04$SQe9knOzepOVKoYXo9xTtef4wAWA5SDSAuVRBPtlvHgNLigt.YZxC';
 * await verifyPassword('a password', stored); // true
 * ```
 */
export function verifyPassword(
  password: SecretInput,
  hash: string,
  options?: VerifyPasswordOptions & DerivationCallOptions,
): Promise<boolean>;
export function verifyPassword(): Promise<unknown> {
  return derivePromise(verifyParser, arguments);
}
