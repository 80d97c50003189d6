/**
 * Outboards of BLAKE3, and ranges of a content that they verify, in the formats of bao
 * (https://github.com/oconnor663/bao/blob/master/docs/spec.md).
 *
 * An outboard is the content's size and the parents of the tree in pre-order. A slice is the part
 * of it that a range needs, with the content between the parents. The engine computes a subtree of
 * up to 1 MiB at once with all its parents (crates/core/src/hash/outboard.rs), which are then
 * compared; parents above it are verified one by one.
 */
import {
  decodeSliceOptionNames,
  extractSliceOptionNames,
  hashOutboardOptionNames,
  verifyRangeOptionNames,
} from '../base/option-names.js';
import {
  NO_BYTES,
  bytes,
  data,
  options as given,
  part,
  sizeOf,
  unsigned,
  type Data,
} from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { Operation } from '../base/frame.js';
import { copyInto } from '../base/intrinsics.js';
import { accepted, type Accepted } from '../base/options.js';
import { CHUNK, leafCount, PARENT, parentBytes, parentsAt, VALUE } from '../catalog/blake3-tree.js';
import { hashFacts } from '../catalog/catalog.js';
import { encodedRequest, fillParsed } from '../operations/hash.js';
import { Form, setIv } from '../request/request.js';
import { copy } from '../request/result.js';
import { abortSignal, runPromise, runSync } from '../scheduling/run.js';
import { absorbStream, isStreamSource, type StreamSource } from './stream-source.js';
import { rangeReader, type RangeReader } from './range-reader.js';
import type {
  DecodeSliceOptions,
  ExtractSliceOptions,
  HashOutboardOptions,
  HashOutboardResult,
  ReadRange,
  VerifyRangeOptions,
} from '../calls/outboards.js';
import { allocateApart, nextTurn, type Buffer } from '#platform/base/runtime.js';
import { provideParts } from '#platform/engines/parts.js';

provideParts();

/** Bytes of the size of the content. */
const HEADER = 8;
/** The largest group: a piece of crates/core/src/hash/ranges.rs. */
const GROUP_MAX = 2 ** 18;
/** Bytes of content that are read and hashed at once. */
const RUN = 2 ** 20;
/** The runs whose parents are copied before other events are handled. */
const PAUSE = 64;

const hashTakes: Accepted<keyof HashOutboardOptions> = accepted(
  'hashOutboard(source, options)',
  hashOutboardOptionNames,
);
const verifyTakes: Accepted<keyof VerifyRangeOptions> = accepted(
  'verifyRange(read, options)',
  verifyRangeOptionNames,
);
const extractTakes: Accepted<keyof ExtractSliceOptions> = accepted(
  'extractSlice(read, options)',
  extractSliceOptionNames,
);
const decodeTakes: Accepted<keyof DecodeSliceOptions> = accepted(
  'decodeSlice(slice, options)',
  decodeSliceOptionNames,
);

/** Reads the size of groups. */
function groupOf({ groupSize }: HashOutboardOptions): number {
  const group = groupSize === undefined ? CHUNK : unsigned(groupSize, 'options.groupSize');
  if (group >= CHUNK && group <= GROUP_MAX && Number.isInteger(Math.log2(group))) return group;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `options.groupSize must be a power of two from ${CHUNK} to ${GROUP_MAX}, not ${group}`,
  );
}

/** A subtree of groups of chunks, or of chaining values. */
interface Tree {
  /** The first byte in the content; 0 for the root. */
  readonly offset: number;
  /** The bytes of a group, or of a chaining value. */
  readonly leaf: number;
  readonly root: boolean;
}

/** Returns what fills the request for a tree; source and target are lent. */
function fillTree(
  { offset, leaf, root }: Tree,
  source: Uint8Array,
  target: Uint8Array,
  targetOffset: number,
): () => void {
  const single = sizeOf(source) <= leaf;
  return () => {
    const facts = hashFacts('blake3');
    const size = (single ? 0 : parentBytes(sizeOf(source), leaf)) + VALUE;
    const request = {
      ...encodedRequest(undefined, facts, Form.Buffer),
      size,
      target,
      targetOffset,
    };
    const operation = root && single ? Operation.Hash : Operation.HashPart;
    fillParsed(operation, facts, request, source, undefined);
    if (operation === Operation.Hash) return;
    const numbers = new BigUint64Array([offset, leaf, Number(root)].map(BigInt));
    setIv(new Uint8Array(numbers.buffer), 0, numbers.byteLength);
  };
}

