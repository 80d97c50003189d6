/** createSign and createVerify: signatures of messages that arrive in parts. */
import { refuseSurplus } from '../base/errors.js';
import type { Bytes, Data } from '../base/arguments.js';
import type { Digest, Encoding } from '../calls/digests.js';
import type { SignOptions, SigningKey, VerifyOptions, VerifyingKey } from '../calls/public-keys.js';
import type { HashAlgorithm } from '../catalog/catalog.js';
import { createHash } from '../hashers/create.js';
import type { Hash } from '../hashers/hasher.js';
import type { Buffer, BufferEncoding } from '#platform/base/runtime.js';
import type { Callback } from '../scheduling/completions.js';
import { sign, verify } from './public-keys.js';

type Overloaded = (...given: unknown[]) => unknown;

/** A message that arrives in parts. Its hash is computed meanwhile. */
abstract class Message {
  readonly #algorithm: HashAlgorithm;
  readonly #hash: Hash;
  #digest: Buffer | undefined;

  constructor(algorithm: HashAlgorithm) {
    this.#algorithm = algorithm;
    this.#hash = createHash(algorithm);
  }

  /**
   * Adds a part to the message.
   *
   * @param data bytes, or a string in `inputEncoding`, which is UTF-8 by default
   * @throws MillraceError as {@link Hash.update}; ERR_HASHER_SPENT after `sign` or `verify`
   */
  update(data: Data, inputEncoding?: BufferEncoding): this {
    if (arguments.length > 2) refuseSurplus(arguments, 2, 'update(data[, inputEncoding])');
    if (inputEncoding === undefined) this.#hash.update(data);
    else this.#hash.update(data, inputEncoding);
    return this;
  }

  /** Adds a part on Millrace's threads; it is used until the promise settles. */
  updateAsync(data: Data, inputEncoding?: BufferEncoding): Promise<void> {
    if (inputEncoding === undefined) return this.#hash.updateAsync(data);
    return this.#hash.updateAsync(data, inputEncoding);
  }

  /** Calls sign or verify with the digest, which ends the message. */
  protected end(
    call: Overloaded,
    before: readonly unknown[],
    options: unknown,
    callback: unknown,
  ): unknown {
    const last = typeof options === 'function' ? options : callback;
    const given = last === options ? undefined : options;
    const isObject = typeof given === 'object' && given !== null;
    // The caller's getters run once, before the message ends. Other values are refused by the call.
    const parameters =
      isObject || given === undefined ? { __proto__: null, ...given, digest: true } : given;
    const digest = (this.#digest ??= this.#hash.digest());
    const inputs = [this.#algorithm, digest, ...before, parameters];
    return last === undefined ? call(...inputs) : call(...inputs, last);
  }
}

/** What {@link createSign} returns. */
export class Sign extends Message {
  /**
   * Ends the message and signs it. Another key may sign it, too.
   *
   * @throws MillraceError as {@link sign}
   */
  sign<E extends Encoding = 'buffer'>(key: SigningKey, options?: SignOptions<E>): Digest<E>;
  /** Signs asynchronously. */
  sign(key: SigningKey, callback: Callback<Buffer>): void;
  /** Signs asynchronously. */
  sign<E extends Encoding = 'buffer'>(
    key: SigningKey,
    options: SignOptions<E> | undefined,
    callback: Callback<Digest<E>>,
  ): void;
  sign(key: unknown, options?: unknown, callback?: unknown): unknown {
    if (arguments.length > 3) refuseSurplus(arguments, 3, 'sign(key[, options][, callback])');
    return this.end(sign as Overloaded, [key], options, callback);
  }
}

/** What {@link createVerify} returns. */
export class Verify extends Message {
  /**
   * Ends the message and returns true if `signature` is its signature.
   *
   * @throws MillraceError as {@link verify}
   */
  verify(key: VerifyingKey, signature: Bytes, options?: VerifyOptions): boolean;
  /** Verifies asynchronously. */
  verify(key: VerifyingKey, signature: Bytes, callback: Callback<boolean>): void;
  /** Verifies asynchronously. */
  verify(
    key: VerifyingKey,
    signature: Bytes,
    options: VerifyOptions | undefined,
    callback: Callback<boolean>,
  ): void;
  verify(key: unknown, signature: unknown, options?: unknown, callback?: unknown): unknown {
    if (arguments.length > 4)
      refuseSurplus(arguments, 4, 'verify(key, signature[, options][, callback])');
    return this.end(verify as Overloaded, [key, signature], options, callback);
  }
}

/**
 * Creates a signature of a message that arrives in parts, with ECDSA or RSA. Ed25519 and ML-DSA
 * need the whole message: {@link sign}.
 *
 * @example
 * ```js
 * import { createSign, generateKeyPair, verify } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('p-256');
 * const signature = createSign('sha256').update('a ').update('b').sign(privateKey);
 * verify('sha256', 'a b', publicKey, signature); // true
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE
 */
export function createSign(algorithm: HashAlgorithm): Sign {
  if (arguments.length > 1) refuseSurplus(arguments, 1, 'createSign(algorithm)');
  return new Sign(algorithm);
}

/**
 * Creates the verification of a message that arrives in parts; see {@link createSign}.
 *
 * @example
 * ```js
 * import { createVerify, generateKeyPair, sign } from 'millrace';
 *
 * const { privateKey, publicKey } = generateKeyPair('p-256');
 * const signature = sign('sha256', 'a b', privateKey);
 * createVerify('sha256').update('a b').verify(publicKey, signature); // true
 * ```
 *
 * @param algorithm name of the hash, for example `sha256`
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE
 */
export function createVerify(algorithm: HashAlgorithm): Verify {
  if (arguments.length > 1) refuseSurplus(arguments, 1, 'createVerify(algorithm)');
  return new Verify(algorithm);
}
