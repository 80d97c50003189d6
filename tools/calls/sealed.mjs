// Sealed streams and files: the descriptions that tools/calls.mjs reads.

export default 'Sealed streams, and sealed files with a passphrase or a key,';

/*
 * Returns a Node.js stream that seals what is written to it in authenticated chunks, on all cores
 * and in constant memory. The format is C2SP chunked encryption; with AES it is known as
 * Cobblestone-128 and Cobblestone-256.
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import { generateKey, sealStream } from 'millrace';
 *
 * const algorithm = 'aes-256-gcm';
 * const key = generateKey(algorithm); // keep it
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   sealStream({ algorithm, key }),
 *   createWriteStream('photos.sealed'),
 * );
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 */
export const sealStream = { form: 'sealed', as: 'Duplex' };

/*
 * Returns a Node.js stream that opens the output of {@link sealStream}. It emits only authentic
 * bytes, in order. Any other input destroys the stream: with ERR_AUTHENTICATION (another key,
 * algorithm or context, or a change), ERR_TRUNCATED if the size alone shows that the end is
 * missing, or ERR_FORMAT if it is a sealed file ({@link openWithKey}).
 * **Before `'end'` the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import { generateKey, openStream, sealStream } from 'millrace';
 *
 * const options = {
 *   algorithm: 'aes-256-gcm',
 *   key: generateKey('aes-256-gcm'),
 * };
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   sealStream(options),
 *   createWriteStream('sealed'),
 * );
 * // Rejects with ERR_AUTHENTICATION or ERR_TRUNCATED: then delete what was written.
 * await pipeline(
 *   createReadStream('sealed'),
 *   openStream(options),
 *   createWriteStream('opened.tar'),
 * );
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 */
export const openStream = { form: 'sealed', as: 'Duplex' };

/*
 * Opens a part of the output of {@link sealStream}: reads the header and the chunks of that part,
 * of 16 KiB each. `read(start, end)` returns bytes of the sealed stream, from a file, a Blob or an
 * HTTP range request.
 *
 * The result is authentic and in its place. That the message ends where it ends is only verified by
 * a range that reaches its end.
 *
 * @example
 * ```js
 * import { randomBytes } from 'node:crypto';
 * import { buffer } from 'node:stream/consumers';
 * import { openRange, sealStream } from 'millrace/promises';
 *
 * const options = { algorithm: 'aes-256-gcm', key: randomBytes(32) };
 * const stream = sealStream(options);
 * stream.end(randomBytes(100_000));
 * const sealed = await buffer(stream);
 * // Reads two chunks of 16 KiB, and the header.
 * const read = (start, end) => sealed.subarray(start, end);
 * await openRange(read, { ...options, start: 20_000, end: 40_000 });
 * ```
 *
 * @throws MillraceError ERR_AUTHENTICATION, ERR_TRUNCATED, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 */
export const openRange = {
  form: 'plain',
  takes: { read: 'ReadRange' },
  options: 'OpenRangeOptions',
  required: true,
  result: 'Promise<Buffer>',
  runs: { promises: 'sealedStreams().openRange(read, options)' },
};

/*
 * Plans the sealing of an object that several workers or machines have hashed in parts: makes the
 * header of the sealed stream and a range for each part, which {@link sealRange} seals. The header,
 * and after it the results for all ranges in their order, are what {@link openStream},
 * {@link openRange} and their kind open.
 *
 * The salt in the header is derived from the key, the context and the BLAKE3 digest of the object.
 * So one object has one sealed form under a key and a context: a repeated plan or range gives the
 * same bytes, another content another header, and **who sees two results learns whether the objects
 * are the same**.
 *
 * @example
 * ```js
 * import {
 *   hashPart,
 *   openRange,
 *   planSealing,
 *   randomBytes,
 *   sealRange,
 * } from 'millrace/promises';
 *
 * const whole = randomBytes(100_000);
 * const { length: size } = whole;
 * const dataAt = (offset) => whole.subarray(offset, offset + 65_536);
 * const options = { algorithm: 'aes-256-gcm', key: randomBytes(32) };
 *
 * // Each part and each range by another worker.
 * const hashed = [0, 65_536].map((offset) =>
 *   hashPart('blake3', dataAt(offset), { offset, size }),
 * );
 * const { header, ranges } = await planSealing(
 *   await Promise.all(hashed),
 *   options,
 * );
 * const sealed = await Promise.all(
 *   ranges.map((range) =>
 *     sealRange(range, dataAt(range.offset), options),
 *   ),
 * );
 *
 * const stream = Buffer.concat([header, ...sealed]);
 * const read = (start, end) => stream.subarray(start, end);
 * await openRange(read, { ...options, start: 65_000, end: 66_000 });
 * ```
 *
 * @param parts the results of {@link hashPart} with `blake3`, without key and context. Each begins
 *   at a multiple of 16,384 bytes
 * @throws MillraceError as {@link joinParts} for the parts and {@link sealStream} for the options
 */
