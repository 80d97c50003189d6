/**
 * Compares in a time that depends only on the sizes. Returns 1 if the bytes are equal, 0 if not, -1
 * if the sizes differ.
 */
export function equal(left: Uint8Array, right: Uint8Array): number {
  if (left.length !== right.length) return -1;
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  // Maps 0 to 1 and everything else to 0, without a branch.
  return ((difference - 1) >>> 8) & 1;
}
