/**
 * The compression of BLAKE2s with a 32-byte digest (RFC 7693), with the members of the library's
 * BLAKE2b that blake2.ts uses.
 */
import { mix } from './blake-mix.js';

/** SHA-256's initial words. */
const FIRST = /* @__PURE__ */ Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

/** The message order: a permutation for each of ten rounds, a hexadecimal digit for each word. */
const ORDER = /* @__PURE__ */ orderOf(
  '0123456789abcdef' +
    'ea489fd61c02b753' +
    'b8c052fdae367194' +
    '7931dcbe265a40f8' +
    '905724afe1bc683d' +
    '2c6a0b834d75fe19' +
    'c51fed4a0763928b' +
    'db7ec13950f4862a' +
    '6fe9b308c2d714a5' +
    'a2847615fb9e3cd0',
);

function orderOf(digits: string): Uint8Array {
  return Uint8Array.from(digits, (digit) => parseInt(digit, 16));
}

export class Blake2sCompression {
  readonly blockLen = 64;
  readonly outputLen = 32;
  /** Bytes of the message up to the end of the next block. */
  length = 0;
  readonly #words = Int32Array.from(FIRST);
  readonly #state = new Int32Array(16);

  constructor() {
    // The parameter block: no key, no tree, the digest's size.
    this.#words[0]! ^= 0x01010000 ^ this.outputLen;
  }

  get(): number[] {
    const w = this.#words;
    return [w[0]!, w[1]!, w[2]!, w[3]!, w[4]!, w[5]!, w[6]!, w[7]!];
  }

  set(
    a: number,
    b: number,
    c: number,
    d: number,
    e: number,
    f: number,
    g: number,
    h: number,
  ): void {
    const w = this.#words;
    w[0] = a;
    w[1] = b;
    w[2] = c;
    w[3] = d;
    w[4] = e;
    w[5] = f;
    w[6] = g;
    w[7] = h;
  }

  /** Compresses a block. */
  compress(words: Uint32Array, offset: number, last: boolean): void {
    const v = this.#state;
    const h = this.#words;
    for (let index = 0; index < 8; index++) {
      v[index] = h[index]!;
      v[index + 8] = FIRST[index]!;
    }
    v[12]! ^= this.length | 0;
    v[13]! ^= Math.floor(this.length / 2 ** 32);
    if (last) v[14] = ~v[14]!;
    mix(v, words, offset, ORDER);
    for (let index = 0; index < 8; index++) h[index]! ^= v[index]! ^ v[index + 8]!;
    if (last) v.fill(0);
  }
}
