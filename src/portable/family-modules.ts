/** The modules of ciphers, key wrapping and key derivation; recipes.ts has those of hashes. */
import type { AeadCalls, StreamCalls } from './families/ciphers.js';
import { progressOf, type DeriveCalls, type WrapCalls } from './families/derivations.js';
import { Family } from './families/family.js';
import type { PartsCalls } from './families/parts.js';
import { extendKey } from './families/xaes.js';
import { module as aesCtrText } from './modules/aes-ctr.js';
import { module as aesGcmText } from './modules/aes-gcm.js';
import { module as aesGcmSivText } from './modules/aes-gcm-siv.js';
import { module as argon2Text } from './modules/argon2.js';
import { module as blake3PartsText } from './modules/blake3-parts.js';
import { module as chacha20Text } from './modules/chacha20.js';
import { module as chachaPolyText } from './modules/chacha20-poly1305.js';
import { module as keyWrapText } from './modules/key-wrap.js';
import { module as scryptText } from './modules/scrypt.js';
import { part } from './windows.js';

/** XAES-256-GCM: the module of AES-GCM, under a key that AES-CTR's derives. */
class ExtendedGcm extends Family<AeadCalls> {
  override open(): AeadCalls {
    const calls = super.open();
    const begin: AeadCalls['begin'] = (message, key, keySize, nonce, _, ...aad) => {
      const bytes = this.bytes();
      extendKey(aesCtr, part(bytes, key, keySize), part(bytes, nonce, 12));
      return calls.begin(message, key, keySize, nonce + 12, 12, ...aad);
    };
    return { ...calls, begin };
  }
}

export const aesCtr = /* @__PURE__ */ new Family<StreamCalls>('aes-ctr', aesCtrText);
export const aesGcm = /* @__PURE__ */ new Family<AeadCalls>('aes-gcm', aesGcmText);
export const xaesGcm = /* @__PURE__ */ new ExtendedGcm('aes-gcm', aesGcmText);
export const aesGcmSiv = /* @__PURE__ */ new Family<AeadCalls>('aes-gcm-siv', aesGcmSivText);
export const chacha20 = /* @__PURE__ */ new Family<StreamCalls>('chacha20', chacha20Text);
export const chachaPoly = /* @__PURE__ */ new Family<AeadCalls>(
  'chacha20-poly1305',
  chachaPolyText,
);
export const blake3Parts = /* @__PURE__ */ new Family<PartsCalls>('blake3-parts', blake3PartsText);
export const keyWrap = /* @__PURE__ */ new Family<WrapCalls>('key-wrap', keyWrapText);
export const scrypt = /* @__PURE__ */ new Family<DeriveCalls>('scrypt', scryptText, progressOf);
export const argon2 = /* @__PURE__ */ new Family<DeriveCalls>('argon2', argon2Text, progressOf);
