/**
 * A drop-in replacement for `@ronomon/crypto-async` 5: its 41 exports, overloads by argument count,
 * order of checks and messages. Where the original package aborted the process, read freed memory
 * or returned garbage, this module works or throws; docs/crypto-async.md lists every difference.
 *
 * @packageDocumentation
 */
import { isUint8Array, sizeOf } from '../base/arguments.js';
import { Flag, Operation } from '../base/frame.js';
import {
  request,
  setAad,
  beginRequest,
  setIv,
  setKey,
  setResult,
  setTag,
  setTarget,
  Form,
  type FillRequest,
} from '../request/request.js';
import { runCallback, runSync } from '../scheduling/run.js';
import { bytesOfView, isBytesView } from '../base/intrinsics.js';
import { allocate, isBuffer, type AnyBuffer, type Buffer } from '#platform/base/runtime.js';
import { findCipher, findHash, getCiphers } from '../catalog/catalog.js';
import type { CipherFacts, HashFacts } from '../catalog/facts.js';

const INT_MAX = 2147483647;

/** The spare bytes after the result in the original package's short cipher form. */
const CIPHER_BLOCK_MAX = 32;

const messages = {
  E_AAD: 'aad must be a buffer',
  E_AAD_INVALID: 'aadSize invalid',
  E_AAD_OFFSET: 'aadOffset must be an unsigned integer',
  E_AAD_RANGE: 'aadOffset + aadSize > aad.length',
  E_AAD_SIZE: 'aadSize must be an unsigned integer',
  E_ALGORITHM: 'algorithm must be a string',
  E_ALGORITHM_DISABLED: 'algorithm disabled',
  E_ALGORITHM_UNKNOWN: 'algorithm unknown',
  E_ARGUMENTS: 'wrong number of arguments',
  E_BUFFER_LENGTH: 'buffer.length > INT_MAX',
  E_CALLBACK: 'callback must be a function',
  E_CANCELLED: 'asynchronous task was cancelled',
  E_CORRUPT: 'corrupt',
  E_ENCRYPT: 'encrypt must be 0 or 1',
  E_IV: 'iv must be a buffer',
  E_IV_INVALID: 'ivSize invalid',
  E_IV_OFFSET: 'ivOffset must be an unsigned integer',
  E_IV_RANGE: 'ivOffset + ivSize > iv.length',
  E_IV_SIZE: 'ivSize must be an unsigned integer',
  E_KEY: 'key must be a buffer',
  E_KEY_INVALID: 'keySize invalid',
  E_KEY_OFFSET: 'keyOffset must be an unsigned integer',
  E_KEY_RANGE: 'keyOffset + keySize > key.length',
  E_KEY_SIZE: 'keySize must be an unsigned integer',
  E_OOM: 'out of memory',
  E_SOURCE: 'source must be a buffer',
  E_SOURCE_OFFSET: 'sourceOffset must be an unsigned integer',
  E_SOURCE_RANGE: 'sourceOffset + sourceSize > source.length',
  E_SOURCE_SIZE: 'sourceSize must be an unsigned integer',
  E_TAG: 'tag must be a buffer',
  E_TAG_INVALID: 'tagSize invalid',
  E_TAG_OFFSET: 'tagOffset must be an unsigned integer',
  E_TAG_RANGE: 'tagOffset + tagSize > tag.length',
  E_TAG_SIZE: 'tagSize must be an unsigned integer',
  E_TARGET: 'target must be a buffer',
  E_TARGET_OFFSET: 'targetOffset must be an unsigned integer',
  E_TARGET_RANGE: 'targetOffset + targetSize > target.length',
} as const;

/**
 * The original package's algorithm names; all others of Millrace stay unknown, as they were there.
 */
const ciphers = getCiphers().filter((name) =>
  /^(aes-\d+-(ctr|gcm)|chacha20(-poly1305)?)$/.test(name),
);

/**
 * Ciphers that OpenSSL knows by name and the original package refused, or that this module lacks:
 * block modes, aria, camellia and sm4.
 */
