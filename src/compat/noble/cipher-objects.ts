/** Ciphers with the interface of noble: functions of key and nonce that return one message's. */
import { isUint8Array, NO_BYTES } from '../../base/intrinsics.js';
import type { FreshBytes } from '../../base/platform-types.js';
import { checkBytes } from './checks.js';
import { backed, original, type MajorVersion, type Maker } from './original.js';

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

/** Encrypts or decrypts a message of a cipher with a tag. */
type Crypt = (
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  source: Uint8Array,
  target: Uint8Array,
) => void;

/** A cipher with a tag, by an engine. */
export interface Aead {
  /** Encrypts; the target has 16 bytes more than the source. */
  readonly seal: Crypt;
  /** Decrypts. Throws ERR_AUTHENTICATION, with a target of zeros, if it is not authentic. */
  readonly open: Crypt;
}

/** Encrypts or decrypts with a stream cipher, by an engine. */
export type StreamCipher = (
  key: Uint8Array,
  iv: Uint8Array,
  source: Uint8Array,
  target: Uint8Array,
) => void;

/** Returns the result; undefined if noble serves or refuses the arguments. */
type Compute = (
  given: readonly Uint8Array[],
  data: Uint8Array,
  output: Uint8Array | undefined,
) => FreshBytes | undefined;

/** A cipher of noble and what computes its messages; `given` are the arguments of its function. */
export interface MessageSpec {
  readonly major: MajorVersion;
  readonly subpath: string;
  readonly name: string;
  readonly encrypt: Compute;
  readonly decrypt: Compute;
  /** The message of a failed authentication. */
  readonly invalid: string | undefined;
}

/** The cipher of one message, as the functions of noble-ciphers return it. */
export class MessageCipher implements Cipher {
  readonly #spec: MessageSpec;
  readonly #given: readonly Uint8Array[];
  #encrypted = false;

  constructor(spec: MessageSpec, given: readonly Uint8Array[]) {
    this.#spec = spec;
    this.#given = given;
    // Programs take the methods apart from the object, as noble's allow.
    this.encrypt = this.encrypt.bind(this);
    this.decrypt = this.decrypt.bind(this);
  }

  encrypt(data: Uint8Array, output?: Uint8Array): FreshBytes {
    const { major, encrypt } = this.#spec;
    if (this.#encrypted) throw new Error('cannot encrypt() twice with same key + nonce');
    this.#encrypted = true;
    checkBytes(major, data, 'data');
    return encrypt(this.#given, data, output) ?? this.#original().encrypt(data, output);
  }

  decrypt(data: Uint8Array, output?: Uint8Array): FreshBytes {
    const { major, decrypt, invalid } = this.#spec;
    checkBytes(major, data, 'data');
    let decrypted: FreshBytes | undefined;
    try {
      decrypted = decrypt(this.#given, data, output);
    } catch (error) {
      const isForged =
        Object.hasOwn(error as object, 'code') &&
        (error as { code?: unknown }).code === 'ERR_AUTHENTICATION';
      throw isForged ? new Error(invalid, { cause: error }) : error;
    }
    return decrypted ?? this.#original().decrypt(data, output);
  }

  /** Returns the same message in noble. */
  #original(): Cipher {
    const { major, subpath, name } = this.#spec;
    return original(major, 'ciphers', subpath, name)(...this.#given);
  }
}

/** A cipher with a nonce, and what its arguments must be for Millrace. */
interface CipherSpec extends MessageSpec {
  readonly keySizes: readonly number[];
  /** The fewest and the most bytes of a nonce. */
  readonly nonceSizes: readonly [least: number, most: number];
  readonly takesAad: boolean;
}

/**
 * Returns a cipher function with noble's properties; noble serves or refuses what Millrace does not
 * accept.
 */
export function cipherFunction(spec: CipherSpec, properties: object): CipherFunction {
  const { major, subpath, name, takesAad, keySizes } = spec;
  const [least, most] = spec.nonceSizes;
  const cipher = (key: Uint8Array, nonce: Uint8Array, ...more: Uint8Array[]): Cipher => {
    const [aad] = more;
    const accepted =
      isUint8Array(key) &&
      keySizes.includes(key.length) &&
      isUint8Array(nonce) &&
      nonce.length >= least &&
      nonce.length <= most &&
      (aad === undefined || (takesAad && isUint8Array(aad))) &&
      more.length <= 1;
    if (!accepted) return original(major, 'ciphers', subpath, name)(key, nonce, ...more);
    return new MessageCipher(spec, aad === undefined ? [key, nonce] : [key, nonce, aad]);
  };
  return Object.assign(cipher, properties) as unknown as CipherFunction;
}

/** A cipher with a tag. */
interface SealedSpec extends Pick<CipherSpec, 'keySizes' | 'nonceSizes' | 'invalid'> {
  readonly aead: Aead;
  /** True if encrypt and decrypt take memory for the result. */
  readonly takesOutput: boolean;
  /** The properties of noble's function besides those of every cipher with a tag. */
  readonly properties: object;
}

/** Returns the maker of a cipher with a tag. */
export function sealed(
  subpath: string,
  name: string,
  specOf: (major: MajorVersion) => SealedSpec,
): Maker<CipherFunction> {
  return backed(subpath, name, (major) => {
    const { aead, takesOutput, properties, ...others } = specOf(major);
    const memoryFor = (output: Uint8Array | undefined, size: number): FreshBytes | undefined => {
      if (output !== undefined && !takesOutput) throw new Error('cipher output not supported');
      return targetOf(output, size);
    };
    const encrypt: Compute = ([key, nonce, aad = NO_BYTES], data, output) => {
      const target = memoryFor(output, data.length + 16);
      if (target !== undefined) aead.seal(key!, nonce!, aad, data, target);
      return target;
    };
    const decrypt: Compute = ([key, nonce, aad = NO_BYTES], data, output) => {
      if (data.length < 16) {
        throw new Error(
          major === 1
            ? 'invalid ciphertext length: smaller than tagLength=16'
            : '"ciphertext" expected length >= tagLength=16',
        );
      }
      const target = memoryFor(output, data.length - 16);
      if (target !== undefined) aead.open(key!, nonce!, aad, data, target);
      return target;
    };
    const spec = { major, subpath, name, takesAad: true, encrypt, decrypt, ...others };
    const withAAD = major === 2 && { withAAD: true };
    return cipherFunction(spec, { tagLength: 16, ...withAAD, ...properties });
  });
}

/**
 * Returns the memory of the result, the caller's with the type that noble gives it; undefined if
 * noble must check it.
 */
export function targetOf(output: Uint8Array | undefined, size: number): FreshBytes | undefined {
  if (output === undefined) return new Uint8Array(size);
  const aligned = isUint8Array(output) && output.byteOffset % 4 === 0;
  return aligned && output.length === size ? (output as FreshBytes) : undefined;
}
