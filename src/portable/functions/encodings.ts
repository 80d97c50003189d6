/** The encodings of digests. */
import { describe, makeError } from '../../base/errors.js';
import { hexOf } from '../../base/hex.js';
import { memory, type Result } from './inputs.js';

/**
 * The result of a digest: `buffer` is a Uint8Array, `0xhex` hex after `0x`, `bigint` the big-endian
 * number of the hex digits.
 */
export type Encoding = 'buffer' | 'hex' | '0xhex' | 'base64' | 'base64url' | 'bigint';

/** The type of a digest in an {@link Encoding}. */
export type Digest<E extends Encoding> = E extends 'buffer'
  ? Result
  : E extends 'bigint'
    ? bigint
    : E extends '0xhex'
      ? `0x${string}`
      : string;

const names: readonly Encoding[] = ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'];

/** Returns the name of an encoding, `buffer` by default. */
export function encodingOf(value: unknown): Encoding {
  if (value === undefined) return 'buffer';
  if (names.includes(value as Encoding)) return value as Encoding;
  const expected = "encoding must be 'buffer', 'hex', '0xhex', 'base64', 'base64url' or 'bigint'";
  // Not the value: it may be a message in the wrong place.
  throw makeError(
    typeof value === 'string' ? 'ERR_ARGUMENT_VALUE' : 'ERR_ARGUMENT_TYPE',
    `${expected}, not ${typeof value === 'string' ? 'another string' : describe(value)}`,
  );
}

/** V8's limits, the lowest of all engines: UTF-16 units of a string, and bytes of a BigInt. */
const STRING_MAX = 2 ** 29 - 24;
const BIGINT_BYTES_MAX = 2 ** 27;

/**
 * Allocates memory for a result; refuses a size that its encoding cannot hold before anything is
 * computed.
 */
export function resultOf(size: number, encoding: Encoding): Result {
  const most =
    encoding === 'buffer'
      ? size
      : encoding === 'bigint'
        ? BIGINT_BYTES_MAX
        : encoding === 'hex'
          ? STRING_MAX / 2
          : encoding === '0xhex'
            ? STRING_MAX / 2 - 1
            : (STRING_MAX / 4) * 3;
  if (size > most)
    throw makeError(
      'ERR_OUTPUT_SIZE',
      `${size} bytes are too many for '${encoding}', which takes ${most}; ask for 'buffer'`,
    );
  return memory(size);
}

/** Returns the bytes in an encoding. */
export function encoded(bytes: Result, encoding: Encoding): Result | string | bigint {
  if (encoding === 'buffer') return bytes;
  if (encoding === 'hex') return hexOf(bytes);
  if (encoding === '0xhex') return `0x${hexOf(bytes)}`;
  if (encoding === 'bigint') return BigInt(`0x${hexOf(bytes)}`);
  // The number of arguments that every engine accepts in a call.
  let letters = '';
  for (let at = 0; at < bytes.length; at += 8192)
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  const text = btoa(letters);
  return encoding === 'base64'
    ? text
    : text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