const disabled = new RegExp(
  '^(?:' +
    'aes-?(?:128|192|256)(?:-(?:cbc|ccm|cfb|cfb1|cfb8|ecb|ocb|ofb|xts|wrap|wrap-pad|' +
    'cbc-hmac-sha(?:1|256)))?|' +
    'id-aes(?:128|192|256)-(?:ccm|wrap|wrap-pad)|' +
    'aria-?(?:128|192|256)(?:-(?:cbc|ccm|cfb|cfb1|cfb8|ctr|ecb|gcm|ofb))?|' +
    'camellia-?(?:128|192|256)(?:-(?:cbc|cfb|cfb1|cfb8|ctr|ecb|ofb))?|' +
    'sm4(?:-(?:cbc|cfb|ctr|ecb|ofb))?|des(?:3|x)?(?:-.*)?|rc4(?:-40|-hmac-md5)?|rc2(?:-.*)?|' +
    'bf(?:-.*)?|blowfish|cast5?(?:-.*)?|idea(?:-.*)?|seed(?:-.*)?' +
    ')$',
  'i',
);

type Given = readonly unknown[];

/**
 * Encrypts or decrypts: `function (algorithm, encrypt, key, ...)`: 5, 7, 13 or 19 arguments, and a
 * callback.
 */
function performCipher(given: Given): unknown {
  const count = given.length;
  if (count >= 5 && count <= 8) return performFriendlyCipher(given);
  if (count !== 13 && count !== 14 && count !== 19 && count !== 20)
    throw new Error(messages.E_ARGUMENTS);
  const asynchronous = count === 14 || count === 20;
  if (count === 14) checkCallback(given[13]);
  const { facts, operation } = cipherAlgorithm(given[0], given[1]);
  const key = windowOf(given, 2, 'KEY');
  const iv = windowOf(given, 5, 'IV');
  const source = windowOf(given, 8, 'SOURCE');
  const target = windowOf(given, 11, 'TARGET', source.size);
  const hasTag = count >= 19;
  const aad = hasTag ? windowOf(given, 13, 'AAD') : NOTHING;
  const tag = hasTag ? windowOf(given, 16, 'TAG') : NOTHING;
  for (const each of [key, iv, source, target, aad, tag]) checkRange(each);
  checkSizes(facts, key.size, iv.size, aad.size, tag.size);
  if (count === 20) checkCallback(given[19]);
  return finish(asynchronous ? given[count - 1] : undefined, () => {
    beginRequest(operation, facts.id, source.view, source.offset, source.size);
    setKey(key.view, key.offset, key.size);
    setIv(iv.view, iv.offset, iv.size);
    setAad(aad.view, aad.offset, aad.size);
    if (facts.aead) setTag(tag.view, tag.offset, tag.size);
    setTarget(target.view, target.offset, source.size);
  });
}

function performFriendlyCipher(given: Given): unknown {
  const count = given.length;
  const key = wholeBuffer(given[2], 'KEY');
  const iv = wholeBuffer(given[3], 'IV');
  const source = wholeBuffer(given[4], 'SOURCE');
  const aad = count >= 7 ? wholeBuffer(given[5], 'AAD') : NO_BUFFER;
  const tag = count >= 7 ? wholeBuffer(given[6], 'TAG') : NO_BUFFER;
  const asynchronous = count === 6 || count === 8;
  if (asynchronous) checkCallback(given[count - 1]);
  const { facts, operation } = cipherAlgorithm(given[0], given[1]);
  for (const buffer of [key, iv, source]) checkLength(buffer);
  if (sizeOf(source) > INT_MAX - CIPHER_BLOCK_MAX) throw new Error(messages.E_BUFFER_LENGTH);
  for (const buffer of [aad, tag]) checkLength(buffer);
  checkSizes(facts, sizeOf(key), sizeOf(iv), sizeOf(aad), sizeOf(tag));
  return finish(asynchronous ? given[count - 1] : undefined, () => {
    beginRequest(operation, facts.id, source, 0, sizeOf(source));
    setKey(key, 0, sizeOf(key));
    setIv(iv, 0, sizeOf(iv));
    setAad(aad, 0, sizeOf(aad));
    if (facts.aead) setTag(tag, 0, sizeOf(tag));
    setResult(sizeOf(source), Form.Buffer);
  });
}

