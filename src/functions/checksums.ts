/** Checksums of messages in parts, as S3 has them. */
import { bytes, joined, part, sizeOf, unsigned, type Bytes } from '../base/arguments.js';
import { appendCrc, crcField, readCrc, writeCrc } from '../base/crc.js';
import { makeError, refuseSurplus, wrongType, type MillraceError } from '../base/errors.js';
import { bytesOfBuffer, copyInto, isBytesView } from '../base/intrinsics.js';
import { isIterable } from '../base/iterables.js';
import { checksumPartNames, packedSourceNames } from '../base/option-names.js';
import { accepted, isOptions, ownOptions } from '../base/options.js';
import { syncIteratorOf } from '../base/sources.js';
import type {
  ChecksumInput,
  ChecksumPart,
  Digest,
  Encoding,
  MultipartForm,
  PackedSources,
} from '../calls/digests.js';
import { hashFacts, type HashAlgorithm } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { digestForm } from '../operations/hash.js';
import { Form } from '../request/request.js';
import { encodeResult } from '../request/result.js';
import { allocate, base64url, bytesOfText } from '#platform/base/runtime.js';
import { hash, hashMany } from './digests.js';

/** The most parts of an object of S3. */
const MOST_PARTS = 10_000;

/**
 * Returns the CRC of a message from the CRCs of its parts and their sizes, without the bytes: for
 * CRC-64/NVME what S3 calls the full-object checksum. An iterable is read in constant memory.
 *
 * @example
 * ```js
 * import { combineChecksums, hash } from 'millrace';
 *
 * const parts = ['12345', '6789'].map((data) => ({
 *   checksum: hash('crc64nvme', data, 'base64'),
 *   size: data.length,
 * }));
 * combineChecksums('crc64nvme', parts, 'hex'); // 'ae8b14860a799888'
 * ```
 *
 * @param algorithm `crc32`, `crc32c` or `crc64nvme`
 * @param parts an array or iterable of `{ checksum, size }`, at least one, in the order of the
 *   message
 * @param encoding `'buffer'` (default), `'hex'`, `'0xhex'`, `'base64'`, `'base64url'` or
 *   `'bigint'` (big-endian)
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE; the message
 *   names the part: `parts[17].checksum`
 */
export function combineChecksums<E extends Encoding = 'buffer'>(
  algorithm: HashAlgorithm,
  parts: Iterable<ChecksumPart>,
  encoding?: E,
): Digest<E>;
export function combineChecksums(algorithm: unknown, parts?: unknown, encoding?: unknown): unknown {
  refuseSurplus(arguments, 3, 'combineChecksums(algorithm, parts[, encoding])');
  const { name } = hashFacts(algorithm);
  const field = crcField(name);
  if (field === undefined)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `algorithm must be crc32, crc32c or crc64nvme, not ${name}: no other checksum of a message ` +
        'follows from those of its parts',
    );
  const form = digestForm(encoding, Form.Buffer);
  const [crc, next] = [new Uint32Array(2), new Uint32Array(2)];
  const count = eachOf(parts, 'an array or iterable of { checksum, size }', (item, shown) => {
    const { checksum, size } = ownOptions<ChecksumPart>(item, shown, partTable);
    readCrc(field, checksumBytes(checksum, `${shown}.checksum`, field.size, name), next);
    const length = unsigned(size, `${shown}.size`);
    if (length === 0 && (next[0] !== 0 || next[1] !== 0))
      throw makeError('ERR_ARGUMENT_VALUE', `${shown}.checksum must be 0 for a part of 0 bytes`);
    appendCrc(field, crc, next, length);
  });
  if (count === 0) throw noParts();
  const bytesOfCrc = allocate(field.size);
  writeCrc(field, crc, bytesOfCrc);
  return encodeResult(bytesOfCrc, form);
}

/**
 * Returns the checksum that S3 reports for an object that was uploaded in parts: the digest of the
 * digests of its parts, in base64, and `-` and the number of parts. `'etag'` is its ETag: MD5 in
 * hex, in quotes.
 *
 * @example
 * ```js
 * import { multipartChecksum } from 'millrace';
 *
 * const parts = { data: Buffer.alloc(12_000_000), size: 5 * 2 ** 20 };
 * multipartChecksum('sha256', parts).slice(-2); // '-3'
 * multipartChecksum('md5', parts, 'etag').length; // 36
 * ```
 *
 * @param algorithm a hash; for a CRC-64 S3 has full-object checksums only: see
 *   {@link combineChecksums}
 * @param parts 1 to 10,000: their checksums in an array or iterable, or one after the other, as
 *   {@link hashMany} returns them; or `{ data, size }`, the object and the size of each part but
 *   the last, which are hashed during the call
 * @param form `'composite'` (default), or `'etag'` with `md5`
 * @throws MillraceError as {@link hash}; the message names the part: `parts[17]`
 */
export function multipartChecksum(
  algorithm: HashAlgorithm,
  parts: Bytes | Iterable<ChecksumInput> | PackedSources,
  form?: MultipartForm,
): string;
export function multipartChecksum(algorithm: unknown, parts?: unknown, form?: unknown): string {
  refuseSurplus(arguments, 3, 'multipartChecksum(algorithm, parts[, form])');
  const facts = hashFacts(algorithm);
  const { name } = facts;
  if (form !== undefined && typeof form !== 'string') throw wrongType('form', FORMS, form);
  const etag = form === 'etag';
  if (!etag && form !== undefined && form !== 'composite')
    throw makeError('ERR_ARGUMENT_VALUE', `form must be ${FORMS}`);
  if (etag && name !== 'md5')
    throw makeError('ERR_ARGUMENT_VALUE', `an ETag is of md5, not of ${name}`);
  if (!facts.direct || name === 'crc64nvme')
    throw makeError('ERR_ARGUMENT_VALUE', `S3 has no composite checksum of ${name}`);
  const digests = digestsOf(facts, parts);
  const count = sizeOf(digests) / facts.digestSize;
  const digest = hash(name, digests, etag ? 'hex' : 'base64');
  return etag ? `"${digest}-${count}"` : `${digest}-${count}`;
}

