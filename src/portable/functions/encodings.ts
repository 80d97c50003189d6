/** The encodings of digests. */
import { makeError, wrongType } from '../../base/errors.js';
import { hexOf } from '../../base/hex.js';
import type { Result } from './inputs.js';

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
  const expected = `one of '${names.join("', '")}'`;
  if (typeof value !== 'string') throw wrongType('encoding', expected, value);
  // Without the value: it may be a message in the wrong place.
  throw makeError('ERR_ARGUMENT_VALUE', `encoding must be ${expected}, not another string`);
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
