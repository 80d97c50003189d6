/**
 * GHASH (NIST SP 800-38D) and POLYVAL (RFC 8452): a polynomial in the key whose coefficients are
 * the blocks of a message.
 *
 * A product with the key is a sum of table entries, one for each nibble or byte of the other
 * factor. The nibble tables (8 KiB) take 3.5 us to make and do 210 MB/s, the byte tables (64 KiB)
 * take 22 us and do 400 MB/s; a key gets the larger ones after 8 KiB of data. @noble/ciphers makes
 * its tables from objects for each message: 6 us for 64 bytes, 160 MB/s for large messages.
 */
import { blockOf, show, swapped } from './text.js';

/** Bytes after which the larger tables are faster. */
const LARGE = 8192;

export class Ghash {
  readonly #doubles: Int32Array;
  #table: Int32Array;
  #bits = 4;
  #seen = 0;
  readonly #reversed: boolean;

  /** `key` is H. POLYVAL is GHASH with all blocks reversed: so are the tables. */
  constructor(key: Int32Array, polyval = false) {
    this.#reversed = polyval;
    this.#doubles = doublesOf(key, polyval);
    this.#table = tableOf(this.#doubles, 4, polyval);
  }

  /** Adds bytes to `sum`, which is zero at first; the last block is padded with zeros. */
  absorb(sum: Int32Array, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#seen += bytes.length;
    if (this.#bits === 4 && this.#seen > LARGE) this.#enlarge();
    const absorb = this.#bits === 4 ? absorbNibbles : absorbBytes;
    show(bytes, (words) => absorb(this.#table, sum, words));
  }

  /** Adds one block. */
  absorbBlock(sum: Int32Array, block: Int32Array): void {
    (this.#bits === 4 ? absorbNibbles : absorbBytes)(this.#table, sum, block);
  }

  #enlarge(): void {
    const table = tableOf(this.#doubles, 8, this.#reversed);
    this.#table.fill(0);
    this.#table = table;
    this.#bits = 8;
  }

  dispose(): void {
    this.#doubles.fill(0);
    this.#table.fill(0);
  }
}

/** The block of the sizes of additional data and text in bits. */
export function sizesBlock(aad: number, text: number, polyval = false): Int32Array {
  const block = new DataView(new ArrayBuffer(16));
  for (const [at, size] of [
    [0, aad],
    [8, text],
  ] as const) {
    const [high, low] = [Math.floor(size / 2 ** 29), (size * 8) >>> 0];
    block.setUint32(at + (polyval ? 4 : 0), high, polyval);
    block.setUint32(at + (polyval ? 0 : 4), low, polyval);
  }
  return blockOf(new Uint8Array(block.buffer));
}

/** H times the 128 powers of x, each as the four words it is in memory. */
function doublesOf(key: Int32Array, polyval: boolean): Int32Array {
  // As numbers, first bytes first.
  let [a, b, c, d] = [swapped(key[0]!), swapped(key[1]!), swapped(key[2]!), swapped(key[3]!)];
  // RFC 8452, appendix A: the key of GHASH is that of POLYVAL reversed and doubled.
  if (polyval) [a, b, c, d] = [key[3]!, key[2]!, key[1]!, key[0]!];
  const doubles = new Int32Array(128 * 4);
  for (let power = polyval ? -1 : 0, at = 0; power < 128; power++) {
    if (power >= 0) {
      doubles[at++] = polyval ? d : swapped(a);
      doubles[at++] = polyval ? c : swapped(b);
      doubles[at++] = polyval ? b : swapped(c);
      doubles[at++] = polyval ? a : swapped(d);
    }
    const carry = -(d & 1);
    d = (c << 31) | (d >>> 1);
    c = (b << 31) | (c >>> 1);
    b = (a << 31) | (b >>> 1);
    a = (a >>> 1) ^ (0xe1000000 & carry);
  }
  return doubles;
}

/**
 * For each byte or nibble of a block, in the order of memory, first the high nibble: its products
 * with the key.
 */
function tableOf(doubles: Int32Array, bits: 4 | 8, reversed: boolean): Int32Array {
  const [count, each] = [128 / bits, 1 << bits];
  const table = new Int32Array(count * each * 4);
  for (let place = 0; place < count; place++) {
    const start = place * each * 4;
    // The place of the coefficients: POLYVAL reverses the order of bytes, but not that of the
    // nibbles within a byte.
    const from = !reversed
      ? place
      : bits === 8
        ? 15 - place
        : (15 - (place >> 1)) * 2 + (place & 1);
    for (let bit = 0; bit < bits; bit++) {
      const top = start + (4 << bit);
      const double = (from * bits + bits - 1 - bit) * 4;
      const w = doubles[double]!;
      const x = doubles[double + 1]!;
      const y = doubles[double + 2]!;
      const z = doubles[double + 3]!;
      // An index with this bit is the index without it, plus this power.
      for (let at = top, lower = start; lower < top; at += 4, lower += 4) {
        table[at] = table[lower]! ^ w;
        table[at + 1] = table[lower + 1]! ^ x;
        table[at + 2] = table[lower + 2]! ^ y;
        table[at + 3] = table[lower + 3]! ^ z;
      }
    }
  }
  return table;
}

function absorbBytes(table: Int32Array, sum: Int32Array, words: Int32Array): void {
  let [a, b, c, d] = [sum[0]!, sum[1]!, sum[2]!, sum[3]!];
  for (let at = 0; at < words.length; at += 4) {
    let w = 0;
    let x = 0;
    let y = 0;
    let z = 0;
    let start = 0;
    for (let word = 0; word < 4; word++) {
      let rest = words[at + word]! ^ (word < 2 ? (word === 0 ? a : b) : word === 2 ? c : d);
      for (let byte = 0; byte < 4; byte++) {
        const entry = start + ((rest & 255) << 2);
        w ^= table[entry]!;
        x ^= table[entry + 1]!;
        y ^= table[entry + 2]!;
        z ^= table[entry + 3]!;
        rest >>>= 8;
        start += 1024;
      }
    }
    a = w;
    b = x;
    c = y;
    d = z;
  }
  [sum[0], sum[1], sum[2], sum[3]] = [a, b, c, d];
}

function absorbNibbles(table: Int32Array, sum: Int32Array, words: Int32Array): void {
  let [a, b, c, d] = [sum[0]!, sum[1]!, sum[2]!, sum[3]!];
  for (let at = 0; at < words.length; at += 4) {
    let w = 0;
    let x = 0;
    let y = 0;
    let z = 0;
    let start = 0;
    for (let word = 0; word < 4; word++) {
      let rest = words[at + word]! ^ (word < 2 ? (word === 0 ? a : b) : word === 2 ? c : d);
      for (let byte = 0; byte < 4; byte++) {
        const high = start + ((rest >>> 2) & 60);
        const low = start + 64 + ((rest & 15) << 2);
        w ^= table[high]! ^ table[low]!;
        x ^= table[high + 1]! ^ table[low + 1]!;
        y ^= table[high + 2]! ^ table[low + 2]!;
        z ^= table[high + 3]! ^ table[low + 3]!;
        rest >>>= 8;
        start += 128;
      }
    }
    a = w;
    b = x;
    c = y;
    d = z;
  }
  [sum[0], sum[1], sum[2], sum[3]] = [a, b, c, d];
}
