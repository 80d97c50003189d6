/** The types of what the hash of a large object in parts takes and returns. */
import type { Data } from '../base/arguments.js';
import type { EngineOptions } from '../engines/engines.js';
import type { KeyInput } from '../request/key-input.js';
import type { Encoding, HashOptions } from './digests.js';
import type { Buffer } from '#platform/base/runtime.js';

/**
 * What a part adds to the digest of an object, as plain data for JSON: a queue can carry it.
 *
 * `values` are bytes in base64url. Of BLAKE3: the chaining values, of 32 bytes each, of the largest
 * subtrees in the part, from left to right, at most two of each size; a part from byte 0 to the end
 * of the first chunk or earlier also has its bytes. Of KangarooTwelve: the chaining value of each
 * leaf of 8,192 bytes, which is 32 bytes of kt128 and 64 of kt256; then the first leaf's bytes if
 * the part begins at 0, and those of a last leaf that is not full. **So a part may hold 8 KiB of
 * the object at either end, and its values identify its content.**
 */
export interface HashPart {
  /** The version of this format. */
  readonly version: 1;
  /** The standard name of the hash. */
  readonly algorithm: string;
  /** The kind of BLAKE3: without a key, with one, or the derivation of keys in a context. */
  readonly mode: 'plain' | 'keyed' | 'context';
  /** The part's first byte in the object. */
  readonly offset: number;
  /** The part's bytes. */
  readonly length: number;
  /** The bytes of the whole object. */
  readonly size: number;
  readonly values: string;
  /**
   * XXH3-64 of all of the above, in hex: detects damage, and no attack. Parts from strangers can
   * only make another digest.
   */
  readonly check: string;
}

/** Options of {@link hashPart}. */
export interface HashPartOptions extends EngineOptions, Pick<HashOptions, 'key' | 'context'> {
  /**
   * The part's first byte in the object: a multiple of 1,024 for blake3, of 8,192 for kt128 and
   * kt256. Default: 0.
   */
  readonly offset?: number | undefined;
  /**
   * The bytes of the whole object. Only the part that reaches its end may have a length that is no
   * such multiple.
   */
  readonly size: number;
}

/** Options of {@link joinParts}. */
export type JoinPartsOptions<E extends Encoding = Encoding> = EngineOptions &
  Pick<HashOptions<E>, 'encoding' | 'outputLength' | 'key' | 'context' | 'customization'>;

/** Options of `planSealing` and `sealRange` of `millrace/promises`, the same for both. */
export interface SealRangeOptions {
  /** The AEAD of the chunks. */
  readonly algorithm: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  /** The key, as of {@link sealStream}. */
  readonly key: KeyInput;
  /** The stream's purpose, as of {@link sealStream}. */
  readonly context?: Data;
  /** Aborting rejects when the work in flight has ended. */
  readonly signal?: AbortSignal | undefined;
}

/** A range of a stream to seal, as plain data for JSON. It is no secret. */
export interface SealRange {
  /** The version of this format. */
  readonly version: 1;
  /** The first byte of the object in the range, a multiple of 16,384. */
  readonly offset: number;
  /** The bytes of the object in the range. */
  readonly length: number;
  /** The bytes of the whole object. */
  readonly size: number;
  /** The first byte of the result in the sealed stream. */
  readonly at: number;
  /** The header of the sealed stream, in base64url. */
  readonly header: string;
  /** Authenticates the above and the content of the range under the key, in base64url. */
  readonly check: string;
}

/** The result of `planSealing` of `millrace/promises`. */
export interface SealingPlan {
  /** The first 56 bytes of the sealed stream. */
  readonly header: Buffer;
  /** The bytes of the sealed stream. */
  readonly sealedSize: number;
  /** The ranges, in their order in the stream. */
  readonly ranges: readonly SealRange[];
}