/**
 * Hashes: `function (algorithm, source, ...)`, or computes an HMAC: `function (algorithm, key,
 * source, ...)`. Takes as many arguments as `short` or `long`, and a callback.
 */
function performHash(operation: Operation, given: Given, short: number, long: number): unknown {
  const count = given.length;
  if (count === short || count === short + 1)
    return performFriendlyDigest(operation, given, short - 1);
  if (count === long || count === long + 1) return performDigest(operation, given, long - 5);
  throw new Error(messages.E_ARGUMENTS);
}

/**
 * Computes a hash or an HMAC of whole Buffers; the source is argument `at`, after the key of an
 * HMAC.
 */
function performFriendlyDigest(operation: Operation, given: Given, at: number): unknown {
  const keySize = at > 1 && isUint8Array(given[1]) ? sizeOf(given[1]) : 0;
  const key = at === 1 ? undefined : wholeBuffer(given[1], 'KEY');
  const source = wholeBuffer(given[at], 'SOURCE');
  const callback = optionalCallback(given, at + 1);
  const facts = hashAlgorithm(given[0]);
  if (key !== undefined) {
    // Not an empty key if the prototype of another argument has detached it.
    if (sizeOf(key) < keySize) throw new Error(messages.E_KEY);
    checkLength(key);
  }
  checkLength(source);
  return finish(callback, () => {
    beginRequest(operation, facts.id, source, 0, sizeOf(source));
    if (key !== undefined) setKey(key, 0, sizeOf(key));
    setResult(facts.digestSize, Form.Buffer);
  });
}

/**
 * Computes a hash or an HMAC with offsets; the source begins at argument `at`, after the key of an
 * HMAC.
 */
function performDigest(operation: Operation, given: Given, at: number): unknown {
  const facts = hashAlgorithm(given[0]);
  const key = at === 1 ? undefined : windowOf(given, 1, 'KEY');
  const source = windowOf(given, at, 'SOURCE');
  const target = windowOf(given, at + 3, 'TARGET', facts.digestSize);
  if (key !== undefined) checkRange(key);
  checkRange(source);
  checkRange(target);
  return finish(optionalCallback(given, at + 5), () => {
    beginRequest(operation, facts.id, source.view, source.offset, source.size);
    if (key !== undefined) setKey(key.view, key.offset, key.size);
    setTarget(target.view, target.offset, target.size);
  });
}

/** Returns argument `at`, which must be a function, or undefined if there are fewer. */
function optionalCallback(given: Given, at: number): unknown {
  if (given.length <= at) return undefined;
  checkCallback(given[at]);
  return given[at];
}

function finish(callback: unknown, fill: FillRequest): unknown {
  try {
    if (callback === undefined) return runSync(fill, [], 0);
    const settle = callback as (error?: Error, result?: unknown) => void;
    // Two arguments on success, one on failure; `this` is the runtime's default, as in the original
    // package.
    runCallback(
      function (this: unknown, error, result) {
        if (error === null) settle.call(this, undefined, result);
        else settle.call(this, plain(error));
      },
      () => {
        fill([], 0);
        request.flags |= Flag.Unlimited; // The original package had no back-pressure.
      },
      [],
      0,
    );
    return undefined;
  } catch (error) {
    throw plain(error as Error);
  }
}

/** Returns a plain error as the original package has it: class Error, no code. */
function plain(error: Error): Error {
  const { code } = error as { code?: string };
  if (code === 'ERR_AUTHENTICATION') return new Error(messages.E_CORRUPT);
  // The original package's error for an HMAC over an XOF.
  return new Error(error.message === NOT_SUPPORTED ? 'initialization failed' : error.message);
}

const NOT_SUPPORTED = 'the engine does not support this operation';

