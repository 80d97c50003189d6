/**
 * ChaCha20-Poly1305 (RFC 8439), and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with 24-byte
 * nonces. Poly1305 is from @noble/ciphers.
 */
import { Poly1305 } from '@noble/ciphers/_poly1305.js';
import { addKeystream, derivedKey, stateOf } from './chacha.js';
import type { PortableCipher } from './contract.js';
import { move, sameTag } from './text.js';

/** Prepares a key of 32 bytes. */
export function chacha20Poly1305(key: Uint8Array): PortableCipher {
  return withState(key, (kept, nonce) => stateOf(kept, firstBlock(nonce)));
}

/** Prepares a key of 32 bytes. */
export function xchacha20Poly1305(key: Uint8Array): PortableCipher {
  return withState(key, (kept, nonce) => {
    const derived = derivedKey(kept, nonce.subarray(0, 16));
    const state = stateOf(derived, firstBlock(nonce.subarray(16)));
    derived.fill(0);
    return state;
  });
}

/** Block number 0, followed by the nonce. */
export function firstBlock(nonce: Uint8Array): Uint8Array {
  const block = new Uint8Array(16);
  block.set(nonce, 16 - nonce.length);
  return block;
}

function withState(
  key: Uint8Array,
  stateAt: (key: Uint8Array, nonce: Uint8Array) => Int32Array,
): PortableCipher {
  const kept = new Uint8Array(key);
  return {
    seal(nonce, aad, source, target, tag) {
      const state = stateAt(kept, nonce);
      const mac = macOf(state);
      move(source, target);
      addKeystream(state, target);
      tag.set(tagOf(mac, aad, target).subarray(0, tag.length));
      state.fill(0);
    },
    open(nonce, aad, source, target, tag) {
      const state = stateAt(kept, nonce);
      const given = new Uint8Array(tag);
      // Read once, because it may be in shared memory: the bytes decrypted are those verified.
      move(source, target);
      const right = tagOf(macOf(state), aad, target);
      const same = sameTag(right, given);
      right.fill(0);
      if (same) addKeystream(state, target);
      else target.fill(0);
      state.fill(0);
      return same;
    },
    dispose: () => void kept.fill(0),
  };
}

/** Keys Poly1305 with the keystream's first block; leaves the state at the text's first block. */
export function macOf(state: Int32Array): Poly1305 {
  const block = new Uint8Array(64);
  addKeystream(state, block);
  const mac = new Poly1305(block.subarray(0, 32));
  block.fill(0);
  return mac;
}

/** Poly1305 copies its input, so it gets this many bytes at a time. */
const MAC_RUN_BYTES = 65_536;

function tagOf(mac: Poly1305, aad: Uint8Array, text: Uint8Array): Uint8Array {
  for (const part of [aad, text]) {
    for (let at = 0; at < part.length; at += MAC_RUN_BYTES)
      mac.update(part.subarray(at, at + MAC_RUN_BYTES));
    if (part.length % 16 !== 0) mac.update(new Uint8Array(16 - (part.length % 16)));
  }
  mac.update(sizesOf(aad.length, text.length));
  return mac.digest();
}

/** The last block: the sizes of additional data and text. */
export function sizesOf(aad: number, text: number): Uint8Array {
  const sizes = new DataView(new ArrayBuffer(16));
  for (const [at, size] of [
    [0, aad],
    [8, text],
  ] as const) {
    sizes.setUint32(at, size >>> 0, true);
    sizes.setUint32(at + 4, Math.floor(size / 2 ** 32), true);
  }
  return new Uint8Array(sizes.buffer);
}
