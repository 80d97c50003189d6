/**
 * Files of age (https://age-encryption.org), encrypted and decrypted on all cores: `millrace/age`.
 *
 * Results have the format of age 1.3, rage and typage. `millrace seal` has a format that commits to
 * its key; docs/formats.md says when to use which.
 *
 * @packageDocumentation
 */
import type { Buffer } from '#platform/base/runtime.js';
import type { Duplex, TransformStream } from '#platform/base/stream-types.js';
import { sealedDuplexes, sealedStreams } from '#platform/streams/sealed.js';
import type { Bytes, Data } from './base/arguments.js';
import { makeError, refuseSurplus } from './base/errors.js';
import type {
  AgeDecryptOptions,
  AgeEncryptOptions,
  AgeRangeOptions,
} from './streams/age/options.js';
import * as files from './streams/age/pumps.js';
import type { AgeIdentityType } from './streams/age/recipients.js';
import type { ReadRange } from './calls/outboards.js';
import type { PassphraseStreamOptions } from './streams/passphrase/parameters.js';

export type { AgeDecryptOptions, AgeEncryptOptions, AgeIdentityType, AgeRangeOptions };

/**
 * Returns a new identity, which is secret: `AGE-SECRET-KEY-1...` (X25519) or, for
 * `'mlkem768x25519'`, `AGE-SECRET-KEY-PQ-1...`, a hybrid with ML-KEM-768 that resists quantum
 * computers. It is a string, which cannot be wiped.
 *
 * @example
 * ```js
 * import { generateIdentity, identityToRecipient } from 'millrace/age';
 *
 * const identity = generateIdentity();
 * identityToRecipient(identity).slice(0, 4); // 'age1'
 * ```
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
 */
export function generateIdentity(type: AgeIdentityType = 'x25519'): string {
  refuseSurplus(arguments, 1, 'generateIdentity([type])');
  return files.generate(type);
}

/**
 * Returns the recipient of an identity, which is public. Of a text with many identities, such as a
 * file of `age-keygen`, it returns a line of each. SSH keys have no such form.
 *
 * @example
 * ```js
 * import { generateIdentity, identityToRecipient } from 'millrace/age';
 *
 * const identity = generateIdentity('mlkem768x25519');
 * identityToRecipient(identity).slice(0, 7); // 'age1pq1'
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_KEY_ENCODING;
 *   ERR_KEY_NOT_SUPPORTED for hybrid identities without native code
 */
export function identityToRecipient(identity: Data): string {
  refuseSurplus(arguments, 1, 'identityToRecipient(identity)');
  if (identity === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', 'identityToRecipient needs an identity');
  return files.recipientsOf(identity);
}

/**
 * Encrypts a message to recipients, or with a passphrase. `data` is copied at the call.
 *
 * @example
 * ```js
 * import {
 *   decrypt,
 *   encrypt,
 *   generateIdentity,
 *   identityToRecipient,
 * } from 'millrace/age';
 *
 * const identity = generateIdentity(); // keep it
 * const recipients = identityToRecipient(identity);
 * const file = await encrypt('attack at dawn', { recipients });
 * const message = await decrypt(file, { identities: identity });
 * message.toString(); // 'attack at dawn'
 * ```
 *
 * @returns the file: its header, and a tag of 16 bytes for each chunk of 64 KiB, more than `data`
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE;
 *   ERR_KEY_ENCODING and ERR_KEY_NOT_SUPPORTED for recipients; ERR_MEMORY_LIMIT,
 *   ERR_OUT_OF_MEMORY
 */
export async function encrypt(data: Data, options: AgeEncryptOptions): Promise<Buffer> {
  refuseSurplus(arguments, 2, 'encrypt(data, options)');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'encrypt needs data and options');
  return files.encryptMessage(data, options);
}

/**
 * Decrypts a file of age as a whole, armored or not, or rejects: with ERR_AUTHENTICATION (no
 * identity fits, another passphrase, or a change), ERR_TRUNCATED, ERR_FORMAT or ERR_WORK_LIMIT.
 * `data` is copied at the call.
 *
 * @example
 * ```js
 * import { decrypt, encrypt } from 'millrace/age';
 *
 * const passphrase = 'correct horse battery staple';
 * const file = await encrypt('a message', { passphrase, workFactor: 15 });
 * (await decrypt(file, { passphrase })).toString(); // 'a message'
 * ```
 *
 * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE;
 *   ERR_KEY_ENCODING and ERR_KEY_NOT_SUPPORTED for identities; ERR_MEMORY_LIMIT,
 *   ERR_OUT_OF_MEMORY
 */
export async function decrypt(data: Bytes, options: AgeDecryptOptions): Promise<Buffer> {
  refuseSurplus(arguments, 2, 'decrypt(data, options)');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'decrypt needs data and options');
  return files.decryptMessage(data, options);
}

