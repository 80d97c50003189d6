/** The sizes of BLAKE3's tree, and of its parents in pre-order. */

/** Bytes of a chunk. */
export const CHUNK = 1024;
/** Bytes of a chaining value, and of the parent of two. */
export const VALUE = 32;
export const PARENT = 64;

/** Returns the number of leaves of a tree. */
export const leafCount = (length: number, leaf: number): number =>
  Math.max(1, Math.ceil(length / leaf));

/** Returns the bytes of the parents of a tree. */
export const parentBytes = (length: number, leaf: number): number =>
  PARENT * (leafCount(length, leaf) - 1);

/** Returns the number of parents of which this leaf is the first, in a tree of `count` leaves. */
export function parentsAt(count: number, index: number): number {
  const leaves = index === 0 ? count : Math.min(index & -index, count - index);
  return 32 - Math.clz32(leaves - 1);
}
