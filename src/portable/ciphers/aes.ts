/**
 * AES (FIPS 197), encryption only, which all modes of the catalog use, and its counter modes.
 *
 * Not from @noble/ciphers, which is the oracle in tests: it looks up two bytes at once in tables of
 * 640 KiB, made at load time (20 ms). One table of 1 KiB, rotated for the other three columns,
 * stays in the L1 cache and does 125 MB/s instead of 100 (Node 20, Zen 4). Four tables of 1 KiB
 * were a sixth slower. The tables are indexed by secret bytes, as in every fast AES in JavaScript:
 * code that shares the CPU's cache may learn about the key. WebCrypto and the native engine have no
 * such leak.
 */
import { littleEndianWords, swapped, transform } from './text.js';

/** The counting mode of a counter block. */
export const enum Counter {
  /** All 16 bytes, big-endian: CTR. */
  Whole,
  /** The last 4 bytes, big-endian: GCM. */
  Last,
  /** The first 4 bytes, little-endian: GCM-SIV. */
  First,
}

/** Multiplies by x in GF(2^8). */
function doubled(byte: number): number {
  return ((byte << 1) ^ (0x11b & -(byte >> 7))) & 0xff;
}

const sbox = /* @__PURE__ */ makeSbox();
/**
 * The column, as a word, that a byte of the first row contributes: MixColumns of its substitute.
 */
const columns = /* @__PURE__ */ makeColumns();

function makeSbox(): Uint8Array {
  // Powers of 3, which generates the field: the inverse of 3^n is 3^(255 - n).
  const powers = new Uint8Array(256);
  for (let index = 0, value = 1; index < 256; index++, value ^= doubled(value))
    powers[index] = value;
  const box = new Uint8Array(256);
  box[0] = 0x63;
  for (let index = 0; index < 255; index++) {
    const inverse = powers[255 - index]! * 0x101;
    box[powers[index]!] =
      inverse ^ (inverse >> 4) ^ (inverse >> 5) ^ (inverse >> 6) ^ (inverse >> 7) ^ 0x63;
  }
  return box;
}

function makeColumns(): Int32Array {
  return Int32Array.from(sbox, (byte) => {
    const twice = doubled(byte);
    return ((twice ^ byte) << 24) | (byte << 16) | (byte << 8) | twice;
  });
}

function substituted(word: number): number {
  return (
    sbox[word & 255]! |
    (sbox[(word >>> 8) & 255]! << 8) |
    (sbox[(word >>> 16) & 255]! << 16) |
    (sbox[word >>> 24]! << 24)
  );
}

/** The round keys of a key of 16, 24 or 32 bytes. */
export class Aes {
  readonly #keys: Int32Array;

  constructor(key: Uint8Array) {
    const words = key.length / 4;
    const keys = new Int32Array(key.length + 28);
    new Uint8Array(keys.buffer).set(key);
    littleEndianWords(keys.subarray(0, words));
    for (let index = words, round = 1; index < keys.length; index++) {
      let word = keys[index - 1]!;
      if (index % words === 0) {
        word = substituted((word << 24) | (word >>> 8)) ^ round;
        round = doubled(round);
      } else if (words > 6 && index % words === 4) {
        word = substituted(word);
      }
      keys[index] = keys[index - words]! ^ word;
    }
    this.#keys = keys;
  }

