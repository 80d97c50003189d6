/**
 * A drop-in for `bigint-hash` 0.2 and the `bigint-buffer` that goes with it: its nine exports, enum values, classes,
 * single-use rule and messages. Where the ancestor aborted the process this door throws; docs/bigint-hash.md lists every
 * difference.
 *
 * @packageDocumentation
 */
import { sizeOf, viewBytes } from './arguments.js';
import * as conversions from './bigint-buffer.js';
import { At, frame, native } from './binding.js';
import { runSync } from './call.js';
import { findHash, type HashFacts } from './catalog.js';
import { makeError, wrongType } from './errors.js';
import { hashParser } from './hash.js';

/** The ancestor's algorithms; {@link HashName} says what else is taken. */
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

/** The encodings of strings that the ancestor names; every other one that Buffer knows works too. */
export enum InputEncoding {
  UTF8 = 'utf8',
  ASCII = 'ascii',
  LATIN1 = 'latin1',
}

/** What a digest can be. */
export enum OutputType {
  BigInt = 'bigint',
  Buffer = 'buffer',
}

/** A member of {@link HashType}, its value, or any other name or alias of a hash that Millrace knows, in any case (`SHA-256`, `blake3`). */
export type HashName = HashType | `${HashType}` | (string & {});

/** A running hash: good for one digest. */
export interface Hash {
  /** Hashes more bytes, or a string in an encoding (UTF-8 by default). */
  update(data: ArrayBufferView | string, inputEncoding?: InputEncoding | BufferEncoding): Hash;
  /** Ends the hash: its digest as a Buffer. */
  digest(output?: OutputType.Buffer | 'buffer'): Buffer;
  /** Ends the hash: its digest as a big-endian BigInt. */
  digest(output: OutputType.BigInt | 'bigint'): bigint;
  /** Ends the hash: its digest as one or the other. */
  digest(output?: OutputType | `${OutputType}`): Buffer | bigint;
  /** Ends the hash: its digest as a big-endian BigInt. */
  digestBigInt(): bigint;
  /** The same, by the name that the ancestor's README has for it. */
  digestAsBigInt(): bigint;
}

/**
 * The digest of `buf` as a big-endian BigInt: the number that the hex digits spell, whatever the algorithm.
 *
 * @param hash the algorithm
 * @param buf bytes; an ArrayBuffer must be wrapped in a view
 * @throws Error `Unsupported hash type!`; MillraceError ERR_ARGUMENT_TYPE if `buf` is not bytes, ERR_OUTPUT_SIZE for SHAKE
 */
export function hashAsBigInt(hash: HashName, buf: ArrayBufferView): bigint {
  const facts = hashOfFixedSize(hash);
  frame[At.Algorithm] = facts.id;
  return native.hashBigInt(buf) ?? (digestSlowly(facts, buf, 'bigint') as bigint);
}

/**
 * The digest of `buf` as a new Buffer, from Node's pool like those of `Buffer.allocUnsafe`.
 *
 * @param hash the algorithm
 * @param buf bytes; an ArrayBuffer must be wrapped in a view
 * @throws Error `Unsupported hash type!`; MillraceError ERR_ARGUMENT_TYPE if `buf` is not bytes, ERR_OUTPUT_SIZE for SHAKE
 */
export function hashAsBuffer(hash: HashName, buf: ArrayBufferView): Buffer {
  const facts = hashOfFixedSize(hash);
  const target = Buffer.allocUnsafe(facts.digestSize);
  frame[At.Algorithm] = facts.id;
  return native.hash(buf, target) === 0 ? target : (digestSlowly(facts, buf, 'buffer') as Buffer);
}

/** Begins a hash. For one buffer {@link hashAsBigInt} and {@link hashAsBuffer} are faster. */
export function getHasher(hash: HashName): Hash {
  const facts = hashOfFixedSize(hash);
  const { name } = facts;
  if (opensslTypes.has(name)) return new OpensslHasher(name);
  if (keccakTypes.has(name)) return new KeccakHasher(name);
  if (xxHashTypes.has(name)) return new XxHasher(name);
  return new Hasher(facts);
}

// bigint-buffer's four. As values of their own: TypeScript hands functions on by getters, which cost 6 ns a call.

/** The unsigned number that the bytes spell, least significant byte first; 0n for none. */
export const toBigIntLE = conversions.toBigIntLE;
/** The unsigned number that the bytes spell, most significant byte first; 0n for none. */
export const toBigIntBE = conversions.toBigIntBE;
/** The number's magnitude in `width` bytes, least significant first: padded with zeros, or its low bytes if it is too large. */
export const toBufferLE = conversions.toBufferLE;
/** The number's magnitude in `width` bytes, most significant first: padded with zeros, or its low bytes if it is too large. */
export const toBufferBE = conversions.toBufferBE;

/** What the three classes share, and the class of the algorithms that the ancestor did not have. */
class Hasher implements Hash {
  readonly #running: Gatherer;
  #spent = false;

  constructor(facts: HashFacts) {
    this.#running = new Gatherer(facts);
  }