const PARTS = 'bytes, an array or iterable of checksums, or an object with data and size';
const FORMS = "'composite' or 'etag'";

const partTable = accepted('combineChecksums(algorithm, parts, encoding)', checksumPartNames);
const packedTable = accepted('multipartChecksum(algorithm, parts, form)', packedSourceNames);

/** Reads each item of an iterable, which is run to its end; returns their number. */
function eachOf(
  items: unknown,
  expected: string,
  read: (item: unknown, name: string) => void,
): number {
  if (!isIterable(items)) throw wrongType('parts', expected, items);
  let count = 0;
  const iterator = syncIteratorOf(items, 'parts');
  for (const item of { [Symbol.iterator]: () => iterator }) read(item, `parts[${count++}]`);
  return count;
}

/** Returns the digests of the parts, one after the other. */
function digestsOf(facts: HashFacts, parts: unknown): Uint8Array {
  const { name, digestSize } = facts;
  if (isIterable(parts)) {
    const all: Uint8Array[] = [];
    eachOf(parts, PARTS, (item, shown) => {
      checkCount(all.length + 1);
      all.push(checksumBytes(item, shown, digestSize, name));
    });
    checkCount(all.length);
    return joined(all, allocate);
  }
  if (isOptions(parts) && bytesOfBuffer(parts) === undefined) return hashedParts(name, parts);
  const digests = bytesIn(parts, 'parts', PARTS);
  const size = sizeOf(digests);
  if (size % digestSize !== 0)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `parts must have ${digestSize} bytes of ${name} for each part, and have ${size}`,
    );
  checkCount(size / digestSize);
  return digests;
}

/** Returns the digests of the parts of an object. */
function hashedParts(name: string, parts: unknown): Uint8Array {
  const given = ownOptions<PackedSources>(parts, 'parts', packedTable);
  const data = bytes(given.data, 'parts.data');
  const size = unsigned(given.size, 'parts.size');
  if (size === 0) throw makeError('ERR_ARGUMENT_VALUE', 'parts.size must be at least 1');
  const total = sizeOf(data);
  // An empty object has one part, which is empty.
  const count = Math.max(1, Math.ceil(total / size));
  checkCount(count);
  const pieces = Array.from({ length: count }, (_, index) =>
    part(data, index * size, Math.min(size, total - index * size)),
  );
  return hashMany(name, pieces);
}

function checkCount(count: number): void {
  if (count < 1) throw noParts();
  if (count > MOST_PARTS)
    throw makeError('ERR_ARGUMENT_VALUE', `parts must be at most ${MOST_PARTS}, as S3 takes`);
}

function noParts(): MillraceError {
  return makeError('ERR_ARGUMENT_VALUE', 'parts must have at least one part');
}

/** Returns bytes; the error for other values names what else is expected. */
function bytesIn(value: unknown, shown: string, expected: string): Uint8Array {
  if (!isBytesView(value) && bytesOfBuffer(value) === undefined)
    throw wrongType(shown, expected, value);
  return bytes(value, shown);
}

/** Returns a copy of the bytes of a checksum. */
function checksumBytes(value: unknown, shown: string, size: number, name: string): Uint8Array {
  if (typeof value === 'string') return decoded(value, shown, size, name);
  if (typeof value === 'bigint' || typeof value === 'number') {
    const number = typeof value === 'bigint' ? value : BigInt(unsigned(value, shown));
    if (number < 0n || number >> BigInt(8 * size) !== 0n)
      throw makeError('ERR_ARGUMENT_VALUE', `${shown} must be a number of ${8 * size} bits`);
    return bytesOfText(number.toString(16).padStart(2 * size, '0'), 'hex');
  }
  const found = bytesIn(value, shown, 'bytes, a string, a BigInt or a number');
  if (sizeOf(found) !== size)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${shown} must have the ${size} bytes of ${name}, not ${sizeOf(found)}`,
    );
  return copyInto(allocate(size), found, 0);
}

/** Decodes a checksum. No two encodings have the same number of characters. */
function decoded(value: string, shown: string, size: number, name: string): Uint8Array {
  // Hex after 0x in quotes is the longest.
  const short = value.length <= 2 * size + 4 ? value : '';
  const text = /^"(.*)"$/.exec(short)?.[1] ?? short;
  const hex = /^(?:0x)?([\da-f]*)$/i.exec(text)?.[1];
  if (hex?.length === 2 * size) return bytesOfText(hex, 'hex');
  const digits = Math.ceil((8 * size) / 6);
  const url = text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
  const padded = text.length === digits || text.length === 4 * Math.ceil(size / 3);
  if (url.length === digits && padded && /^[\w-]*$/.test(url)) {
    const found = bytesOfText(url, 'base64url');
    // Its last digit has bits beyond the bytes, which are 0.
    if (sizeOf(found) === size && base64url(found) === url) return found;
  }
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${shown} must be the ${size} bytes of ${name} in hex, base64 or base64url`,
  );
}
