//! The counter of AES-GCM.

use crate::cipher::field::{Factor, product};

/// Bytes of a block.
pub(crate) const BLOCK: usize = 16;

/// Returns the counter's first value (SP 800-38D, 7.1): a nonce of 12 bytes and the number 1,
/// otherwise GHASH of the nonce and its length.
pub(crate) fn first(nonce: &[u8], h: Factor) -> u128 {
    if nonce.len() == 12 {
        let mut first = [0; BLOCK];
        first[..12].copy_from_slice(nonce);
        return u128::from_be_bytes(first) | 1;
    }
    let mut sum = 0;
    for part in nonce.chunks(BLOCK) {
        let mut block = [0; BLOCK];
        block[..part.len()].copy_from_slice(part);
        sum = product(sum ^ u128::from_be_bytes(block), h);
    }
    product(sum ^ u128::from(8 * nonce.len() as u64), h)
}

/// Returns a counter after a number of blocks: its last 32 bits count.
pub(crate) fn advanced(counter: u128, blocks: u64) -> u128 {
    let low = (counter as u32).wrapping_add(blocks as u32);
    counter & !u128::from(u32::MAX) | u128::from(low)
}
