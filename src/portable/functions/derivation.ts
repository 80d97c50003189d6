/**
 * Key derivation of millrace/portable: synchronous, in WebAssembly, so it blocks the page.
 */
import { scryptCostOptionNames } from '../../base/option-names.js';
import { makeError } from '../../base/errors.js';
import {
  argon2Kind,
  argon2Version,
  checkArgon2Salt,
  keySize,
  scryptCost,
  scryptMaxmem,
  scryptMemory,
  type Argon2Algorithm,
  type ScryptCostOptions,
} from '../../base/kdf-costs.js';
import { between } from '../../base/numbers.js';
import { ownOptions, type Accepted } from '../../base/options.js';
import { derive } from '../families/derivations.js';
import { pbkdf2 as derivePbkdf2 } from '../families/pbkdf2.js';
import * as modules from '../family-modules.js';
import { recipeOf, type HashFunction } from './hash.js';
import {
  accepted,
  bytes,
  data,
  derivedKey,
  NO_BYTES,
  type Bytes,
  type Data,
  type Result,
} from './inputs.js';

/** The cost of an scrypt. Each number has two names, as in node:crypto; give one of them. */
export interface ScryptOptions extends ScryptCostOptions {
  /** The most bytes of memory: `128 * r * (N + p + 2)` must not exceed it. 32 MiB by default. */
  readonly maxmem?: number | undefined;
}

const scryptTakes: Accepted<keyof ScryptOptions> = /* @__PURE__ */ accepted(
  'scrypt(password, salt, keylen)',
  `${scryptCostOptionNames} maxmem` as const,
);

export type { Argon2Algorithm };

/** The parameters of Argon2, with the names of node:crypto. */
export interface Argon2Parameters {
  /** The password or other input that a key is derived from. */
  readonly message: Data;
  /** The salt: at least 8 bytes, different for each password. */
  readonly nonce: Data;
  /** KiB of memory, at least 8 for each lane; 19456 (19 MiB) by default. */
  readonly memory?: number | undefined;
  /** Passes over the memory; 2 by default. */
  readonly passes?: number | undefined;
  /** Lanes; 1 by default. They run in sequence. */
  readonly parallelism?: number | undefined;
  /** Bytes of the result, at least 4; 32 by default. */
  readonly tagLength?: number | undefined;
  /** A key stored apart from the derived keys. */
  readonly secret?: Data;
  /** Additional input that the result depends on. */
  readonly associatedData?: Data;
  /** 0x13 (RFC 9106) by default, or 0x10. */
  readonly version?: 0x10 | 0x13 | undefined;
}

const argon2Takes: Accepted<keyof Argon2Parameters> = /* @__PURE__ */ accepted(
  'argon2(algorithm)',
  'message nonce memory passes parallelism tagLength secret associatedData version',
);

/**
 * Derives a key from a password with scrypt (RFC 7914): at least 60 ms and 16 MiB by default.
 *
 * @example
 * ```js
 * import { scrypt } from 'millrace/portable';
 *
 * const salt = crypto.getRandomValues(new Uint8Array(16));
 * scrypt('a password', salt, 32);
 * ```
 *
 * @param salt bytes or a string (UTF-8), different for each password; 16 random bytes suffice
 * @param keylen size of the key in bytes
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_MEMORY_LIMIT when `maxmem` is too small
 */
export function scrypt(
  password: Data,
  salt: Data,
  keylen: number,
  options?: ScryptOptions,
): Result {
  if (arguments.length < 3)
    throw makeError('ERR_MISSING_ARGUMENT', 'scrypt needs a password, a salt and keylen');
  const given = ownOptions<ScryptOptions>(options, 'options', scryptTakes);
  const cost = scryptCost(given);
  scryptMaxmem(cost, given.maxmem);
  const dkLen = keySize(keylen, 'keylen');
  const [secret, other] = [data(password, 'password'), data(salt, 'salt')];
  const target = derivedKey(dkLen);
  const { N, r, p } = cost;
  derive(modules.scrypt, scryptMemory(cost), [], [secret, other], [N, r, p], target);
  return target;
}

