/**
 * SHA-3, SHAKE and the original Keccak: one sponge over the permutation in keccak-rounds.ts.
 */
import { permute } from './keccak-rounds.js';
import {
  BLOCKS_MIN,
  StateError,
  type Blocks,
  type HashParams,
  type PortableHash,
} from './contract.js';
import { checkSize, read32, write32 } from './fields.js';

/** The final byte of the original Keccak, before NIST added domain bits. */
export const KECCAK = 0x01;
/** The final byte of SHA-3. */
export const SHA3 = 0x06;
/** The final byte of SHAKE. */
const SHAKE = 0x1f;

/** Lanes, place in the rate, whether the message has ended. */
const STATE = 200 + 2;

/** The lanes of the sponge in use, low half first; shared by all hashes. */
const lanes = /* @__PURE__ */ new Int32Array(50);

/** A sponge with a rate in bytes and a final byte. */
export class Sponge implements PortableHash {
  readonly #rate: number;
  readonly #mark: number;
  /** The position in the rate of the next byte of input or output. */
  #at = 0;
  #squeezing = false;
  #blocks: Blocks | undefined;

  constructor(rate: number, mark: number) {
    this.#rate = rate;
    this.#mark = mark;
  }

  /** Sets or removes the accelerator. */
  accelerate(blocks: Blocks | undefined): void {
    this.#blocks = blocks;
  }

  digest(_params: HashParams, source: Uint8Array, target: Uint8Array): void {
    this.#at = 0;
    this.#absorb(source);
    this.#pad();
    this.#give(target);
    lanes.fill(0);
  }

  update(_params: HashParams, state: Uint8Array, source: Uint8Array, next: Uint8Array): void {
    this.#resume(state);
    this.#absorb(source);
    this.#save(next);
  }

  finish(_params: HashParams, state: Uint8Array, rest: Uint8Array, target: Uint8Array): void {
    this.#resume(state);
    this.#absorb(rest);
    this.#pad();
    this.#give(target);
    lanes.fill(0);
  }

  check(_params: HashParams, state: Uint8Array): void {
    this.#load(state);
    lanes.fill(0);
  }

  /** Writes the next bytes of an extendable output. */
  protected more(state: Uint8Array, rest: Uint8Array, target: Uint8Array, next: Uint8Array): void {
    if (state.length === 0) this.#begin();
    else this.#load(state);
    if (this.#squeezing && rest.length > 0) refuse();
    if (!this.#squeezing) {
      this.#absorb(rest);
      this.#pad();
    }
    this.#give(target);
    this.#save(next);
  }

  #begin(): void {
    lanes.fill(0);
    this.#at = 0;
    this.#squeezing = false;
  }

  #load(state: Uint8Array): void {
    checkSize(state, STATE);
    const at = state[200]!;
    const ended = state[201]!;
    const valid =
      ended === 0 ? at < this.#rate : ended === 1 && at <= this.#rate && this.#mark === SHAKE;
    if (!valid) throw new StateError();
    readLanes(state);
    this.#at = at;
    this.#squeezing = ended === 1;
  }

  /** Loads a state that still takes input; an empty state is a new hash. */
  #resume(state: Uint8Array): void {
    if (state.length === 0) return this.#begin();
    this.#load(state);
    if (this.#squeezing) refuse();
  }

  #save(next: Uint8Array): void {
    writeLanes(next);
    next[200] = this.#at;
    next[201] = this.#squeezing ? 1 : 0;
    lanes.fill(0);
  }

  #absorb(source: Uint8Array): void {
    const rate = this.#rate;
    const size = source.length;
    let at = this.#at;
    let from = 0;
    // The rate is whole words, so single bytes end at a word's border or with the source.
    for (; (at & 3) !== 0 && from < size; at++, from++)
      lanes[at >> 2]! ^= source[from]! << (8 * (at & 3));
    if (at > 0 && at + size - from >= rate) {
      for (; at < rate; at += 4, from += 4) lanes[at >> 2]! ^= read32(source, from);
      permute(lanes);
      at = 0;
    }
    if (this.#blocks !== undefined && size - from >= BLOCKS_MIN) {
      const end = size - ((size - from) % rate);
      const words = new Uint8Array(200);
      writeLanes(words);
      this.#blocks(words, source.subarray(from, end));
      readLanes(words);
      words.fill(0);
      from = end;
    }
    if (size - from >= rate) {
      const view = new DataView(source.buffer, source.byteOffset, size);
      const words = rate / 4;
      for (; from + rate <= size; from += rate) {
        for (let index = 0; index < words; index++)
          lanes[index]! ^= view.getInt32(from + 4 * index, true);
        permute(lanes);
      }
    }
    for (; from + 4 <= size; at += 4, from += 4) lanes[at >> 2]! ^= read32(source, from);
    for (; from < size; at++, from++) lanes[at >> 2]! ^= source[from]! << (8 * (at & 3));
    this.#at = at;
  }

  /** Ends the message. */
  #pad(): void {
    lanes[this.#at >> 2]! ^= this.#mark << (8 * (this.#at & 3));
    lanes[this.#rate / 4 - 1]! ^= 0x80 << 24;
    permute(lanes);
    this.#at = 0;
    this.#squeezing = true;
  }

  /** Writes the next bytes of output. */
  #give(target: Uint8Array): void {
    const rate = this.#rate;
    const size = target.length;
    let at = this.#at;
    for (let to = 0; to < size;) {
      if (at === rate) {
        permute(lanes);
        at = 0;
      }
      if ((at & 3) === 0 && to + 4 <= size) {
        write32(target, to, lanes[at >> 2]!);
        at += 4;
        to += 4;
      } else {
        target[to++] = lanes[at >> 2]! >>> (8 * (at & 3));
        at++;
      }
    }
    this.#at = at;
  }
}

/** SHAKE, an extendable output. */
export class Shake extends Sponge {
  constructor(rate: number) {
    super(rate, SHAKE);
  }

  squeeze(
    _params: HashParams,
    state: Uint8Array,
    rest: Uint8Array,
    target: Uint8Array,
    next: Uint8Array,
  ): void {
    this.more(state, rest, target, next);
  }
}

function readLanes(state: Uint8Array): void {
  for (let index = 0; index < 50; index++) lanes[index] = read32(state, 4 * index);
}

function writeLanes(state: Uint8Array): void {
  for (let index = 0; index < 50; index++) write32(state, 4 * index, lanes[index]!);
}

/** Refuses a valid state in the wrong phase. */
function refuse(): never {
  lanes.fill(0);
  throw new StateError();
}
