/** Ciphers and key wrapping of millrace/noble-ciphers: each by the module of its family. */
import {
  aeadOf,
  applyStream,
  type AeadCalls,
  type StreamCalls,
} from '../../portable/families/ciphers.js';
import { wrapWith } from '../../portable/families/derivations.js';
import type { Family } from '../../portable/families/family.js';
import * as modules from '../../portable/family-modules.js';
import { wrongTag } from '../../base/errors.js';
import type { FreshBytes } from '../../base/platform-types.js';

/** A cipher with a tag. */
export interface Aead {
  /** Returns true for a size of keys. */
  takes(keySize: number): boolean;
  /** Encrypts; the target has 16 bytes more than the source. */
  seal(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
  ): void;
  /** Decrypts. Returns an error, and leaves a target of zeros, if the source is not authentic. */
  open(
    key: Uint8Array,
    nonce: Uint8Array,
    aad: Uint8Array,
    source: Uint8Array,
    target: Uint8Array,
  ): unknown;
}

/** A stream cipher. */
export interface StreamCipher {
  /** Returns true for a size of keys. */
  takes(keySize: number): boolean;
  /** Encrypts or decrypts. */
  apply(key: Uint8Array, iv: Uint8Array, source: Uint8Array, target: Uint8Array): void;
}

function aead(family: Family<AeadCalls>, ...keySizes: number[]): Aead {
  const cipher = aeadOf(family);
  return {
    takes: (keySize) => keySizes.includes(keySize),
    seal(key, nonce, aad, source, target) {
      const end = target.length - 16;
      cipher.seal(key, nonce, aad, source, target.subarray(0, end), target.subarray(end));
    },
    open(key, nonce, aad, source, target) {
      const end = source.length - 16;
      // A copy, as the target may be the memory of the source.
      const [text, tag] = [source.subarray(0, end), Uint8Array.from(source.subarray(end))];
      return cipher.open(key, nonce, aad, text, target, tag) ? undefined : wrongTag();
    },
  };
}

function stream(family: Family<StreamCalls>, ...keySizes: number[]): StreamCipher {
  return {
    takes: (keySize) => keySizes.includes(keySize),
    apply: (key, iv, source, target) => applyStream(family, key, iv, source, target),
  };
}

export const aesCtr: StreamCipher = /* @__PURE__ */ stream(modules.aesCtr, 16, 24, 32);
export const aesGcm: Aead = /* @__PURE__ */ aead(modules.aesGcm, 16, 24, 32);
export const aesGcmSiv: Aead = /* @__PURE__ */ aead(modules.aesGcmSiv, 16, 32);
export const chacha20: StreamCipher = /* @__PURE__ */ stream(modules.chacha20, 32);
export const chacha20Poly1305: Aead = /* @__PURE__ */ aead(modules.chachaPoly, 32);
export const xchacha20Poly1305: Aead = /* @__PURE__ */ aead(modules.chachaPoly, 32);

/** Returns a wrapped key (RFC 3394, RFC 5649). */
export function wrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): FreshBytes {
  const size = Math.ceil(source.length / 8) * 8 + 8;
  return wrapWith(modules.keyWrap, 'wrap', padded, key, source, size);
}

/** Returns an unwrapped key; an error if it is not authentic. */
export function unwrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): unknown {
  const found = wrapWith(modules.keyWrap, 'unwrap', padded, key, source, source.length - 8);
  return found.length > 0 ? found : wrongTag();
}
