/** TupleHash: the items are encoded here, after their lengths. */
import { encodeItems } from '../../catalog/integers.js';
import { wrongType } from '../../base/errors.js';
import { isRevoked } from '../../base/intrinsics.js';
import { ExtendableHash, FamilyHash } from './hash.js';

/** Returns the bytes of an item. */
type Read = (item: unknown, name: string) => Uint8Array;

/** A TupleHash of one length. */
export class TupleHash extends FamilyHash {
  override encodeItems(given: unknown, read: Read): Uint8Array {
    return itemsOf(given, read);
  }
}

/** A TupleHash with an output of any length. */
export class ExtendableTupleHash extends ExtendableHash {
  override encodeItems(given: unknown, read: Read): Uint8Array {
    return itemsOf(given, read);
  }
}

function itemsOf(given: unknown, read: Read): Uint8Array {
  if (isRevoked(given) || !Array.isArray(given))
    throw wrongType('data', 'an array of bytes and strings, the items of the tuple', given);
  return encodeItems(Array.from(given, (item, index) => read(item, `data[${index}]`)));
}
