/**
 * The modules of `@noble/hashes` over Millrace. Programs import the sub-paths, as they do noble's:
 * `millrace/noble-hashes/sha2.js` has the interface of version 2 and
 * `millrace/noble-hashes/v1/sha256.js` that of version 1. This module has all of them by sub-path,
 * and the functions that say where noble itself is and what it computes.
 *
 * @packageDocumentation
 */
export type {
  cShakeOpts,
  HopMAC,
  KangarooOpts,
  IKMAC,
  ParallelOpts,
  ITupleHash,
  TurboshakeOpts,
} from './noble/modules/sha3-addons.js';
export type { CHash, Hash, HashXOF, KDFInput, ShakeOpts } from './noble/hash-objects.js';
export type { Blake2Opts } from './noble/modules/blake2.js';
export type { Blake3Opts } from './noble/modules/blake3.js';
export type { ArgonOpts } from './noble/modules/argon2.js';
export type { HmacFunction } from './noble/modules/hmac.js';
export type { Pbkdf2Opt } from './noble/modules/pbkdf2.js';
export type { ScryptOpts } from './noble/modules/scrypt.js';
export type { MajorVersion, NobleModule, NoblePackage, NobleSource } from './noble/original.js';

export { v1, v2 } from './noble/hash-modules.js';
export { useNoble, nobleCalls, knownNoble } from './noble/original.js';
