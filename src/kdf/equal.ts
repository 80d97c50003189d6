/**
 * Comparison of secrets.
 */
import { findBytes, sizeOfFound } from '../base/arguments.js';
import { native } from '../engines/binding.js';
import { makeError } from '../base/errors.js';

/** Returns true if the bytes are equal, in a time that depends on their size only. */
export function equal(left: unknown, right: unknown): boolean {
  const first = findBytes(left, 'a');
  const second = findBytes(right, 'b');
  const same = native.equal(first, second);
  // Memory that is gone has no bytes.
  if (sizeOfFound(first, 'a') === 0 || same < 0) sizeOfFound(second, 'b');
  if (same < 0) throw makeError('ERR_ARGUMENT_VALUE', 'a and b must have the same number of bytes');
  return same === 1;
}
