/** The options of incremental ciphers. */
import { createCipherOptionNames, createDecipherOptionNames } from '../base/option-names.js';
import type { Bytes, Data } from '../base/arguments.js';
import type { EngineOptions } from '../engines/engines.js';
import type { KeyInput } from '../request/key-input.js';
import { accepted, type Accepted } from '../base/options.js';
import type { TransformOptions } from '#platform/hashers/hasher-stream.js';
import { streamNames } from '#platform/base/stream-types.js';

/** Options of {@link createCipher}, in addition to those of stream.Transform. Sizes in bytes. */
export interface CreateCipherOptions extends TransformOptions, EngineOptions {
  /** The key, or a key prepared for the algorithm. Copied at the call. */
  readonly key: KeyInput;
  /**
   * The nonce: 12 bytes for GCM (recommended; 1 to 128 are accepted) and chacha20-poly1305, 24 for
   * xchacha20-poly1305 and xaes-256-gcm, 16 for CTR and chacha20. Never use one twice with a key.
   * Copied at the call.
   */
  readonly nonce?: Bytes | undefined;
  /** Another name of `nonce`; give one of them. */
  readonly iv?: Bytes | undefined;
  /** AEAD only: additional authenticated data. Copied at the call. */
  readonly aad?: Data;
  /**
   * AEAD only: size of the tag, 16 by default. GCM also takes 12 to 15.
   */
  readonly authTagLength?: number | undefined;
}

/** Options of {@link createDecipher}, in addition to those of stream.Transform. Sizes in bytes. */
export interface CreateDecipherOptions extends CreateCipherOptions {
  /**
   * AEAD only: the tag, of `authTagLength` bytes. It may also be given later, with
   * {@link Decipher.setAuthTag}. Copied at the call.
   */
  readonly authTag?: Bytes | undefined;
  /**
   * AEAD only: true returns plaintext **before the tag is checked**. Anyone can have changed it:
   * do not act on it, show it or pass it on before `final` has returned. By default the plaintext
   * is held until then.
   */
  readonly unverified?: boolean | undefined;
}

export const cipherTakes: Accepted<keyof CreateCipherOptions> = accepted(
  'createCipher(algorithm)',
  ...streamNames,
  createCipherOptionNames,
);

/** For `copy` of a decipher. */
export const copyTakes: Accepted<keyof TransformOptions> = accepted('copy', ...streamNames);

export const decipherTakes: Accepted<keyof CreateDecipherOptions> = accepted(
  'createDecipher(algorithm)',
  ...streamNames,
  createDecipherOptionNames,
);
