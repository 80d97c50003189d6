/** The types of what calls that encrypt take, and calls that prepare or wrap keys. */
import type { Bytes, Data } from '../base/arguments.js';
import type { EngineOptions } from '../engines/engines.js';
import type { KeyInput } from '../request/key-input.js';
import type { CryptoKey, KeyObject } from '#platform/base/runtime.js';

/** Options of {@link seal}. Sizes are in bytes. */
export interface SealOptions extends EngineOptions {
  /**
   * The key: 16, 24 or 32 bytes, depending on the algorithm, or a key prepared for it. Copied at
   * the call.
   */
  readonly key: KeyInput;
  /**
   * The nonce: 12 bytes (24 for xchacha20-poly1305 and xaes-256-gcm; GCM accepts 1 to 128). Never
   * use one twice with a key. Copied at the call. Without it `seal` generates a random nonce and
   * puts it before the ciphertext, where `open` without a nonce reads it. Use xchacha20-poly1305 or
   * xaes-256-gcm for that: random nonces of 24 bytes do not repeat. With the 12-byte nonces of the
   * others seal at most 2^32 messages with one key (NIST SP 800-38D, 8.3); a prepared key counts
   * them and then refuses with ERR_NONCE_LIMIT.
   */
  readonly nonce?: Bytes | undefined;
  /** The message. */
  readonly source: Data;
  /**
   * Additional authenticated data: authenticated, not encrypted, required again to open. Copied at
   * the call.
   */
  readonly aad?: Data;
  /** Size of the tag: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
  /**
   * True to commit to key and aad: a salt of 24 bytes and a commitment of 32 go before the
   * ciphertext, and the message opens under this key, algorithm and aad only. `open` needs the same
   * option. Not with a nonce: key and nonce of the message are derived from the salt, so that any
   * number of messages can be sealed.
   */
  readonly commit?: boolean;
}

/** Options of {@link open}. Sizes are in bytes. */
export interface OpenOptions extends EngineOptions {
  /** The key the message was sealed with. */
  readonly key: KeyInput;
  /**
   * The nonce the message was sealed with. Without it the source begins with the nonce, as `seal`
   * without a nonce returns it.
   */
  readonly nonce?: Bytes | undefined;
  /** The ciphertext with the tag appended, as seal returned it. */
  readonly source: Bytes;
  /** The additional authenticated data the message was sealed with. */
  readonly aad?: Data;
  /** Size of the tag at the end of the source: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
  /** True for a message that was sealed with `commit`. */
  readonly commit?: boolean;
}

/** Options of {@link cipher}. Sizes are in bytes. */
export interface CipherOptions extends EngineOptions {
  /** True (or 1) to encrypt, false (or 0) to decrypt. */
  readonly encrypt: boolean | 0 | 1;
  /** The key, or a key prepared for the algorithm. Copied at the call. */
  readonly key: KeyInput;
  /**
   * The iv: 16 bytes for CTR and chacha20, 12 for GCM (1 to 128 are accepted) and
   * chacha20-poly1305, 24 for xchacha20-poly1305 and xaes-256-gcm. Copied at the call.
   */
  readonly iv: Bytes;
  /** The text to encrypt or decrypt. */
  readonly source: Data;
  /** AEAD only: additional authenticated data. */
  readonly aad?: Data;
  /**
   * Required for an AEAD: written when encrypting, checked when decrypting. 16 bytes; 12 to 16 for
   * GCM.
   */
  readonly tag?: Bytes | undefined;
}

/**
 * Where to write the result instead of returning it. The call is then zero-copy: source and target
 * are lent.
 */
export interface TextTargetOptions<T extends Bytes | undefined = Bytes> {
  /**
   * Receives the result. It may be the source or overlap it. The call returns the number of bytes
   * written.
   */
  readonly target: T;
  /** The offset in the target, in bytes. Default: 0. */
  readonly targetOffset?: number | undefined;
}

/** Options of {@link createKey}. */
export interface CreateKeyOptions extends EngineOptions {}

/** The keys of `wrapKey`. */
export interface WrapKeyOptions extends EngineOptions {
  /** The wrapping key: bytes, a secret KeyObject or an extractable secret CryptoKey. */
  readonly key: Bytes | KeyObject | CryptoKey;
  /** The key to wrap, in the same forms. */
  readonly source: Bytes | KeyObject | CryptoKey;
}

/** The keys of `unwrapKey`. */
export interface UnwrapKeyOptions extends EngineOptions {
  /** The wrapping key: bytes, a secret KeyObject or an extractable secret CryptoKey. */
  readonly key: Bytes | KeyObject | CryptoKey;
  /** The wrapped key. */
  readonly source: Bytes;
}
