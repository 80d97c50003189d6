// Key derivations: the descriptions that tools/calls.mjs reads.

export default 'Key derivation and password hashes';

/*
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
 *
 * @promised
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
export const scrypt = {
  form: 'derivation',
  takes: { password: 'SecretInput', salt: 'Data', keylen: 'number' },
  options: 'ScryptOptions',
  result: 'Buffer',
  runs: {
    millrace: 'derive(scryptParser, arguments)',
    promises: 'derivePromise(scryptParser, arguments)',
  },
};

/*
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
 *
 * @promised
 * Derives a key from a password with PBKDF2 (RFC 8018); see `pbkdf2` of `millrace`.
 *
 * @example
 * ```js
 * import { pbkdf2, randomBytes } from 'millrace/promises';
 *
 * await pbkdf2('a password', randomBytes(16), 600_000, 32, 'sha256');
 * ```
 */
export const pbkdf2 = {
  form: 'derivation',
  takes: {
    password: 'SecretInput',
    salt: 'Data',
    iterations: 'number',
    keylen: 'number',
    digest: 'HashAlgorithm',
  },
  result: 'Buffer',
  runs: {
    millrace: "derive(parserOf('pbkdf2'), arguments)",
    promises: "derivePromise(parserOf('pbkdf2'), arguments)",
  },
  needs: 'a password, a salt, iterations, keylen and a digest',
  reads: {
    iterations: 'iterations',
    keylen: 'keySize',
    digest: 'digest',
    salt: 'data',
    password: 'secret',
  },
  sets: { key: 'password', iv: 'salt', Count: 'iterations', result: 'keylen' },
};

/*
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
 *
 * @promised
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
export const argon2 = {
  form: 'derivation',
  takes: { algorithm: 'Argon2Algorithm' },
  options: 'Argon2Parameters',
  name: 'parameters',
  required: true,
  later: 'Argon2CallParameters',
  result: 'Buffer',
  runs: {
    millrace: 'derive(argon2Parser, arguments)',
    promises: 'derivePromise(argon2Parser, arguments)',
  },
};

/*
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
 *
 * @promised
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
export const hashPassword = {
  form: 'derivation',
  takes: { password: 'SecretInput' },
  options: 'HashPasswordOptions',
  result: 'string',
  runs: { millrace: 'hashPasswordNow(arguments)', promises: 'hashPasswordLater(arguments)' },
};

/*
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
 *
 * @promised
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
export const verifyPassword = {
  form: 'derivation',
  takes: { password: 'SecretInput', hash: 'string' },
  options: 'VerifyPasswordOptions',
  result: 'boolean',
  runs: {
    millrace: 'derive(verifyParser, arguments)',
    promises: 'derivePromise(verifyParser, arguments)',
  },
};

/*
 * Returns true if {@link hashPassword} with these options would make a different kind of hash, so
 * that the password should be hashed again at its next login. True for bcrypt by default.
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
export const needsRehash = {
  form: 'written',
  more: {
    millrace: [['', [], ['hash: string', 'options?: HashPasswordOptions'], 'boolean']],
  },
  runs: { millrace: 'needsRehashed(hash, options)' },
  most: 2,
  given: { millrace: 'hash?: unknown, options?: unknown' },
};