export const planSealing = {
  form: 'plain',
  takes: { parts: 'Iterable<HashPart>' },
  options: 'SealRangeOptions',
  required: true,
  result: 'Promise<SealingPlan>',
  runs: { promises: 'sealedParts().planSealing(parts, options)' },
};

/*
 * Seals a range of {@link planSealing}, on all cores. `data` are the bytes from `range.offset` on,
 * `range.length` of them; they and the key are copied at the call.
 *
 * Each chunk of the stream has its own nonce, which must never seal two contents. So `data` is
 * hashed first, and sealed only if it is the content that the range was planned for; a range may
 * then be sealed any number of times, by any number of workers. Without the key no range can be
 * made that is accepted; with it, two contents under one nonce would be a collision of BLAKE3.
 *
 * @example
 * ```js
 * import { hashPart, planSealing, sealRange } from 'millrace/promises';
 *
 * const data = Buffer.from('a message');
 * const options = { algorithm: 'aes-256-gcm', key: Buffer.alloc(32, 7) };
 * const part = await hashPart('blake3', data, { size: data.length });
 * const { header, ranges } = await planSealing([part], options);
 * const sealed = await sealRange(ranges[0], data, options);
 * Buffer.concat([header, sealed]); // as openStream opens it
 * ```
 *
 * @returns the sealed bytes, which belong at `range.at` in the sealed stream
 * @throws MillraceError ERR_AUTHENTICATION for another key, algorithm or context, for a range that
 *   was changed, and for data that changed since they were hashed: nothing was sealed;
 *   ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE
 */
export const sealRange = {
  form: 'plain',
  takes: { range: 'SealRange', data: 'Bytes' },
  options: 'SealRangeOptions',
  required: true,
  result: 'Promise<Buffer>',
  runs: { promises: 'sealedParts().sealRange(range, data, options)' },
};

/*
 * Returns a web TransformStream that works like {@link sealStream}. It accepts bytes, not strings.
 *
 * @example
 * ```js
 * import { generateKey, sealTransformStream } from 'millrace';
 *
 * const algorithm = 'aes-256-gcm';
 * const key = generateKey(algorithm);
 * const sealed = new Blob(['a message'])
 *   .stream()
 *   .pipeThrough(sealTransformStream({ algorithm, key }));
 * await new Response(sealed).arrayBuffer();
 * ```
 */
export const sealTransformStream = { form: 'sealed', as: 'TransformStream' };

/*
 * Returns a web TransformStream that works like {@link openStream}. **Before the readable side
 * closes the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import {
 *   generateKey,
 *   openTransformStream,
 *   sealTransformStream,
 * } from 'millrace';
 *
 * const options = {
 *   algorithm: 'aes-256-gcm',
 *   key: generateKey('aes-256-gcm'),
 * };
 * const opened = new Blob(['a message'])
 *   .stream()
 *   .pipeThrough(sealTransformStream(options))
 *   .pipeThrough(openTransformStream(options));
 * await new Response(opened).text(); // 'a message'
 * ```
 */
export const openTransformStream = { form: 'sealed', as: 'TransformStream' };

