/** The types of what calls with outboards and slices of BLAKE3 take and return. */
import type { Bytes } from '../base/arguments.js';
import type { Buffer } from '#platform/base/runtime.js';

/**
 * Reads bytes `start` to `end` (exclusive) of a sealed stream, a content or an outboard. It
 * returns fewer only at the end.
 */
export type ReadRange = (start: number, end: number) => Bytes | PromiseLike<Bytes>;

/** Options of `hashOutboard` of `millrace/promises`. */
export interface HashOutboardOptions {
  /**
   * The bytes of the groups of chunks that verify as a whole, a power of two from 1,024 to 262,144.
   * A range is read from the beginning of its first group to the end of its last; the outboard has
   * 64 bytes a group. Default: 1,024, bao's chunks. Iroh's outboards have groups of 16,384 bytes.
   */
  readonly groupSize?: number | undefined;
  /** Aborting rejects when the work in flight has ended. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of `hashOutboard` of `millrace/promises`. */
export interface HashOutboardResult {
  /** The BLAKE3 digest of the content, which is the root of the tree. */
  readonly digest: Buffer;
  /**
   * The size of the content as a 64-bit little-endian integer, and the parents of the tree in
   * pre-order, 64 bytes each. What bao writes with `--outboard`; bao-tree's pre-order outboards are
   * the same without the first 8 bytes.
   */
  readonly outboard: Buffer;
}

/** Options of `extractSlice` of `millrace/promises`. */
export interface ExtractSliceOptions extends HashOutboardOptions {
  /** Reads bytes of the outboard, which has groups of `groupSize`. */
  readonly outboard: ReadRange;
  /** The first byte of the range in the content. Default: 0. */
  readonly start?: number | undefined;
  /** The byte after the last one, up to 2^30 more than `start`. It may be beyond the content. */
  readonly end: number;
}

/** Options of `verifyRange` of `millrace/promises`. */
export interface VerifyRangeOptions extends ExtractSliceOptions {
  /** The BLAKE3 digest of the content. */
  readonly digest: Bytes;
}

/** Options of `decodeSlice` of `millrace/promises`: the range and the groups of the slice. */
export type DecodeSliceOptions = Omit<VerifyRangeOptions, 'outboard'>;
