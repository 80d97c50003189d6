/** Finds the names nearest to an unknown one, for error messages. */

/**
 * Describes a string that is not one of the expected `names`. It is quoted if it is close to one of
 * them or the beginning of one. Any other may be a key or a message in the place of a name: only
 * its length is told.
 */
export function shownName(unknown: string, names: readonly string[]): string {
  const wanted = unknown.toLowerCase();
  // The length first: the distance of a long message takes long.
  const close = (name: string): boolean =>
    name.startsWith(wanted) ||
    (wanted.length < 2 * name.length && distance(wanted, name) <= name.length / 3);
  if (names.some((name) => close(name.toLowerCase()))) return JSON.stringify(unknown);
  return `a string of ${unknown.length} character${unknown.length === 1 ? '' : 's'}`;
}

/** Returns the edit distance: letters added, removed, replaced or swapped with their neighbour. */
export function distance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      const exchanged =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const exchange = exchanged ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(change, exchange, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[right.length]!;
}