/**
 * Returns a Node.js stream that works like {@link encrypt}, on all cores and in constant memory.
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import {
 *   encryptStream,
 *   generateIdentity,
 *   identityToRecipient,
 * } from 'millrace/age';
 *
 * const identity = generateIdentity(); // keep it
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   encryptStream({ recipients: identityToRecipient(identity) }),
 *   createWriteStream('photos.tar.age'),
 * );
 * ```
 *
 * @throws MillraceError as {@link encrypt}
 */
export function encryptStream(options: AgeEncryptOptions & PassphraseStreamOptions): Duplex {
  refuseSurplus(arguments, 1, 'encryptStream(options)');
  return sealedDuplexes().duplexStream(files.encrypting(options));
}

/**
 * Returns a Node.js stream that works like {@link decrypt}, in constant memory. It emits only
 * authentic bytes, in order. **Before `'end'` the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import { createReadStream, createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 * import { decryptStream, encryptStream } from 'millrace/age';
 *
 * const passphrase = 'correct horse battery staple';
 * await pipeline(
 *   createReadStream('photos.tar'),
 *   encryptStream({ passphrase, workFactor: 15 }),
 *   decryptStream({ passphrase }),
 *   createWriteStream('copy.tar'),
 * );
 * ```
 *
 * @throws MillraceError as {@link decrypt}
 */
export function decryptStream(options: AgeDecryptOptions & PassphraseStreamOptions): Duplex {
  refuseSurplus(arguments, 1, 'decryptStream(options)');
  return sealedDuplexes().duplexStream(files.decrypting(options));
}

/**
 * Returns a web TransformStream that works like {@link encryptStream}. It accepts bytes, not
 * strings.
 *
 * @example
 * ```js
 * import { encryptTransformStream } from 'millrace/age';
 *
 * const options = { passphrase: 'a long passphrase', workFactor: 15 };
 * const file = new Blob(['a message'])
 *   .stream()
 *   .pipeThrough(encryptTransformStream({ ...options, armor: true }));
 * (await new Response(file).text()).slice(0, 10); // '-----BEGIN'
 * ```
 *
 * @throws MillraceError as {@link encrypt}
 */
export function encryptTransformStream(
  options: AgeEncryptOptions & PassphraseStreamOptions,
): TransformStream<Bytes, Buffer> {
  refuseSurplus(arguments, 1, 'encryptTransformStream(options)');
  return sealedStreams().transformStream(files.encrypting(options));
}

/**
 * Returns a web TransformStream that works like {@link decryptStream}. **Before the readable side
 * closes the output is authentic but may be incomplete.**
 *
 * @example
 * ```js
 * import { decryptTransformStream, encrypt } from 'millrace/age';
 *
 * const passphrase = 'a long passphrase';
 * const file = await encrypt('a message', { passphrase, workFactor: 15 });
 * const opened = new Blob([file])
 *   .stream()
 *   .pipeThrough(decryptTransformStream({ passphrase }));
 * await new Response(opened).text(); // 'a message'
 * ```
 *
 * @throws MillraceError as {@link decrypt}
 */
export function decryptTransformStream(
  options: AgeDecryptOptions & PassphraseStreamOptions,
): TransformStream<Bytes, Buffer> {
  refuseSurplus(arguments, 1, 'decryptTransformStream(options)');
  return sealedStreams().transformStream(files.decrypting(options));
}

/**
 * Decrypts a part of a file of age that is not armored: reads the header and the chunks of that
 * part, of 64 KiB each. `read(start, end)` returns bytes of the file, from a file, a Blob or an
 * HTTP range request.
 *
 * The result is authentic and in its place. That the message ends where it ends is only verified by
 * a range that reaches its end.
 *
 * @example
 * ```js
 * import { randomBytes } from 'node:crypto';
 * import {
 *   decryptRange,
 *   encrypt,
 *   generateIdentity,
 *   identityToRecipient,
 * } from 'millrace/age';
 *
 * const identities = generateIdentity();
 * const recipients = identityToRecipient(identities);
 * const file = await encrypt(randomBytes(200_000), { recipients });
 * const read = (start, end) => file.subarray(start, end);
 * await decryptRange(read, { identities, start: 100_000, end: 100_100 });
 * ```
 *
 * @throws MillraceError ERR_AUTHENTICATION, ERR_TRUNCATED, ERR_FORMAT, ERR_WORK_LIMIT; otherwise as
 *   {@link decrypt}
 */
export async function decryptRange(read: ReadRange, options: AgeRangeOptions): Promise<Buffer> {
  refuseSurplus(arguments, 2, 'decryptRange(read, options)');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'decryptRange needs a function and options');
  return files.decryptPart(read, options);
}
