/** `timingSafeEqual` of `millrace` and `millrace/promises`. */
import type { Bytes } from '../base/arguments.js';
import { refuseSurplus } from '../base/errors.js';
import { equal } from '../kdf/equal.js';

/**
 * Returns true if two byte arrays of the same size are equal, in a time that does not depend on
 * their content.
 *
 * @example
 * ```js
 * import { randomBytes, timingSafeEqual } from 'millrace';
 *
 * const expected = randomBytes(32);
 * const received = Buffer.from(expected);
 * timingSafeEqual(received, expected); // true
 * ```
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE; ERR_ARGUMENT_VALUE if their sizes differ
 */
export function timingSafeEqual(a: Bytes, b: Bytes): boolean {
  if (arguments.length > 2) refuseSurplus(arguments, 2, 'timingSafeEqual');
  return equal(a, b);
}
