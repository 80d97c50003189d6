/**
 * The rounds of BLAKE2s and BLAKE3, written out with sixteen words in locals, which V8 keeps in
 * registers or on the stack. @noble/hashes keeps them in object fields; in browsers, where a small
 * integer has 31 bits, such fields allocate memory for larger numbers: 60 MB/s of BLAKE3 in
 * Node.js, 20 in Chromium, and 2 of BLAKE2s.
 */

/**
 * Mixes a block of sixteen words at `at` into the state; `order` has the message order, sixteen
 * words for each round.
 */
export function mix(state: Int32Array, words: Uint32Array, at: number, order: Uint8Array): void {
  let v0 = state[0]!;
  let v1 = state[1]!;
  let v2 = state[2]!;
  let v3 = state[3]!;
  let v4 = state[4]!;
  let v5 = state[5]!;
  let v6 = state[6]!;
  let v7 = state[7]!;
  let v8 = state[8]!;
  let v9 = state[9]!;
  let v10 = state[10]!;
  let v11 = state[11]!;
  let v12 = state[12]!;
  let v13 = state[13]!;
  let v14 = state[14]!;
  let v15 = state[15]!;
  for (let next = 0; next < order.length; next += 16) {
    // 0, 4, 8, 12
    v0 = (v0 + v4 + words[at + order[next]!]!) | 0;
    v12 ^= v0;
    v12 = (v12 << 16) | (v12 >>> 16);
    v8 = (v8 + v12) | 0;
    v4 ^= v8;
    v4 = (v4 << 20) | (v4 >>> 12);
    v0 = (v0 + v4 + words[at + order[next + 1]!]!) | 0;
    v12 ^= v0;
    v12 = (v12 << 24) | (v12 >>> 8);
    v8 = (v8 + v12) | 0;
    v4 ^= v8;
    v4 = (v4 << 25) | (v4 >>> 7);
    // 1, 5, 9, 13
    v1 = (v1 + v5 + words[at + order[next + 2]!]!) | 0;
    v13 ^= v1;
    v13 = (v13 << 16) | (v13 >>> 16);
    v9 = (v9 + v13) | 0;
    v5 ^= v9;
    v5 = (v5 << 20) | (v5 >>> 12);
    v1 = (v1 + v5 + words[at + order[next + 3]!]!) | 0;
    v13 ^= v1;
    v13 = (v13 << 24) | (v13 >>> 8);
    v9 = (v9 + v13) | 0;
    v5 ^= v9;
    v5 = (v5 << 25) | (v5 >>> 7);
    // 2, 6, 10, 14
    v2 = (v2 + v6 + words[at + order[next + 4]!]!) | 0;
    v14 ^= v2;
    v14 = (v14 << 16) | (v14 >>> 16);
    v10 = (v10 + v14) | 0;
    v6 ^= v10;
    v6 = (v6 << 20) | (v6 >>> 12);
    v2 = (v2 + v6 + words[at + order[next + 5]!]!) | 0;
    v14 ^= v2;
    v14 = (v14 << 24) | (v14 >>> 8);
    v10 = (v10 + v14) | 0;
    v6 ^= v10;
    v6 = (v6 << 25) | (v6 >>> 7);
    // 3, 7, 11, 15
    v3 = (v3 + v7 + words[at + order[next + 6]!]!) | 0;
    v15 ^= v3;
    v15 = (v15 << 16) | (v15 >>> 16);
    v11 = (v11 + v15) | 0;
    v7 ^= v11;
    v7 = (v7 << 20) | (v7 >>> 12);
    v3 = (v3 + v7 + words[at + order[next + 7]!]!) | 0;
    v15 ^= v3;
    v15 = (v15 << 24) | (v15 >>> 8);
    v11 = (v11 + v15) | 0;
    v7 ^= v11;
    v7 = (v7 << 25) | (v7 >>> 7);
    // 0, 5, 10, 15
    v0 = (v0 + v5 + words[at + order[next + 8]!]!) | 0;
    v15 ^= v0;
    v15 = (v15 << 16) | (v15 >>> 16);
    v10 = (v10 + v15) | 0;
    v5 ^= v10;
    v5 = (v5 << 20) | (v5 >>> 12);
    v0 = (v0 + v5 + words[at + order[next + 9]!]!) | 0;
    v15 ^= v0;
    v15 = (v15 << 24) | (v15 >>> 8);
    v10 = (v10 + v15) | 0;
    v5 ^= v10;
    v5 = (v5 << 25) | (v5 >>> 7);
    // 1, 6, 11, 12
    v1 = (v1 + v6 + words[at + order[next + 10]!]!) | 0;
    v12 ^= v1;
    v12 = (v12 << 16) | (v12 >>> 16);
    v11 = (v11 + v12) | 0;
    v6 ^= v11;
    v6 = (v6 << 20) | (v6 >>> 12);
    v1 = (v1 + v6 + words[at + order[next + 11]!]!) | 0;
    v12 ^= v1;
    v12 = (v12 << 24) | (v12 >>> 8);
    v11 = (v11 + v12) | 0;
    v6 ^= v11;
    v6 = (v6 << 25) | (v6 >>> 7);
    // 2, 7, 8, 13
    v2 = (v2 + v7 + words[at + order[next + 12]!]!) | 0;
    v13 ^= v2;
    v13 = (v13 << 16) | (v13 >>> 16);
    v8 = (v8 + v13) | 0;
    v7 ^= v8;
    v7 = (v7 << 20) | (v7 >>> 12);
    v2 = (v2 + v7 + words[at + order[next + 13]!]!) | 0;
    v13 ^= v2;
    v13 = (v13 << 24) | (v13 >>> 8);
    v8 = (v8 + v13) | 0;
    v7 ^= v8;
    v7 = (v7 << 25) | (v7 >>> 7);
    // 3, 4, 9, 14
    v3 = (v3 + v4 + words[at + order[next + 14]!]!) | 0;
    v14 ^= v3;
    v14 = (v14 << 16) | (v14 >>> 16);
    v9 = (v9 + v14) | 0;
    v4 ^= v9;
    v4 = (v4 << 20) | (v4 >>> 12);
    v3 = (v3 + v4 + words[at + order[next + 15]!]!) | 0;
    v14 ^= v3;
    v14 = (v14 << 24) | (v14 >>> 8);
    v9 = (v9 + v14) | 0;
    v4 ^= v9;
    v4 = (v4 << 25) | (v4 >>> 7);
  }
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
  state[4] = v4;
  state[5] = v5;
  state[6] = v6;
  state[7] = v7;
  state[8] = v8;
  state[9] = v9;
  state[10] = v10;
  state[11] = v11;
  state[12] = v12;
  state[13] = v13;
  state[14] = v14;
  state[15] = v15;
}
