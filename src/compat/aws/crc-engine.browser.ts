/** CRCs of millrace/aws-checksums: by the module of their family. */
import { crc32, crc32c, crc64nvme } from '../../portable/recipes.js';
import { PLAIN } from '../../portable/families/hash.js';

/** The names of the CRCs. */
export type CrcName = 'crc32' | 'crc32c' | 'crc64nvme';

const recipeOf = (name: CrcName) =>
  name === 'crc64nvme' ? crc64nvme : name === 'crc32c' ? crc32c : crc32;

/**
 * Writes the CRC of bytes to a target of its size; returns false where the page may not compile the
 * module.
 */
export function crcInto(name: CrcName, data: Uint8Array, target: Uint8Array): boolean {
  const { hash } = recipeOf(name);
  try {
    hash.family.open();
  } catch {
    return false;
  }
  hash.digest(PLAIN, data, target);
  return true;
}
