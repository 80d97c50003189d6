/** The operations of messages in parts. */
import { Operation, Status } from '../base/frame.js';
import { hashes } from '../catalog/catalog-table.js';
import { parameterBlock } from '../catalog/parameters.js';
import { checkParams, ended, hashOf } from './digests.js';
import { provide, type Steps } from './execute.js';
import { PLAIN, type FamilyHash } from './families/hash.js';
import { joinRanges, rangeSteps, treeSteps } from './families/parts.js';
import { blake3Parts } from './family-modules.js';
import { part, refuse } from './windows.js';
import type { Work } from './work.js';

/** The domain of KangarooTwelve's leaves, and their bytes (RFC 9861, 3.2). */
const LEAF_DOMAIN = 0x0b;
const LEAF = 8192;
/** Leaves after which other events may be handled. */
const LEAVES = 8;

/** Returns the TurboSHAKE that hashes the leaves of a KangarooTwelve; undefined for BLAKE3. */
function leafHash({ algorithm }: Work): FamilyHash | undefined {
  const { name } = hashes[algorithm] ?? refuse(Status.Argument);
  if (name === 'blake3') return undefined;
  if (!name.startsWith('kt')) refuse(Status.NotSupported);
  return hashOf(hashes.findIndex((each) => each.name === name.replace('kt', 'turboshake')));
}

/** Hashes a part of a message. */
function* hashPart(work: Work): Steps {
  const { algorithm, secret, iv, source, target } = work;
  const leaves = leafHash(work);
  if (leaves !== undefined) {
    yield* leafSteps(leaves, source, target);
    return Status.Done;
  }
  checkParams(algorithm, secret);
  const view = new DataView(iv.buffer, iv.byteOffset, iv.length);
  const number = (index: number): number => Number(view.getBigUint64(8 * index, true));
  const offset = number(0);
  if (iv.length === 8) yield* rangeSteps(blake3Parts, secret, offset, source, target);
  else {
    const tree = { offset, leaf: number(1), root: number(2) > 0 };
    yield* treeSteps(blake3Parts, tree, source, target);
  }
  return Status.Done;
}

/** Writes the chaining values of leaves, the last of which may be short. */
function* leafSteps(
  hash: FamilyHash,
  source: Uint8Array,
  target: Uint8Array,
): Generator<undefined, void, undefined> {
  const params = { ...PLAIN, secret: parameterBlock([['domain', LEAF_DOMAIN]]) };
  const count = Math.ceil(source.length / LEAF);
  const size = target.length / count;
  for (let index = 0; index < count; index++) {
    const leaf = part(source, index * LEAF, Math.min(LEAF, source.length - index * LEAF));
    hash.digest(params, leaf, part(target, index * size, size));
    if (index % LEAVES === LEAVES - 1) yield;
  }
}

/** Joins the values of parts of BLAKE3. */
function joinParts({ algorithm, secret, iv, source, target }: Work): Status {
  checkParams(algorithm, secret);
  joinRanges(blake3Parts, secret, iv, source, target);
  return Status.Done;
}

/** Provides the operations of messages in parts. */
export function provideParts(): void {
  // A worker measures the hash itself, too.
  const families = (work: Work) => [
    hashOf(work.algorithm).family,
    leafHash(work)?.family ?? blake3Parts,
  ];
  provide([Operation.HashPart], {
    run: (work, slowly) => (slowly ? hashPart(work) : ended(hashPart(work))),
    families,
  });
  provide([Operation.JoinParts], { run: joinParts, families });
}
