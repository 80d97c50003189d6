/**
 * AES-128-GCM-SIV and AES-256-GCM-SIV (RFC 8452): the tag is the nonce of the text. The tag is
 * needed to decrypt, and the text to verify the tag: opening decrypts first and wipes the text if
 * the tag is wrong.
 */
import { Aes, Counter } from './aes.js';
import type { PortableCipher } from './contract.js';
import { Ghash, sizesBlock } from './ghash.js';
import { blockOf, bytesOfWords, littleEndianWords, move, sameTag } from './text.js';

/** Prepares a key of 16 or 32 bytes. */
export function aesGcmSiv(key: Uint8Array): PortableCipher {
  const master = new Aes(key);
  const size = key.length;
  return {
    seal(nonce, aad, source, target, tag) {
      const keys = new MessageKeys(master, size, nonce);
      const right = keys.tag(aad, source);
      move(source, target);
      keys.apply(right, target);
      tag.set(right);
      keys.dispose();
    },
    open(nonce, aad, source, target, tag) {
      const keys = new MessageKeys(master, size, nonce);
      const given = new Uint8Array(tag);
      move(source, target);
      keys.apply(given, target);
      const right = keys.tag(aad, target);
      keys.dispose();
      const same = sameTag(right, given);
      right.fill(0);
      if (!same) target.fill(0);
      return same;
    },
    dispose: () => master.dispose(),
  };
}

/** The keys of one message. */
class MessageKeys {
  readonly #aes: Aes;
  readonly #polyval: Ghash;
  readonly #nonce: Uint8Array;

  constructor(master: Aes, size: number, nonce: Uint8Array) {
    this.#nonce = new Uint8Array(nonce);
    const derived = new Int32Array((16 + size) / 4);
    const block = new Int32Array(4);
    for (let number = 0; 2 * number < derived.length; number++) {
      new Uint8Array(block.buffer).set(nonce, 4);
      littleEndianWords(block);
      block[0] = number;
      master.encrypt(block);
      derived.set(block.subarray(0, 2), 2 * number);
    }
    this.#polyval = new Ghash(derived, true);
    this.#aes = new Aes(bytesOfWords(derived.subarray(4)));
    derived.fill(0);
    block.fill(0);
  }

  tag(aad: Uint8Array, text: Uint8Array): Uint8Array {
    const sum = new Int32Array(4);
    this.#polyval.absorb(sum, aad);
    this.#polyval.absorb(sum, text);
    this.#polyval.absorbBlock(sum, sizesBlock(aad.length, text.length, true));
    const tag = bytesOfWords(sum);
    for (const [index, byte] of this.#nonce.entries()) tag[index]! ^= byte;
    tag[15]! &= 0x7f;
    this.#aes.encrypt(littleEndianWords(sum));
    return bytesOfWords(sum);
  }

  /** Encrypts or decrypts in place. */
  apply(tag: Uint8Array, text: Uint8Array): void {
    const counter = blockOf(tag);
    counter[3]! |= 1 << 31;
    this.#aes.count(counter, Counter.First, text);
  }

  dispose(): void {
    this.#aes.dispose();
    this.#polyval.dispose();
  }
}
