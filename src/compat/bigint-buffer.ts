/**
 * A drop-in replacement for `bigint-buffer` 1: bytes as an unsigned BigInt and back, in both byte
 * orders. Where the original package overran its stack or aborted the process, these functions work
 * at any width or throw; docs/bigint-hash.md lists every difference.
 *
 * @packageDocumentation
 */
import { sizeOf, viewBytes } from '../base/arguments.js';
import { makeError, wrongType, type MillraceError } from '../base/errors.js';
import { allocate, SIZE_MAX, type Buffer } from '#platform/base/runtime.js';
import { numberBE, numberLE, writeBE, writeLE } from '#platform/engines/numbers.js';

// Up to eight bytes are converted in JavaScript: 11 and 30 ns, where a native call takes 55 ns.
const WORD = 8;
const wordBytes = new Uint8Array(WORD);
const word = new DataView(wordBytes.buffer);

/**
 * Returns the unsigned little-endian number; 0n for no bytes.
 *
 * @example
 * ```js
 * import { toBigIntLE } from 'millrace/bigint-buffer';
 *
 * toBigIntLE(Buffer.from([1, 2])); // 513n
 * ```
 *
 * @param buf bytes; an ArrayBuffer must be wrapped in a view
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_SOURCE_SIZE if the number is too large for a BigInt
 *   (128 MiB)
 */
export function toBigIntLE(buf: ArrayBufferView): bigint {
  const bytes = viewBytes(buf, 'buf');
  const size = sizeOf(bytes);
  if (size > WORD) return large(bytes, numberLE);
  let low = 0;
  let high = 0;
  for (let at = size - 1; at >= 4; at--) high = (high << 8) | bytes[at]!;
  for (let at = Math.min(size, 4) - 1; at >= 0; at--) low = (low << 8) | bytes[at]!;
  return joined(high, low);
}

/**
 * Returns the unsigned big-endian number; 0n for no bytes.
 *
 * @example
 * ```js
 * import { toBigIntBE } from 'millrace/bigint-buffer';
 *
 * toBigIntBE(Buffer.from([1, 2])); // 258n
 * ```
 *
 * @param buf bytes; an ArrayBuffer must be wrapped in a view
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_SOURCE_SIZE if the number is too large for a BigInt
 *   (128 MiB)
 */
export function toBigIntBE(buf: ArrayBufferView): bigint {
  const bytes = viewBytes(buf, 'buf');
  const size = sizeOf(bytes);
  if (size > WORD) return large(bytes, numberBE);
  let low = 0;
  let high = 0;
  let at = 0;
  for (; at < size - 4; at++) high = (high << 8) | bytes[at]!;
  for (; at < size; at++) low = (low << 8) | bytes[at]!;
  return joined(high, low);
}

/**
 * Returns the number's magnitude in `width` bytes, little-endian: padded with zeros, or its low
 * bytes if it is too large.
 *
 * @example
 * ```js
 * import { toBufferLE } from 'millrace/bigint-buffer';
 *
 * toBufferLE(258n, 4); // <Buffer 02 01 00 00>
 * ```
 *
 * @param num the number; its sign is dropped
 * @param width size of the result in bytes
 * @returns a new Buffer, from Node's pool if it is small
 * @throws MillraceError ERR_ARGUMENT_TYPE if `num` is not a BigInt or `width` not a number,
 *   ERR_ARGUMENT_VALUE for an invalid width
 */
export function toBufferLE(num: bigint, width: number): Buffer {
  if (typeof num !== 'bigint') throw wrongType('num', 'a BigInt', num);
  const target = allocate(checked(width));
  const size = target.length;
  if (size > WORD) {
    if (!writeLE(num, target)) throw outOfMemory();
    return target;
  }
  word.setBigUint64(0, num < 0n ? -num : num, true);
  for (let at = 0; at < size; at++) target[at] = wordBytes[at]!;
  return target;
}

/**
 * Returns the number's magnitude in `width` bytes, big-endian: padded with zeros, or its low bytes
 * if it is too large.
 *
 * @example
 * ```js
 * import { toBufferBE } from 'millrace/bigint-buffer';
 *
 * toBufferBE(258n, 4); // <Buffer 00 00 01 02>
 * ```
 *
 * @param num the number; its sign is dropped
 * @param width size of the result in bytes
 * @returns a new Buffer, from Node's pool if it is small
 * @throws MillraceError ERR_ARGUMENT_TYPE if `num` is not a BigInt or `width` not a number,
 *   ERR_ARGUMENT_VALUE for an invalid width
 */
export function toBufferBE(num: bigint, width: number): Buffer {
  if (typeof num !== 'bigint') throw wrongType('num', 'a BigInt', num);
  const target = allocate(checked(width));
  const size = target.length;
  if (size > WORD) {
    if (!writeBE(num, target)) throw outOfMemory();
    return target;
  }
  word.setBigUint64(0, num < 0n ? -num : num);
  for (let at = 0; at < size; at++) target[at] = wordBytes[WORD - size + at]!;
  return target;
}

function joined(high: number, low: number): bigint {
  word.setUint32(0, high);
  word.setUint32(4, low);
  return word.getBigUint64(0);
}

/** Checks the size of a Buffer; drops a fraction, as `Buffer.allocUnsafe` does. */
function checked(width: unknown): number {
  if (typeof width !== 'number') throw wrongType('width', 'a number of bytes', width);
  if (width >= 0 && width <= SIZE_MAX) return width;
  throw makeError('ERR_ARGUMENT_VALUE', `width must be between 0 and ${SIZE_MAX}, not ${width}`);
}

function outOfMemory(): MillraceError {
  return makeError('ERR_OUT_OF_MEMORY', 'out of memory for a copy of the number');
}

/** Converts in native code, which throws the engine's own error for a number that is too large. */
function large(bytes: Uint8Array, convert: (bytes: Uint8Array) => bigint | undefined): bigint {
  let number: bigint | undefined;
  try {
    number = convert(bytes);
  } catch (error) {
    throw makeError(
      'ERR_SOURCE_SIZE',
      `buf is too large for a BigInt: ${(error as Error).message}`,
    );
  }
  if (number === undefined) throw outOfMemory();
  return number;
}
