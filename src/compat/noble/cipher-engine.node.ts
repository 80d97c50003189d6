/** Ciphers and key wrapping of millrace/noble-ciphers: by the engine that is chosen. */
import type { FreshBytes } from '../../base/platform-types.js';
import { unwrapKeyParser, wrapKeyParser } from '../../kdf/key-wrap.js';
import { cipherParser, openParser, sealParser } from '../../operations/cipher.js';
import { runSync } from '../../scheduling/run.js';
import type { Aead, StreamCipher } from './cipher-objects.js';
import { derived } from './derive-by-parser.js';

/** Algorithms by the size of the key. */
type Algorithms = Readonly<Record<number, string>>;

function aead(algorithms: Algorithms): Aead {
  const crypt =
    ({ fill }: typeof sealParser): Aead['seal'] =>
    (key, nonce, aad, source, target) => {
      const options = { key, nonce, source, aad, target };
      runSync(fill, [algorithms[key.length], options], 2);
    };
  return { seal: crypt(sealParser), open: crypt(openParser) };
}

function stream(algorithms: Algorithms): StreamCipher {
  return (key, iv, source, target) => {
    const options = { encrypt: true, key, iv, source, target };
    runSync(cipherParser.fill, [algorithms[key.length], options], 2);
  };
}

export const aesCtr: StreamCipher = stream({
  16: 'aes-128-ctr',
  24: 'aes-192-ctr',
  32: 'aes-256-ctr',
});
export const aesGcm: Aead = aead({ 16: 'aes-128-gcm', 24: 'aes-192-gcm', 32: 'aes-256-gcm' });
export const aesGcmSiv: Aead = aead({ 16: 'aes-128-gcm-siv', 32: 'aes-256-gcm-siv' });
export const chacha20: StreamCipher = stream({ 32: 'chacha20' });
export const chacha20Poly1305: Aead = aead({ 32: 'chacha20-poly1305' });
export const xchacha20Poly1305: Aead = aead({ 32: 'xchacha20-poly1305' });

/** Returns a wrapped key (RFC 3394, RFC 5649). */
export function wrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): FreshBytes {
  return derived(wrapKeyParser, wrapArguments(padded, key, source));
}

/** Returns an unwrapped key. Throws ERR_AUTHENTICATION if it is not authentic. */
export function unwrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): FreshBytes {
  return derived(unwrapKeyParser, wrapArguments(padded, key, source));
}

function wrapArguments(padded: boolean, key: Uint8Array, source: Uint8Array): unknown[] {
  return [`aes-${8 * key.length}-kw${padded ? 'p' : ''}`, { key, source }];
}
