/** verifyHmac of `millrace`. */
import type { HashAlgorithm } from '../catalog/catalog.js';
import { wrongType } from '../request/errors.js';
import { surplusArguments } from '../request/arguments.js';
import { isSameCode, readVerification, type VerifyHmacOptions } from '../operations/verify-hmac.js';
import type { Callback } from '../scheduling/completions.js';
import type { RouteOptions } from '../scheduling/routes.js';
import { hmac } from './digests.js';

/**
 * Returns true if `mac` is the HMAC of `source` (RFC 2104). The comparison takes a time that does
 * not depend on the bytes; a code of another size is false.
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
export function verifyHmac(
  algorithm: HashAlgorithm,
  options: unknown,
  callback?: unknown,
): boolean | undefined {
  if (arguments.length > 3)
    throw surplusArguments('verifyHmac takes 2 arguments', arguments.length);
  if (callback !== undefined && typeof callback !== 'function')
    throw wrongType('callback', 'a function', callback);
  const { key, source, mac, rest } = readVerification(options, false);
  if (callback === undefined) return isSameCode(hmac(algorithm, key, source, rest), mac);
  const call = callback as Callback<boolean>;
  hmac(algorithm, key, source, rest, (...[error, code]) => {
    if (error === null) call(null, isSameCode(code!, mac));
    else (call as (error: Error) => void)(error as Error);
  });
  return undefined;
}
