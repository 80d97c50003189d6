/** TupleHash: the items are encoded here, after their lengths. */
import { encodeItems as encode } from '../../catalog/integers.js';
import { wrongType } from '../../base/errors.js';
import { isRevoked } from '../../base/intrinsics.js';

/** Encodes the items of a tuple; `read` returns an item's bytes. */
export function encodeItems(
  given: unknown,
  read: (item: unknown, name: string) => Uint8Array,
): Uint8Array {
  if (isRevoked(given) || !Array.isArray(given))
    throw wrongType('data', 'an array of bytes and strings, the items of the tuple', given);
  return encode(Array.from(given, (item, index) => read(item, `data[${index}]`)));
}
