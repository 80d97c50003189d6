/** AES-GCM (NIST SP 800-38D). */
import { Aes, Counter } from './aes.js';
import type { PortableCipher } from './contract.js';
import { Ghash, sizesBlock } from './ghash.js';
import { bytesOfWords, littleEndianWords, move, sameTag, swapped } from './text.js';

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
      const first = firstBlock(nonce, ghash);
      const counter = nextBlock(first);
      move(source, target);
      aes.count(counter, Counter.Last, target);
      tag.set(tagOf(first, aad, target).subarray(0, tag.length));
    },
    open(nonce, aad, source, target, tag) {
      const counter = firstBlock(nonce, ghash);
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

/**
 * Returns the first counter block: a nonce of 12 bytes and the number 1, otherwise GHASH of the
 * nonce and its size (section 7.1).
 */
export function firstBlock(nonce: Uint8Array, ghash: Ghash): Int32Array {
  const block = new Int32Array(4);
  if (nonce.length !== 12) {
    ghash.absorb(block, nonce);
    ghash.absorbBlock(block, sizesBlock(0, nonce.length));
    return block;
  }
  new Uint8Array(block.buffer).set(nonce);
  littleEndianWords(block);
  block[3] = 1 << 24;
  return block;
}

/** Returns the counter block after this one. */
export function nextBlock(block: Int32Array): Int32Array {
  const next = block.slice();
  next[3] = swapped((swapped(block[3]!) + 1) | 0);
  return next;
}
