/** ChaCha20, ChaCha20-Poly1305 and XChaCha20-Poly1305. */
import { isUint8Array } from '../../../base/intrinsics.js';
import * as ciphers from '#platform/compat/noble/cipher-engine.js';
import { sealed, type Aead, type CipherFunction, type XorStream } from '../cipher-objects.js';
import { backed, original, type Maker } from '../original.js';

function chacha(name: string, aead: Aead, nonceLength: number): Maker<CipherFunction> {
  return sealed('chacha', name, () => ({
    aead,
    keySizes: [32],
    nonceSizes: [nonceLength, nonceLength],
    takesOutput: true,
    invalid: 'invalid tag',
    properties: { blockSize: 64, nonceLength },
  }));
}

export const chacha20poly1305 = /* @__PURE__ */ chacha(
  'chacha20poly1305',
  ciphers.chacha20Poly1305,
  12,
);
export const xchacha20poly1305 = /* @__PURE__ */ chacha(
  'xchacha20poly1305',
  ciphers.xchacha20Poly1305,
  24,
);

/** ChaCha20 with a nonce of 12 bytes and a block counter (RFC 8439). */
export const chacha20: Maker<XorStream> = /* @__PURE__ */ backed(
  'chacha',
  'chacha20',
  (major) =>
    (key, nonce, data, output, counter = 0) => {
      const accepted =
        isUint8Array(key) &&
        key.length === 32 &&
        isUint8Array(nonce) &&
        nonce.length === 12 &&
        isUint8Array(data) &&
        (output === undefined || (isUint8Array(output) && output.length === data.length)) &&
        Number.isSafeInteger(counter) &&
        counter >= 0 &&
        counter + Math.ceil(data.length / 64) < 2 ** 32 - 1;
      if (!accepted)
        return original(major, 'ciphers', 'chacha', 'chacha20')(key, nonce, data, output, counter);
      const iv = new Uint8Array(16);
      new DataView(iv.buffer).setUint32(0, counter, true);
      iv.set(nonce, 4);
      const target = output ?? new Uint8Array(data.length);
      ciphers.chacha20(key, iv, data, target);
      return target;
    },
);
