// Outboards and slices of BLAKE3: the descriptions that tools/calls.mjs reads.

export default 'Outboards and slices of BLAKE3, as bao has them,';

/*
 * Hashes a content with BLAKE3, on all cores, and returns the digest with the outboard: the tree
 * that {@link verifyRange} and {@link extractSlice} verify parts of the content with. A stream is
 * read once, in constant memory but for the outboard, which is 1/16 of the content, or 1/256 with
 * groups of 16 KiB. `source` is copied at the call.
 *
 * @example
 * ```js
 * import { createReadStream } from 'node:fs';
 * import { writeFile } from 'node:fs/promises';
 * import { hashOutboard } from 'millrace/promises';
 *
 * const source = createReadStream('photos.tar', { highWaterMark: 2 ** 20 });
 * const { digest, outboard } = await hashOutboard(source);
 * // As `bao encode photos.tar --outboard photos.bao` writes it.
 * await writeFile('photos.bao', outboard);
 * ```
 *
 * @param source bytes, a string (UTF-8), or a stream, async iterable or Blob of them
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_SOURCE_CONSUMED
 */
export const hashOutboard = {
  form: 'plain',
  takes: { source: 'Data | StreamSource' },
  options: 'HashOutboardOptions',
  result: 'Promise<HashOutboardResult>',
  runs: { promises: 'outboardFrom(source, options)' },
};

/*
 * Reads a range of a content and verifies it with an outboard: the result is what the content with
 * this digest has there, or the call rejects. Neither the content nor the outboard need be trusted.
 * Reads the groups of the range and their parents, in order and at most 1 MiB at once. The
 * functions return bytes of a file, a Blob or an HTTP range request.
 *
 * Fewer bytes are returned if the content ends before `end`, none if `start` is beyond it: then the
 * end is verified too.
 *
 * @example
 * ```js
 * import { randomBytes } from 'node:crypto';
 * import { hashOutboard, verifyRange } from 'millrace/promises';
 *
 * const content = randomBytes(1_000_000);
 * const { digest, outboard } = await hashOutboard(content);
 * await verifyRange((start, end) => content.subarray(start, end), {
 *   digest,
 *   outboard: (start, end) => outboard.subarray(start, end),
 *   start: 500_000,
 *   end: 600_000,
 * });
 * ```
 *
 * @param read reads bytes of the content
 * @throws MillraceError ERR_AUTHENTICATION for a content or an outboard of another digest,
 *   ERR_TRUNCATED if one of them ends too early, ERR_FORMAT if the outboard begins with no size,
 *   ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
 */
export const verifyRange = {
  form: 'plain',
  takes: { read: 'ReadRange' },
  options: 'VerifyRangeOptions',
  required: true,
  result: 'Promise<Buffer>',
  runs: { promises: 'readVerified(read, options)' },
};

/*
 * Returns a range of a content with all that verifies it, bao's slice: who knows the digest opens
 * it with {@link decodeSlice} or `bao decode-slice` and needs no outboard. Reads as
 * {@link verifyRange} does, and verifies nothing.
 *
 * A range without bytes gives its group; one beyond the content the last group, which proves where
 * the content ends.
 *
 * @example
 * ```js
 * import { open } from 'node:fs/promises';
 * import { extractSlice } from 'millrace/promises';
 *
 * const [content, outboard] = await Promise.all([
 *   open('photos.tar'),
 *   open('photos.bao'),
 * ]);
 * const reads = (file) => async (start, end) => {
 *   const bytes = Buffer.alloc(end - start);
 *   const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
 *   return bytes.subarray(0, bytesRead);
 * };
 * await extractSlice(reads(content), {
 *   outboard: reads(outboard),
 *   start: 0,
 *   end: 10_000,
 * });
 * await Promise.all([content.close(), outboard.close()]);
 * ```
 *
 * @param read reads bytes of the content
 * @returns the size of the content in 8 bytes, and parents and groups in pre-order
 * @throws MillraceError ERR_TRUNCATED, ERR_FORMAT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
 */
export const extractSlice = {
  form: 'plain',
  takes: { read: 'ReadRange' },
  options: 'ExtractSliceOptions',
  required: true,
  result: 'Promise<Buffer>',
  runs: { promises: 'sliceFrom(read, options)' },
};

/*
 * Verifies a slice of {@link extractSlice} or `bao slice` and returns the bytes of its range, which
 * are what the content with this digest has there, or rejects. `slice` is copied at the call.
 *
 * @example
 * ```js
 * import { randomBytes } from 'node:crypto';
 * import {
 *   decodeSlice,
 *   extractSlice,
 *   hashOutboard,
 * } from 'millrace/promises';
 *
 * const content = randomBytes(1_000_000);
 * const { digest, outboard } = await hashOutboard(content);
 * const range = { start: 500_000, end: 600_000 };
 * const slice = await extractSlice(
 *   (start, end) => content.subarray(start, end),
 *   { outboard: (start, end) => outboard.subarray(start, end), ...range },
 * );
 * await decodeSlice(slice, { digest, ...range });
 * ```
 *
 * @param slice a slice of exactly this range
 * @throws MillraceError ERR_AUTHENTICATION for a slice of another digest, ERR_TRUNCATED for a slice
 *   with too few bytes, ERR_FORMAT for one with too many or without a size, ERR_ARGUMENT_TYPE,
 *   ERR_ARGUMENT_VALUE
 */
export const decodeSlice = {
  form: 'plain',
  takes: { slice: 'Bytes' },
  options: 'DecodeSliceOptions',
  required: true,
  result: 'Promise<Buffer>',
  runs: { promises: 'contentOf(slice, options)' },
};
