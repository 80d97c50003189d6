/** The types of the catalog's entries. */

/** The fewest and the most bytes of a parameter, or the least and the greatest number. */
export type ParameterRange = readonly [least: number, most: number];

/** The parameters of a hash by name (parameters.ts). */
export interface ParameterRanges {
  readonly key?: ParameterRange;
  readonly salt?: ParameterRange;
  readonly personalization?: ParameterRange;
  readonly context?: ParameterRange;
  readonly customization?: ParameterRange;
  readonly functionName?: ParameterRange;
  readonly domain?: ParameterRange;
  readonly blockSize?: ParameterRange;
  /** The digest's size, if the digest depends on it: a shorter one is not the start of another. */
  readonly outputLength?: ParameterRange;
}

/** The properties of a hash; sizes in bytes. From `HashFacts` in crates/core/src/catalog.rs. */
export interface HashFacts {
  readonly id: number;
  readonly name: string;
  readonly aliases: readonly string[];
  /** The digest's size; the default size of an output of any length. */
  readonly digestSize: number;
  readonly blockSize: number;
  /** The size of a running hash's state. */
  readonly stateSize: number;
  /** True if the output has any length (XOF). */
  readonly xof: boolean;
  /** True if the message is a tuple of byte strings (operations/tuple.ts). */
  readonly tuple: boolean;
  /** True if there is no digest without a key. */
  readonly keyRequired: boolean;
  /** True if bytes and no options are enough for a digest: neither of the two. */
  readonly direct: boolean;
  /** The parameters beside the seed; null if there are none. */
  readonly parameters: ParameterRanges | null;
  /** The bits of the optional seed, 0 if there is none. */
  readonly seedBits: number;
  /** True if HMAC is defined for it. */
  readonly hmac: boolean;
  /** True if a state does not reveal the whole blocks that it has absorbed, such as HMAC's key. */
  readonly oneWay: boolean;
  readonly cryptographic: boolean;
  /** Nanoseconds of a message and of each of its bytes by the portable engine. */
  readonly portableCost: readonly [number, number];
}

/**
 * The properties of a cipher; sizes in bytes. From `CipherFacts` in crates/core/src/catalog.rs.
 */
export interface CipherFacts {
  readonly id: number;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly keySize: number;
  readonly ivSize: number;
  /** The most bytes of a nonce if it may have any size from 1 on; otherwise 0. */
  readonly ivMax: number;
  /** True if it authenticates. */
  readonly aead: boolean;
  /** The size of the full tag, 0 if not `aead`. */
  readonly tagSize: number;
  readonly tagMin: number;
  /** The most bytes of source under one nonce. */
  readonly maxSource: number;
  readonly maxAad: number;
  /** Nanoseconds of a message and of each of its bytes by the portable engine. */
  readonly portableCost: readonly [number, number];
}
