/**
 * ChaCha20 (RFC 8439), alone with the 16-byte iv of OpenSSL: the block number (8 bytes) and the
 * rest of the nonce (8 bytes).
 *
 * Not from @noble/ciphers, which refuses a block number that carries into the second word, and the
 * last one before it; OpenSSL and the native engine continue.
 */
import type { PortableCipher } from './contract.js';
import { bytesOfWords, littleEndianWords, move, transform } from './text.js';

/** Prepares a key of 32 bytes. */
export function chacha20(key: Uint8Array): PortableCipher {
  const kept = new Uint8Array(key);
  return {
    apply(iv, source, target) {
      const state = stateOf(kept, iv);
      move(source, target);
      addKeystream(state, target);
      state.fill(0);
    },
    dispose: () => void kept.fill(0),
  };
}

/** The state before the rounds, of a key and of the 16 bytes that number and nonce are. */
export function stateOf(key: Uint8Array, iv: Uint8Array): Int32Array {
  const state = new Int32Array(16);
  const bytes = new Uint8Array(state.buffer);
  bytes.set(key, 16);
  bytes.set(iv, 48);
  littleEndianWords(state);
  // "expand 32-byte k"
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  return state;
}

/**
 * XChaCha20's key for the rest of the nonce: HChaCha20 of its first 16 bytes
 * (draft-irtf-cfrg-xchacha-03, section 2.2).
 */
export function derivedKey(key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const state = stateOf(key, nonce);
  const block = new Int32Array(16);
  addBlocks(state.slice(), block);
  const derived = new Int32Array(8);
  for (let index = 0; index < 4; index++) {
    // A block is the state after the rounds plus that before, which is not wanted here.
    derived[index] = block[index]! - state[index]!;
    derived[4 + index] = block[12 + index]! - state[12 + index]!;
  }
  state.fill(0);
  block.fill(0);
  return bytesOfWords(derived);
}

/** Adds the keystream to a text, in place, and counts the block number up. */
export function addKeystream(state: Int32Array, text: Uint8Array): void {
  transform(text, 64, (words) => addBlocks(state, words));
}

function addBlocks(state: Int32Array, text: Int32Array): void {
  for (let at = 0; at < text.length; at += 16) {
    addBlock(state, text, at);
    state[12] = state[12]! + 1;
    if (state[12] === 0) state[13] = state[13]! + 1;
  }
}

