/**
 * The interface of a hash in the portable engine. The catalog has the numbers, the sizes of states
 * and digests, and which hashes take a key or a seed; callers have checked sizes against it.
 */

/** The inputs of a hash beside the message, as `Params` in crates/core/src/inputs.rs. */
export interface HashParams {
  /** 0 for a hash without a seed; below 2^32 or 2^64 as the catalog's `seedBits` says. */
  readonly seed: bigint;
  /** 32 bytes of BLAKE3's key, or undefined. */
  readonly key: Uint8Array | undefined;
  /** The block of all other parameters (catalog/parameters.ts), checked. */
  readonly parameters?: Uint8Array | undefined;
}

/** No seed, no key. */
export const PLAIN: HashParams = { seed: 0n, key: undefined, parameters: undefined };

/**
 * A hash of the catalog.
 *
 * States are the canonical bytes of crates/core/src/hasher.rs (crates/core/src/engines/native
 * documents each layout at `STATE`), the same in every engine, so that a state exported by one
 * resumes in another. An empty state is that of a new hash. A call keeps no argument. The source
 * may overlap the target, and a state the next one: everything is read before the result is
 * written.
 *
 * An invalid state throws {@link StateError} before anything is written.
 */
export interface PortableHash {
  /** Writes the digest of a whole message; an extendable output fills the target. */
  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void;
  /** Adds to the message. Refuses a state after its first output. */
  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  /** Adds the rest and writes the digest. Refuses a state after its first output. */
  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  /** Writes the next bytes of an extendable output. After the first output `rest` must be empty. */
  squeeze?(
    params: HashParams,
    state: Uint8Array,
    rest: Uint8Array,
    target: Uint8Array,
    next: Uint8Array,
  ): void;
  /** Encodes the items of a tuple, for a hash of tuples; `read` returns an item's bytes. */
  encodeItems?(given: unknown, read: (item: unknown, name: string) => Uint8Array): Uint8Array;
  /** Throws unless this is a state under this key; an empty one is not. */
  check(params: HashParams, state: Uint8Array): void;
}

/** A keyed HMAC. Its states are those of its hash after the key's first block. */
export interface PortableMac {
  mac(source: Uint8Array, target: Uint8Array): void;
  update(state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  finish(state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  /** Wipes the key, as far as JavaScript can. */
  dispose(): void;
}