/*
 * Seals a message with a passphrase, as a file of `millrace seal`. The key is derived with
 * scrypt; any change, also of the header, prevents opening. `data` is copied at the call; text in
 * the passphrase is converted to Unicode's form C. Choose a passphrase that cannot be guessed:
 * an attacker with the result can test any number of them.
 *
 * @example
 * ```js
 * import {
 *   openWithPassphrase,
 *   sealWithPassphrase,
 * } from 'millrace/promises';
 *
 * const passphrase = 'correct horse battery staple';
 * const sealed = await sealWithPassphrase(passphrase, 'attack at dawn');
 * await openWithPassphrase(passphrase, sealed);
 * ```
 *
 * @returns header and sealed stream: 87 bytes, and a tag of 16 for each chunk of 16 KiB, more than
 *   `data`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_MEMORY_LIMIT, ERR_OUT_OF_MEMORY
 */
export const sealWithPassphrase = { form: 'sealed', secret: 'passphrase', as: 'Promise' };

/*
 * Opens a message of {@link sealWithPassphrase} or `millrace seal` as a whole, or rejects with
 * ERR_AUTHENTICATION (another passphrase, or a change), ERR_TRUNCATED or ERR_FORMAT. `data` is
 * copied at the call. `maxMemory` and `maxTime` limit the cost of the key derivation, as the header
 * may come from anywhere.
 *
 * @example
 * ```js
 * import {
 *   openWithPassphrase,
 *   sealWithPassphrase,
 * } from 'millrace/promises';
 *
 * const sealed = await sealWithPassphrase(
 *   'a long passphrase',
 *   'attack at dawn',
 * );
 * try {
 *   await openWithPassphrase('another one', sealed);
 * } catch (error) {
 *   console.log(error.code); // ERR_AUTHENTICATION
 * }
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_MEMORY_LIMIT, ERR_WORK_LIMIT, ERR_OUT_OF_MEMORY
 */
export const openWithPassphrase = { form: 'sealed', secret: 'passphrase', as: 'Promise' };

/*
 * Returns a Node.js stream that works like {@link sealWithPassphrase}, in constant memory. The
 * passphrase is copied at the call.
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import { sealStreamWithPassphrase } from 'millrace/promises';
 *
 * // `millrace open` opens the file too.
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   sealStreamWithPassphrase('correct horse battery staple'),
 *   createWriteStream('photos.tar.sealed'),
 * );
 * ```
 */
export const sealStreamWithPassphrase = { form: 'sealed', secret: 'passphrase', as: 'Duplex' };

/*
 * Returns a Node.js stream that works like {@link openWithPassphrase}, in constant memory. It emits
 * only authentic bytes, in order. **Before `'end'` the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import {
 *   openStreamWithPassphrase,
 *   sealStreamWithPassphrase,
 * } from 'millrace/promises';
 *
 * const passphrase = 'correct horse battery staple';
 * const sealing = sealStreamWithPassphrase(passphrase);
 * const opening = openStreamWithPassphrase(passphrase);
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   sealing,
 *   opening,
 *   createWriteStream('copy.tar'),
 * );
 * ```
 */
export const openStreamWithPassphrase = { form: 'sealed', secret: 'passphrase', as: 'Duplex' };

/*
 * Returns a web TransformStream that works like {@link sealStreamWithPassphrase}. It accepts bytes,
 * not strings.
 *
 * @example
 * ```js
 * import { sealTransformStreamWithPassphrase } from 'millrace/promises';
 *
 * const passphrase = 'correct horse battery staple';
 * const sealed = new Blob(['a message'])
 *   .stream()
 *   .pipeThrough(sealTransformStreamWithPassphrase(passphrase));
 * await new Response(sealed).arrayBuffer();
 * ```
 */
export const sealTransformStreamWithPassphrase = {
  form: 'sealed',
  secret: 'passphrase',
  as: 'TransformStream',
};

/*
 * Returns a web TransformStream that works like {@link openStreamWithPassphrase}. **Before the
 * readable side closes the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import {
 *   openTransformStreamWithPassphrase,
 *   sealWithPassphrase,
 * } from 'millrace/promises';
 *
 * const passphrase = 'correct horse battery staple';
 * const sealed = await sealWithPassphrase(passphrase, 'a message');
 * const opened = new Blob([sealed])
 *   .stream()
 *   .pipeThrough(openTransformStreamWithPassphrase(passphrase));
 * await new Response(opened).text(); // 'a message'
 * ```
 */
export const openTransformStreamWithPassphrase = {
  form: 'sealed',
  secret: 'passphrase',
  as: 'TransformStream',
};

