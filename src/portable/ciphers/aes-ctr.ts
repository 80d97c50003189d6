/**
 * AES in counter mode (NIST SP 800-38A): the iv is the first counter block; all its 16 bytes are
 * the counter, which wraps.
 */
import { Aes, Counter } from './aes.js';
import type { PortableCipher } from './contract.js';
import { blockOf, move } from './text.js';

/** Prepares a key of 16, 24 or 32 bytes. */
export function aesCtr(key: Uint8Array): PortableCipher {
  const aes = new Aes(key);
  return {
    apply(iv, source, target) {
      const counter = blockOf(iv);
      move(source, target);
      aes.count(counter, Counter.Whole, target);
    },
    dispose: () => aes.dispose(),
  };
}
