/** PublicKey and PrivateKey: objects that name an asymmetric key in native memory. */
import { makeError, refuseSurplus, wrongType } from '../base/errors.js';
import { isBytesView } from '../base/intrinsics.js';
import { Unclonable } from '../base/unclonable.js';
import { release, releaseWhenCollected } from '../request/key.js';
import {
  equalKeys,
  exportKey,
  keyDetails,
  type AsymmetricKeyDetails,
  type ExportedKey,
  type ExportPrivateKeyOptions,
  type ExportPublicKeyOptions,
} from './export.js';
import type { PublicKeyAlgorithmName } from './algorithm-names.js';
import { publicKeyOf, type HeldKey } from './held-key.js';

/** Permits only this module to construct keys. */
const inside = Symbol('inside');

/** Reads the key of an object, undefined once it was disposed of. */
let heldIn: (key: AsymmetricKey) => HeldKey | undefined;
/** Returns true for a PublicKey or PrivateKey. */
let isAsymmetricKey: (value: unknown) => value is AsymmetricKey;

/** What public and private keys have in common. */
abstract class AsymmetricKey extends Unclonable {
  #held: HeldKey | undefined;
  readonly type: 'public' | 'private';
  /** The algorithm, e.g. `ed25519`, `p-256`, `rsa` or `ml-kem-768`. */
  readonly algorithm: PublicKeyAlgorithmName;
  /** Bits of the RSA modulus or of the curve's field; of ML-KEM and ML-DSA of the public key. */
  readonly size: number;

  /** @internal */
  constructor(permission: symbol, held: HeldKey) {
    super();
    if (permission !== inside)
      throw makeError(
        'ERR_ARGUMENT_TYPE',
        'keys are made by createPrivateKey(key), createPublicKey(key) and generateKeyPair(type)',
      );
    this.#held = held;
    this.type = held.isPrivate ? 'private' : 'public';
    this.algorithm = held.algorithm;
    this.size = held.size;
    releaseWhenCollected(this, held);
  }

  /** The type of key that node:crypto tells: the algorithm, but `ec` for the NIST curves. */
  get asymmetricKeyType(): string {
    const { algorithm } = heldOf(this, 'key');
    return algorithm.startsWith('p-') ? 'ec' : algorithm;
  }

  /** What node:crypto tells of a key: the curve, or modulus and exponent of RSA. */
  get asymmetricKeyDetails(): AsymmetricKeyDetails {
    return keyDetails(heldOf(this, 'key'));
  }

  /** True once `dispose` was called; using the key then fails with ERR_KEY_DISPOSED. */
  get disposed(): boolean {
    return this.#held === undefined;
  }

  /**
   * Wipes the key. Jobs already started or queued with it still complete. Calling it again does
   * nothing.
   */
  dispose(): void {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'dispose()');
    if (this.#held !== undefined) release(this.#held);
    this.#held = undefined;
  }

  /** Does the same as `dispose`, for `using key = createPrivateKey(...)`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  static {
    heldIn = (key) => key.#held;
    isAsymmetricKey = (value): value is AsymmetricKey =>
      typeof value === 'object' && value !== null && !isBytesView(value) && #held in value;
  }
}

/**
 * A public key, created by {@link createPublicKey} and accepted wherever a public key is. It lives
 * in native memory, and cannot be sent to another thread: postMessage and structuredClone throw a
 * DataCloneError.
 */
export class PublicKey extends AsymmetricKey {
  /**
   * Returns the key in an encoding.
   *
   * @example
   * ```js
   * import { createPrivateKey, createPublicKey, randomBytes } from 'millrace';
   *
   * const key = randomBytes(32);
   * const privateKey = createPrivateKey({ key, format: 'raw', algorithm: 'ed25519' });
   * const publicKey = createPublicKey(privateKey);
   * publicKey.export({ format: 'pem' }); // '-----BEGIN PUBLIC KEY-----...'
   * publicKey.export({ format: 'raw' }).length; // 32
   * ```
   *
   * @throws MillraceError ERR_KEY_DISPOSED; ERR_KEY_ALGORITHM and ERR_KEY_NOT_SUPPORTED if keys of
   * the algorithm have no such encoding; ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
   */
  export<Format extends ExportPublicKeyOptions['format']>(
    options: ExportPublicKeyOptions & { readonly format: Format },
  ): ExportedKey<Format> {
    if (arguments.length > 1) refuseSurplus(arguments, 1, 'export({ format })');
    return exportKey(heldOf(this, 'key'), options) as ExportedKey<Format>;
  }

  /** Returns true if `other` is the same public key, with the same parameters. */
  equals(other: PublicKey): boolean {
    return equals(this, other, arguments);
  }
}

/**
 * A private key, created by {@link createPrivateKey} and accepted wherever a private key is.
 * Disposing it (or `using`) wipes the native memory once no job uses it. Garbage collection wipes a
 * key that was not disposed of, and the end of the environment wipes all keys. It never prints, and
 * cannot be sent to another thread: postMessage and structuredClone throw a DataCloneError.
 */
export class PrivateKey extends AsymmetricKey {
  /**
   * Returns the key in an encoding. PEM and JWK are strings, which cannot be wiped; the bytes of
   * the other formats are alone in their ArrayBuffer, so that `fill(0)` wipes them.
   *
   * @example
   * ```js
   * import { createPrivateKey, randomBytes } from 'millrace';
   *
   * const key = randomBytes(32);
   * const privateKey = createPrivateKey({ key, format: 'raw', algorithm: 'x25519' });
   * const der = privateKey.export({ format: 'der', type: 'pkcs8' });
   * createPrivateKey(der).equals(privateKey); // true
   * der.fill(0);
   * ```
   *
   * @throws MillraceError ERR_KEY_DISPOSED; ERR_KEY_ALGORITHM and ERR_KEY_NOT_SUPPORTED if keys of
   * the algorithm have no such encoding; ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE
   */
  export<Format extends ExportPrivateKeyOptions['format']>(
    options: ExportPrivateKeyOptions & { readonly format: Format },
  ): ExportedKey<Format> {
    if (arguments.length > 1) refuseSurplus(arguments, 1, 'export({ format })');
    return exportKey(heldOf(this, 'key'), options) as ExportedKey<Format>;
  }

  /** Returns true if `other` is the private key of the same public key. */
  equals(other: PrivateKey): boolean {
    return equals(this, other, arguments);
  }

  /** Returns the public key, which holds nothing of this one. */
  publicKey(): PublicKey {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'publicKey()');
    return keyObject(publicKeyOf(heldOf(this, 'key'))) as PublicKey;
  }
}

function equals(key: AsymmetricKey, other: unknown, given: ArrayLike<unknown>): boolean {
  if (given.length > 1) refuseSurplus(given, 1, 'equals(other)');
  if (!isAsymmetricKey(other)) throw wrongType('other', 'a PublicKey or PrivateKey', other);
  return equalKeys(heldOf(key, 'key'), heldOf(other, 'other'));
}

export { isAsymmetricKey };

/** Returns the key of an object. Error messages name it `argument`. */
export function heldOf(key: AsymmetricKey, argument: string): HeldKey {
  const held = heldIn(key);
  if (held === undefined) throw makeError('ERR_KEY_DISPOSED', `${argument} was disposed`);
  return held;
}

/** Returns an object for a key. */
export function keyObject(held: HeldKey): PublicKey | PrivateKey {
  return new (held.isPrivate ? PrivateKey : PublicKey)(inside, held);
}
