/**
 * What the portable engine asks of a cipher. The sizes of all arguments were checked against the
 * catalog before; nothing given is kept after a call but what {@link prepareCipher} copied of the
 * key.
 */

/**
 * The prepared key of a cipher: a stream cipher has `apply`, an AEAD has `seal` and `open`. May be
 * used as often as one likes until it is disposed; calls do not overlap, as each runs to its end.
 *
 * `source` and `target` are of one size and may be the same bytes, lie over each other from either
 * side, or be apart, at any alignment. Iv, nonce and tag may lie in the target; `aad` must not.
 */
export interface PortableCipher {
  /**
   * Encrypts or decrypts, which is the same. `iv` is the first counter block (AES-CTR), or counter
   * and nonce as OpenSSL has them (ChaCha20).
   */
  apply?(iv: Uint8Array, source: Uint8Array, target: Uint8Array): void;
  /** Encrypts, and writes as many bytes of the tag as `tag` has. */
  seal?(
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
  ): void;
  /**
   * Decrypts if `tag`, whole or cut short, is the right one; otherwise the whole target is zero,
   * and the answer false.
   */
  open?(
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
    tag: Uint8Array,
  ): boolean;
  /** Wipes what was prepared of the key. */
  dispose(): void;
}

/** Prepares a key, of which nothing is kept but copies. */
export type PrepareCipher = (key: Uint8Array) => PortableCipher;
