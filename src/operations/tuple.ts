/**
 * The messages of TupleHash (NIST SP 800-185): arrays of byte strings. The engines hash the encoded
 * tuple, in which each item follows its length in bits.
 */
import { data } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { isRevoked } from '../base/intrinsics.js';
import { encodeItems } from '../catalog/integers.js';
import type { HashFacts } from '../catalog/facts.js';

/** Returns an encoded tuple of bytes and strings. Runs getters of the array. */
export function encodeTuple(value: unknown, argument: string): Uint8Array {
  if (isRevoked(value) || !Array.isArray(value))
    throw wrongType(argument, 'an array of bytes and strings, the items of the tuple', value);
  const { length } = value;
  const items: Uint8Array[] = [];
  for (let index = 0; index < length; index++)
    items.push(data(value[index], `${argument}[${index}]`));
  return encodeItems(items);
}

/** Refuses a source of chunks for a hash of tuples: chunks are not items. */
export function refuseTuple({ tuple, name }: HashFacts, argument: string): void {
  if (!tuple) return;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${argument}: ${name} hashes an array of items, and a file or stream has no items: use ` +
      `hash('${name}', items), or update() of a hasher once for each item`,
  );
}