/*
 * Seals a message with a key, as a file of `millrace seal --key-file`. The result begins with
 * `millrace` and names its algorithm. `data` and the key are copied at the call.
 *
 * @example
 * ```js
 * import {
 *   openWithKey,
 *   randomBytes,
 *   sealWithKey,
 * } from 'millrace/promises';
 *
 * const key = randomBytes(32);
 * const sealed = await sealWithKey(key, 'attack at dawn');
 * await openWithKey(key, sealed);
 * ```
 *
 * @param key 32 bytes, or a key prepared for the algorithm
 * @returns header and sealed stream: 68 bytes, and a tag of 16 for each chunk of 16 KiB, more than
 *   `data`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_UNKNOWN_ALGORITHM, ERR_KEY_SIZE, ERR_KEY_ALGORITHM
 */
export const sealWithKey = { form: 'sealed', secret: 'key', as: 'Promise' };

/*
 * Opens a message of {@link sealWithKey} or `millrace seal --key-file` as a whole, or rejects with
 * ERR_AUTHENTICATION (another key, or a change), ERR_TRUNCATED, or ERR_FORMAT (also for the output
 * of {@link sealStream} and {@link sealWithPassphrase}). `data` and the key are copied at the call.
 *
 * @example
 * ```js
 * import {
 *   openWithKey,
 *   randomBytes,
 *   sealWithKey,
 * } from 'millrace/promises';
 *
 * const sealed = await sealWithKey(randomBytes(32), 'attack at dawn');
 * try {
 *   await openWithKey(randomBytes(32), sealed);
 * } catch (error) {
 *   console.log(error.code); // ERR_AUTHENTICATION
 * }
 * ```
 *
 * @param key 32 bytes, or a key prepared for the algorithm that the header names
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE, ERR_KEY_SIZE,
 *   ERR_KEY_ALGORITHM
 */
export const openWithKey = { form: 'sealed', secret: 'key', as: 'Promise' };

/*
 * Returns a Node.js stream that works like {@link sealWithKey}, in constant memory.
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import { randomBytes, sealStreamWithKey } from 'millrace/promises';
 *
 * const key = randomBytes(32); // keep it
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   sealStreamWithKey(key),
 *   createWriteStream('photos.tar.sealed'),
 * );
 * ```
 */
export const sealStreamWithKey = { form: 'sealed', secret: 'key', as: 'Duplex' };

/*
 * Returns a Node.js stream that works like {@link openWithKey}, in constant memory. It emits only
 * authentic bytes, in order. **Before `'end'` the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import {
 *   openStreamWithKey,
 *   randomBytes,
 *   sealStreamWithKey,
 * } from 'millrace/promises';
 *
 * const key = randomBytes(32);
 * const [sealing, opening] = [
 *   sealStreamWithKey(key),
 *   openStreamWithKey(key),
 * ];
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   sealing,
 *   opening,
 *   createWriteStream('copy.tar'),
 * );
 * ```
 */
export const openStreamWithKey = { form: 'sealed', secret: 'key', as: 'Duplex' };

/*
 * Returns a web TransformStream that works like {@link sealStreamWithKey}. It accepts bytes, not
 * strings.
 *
 * @example
 * ```js
 * import {
 *   randomBytes,
 *   sealTransformStreamWithKey,
 * } from 'millrace/promises';
 *
 * const sealed = new Blob(['a message'])
 *   .stream()
 *   .pipeThrough(sealTransformStreamWithKey(randomBytes(32)));
 * await new Response(sealed).arrayBuffer();
 * ```
 */
export const sealTransformStreamWithKey = { form: 'sealed', secret: 'key', as: 'TransformStream' };

/*
 * Returns a web TransformStream that works like {@link openStreamWithKey}. **Before the readable
 * side closes the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import {
 *   openTransformStreamWithKey,
 *   randomBytes,
 *   sealWithKey,
 * } from 'millrace/promises';
 *
 * const key = randomBytes(32);
 * const sealed = await sealWithKey(key, 'a message');
 * const opened = new Blob([sealed])
 *   .stream()
 *   .pipeThrough(openTransformStreamWithKey(key));
 * await new Response(opened).text(); // 'a message'
 * ```
 */
export const openTransformStreamWithKey = { form: 'sealed', secret: 'key', as: 'TransformStream' };
