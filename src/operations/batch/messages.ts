/** The messages of hashMany and hmacMany. */
import { bytes, data, isUint8Array, sizeOf, unsigned } from '../../base/arguments.js';
import { detached, makeError, wrongType } from '../../base/errors.js';
import { copyInto, isBytesView, isLost, isRevoked, part } from '../../base/intrinsics.js';
import { isAsyncIterable, isIterable, type Items } from '../../base/iterables.js';
import { syncIteratorOf } from '../../base/sources.js';
import { encodeTuple } from '../tuple.js';
import { allocateApart } from '#platform/base/runtime.js';
import type { Message, PackedSources } from '../../calls/digests.js';

export interface Messages {
  readonly count: number;
  /** A private copy of the array. */
  readonly list: (Uint8Array | string)[] | undefined;
  /** Or consecutive messages of this size. */
  readonly packed: Uint8Array;
  readonly size: number;
}

/** Reads the messages. An array is copied, so that its getters run once. */
export function readSources(value: unknown, tuples = false): Messages {
  if (isRevoked(value) || isBytesView(value)) throw wrongType('sources', EXPECTED, value);
  if (Array.isArray(value)) {
    // Reads each element once, because an array may have getters. Sizes are read afterwards.
    const length = unsigned(value.length, 'sources.length');
    if (length >= 2 ** 32)
      throw makeError('ERR_ARGUMENT_VALUE', `sources.length must be below 2^32, not ${length}`);
    const list = new Array<Uint8Array | string>(length);
    for (let index = 0; index < list.length; index++) {
      const each: unknown = value[index];
      list[index] = tuples
        ? encodeTuple(each, `sources[${index}]`)
        : isUint8Array(each) || typeof each === 'string'
          ? each
          : data(each, `sources[${index}]`);
    }
    return { count: list.length, list, packed: none, size: 0 };
  }
  if (tuples || !isPacked(value)) return readIterable(value, tuples);
  const { data: all, size: given } = value;
  const packed = bytes(all, 'sources.data');
  const size = unsigned(given, 'sources.size');
  const total = sizeOf(packed);
  if (size === 0) throw makeError('ERR_ARGUMENT_VALUE', 'sources.size must be at least 1');
  if (total % size !== 0)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `sources.data must be a whole number of messages of ${size} bytes, and has ${total} bytes`,
    );
  return { count: total / size, list: undefined, packed, size };
}

/** Throws if a message without bytes has lost its memory, maybe to the getter of another. */
export function checkMemory(message: Uint8Array, index: number): void {
  if (isLost(message)) throw detached(`sources[${index}]`);
}

const none = new Uint8Array(0);

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
function readIterable(value: unknown, tuples: boolean): Messages {
  if (isAsyncIterable(value) && !isIterable(value))
    throw makeError(
      'ERR_ARGUMENT_TYPE',
      'sources must not be an async iterable here: the function of millrace/promises takes one',
    );
  if (!isIterable(value)) throw wrongType('sources', EXPECTED, value);
  const copies = new MessageCopies();
  const iterator = syncIteratorOf(value, 'sources');
  for (const each of { [Symbol.iterator]: () => iterator })
    copies.add(each, tuples, copies.list.length);
  return copies.take();
}

const EXPECTED = 'an array or iterable, or an object with data and size';

/** Private copies of messages. */
export class MessageCopies {
  list: (Uint8Array | string)[] = [];
  /** The bytes of the messages; an estimate for strings. */
  bytes = 0;
  #slab: Uint8Array = none;
  #used = 0;

  /** Copies a message, the one at this index of the call. */
  add(each: unknown, tuples: boolean, index: number): void {
    if (typeof each === 'string' && !tuples) {
      this.bytes += each.length;
      this.list.push(each);
      return;
    }
    const name = `sources[${index}]`;
    const bytes = tuples ? encodeTuple(each, name) : data(each, name);
    const size = sizeOf(bytes);
    this.bytes += size;
    if (this.#used + size > sizeOf(this.#slab)) {
      this.#slab = allocateApart(Math.max(size, SLAB_BYTES));
      this.#used = 0;
    }
    const copy = part(this.#slab, this.#used, size);
    this.#used += size;
    if (size > 0) copyInto(copy, bytes, 0);
    this.list.push(copy);
  }

  /** Returns the messages and starts again. */
  take(): Messages {
    const { list } = this;
    this.list = [];
    this.bytes = 0;
    this.#used = sizeOf(this.#slab);
    return { count: list.length, list, packed: none, size: 0 };
  }
}

/** Small messages are copied into memory of this size. */
const SLAB_BYTES = 64 * 1024;