/**
 * Derives a key from a password with PBKDF2 over HMAC (RFC 8018).
 *
 * @example
 * ```js
 * import { pbkdf2, sha256 } from 'millrace/portable';
 *
 * const salt = crypto.getRandomValues(new Uint8Array(16));
 * pbkdf2('a password', salt, 100_000, 32, sha256);
 * ```
 *
 * @param salt bytes or a string (UTF-8), different for each password
 * @param iterations at least 1; OWASP recommends 600000 for sha256, 210000 for sha512
 * @param keylen size of the key in bytes
 * @param digest a hash of millrace/portable, for example `sha256`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
 */
export function pbkdf2(
  password: Data,
  salt: Data,
  iterations: number,
  keylen: number,
  digest: HashFunction<never>,
): Result {
  if (arguments.length < 5)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'pbkdf2 needs a password, a salt, iterations, keylen and a digest',
    );
  between(iterations, 1, 2 ** 32 - 1, 'iterations');
  const size = keySize(keylen, 'keylen');
  const recipe = recipeOf(digest, 'digest');
  const [secret, other] = [data(password, 'password'), data(salt, 'salt')];
  const target = derivedKey(size);
  derivePbkdf2(recipe.hash, recipe, secret, other, iterations, target);
  return target;
}

/**
 * Derives a key from a password with Argon2 (RFC 9106): at least 210 ms and 19 MiB by default.
 *
 * @example
 * ```js
 * import { argon2 } from 'millrace/portable';
 *
 * argon2('argon2id', {
 *   message: 'a password',
 *   nonce: crypto.getRandomValues(new Uint8Array(16)),
 *   memory: 19456, // KiB
 *   passes: 2,
 *   parallelism: 1,
 *   tagLength: 32,
 * });
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM
 */
export function argon2(algorithm: Argon2Algorithm, parameters: Argon2Parameters): Result {
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'argon2 needs an algorithm and parameters');
  const kind = argon2Kind(algorithm, 'algorithm');
  const given = ownOptions<Argon2Parameters>(parameters, 'parameters', argon2Takes);
  const {
    message,
    nonce,
    memory = 19456,
    passes = 2,
    parallelism = 1,
    tagLength,
    secret,
    associatedData,
  } = given;
  const version = argon2Version(given.version);
  const t = between(passes, 1, 2 ** 32 - 1, 'parameters.passes');
  const p = between(parallelism, 1, 2 ** 24 - 1, 'parameters.parallelism');
  const m = between(memory, 8 * p, 2 ** 22 - 1, 'parameters.memory');
  const dkLen = tagLength === undefined ? 32 : keySize(tagLength, 'parameters.tagLength', 4);
  const salt = data(nonce, 'parameters.nonce');
  checkArgon2Salt(salt.length, 'parameters');
  const password = data(message, 'parameters.message');
  const inputs = [
    password,
    salt,
    secret === undefined ? NO_BYTES : data(secret, 'parameters.secret'),
    associatedData === undefined ? NO_BYTES : data(associatedData, 'parameters.associatedData'),
  ];
  const target = derivedKey(dkLen);
  derive(modules.argon2, m * 1024, [kind, version, m, t, p], inputs, [], target);
  return target;
}

/**
 * Returns true if two byte arrays are equal, in a time that depends on their size only, as far as a
 * JavaScript engine allows.
 *
 * @example
 * ```js
 * import { sha256, timingSafeEqual } from 'millrace/portable';
 *
 * timingSafeEqual(sha256('abc'), sha256('abc')); // true
 * ```
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE; ERR_ARGUMENT_VALUE if the sizes differ
 */
export function timingSafeEqual(a: Bytes, b: Bytes): boolean {
  const [left, right] = [bytes(a, 'a'), bytes(b, 'b')];
  if (left.length !== right.length)
    throw makeError('ERR_ARGUMENT_VALUE', 'a and b must have the same number of bytes');
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  return difference === 0;
}
