/** Ciphers with the interface of noble: functions of key and nonce that return one message's. */
import { isUint8Array, NO_BYTES } from '../../base/intrinsics.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { Aead, StreamCipher } from '#platform/compat/noble/cipher-engine.js';
import { checkBytes } from './checks.js';
import { original, type MajorVersion } from './original.js';

/** The cipher of one message. */
export interface Cipher {
  /** Returns the ciphertext, with the tag at its end if the cipher has one. */
  encrypt(data: Uint8Array, output?: Uint8Array): FreshBytes;
  /** Returns the message. Throws if it is not authentic. */
  decrypt(data: Uint8Array, output?: Uint8Array): FreshBytes;
}

/** A cipher as noble exports it. */
export interface CipherFunction {
  (key: Uint8Array, nonce: Uint8Array, aad?: Uint8Array): Cipher;
  /** Bytes of a block of the cipher. */
  readonly blockSize: number;
  /** Bytes of the nonce. */
  readonly nonceLength: number;
  /** Bytes of the tag at the end of the ciphertext. */
  readonly tagLength?: number;
}

/** A stream cipher as a function. */
export type XorStream = (
  key: Uint8Array,
  nonce: Uint8Array,
  data: Uint8Array,
  output?: Uint8Array,
  counter?: number,
) => FreshBytes;

/** A cipher of noble and what computes it. */
export interface CipherSpec {
  readonly major: MajorVersion;
  readonly subpath: string;
  readonly name: string;
  /** The properties of noble's function. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly aead: Aead | undefined;
  /** A cipher without a tag. */
  readonly stream: StreamCipher | undefined;
  /** The fewest and the most bytes of a nonce that Millrace serves. */
  readonly nonceSizes: readonly [least: number, most: number];
  /** True if encrypt and decrypt take memory for the result. */
  readonly output: boolean;
  /** The message of a failed authentication. */
  readonly invalid: string | undefined;
}

/** Returns a cipher function; noble serves or refuses what Millrace does not accept. */
export function cipherFunction(spec: CipherSpec): CipherFunction {
  const { major, subpath, name, aead, stream } = spec;
  const [least, most] = spec.nonceSizes;
  const cipher = (key: Uint8Array, nonce: Uint8Array, ...more: unknown[]): Cipher => {
    const [aad] = more;
    const accepted =
      isUint8Array(key) &&
      (aead ?? stream)!.takes(key.length) &&
      isUint8Array(nonce) &&
      nonce.length >= least &&
      nonce.length <= most &&
      (aad === undefined || (aead !== undefined && isUint8Array(aad))) &&
      more.length <= 1;
    if (!accepted) return original(major, 'ciphers', subpath, name)(key, nonce, ...more);
    return new NonceCipher(spec, key, nonce, aad as Uint8Array | undefined);
  };
  return Object.assign(cipher, spec.properties) as unknown as CipherFunction;
}

/** A cipher under a key and nonce, as the functions of noble-ciphers return it. */
class NonceCipher implements Cipher {
  readonly #spec: CipherSpec;
  readonly #key: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #aad: Uint8Array | undefined;
  #encrypted = false;

  constructor(spec: CipherSpec, key: Uint8Array, nonce: Uint8Array, aad: Uint8Array | undefined) {
    this.#spec = spec;
    this.#key = key;
    this.#nonce = nonce;
    this.#aad = aad;
    // Programs take the methods apart from the object, as noble's allow.
    this.encrypt = this.encrypt.bind(this);
    this.decrypt = this.decrypt.bind(this);
  }

  encrypt(data: Uint8Array, output?: Uint8Array): FreshBytes {
    const { major, aead } = this.#spec;
    if (this.#encrypted) throw new Error('cannot encrypt() twice with same key + nonce');
    this.#encrypted = true;
    checkBytes(major, data, 'data');
    const target = this.#target(output, data.length + (aead === undefined ? 0 : 16));
    if (target === undefined) return this.#original().encrypt(data, output);
    if (aead === undefined) return this.#xor(data, target);
    aead.seal(this.#key, this.#nonce, this.#aad ?? NO_BYTES, data, target);
    return target;
  }

  decrypt(data: Uint8Array, output?: Uint8Array): FreshBytes {
    const { major, aead, invalid } = this.#spec;
    checkBytes(major, data, 'data');
    if (aead === undefined) {
      const whole = this.#target(output, data.length);
      return whole === undefined ? this.#original().decrypt(data, output) : this.#xor(data, whole);
    }
    if (data.length < 16) {
      throw new Error(
        major === 1
          ? 'invalid ciphertext length: smaller than tagLength=16'
          : '"ciphertext" expected length >= tagLength=16',
      );
    }
    const target = this.#target(output, data.length - 16);
    if (target === undefined) return this.#original().decrypt(data, output);
    const failure = aead.open(this.#key, this.#nonce, this.#aad ?? NO_BYTES, data, target);
    if (failure === undefined) return target;
    throw new Error(invalid, { cause: failure });
  }

  /**
   * Returns the memory of the result, the caller's with the type that noble gives it; undefined if
   * noble must check it.
   */
  #target(output: Uint8Array | undefined, size: number): FreshBytes | undefined {
    if (output === undefined) return new Uint8Array(size);
    if (!this.#spec.output) throw new Error('cipher output not supported');
    const aligned = isUint8Array(output) && output.byteOffset % 4 === 0;
    return aligned && output.length === size ? (output as FreshBytes) : undefined;
  }

  #xor(data: Uint8Array, target: FreshBytes): FreshBytes {
    this.#spec.stream!.apply(this.#key, this.#nonce, data, target);
    return target;
  }

  /** Returns the same message in noble. */
  #original(): Cipher {
    const { major, subpath, name } = this.#spec;
    const given = this.#aad === undefined ? [] : [this.#aad];
    return original(major, 'ciphers', subpath, name)(this.#key, this.#nonce, ...given);
  }
}