/** Hashes a tree: its parents in pre-order, and its chaining value or the digest. */
async function hashTree(tree: Tree, source: Uint8Array): Promise<Buffer> {
  const target = allocateApart(parentBytes(source.length, tree.leaf) + VALUE);
  await runPromise(undefined, fillTree(tree, source, target, 0), [], 0);
  return target;
}

/** Returns the result for a tree in memory, after the size of the content. */
async function outboardOf(
  tree: Tree,
  source: Uint8Array,
  size: number,
  signal?: AbortSignal,
): Promise<HashOutboardResult> {
  const end = HEADER + parentBytes(source.length, tree.leaf);
  const target = allocateApart(end + VALUE);
  putSize(target, size);
  await runPromise(signal, fillTree(tree, source, target, HEADER), [], 0);
  return { outboard: target.subarray(0, end), digest: ownPart(target, end, VALUE) };
}

function putSize(target: Uint8Array, size: number): void {
  const { buffer, byteOffset } = target;
  new DataView(buffer, byteOffset).setBigUint64(0, BigInt(size), true);
}

/** Returns a copy of a part. */
function ownPart(view: Uint8Array, offset: number, size: number): Buffer {
  return copyInto(allocateApart(size), part(view, offset, size), 0);
}

// functions/promises/outboards.ts documents these functions.
export async function outboardFrom(
  source: unknown,
  options: unknown = {},
): Promise<HashOutboardResult> {
  const settings = given<HashOutboardOptions>(options, 'options', hashTakes);
  const leaf = groupOf(settings);
  const signal = abortSignal(settings.signal);
  signal?.throwIfAborted();
  if (isStreamSource(source)) return ofStream(source, leaf, signal);
  const content = data(source as Data, 'source');
  const size = sizeOf(content);
  // The copy that every asynchronous call makes.
  return outboardOf({ offset: 0, leaf, root: true }, ownPart(content, 0, size), size, signal);
}

async function ofStream(
  source: StreamSource,
  leaf: number,
  signal: AbortSignal | undefined,
): Promise<HashOutboardResult> {
  const runs = new Runs(leaf);
  await absorbStream(runs, source, { signal });
  const made = await runs.finish();
  signal?.throwIfAborted();
  return made;
}

/** Hashes a content in runs, each a subtree. */
class Runs {
  readonly #leaf: number;
  readonly #made: Promise<Buffer>[] = [];
  #run = allocateApart(RUN);
  #other = allocateApart(RUN);
  #filled = 0;

  constructor(leaf: number) {
    this.#leaf = leaf;
  }

