/** How digests are returned. */
import { describe, makeError } from '../../request/errors.js';
import { memory } from './inputs.js';

/**
 * How a digest is returned: `buffer` as a Uint8Array, `bigint` as the big-endian number that the
 * hex digits spell.
 */
export type Encoding = 'buffer' | 'hex' | 'base64' | 'base64url' | 'bigint';

/** The type of a digest in an {@link Encoding}. */
export type Digest<E extends Encoding> = E extends 'buffer'
  ? Uint8Array
  : E extends 'bigint'
    ? bigint
    : string;

const names: readonly unknown[] = [
  'buffer',
  'hex',
  'base64',
  'base64url',
  'bigint',
] satisfies Encoding[];

/** A name of an encoding, `buffer` if none is given. */
export function encodingOf(value: unknown): Encoding {
  if (value === undefined) return 'buffer';
  if (names.includes(value)) return value as Encoding;
  const expected = "encoding must be 'buffer', 'hex', 'base64', 'base64url' or 'bigint'";
  if (typeof value !== 'string')
    throw makeError('ERR_ARGUMENT_TYPE', `${expected}, not ${describe(value)}`);
  throw makeError('ERR_ARGUMENT_VALUE', `${expected}, not ${JSON.stringify(value.slice(0, 40))}`);
}

/** The most UTF-16 units of a string, and bytes of a BigInt, of V8, which allows the fewest. */
const STRING_MAX = 2 ** 29 - 24;
const BIGINT_BYTES_MAX = 2 ** 27;

/**
 * New memory for a result that will be encoded; what is too large for its encoding is refused
 * before anything is computed.
 */
export function resultOf(size: number, encoding: Encoding): Uint8Array {
  const most =
    encoding === 'buffer'
      ? size
      : encoding === 'bigint'
        ? BIGINT_BYTES_MAX
        : encoding === 'hex'
          ? STRING_MAX / 2
          : (STRING_MAX / 4) * 3;
  if (size > most)
    throw makeError(
      'ERR_OUTPUT_SIZE',
      `${size} bytes are too many for '${encoding}', which takes ${most}; ask for 'buffer'`,
    );
  return memory(size);
}

/** Bytes, which nobody else has, as an encoding says. */
export function encoded(bytes: Uint8Array, encoding: Encoding): Uint8Array | string | bigint {
  if (encoding === 'buffer') return bytes;
  if (encoding === 'hex') return hex(bytes);
  if (encoding === 'bigint') return BigInt(`0x${hex(bytes)}`);
  // As many letters at once as a call may surely have arguments.
  let letters = '';
  for (let at = 0; at < bytes.length; at += 8192)
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  const text = btoa(letters);
  return encoding === 'base64'
    ? text
    : text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

let digits: readonly string[] | undefined;

function hex(bytes: Uint8Array): string {
  digits ??= Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  let text = '';
  for (let at = 0; at < bytes.length; at++) text += digits[bytes[at]!]!;
  return text;
}