/** Quarter rounds written out, on locals: four times as fast as in a loop over an array. */
function addBlock(state: Int32Array, text: Int32Array, at: number): void {
  let x0 = state[0]!;
  let x1 = state[1]!;
  let x2 = state[2]!;
  let x3 = state[3]!;
  let x4 = state[4]!;
  let x5 = state[5]!;
  let x6 = state[6]!;
  let x7 = state[7]!;
  let x8 = state[8]!;
  let x9 = state[9]!;
  let x10 = state[10]!;
  let x11 = state[11]!;
  let x12 = state[12]!;
  let x13 = state[13]!;
  let x14 = state[14]!;
  let x15 = state[15]!;
  for (let round = 0; round < 20; round += 2) {
    x0 = (x0 + x4) | 0;
    x12 ^= x0;
    x12 = (x12 << 16) | (x12 >>> 16);
    x8 = (x8 + x12) | 0;
    x4 ^= x8;
    x4 = (x4 << 12) | (x4 >>> 20);
    x0 = (x0 + x4) | 0;
    x12 ^= x0;
    x12 = (x12 << 8) | (x12 >>> 24);
    x8 = (x8 + x12) | 0;
    x4 ^= x8;
    x4 = (x4 << 7) | (x4 >>> 25);
    x1 = (x1 + x5) | 0;
    x13 ^= x1;
    x13 = (x13 << 16) | (x13 >>> 16);
    x9 = (x9 + x13) | 0;
    x5 ^= x9;
    x5 = (x5 << 12) | (x5 >>> 20);
    x1 = (x1 + x5) | 0;
    x13 ^= x1;
    x13 = (x13 << 8) | (x13 >>> 24);
    x9 = (x9 + x13) | 0;
    x5 ^= x9;
    x5 = (x5 << 7) | (x5 >>> 25);
    x2 = (x2 + x6) | 0;
    x14 ^= x2;
    x14 = (x14 << 16) | (x14 >>> 16);
    x10 = (x10 + x14) | 0;
    x6 ^= x10;
    x6 = (x6 << 12) | (x6 >>> 20);
    x2 = (x2 + x6) | 0;
    x14 ^= x2;
    x14 = (x14 << 8) | (x14 >>> 24);
    x10 = (x10 + x14) | 0;
    x6 ^= x10;
    x6 = (x6 << 7) | (x6 >>> 25);
    x3 = (x3 + x7) | 0;
    x15 ^= x3;
    x15 = (x15 << 16) | (x15 >>> 16);
    x11 = (x11 + x15) | 0;
    x7 ^= x11;
    x7 = (x7 << 12) | (x7 >>> 20);
    x3 = (x3 + x7) | 0;
    x15 ^= x3;
    x15 = (x15 << 8) | (x15 >>> 24);
    x11 = (x11 + x15) | 0;
    x7 ^= x11;
    x7 = (x7 << 7) | (x7 >>> 25);
    x0 = (x0 + x5) | 0;
    x15 ^= x0;
    x15 = (x15 << 16) | (x15 >>> 16);
    x10 = (x10 + x15) | 0;
    x5 ^= x10;
    x5 = (x5 << 12) | (x5 >>> 20);
    x0 = (x0 + x5) | 0;
    x15 ^= x0;
    x15 = (x15 << 8) | (x15 >>> 24);
    x10 = (x10 + x15) | 0;
    x5 ^= x10;
    x5 = (x5 << 7) | (x5 >>> 25);
    x1 = (x1 + x6) | 0;
    x12 ^= x1;
    x12 = (x12 << 16) | (x12 >>> 16);
    x11 = (x11 + x12) | 0;
    x6 ^= x11;
    x6 = (x6 << 12) | (x6 >>> 20);
    x1 = (x1 + x6) | 0;
    x12 ^= x1;
    x12 = (x12 << 8) | (x12 >>> 24);
    x11 = (x11 + x12) | 0;
    x6 ^= x11;
    x6 = (x6 << 7) | (x6 >>> 25);
    x2 = (x2 + x7) | 0;
    x13 ^= x2;
    x13 = (x13 << 16) | (x13 >>> 16);
    x8 = (x8 + x13) | 0;
    x7 ^= x8;
    x7 = (x7 << 12) | (x7 >>> 20);
    x2 = (x2 + x7) | 0;
    x13 ^= x2;
    x13 = (x13 << 8) | (x13 >>> 24);
    x8 = (x8 + x13) | 0;
    x7 ^= x8;
    x7 = (x7 << 7) | (x7 >>> 25);
    x3 = (x3 + x4) | 0;
    x14 ^= x3;
    x14 = (x14 << 16) | (x14 >>> 16);
    x9 = (x9 + x14) | 0;
    x4 ^= x9;
    x4 = (x4 << 12) | (x4 >>> 20);
    x3 = (x3 + x4) | 0;
    x14 ^= x3;
    x14 = (x14 << 8) | (x14 >>> 24);
    x9 = (x9 + x14) | 0;
    x4 ^= x9;
    x4 = (x4 << 7) | (x4 >>> 25);
  }
  text[at]! ^= x0 + state[0]!;
  text[at + 1]! ^= x1 + state[1]!;
  text[at + 2]! ^= x2 + state[2]!;
  text[at + 3]! ^= x3 + state[3]!;
  text[at + 4]! ^= x4 + state[4]!;
  text[at + 5]! ^= x5 + state[5]!;
  text[at + 6]! ^= x6 + state[6]!;
  text[at + 7]! ^= x7 + state[7]!;
  text[at + 8]! ^= x8 + state[8]!;
  text[at + 9]! ^= x9 + state[9]!;
  text[at + 10]! ^= x10 + state[10]!;
  text[at + 11]! ^= x11 + state[11]!;
  text[at + 12]! ^= x12 + state[12]!;
  text[at + 13]! ^= x13 + state[13]!;
  text[at + 14]! ^= x14 + state[14]!;
  text[at + 15]! ^= x15 + state[15]!;
}
