/**
 * A drop-in replacement for `bigint-hash` 0.2 and its `bigint-buffer`: the nine exports, enum
 * values, classes, single-use rule and messages. Where the original package aborted the process,
 * this module throws; docs/bigint-hash.md lists every difference.
 *
 * @packageDocumentation
 */
import { isUint8Array, NO_BYTES, sizeOf, viewBytes } from '../base/arguments.js';
import * as conversions from './bigint-buffer.js';
import { WHOLE } from '../base/protocol.js';
import { Form } from '../request/request.js';
import { runSync } from '../scheduling/run.js';
import { findHash } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { wrongType } from '../base/errors.js';
import { hashParser } from '../operations/digest-readers.js';
import { emptySlots, isBytesView } from '../base/intrinsics.js';
import { bytesOfList, type Buffer, type BufferEncoding } from '#platform/base/runtime.js';
import { fastBigInt, fastBuffer } from '../operations/fast-path.js';
import { Running } from '../hashers/running.js';
import { Phase } from '../scheduling/steps.js';

/** The original package's algorithms; {@link HashName} lists the others. */
export enum HashType {
  MD5 = 'md5',
  SHA1 = 'sha1',
  SHA224 = 'sha224',
  SHA256 = 'sha256',
  SHA384 = 'sha384',
  SHA512 = 'sha512',
  SHA3_224 = 'sha3-224',
  SHA3_256 = 'sha3-256',
  SHA3_384 = 'sha3-384',
  SHA3_512 = 'sha3-512',
  KECCAK224 = 'keccak224',
  KECCAK256 = 'keccak256',
  KECCAK384 = 'keccak384',
  KECCAK512 = 'keccak512',
  xxHash64 = 'xxHash64',
  xxHash32 = 'xxHash32',
}

/** The string encodings that the original package names; all other encodings of Buffer work too. */
export enum InputEncoding {
  UTF8 = 'utf8',
  ASCII = 'ascii',
  LATIN1 = 'latin1',
}

/** The types of a digest. */
export enum OutputType {
  BigInt = 'bigint',
  Buffer = 'buffer',
}

/**
 * A member of {@link HashType}, its value, or any other name or alias of a hash in Millrace's
 * catalog, in any case (`SHA-256`, `blake3`).
 */
export type HashName = HashType | `${HashType}` | (string & {});

/** A running hash, which returns one digest. */
export interface Hash {
  /** Adds bytes, or a string in an encoding (UTF-8 by default). */
  update(data: ArrayBufferView | string, inputEncoding?: InputEncoding | BufferEncoding): Hash;
  /** Ends the hash and returns its digest as a Buffer. */
  digest(output?: OutputType.Buffer | 'buffer'): Buffer;
  /** Ends the hash and returns its digest as a big-endian BigInt. */
  digest(output: OutputType.BigInt | 'bigint'): bigint;
  /** Ends the hash and returns its digest as a Buffer or a BigInt. */
  digest(output?: OutputType | `${OutputType}`): Buffer | bigint;
  /** Ends the hash and returns its digest as a big-endian BigInt. */
  digestBigInt(): bigint;
  /** Does the same as digestBigInt: an alias from the original package's README. */
  digestAsBigInt(): bigint;
}

/**
 * Returns the digest of `buf` as a big-endian BigInt: the number of its hex digits, for every
 * algorithm.
 *
 * @example
 * ```js
 * import { HashType, hashAsBigInt } from 'millrace/bigint-hash';
 *
 * hashAsBigInt(HashType.KECCAK256, Buffer.from('abc'));
 * ```
 *
 * @param hash the algorithm
 * @param buf bytes; an ArrayBuffer must be wrapped in a view
 * @throws Error `Unsupported hash type!`; MillraceError ERR_ARGUMENT_TYPE if `buf` is not bytes,
 *   ERR_OUTPUT_SIZE for SHAKE
 */
export function hashAsBigInt(hash: HashName, buf: ArrayBufferView): bigint {
  const facts = hashOfBytes(hash);
  return (
    fastBigInt(facts, buf, 0, WHOLE) ?? (digestSlowly(facts, buf, OutputType.BigInt) as bigint)
  );
}

