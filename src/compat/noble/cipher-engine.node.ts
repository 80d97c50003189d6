/** Ciphers and key wrapping of millrace/noble-ciphers: by the engine that is chosen. */
import type { FreshBytes } from '../../base/platform-types.js';
import { deriveSync } from '../../kdf/derive.js';
import { unwrapKeyParser, wrapKeyParser } from '../../kdf/key-wrap.js';
import { cipherParser, openParser, sealParser } from '../../operations/cipher.js';
import { runSync } from '../../scheduling/run.js';

/** Algorithms by the size of the key. */
type Algorithms = Readonly<Record<number, string>>;

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

function aead(algorithms: Algorithms): Aead {
  return {
    takes: (keySize) => keySize in algorithms,
    seal(key, nonce, aad, source, target) {
      const options = { key, nonce, source, aad, target };
      runSync(sealParser.fill, [algorithms[key.length], options], 2);
    },
    open(key, nonce, aad, source, target) {
      const options = { key, nonce, source, aad, target };
      return failureOf(() => runSync(openParser.fill, [algorithms[key.length], options], 2));
    },
  };
}

/** Returns the error of data that is not authentic. */
function failureOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_AUTHENTICATION') return error;
    throw error;
  }
}

function stream(algorithms: Algorithms): StreamCipher {
  return {
    takes: (keySize) => keySize in algorithms,
    apply(key, iv, source, target) {
      const options = { encrypt: true, key, iv, source, target };
      runSync(cipherParser.fill, [algorithms[key.length], options], 2);
    },
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
  return owned(deriveSync(wrapKeyParser, wrapArguments(padded, key, source), 2));
}

/** Returns an unwrapped key; an error if it is not authentic. */
export function unwrapKey(padded: boolean, key: Uint8Array, source: Uint8Array): unknown {
  let found: unknown;
  const failure = failureOf(() => {
    found = deriveSync(unwrapKeyParser, wrapArguments(padded, key, source), 2);
  });
  return failure ?? owned(found);
}

function wrapArguments(
  padded: boolean,
  key: Uint8Array,
  source: Uint8Array,
): readonly [string, object] {
  return [`aes-${8 * key.length}-kw${padded ? 'p' : ''}`, { key, source }];
}

/** Returns a Uint8Array instead of a Buffer; secret results have memory of their own. */
function owned(result: unknown): FreshBytes {
  const { buffer, byteOffset, length } = result as FreshBytes;
  return new Uint8Array(buffer, byteOffset, length);
}
