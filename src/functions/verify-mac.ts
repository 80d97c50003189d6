/** verifyMac and verifyHmac of `millrace`. */
import type { HashAlgorithm, MacAlgorithm } from '../catalog/catalog.js';
import { surplusArguments } from '../base/arguments.js';
import { wrongType } from '../base/errors.js';
import type { Secret } from '../base/secret-memory.js';
import {
  Call,
  fillVerification,
  isSameCode,
  readHmac,
  readMac,
  verifyNow,
  type ReadVerification,
  type VerifyHmacOptions,
  type VerifyMacOptions,
} from '../operations/verify-mac.js';
import type { Callback } from '../scheduling/completions.js';
import type { RouteOptions } from '../scheduling/routes.js';
import { runCallback } from '../scheduling/run.js';

/**
 * Returns true if `mac` is the code of `source` under the key: an HMAC, a KMAC, or the digest of a
 * keyed BLAKE2 or BLAKE3. The comparison takes a time that does not depend on the bytes. A code of
 * another size than the algorithm's, or than `options.outputLength`, is false.
 *
 * @example
 * ```js
 * import { generateKey, hash, verifyMac } from 'millrace';
 *
 * const key = generateKey('blake3');
 * const source = 'a message';
 * const mac = hash('blake3', source, { key });
 * verifyMac('blake3', { key, source, mac }); // true
 * ```
 *
 * @param algorithm `hmac-` and a hash (`hmac-sha256`), or a keyed hash (`kmac128`, `blake3`)
 * @throws MillraceError as {@link hash} and {@link hmac}; ERR_MISSING_ARGUMENT, ERR_ARGUMENT_VALUE
 *   for an algorithm without a key
 */
export function verifyMac(algorithm: MacAlgorithm, options: VerifyMacOptions): boolean;
/** Verifies a code asynchronously. Key, message and code are copied at the call. */
export function verifyMac(
  algorithm: MacAlgorithm,
  options: VerifyMacOptions & RouteOptions,
  callback: Callback<boolean>,
): void;
export function verifyMac(): boolean | undefined {
  return verify('verifyMac', readMac, arguments);
}

/**
 * Returns true if `mac` is the HMAC of `source` (RFC 2104): {@link verifyMac} with the name of the
 * hash.
 *
 * @example
 * ```js
 * import { hmac, verifyHmac } from 'millrace';
 *
 * const key = 'a secret';
 * const source = 'a message';
 * const mac = hmac('sha256', key, source);
 * verifyHmac('sha256', { key, source, mac }); // true
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`
 * @throws MillraceError as {@link hmac}; ERR_MISSING_ARGUMENT
 */
export function verifyHmac(algorithm: HashAlgorithm, options: VerifyHmacOptions): boolean;
/** Verifies an HMAC asynchronously. Key, message and code are copied at the call. */
export function verifyHmac(
  algorithm: HashAlgorithm,
  options: VerifyHmacOptions & RouteOptions,
  callback: Callback<boolean>,
): void;
export function verifyHmac(): boolean | undefined {
  return verify('verifyHmac', readHmac, arguments);
}

function verify(name: string, read: ReadVerification, given: IArguments): boolean | undefined {
  if (given.length > 3)
    throw surplusArguments(
      `${name} takes 2 arguments`,
      given.length,
      `Pass key, source and mac as options: ${name}(algorithm, { key, source, mac })`,
    );
  // An array shows what Object.prototype has in the place of what it lacks.
  const callback = given.length > 2 ? (given[2] as unknown) : undefined;
  if (callback === undefined) return verifyNow(read(given[0], given[1], Call.Sync));
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  let mac: Uint8Array;
  const settle: Callback<unknown> = (...[error, code]) => {
    if (error === null) (callback as Callback<boolean>)(null, isSameCode(code as Secret, mac));
    else (callback as (error: unknown) => void)(error);
  };
  const fill = (): void => {
    mac = fillVerification(read(given[0], given[1], Call.Callback));
  };
  runCallback(settle, fill, given, 2);
  return undefined;
}
