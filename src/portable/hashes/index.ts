/**
 * The hashes of the portable engine by their numbers in the catalog, and HMAC over them.
 */
import { hashes as catalog } from '../../catalog/catalog-table.js';
import type { PortableMac } from './contract.js';
import { Hmac, prepareHmac, writeKeyStates } from './hmac.js';
import { hashes } from './table.js';

export { hashes };

/** Prepares a key of any size for HMAC with the hash of this number. */
export function prepareMac(id: number, key: Uint8Array): PortableMac {
  return prepareHmac(hashes[id]!, catalog[id]!, key);
}

/** Writes the states of a key for {@link macOfStates}. */
export function macStates(id: number, key: Uint8Array, states: Uint8Array): void {
  writeKeyStates(hashes[id]!, catalog[id]!, key, states);
}

/** Returns the key with these states. */
export function macOfStates(id: number, states: Uint8Array): PortableMac {
  return new Hmac(hashes[id]!, catalog[id]!, states);
}
