/**
 * What a hash of the portable engine answers. The numbers, the sizes of states and digests, and
 * which hash takes a key or a seed stand in the catalog; whoever calls has checked sizes by it.
 */

/** What a hash takes beside the message: as `Params` in crates/core/src/inputs.rs. */
export interface HashParams {
  /** 0 for a hash without a seed; below 2^32 or 2^64 as the catalog's `seedBits` says. */
  readonly seed: bigint;
  /** 32 bytes of BLAKE3's key, or undefined. */
  readonly key: Uint8Array | undefined;
}

/** No seed, no key. */
export const PLAIN: HashParams = { seed: 0n, key: undefined };

/**
 * A hash of the catalog.
 *
 * States are the canonical bytes of crates/core/src/hasher.rs (each layout stands beside its
 * `STATE` in crates/core/src/engines/native): the same on every engine, so that a state which one
 * engine exports goes on in another. An empty state is a hash that has not begun. No argument is
 * kept. The source may overlap the target, and a state the next one: all is read before the result
 * is written.
 *
 * An invalid state throws {@link StateError}, and nothing has been written then.
 */
export interface PortableHash {
  /** The digest of a whole message; of an extendable output, as many bytes as the target has. */
  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void;
  /** Takes in more of the message. Refuses a state that has begun to give output. */
  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  /** Takes in the rest and gives the digest. Refuses a state that has begun to give output. */
  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  /** Of an extendable output: the next bytes of it. Once it has begun, the rest must be empty. */
  squeeze?(
    params: HashParams,
    state: Uint8Array,
    rest: Uint8Array,
    target: Uint8Array,
    next: Uint8Array,
  ): void;
  /** Whether this is a state, of this key; an empty one is not. */
  check(params: HashParams, state: Uint8Array): void;
}

/**
 * Something quicker for many blocks at once (wasm.ts): moves words, in the bytes that a state has
 * of them, on by whole blocks. All takes place within one call, like everything here.
 */
export type Blocks = (words: Uint8Array, blocks: Uint8Array) => void;

/**
 * From how many bytes on {@link Blocks} are asked: a call of it costs about as much as JavaScript
 * needs for a few blocks.
 */
export const BLOCKS_MIN = 2048;

/**
 * An HMAC with its key worked in. Its states are those of its hash, after the key's first block.
 */
export interface PortableMac {
  mac(source: Uint8Array, target: Uint8Array): void;
  update(state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  finish(state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  /** Forgets the key, as far as JavaScript can. */
  dispose(): void;
}

/** What is not a state, or has begun to give output: `Error::State` in crates/core/src/error.rs. */
export class StateError extends Error {
  constructor() {
    super('not a state of this hash');
    this.name = 'StateError';
  }
}
