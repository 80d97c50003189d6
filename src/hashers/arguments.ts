/** The arguments of hashers: the message, the encoding of a digest, sizes. */
import { shownName } from '../base/nearest.js';
import { bytes, data, sizeOf, unsigned } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { Form } from '../request/request.js';
import { encodingNames, fastForm } from '../operations/hash.js';
import { encodeResult } from '../request/result.js';
import { OUTPUT_MAX } from '../catalog/parameters.js';
import type { Running } from './running.js';
import { Phase } from '../scheduling/steps.js';
import { ready } from './setup.js';
import {
  bytesOfText,
  isEncoding,
  textOf,
  utf8,
  type Buffer,
  type BufferEncoding,
} from '#platform/base/runtime.js';

/**
 * Reads the arguments of an update: data and optionally its encoding, or source, offset and size.
 */
export function messageInput(
  given: ArrayLike<unknown>,
  count: number,
): { view: Uint8Array; offset: number; size: number; lent: boolean } {
  if (count === 3 || (count === 2 && typeof given[1] === 'number')) {
    if (count !== 3)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        'update takes data and an encoding, or a source, an offset and a size',
      );
    const view = bytes(given[0], 'source');
    const offset = unsigned(given[1], 'offset');
    const size = unsigned(given[2], 'size');
    if (offset + size > sizeOf(view)) {
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `offset + size must be at most source's size in bytes: ${offset} + ${size} > ` +
          `${sizeOf(view)}`,
      );
    }
    return { view, offset, size, lent: true };
  }
  if (count === 0) throw makeError('ERR_MISSING_ARGUMENT', 'update needs data');
  if (count > 2)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `update takes 1 or 2 arguments, or 3 with an offset, and a callback; not ${count}`,
    );
  const view =
    typeof given[0] === 'string'
      ? bytesOfString(given[0], count > 1 ? given[1] : undefined)
      : data(given[0], 'data');
  return { view, offset: 0, size: sizeOf(view), lent: false };
}

/** Returns the bytes of a string in an encoding of Buffer, UTF-8 by default. */
export function bytesOfString(text: string, encoding: unknown): Uint8Array {
  if (encoding === undefined || encoding === null || encoding === 'utf8' || encoding === 'buffer')
    return utf8(text);
  if (typeof encoding !== 'string') throw wrongType('inputEncoding', 'a string', encoding);
  if (!isEncoding(encoding)) throw unknownEncoding('inputEncoding', encoding);
  const view = bytesOfText(text, encoding);
  // Buffer stops at an invalid digit; the digest would be that of another message.
  if (/^hex$/i.test(encoding) && view.length * 2 !== text.length)
    throw makeError('ERR_ARGUMENT_VALUE', 'data must be pairs of hex digits');
  return view;
}

/** Returns the form of a digest, or the encoding of its text. */
export function digestFormat(encoding: unknown): Form | BufferEncoding {
  const form = encoding === null ? Form.Buffer : fastForm(encoding);
  if (form !== undefined) return form;
  if (typeof encoding !== 'string')
    throw wrongType(
      'encoding',
      "'bigint', '0xhex' or the name of one of Buffer's encodings",
      encoding,
    );
  if (!isEncoding(encoding)) throw unknownEncoding('encoding', encoding);
  return encoding;
}

/** Returns a digest in the form or encoding of {@link digestFormat}. */
export function encodeDigest(digest: Buffer, wanted: Form | BufferEncoding): unknown {
  return typeof wanted === 'number' ? encodeResult(digest, wanted) : textOf(digest, wanted);
}

const encodings = [...encodingNames, 'utf8', 'utf16le', 'latin1', 'binary', 'ascii'];

function unknownEncoding(name: string, encoding: string): Error {
  const others = name === 'encoding' ? ", '0xhex' or 'bigint'" : '';
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${name} must be one of Buffer's encodings${others}, ` +
      `not ${shownName(encoding, encodings)}`,
  );
}

export function squeezedSize(size: unknown): number {
  const count = unsigned(size, 'size');
  if (count >= 1 && count <= OUTPUT_MAX) return count;
  throw makeError(
    'ERR_OUTPUT_SIZE',
    `size must be between 1 and ${OUTPUT_MAX} bytes, not ${count}`,
  );
}

/** Returns the running hash if its output is extendable and it has not failed or finished. */
export function extendable(running: Running): Running {
  ready(running, Phase.Squeezing);
  if (running.facts.xof) return running;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `squeeze: the output of ${running.facts.name} has a fixed size; extendable outputs ` +
      '(shake128, turboshake128, kt128, blake3, kmacxof128) can be squeezed',
  );
}