/**
 * Returns the digest of `buf` as a new Buffer, from Node's pool as with `Buffer.allocUnsafe`.
 *
 * @example
 * ```js
 * import { HashType, hashAsBuffer } from 'millrace/bigint-hash';
 *
 * hashAsBuffer(HashType.KECCAK256, Buffer.from('abc'));
 * ```
 *
 * @param hash the algorithm
 * @param buf bytes; an ArrayBuffer must be wrapped in a view
 * @throws Error `Unsupported hash type!`; MillraceError ERR_ARGUMENT_TYPE if `buf` is not bytes,
 *   ERR_OUTPUT_SIZE for SHAKE
 */
export function hashAsBuffer(hash: HashName, buf: ArrayBufferView): Buffer {
  const facts = hashOfBytes(hash);
  return (
    fastBuffer(facts, buf, 0, WHOLE) ?? (digestSlowly(facts, buf, OutputType.Buffer) as Buffer)
  );
}

/**
 * Creates a running hash. For one buffer {@link hashAsBigInt} and {@link hashAsBuffer} are faster.
 *
 * @example
 * ```js
 * import { HashType, getHasher } from 'millrace/bigint-hash';
 *
 * getHasher(HashType.SHA256).update('a').update('bc').digestBigInt();
 * ```
 */
export function getHasher(hash: HashName): Hash {
  const facts = hashOfBytes(hash);
  const Class = places[facts.id]?.Class;
  return Class === undefined ? new Hasher(facts) : new Class(hash);
}

// The four functions of bigint-buffer. As values: TypeScript re-exports functions through getters,
// which cost 6 ns a call.

/** Returns the unsigned little-endian number; 0n for no bytes. */
export const toBigIntLE = conversions.toBigIntLE;
/** Returns the unsigned big-endian number; 0n for no bytes. */
export const toBigIntBE = conversions.toBigIntBE;
/**
 * Returns the number's magnitude in `width` bytes, little-endian: padded with zeros, or its low
 * bytes if it is too large.
 */
export const toBufferLE = conversions.toBufferLE;
/**
 * Returns the number's magnitude in `width` bytes, big-endian: padded with zeros, or its low bytes
 * if it is too large.
 */
export const toBufferBE = conversions.toBufferBE;

/** The base of the three classes, and the class of algorithms that the original package lacks. */
class Hasher implements Hash {
  readonly #running: Running;

  constructor(facts: HashFacts) {
    this.#running = new Running(facts, false, undefined, 0, 0, facts.digestSize);
  }

  /** Adds bytes, or a string in an encoding (UTF-8 by default). */
  update(data: ArrayBufferView | string, inputEncoding?: InputEncoding | BufferEncoding): this {
    const running = this.#running;
    if (isUint8Array(data) && running.tryBuffer(data)) return this;
    if (running.phase !== Phase.Open) throw new Error('Updating a disposed hasher');
    if (typeof data === 'string' && inputEncoding === undefined && running.updateText(data))
      return this;
    const bytes = bytesOf(data, inputEncoding);
    running.update(bytes, 0, sizeOf(bytes));
    return this;
  }

  /** Ends the hash and returns its digest as a Buffer. */
  digest(output?: OutputType.Buffer | 'buffer'): Buffer;
  /** Ends the hash and returns its digest as a big-endian BigInt. */
  digest(output: OutputType.BigInt | 'bigint'): bigint;
  /** Ends the hash and returns its digest as a Buffer or a BigInt. */
  digest(output?: OutputType | `${OutputType}`): Buffer | bigint;
  digest(output: OutputType | `${OutputType}` = OutputType.Buffer): Buffer | bigint {
    const running = this.#running;
    if (running.phase !== Phase.Open) throw new Error('Digest a disposed hasher');
    // The original package had already ended the hash here; this one survives the mistake.
    if (output !== OutputType.Buffer && output !== OutputType.BigInt)
      throw new Error('Unsupported output type');
    return running.digest(output === OutputType.BigInt ? Form.BigInt : Form.Buffer) as
      Buffer | bigint;
  }

  /** Ends the hash and returns its digest as a big-endian BigInt. */
  digestBigInt(): bigint {
    return this.digest(OutputType.BigInt);
  }

  /** Does the same as digestBigInt: an alias from the original package's README. */
  digestAsBigInt(): bigint {
    return this.digest(OutputType.BigInt);
  }
}

