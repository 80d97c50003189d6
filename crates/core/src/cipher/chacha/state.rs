//! The state of ChaCha20, and its rounds.
//!
//! ```text
//! quarter(a, b, c, d):  a += b;  d = (d ^ a) <<< 16;  c += d;  b = (b ^ c) <<< 12
//!                       a += b;  d = (d ^ a) <<< 8;   c += d;  b = (b ^ c) <<< 7
//! double round:         quarter on the columns (0 4 8 12), (1 5 9 13), (2 6 10 14), (3 7 11 15)
//!                       quarter on the diagonals (0 5 10 15), (1 6 11 12), (2 7 8 13), (3 4 9 14)
//! keystream:            ten double rounds, plus the state before them; words little-endian
//! ```
//!
//! Kernels compute a block in each lane of 32 bits, "in columns":
//!
//! ```text
//! x[w] = state[w] in all lanes, w in 0..16; the number of the block is one more in each lane
//! begin = x
//! ten double rounds over x[0..16]           a quarter round of all blocks at once, no shuffles
//! x[w] += begin[w]
//! transpose x: from a word of every block in a vector to consecutive words of one block
//! target = source ^ x
//! ```

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

/// The state before the rounds as 16 words, of which words 12 and 13 are the number of the first
/// block (64 bits).
pub(crate) type State = [u32; 16];

/// Returns the state of a key and an iv (block number and nonce).
#[inline]
pub(crate) fn state(key: &[u8; 32], iv: &[u8; 16]) -> State {
    const SIGMA: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    std::array::from_fn(|index| match index {
        0..4 => SIGMA[index],
        4..12 => word(key, 4 * (index - 4)),
        _ => word(iv, 4 * (index - 12)),
    })
}

/// Adds to the number of the first block.
#[allow(dead_code)] // of kernels
#[inline]
pub(crate) fn advance(state: &mut State, blocks: u64) {
    let number = (u64::from(state[12]) | u64::from(state[13]) << 32).wrapping_add(blocks);
    state[12] = number as u32;
    state[13] = (number >> 32) as u32;
}

/// Applies the twenty rounds to one block.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(crate) fn rounds(words: &mut State) {
    let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
        for [first, second] in [[16, 12], [8, 7]] {
            words[a] = words[a].wrapping_add(words[b]);
            words[d] = (words[d] ^ words[a]).rotate_left(first);
            words[c] = words[c].wrapping_add(words[d]);
            words[b] = (words[b] ^ words[c]).rotate_left(second);
        }
    };
    for _ in 0..10 {
        for column in 0..4 {
            quarter(column, 4 + column, 8 + column, 12 + column);
        }
        for column in 0..4 {
            quarter(column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4);
        }
    }
}