  get #size(): number {
    return this.#made.length * RUN + this.#filled;
  }

  /** Adds bytes of the content. */
  async updateAsync(view: Uint8Array, offset: number, size: number): Promise<void> {
    for (let at = offset; at < offset + size;) {
      if (this.#filled === RUN) await this.#hash();
      const count = Math.min(RUN - this.#filled, offset + size - at);
      this.#run.set(part(view, at, count), this.#filled);
      this.#filled += count;
      at += count;
    }
  }

  /** Begins to hash the current run, when the run before it is hashed. */
  async #hash(): Promise<void> {
    await this.#made.at(-1);
    const tree = { offset: this.#made.length * RUN, leaf: this.#leaf, root: false };
    const made = hashTree(tree, this.#run.subarray(0, this.#filled));
    made.catch(() => {});
    this.#made.push(made);
    [this.#run, this.#other] = [this.#other, this.#run];
    this.#filled = 0;
  }

  async finish(): Promise<HashOutboardResult> {
    const [leaf, size] = [this.#leaf, this.#size];
    if (size <= RUN)
      return outboardOf({ offset: 0, leaf, root: true }, this.#run.subarray(0, size), size);
    await this.#hash();
    const made = await Promise.all(this.#made);
    const values = allocateApart(made.length * VALUE);
    made.forEach((each, index) => {
      values.set(each.subarray(-VALUE), index * VALUE);
    });
    const above = await outboardOf({ offset: 0, leaf: VALUE, root: true }, values, size);
    const outboard = allocateApart(HEADER + parentBytes(size, leaf));
    let [at, from] = [HEADER, HEADER];
    putSize(outboard, size);
    for (const [index, each] of made.entries()) {
      const parents = PARENT * parentsAt(made.length, index);
      outboard.set(above.outboard.subarray(from, from + parents), at);
      outboard.set(each.subarray(0, -VALUE), at + parents);
      from += parents;
      at += parents + each.length - VALUE;
      if (index % PAUSE === PAUSE - 1) await new Promise<void>((resolve) => nextTurn(resolve));
    }
    return { outboard, digest: above.digest };
  }
}

/** A part of a tree for a range, in pre-order. */
interface Node {
  readonly offset: number;
  readonly length: number;
  /** Where its parents begin in the outboard. */
  readonly at: number;
  /** A parent; a subtree whose content is read; or a subtree outside of the range. */
  readonly kind: 'parent' | 'subtree' | 'outside';
}

/** A range that was read, and the size of the content by the header of outboard or slice. */
interface Range {
  readonly leaf: number;
  readonly size: number;
  readonly start: number;
  readonly end: number;
}

/** Returns the nodes of the tree for a range. Beyond the end it is the last chunk's. */
function nodesOf({ leaf, size, start, end }: Range): readonly Node[] {
  const first = Math.min(start, Math.max(size - 1, 0));
  const last = Math.max(Math.min(end, size), first + 1);
  const nodes: Node[] = [];
  const visit = (offset: number, length: number, at: number): void => {
    const until = offset + length;
    const add = (kind: Node['kind']): unknown => nodes.push({ offset, length, at, kind });
    if (length > 0 && (until <= first || offset >= last)) return void add('outside');
    const within = first <= offset && until <= last && length <= RUN;
    if (length <= leaf || within) return void add('subtree');
    add('parent');
    let left = leaf;
    while (2 * left < length) left *= 2;
    visit(offset, left, at + PARENT);
    visit(offset + left, length - left, at + PARENT + parentBytes(left, leaf));
  };
  visit(0, size, HEADER);
  return nodes;
}

/** Reads the size in the header of an outboard or a slice. */
function sizeIn(header: Uint8Array, name: string): number {
  if (sizeOf(header) < HEADER) throw truncated(`the ${name} ends in its header`);
  const view = new DataView(ownPart(header, 0, HEADER).buffer);
  const size = view.getBigUint64(0, true);
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(size);
  throw makeError('ERR_FORMAT', `the ${name} is of a content of ${size} bytes, 2^53 or more`);
}

const truncated = (message: string): Error => makeError('ERR_TRUNCATED', message);

/** Reads as many bytes as a range has, into memory of its own. */
async function readAll(
  take: RangeReader['take'],
  from: number,
  target: Uint8Array,
  name: string,
): Promise<void> {
  const size = target.length;
  if (size === 0) return;
  const taken = await take(from, from + size);
  if (sizeOf(taken) < size) throw truncated(`the ${name} ends at byte ${from + sizeOf(taken)}`);
  copyInto(target, taken, 0);
}

/** Copies the parents and the content of a subtree into a slice, in pre-order, or out of one. */
function weave(
  direction: 'in' | 'out',
  leaf: number,
  parents: Uint8Array,
  content: Uint8Array,
  woven: Uint8Array,
): void {
  const count = leafCount(content.length, leaf);
  let at = 0;
  const move = (piece: Uint8Array, from: number, size: number): number => {
    if (direction === 'in') copy(woven, at, piece, from, from + size);
    else copy(piece, from, woven, at, at + size);
    at += size;
    return from + size;
  };
  let from = 0;
  for (let index = 0; index < count; index++) {
    from = move(parents, from, PARENT * parentsAt(count, index));
    move(content, index * leaf, Math.min(leaf, content.length - index * leaf));
  }
}

/** Verifies nodes from the root down, and keeps the bytes of the range. */
class Verifier {
  readonly #range: Range;
  readonly #result: Buffer;
  /** The expected values of the next nodes; the last is that of the next. */
  readonly #expected: Uint8Array[];
  #hashing: Promise<void> = Promise.resolve();

  constructor(digest: Uint8Array, range: Range) {
    this.#range = range;
    this.#expected = [digest];
    const { size, start, end } = range;
    this.#result = allocateApart(Math.max(Math.min(end, size) - start, 0));
  }

  /** Leaves out a node. */
  skip(): void {
    this.#expected.pop();
  }

  /** Verifies a parent, which is the caller's own memory. */
  parent({ at }: Node, parent: Uint8Array): void {
    const made = allocateApart(PARENT + VALUE);
    const tree = { offset: 0, leaf: VALUE, root: at === HEADER };
    runSync(fillTree(tree, parent, made, 0), [], 0);
    if (!same(made.subarray(PARENT), this.#expected.pop()!)) throw notAuthentic();
    this.#expected.push(parent.subarray(VALUE), parent.subarray(0, VALUE));
  }

  /** Returns memory for the content of a subtree. */
  place({ offset, length }: Node): Uint8Array {
    const from = offset - this.#range.start;
    if (from < 0 || from + length > this.#result.length) return allocateApart(length);
    return this.#result.subarray(from, from + length);
  }

  /** Begins to verify a subtree, when the subtree before it is verified. */
  async subtree(
    { offset, length, at }: Node,
    parents: Uint8Array,
    content: Uint8Array,
  ): Promise<void> {
    const { leaf, start } = this.#range;
    const expected = this.#expected.pop()!;
    await this.#hashing;
    const verify = async (): Promise<void> => {
      const made = await hashTree({ offset, leaf, root: at === HEADER }, content);
      const value = made.subarray(parents.length);
      if (!same(value, expected) || !same(made.subarray(0, parents.length), parents))
        throw notAuthentic();
      const from = Math.max(start - offset, 0);
      const count = Math.min(length, start + this.#result.length - offset) - from;
      if (count > 0 && content.buffer !== this.#result.buffer)
        this.#result.set(content.subarray(from, from + count), offset + from - start);
    };
    this.#hashing = verify();
    this.#hashing.catch(() => {});
  }

  /** Returns the verified range. */
  async finish(): Promise<Buffer> {
    await this.#hashing;
    return this.#result;
  }
}

const notAuthentic = (): Error =>
  makeError(
    'ERR_AUTHENTICATION',
    'authentication failed: the content, outboard or slice is not that of the digest, or the ' +
      'slice is of another range or group size',
  );

/** Compares memory at multiples of 4 bytes, of sizes that are too. */
function same(one: Uint8Array, other: Uint8Array): boolean {
  const left = new Int32Array(one.buffer, one.byteOffset, one.length / 4);
  const right = new Int32Array(other.buffer, other.byteOffset, other.length / 4);
  let differs = 0;
  for (let index = 0; index < left.length; index++) differs |= left[index]! ^ right[index]!;
  return differs === 0;
}

/** Reads the digest. */
function digestIn(value: unknown): Uint8Array {
  const digest = bytes(value, 'options.digest');
  if (sizeOf(digest) === VALUE) return ownPart(digest, 0, VALUE);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `options.digest must have ${VALUE} bytes, not ${sizeOf(digest)}`,
  );
}

/** Reads the range of options, with functions that read the content and the outboard. */
function readersOf(
  read: unknown,
  settings: ExtractSliceOptions,
): { leaf: number; content: RangeReader; outboard: RangeReader } {
  if (typeof read !== 'function') throw wrongType('read', 'a function', read);
  if (typeof settings.outboard !== 'function')
    throw wrongType('options.outboard', 'a function', settings.outboard);
  const leaf = groupOf(settings);
  const content = rangeReader(read as ReadRange, settings, Number.MAX_SAFE_INTEGER);
  return {
    leaf,
    content,
    outboard: rangeReader(settings.outboard, settings, Number.MAX_SAFE_INTEGER),
  };
}

/** Fills memory with the parents of a node, and with the content of a subtree. */
type FillNode = (node: Node, parents: Uint8Array, content: Uint8Array) => void | Promise<void>;

/** Returns memory for the parents of a node. */
const placeOfParents = ({ kind, length }: Node, leaf: number): Uint8Array =>
  allocateApart(kind === 'parent' ? PARENT : parentBytes(length, leaf));

/** Returns what reads nodes. */
function nodeReader(content: RangeReader, outboard: RangeReader): FillNode {
  return async ({ offset, at }, parents, place) => {
    await readAll(outboard.take, at, parents, 'outboard');
    await readAll(content.take, offset, place, 'content');
  };
}

/** Verifies the nodes of a range, and returns its bytes. */
async function verified(
  digest: Uint8Array,
  range: Range,
  nodes: readonly Node[],
  fill: FillNode,
): Promise<Buffer> {
  const verifier = new Verifier(digest, range);
  for (const node of nodes) {
    if (node.kind === 'outside') {
      verifier.skip();
      continue;
    }
    const parents = placeOfParents(node, range.leaf);
    const content = node.kind === 'parent' ? NO_BYTES : verifier.place(node);
    await fill(node, parents, content);
    if (node.kind === 'parent') verifier.parent(node, parents);
    else await verifier.subtree(node, parents, content);
  }
  return verifier.finish();
}

export async function readVerified(read: unknown, options: unknown): Promise<Buffer> {
  const settings = given<VerifyRangeOptions>(options, 'options', verifyTakes);
  const digest = digestIn(settings.digest);
  const { leaf, content, outboard } = readersOf(read, settings);
  const size = sizeIn(await outboard.take(0, HEADER), 'outboard');
  const range = { leaf, size, start: content.start, end: content.end };
  return verified(digest, range, nodesOf(range), nodeReader(content, outboard));
}

export async function sliceFrom(read: unknown, options: unknown): Promise<Buffer> {
  const settings = given<ExtractSliceOptions>(options, 'options', extractTakes);
  const { leaf, content, outboard } = readersOf(read, settings);
  const size = sizeIn(await outboard.take(0, HEADER), 'outboard');
  const nodes = nodesOf({ leaf, size, start: content.start, end: content.end });
  const slice = allocateApart(sliceSize(nodes, leaf));
  putSize(slice, size);
  const fill = nodeReader(content, outboard);
  let from = HEADER;
  for (const node of nodes) {
    if (node.kind === 'outside') continue;
    const parents = placeOfParents(node, leaf);
    const place = node.kind === 'parent' ? NO_BYTES : allocateApart(node.length);
    await fill(node, parents, place);
    const woven = slice.subarray(from, (from += parents.length + place.length));
    if (node.kind === 'parent') woven.set(parents);
    else weave('in', leaf, parents, place, woven);
  }
  return slice;
}

/** Returns the bytes of a slice. */
function sliceSize(nodes: readonly Node[], leaf: number): number {
  return nodes.reduce((sum, { kind, length }) => {
    if (kind === 'outside') return sum;
    return sum + (kind === 'parent' ? PARENT : length + parentBytes(length, leaf));
  }, HEADER);
}

export async function contentOf(sliceGiven: unknown, options: unknown): Promise<Buffer> {
  const settings = given<DecodeSliceOptions>(options, 'options', decodeTakes);
  const digest = digestIn(settings.digest);
  const leaf = groupOf(settings);
  const { start, end } = rangeReader(() => NO_BYTES, settings, Number.MAX_SAFE_INTEGER);
  const signal = abortSignal(settings.signal);
  const source = bytes(sliceGiven, 'slice');
  const slice = ownPart(source, 0, sizeOf(source));
  const range = { leaf, size: sizeIn(slice, 'slice'), start, end };
  const nodes = nodesOf(range);
  const wanted = sliceSize(nodes, leaf);
  if (slice.length < wanted) throw truncated(`the slice has ${slice.length} of ${wanted} bytes`);
  if (slice.length > wanted)
    throw makeError(
      'ERR_FORMAT',
      `the slice has ${slice.length} bytes, and one of this range ${wanted}`,
    );
  let from = HEADER;
  return verified(digest, range, nodes, ({ kind }, parents, content) => {
    signal?.throwIfAborted();
    const woven = slice.subarray(from, (from += parents.length + content.length));
    if (kind === 'parent') parents.set(woven);
    else weave('out', leaf, parents, content, woven);
  });
}