function cipherAlgorithm(
  algorithm: unknown,
  encrypt: unknown,
): { facts: CipherFacts; operation: Operation } {
  if (typeof algorithm !== 'string') throw new Error(messages.E_ALGORITHM);
  const facts = findCipher(algorithm);
  if (facts === undefined || !ciphers.includes(facts.name)) {
    throw new Error(
      disabled.test(algorithm) ? messages.E_ALGORITHM_DISABLED : messages.E_ALGORITHM_UNKNOWN,
    );
  }
  if (encrypt !== 0 && encrypt !== 1) throw new Error(messages.E_ENCRYPT);
  return { facts, operation: encrypt === 1 ? Operation.Encrypt : Operation.Decrypt };
}

/** The hashes that the original package does not have. */
const notInOpenSsl = /^(keccak|blake3|cshake|kmac|tuplehash|parallelhash|turboshake|kt)/;

function hashAlgorithm(algorithm: unknown): HashFacts {
  if (typeof algorithm !== 'string') throw new Error(messages.E_ALGORITHM);
  const facts = findHash(algorithm);
  if (facts === undefined || !facts.cryptographic || notInOpenSsl.test(facts.name))
    throw new Error(messages.E_ALGORITHM_UNKNOWN);
  return facts;
}

function checkSizes(facts: CipherFacts, key: number, iv: number, aad: number, tag: number): void {
  if (key !== facts.keySize) throw new Error(messages.E_KEY_INVALID);
  if (iv !== facts.ivSize) throw new Error(messages.E_IV_INVALID);
  if (aad > 0 && !facts.aead) throw new Error(messages.E_AAD_INVALID);
  const gcm = tag === 4 || tag === 8 || (tag >= 12 && tag <= 16);
  const fits =
    facts.name === 'chacha20-poly1305' ? tag >= 1 && tag <= 16 : facts.aead ? gcm : tag === 0;
  if (!fits) throw new Error(messages.E_TAG_INVALID);
}

type Name = 'KEY' | 'IV' | 'SOURCE' | 'TARGET' | 'AAD' | 'TAG';

interface Range {
  readonly view: Uint8Array;
  readonly offset: number;
  readonly size: number;
  readonly name: Name;
}

const NO_BUFFER = allocate(0);
const NOTHING: Range = { view: NO_BUFFER, offset: 0, size: 0, name: 'TAG' };

/** Reads a buffer, its offset and its size, and checks their types in that order. */
function windowOf(given: Given, at: number, name: Name, size?: number): Range {
  const view = viewOf(given[at], name);
  checkLength(view);
  const offset = given[at + 1];
  if (!isUnsigned(offset)) throw new Error(messages[`E_${name}_OFFSET`]);
  if (size !== undefined) return { view, offset, size, name };
  const own = given[at + 2];
  if (!isUnsigned(own)) throw new Error(messages[`E_${name as Exclude<Name, 'TARGET'>}_SIZE`]);
  return { view, offset, size: own, name };
}

function checkRange({ view, offset, size, name }: Range): void {
  if (offset + size > sizeOf(view)) throw new Error(messages[`E_${name}_RANGE`]);
}

/**
 * Returns the bytes of an ArrayBufferView for the forms with offsets; a detached one counts as
 * empty.
 */
function viewOf(value: unknown, name: Name): Uint8Array {
  if (!isBytesView(value)) throw new Error(messages[`E_${name}`]);
  return isUint8Array(value) ? value : bytesOfView(value);
}

/** Returns a Buffer for the short forms, which take no other type, as in the original package. */
function wholeBuffer(value: unknown, name: Name): Uint8Array {
  if (isUint8Array(value) && inherits(value)) return value;
  throw new Error(messages[`E_${name}`]);
}

/**
 * Returns what Buffer.isBuffer does, which reads the prototype chain; the value may be a revoked
 * Proxy.
 */
function inherits(value: unknown): boolean {
  try {
    return isBuffer(value);
  } catch {
    return false;
  }
}

function checkLength(view: Uint8Array): void {
  if (sizeOf(view) > INT_MAX) throw new Error(messages.E_BUFFER_LENGTH);
}

