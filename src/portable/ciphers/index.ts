/** The ciphers of the catalog, in JavaScript. */
import { aesCtr } from './aes-ctr.js';
import { aesGcm } from './aes-gcm.js';
import { aesGcmSiv } from './aes-gcm-siv.js';
import { chacha20 } from './chacha.js';
import { chacha20Poly1305, xchacha20Poly1305 } from './chacha-poly.js';
import type { PortableCipher, PrepareCipher } from './contract.js';

export type { PortableCipher } from './contract.js';

/** By their numbers in the catalog. */
const ciphers: readonly PrepareCipher[] = [
  aesCtr,
  aesCtr,
  aesCtr,
  chacha20,
  aesGcm,
  aesGcm,
  aesGcm,
  chacha20Poly1305,
  xchacha20Poly1305,
  aesGcmSiv,
  aesGcmSiv,
];

/** Prepares a key, whose size was checked, for a cipher by its number in the catalog. */
export function prepareCipher(id: number, key: Uint8Array): PortableCipher {
  return ciphers[id]!(key);
}
