/**
 * The interface of a cipher in the portable engine. Callers have checked all sizes against the
 * catalog. A call keeps none of its arguments; {@link prepareCipher} copies the key.
 */

/**
 * A prepared key: a stream cipher has `apply`, an AEAD has `seal` and `open`. It may be used until
 * it is disposed; calls do not overlap.
 *
 * `source` and `target` have the same size. They may be the same bytes, overlap in either direction
 * or be apart, at any alignment. Iv, nonce and tag may be in the target; `aad` must not.
 */
export interface PortableCipher {
  /**
   * Encrypts or decrypts, which is the same. `iv` is the first counter block (AES-CTR), or counter
   * and nonce as in OpenSSL (ChaCha20).
   */
  apply?(iv: Uint8Array, source: Uint8Array, target: Uint8Array): void;
  /** Encrypts and writes the first `tag.length` bytes of the tag. */
  seal?(
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
  ): void;
  /**
   * Decrypts if `tag`, whole or truncated, is right. Otherwise zeroes the target and returns false.
   */
  open?(
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
  ): boolean;
  /** Wipes the prepared key. */
  dispose(): void;
}

/** Prepares a key; keeps copies only. */
export type PrepareCipher = (key: Uint8Array) => PortableCipher;
