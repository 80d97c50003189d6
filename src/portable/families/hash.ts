/**
 * A hash of a family's module.
 *
 * States are the canonical bytes of crates/core/src/hash/hasher.rs (each family documents its
 * layout at `STATE`), the same in every engine. An empty state is that of a new hash. A call keeps
 * no argument. The source may overlap the target, and a state the next one: everything is read
 * before the result is written. Callers have checked sizes against the catalog.
 */
import type { ParameterRanges } from '../../catalog/facts.js';
import { hexOf } from '../../base/hex.js';
import { NO_BYTES, part, sizeOf } from '../../base/intrinsics.js';
import { Status } from '../../base/protocol.js';
import { refuse } from '../windows.js';
import { aligned, WINDOW, type Family } from './family.js';

/** Wipes memory when its owner, to which it must not refer, is collected. */
export type Guard = (owner: object, memory: Uint8Array) => void;

/** The inputs of a hash beside the message, as `Params` in crates/core/src/inputs.rs. */
export interface HashParams {
  /** The seed's low and high 32 bits; 0 for a hash without a seed. */
  readonly seed: readonly [number, number];
  /**
   * 32 bytes of BLAKE3's key, or the block of all other parameters (catalog/parameters.ts): a copy,
   * to be wiped unless it is that of {@link PLAIN}.
   */
  readonly secret: Uint8Array;
  /** Wipes memory that may reveal the secret when its owner is collected; in keyed bundles only. */
  readonly guard: Guard | undefined;
}

/**
 * A function that absorbs a window: the hash's number, the state, the window and its size, the next
 * state or the digest and its size; key and seed, which hashes without parameters ignore.
 */
type Absorb = (
  hash: number,
  state: number,
  source: number,
  size: number,
  target: number,
  targetSize: number,
  key: number,
  keySize: number,
  seedLow: number,
  seedHigh: number,
) => number;

/** The functions of a module of hashes. They return 0 unless the state is none. */
export interface HashCalls {
  readonly update: Absorb;
  readonly finish: Absorb;
  squeeze?(
    hash: number,
    state: number,
    target: number,
    size: number,
    next: number,
    key: number,
    keySize: number,
  ): number;
  iterate?(
    hash: number,
    inner: number,
    outer: number,
    last: number,
    sum: number,
    size: number,
    count: number,
  ): number;
  mac?(
    hash: number,
    inner: number,
    outer: number,
    rest: number,
    size: number,
    target: number,
    targetSize: number,
  ): number;
}

/** No seed, no key. */
export const PLAIN: HashParams = { seed: [0, 0], secret: NO_BYTES, guard: undefined };

/**
 * Bytes of the stack that a hash without a key uses beside three states: BLAKE3 takes 9,124 of
 * 12,040, others at most 2,448.
 */
const NEAR_BYTES = 4096;

/** Up to this many bytes are read one by one, which is faster than by a view. */
const FEW = 64;

/** Returns a function that copies a range to the target. */
export const into =
  (target: Uint8Array) =>
  (memory: Uint8Array, start: number, end: number): void => {
    if (end - start > FEW) target.set(memory.subarray(start, end));
    else for (let index = start; index < end; index++) target[index - start] = memory[index]!;
  };

/** Refuses what is not the state of a hash; the instance is as good as before. */
export function refuseState(family: Family<HashCalls>, bytes: Uint8Array): never {
  family.end = bytes.length;
  return refuse(Status.State);
}

/** A hash of the catalog. */
export class FamilyHash {
  /** `id` and `stateSize` are those of the catalog. */
  constructor(
    readonly family: Family<HashCalls>,
    readonly id: number,
    readonly stateSize: number,
  ) {}

  /** Returns the digest of a whole message as a number, if that is faster than `digest`. */
  number(_source: Uint8Array, _digestSize: number): bigint | undefined {
    return undefined;
  }

  /** Of an extendable hash: writes the next bytes of the output. */
  squeeze?(params: HashParams, state: Uint8Array, target: Uint8Array, next: Uint8Array): void;

