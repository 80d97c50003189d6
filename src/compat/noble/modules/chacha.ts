/** ChaCha20, ChaCha20-Poly1305 and XChaCha20-Poly1305. */
import { isUint8Array } from '../../../base/intrinsics.js';
import * as ciphers from '#platform/compat/noble/cipher-engine.js';
import { cipherFunction, type CipherFunction, type XorStream } from '../cipher-objects.js';
import { backed, original, type Maker } from '../original.js';

function sealed(name: string, aead: ciphers.Aead, nonceSize: number): Maker<CipherFunction> {
  return backed('chacha', name, (major) =>
    cipherFunction({
      major,
      subpath: 'chacha',
      name,
      properties: {
        blockSize: 64,
        nonceLength: nonceSize,
        tagLength: 16,
        ...(major === 2 ? { withAAD: true } : {}),
      },
      aead,
      stream: undefined,
      nonceSizes: [nonceSize, nonceSize],
      output: true,
      invalid: 'invalid tag',
    }),
  );
}

export const chacha20poly1305 = /* @__PURE__ */ sealed(
  'chacha20poly1305',
  ciphers.chacha20Poly1305,
  12,
);
export const xchacha20poly1305 = /* @__PURE__ */ sealed(
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
      ciphers.chacha20.apply(key, iv, data, target);
      return target;
    },
);
