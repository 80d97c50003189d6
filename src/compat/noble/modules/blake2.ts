/** BLAKE2b and BLAKE2s. */
import * as algorithms from '#platform/compat/noble/algorithms.js';
import { optionHash, type CHash } from '../hash-objects.js';
import type { Maker } from '../original.js';
import { bytesReader, type Readers } from '../parameters.js';

/** Options of BLAKE2. */
export interface Blake2Opts {
  /** Bytes of the digest. */
  dkLen?: number;
  /** A key, which makes the digest a MAC. */
  key?: Uint8Array;
  /** 16 bytes for BLAKE2b, 8 for BLAKE2s. */
  salt?: Uint8Array;
  /** 16 bytes for BLAKE2b, 8 for BLAKE2s. */
  personalization?: Uint8Array;
}

export const blake2b = /* @__PURE__ */ blake2(algorithms.blake2b512, 'blake2b');
export const blake2s = /* @__PURE__ */ blake2(algorithms.blake2s256, 'blake2s');

/** Returns the initial values of BLAKE2s, which are those of SHA-256 (version 1). */
export const IV = (): ArrayLike<number> =>
  Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );

function blake2(facts: algorithms.Algorithm, name: string): Maker<CHash<Blake2Opts>> {
  const readers: Readers = {
    pick: ({ dkLen, key, salt, personalization }) => [dkLen, key, salt, personalization],
    reads: [bytesReader('key'), bytesReader('salt'), bytesReader('personalization')],
  };
  return optionHash<Blake2Opts>({ subpath: 'blake2', name, kind: 'md', facts, readers });
}
