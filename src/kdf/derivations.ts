/**
 * Key derivation as exported by `millrace`: synchronous without a callback, otherwise on the worker
 * threads.
 */
import { refuseSurplus } from '../base/errors.js';
import type { Data } from '../base/arguments.js';
import type { Callback } from '../scheduling/completions.js';
import type { SecretInput } from '../request/key-input.js';
import type { HashAlgorithm } from '../catalog/catalog.js';
import type { Buffer } from '#platform/base/runtime.js';
import {
  argon2Parser,
  type Argon2Algorithm,
  type Argon2CallParameters,
  type Argon2Parameters,
} from './argon2.js';
import { derive, deriveSync, deriveThen, type DerivationCallOptions } from './derive.js';
import type { EngineOptions } from '../engines/engines.js';
import {
  hashing,
  needsRehashed,
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
} from './argon2.js';
export type { DerivationCallOptions, DerivationProgress } from './derive.js';
export type { Hkdf, HkdfExpand, HkdfExtract } from './hkdf-types.js';
export type { HashPasswordOptions, VerifyPasswordOptions } from './passwords.js';
export type { ScryptOptions } from './scrypt.js';

/**
 * **Without a callback it blocks the event loop until the work is done; `await` does not change
 * that.** Servers import it from `millrace/promises`.
 *
 * Derives a key from a password with scrypt (RFC 7914); arguments and limits are those of
 * node:crypto.
 *
 * Password and salt are copied at the call. Waiting derivations with the same N and r run together,
 * in lanes of one thread.
 *
 * @example
 * ```js
 * import { randomBytes, scrypt } from 'millrace';
 *
 * const salt = randomBytes(16);
 * scrypt(
 *   'a password',
 *   salt,
 *   32,
 *   { N: 16384, r: 8, p: 1 },
 *   (error, key) => {
 *     if (error) throw error;
 *     console.log(key.length); // 32
 *   },
 * );
 * ```
 *
 * @param salt bytes or a string (UTF-8), different for each password; 16 random bytes suffice
 * @param keylen size of the key in bytes
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_MEMORY_LIMIT when `maxmem` is too small (the message names the required bytes),
 *   ERR_OUT_OF_MEMORY
 */
export function scrypt(
  password: SecretInput,
  salt: Data,
  keylen: number,
  options?: ScryptOptions,
): Buffer;
export function scrypt(
  password: SecretInput,
  salt: Data,
  keylen: number,
  callback: Callback<Buffer>,
): void;
export function scrypt(
  password: SecretInput,
  salt: Data,
  keylen: number,
  options: (ScryptOptions & DerivationCallOptions) | undefined,
  callback: Callback<Buffer>,
): void;
export function scrypt(): unknown {
  return derive(scryptParser, arguments);
}

/**
 * **Without a callback it blocks the event loop until the work is done; `await` does not change
 * that.** Servers import it from `millrace/promises`.
 *
 * Derives a key from a password with PBKDF2 over HMAC (RFC 8018); arguments are those of
 * node:crypto.
 *
 * Password and salt are copied at the call. Waiting derivations with the same digest run together,
 * in lanes of one thread.
 *
 * @example
 * ```js
 * import { pbkdf2, randomBytes } from 'millrace';
 *
 * const salt = randomBytes(16);
 * pbkdf2('a password', salt, 600_000, 32, 'sha256', (error, key) => {
 *   if (error) throw error;
 *   console.log(key.length); // 32
 * });
 * ```
 *
 * @param salt bytes or a string (UTF-8), different for each password
 * @param iterations at least 1; OWASP recommends 600000 for sha256, 210000 for sha512
 * @param keylen size of the key in bytes
 * @param digest name of the hash, for example `sha256`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM
 */
export function pbkdf2(
  password: SecretInput,
  salt: Data,
  iterations: number,
  keylen: number,
  digest: HashAlgorithm,
  options?: EngineOptions,
): Buffer;
export function pbkdf2(
  password: SecretInput,
  salt: Data,
  iterations: number,
  keylen: number,
  digest: HashAlgorithm,
  callback: Callback<Buffer>,
): void;
export function pbkdf2(
  password: SecretInput,
  salt: Data,
  iterations: number,
  keylen: number,
  digest: HashAlgorithm,
  options: DerivationCallOptions | undefined,
  callback: Callback<Buffer>,
): void;
export function pbkdf2(): unknown {
  return derive(pbkdf2Parser, arguments);
}

/**
 * **Without a callback it blocks the event loop until the work is done; `await` does not change
 * that.** Servers import it from `millrace/promises`.
 *
 * Derives a key from a password with Argon2 (RFC 9106); arguments are those of node:crypto since
 * version 24. To store passwords use {@link hashPassword}.
 *
 * @example
 * ```js
 * import { argon2, randomBytes } from 'millrace';
 *
 * const parameters = {
 *   message: 'a password',
 *   nonce: randomBytes(16),
 *   memory: 19456, // KiB
 *   passes: 2,
 *   parallelism: 1,
 *   tagLength: 32,
 * };
 * argon2('argon2id', parameters, (error, key) => {
 *   if (error) throw error;
 *   console.log(key.length); // 32
 * });
 * ```
 *
 * @param algorithm `'argon2id'`, `'argon2d'` or `'argon2i'`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_MEMORY_LIMIT, ERR_OUT_OF_MEMORY
 */
