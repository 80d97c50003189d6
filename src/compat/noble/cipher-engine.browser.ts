/** Ciphers and key wrapping of millrace/noble-ciphers: each by the module of its family. */
import {
  applyStream,
  FamilyAead,
  type AeadCalls,
  type StreamCalls,
} from '../../portable/families/ciphers.js';
import { wrapWith } from '../../portable/families/derivations.js';
import type { Family } from '../../portable/families/family.js';
import * as modules from '../../portable/family-modules.js';
import { wrongTag } from '../../base/errors.js';
import type { FreshBytes } from '../../base/platform-types.js';
import type { Aead, StreamCipher } from './cipher-objects.js';

function aead(family: Family<AeadCalls>): Aead {
  const cipher = new FamilyAead(family);
  return {
    seal(key, nonce, aad, source, target) {
      const end = target.length - 16;
      cipher.seal(key, nonce, aad, source, target.subarray(0, end), target.subarray(end));
    },
    open(key, nonce, aad, source, target) {
      const end = source.length - 16;
      // A copy, as the target may be the memory of the source.
      const [text, tag] = [source.subarray(0, end), Uint8Array.from(source.subarray(end))];
      if (!cipher.open(key, nonce, aad, text, target, tag)) throw wrongTag();
    },
  };
}

function stream(family: Family<StreamCalls>): StreamCipher {
  return (key, iv, source, target) => applyStream(family, key, iv, source, target);
}

export const aesCtr: StreamCipher = /* @__PURE__ */ stream(modules.aesCtr);
export const aesGcm: Aead = /* @__PURE__ */ aead(modules.aesGcm);
export const aesGcmSiv: Aead = /* @__PURE__ */ aead(modules.aesGcmSiv);
export const chacha20: StreamCipher = /* @__PURE__ */ stream(modules.chacha20);
export const chacha20Poly1305: Aead = /* @__PURE__ */ aead(modules.chachaPoly);
export const xchacha20Poly1305: Aead = chacha20Poly1305;

/** Returns a wrapped key (RFC 3394, RFC 5649). */
export function wrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): FreshBytes {
  const size = Math.ceil(source.length / 8) * 8 + 8;
  return wrapWith(modules.keyWrap, 'wrap', padded, key, source, size);
}

/** Returns an unwrapped key. Throws ERR_AUTHENTICATION if it is not authentic. */
export function unwrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): FreshBytes {
  const found = wrapWith(modules.keyWrap, 'unwrap', padded, key, source, source.length - 8);
  if (found.length > 0) return found;
  throw wrongTag();
}