  /** Writes the digest of a whole message; an extendable output fills the target. */
  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.run('finish', params, NO_BYTES, source, target.length, into(target));
  }

  /** Returns the digest of a whole message as hex. */
  hex(params: HashParams, source: Uint8Array, digestSize: number): string {
    return this.run('finish', params, NO_BYTES, source, digestSize, hexOf);
  }

  /** Adds to the message. Refuses a state after its first output. */
  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.run('update', params, state, source, next.length, into(next));
  }

  /** Adds the rest and writes the digest. Refuses a state after its first output. */
  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.run('finish', params, state, rest, target.length, into(target));
  }

  /**
   * Absorbs a message in windows, the last of them by a call that writes `room` bytes, with which
   * it calls `read`. Refuses a state that is none of this hash.
   */
  run<Result>(
    call: 'update' | 'finish',
    { seed: [low, high], secret }: HashParams,
    begun: Uint8Array,
    source: Uint8Array,
    room: number,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result {
    const { family, id } = this;
    const length = sizeOf(source);
    family.open();
    // One window needs no states, which would be overwritten for nothing.
    const stateSize = begun.length || length > WINDOW ? this.stateSize : 0;
    const state = family.start;
    const place = aligned(state + stateSize);
    const result = aligned(place + secret.length);
    // Two states take turns where there are several windows.
    let next = aligned(result + room);
    let other = aligned(next + stateSize);
    const window = aligned(other + stateSize);
    family.reserve(window + WINDOW);
    const calls = family.open();
    const bytes = family.bytes();
    let from = begun.length && state;
    let at = 0;
    family.end = 0;
    try {
      if (from) bytes.set(begun, state);
      if (secret.length) bytes.set(secret, place);
      for (; length - at > WINDOW; at += WINDOW) {
        bytes.set(part(source, at, WINDOW), window);
        if (
          calls.update(id, from, window, WINDOW, next, stateSize, place, secret.length, low, high)
        )
          refuseState(family, bytes);
        from = next;
        [next, other] = [other, next];
      }
      const rest = length - at;
      if (rest) bytes.set(at ? part(source, at, rest) : source, window);
      if (calls[call](id, from, window, rest, result, room, place, secret.length, low, high))
        refuseState(family, bytes);
      family.end = bytes.length;
      return read(bytes, result, result + room);
    } finally {
      this.wipe(window + Math.min(length, WINDOW), secret.length > 0);
    }
  }

  /** Overwrites the memory of a call up to an end, and all of the stack if keys were there. */
  wipe(end: number, keys: boolean): void {
    this.family.wipe(end, keys ? undefined : NEAR_BYTES + 3 * this.stateSize);
  }
}

/** A hash with an output of any length. */
export class ExtendableHash extends FamilyHash {
  override squeeze(
    { secret }: HashParams,
    begun: Uint8Array,
    target: Uint8Array,
    state: Uint8Array,
  ): void {
    const { family, id, stateSize } = this;
    family.open();
    const start = family.start;
    const place = aligned(start + stateSize);
    let next = aligned(place + secret.length);
    let other = aligned(next + stateSize);
    const window = aligned(other + stateSize);
    family.reserve(window + WINDOW);
    const calls = family.open();
    const bytes = family.bytes();
    let from = begun.length && start;
    family.end = 0;
    try {
      bytes.set(begun, start);
      bytes.set(secret, place);
      // No output at all, too, shows whether the state is one.
      let at = 0;
      do {
        const count = Math.min(WINDOW, target.length - at);
        if (calls.squeeze!(id, from, window, count, next, place, secret.length))
          refuseState(family, bytes);
        target.set(bytes.subarray(window, window + count), at);
        from = next;
        [next, other] = [other, next];
        at += WINDOW;
      } while (at < target.length);
      state.set(bytes.subarray(from, from + stateSize));
      family.end = bytes.length;
    } finally {
      this.wipe(window + Math.min(WINDOW, target.length), secret.length > 0);
    }
  }
}

/** A hash of the catalog: its implementation and its properties; sizes in bytes. */
export interface Recipe {
  readonly name: string;
  readonly hash: FamilyHash;
  readonly digestSize: number;
  readonly blockSize: number;
  readonly stateSize: number;
  readonly xof?: true;
  /** Encodes the items of a tuple, for a hash of tuples; `read` returns an item's bytes. */
  readonly encodeItems?: (
    given: unknown,
    read: (item: unknown, name: string) => Uint8Array,
  ) => Uint8Array;
  readonly keyRequired?: true;
  readonly parameters?: ParameterRanges;
  readonly seedBits?: number;
  readonly hmac?: false;
}

/**
 * Returns a function that makes the recipes of hashes which share these. They and their parameters
 * have no prototypes, from which names could be inherited.
 */
export const recipesOf =
  (
    Hash: new (family: Family<HashCalls>, id: number, stateSize: number) => FamilyHash,
    family: Family<HashCalls>,
    stateSize: number,
    { parameters, ...others }: Partial<Recipe> = {},
  ) =>
  (name: string, id: number, digestSize: number, blockSize: number): Recipe =>
    ({
      __proto__: null,
      ...others,
      name,
      hash: new Hash(family, id, stateSize),
      digestSize,
      blockSize,
      stateSize,
      parameters: parameters && ({ __proto__: null, ...parameters } as ParameterRanges),
    }) as Recipe;