/**
 * Runs MD5, SHA-1 and SHA-2. The name is the original package's: OpenSSL is not involved. Use
 * {@link getHasher}.
 */
export class OpensslHasher extends Hasher {
  /** Returns the original package's number of the algorithm. */
  static getOpensslType(hash: HashName): number {
    return placeOf(hash, OpensslHasher).number;
  }

  constructor(hash: HashName) {
    super(placeOf(hash, OpensslHasher).facts);
  }
}

/** Runs SHA-3 and Keccak. Use {@link getHasher}. */
export class KeccakHasher extends Hasher {
  /** Returns the original package's number of the algorithm. */
  static getKeccakType(hash: HashName): number {
    return placeOf(hash, KeccakHasher).number;
  }

  constructor(hash: HashName) {
    super(placeOf(hash, KeccakHasher).facts);
  }
}

/** Runs xxHash, with seed 0. Use {@link getHasher}. */
export class XxHasher extends Hasher {
  /** Returns the original package's number of the algorithm. */
  static getXxHashType(hash: HashName): number {
    return placeOf(hash, XxHasher).number;
  }

  constructor(hash: HashName) {
    super(placeOf(hash, XxHasher).facts);
  }
}

type HasherClass = typeof OpensslHasher | typeof KeccakHasher | typeof XxHasher;

/** The class and number of an algorithm in the original package. */
interface Place {
  readonly facts: HashFacts;
  readonly Class: HasherClass;
  readonly number: number;
}

/** By the algorithm's number in the catalog. */
const places = emptySlots<Place>();

const numbers: readonly (readonly [HasherClass, Readonly<Partial<Record<HashType, number>>>])[] = [
  [OpensslHasher, { md5: 0, sha1: 2, sha224: 3, sha256: 4, sha384: 5, sha512: 6 }],
  [
    KeccakHasher,
    {
      keccak224: 0,
      keccak256: 1,
      keccak384: 2,
      keccak512: 3,
      'sha3-224': 4,
      'sha3-256': 5,
      'sha3-384': 6,
      'sha3-512': 7,
    },
  ],
  [XxHasher, { xxHash64: 0, xxHash32: 1 }],
];

for (const [Class, ofClass] of numbers) {
  for (const [name, number] of Object.entries(ofClass)) {
    const facts = findHash(name)!;
    places[facts.id] = { facts, Class, number };
  }
}

function placeOf(hash: unknown, Class: HasherClass): Place {
  const facts = typeof hash === 'string' ? findHash(hash) : undefined;
  const place = facts === undefined ? undefined : places[facts.id];
  if (place?.Class !== Class) throw new Error(`Unsupported hash type ${String(hash)}`);
  return place;
}

function hashOfBytes(hash: unknown): HashFacts {
  const facts = typeof hash === 'string' ? findHash(hash) : undefined;
  // A KMAC needs a key, and a tuple is not bytes.
  if (facts === undefined || !facts.direct) throw new Error('Unsupported hash type!');
  return facts;
}

/** Handles what the fast path refuses: DataViews, no bytes, and buffers that overlap the result. */
function digestSlowly(facts: HashFacts, buf: unknown, encoding: OutputType): unknown {
  return runSync(hashParser.fill, [facts.name, bytesOrNone(buf), encoding], 3);
}

/** Returns the bytes of a buffer; detached memory has none, as in the original package. */
function bytesOrNone(buf: unknown): Uint8Array {
  const bytes = viewBytes(buf, 'buf');
  return sizeOf(bytes) > 0 ? bytes : NO_BYTES;
}

/**
 * Returns bytes as in the original package: values without byteLength go to Buffer.from, which
 * takes strings and arrays and refuses the rest.
 */
function bytesOf(data: unknown, inputEncoding: BufferEncoding | undefined): Uint8Array {
  if (isBytesView(data)) return viewBytes(data, 'data');
  if (typeof data === 'string' || (data as { byteLength?: unknown }).byteLength === undefined) {
    try {
      return bytesOfList(data, inputEncoding);
    } catch (error) {
      if ((error as { code?: unknown } | undefined)?.code !== 'ERR_INVALID_ARG_TYPE') throw error;
    }
  }
  throw wrongType('data', 'a string, Buffer or another ArrayBufferView', data);
}
