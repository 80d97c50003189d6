/** CRCs of millrace/aws-checksums: by the engine that is chosen. */
import { findHash } from '../../catalog/catalog.js';
import { fastInto } from '../../operations/fast-path.js';

/** The names of the CRCs. */
export type CrcName = 'crc32' | 'crc32c' | 'crc64nvme';

/** Writes the CRC of bytes to a target of its size; returns false if the engine does not. */
export function crcInto(name: CrcName, data: Uint8Array, target: Uint8Array): boolean {
  return fastInto(findHash(name)!, data, target);
}
