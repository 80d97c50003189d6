/**
 * The header of a sealed file, which `millrace seal`, `sealWithPassphrase` and `sealWithKey` write.
 * It precedes a sealed stream (chunk-format.ts), which alone begins with random bytes:
 *
 *   8  "millrace"
 *   1  version: 1
 *   1  algorithm: 1 aes-256-gcm, 2 chacha20-poly1305
 *   1  key source: 0 a key file, 1 scrypt over a passphrase
 *   1  size of the rest: 0 for a key file, 19 for scrypt
 *   -  scrypt: log2 N, r, p (a byte each), salt (16 bytes)
 *
 * The whole header is the context of the stream, which its key commitment includes: a stream with a
 * changed header does not open.
 */
import { makeError } from '../base/errors.js';
import { utf8 } from '#platform/base/runtime.js';

/** The ciphers of the format, in the order of their numbers. */
export type SealingAlgorithm = 'aes-256-gcm' | 'chacha20-poly1305';

/** The parameters of the derivation from a passphrase. */
export interface HeaderScrypt {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
}

/** The content of a header. */
export interface Header {
  readonly algorithm: SealingAlgorithm;
  /** Undefined if the key comes from a file. */
  readonly scrypt: HeaderScrypt | undefined;
}

/** Bytes at the start of every header; the last of them is the size of the rest. */
export const FIXED_SIZE = 12;
/** Bytes of scrypt's salt. */
export const SALT_SIZE = 16;
/** Bytes of a key, for both ciphers. */
export const KEY_SIZE = 32;

const MAGIC = 'millrace';
const VERSION = 1;
const SCRYPT_SIZE = 3 + SALT_SIZE;
const algorithms: readonly SealingAlgorithm[] = ['aes-256-gcm', 'chacha20-poly1305'];

/** Returns the header's bytes. */
export function writeHeader({ algorithm, scrypt }: Header): Uint8Array {
  const header = new Uint8Array(FIXED_SIZE + (scrypt === undefined ? 0 : SCRYPT_SIZE));
  header.set(utf8(MAGIC));
  header.set(
    [
      VERSION,
      algorithms.indexOf(algorithm) + 1,
      scrypt === undefined ? 0 : 1,
      header.length - FIXED_SIZE,
    ],
    MAGIC.length,
  );
  if (scrypt !== undefined) {
    header.set([Math.log2(scrypt.N), scrypt.r, scrypt.p], FIXED_SIZE);
    header.set(scrypt.salt, FIXED_SIZE + 3);
  }
  return header;
}

/** Returns true if these are the first bytes of a sealed file of any version. */
export function isSealedFile(start: Uint8Array): boolean {
  return utf8(MAGIC).every((byte, index) => byte === start[index]);
}

/** How files that are mistaken for sealed files begin, in Latin-1. */
const others: readonly (readonly [string, string])[] = [
  ['millrace-key-', 'a key file, not a sealed file'],
  ['bWlsbHJhY2', 'a sealed file in base64: decode it first'],
  ['6d696c6c72', 'a sealed file in hex: decode it first'],
  [
    '\xff\xfem\0i\0l\0',
    'a sealed file that was changed to UTF-16 text, as PowerShell does with >: seal it again, ' +
      'into a file',
  ],
];

/** Returns what a file is that begins so, if it is a usual mistake. */
export function otherFormat(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start.subarray(0, FIXED_SIZE));
  return others.find(([begin]) => text.startsWith(begin.slice(0, FIXED_SIZE)))?.[1];
}

/** Reports input that does not begin as a sealed file does. */
export function notSealedFile(start: Uint8Array): Error {
  return makeError(
    'ERR_FORMAT',
    otherFormat(start) ??
      'not a sealed file: it does not begin with "millrace"; openStream opens what sealStream wrote',
  );
}

/**
 * Returns the size of the header that starts with these {@link FIXED_SIZE} bytes.
 *
 * @throws MillraceError ERR_FORMAT
 */
export function headerSize(fixed: Uint8Array): number {
  if (fixed.length < FIXED_SIZE || !isSealedFile(fixed) || otherFormat(fixed) !== undefined)
    throw notSealedFile(fixed);
  const version = fixed[MAGIC.length];
  if (version !== VERSION) {
    throw makeError(
      'ERR_FORMAT',
      `sealed in version ${version} of the format; this millrace knows version ${VERSION}`,
    );
  }
  return FIXED_SIZE + fixed[FIXED_SIZE - 1]!;
}

/**
 * Reads a whole header. The limits are checked elsewhere.
 *
 * @throws MillraceError ERR_FORMAT
 */
export function readHeader(bytes: Uint8Array): Header {
  const size = headerSize(bytes);
  const [number, source] = bytes.subarray(MAGIC.length + 1);
  const algorithm = algorithms[number! - 1];
  if (bytes.length !== size || algorithm === undefined) throw damaged();
  if (source === 0 && size === FIXED_SIZE) return { algorithm, scrypt: undefined };
  if (source !== 1 || size !== FIXED_SIZE + SCRYPT_SIZE) throw damaged();
  const [log, r, p] = bytes.subarray(FIXED_SIZE) as unknown as [number, number, number];
  if (log < 1 || log > 30 || r < 1 || p < 1) throw damaged();
  return { algorithm, scrypt: { N: 2 ** log, r, p, salt: bytes.slice(FIXED_SIZE + 3) } };
}

function damaged(): Error {
  return makeError('ERR_FORMAT', 'its header is damaged');
}