export function argon2(algorithm: Argon2Algorithm, parameters: Argon2Parameters): Buffer;
export function argon2(
  algorithm: Argon2Algorithm,
  parameters: Argon2CallParameters,
  callback: Callback<Buffer>,
): void;
export function argon2(): unknown {
  return derive(argon2Parser, arguments);
}

/**
 * **Without a callback it blocks the event loop until the work is done; `await` does not change
 * that.** Servers import it from `millrace/promises`.
 *
 * Hashes a password for storage. Returns a PHC string with a random salt:
 * `$argon2id$v=19$m=19456,t=2,p=1$...`.
 *
 * @example
 * ```js
 * import { hashPassword } from 'millrace';
 *
 * hashPassword('a password', (error, stored) => {
 *   if (error) throw error;
 *   console.log(stored); // '$argon2id$v=19$m=19456,t=2,p=1$…'
 * });
 * ```
 *
 * @param password bytes, a string (UTF-8), a secret KeyObject or an extractable secret CryptoKey;
 *   it is not normalized
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_MEMORY_LIMIT, ERR_OUT_OF_MEMORY
 */
export function hashPassword(password: SecretInput, options?: HashPasswordOptions): string;
export function hashPassword(password: SecretInput, callback: Callback<string>): void;
export function hashPassword(
  password: SecretInput,
  options: (HashPasswordOptions & DerivationCallOptions) | undefined,
  callback: Callback<string>,
): void;
export function hashPassword(): unknown {
  const given = arguments as ArrayLike<unknown>;
  const last = given.length > 0 ? given[given.length - 1] : undefined;
  if (typeof last !== 'function') {
    const { parser, finish } = hashing(given, given.length);
    return finish(deriveSync(parser, given, given.length) as Buffer);
  }
  const callback = last as Callback<string>;
  const { parser, finish } = hashing(given, given.length - 1);
  const then: Callback<unknown> = (error, hash) =>
    error === null
      ? callback(null, finish(hash as Buffer))
      : (callback as (error: unknown) => void)(error);
  return deriveThen(then, parser, given, given.length - 1);
}

/**
 * **Without a callback it blocks the event loop until the work is done; `await` does not change
 * that.** Servers import it from `millrace/promises`.
 *
 * Returns true if the password matches the hash, which {@link hashPassword} or another program
 * made: a PHC string of Argon2, scrypt or bcrypt, or a bcrypt string (2a, 2b, 2y). The comparison
 * takes constant time. `maxMemory` and `maxTime` limit the cost of untrusted hashes.
 *
 * @example
 * ```js
 * import { hashPassword, verifyPassword } from 'millrace';
 *
 * const stored = hashPassword('a password'); // blocks
 * verifyPassword('a password', stored, (error, matches) => {
 *   if (error) throw error;
 *   console.log(matches); // true
 * });
 * ```
 *
 * @throws MillraceError ERR_PASSWORD_HASH for a string that is not a known password hash,
 *   ERR_MEMORY_LIMIT and ERR_WORK_LIMIT for a hash above the limits, ERR_MISSING_ARGUMENT,
 *   ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_OUT_OF_MEMORY
 */
export function verifyPassword(
  password: SecretInput,
  hash: string,
  options?: VerifyPasswordOptions,
): boolean;
export function verifyPassword(
  password: SecretInput,
  hash: string,
  callback: Callback<boolean>,
): void;
export function verifyPassword(
  password: SecretInput,
  hash: string,
  options: (VerifyPasswordOptions & DerivationCallOptions) | undefined,
  callback: Callback<boolean>,
): void;
export function verifyPassword(): unknown {
  return derive(verifyParser, arguments);
}

/**
 * Returns true if {@link hashPassword} with these options would make a different kind of hash, so
 * that the password should be hashed again at its next login. Always true for bcrypt.
 *
 * @example
 * ```js
 * import { hashPassword, needsRehash, verifyPassword } from 'millrace';
 *
 * const password = 'a password';
 * let stored =
 *   '$2b$04$SQe9knOzepOVKoYXo9xTtef4wAWA5SDSAuVRBPtlvHgNLigt.YZxC';
 * if (verifyPassword(password, stored) && needsRehash(stored))
 *   stored = hashPassword(password); // Argon2id from now on
 * ```
 *
 * @throws MillraceError ERR_PASSWORD_HASH, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM
 */
export function needsRehash(hash: string, options?: HashPasswordOptions): boolean {
  if (arguments.length > 2) refuseSurplus(arguments, 2, 'needsRehash');
  return needsRehashed(hash, options);
}
