/** The types of what hashes and MACs take and return. */
import type { Bytes, Data } from '../base/arguments.js';
import type { EngineOptions } from '../engines/engines.js';
import type { KeyInput } from '../request/key-input.js';
import type { Buffer, BufferEncoding } from '#platform/base/runtime.js';

/**
 * How a digest is returned. `0xhex` is hex after `0x`; `bigint` is big-endian: the number that the
 * hex digits spell.
 */
export type Encoding = 'buffer' | 'hex' | '0xhex' | 'base64' | 'base64url' | 'bigint';

/** The type of a digest in an {@link Encoding} or an encoding of Buffer. */
export type Digest<E extends Encoding | BufferEncoding> = E extends 'buffer'
  ? Buffer
  : E extends 'bigint'
    ? bigint
    : E extends '0xhex'
      ? `0x${string}`
      : string;

/** Options of {@link hash}. */
export interface HashOptions<E extends Encoding = Encoding>
  extends EngineOptions, HashParameterOptions {
  /** The encoding of the digest. Default: `'buffer'`. */
  readonly encoding?: E | undefined;
  /**
   * The digest's size in bytes: 1 to 64 for blake2b512, 1 to 32 for blake2s256; any for the hashes
   * of SP 800-185 and RFC 9861, for blake3, and for shake128 and shake256 (by default 16
   * and 32, as in node:crypto); fixed for others. BLAKE2, and SP 800-185 without `xof` in the name,
   * hash it too: a shorter digest is not the start of a longer one.
   */
  readonly outputLength?: number | undefined;
  /** The seed of xxh32 (32 bits), xxh64, xxh3-64 and xxh3-128 (64 bits); default 0. */
  readonly seed?: number | bigint | undefined;
  /**
   * The key of a keyed hash, as any {@link KeyInput}: 32 bytes for blake3, 1 to 64 for blake2b512,
   * 1 to 32 for blake2s256, any number for KMAC, which needs one. A prepared key must be for the
   * same hash.
   */
  readonly key?: KeyInput;
}

/** Where to write a digest instead of returning it. */
export interface TargetOptions<T extends Bytes | undefined = Bytes> {
  /** Receives the digest; the call returns its size. Written when the call settles. */
  readonly target: T;
  /** The offset in the target, in bytes. Default: 0. */
  readonly targetOffset?: number | undefined;
}

/** The result of a call: the number of bytes written if the call has a target. */
export type Output<T extends Bytes | undefined, Result> = T extends Bytes ? number : Result;

/** Options that some hashes take beside `key`, `seed` and `outputLength`; others refuse them. */
export interface HashParameterOptions {
  /** The salt: 16 bytes for blake2b512, 8 for blake2s256. */
  readonly salt?: Data;
  /** The personalization: 16 bytes for blake2b512, 8 for blake2s256. */
  readonly personalization?: Data;
  /**
   * The context of BLAKE3's key derivation, a string that no other use shares; the message is the
   * key material. Excludes `key`.
   */
  readonly context?: string;
  /** The customization string S of cSHAKE, KMAC, TupleHash, ParallelHash, and C of KT. */
  readonly customization?: Data;
  /** The function name N of cSHAKE, which NIST assigns; use `customization` for your own. */
  readonly functionName?: Data;
  /** The domain separation byte of TurboSHAKE, 1 to 127. Default: 31. */
  readonly domain?: number | undefined;
  /** The size B of ParallelHash's blocks in bytes. Default: 8192. */
  readonly blockSize?: number | undefined;
}

/** Options of {@link hmac}. */
export type HmacOptions<E extends Encoding = Encoding> = Pick<HashOptions<E>, 'encoding'> &
  EngineOptions;

/** A message: bytes, or a string for its UTF-8 encoding; of a TupleHash the array of its items. */
export type Message = Data | readonly Data[];

/** Consecutive messages of one size. */
export interface PackedSources {
  /** The messages; a whole number of them. */
  readonly data: Bytes;
  /** The size of each message in bytes. */
  readonly size: number;
}

/**
 * The messages: the elements of an array or another iterable, or consecutive messages of one size.
 */
export type Sources = readonly Message[] | Iterable<Message> | PackedSources;

/** Options of hashMany and hmacMany, for an encoding and a target. */
export type ManyOptions<
  Options,
  E extends Encoding | undefined,
  T extends Bytes | undefined,
> = Omit<Options, 'encoding'> & { readonly encoding?: E } & Partial<TargetOptions<T>>;

/** The result: bytes written with a target, an array with an encoding, otherwise one Buffer. */
export type ManyOutput<
  E extends Encoding | undefined,
  T extends Bytes | undefined = undefined,
> = T extends Bytes ? number : E extends Encoding ? Digest<E>[] : Buffer;

/** Options of {@link verifyHmac}. */
export interface VerifyHmacOptions<Source = Data> extends EngineOptions {
  /**
   * Any number of bytes, a string (UTF-8), a secret KeyObject, an extractable secret CryptoKey, or
   * a key prepared for HMAC with the hash.
   */
  readonly key: string | KeyInput;
  /** The message. */
  readonly source: Source;
  /** The code to verify. One of another size than the hash's digest is false. */
  readonly mac: Bytes;
}

/** Options of {@link verifyMac}: the code, and what it was computed with. */
export interface VerifyMacOptions<Source = Data>
  extends EngineOptions, Pick<HashParameterOptions, 'customization' | 'personalization' | 'salt'> {
  /**
   * The key, prepared for the algorithm or not: any number of bytes for an HMAC, which also takes a
   * string (UTF-8), and for KMAC; 32 bytes for blake3, 1 to 64 for blake2b512, 1 to 32 for
   * blake2s256.
   */
  readonly key: string | KeyInput;
  /** The message. */
  readonly source: Source;
  /** The code to verify. One of another size than `outputLength` is false. */
  readonly mac: Bytes;
  /**
   * The size of the code in bytes. Default: that of the algorithm, never that of `mac`, which a
   * forger may shorten until a guess is right.
   */
  readonly outputLength?: number | undefined;
}

/**
 * A checksum: its bytes, text in hex (also after `0x`), base64 or base64url, or the number of its
 * big-endian bytes. The quotes around an ETag of S3 are ignored.
 */
export type ChecksumInput = Bytes | string | bigint | number;

/** A part of a message, for {@link combineChecksums}. */
export interface ChecksumPart {
  /** The checksum of the part alone. */
  readonly checksum: ChecksumInput;
  /** The size of the part in bytes. */
  readonly size: number;
}

/** How {@link multipartChecksum} returns it: base64 and `-N`, or as an ETag. */
export type MultipartForm = 'composite' | 'etag';
