/** Ciphers in pieces: a message that arrives in updates of any size. */
import type { Poly1305 } from '@noble/ciphers/_poly1305.js';
import { Aes, Counter } from './aes.js';
import { firstBlock, nextBlock } from './aes-gcm.js';
import { addKeystream, derivedKey, stateOf } from './chacha.js';
import { firstBlock as firstChaChaBlock, macOf, sizesOf } from './chacha-poly.js';
import { Ghash, sizesBlock } from './ghash.js';
import { blockOf, bytesOfWords } from './text.js';

/** A message on its way through a cipher. */
export interface RunningMessage {
  /** Encrypts or decrypts the next bytes in place. */
  update(text: Uint8Array): void;
  /** Returns the whole tag; empty for a stream cipher. */
  tag(): Uint8Array;
  copy(): RunningMessage;
  /** Wipes the message. */
  dispose(): void;
}

/** Keystream, and what of its last block has not been used. */
class Keystream {
  readonly #block: Uint8Array;
  #used: number;

  /** `add` adds the next keystream to a text of whole blocks. */
  constructor(
    readonly add: (text: Uint8Array) => void,
    block: 16 | 64,
    from?: Keystream,
  ) {
    this.#block = new Uint8Array(block);
    this.#used = block;
    if (from === undefined) return;
    this.#block.set(from.#block);
    this.#used = from.#used;
  }

