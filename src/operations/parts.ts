/**
 * hashPart and joinParts: the digest of an object from those of its parts.
 *
 * The engine computes the chaining values of a part (crates/core/src/hash/ranges.rs) and joins
 * those of BLAKE3. What KangarooTwelve's root absorbs is put together here: TurboSHAKE hashes it.
 */
import {
  argument,
  bytes,
  joined,
  options,
  part,
  sizeOf,
  unsigned,
  wrongCount,
} from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { Operation } from '../base/frame.js';
import { readItems } from '../base/iterables.js';
import {
  hashPartNames,
  hashPartOptionNames,
  joinPartsOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import { accepted, checkNames, isOptions, ownProperties, type Accepted } from '../base/options.js';
import { WHOLE } from '../base/protocol.js';
import { decodeBase64 } from '../base/secret-base64.js';
import { secretCopy } from '../base/secret-memory.js';
import { CHUNK, VALUE } from '../catalog/blake3-tree.js';
import { findHash, hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { parameterBlock } from '../catalog/parameters.js';
import { base } from '../engines/engines.js';
import {
  beginRequest,
  clearRequest,
  Form,
  setFinish,
  setIv,
  setResult,
  type Parser,
} from '../request/request.js';
import { runFilled, runPromise } from '../scheduling/run.js';
import { takes, type Takes } from '../scheduling/routes.js';
import { fastHex } from './fast-path.js';
import { digestOf, digestRequest, encodedRequest, fillParsed, type DigestRequest } from './hash.js';
import { hashKey } from './hash-parameters.js';
import { allocate, base64url, utf8, type Buffer } from '#platform/base/runtime.js';
import { provideParts } from '#platform/engines/parts.js';
import type { HashPart } from '../calls/parts.js';

provideParts();

const VERSION = 1;
/** Bytes of KangarooTwelve's leaves. */
const LEAF = 8192;
/** The end marks of KangarooTwelve without a tree and of its root (RFC 9861, 3.2). */
const SINGLE = 0x07;
const ROOT = 0x06;
/** What the root absorbs between the first chunk and the chaining values. */
const TREE = Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0);
const END = Uint8Array.of(0xff, 0xff);

const partTakes: Takes<any> = takes('hashPart(algorithm, data)', hashPartOptionNames);

const joinTakes: Takes<any> = takes(
  'joinParts(algorithm, parts)',
  joinPartsOptionNames,
  targetOptionNames,
);

const properties: Accepted<keyof HashPart> = accepted('a part', hashPartNames);

/** Returns the bytes of which the offset of a part is a multiple; refuses a hash without parts. */
function unitOf({ name }: HashFacts): number {
  if (name === 'blake3') return CHUNK;
  if (name === 'kt128' || name === 'kt256') return LEAF;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: blake3, kt128 and kt256 are hashed in parts, not ${name}`,
  );
}

/** A part's place in the object. */
type Place = Pick<HashPart, 'offset' | 'length' | 'size'>;

/** Returns what is wrong with a place, or undefined. */
function misplaced(unit: number, { offset, length, size }: Place): string | undefined {
  if (offset % unit > 0) return `offset must be a multiple of ${unit}, not ${offset}`;
  if (offset + length > size)
    return `offset (${offset}) and length (${length}) reach beyond the size (${size})`;
  if (length === 0 && size > 0) return 'the part has no bytes';
  if (length % unit > 0 && offset + length < size)
    return `length must be a multiple of ${unit} before the end of the object, not ${length}`;
  return undefined;
}

/** Returns the number of chaining values of a part. */
function valueCount({ name }: HashFacts, { offset, length }: Place): number {
  if (name !== 'blake3') return Math.ceil(length / LEAF);
  // The largest subtrees, as crates/core/src/hash/ranges.rs has them.
  let [at, rest, count] = [offset / CHUNK, Math.ceil(length / CHUNK), 0];
  while (rest > 0) {
    let size = 2 ** Math.floor(Math.log2(rest));
    if (size > rest) size /= 2;
    if (at === 0 && size === rest && size > 1) size /= 2;
    while (at % size > 0) size /= 2;
    at += size;
    rest -= size;
    count += 1;
  }
  return count;
}

/** The bytes of a chaining value. */
const valueSize = ({ name, digestSize }: HashFacts): number =>
  name === 'blake3' ? VALUE : digestSize;

/** Returns the ranges of a part whose bytes are in it: at the object's beginning and its end. */
function rawRanges(facts: HashFacts, { offset, length }: Place): (readonly [number, number])[] {
  const unit = unitOf(facts);
  if (facts.name === 'blake3') return offset === 0 && length <= unit ? [[0, length]] : [];
  const first = offset === 0 ? Math.min(unit, length) : 0;
  const rest = length > first ? length % unit : 0;
  return [
    [0, first],
    [length - rest, rest],
  ];
}

/** Returns the checksum of a part. */
function checkOf(of: Omit<HashPart, 'check' | 'values'>, values: Uint8Array): string {
  const { version, algorithm, mode, offset, length, size } = of;
  const head = utf8(`${version} ${algorithm} ${mode} ${offset} ${length} ${size}\n`);
  const all = joined([head, values], allocate);
  return fastHex(findHash('xxh3-64')!, all, 0, WHOLE, 0, base)!;
}

/** The kind of a hash with these options. */
function modeOf({ parameters }: DigestRequest): HashPart['mode'] {
  if (parameters?.key !== undefined) return 'keyed';
  return parameters?.values.some(([name]) => name === 'context') ? 'context' : 'plain';
}

/** `(algorithm, data, options)`. */
export const hashPartParser: Parser = { fill: fillPart, counts: [3], options: 2 };

function fillPart(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  if (count !== 3)
    throw wrongCount('hashPart(algorithm, data, options[, callback])', given, count, promised);
  const facts = hashFacts(given[0]);
  const unit = unitOf(facts);
  const table: Accepted<any> = promised ? partTakes.promised : partTakes.plain;
  const own: Record<string, unknown> = options(given[2], 'options', table);
  if (own.size === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'hashPart needs options.size, that of the object');
  const offset = own.offset === undefined ? 0 : unsigned(own.offset, 'options.offset');
  const size = unsigned(own.size, 'options.size');
  const { key: keyGiven, context, engine, route } = own;
  const fields = { key: keyGiven, context, engine, route, __proto__: null };
  const request = digestOf(fields as object, facts, Form.Buffer);
  const source = bytes(given[1], 'data');
  const place = { offset, length: sizeOf(source), size };
  const wrong = misplaced(unit, place);
  if (wrong !== undefined) throw makeError('ERR_ARGUMENT_VALUE', `hashPart: ${wrong}`);
  const raw = rawBytes(facts, place, source);
  const key = hashKey(request.parameters, facts, request.preference);
  const values = valueCount(facts, place) * valueSize(facts);
  // The object without bytes has no values; its digest is not used.
  const operation = values === 0 ? Operation.Hash : Operation.HashPart;
  const room = values === 0 ? facts.digestSize : values;
  fillParsed(operation, facts, { ...request, size: room }, source, key);
  if (values > 0) setIv(integers([offset]), 0, 8);
  const mode = modeOf(request);
  setFinish({
    succeed: (made) => partOf(facts, mode, place, [part(made as Buffer, 0, values), ...raw]),
    fail: undefined,
  });
}

/** Returns copies of the bytes that are in the part. */
function rawBytes(facts: HashFacts, place: Place, source: Uint8Array): Uint8Array[] {
  return rawRanges(facts, place).map(([at, length]) => secretCopy(part(source, at, length)));
}

/** Returns the part with these values and bytes. */
function partOf(
  { name }: HashFacts,
  mode: HashPart['mode'],
  place: Place,
  values: readonly Uint8Array[],
): HashPart {
  const all = joined(values, allocate);
  const about = { version: VERSION, algorithm: name, mode, ...place } as const;
  return { ...about, values: base64url(all), check: checkOf(about, all) };
}

/** Hashes a part with BLAKE3, as hashPart does; the source is lent. */
export async function hashLent(
  source: Uint8Array,
  offset: number,
  size: number,
  signal: AbortSignal | undefined,
): Promise<HashPart> {
  const facts = hashFacts('blake3');
  const place = { offset, length: source.length, size };
  const raw = rawBytes(facts, place, source);
  const target = allocate(valueCount(facts, place) * VALUE);
  const request = encodedRequest(undefined, facts, Form.Buffer);
  const fill = (): void => {
    const own = { ...request, size: target.length, target, targetOffset: 0 };
    fillParsed(Operation.HashPart, facts, own, source, undefined);
    setIv(integers([offset]), 0, 8);
  };
  if (target.length > 0) await runPromise(signal, fill, [], 0);
  return partOf(facts, 'plain', place, [target, ...raw]);
}

/** Returns 64-bit little-endian integers. */
function integers(numbers: readonly number[]): Uint8Array {
  const all = new Uint8Array(8 * numbers.length);
  const view = new DataView(all.buffer);
  numbers.forEach((number, index) => view.setBigUint64(8 * index, BigInt(number), true));
  return all;
}

/** A part that was read: its bytes. */
interface ReadPart extends Place {
  readonly name: string;
  readonly mode: unknown;
  readonly values: Uint8Array;
  readonly raw: readonly Uint8Array[];
}

const unfit = (reason: string): Error => makeError('ERR_STATE', `joinParts: ${reason}`);

/** Reads a part, which may come from anywhere. */
function readPart(value: unknown, name: string, facts: HashFacts): ReadPart {
  if (!isOptions(value)) throw wrongType(name, 'a result of hashPart', value);
  const own = ownProperties(value, name) as { [Name in keyof HashPart]?: unknown };
  checkNames(own, name, properties);
  const { version, algorithm, mode, offset, length, size, values, check } = own;
  if (version !== VERSION) throw unfit(`${name} is not a part of version ${VERSION}`);
  if (algorithm !== facts.name)
    throw unfit(`${name} is a part of another algorithm than ${facts.name}`);
  const number = (given: unknown): given is number =>
    Number.isSafeInteger(given) && (given as number) >= 0;
  if (!number(offset) || !number(length) || !number(size) || !Number.isSafeInteger(offset + length))
    throw unfit(`${name}: offset, length and size must be unsigned integers below 2^53`);
  const place = { offset, length, size };
  const wrong = misplaced(unitOf(facts), place);
  if (wrong !== undefined) throw unfit(`${name}: ${wrong}`);
  if (typeof mode !== 'string' || typeof values !== 'string' || typeof check !== 'string')
    throw unfit(`${name}: mode, values and check must be strings`);
  const ranges = rawRanges(facts, place);
  const room = valueCount(facts, place) * valueSize(facts);
  const bytesOf = ranges.reduce((sum, [, length]) => sum + length, room);
  if (values.length !== Math.ceil((bytesOf * 4) / 3))
    throw unfit(`${name}: values must have ${bytesOf} bytes in base64url`);
  const all = allocate(bytesOf);
  const about = { version, algorithm: facts.name, mode, ...place } as Omit<HashPart, 'values'>;
  if (decodeBase64(values, 0, values.length, all, 0) !== bytesOf || checkOf(about, all) !== check)
    throw unfit(`${name} is damaged`);
  let at = room;
  const raw = ranges.map(([, length]) => part(all, (at += length) - length, length));
  return { ...place, name, mode, values: part(all, 0, room), raw };
}

/** Returns the parts in order. Refuses parts that are not a whole object. */
function inOrder(parts: ReadPart[], mode: string): readonly ReadPart[] {
  const [first] = parts;
  if (first === undefined) throw unfit('parts must have at least one part');
  let end = 0;
  const sorted = parts.sort((one, other) => one.offset - other.offset);
  for (const { name, offset, length, size, mode: own } of sorted) {
    if (own !== mode)
      throw unfit(`${name} was made as '${String(own)}', and these options are for '${mode}'`);
    if (size !== first.size)
      throw unfit(
        `${name} is of an object of ${size} bytes, ${first.name} of one of ${first.size}`,
      );
    if (offset > end) throw unfit(`bytes ${end} to ${offset} are in no part`);
    if (offset < end) throw unfit(`${name} overlaps another part, or is there twice`);
    end = offset + length;
  }
  if (end < first.size) throw unfit(`bytes ${end} to ${first.size} are in no part`);
  return sorted;
}

/** `(algorithm, parts[, encoding | options])`. */
export const joinPartsParser: Parser = { fill: fillJoin, counts: [2, 3], options: 2 };

const JOIN_FORM = 'joinParts(algorithm, parts[, encoding | options][, callback])';

function fillJoin(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  if (count < 2 || count > 3) throw wrongCount(JOIN_FORM, given, count, promised);
  const facts = hashFacts(given[0]);
  unitOf(facts);
  // The parts first: their properties and iterator may be code of the caller.
  const read = readItems(given[1], 'parts', 'an iterable of parts', (item, name) =>
    readPart(item, name, facts),
  );
  const table = promised ? joinTakes.promised : joinTakes.plain;
  const request = digestRequest(argument(given, 2), facts, table);
  const parts = inOrder(read, modeOf(request));
  if (facts.name !== 'blake3') return fillRoot(facts, request, parts);
  const key = hashKey(request.parameters, facts, request.preference);
  const { size, raw } = parts[0]!;
  if (size <= CHUNK) return fillParsed(Operation.Hash, facts, request, raw[0]!, key);
  const values = joined(
    parts.map((each) => each.values),
    allocate,
  );
  fillParsed(Operation.JoinParts, facts, request, values, key);
  const sizes = integers(parts.map(({ length }) => length));
  setIv(sizes, 0, sizes.length);
}

/** Fills the request of KangarooTwelve's root (RFC 9861, 3.2). */
function fillRoot(facts: HashFacts, request: DigestRequest, parts: readonly ReadPart[]): void {
  const [, customization] =
    request.parameters?.values.find(([name]) => name === 'customization') ?? [];
  const end = (customization ?? new Uint8Array(0)) as Uint8Array;
  const { size, raw } = parts[0]!;
  // The bytes that no full leaf has: of a short object all, of others those of the last leaf.
  const rest = size > LEAF ? parts.at(-1)!.raw[1]! : raw[0]!;
  const tail = joined([rest, end, lengthOf(end.length)], allocate);
  const single = size <= LEAF && tail.length <= LEAF;
  let message: Uint8Array = tail;
  if (!single) {
    const [first, more] =
      size > LEAF ? [raw[0]!, tail] : [part(tail, 0, LEAF), part(tail, LEAF, tail.length - LEAF)];
    const width = valueSize(facts);
    const leaves = parts.map(({ values, offset, length }) => {
      // Neither the first, whose bytes are in the root, nor a last one that is not full.
      const from = offset === 0 ? Math.min(width, values.length) : 0;
      return part(values, from, Math.max(Math.floor(length / LEAF) * width - from, 0));
    });
    const values = joined([...leaves, leavesOf(facts, more)], allocate);
    const all = [first, TREE, values, lengthOf(values.length / width), END];
    message = joined(all, allocate);
  }
  const turbo = hashFacts(facts.name.replace('kt', 'turboshake'));
  const block = parameterBlock([['domain', single ? SINGLE : ROOT]]);
  fillParsed(Operation.Hash, turbo, { ...request, parameters: undefined }, message, block);
}

/** Returns the chaining values of leaves, the last of which may be short. */
function leavesOf(facts: HashFacts, source: Uint8Array): Uint8Array {
  const size = Math.ceil(source.length / LEAF) * valueSize(facts);
  try {
    beginRequest(Operation.HashPart, facts.id, source, 0, source.length);
    setIv(integers([LEAF]), 0, 8);
    setResult(size, Form.Buffer);
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled() as Buffer;
}

/** Returns `length_encode` of RFC 9861: the integer, big-endian, and the number of its bytes. */
function lengthOf(number: number): Uint8Array {
  const digits: number[] = [];
  for (let rest = number; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Uint8Array.of(...digits, digits.length);
}
