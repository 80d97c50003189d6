/** `timingSafeEqual` of `millrace` and `millrace/promises`. */
import { findBytes, sizeOfFound, type Bytes } from '../base/arguments.js';
import { makeError, refuseSurplus } from '../base/errors.js';
import { native } from '../engines/binding.js';

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
  if (arguments.length > 2) refuseSurplus(arguments, 2, 'timingSafeEqual(a, b)');
  const first = findBytes(a, 'a');
  const second = findBytes(b, 'b');
  const same = native.equal(first, second);
  // Memory that is gone has no bytes.
  if (sizeOfFound(first, 'a') === 0 || same > 1) sizeOfFound(second, 'b');
  if (same > 1) throw makeError('ERR_ARGUMENT_VALUE', 'a and b must have the same number of bytes');
  return same === 1;
}
