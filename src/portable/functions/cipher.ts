/** Ciphers of millrace/portable. */
import { makeError, wrongTag } from '../../base/errors.js';
import { ownOptions, type Accepted } from '../../base/options.js';
import { applyStream, FamilyAead, type AeadCalls, type StreamCalls } from '../families/ciphers.js';
import { Family } from '../families/family.js';
import {
  accepted,
  bytes,
  data,
  memory,
  NO_BYTES,
  unsigned,
  type Bytes,
  type Data,
  type Result,
} from './inputs.js';

/** The arguments of a stream cipher. Sizes in bytes. */
export interface CipherOptions {
  /** The key, of the algorithm's size: 16, 24 or 32 bytes. */
  readonly key: Bytes;
  /** The iv, 16 bytes. Never use an iv twice with a key. */
  readonly iv: Bytes;
  /** The text to encrypt or decrypt. A string means its UTF-8 encoding. */
  readonly source: Data;
}

/**
 * A stream cipher. It does not authenticate: changing the ciphertext changes the plaintext
 * undetected.
 */
export interface Cipher {
  /**
   * Encrypts and returns new memory.
   *
   * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_KEY_SIZE, ERR_IV_SIZE
   */
  encrypt(options: CipherOptions): Result;
  /**
   * Decrypts and returns new memory.
   *
   * @throws MillraceError as encrypt
   */
  decrypt(options: CipherOptions): Result;
  /** The standard name, for example `aes-256-ctr`. */
  readonly algorithm: string;
  /** The key's size in bytes. */
  readonly keySize: number;
  /** The iv's size in bytes. */
  readonly ivSize: number;
}