function checkCallback(value: unknown): void {
  if (typeof value !== 'function') throw new Error(messages.E_CALLBACK);
}

function isUnsigned(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= INT_MAX && Number.isInteger(value);
}

declare namespace cryptoAsync {
  /** Receives `(error)` or `(undefined, result)`. */
  type Callback<Result> = (error?: Error, result?: Result) => void;
  /** 1 to encrypt, 0 to decrypt. */
  type Encrypt = 0 | 1;

  /** The arguments of a buffer with its offset and size. */
  type Key = [key: ArrayBufferView, keyOffset: number, keySize: number];
  type Iv = [iv: ArrayBufferView, ivOffset: number, ivSize: number];
  type Source = [source: ArrayBufferView, sourceOffset: number, sourceSize: number];
  type Target = [target: ArrayBufferView, targetOffset: number];
  type Aad = [aad: ArrayBufferView, aadOffset: number, aadSize: number];
  type Tag = [tag: ArrayBufferView, tagOffset: number, tagSize: number];
  // TypeScript 5.0 and 5.1 require names for all members of a tuple, or for none.
  /** The first arguments of a cipher. */
  type Mode = [algorithm: string, encrypt: Encrypt];
  type Short = [...mode: Mode, key: AnyBuffer, iv: AnyBuffer, source: AnyBuffer];
  type ShortAead = [...given: Short, aad: AnyBuffer, tag: AnyBuffer];
  type Long = [...Mode, ...Key, ...Iv, ...Source, ...Target];
  type LongAead = [...Long, ...Aad, ...Tag];

  /** Encrypts or decrypts; the tag is written when encrypting and checked when decrypting. */
  interface Cipher {
    (...given: Short): Buffer;
    (...given: [...given: Short, callback: Callback<Buffer>]): void;
    (...given: ShortAead): Buffer;
    (...given: [...given: ShortAead, callback: Callback<Buffer>]): void;
    (...given: Long): number;
    (...given: [...given: Long, callback: Callback<number>]): void;
    (...given: LongAead): number;
    (...given: [...given: LongAead, callback: Callback<number>]): void;
  }

  /** Computes a digest. */
  interface Hash {
    (algorithm: string, source: AnyBuffer): Buffer;
    (algorithm: string, source: AnyBuffer, callback: Callback<Buffer>): void;
    (algorithm: string, ...given: [...Source, ...Target]): number;
    (
      algorithm: string,
      ...given: [...source: Source, ...target: Target, callback: Callback<number>]
    ): void;
  }

  /** Computes an HMAC. */
  interface Hmac {
    (algorithm: string, key: AnyBuffer, source: AnyBuffer): Buffer;
    (algorithm: string, key: AnyBuffer, source: AnyBuffer, callback: Callback<Buffer>): void;
    (algorithm: string, ...given: [...Key, ...Source, ...Target]): number;
    (
      algorithm: string,
      ...given: [...key: Key, ...source: Source, ...target: Target, callback: Callback<number>]
    ): void;
  }

  /** The original package's messages by name, as in `error.message`. */
  type Messages = typeof messages;

  /** The exports: 41 own properties. */
  interface Exports extends Messages {
    /** The spare bytes after the result in the original package's short cipher form. */
    CIPHER_BLOCK_MAX: number;
    cipher: Cipher;
    hash: Hash;
    hmac: Hmac;
  }
}

// The original package's functions are anonymous and take rest arguments: name '' and length 0.
const cryptoAsync: cryptoAsync.Exports = {
  CIPHER_BLOCK_MAX,
  ...messages,
  cipher: (() =>
    function (...given: Given): unknown {
      return performCipher(given);
    })() as cryptoAsync.Cipher,
  hash: (() =>
    function (...given: Given): unknown {
      return performHash(Operation.Hash, given, 2, 6);
    })() as cryptoAsync.Hash,
  hmac: (() =>
    function (...given: Given): unknown {
      return performHash(Operation.Hmac, given, 3, 9);
    })() as cryptoAsync.Hmac,
};

export = cryptoAsync;
