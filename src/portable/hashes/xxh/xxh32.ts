/** XXH32. */
import { read32 } from '../fields.js';
import { FourLanes } from './four-lanes.js';
import { PRIME32_1, PRIME32_2, PRIME32_3, PRIME32_4, PRIME32_5 } from './wide.js';

/** XXH32; takes the low 32 bits of the seed. */
export class Xxh32 extends FourLanes {
  constructor() {
    super(16);
  }

  protected override begin(): void {
    const { seed, first } = this;
    seed[1] = 0;
    first[0] = seed[0]! + PRIME32_1 + PRIME32_2;
    first[1] = seed[0]! + PRIME32_2;
    first[2] = seed[0]!;
    first[3] = seed[0]! - PRIME32_1;
  }

  protected override consume(view: DataView, from: number, end: number): void {
    const { lanes } = this;
    let a = lanes[0]!;
    let b = lanes[1]!;
    let c = lanes[2]!;
    let d = lanes[3]!;
    for (let at = from; at < end; at += 16) {
      a = round(a, view.getInt32(at, true));
      b = round(b, view.getInt32(at + 4, true));
      c = round(c, view.getInt32(at + 8, true));
      d = round(d, view.getInt32(at + 12, true));
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
  }

  protected override end(rest: Uint8Array, from: number, long: boolean, target: Uint8Array): void {
    const { lanes } = this;
    let hash = long
      ? rotated(lanes[0]!, 1) +
        rotated(lanes[1]!, 7) +
        rotated(lanes[2]!, 12) +
        rotated(lanes[3]!, 18)
      : this.seed[0]! + PRIME32_5;
    hash = (hash + this.length.low) | 0;
    let at = from;
    for (; at + 4 <= rest.length; at += 4)
      hash = Math.imul(rotated((hash + Math.imul(read32(rest, at), PRIME32_3)) | 0, 17), PRIME32_4);
    for (; at < rest.length; at++)
      hash = Math.imul(rotated((hash + Math.imul(rest[at]!, PRIME32_5)) | 0, 11), PRIME32_1);
    hash = Math.imul(hash ^ (hash >>> 15), PRIME32_2);
    hash = Math.imul(hash ^ (hash >>> 13), PRIME32_3);
    hash ^= hash >>> 16;
    for (let index = 0; index < 4; index++) target[index] = hash >>> (24 - 8 * index);
  }
}

function rotated(number: number, bits: number): number {
  return (number << bits) | (number >>> (32 - bits));
}

function round(lane: number, word: number): number {
  return Math.imul(rotated((lane + Math.imul(word, PRIME32_2)) | 0, 13), PRIME32_1);
}