/** The arguments of sealing. Sizes in bytes. */
export interface SealOptions {
  /** The key, of the algorithm's size: 16, 24 or 32 bytes. */
  readonly key: Bytes;
  /**
   * The nonce: 12 bytes, 24 for xchacha20-poly1305 and xaes-256-gcm; GCM takes 1 to 128 bytes, 12
   * are recommended. Never use a nonce twice with a key. Without it
   * `seal` generates a random nonce and puts it before the ciphertext, where `open` without a nonce
   * reads it. Prefer xchacha20_poly1305 or xaes_256_gcm for random nonces; with the others seal at
   * most 2^32 messages with one key.
   */
  readonly nonce?: Bytes | undefined;
  /** The message. A string means its UTF-8 encoding. */
  readonly source: Data;
  /**
   * Additional authenticated data: authenticated but not encrypted. Opening needs the same data.
   */
  readonly aad?: Data;
  /** Size of the tag: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

/** The arguments of opening. Sizes in bytes. */
export interface OpenOptions extends Omit<SealOptions, 'source'> {
  /** The ciphertext with the tag appended, as seal returned it. */
  readonly source: Bytes;
}

/** An authenticated cipher. */
export interface Aead {
  /**
   * Encrypts and appends the tag.
   *
   * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
   *   ERR_KEY_SIZE, ERR_IV_SIZE, ERR_TAG_SIZE
   */
  seal(options: SealOptions): Result;
  /**
   * Decrypts a result of {@link Aead.seal}.
   *
   * @throws MillraceError as seal; ERR_SOURCE_SIZE for less than a tag; ERR_AUTHENTICATION if key,
   *   nonce, aad or ciphertext differ
   */
  open(options: OpenOptions): Result;
  /** The standard name, for example `aes-256-gcm`. */
  readonly algorithm: string;
  /** The key's size in bytes. */
  readonly keySize: number;
  /** The nonce's size in bytes. */
  readonly nonceSize: number;
  /** The tag's default size in bytes. */
  readonly tagSize: number;
}

/** Makes a stream cipher of a module. */
export function makeCipher(
  algorithm: string,
  family: Family<StreamCalls>,
  keySize: number,
): Cipher {
  const ivSize = 16;
  const takes: Accepted<keyof CipherOptions> = accepted(algorithm, 'key iv source');
  const apply = (given: unknown, name: string): Result => {
    if (given === undefined)
      throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an options object`);
    const { key, iv, source } = ownOptions<Record<keyof CipherOptions, unknown>>(
      given,
      'options',
      takes,
    );
    const text = data(source, 'source');
    const secret = sized(key, keySize, 'key', 'ERR_KEY_SIZE', algorithm);
    const first = sized(iv, ivSize, 'iv', 'ERR_IV_SIZE', algorithm);
    const target = memory(text.length);
    applyStream(family, secret, first, text, target);
    return target;
  };
  return {
    encrypt: (given) => apply(given, 'encrypt'),
    decrypt: (given) => apply(given, 'decrypt'),
    algorithm,
    keySize,
    ivSize,
  };
}

const SEAL_NAMES = 'key nonce source aad authTagLength';

/** The options of each function of an AEAD. */
const takesOf: Readonly<Record<'seal' | 'open', Accepted<keyof SealOptions>>> = {
  seal: /* @__PURE__ */ accepted('seal', SEAL_NAMES),
  open: /* @__PURE__ */ accepted('open', SEAL_NAMES),
};

/** The longest nonce of GCM. */
const GCM_NONCE_MAX = 128;

/**
 * Makes an authenticated cipher of a module; `tagMin` is the catalog's: 4 for GCM, of which tags of
 * 12 to 16 bytes are accepted, and nonces of other sizes (NIST SP 800-38D), otherwise 16.
 */
export function makeAead(
  algorithm: string,
  family: Family<AeadCalls>,
  keySize: number,
  nonceSize: number,
  tagMin: number,
): Aead {
  const aead = new FamilyAead(family);
  const tagSize = 16;
  const gcm = tagMin === 4;
  const readNonce = (nonce: unknown): Uint8Array => {
    const view = bytes(nonce, 'nonce');
    const fits = gcm && view.length >= 1 && view.length <= GCM_NONCE_MAX;
    if (fits || view.length === nonceSize) return view;
    const others = gcm ? ` (or another number from 1 to ${GCM_NONCE_MAX})` : '';
    throw makeError(
      'ERR_IV_SIZE',
      `nonce must be ${nonceSize} bytes${others} for ${algorithm}, not ${view.length}`,
    );
  };
  const read = (given: unknown, name: 'seal' | 'open') => {
    if (given === undefined)
      throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an options object`);
    const { key, nonce, source, aad, authTagLength } = ownOptions<
      Record<keyof SealOptions, unknown>
    >(given, 'options', takesOf[name]);
    const size = authTagLength === undefined ? tagSize : unsigned(authTagLength, 'authTagLength');
    if (size > tagSize || size < (gcm ? 12 : tagSize)) {
      throw makeError(
        'ERR_TAG_SIZE',
        `authTagLength must be ${gcm ? '12 to ' : ''}${tagSize} bytes for ${algorithm}, not ${size}`,
      );
    }
    const text = name === 'seal' ? data(source, 'source') : bytes(source, 'source');
    const secret = sized(key, keySize, 'key', 'ERR_KEY_SIZE', algorithm);
    const number = nonce === undefined ? undefined : readNonce(nonce);
    return {
      secret,
      number,
      text,
      size,
      protectedToo: aad === undefined ? NO_BYTES : data(aad, 'aad'),
    };
  };
  const seal = (given: unknown): Result => {
    const { secret, number, text, size, protectedToo } = read(given, 'seal');
    const start = number === undefined ? nonceSize : 0;
    const end = start + text.length;
    const sealed = memory(end + size);
    const first = number ?? globalThis.crypto.getRandomValues(sealed.subarray(0, start));
    const target = sealed.subarray(start, end);
    aead.seal(secret, first, protectedToo, text, target, sealed.subarray(end));
    return sealed;
  };
  const open = (given: unknown): Result => {
    const { secret, number, text, size, protectedToo } = read(given, 'open');
    const start = number === undefined ? nonceSize : 0;
    const end = text.length - size;
    if (end < start)
      throw makeError(
        'ERR_SOURCE_SIZE',
        `source must hold at least ${start + size} bytes for ` +
          `${start === 0 ? 'the tag' : 'nonce and tag'}, not ${text.length}`,
      );
    const opened = memory(end - start);
    const right = aead.open(
      secret,
      number ?? text.subarray(0, start),
      protectedToo,
      text.subarray(start, end),
      opened,
      text.subarray(end),
    );
    if (!right) throw wrongTag();
    return opened;
  };
  return { seal, open, algorithm, keySize, nonceSize, tagSize };
}

function sized(
  value: unknown,
  size: number,
  name: string,
  code: 'ERR_KEY_SIZE' | 'ERR_IV_SIZE',
  algorithm: string,
): Uint8Array {
  const view = bytes(value, name);
  if (view.length === size) return view;
  throw makeError(code, `${name} must be ${size} bytes for ${algorithm}, not ${view.length}`);
}
