/**
 * A hash of a family's module.
 *
 * States are the canonical bytes of crates/core/src/hasher.rs (crates/core/src/engines/native
 * documents each layout at `STATE`), the same in every engine. An empty state is that of a new
 * hash. A call keeps no argument. The source may overlap the target, and a state the next one:
 * everything is read before the result is written. Callers have checked sizes against the catalog.
 */
import type { ParameterRanges } from '../../catalog/facts.js';
import { part, sizeOf } from '../../base/intrinsics.js';
import { aligned, WINDOW_MIN, windowAt, type Family } from './family.js';

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
    count: number,
  ): number;
}

const NONE = /* @__PURE__ */ new Uint8Array(0);

/** Up to this many bytes are read one by one, which is faster than by a view. */
const FEW = 64;

/** A hash of the catalog. */
export class FamilyHash {
  /**
   * `id` and `stateSize` are those of the catalog; `secret` is false for hashes that are not
   * cryptographic, of which nothing is overwritten.
   */
  constructor(
    readonly family: Family<HashCalls>,
    readonly id: number,
    readonly stateSize: number,
    readonly secret = true,
  ) {}

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

  /** Writes the digest of a whole message; an extendable output fills the target. */
  digest(params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.run('finish', params, NONE, source, target);
  }

  /** Adds to the message. Refuses a state after its first output. */
  update(params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.run('update', params, state, source, next);
  }

  /** Adds the rest and writes the digest. Refuses a state after its first output. */
  finish(params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.run('finish', params, state, rest, target);
  }

  /** Absorbs a message in windows, the last of them by a call that writes the target. */
  protected run(
    call: 'update' | 'finish',
    { key, parameters, seed }: HashParams,
    begun: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
  ): void {
    const { family, id } = this;
    const length = sizeOf(source);
    family.open();
    const secret = key ?? parameters ?? NONE;
    // One window needs no states, which would be overwritten for nothing.
    const stateSize = begun.length || length > WINDOW_MIN ? this.stateSize : 0;
    const state = family.start;
    const place = aligned(state + stateSize);
    const result = aligned(place + secret.length);
    // Two states take turns where there are several windows.
    let next = aligned(result + target.length);
    let other = aligned(next + stateSize);
    const window = aligned(other + stateSize);
    const size = windowAt(family, window);
    const calls = family.open();
    const bytes = family.bytes();
    const low = seed ? Number(seed & 0xffffffffn) : 0;
    const high = seed ? Number(seed >> 32n) : 0;
    let from = begun.length && state;
    let at = 0;
    family.end = 0;
    try {
      if (from) bytes.set(begun, state);
      if (secret.length) bytes.set(secret, place);
      for (; length - at > size; at += size) {
        bytes.set(part(source, at, size), window);
        calls.update(id, from, window, size, next, stateSize, place, secret.length, low, high);
        from = next;
        [next, other] = [other, next];
      }
      const [rest, room] = [length - at, target.length];
      if (rest) bytes.set(at ? part(source, at, rest) : source, window);
      calls[call](id, from, window, rest, result, room, place, secret.length, low, high);
      if (room > FEW) target.set(bytes.subarray(result, result + room));
      else for (let index = 0; index < room; index++) target[index] = bytes[result + index]!;
      family.end = bytes.length;
    } finally {
      if (this.secret) family.wipe(window + Math.min(length, size), secret.length > 0);
    }
  }
}

/** A hash with an output of any length. */
export class ExtendableHash extends FamilyHash {
  override squeeze(
    { key, parameters }: HashParams,
    begun: Uint8Array,
    _rest: Uint8Array,
    target: Uint8Array,
    state: Uint8Array,
  ): void {
    const { family, id, stateSize } = this;
    family.open();
    const secret = key ?? parameters ?? NONE;
    const start = family.start;
    const place = aligned(start + stateSize);
    let next = aligned(place + secret.length);
    let other = aligned(next + stateSize);
    const window = aligned(other + stateSize);
    const size = windowAt(family, window);
    const calls = family.open();
    const bytes = family.bytes();
    let from = begun.length && start;
    family.end = 0;
    try {
      bytes.set(begun, start);
      bytes.set(secret, place);
      for (let at = 0; at < target.length; at += size) {
        const count = Math.min(size, target.length - at);
        calls.squeeze!(id, from, window, count, next, place, secret.length);
        target.set(bytes.subarray(window, window + count), at);
        from = next;
        [next, other] = [other, next];
      }
      state.set(bytes.subarray(from, from + stateSize));
      family.end = bytes.length;
    } finally {
      family.wipe(window + Math.min(size, target.length), secret.length > 0);
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
  readonly tuple?: true;
  readonly keyRequired?: true;
  readonly parameters?: ParameterRanges;
  readonly seedBits?: number;
  readonly hmac?: false;
}