  apply(text: Uint8Array): void {
    const block = this.#block;
    let at = 0;
    while (at < text.length && this.#used < block.length) text[at++]! ^= block[this.#used++]!;
    const whole = text.length - at - ((text.length - at) % block.length);
    if (whole > 0) this.add(text.subarray(at, at + whole));
    at += whole;
    if (at === text.length) return;
    block.fill(0);
    this.add(block);
    this.#used = 0;
    while (at < text.length) text[at++]! ^= block[this.#used++]!;
  }

  dispose(): void {
    this.#block.fill(0);
  }
}

/** AES-CTR. */
export function runningCtr(key: Uint8Array, iv: Uint8Array): RunningMessage {
  const kept = key.slice();
  return ctr(kept, new Aes(kept), blockOf(iv));
}

function ctr(key: Uint8Array, aes: Aes, counter: Int32Array, from?: Keystream): RunningMessage {
  const stream = new Keystream((text) => aes.count(counter, Counter.Whole, text), 16, from);
  return {
    update: (text) => stream.apply(text),
    tag: () => new Uint8Array(0),
    copy: () => ctr(key.slice(), new Aes(key), counter.slice(), stream),
    dispose() {
      key.fill(0);
      counter.fill(0);
      aes.dispose();
      stream.dispose();
    },
  };
}

/** ChaCha20. */
export function runningChaCha(key: Uint8Array, iv: Uint8Array): RunningMessage {
  return chacha(stateOf(key, iv));
}

function chacha(state: Int32Array, from?: Keystream): RunningMessage {
  const stream = new Keystream((text) => addKeystream(state, text), 64, from);
  return {
    update: (text) => stream.apply(text),
    tag: () => new Uint8Array(0),
    copy: () => chacha(state.slice(), stream),
    dispose() {
      state.fill(0);
      stream.dispose();
    },
  };
}

/** A MAC of the ciphertext. */
interface Mac {
  update(text: Uint8Array): void;
  tag(): Uint8Array;
  copy(): Mac;
  dispose(): void;
}

/** An AEAD of a stream cipher and a MAC of the ciphertext. */
function authenticated(encrypt: boolean, stream: RunningMessage, mac: Mac): RunningMessage {
  return {
    update(text) {
      if (!encrypt) mac.update(text);
      stream.update(text);
      if (encrypt) mac.update(text);
    },
    tag: () => mac.tag(),
    copy: () => authenticated(encrypt, stream.copy(), mac.copy()),
    dispose() {
      stream.dispose();
      mac.dispose();
    },
  };
}

/** AES-GCM. */
export function runningGcm(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  encrypt: boolean,
): RunningMessage {
  const aes = new Aes(key);
  const hashKey = new Int32Array(4);
  aes.encrypt(hashKey);
  const first = firstBlock(nonce, new Ghash(hashKey));
  const mask = new Uint8Array(16);
  const counter = nextBlock(first);
  aes.count(first, Counter.Last, mask);
  const mac = new GcmMac(hashKey, mask, aad.length);
  mac.begin(aad);
  return authenticated(encrypt, gcmStream(key.slice(), aes, counter), mac);
}

function gcmStream(
  key: Uint8Array,
  aes: Aes,
  counter: Int32Array,
  from?: Keystream,
): RunningMessage {
  const stream = new Keystream((text) => aes.count(counter, Counter.Last, text), 16, from);
  return {
    update: (text) => stream.apply(text),
    tag: () => new Uint8Array(0),
    copy: () => gcmStream(key.slice(), new Aes(key), counter.slice(), stream),
    dispose() {
      key.fill(0);
      counter.fill(0);
      aes.dispose();
      stream.dispose();
    },
  };
}

/** GHASH of additional data and ciphertext, and the block that masks it. */
class GcmMac implements Mac {
  readonly #ghash: Ghash;
  #sum = new Int32Array(4);
  readonly #block = new Uint8Array(16);
  #size = 0;

  constructor(
    readonly hashKey: Int32Array,
    readonly mask: Uint8Array,
    readonly aadSize: number,
  ) {
    this.#ghash = new Ghash(hashKey);
  }

  begin(aad: Uint8Array): void {
    this.#ghash.absorb(this.#sum, aad);
  }

  update(text: Uint8Array): void {
    const block = this.#block;
    let at = 0;
    const filled = this.#size % 16;
    this.#size += text.length;
    if (filled > 0) {
      const count = Math.min(16 - filled, text.length);
      block.set(text.subarray(0, count), filled);
      at = count;
      if (filled + count < 16) return;
      this.#ghash.absorb(this.#sum, block);
    }
    const whole = text.length - at - ((text.length - at) % 16);
    this.#ghash.absorb(this.#sum, text.subarray(at, at + whole));
    block.set(text.subarray(at + whole));
  }

  tag(): Uint8Array {
    this.#ghash.absorb(this.#sum, this.#block.subarray(0, this.#size % 16));
    this.#ghash.absorbBlock(this.#sum, sizesBlock(this.aadSize, this.#size));
    const tag = bytesOfWords(this.#sum);
    this.#sum = new Int32Array(4);
    for (let index = 0; index < 16; index++) tag[index]! ^= this.mask[index]!;
    return tag;
  }

  copy(): GcmMac {
    const copy = new GcmMac(this.hashKey.slice(), this.mask.slice(), this.aadSize);
    copy.#sum.set(this.#sum);
    copy.#block.set(this.#block);
    copy.#size = this.#size;
    return copy;
  }

  dispose(): void {
    this.#ghash.dispose();
    this.#sum.fill(0);
    this.#block.fill(0);
    this.hashKey.fill(0);
    this.mask.fill(0);
  }
}

/** ChaCha20-Poly1305, and XChaCha20-Poly1305 with a nonce of 24 bytes. */
export function runningChaChaPoly(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  encrypt: boolean,
): RunningMessage {
  const extended = nonce.length === 24;
  const own = extended ? derivedKey(key, nonce.subarray(0, 16)) : key;
  const state = stateOf(own, firstChaChaBlock(extended ? nonce.subarray(16) : nonce));
  if (extended) own.fill(0);
  const poly = new PolyMac(macOf(state), aad.length);
  poly.update(aad);
  poly.pad();
  return authenticated(encrypt, chacha(state), poly);
}

/** Poly1305 copies its input, so it gets this many bytes at a time. */
const MAC_RUN_BYTES = 65_536;

class PolyMac implements Mac {
  #size = 0;

  constructor(
    readonly poly: Poly1305,
    readonly aadSize: number,
  ) {}

  update(text: Uint8Array): void {
    this.#size += text.length;
    for (let at = 0; at < text.length; at += MAC_RUN_BYTES)
      this.poly.update(text.subarray(at, at + MAC_RUN_BYTES));
  }

  /** Ends the additional data. */
  pad(): void {
    if (this.#size % 16 !== 0) this.poly.update(new Uint8Array(16 - (this.#size % 16)));
    this.#size = 0;
  }

  tag(): Uint8Array {
    const size = this.#size;
    this.pad();
    this.poly.update(sizesOf(this.aadSize, size));
    return this.poly.digest();
  }

  copy(): PolyMac {
    const copy = new PolyMac(copyOfPoly(this.poly), this.aadSize);
    copy.#size = this.#size;
    return copy;
  }

  dispose(): void {
    this.poly.destroy();
  }
}

/** The library has no copy: its state is in numbers and typed arrays. */
function copyOfPoly(poly: Poly1305): Poly1305 {
  const copy = Object.create(Object.getPrototypeOf(poly) as object) as Poly1305;
  for (const [name, value] of Object.entries(poly) as [string, unknown][])
    (copy as unknown as Record<string, unknown>)[name] = ArrayBuffer.isView(value)
      ? (value as Uint8Array).slice()
      : value;
  return copy;
}