  /** Hashes more bytes, or a string in an encoding (UTF-8 by default). */
  update(data: ArrayBufferView | string, inputEncoding?: InputEncoding | BufferEncoding): this {
    if (this.#spent) throw new Error('Updating a disposed hasher');
    this.#running.update(bytesOf(data, inputEncoding));
    return this;
  }

  /** Ends the hash: its digest as a Buffer. */
  digest(output?: OutputType.Buffer | 'buffer'): Buffer;
  /** Ends the hash: its digest as a big-endian BigInt. */
  digest(output: OutputType.BigInt | 'bigint'): bigint;
  /** Ends the hash: its digest as one or the other. */
  digest(output?: OutputType | `${OutputType}`): Buffer | bigint;
  digest(output: OutputType | `${OutputType}` = OutputType.Buffer): Buffer | bigint {
    if (this.#spent) throw new Error('Digest a disposed hasher');
    // The ancestor had spent the hasher by now; so it survives a mistake.
    if (output !== OutputType.Buffer && output !== OutputType.BigInt) throw new Error('Unsupported output type');
    this.#spent = true;
    return this.#running.digest(output as OutputType);
  }

  /** Ends the hash: its digest as a big-endian BigInt. */
  digestBigInt(): bigint {
    return this.digest(OutputType.BigInt);
  }

  /** The same, by the name that the ancestor's README has for it. */
  digestAsBigInt(): bigint {
    return this.digest(OutputType.BigInt);
  }
}

/** Runs MD5, SHA-1 and SHA-2. The name is the ancestor's: nothing comes from OpenSSL here. Use {@link getHasher}. */
export class OpensslHasher extends Hasher {
  /** The ancestor's number for the algorithm. */
  static getOpensslType(hash: HashName): number {
    return numberOf(hash, opensslTypes);
  }

  constructor(hash: HashName) {
    OpensslHasher.getOpensslType(hash);
    super(hashOfFixedSize(hash));
  }
}

/** Runs SHA-3 and Keccak. Use {@link getHasher}. */
export class KeccakHasher extends Hasher {
  /** The ancestor's number for the algorithm. */
  static getKeccakType(hash: HashName): number {
    return numberOf(hash, keccakTypes);
  }

  constructor(hash: HashName) {
    KeccakHasher.getKeccakType(hash);
    super(hashOfFixedSize(hash));
  }
}

/** Runs xxHash, with seed 0. Use {@link getHasher}. */
export class XxHasher extends Hasher {
  /** The ancestor's number for the algorithm. */
  static getXxHashType(hash: HashName): number {
    return numberOf(hash, xxHashTypes);
  }

  constructor(hash: HashName) {
    XxHasher.getXxHashType(hash);
    super(hashOfFixedSize(hash));
  }
}

// The ancestor's numbers by our names.

const opensslTypes: ReadonlyMap<string, number> = new Map([
  ['md5', 0],
  ['sha1', 2],
  ['sha224', 3],
  ['sha256', 4],
  ['sha384', 5],
  ['sha512', 6],
]);

const keccakTypes: ReadonlyMap<string, number> = new Map([
  ['keccak224', 0],
  ['keccak256', 1],
  ['keccak384', 2],
  ['keccak512', 3],
  ['sha3-224', 4],
  ['sha3-256', 5],
  ['sha3-384', 6],
  ['sha3-512', 7],
]);

const xxHashTypes: ReadonlyMap<string, number> = new Map([
  ['xxh64', 0],
  ['xxh32', 1],
]);

function numberOf(hash: unknown, types: ReadonlyMap<string, number>): number {
  const facts = typeof hash === 'string' ? findHash(hash) : undefined;
  const type = types.get(facts?.name ?? '');
  if (type === undefined) throw new Error(`Unsupported hash type ${String(hash)}`);
  return type;
}

function hashOfFixedSize(hash: unknown): HashFacts {
  const facts = typeof hash === 'string' ? findHash(hash) : undefined;
  if (facts === undefined) throw new Error('Unsupported hash type!');
  if (facts.digestSize === 0) {
    throw makeError('ERR_OUTPUT_SIZE', `${facts.name} has no natural output size: hash() of millrace takes an outputLength`);
  }
  return facts;
}

/** What native code does not take at once: DataViews, and buffers that share their memory with the result. */
function digestSlowly(facts: HashFacts, buf: unknown, encoding: string): unknown {
  return runSync(hashParser.describe, [facts.name, viewBytes(buf, 'buf'), encoding], 3);
}

/** As the ancestor decided: what has no byteLength is for Buffer.from, which takes strings and arrays and refuses the rest. */
function bytesOf(data: unknown, inputEncoding: BufferEncoding | undefined): Uint8Array {
  if (ArrayBuffer.isView(data)) return viewBytes(data, 'data');
  if ((data as { byteLength?: unknown }).byteLength === undefined) return Buffer.from(data as string, inputEncoding);
  throw wrongType('data', 'a string, Buffer or another ArrayBufferView', data);
}

class Gatherer {
  readonly #chunks: Uint8Array[] = [];

  constructor(readonly facts: HashFacts) {}

  update(data: Uint8Array): void {
    if (sizeOf(data) > 0) this.#chunks.push(Buffer.from(data));
  }

  digest(encoding: OutputType): Buffer | bigint {
    const all = Buffer.concat(this.#chunks);
    return encoding === OutputType.BigInt ? hashAsBigInt(this.facts.name, all) : hashAsBuffer(this.facts.name, all);
  }
}
