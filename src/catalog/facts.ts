/**
 * What the catalog says of an algorithm.
 */

/**
 * What there is to know about a hash; sizes in bytes. Mirrors `HashFacts` in
 * crates/core/src/catalog.rs.
 */
export interface HashFacts {
  readonly id: number;
  readonly name: string;
  readonly aliases: readonly string[];
  /** The digest's size; the default where `xof`; 0 where the caller must say (SHAKE). */
  readonly digestSize: number;
  readonly blockSize: number;
  /** Bytes of the state of a running hash. */
  readonly stateSize: number;
  /** Whether the output may have any length. */
  readonly xof: boolean;
  /** Size of the optional key, 0 where there is none. */
  readonly keySize: number;
  /** Bits of the optional seed, 0 where there is none. */
  readonly seedBits: number;
  /** Whether HMAC is defined over it. */
  readonly hmac: boolean;
  readonly cryptographic: boolean;
  readonly broken: boolean;
  readonly standard: string;
  /** Nanoseconds of a message and of each of its bytes by the portable engine. */
  readonly portableCost: readonly [number, number];
}

/**
 * What there is to know about a cipher; sizes in bytes. Mirrors `CipherFacts` in
 * crates/core/src/catalog.rs.
 */
export interface CipherFacts {
  readonly id: number;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly keySize: number;
  readonly ivSize: number;
  /** Whether it authenticates. */
  readonly aead: boolean;
  /** Size of the full tag, 0 where not `aead`. */
  readonly tagSize: number;
  readonly tagMin: number;
  /** Most bytes of source under one nonce. */
  readonly maxSource: number;
  readonly maxAad: number;
  readonly standard: string;
  /** Nanoseconds of a message and of each of its bytes by the portable engine. */
  readonly portableCost: readonly [number, number];
}
