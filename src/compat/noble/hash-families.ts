/** The hash functions of sha2, sha3, legacy, blake2 and blake3, in noble's two lines. */
import { findHash } from '../../catalog/catalog.js';
import type { Parameter } from '../../catalog/parameters.js';
import {
  optionHash,
  plainHash,
  type CHash,
  type Family,
  type HashXOF,
  type ShakeOpts,
  type Spec,
} from './hash-objects.js';
import type { Line } from './original.js';
import {
  inputOf,
  isNumber,
  isParameter,
  isPlain,
  sizeOption,
  type Parameters,
} from './parameters.js';

/** Options of BLAKE2. */
export interface Blake2Opts {
  /** Bytes of the digest. */
  dkLen?: number;
  /** A key, which makes the digest a MAC. */
  key?: Uint8Array;
  /** 16 bytes for BLAKE2b, 8 for BLAKE2s. */
  salt?: Uint8Array;
  /** 16 bytes for BLAKE2b, 8 for BLAKE2s. */
  personalization?: Uint8Array;
}

/** Options of BLAKE3. */
export interface Blake3Opts {
  /** Bytes of the digest. */
  dkLen?: number;
  /** 32 bytes, which make the digest a MAC. */
  key?: Uint8Array;
  /** The context of a key derivation. */
  context?: Uint8Array;
}

/** SHA-2. */
export function sha2(line: Line) {
  return {
    sha224: plainHash(line, 'sha224', 'md', 4),
    sha256: plainHash(line, 'sha256', 'md', 1),
    sha384: plainHash(line, 'sha384', 'md', 2),
    sha512: plainHash(line, 'sha512', 'md', 3),
    sha512_224: plainHash(line, 'sha512-224', 'md', 5),
    sha512_256: plainHash(line, 'sha512-256', 'md', 6),
  };
}

/** MD5, SHA-1 and RIPEMD-160. */
export function legacy(line: Line) {
  return {
    md5: plainHash(line, 'md5', 'md'),
    sha1: plainHash(line, 'sha1', 'md'),
    ripemd160: plainHash(line, 'ripemd160', 'md'),
  };
}

/** SHA-3, Keccak and SHAKE. */
export function sha3(line: Line) {
  return {
    sha3_224: plainHash(line, 'sha3-224', 'sponge', 7),
    sha3_256: plainHash(line, 'sha3-256', 'sponge', 8),
    sha3_384: plainHash(line, 'sha3-384', 'sponge', 9),
    sha3_512: plainHash(line, 'sha3-512', 'sponge', 10),
    keccak_224: plainHash(line, 'keccak224', 'sponge'),
    keccak_256: plainHash(line, 'keccak256', 'sponge'),
    keccak_384: plainHash(line, 'keccak384', 'sponge'),
    keccak_512: plainHash(line, 'keccak512', 'sponge'),
    shake128: shake(line, 'shake128', 16, 11),
    shake256: shake(line, 'shake256', 32, 12),
  };
}

/** SHAKE with the output sizes of its collision resistance, in line 2. */
export function longShake(line: Line) {
  return {
    shake128_32: shake(line, 'shake128', 32, 11, 'shake128_32'),
    shake256_64: shake(line, 'shake256', 64, 12, 'shake256_64'),
  };
}

function shake(
  line: Line,
  algorithm: string,
  outputLen: number,
  nist: number,
  name = algorithm,
): CHash<ShakeOpts, HashXOF> {
  const spec: Spec = { line, kind: 'sponge', facts: findHash(algorithm)!, outputLen, xof: true };
  const family: Family<ShakeOpts> = {
    subpath: 'sha3',
    name,
    read: (options) => {
      const size = isPlain(options) ? sizeOption(options.dkLen, outputLen) : undefined;
      return size === undefined ? undefined : { size };
    },
  };
  return optionHash<ShakeOpts, HashXOF>(spec, family, nist);
}

/** BLAKE2b and BLAKE2s. */
export function blake2(line: Line) {
  return {
    blake2b: blake2Of(line, 'blake2b512', 'blake2b'),
    blake2s: blake2Of(line, 'blake2s256', 'blake2s'),
  };
}

function blake2Of(line: Line, algorithm: string, name: string): CHash<Blake2Opts> {
  const facts = findHash(algorithm)!;
  const outputLen = facts.digestSize;
  const spec: Spec = { line, kind: 'md', facts, outputLen, xof: false };
  const read = (options: Blake2Opts): Parameters | undefined => {
    if (!isPlain(options)) return undefined;
    const { dkLen: size = outputLen, key, salt, personalization } = options;
    if (!isNumber(size, outputLen)) return undefined;
    const given = { key, salt, personalization };
    const values: Parameter[] = size === outputLen ? [] : [['outputLength', size]];
    for (const each of ['key', 'salt', 'personalization'] as const) {
      const value = given[each];
      if (value === undefined) continue;
      const [least, most] = facts.parameters![each]!;
      if (!isParameter(value) || value.length < least || value.length > most) return undefined;
      if (each !== 'key') values.push([each, value]);
    }
    return { size, key, values };
  };
  return optionHash<Blake2Opts>(spec, { subpath: 'blake2', name, read });
}

/** BLAKE3. */
export function blake3(line: Line) {
  const facts = findHash('blake3')!;
  const spec: Spec = { line, kind: 'blake3', facts, outputLen: facts.digestSize, xof: true };
  const read = (options: Blake3Opts): Parameters | undefined => {
    if (!isPlain(options)) return undefined;
    const { dkLen, key, context } = options;
    const size = sizeOption(dkLen, facts.digestSize);
    if (size === undefined || (key !== undefined && context !== undefined)) return undefined;
    if (context === undefined) return key === undefined || isKey(key) ? { size, key } : undefined;
    // The context is text; noble also serves bytes that are none.
    const text = inputOf(line, context);
    return text === undefined || !isText(text) ? undefined : { size, values: [['context', text]] };
  };
  const isKey = (key: unknown): key is Uint8Array =>
    isParameter(key) && key.length === facts.parameters!.key![1];
  const family = { subpath: 'blake3', name: 'blake3', read };
  return { blake3: optionHash<Blake3Opts, HashXOF>(spec, family) };
}

/** Returns true for valid UTF-8. */
function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

declare const TextDecoder: new (
  encoding: string,
  options: object,
) => { decode(bytes: Uint8Array): string };
