/** AES-GCM (NIST SP 800-38D) with nonces of 12 bytes. */
import { Aes, Counter } from './aes.js';
import type { PortableCipher } from './contract.js';
import { Ghash, sizesBlock } from './ghash.js';
import { bytesOfWords, littleEndianWords, move, sameTag } from './text.js';

/** Prepares a key of 16, 24 or 32 bytes. */
export function aesGcm(key: Uint8Array): PortableCipher {
  const aes = new Aes(key);
  const hashKey = new Int32Array(4);
  aes.encrypt(hashKey);
  const ghash = new Ghash(hashKey);
  hashKey.fill(0);

  /** Returns the tag of a ciphertext, encrypted with the keystream's first block. */
  function tagOf(counter: Int32Array, aad: Uint8Array, text: Uint8Array): Uint8Array {
    const sum = new Int32Array(4);
    ghash.absorb(sum, aad);
    ghash.absorb(sum, text);
    ghash.absorbBlock(sum, sizesBlock(aad.length, text.length));
    const tag = bytesOfWords(sum);
    aes.count(counter, Counter.Last, tag);
    return tag;
  }

  return {
    seal(nonce, aad, source, target, tag) {
      const [counter, first] = [firstBlock(nonce, 2), firstBlock(nonce, 1)];
      move(source, target);
      aes.count(counter, Counter.Last, target);
      tag.set(tagOf(first, aad, target).subarray(0, tag.length));
    },
    open(nonce, aad, source, target, tag) {
      const counter = firstBlock(nonce, 1);
      const given = new Uint8Array(tag);
      // Read once, because it may be in shared memory: the bytes decrypted are those verified.
      move(source, target);
      // Leaves the counter at the text's first block.
      const right = tagOf(counter, aad, target);
      const same = sameTag(right, given);
      right.fill(0);
      if (same) aes.count(counter, Counter.Last, target);
      else target.fill(0);
      return same;
    },
    dispose() {
      aes.dispose();
      ghash.dispose();
    },
  };
}

/** The counter block of a nonce and a number below 256. */
function firstBlock(nonce: Uint8Array, number: number): Int32Array {
  const block = new Int32Array(4);
  new Uint8Array(block.buffer).set(nonce);
  littleEndianWords(block);
  block[3] = number << 24;
  return block;
}
