//! The state of ChaCha20, and its rounds.

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
