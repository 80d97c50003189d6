/** Messages of BLAKE3 in parts, by their module. */
import { secretMemory, wipe } from '../../base/secret-memory.js';
import { Status } from '../../base/protocol.js';
import { PARENT, parentBytes, parentsAt, VALUE } from '../../catalog/blake3-tree.js';
import { made, part, refuse } from '../windows.js';
import { within, type Family } from './family.js';
import { into } from './hash.js';

/** The functions of the module. */
export interface PartsCalls {
  /** Adds a piece to the values of a range. Returns their number, or 0 on failure. */
  range(
    offset: number,
    end: number,
    piece: number,
    size: number,
    values: number,
    valuesSize: number,
    key: number,
    keySize: number,
  ): number;
  /** Writes the parents of a tree, and the value of its root. Returns 0, or 1 on failure. */
  tree(
    offset: number,
    leaf: number,
    root: number,
    source: number,
    size: number,
    target: number,
    targetSize: number,
  ): number;
  /** Joins the values of ranges of these sizes. Returns 0, or 1 on failure. */
  join(
    sizes: number,
    sizesSize: number,
    values: number,
    valuesSize: number,
    target: number,
    targetSize: number,
    key: number,
    keySize: number,
  ): number;
}

/** Bytes of the pieces of a range and of a tree: what the module's memory has room for. */
const PIECE = 65_536;

/** The most values of a range: of each size of subtrees two, and one that is being added. */
const VALUES_MAX = 109;

/** Writes the values of a range that begins at `offset`, piece by piece. */
export function* rangeSteps(
  family: Family<PartsCalls>,
  secret: Uint8Array,
  offset: number,
  source: Uint8Array,
  target: Uint8Array,
): Generator<undefined, void, undefined> {
  const values = secretMemory(VALUES_MAX * VALUE);
  let [at, count] = [0, 0];
  try {
    while (at < source.length) {
      const end = offset + at;
      const piece = part(source, at, Math.min(PIECE - (end % PIECE), source.length - at));
      count = within(
        family,
        [piece, values, secret],
        (calls, [first = 0, second = 0, third = 0]) => {
          const [room, keySize] = [values.length, secret.length];
          const found = calls.range(offset, end, first, piece.length, second, room, third, keySize);
          values.set(part(family.bytes(), second, room));
          return found;
        },
      );
      at += piece.length;
      yield;
    }
    if (count * VALUE !== target.length) refuse(Status.OutputSize);
    target.set(part(values, 0, target.length));
  } finally {
    wipe(values);
  }
}

/** A tree: the first byte in the message, and the bytes of its leaves. */
interface Tree {
  readonly offset: number;
  readonly leaf: number;
  /** True if its root is that of the message. */
  readonly root: boolean;
}

/** Writes the parents of a tree in pre-order, and the value of its root, piece by piece. */
export function* treeSteps(
  family: Family<PartsCalls>,
  tree: Tree,
  source: Uint8Array,
  target: Uint8Array,
): Generator<undefined, void, undefined> {
  const { offset, leaf, root } = tree;
  const size = Math.max(PIECE, leaf);
  const count = Math.ceil(source.length / size);
  if (target.length !== parentBytes(source.length, leaf) + VALUE) refuse(Status.OutputSize);
  if (count <= 1) return smallTree(family, tree, source, target);
  const values = made(count * VALUE);
  let at = 0;
  for (let index = 0; index < count; index++) {
    at += PARENT * parentsAt(count, index);
    const piece = part(source, index * size, Math.min(size, source.length - index * size));
    const inner = parentBytes(piece.length, leaf);
    // The value lies where the next parents will be, or the root's.
    const place = part(target, at, inner + VALUE);
    smallTree(family, { offset: offset + index * size, leaf, root: false }, piece, place);
    values.set(part(place, inner, VALUE), index * VALUE);
    at += inner;
    yield;
  }
  const above = made(parentBytes(values.length, VALUE) + VALUE);
  yield* treeSteps(family, { offset: 0, leaf: VALUE, root }, values, above);
  let from = 0;
  at = 0;
  for (let index = 0; index < count; index++) {
    const parents = PARENT * parentsAt(count, index);
    target.set(part(above, from, parents), at);
    from += parents;
    at += parents + parentBytes(Math.min(size, source.length - index * size), leaf);
  }
  target.set(part(above, from, VALUE), at);
}

function smallTree(
  family: Family<PartsCalls>,
  { offset, leaf, root }: Tree,
  source: Uint8Array,
  target: Uint8Array,
): void {
  within(family, [source, target], (calls, [first = 0, second = 0]) => {
    const [size, room] = [source.length, target.length];
    if (calls.tree(offset, leaf, Number(root), first, size, second, room)) refuse(Status.Argument);
    into(target)(family.bytes(), second, second + room);
  });
}

/** Writes the digest of a message from the values of its ranges. */
export function joinRanges(
  family: Family<PartsCalls>,
  secret: Uint8Array,
  sizes: Uint8Array,
  values: Uint8Array,
  target: Uint8Array,
): void {
  within(family, [sizes, values, target, secret], (calls, places) => {
    const [first = 0, second = 0, third = 0, fourth = 0] = places;
    const [count, room] = [values.length, target.length];
    if (calls.join(first, sizes.length, second, count, third, room, fourth, secret.length))
      refuse(Status.Argument);
    into(target)(family.bytes(), third, third + room);
  });
}
