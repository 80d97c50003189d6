/**
 * The hashes of the portable engine by their numbers in the catalog, and HMAC over them.
 */
import { hashes as catalog } from '../../catalog/catalog-table.js';
import type { PortableHash, PortableMac } from './contract.js';
import * as families from './families.js';
import { Hmac, prepareHmac, writeKeyStates } from './hmac.js';

const byName: Readonly<Record<string, PortableHash>> = {
  md5: families.md5,
  sha1: families.sha1,
  sha224: families.sha224,
  sha256: families.sha256,
  sha384: families.sha384,
  sha512: families.sha512,
  'sha512-224': families.sha512_224,
  'sha512-256': families.sha512_256,
  'sha3-224': families.sha3_224,
  'sha3-256': families.sha3_256,
  'sha3-384': families.sha3_384,
  'sha3-512': families.sha3_512,
  keccak224: families.keccak224,
  keccak256: families.keccak256,
  keccak384: families.keccak384,
  keccak512: families.keccak512,
  shake128: families.shake128,
  shake256: families.shake256,
  blake2b512: families.blake2b512,
  blake2s256: families.blake2s256,
  blake3: families.blake3,
  ripemd160: families.ripemd160,
  'md5-sha1': families.md5Sha1,
  xxh32: families.xxh32,
  xxh64: families.xxh64,
  'xxh3-64': families.xxh3_64,
  'xxh3-128': families.xxh3_128,
};

/** Every hash of the catalog, by its number. */
export const hashes: readonly PortableHash[] = catalog.map(({ name }) => {
  const hash = byName[name];
  if (hash === undefined) throw new Error(`the portable engine lacks ${name}`);
  return hash;
});

/**
 * Prepares a key, of any length, for HMAC with the hash of this number; a copy is kept of what it
 * makes of the key.
 */
export function prepareMac(id: number, key: Uint8Array): PortableMac {
  return prepareHmac(hashes[id]!, catalog[id]!, key);
}

/** Writes the states of such a key, for {@link macOfStates}. */
export function macStates(id: number, key: Uint8Array, states: Uint8Array): void {
  writeKeyStates(hashes[id]!, catalog[id]!, key, states);
}

/** The key whose states these are. */
export function macOfStates(id: number, states: Uint8Array): PortableMac {
  return new Hmac(hashes[id]!, catalog[id]!, states);
}