  /** Encrypts one block in place. */
  encrypt(block: Int32Array): void {
    const counter = block.slice();
    block.fill(0);
    addKeystream(this.#keys, counter, Counter.Last, block);
    counter.fill(0);
  }

  /** Adds the keystream from this counter on to a text, in place, and advances the counter. */
  count(counter: Int32Array, mode: Counter, text: Uint8Array): void {
    transform(text, 16, (words) => {
      if (mode === Counter.Whole) addWhole(this.#keys, counter, words);
      else addKeystream(this.#keys, counter, mode, words);
    });
  }

  dispose(): void {
    this.#keys.fill(0);
  }
}

/** With a 16-byte counter: runs of blocks up to a carry of its last word. */
function addWhole(keys: Int32Array, counter: Int32Array, words: Int32Array): void {
  let done = 0;
  while (done < words.length) {
    const left = 2 ** 32 - (swapped(counter[3]!) >>> 0);
    const end = Math.min(words.length, done + 4 * left);
    addKeystream(keys, counter, Counter.Last, words.subarray(done, end));
    done = end;
    if (counter[3] !== 0) continue;
    for (let place = 2; place >= 0; place--) {
      const next = (swapped(counter[place]!) + 1) | 0;
      counter[place] = swapped(next);
      if (next !== 0) break;
    }
  }
}

/** Adds the keystream to whole blocks. One word of the counter is incremented and wraps. */
function addKeystream(
  keys: Int32Array,
  counter: Int32Array,
  mode: Counter,
  text: Int32Array,
): void {
  // In locals: a bundler may turn module constants into variables, which are read each time.
  const [table, box] = [columns, sbox];
  const last = keys.length - 4;
  const big = mode === Counter.Last;
  const k0 = keys[0]! ^ (big ? counter[0]! : 0);
  const k1 = keys[1]! ^ counter[1]!;
  const k2 = keys[2]! ^ counter[2]!;
  const k3 = keys[3]! ^ (big ? 0 : counter[3]!);
  let number = big ? swapped(counter[3]!) : counter[0]!;
  for (let at = 0; at < text.length; at += 4) {
    const count = big ? swapped(number) : number;
    number = (number + 1) | 0;
    let s0 = big ? k0 : k0 ^ count;
    let s1 = k1;
    let s2 = k2;
    let s3 = big ? k3 ^ count : k3;
    let key = 4;
    for (; key < last; key += 4) {
      let a = table[(s1 >>> 8) & 255]!;
      let b = table[(s2 >>> 16) & 255]!;
      let c = table[s3 >>> 24]!;
      const t0 =
        keys[key]! ^
        table[s0 & 255]! ^
        ((a << 8) | (a >>> 24)) ^
        ((b << 16) | (b >>> 16)) ^
        ((c << 24) | (c >>> 8));
      a = table[(s2 >>> 8) & 255]!;
      b = table[(s3 >>> 16) & 255]!;
      c = table[s0 >>> 24]!;
      const t1 =
        keys[key + 1]! ^
        table[s1 & 255]! ^
        ((a << 8) | (a >>> 24)) ^
        ((b << 16) | (b >>> 16)) ^
        ((c << 24) | (c >>> 8));
      a = table[(s3 >>> 8) & 255]!;
      b = table[(s0 >>> 16) & 255]!;
      c = table[s1 >>> 24]!;
      const t2 =
        keys[key + 2]! ^
        table[s2 & 255]! ^
        ((a << 8) | (a >>> 24)) ^
        ((b << 16) | (b >>> 16)) ^
        ((c << 24) | (c >>> 8));
      a = table[(s0 >>> 8) & 255]!;
      b = table[(s1 >>> 16) & 255]!;
      c = table[s2 >>> 24]!;
      s3 =
        keys[key + 3]! ^
        table[s3 & 255]! ^
        ((a << 8) | (a >>> 24)) ^
        ((b << 16) | (b >>> 16)) ^
        ((c << 24) | (c >>> 8));
      s0 = t0;
      s1 = t1;
      s2 = t2;
    }
    text[at]! ^=
      keys[key]! ^
      (box[s0 & 255]! |
        (box[(s1 >>> 8) & 255]! << 8) |
        (box[(s2 >>> 16) & 255]! << 16) |
        (box[s3 >>> 24]! << 24));
    text[at + 1]! ^=
      keys[key + 1]! ^
      (box[s1 & 255]! |
        (box[(s2 >>> 8) & 255]! << 8) |
        (box[(s3 >>> 16) & 255]! << 16) |
        (box[s0 >>> 24]! << 24));
    text[at + 2]! ^=
      keys[key + 2]! ^
      (box[s2 & 255]! |
        (box[(s3 >>> 8) & 255]! << 8) |
        (box[(s0 >>> 16) & 255]! << 16) |
        (box[s1 >>> 24]! << 24));
    text[at + 3]! ^=
      keys[key + 3]! ^
      (box[s3 & 255]! |
        (box[(s0 >>> 8) & 255]! << 8) |
        (box[(s1 >>> 16) & 255]! << 16) |
        (box[s2 >>> 24]! << 24));
  }
  counter[big ? 3 : 0] = big ? swapped(number) : number;
}
