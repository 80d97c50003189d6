/** The messages of hashMany and hmacMany. */
import {
  bytes,
  data,
  isUint8Array,
  NO_BYTES,
  part,
  sizeOf,
  unsigned,
} from '../../base/arguments.js';
import { detached, makeError, wrongType } from '../../base/errors.js';
import { copyInto, isBytesView, isLost, isRevoked } from '../../base/intrinsics.js';
import { isAsyncIterable, isIterable, type Items } from '../../base/iterables.js';
import { syncIteratorOf } from '../../base/sources.js';
import { encodeTuple } from '../tuple.js';
import { allocateApart, utf8 } from '#platform/base/runtime.js';
import type { Message, PackedSources } from '../../calls/digests.js';

/** Messages in a list, or consecutive ones. */
export interface Messages {
  readonly count: number;
  /** A private copy of the array. */
  readonly list: (Uint8Array | string)[] | undefined;
  readonly packed: Uint8Array;
  /** The size of each consecutive message, if they have the same. */
  readonly size: number;
  /** Their sizes otherwise. */
  readonly sizes: Sizes | undefined;
}

/** Sizes of messages in bytes. */
export interface Sizes {
  readonly numbers: Float64Array;
  /** The memory of the numbers. */
  readonly bytes: Uint8Array;
}

/** Returns memory for this many sizes, which is not cleared. */
export function sizesFor(count: number): Sizes {
  const memory = allocateApart(count * Float64Array.BYTES_PER_ELEMENT);
  return { numbers: new Float64Array(memory.buffer, 0, count), bytes: memory };
}

/**
 * Reads the messages; error messages name them `name`. An array is copied, so that its getters run
 * once.
 */
export function readSources(value: unknown, tuples = false, name = 'sources'): Messages {
  if (isRevoked(value) || isBytesView(value)) throw wrongType(name, EXPECTED, value);
  if (Array.isArray(value)) {
    // Reads each element once, because an array may have getters. Sizes are read afterwards.
    const length = unsigned(value.length, `${name}.length`);
    if (length >= 2 ** 32)
      throw makeError('ERR_ARGUMENT_VALUE', `${name}.length must be below 2^32, not ${length}`);
    const list = new Array<Uint8Array | string>(length);
    for (let index = 0; index < length; index++) {
      const each: unknown = value[index];
      const ready = !tuples && (typeof each === 'string' || isUint8Array(each));
      list[index] = ready ? each : readMessage(each, index, tuples, name);
    }
    return inList(list);
  }
  if (tuples || !isPacked(value)) return readIterable(value, tuples, name);
  const { data: all, size: given } = value;
  const packed = bytes(all, `${name}.data`);
  const size = unsigned(given, `${name}.size`);
  const total = sizeOf(packed);
  if (size === 0) throw makeError('ERR_ARGUMENT_VALUE', `${name}.size must be at least 1`);
  if (total % size !== 0)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name}.data must be a whole number of messages of ${size} bytes, and has ${total} bytes`,
    );
  return { count: total / size, list: undefined, packed, size, sizes: undefined };
}

/** Encodes the strings in a list; returns the sizes of the messages and their sum. */
export function measure(
  list: (Uint8Array | string)[],
  name = 'sources',
): { sizes: Sizes; total: number } {
  const sizes = sizesFor(list.length);
  const { numbers } = sizes;
  let total = 0;
  for (let index = 0; index < list.length; index++) {
    const each = list[index]!;
    const view = typeof each === 'string' ? (list[index] = utf8(each)) : each;
    total += numbers[index] = sizeOf(view);
    if (numbers[index] === 0) checkMemory(view, index, name);
  }
  return { sizes, total };
}

/** Returns copies of measured messages, one after the other. */
export function consecutive(
  views: readonly Uint8Array[],
  { sizes, total }: ReturnType<typeof measure>,
): Messages {
  const count = views.length;
  const { numbers } = sizes;
  const packed = allocateApart(total);
  for (let index = 0, offset = 0; index < count; index++) {
    if (numbers[index]! > 0) packed.set(views[index]!, offset);
    offset += numbers[index]!;
  }
  return { count, list: undefined, packed, size: 0, sizes };
}

/** Returns the messages of a private list. */
export function inList(list: (Uint8Array | string)[]): Messages {
  return { count: list.length, list, packed: NO_BYTES, size: 0, sizes: undefined };
}

/** Reads a message; a string stays one, and the memory of bytes is not checked. */
function readMessage(
  value: unknown,
  index: number,
  tuples: boolean,
  name: string,
): Uint8Array | string {
  if (tuples) return encodeTuple(value, `${name}[${index}]`);
  return typeof value === 'string' || isUint8Array(value)
    ? value
    : data(value, `${name}[${index}]`);
}

/** Throws if a message without bytes has lost its memory, maybe to the getter of another. */
export function checkMemory(message: Uint8Array, index: number, name = 'sources'): void {
  if (isLost(message)) throw detached(`${name}[${index}]`);
}

/** Returns true for consecutive messages of one size; their values are not checked yet. */
function isPacked(value: unknown): value is Record<keyof PackedSources, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'data') &&
    Object.hasOwn(value, 'size')
  );
}

/**
 * Returns true if the iterator of the messages can run while they are hashed.
 */
export function isMessageIterable(value: unknown): value is Items<Message> {
  if (isRevoked(value) || Array.isArray(value) || isPacked(value)) return false;
  return isAsyncIterable(value) || isIterable(value);
}

/**
 * Reads an iterable to its end. It may reuse the memory of a message, so bytes are copied as they
 * come.
 */
function readIterable(value: unknown, tuples: boolean, name: string): Messages {
  if (!isIterable(value)) {
    if (name !== 'sources' || !isAsyncIterable(value)) throw wrongType(name, EXPECTED, value);
    throw makeError(
      'ERR_ARGUMENT_TYPE',
      'sources must not be an async iterable here: the function of millrace/promises takes one',
    );
  }
  const copies = new MessageCopies(name);
  const iterator = syncIteratorOf(value, name);
  for (const each of { [Symbol.iterator]: () => iterator })
    copies.add(each, copies.list.length, tuples);
  return inList(copies.list);
}

const EXPECTED = 'an array or iterable, or an object with data and size';

/** Private copies of messages. */
export class MessageCopies {
  readonly list: (Uint8Array | string)[] = [];
  /** The bytes of the messages; an estimate for strings. */
  bytes = 0;
  #slab: Uint8Array = NO_BYTES;
  #used = 0;

  constructor(readonly name = 'sources') {}

  /** Copies a message, the one at this index of the call. */
  add(value: unknown, index: number, tuples: boolean): void {
    let message = readMessage(value, index, tuples, this.name);
    if (typeof message !== 'string') message = this.#copy(message, index);
    this.bytes += message.length;
    this.list.push(message);
  }

  #copy(message: Uint8Array, index: number): Uint8Array {
    const size = sizeOf(message);
    if (size === 0) checkMemory(message, index, this.name);
    if (this.#used + size > this.#slab.length) {
      this.#slab = allocateApart(Math.max(size, SLAB_BYTES));
      this.#used = 0;
    }
    const copy = part(this.#slab, this.#used, size);
    this.#used += size;
    return copyInto(copy, message, 0);
  }
}

/** Small messages are copied into memory of this size. */
const SLAB_BYTES = 64 * 1024;
