/**
 * Whether bytes are equal, in a time that depends on their number only: 1 or 0; -1 if they are not
 * as many.
 */
export function equal(left: Uint8Array, right: Uint8Array): number {
  if (left.length !== right.length) return -1;
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  // 0 becomes 1, anything else 0, without a branch.
  return ((difference - 1) >>> 8) & 1;
}
