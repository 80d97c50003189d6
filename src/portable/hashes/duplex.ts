/**
 * The sponge of Keccak's family: bytes go into the rate of a state, and come out of it once the
 * message has ended. The permutation is in keccak-rounds.ts.
 */
import { permute } from './keccak-rounds.js';
import { BLOCKS_MIN, StateError, type Blocks } from './contract.js';
import { checkSize, read32, write32 } from './fields.js';

/** The bytes of a saved state: lanes, place in the rate, whether the message has ended. */
export const DUPLEX_STATE = 200 + 2;

/** See above. */
export class Duplex {
  readonly rate: number;
  readonly #rounds: number;
  /** The lanes, low half first. */
  readonly #lanes = new Int32Array(50);
  /** The position in the rate of the next byte of input or output. */
  at = 0;
  squeezing = false;
  #blocks: Blocks | undefined;

  constructor(rate: number, rounds: number) {
    this.rate = rate;
    this.#rounds = rounds;
  }

  /** Sets or removes the accelerator. */
  accelerate(blocks: Blocks | undefined): void {
    this.#blocks = blocks;
  }

  begin(): void {
    this.#lanes.fill(0);
    this.at = 0;
    this.squeezing = false;
  }

  /** Overwrites what the state contains of the message. */
  wipe(): void {
    this.#lanes.fill(0);
  }

  /** Loads a saved state; only an extendable output has states that squeeze. */
  load(state: Uint8Array, xof: boolean): void {
    checkSize(state, DUPLEX_STATE);
    const at = state[200]!;
    const ended = state[201]!;
    const valid = ended === 0 ? at < this.rate : ended === 1 && at <= this.rate && xof;
    if (!valid) throw new StateError();
    this.readLanes(state);
    this.at = at;
    this.squeezing = ended === 1;
  }

  save(next: Uint8Array): void {
    this.writeLanes(next);
    next[200] = this.at;
    next[201] = this.squeezing ? 1 : 0;
  }

  absorb(source: Uint8Array): void {
    const lanes = this.#lanes;
    const rounds = this.#rounds;
    const { rate } = this;
    const size = source.length;
    let { at } = this;
    let from = 0;
    // The rate is whole words, so single bytes end at a word's border or with the source.
    for (; (at & 3) !== 0 && from < size; at++, from++)
      lanes[at >> 2]! ^= source[from]! << (8 * (at & 3));
    if (at > 0 && at + size - from >= rate) {
      for (; at < rate; at += 4, from += 4) lanes[at >> 2]! ^= read32(source, from);
      permute(lanes, rounds);
      at = 0;
    }
    if (this.#blocks !== undefined && size - from >= BLOCKS_MIN) {
      const end = size - ((size - from) % rate);
      const words = new Uint8Array(200);
      this.writeLanes(words);
      this.#blocks(words, source.subarray(from, end));
      this.readLanes(words);
      words.fill(0);
      from = end;
    }
    if (size - from >= rate) {
      const view = new DataView(source.buffer, source.byteOffset, size);
      const words = rate / 4;
      for (; from + rate <= size; from += rate) {
        for (let index = 0; index < words; index++)
          lanes[index]! ^= view.getInt32(from + 4 * index, true);
        permute(lanes, rounds);
      }
    }
    for (; from + 4 <= size; at += 4, from += 4) lanes[at >> 2]! ^= read32(source, from);
    for (; from < size; at++, from++) lanes[at >> 2]! ^= source[from]! << (8 * (at & 3));
    this.at = at;
  }

  /** Fills the rest of the current block, if it has begun, with zeros. */
  endBlock(): void {
    if (this.at === 0) return;
    permute(this.#lanes, this.#rounds);
    this.at = 0;
  }

  /** Ends the message with a byte that tells the functions apart. */
  pad(mark: number): void {
    const lanes = this.#lanes;
    lanes[this.at >> 2]! ^= mark << (8 * (this.at & 3));
    lanes[this.rate / 4 - 1]! ^= 0x80 << 24;
    permute(lanes, this.#rounds);
    this.at = 0;
    this.squeezing = true;
  }

  /** Writes the next bytes of output. */
  give(target: Uint8Array): void {
    const lanes = this.#lanes;
    const { rate } = this;
    const size = target.length;
    let { at } = this;
    for (let to = 0; to < size;) {
      if (at === rate) {
        permute(lanes, this.#rounds);
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
    this.at = at;
  }

  readLanes(state: Uint8Array): void {
    for (let index = 0; index < 50; index++) this.#lanes[index] = read32(state, 4 * index);
  }

  writeLanes(state: Uint8Array): void {
    for (let index = 0; index < 50; index++) write32(state, 4 * index, this.#lanes[index]!);
  }
}
