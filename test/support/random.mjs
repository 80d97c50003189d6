// Random numbers that can be had again: every file that draws from here prints its seed, and
// MILLRACE_SEED=<number> in the environment gives it back.

import { randomInt } from 'node:crypto';
import { diagnostic } from './notes.mjs';

export const seed = readSeed();
diagnostic(`MILLRACE_SEED=${seed}`);

/**
 * Returns the generator of a file; `random('name')` returns one with numbers that do not depend on
 * test order.
 */
export function random(name) {
  let state = seed >>> 0;
  for (const unit of name) state = Math.imul(state ^ unit.charCodeAt(0), 0x01000193) >>> 0;
  return new Random(state);
}

class Random {
  #words;

  constructor(state) {
    // splitmix32 spreads the seed over the state of xoshiro128**.
    const split = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let word = state;
      word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      return (word ^ (word >>> 15)) >>> 0;
    };
    this.#words = new Uint32Array([split(), split(), split(), split()]);
  }

  /** Returns an unsigned 32-bit number. */
  word() {
    const words = this.#words;
    const rotate = (word, by) => (word << by) | (word >>> (32 - by));
    const result = Math.imul(rotate(Math.imul(words[1], 5), 7), 9) >>> 0;
    const moved = words[1] << 9;
    words[2] ^= words[0];
    words[3] ^= words[1];
    words[1] ^= words[2];
    words[0] ^= words[3];
    words[2] ^= moved;
    words[3] = rotate(words[3], 11);
    return result;
  }

  /** Returns an integer from 0 to `end`, `end` excluded. */
  below(end) {
    return Math.floor((this.word() / 2 ** 32) * end);
  }

  /** Returns an integer from `first` to `last`, both included. */
  between(first, last) {
    return first + this.below(last - first + 1);
  }

  chance(probability) {
    return this.word() / 2 ** 32 < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  bytes(size) {
    const words = new Uint32Array(Math.ceil(size / 4));
    for (let index = 0; index < words.length; index++) words[index] = this.word();
    return Buffer.from(words.buffer, 0, size);
  }
}

function readSeed() {
  const given = process.env.MILLRACE_SEED;
  if (given === undefined || given === '') return randomInt(2 ** 32);
  if (!/^\d+$/.test(given) || Number(given) >= 2 ** 32)
    throw new RangeError('MILLRACE_SEED must be an integer below 2^32');
  return Number(given);
}
