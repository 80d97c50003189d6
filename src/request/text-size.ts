/** Checks, before anything is computed, that a result fits into a string or BigInt. */
import { Form } from './request.js';
import { makeError } from '../base/errors.js';
import { STRING_MAX, type BufferEncoding } from '#platform/base/runtime.js';

/** The most bytes of a BigInt in V8. */
const BIGINT_BYTES_MAX = 2 ** 27;

/** Bytes that fit into every text and BigInt: most digests need not be checked. */
export const ALWAYS_FITS = 65_536;

/**
 * Checks that `size` bytes fit into a form, or into a string of an encoding.
 *
 * @throws MillraceError ERR_OUTPUT_SIZE
 */
export function checkTextSize(size: number, form: Form | BufferEncoding): void {
  if (form === Form.BigInt) {
    if (size > BIGINT_BYTES_MAX)
      throw makeError(
        'ERR_OUTPUT_SIZE',
        `a BigInt has at most ${BIGINT_BYTES_MAX} bytes, not ${size}; ask for 'buffer'`,
      );
    return;
  }
  if (lengthOf(size, form) <= STRING_MAX) return;
  throw makeError(
    'ERR_OUTPUT_SIZE',
    `${size} bytes do not fit into a string, which has at most ${STRING_MAX} units; ` +
      "ask for 'buffer'",
  );
}

/** Returns the most UTF-16 units of the text. */
function lengthOf(size: number, form: Form | BufferEncoding): number {
  if (form === Form.Hex) return 2 * size;
  if (form === Form.PrefixedHex) return 2 * size + 2;
  if (form === Form.Base64 || form === Form.Base64url) return Math.ceil((4 * size) / 3);
  if (typeof form === 'number') return 0;
  switch (form.toLowerCase()) {
    case 'hex':
      return 2 * size;
    case 'base64':
    case 'base64url':
      return Math.ceil((4 * size) / 3);
    case 'ucs2':
    case 'ucs-2':
    case 'utf16le':
    case 'utf-16le':
      return size / 2;
    default:
      return size;
  }
}
