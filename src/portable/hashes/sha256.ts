/**
 * The compression of SHA-256 and SHA-224 (FIPS 180-4), with the members of the library's classes
 * that merkle-damgard.ts uses. @noble/hashes keeps the words in object fields: as fast in Node.js
 * (220 MB/s), but 65 MB/s in browsers, where a small integer has 31 bits and larger numbers in
 * fields allocate memory.
 */

/** The first 32 bits of the fractions of the first 64 primes' cube roots. */
const ROUNDS = /* @__PURE__ */ Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);

/** The initial words of SHA-256. */
export const FIRST_256 = /* @__PURE__ */ Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);
/** The initial words of SHA-224. */
export const FIRST_224 = /* @__PURE__ */ Int32Array.of(
  0xc1059ed8,
  0x367cd507,
  0x3070dd17,
  0xf70e5939,
  0xffc00b31,
  0x68581511,
  0x64f98fa7,
  0xbefa4fa4,
);

/** The message schedule. */
const schedule = /* @__PURE__ */ new Int32Array(64);

export class Sha256Compression {
  readonly blockLen = 64;
  readonly isLE = false;
  readonly outputLen: number;
  readonly #words: Int32Array;

  constructor(first: Int32Array, outputLen: number) {
    this.#words = Int32Array.from(first);
    this.outputLen = outputLen;
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
  process(block: DataView, offset: number): void {
    const w = schedule;
    for (let index = 0; index < 16; index++) w[index] = block.getInt32(offset + 4 * index);
    for (let index = 16; index < 64; index++) {
      const before = w[index - 15]!;
      const near = w[index - 2]!;
      const first =
        ((before >>> 7) | (before << 25)) ^ ((before >>> 18) | (before << 14)) ^ (before >>> 3);
      const second =
        ((near >>> 17) | (near << 15)) ^ ((near >>> 19) | (near << 13)) ^ (near >>> 10);
      w[index] = (w[index - 16]! + first + w[index - 7]! + second) | 0;
    }
    const words = this.#words;
    let a = words[0]!;
    let b = words[1]!;
    let c = words[2]!;
    let d = words[3]!;
    let e = words[4]!;
    let f = words[5]!;
    let g = words[6]!;
    let h = words[7]!;
    for (let index = 0; index < 64; index++) {
      const sum = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + sum + ((e & f) ^ (~e & g)) + ROUNDS[index]! + w[index]!) | 0;
      const other = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    words[0]! += a;
    words[1]! += b;
    words[2]! += c;
    words[3]! += d;
    words[4]! += e;
    words[5]! += f;
    words[6]! += g;
    words[7]! += h;
  }

  /** Wipes the message schedule. */
  roundClean(): void {
    schedule.fill(0);
  }
}
