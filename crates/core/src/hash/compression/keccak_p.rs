//! The permutation Keccak-p\[1600\], and access to the bytes of its state.

pub(crate) use crate::cpu::kernels::keccak_p::permute;

/// Adds bytes to the state, from the byte `at` on.
#[inline(always)]
pub(crate) fn xor_bytes(lanes: &mut [u64; 25], at: usize, source: &[u8]) {
    let mut at = at;
    let ahead = (at.wrapping_neg() % 8).min(source.len());
    let (head, body) = source.split_at(ahead);
    for &byte in head {
        lanes[at / 8] ^= u64::from(byte) << (8 * (at % 8));
        at += 1;
    }
    let (words, tail) = body.as_chunks::<8>();
    for (lane, &word) in lanes[at / 8..].iter_mut().zip(words) {
        *lane ^= u64::from_le_bytes(word);
    }
    at += words.len() * 8;
    for &byte in tail {
        lanes[at / 8] ^= u64::from(byte) << (8 * (at % 8));
        at += 1;
    }
}

/// Copies bytes of the state, from the byte `at` on.
#[inline(always)]
pub(crate) fn copy_bytes(lanes: &[u64; 25], at: usize, target: &mut [u8]) {
    let mut at = at;
    let ahead = (at.wrapping_neg() % 8).min(target.len());
    let (head, body) = target.split_at_mut(ahead);
    for byte in head {
        *byte = (lanes[at / 8] >> (8 * (at % 8))) as u8;
        at += 1;
    }
    let (words, tail) = body.as_chunks_mut::<8>();
    for (word, lane) in words.iter_mut().zip(&lanes[at / 8..]) {
        *word = lane.to_le_bytes();
    }
    at += words.len() * 8;
    for byte in tail {
        *byte = (lanes[at / 8] >> (8 * (at % 8))) as u8;
        at += 1;
    }
}

/// Absorbs the rest of a message, from a border of blocks on, and ends it. The digest is not
/// longer than the rate.
pub(crate) fn end<const ROUNDS: usize>(
    lanes: &mut [u64; 25],
    rate: usize,
    mark: u8,
    rest: &[u8],
    target: &mut [u8],
) {
    let rest = absorb::<ROUNDS>(lanes, rate, rest);
    xor_bytes(lanes, 0, rest);
    xor_bytes(lanes, rest.len(), &[mark]);
    xor_bytes(lanes, rate - 1, &[0x80]);
    permute::<ROUNDS>(lanes);
    copy_bytes(lanes, 0, target);
}

/// Absorbs whole blocks, and returns what is left.
#[inline]
pub(crate) fn absorb<'a, const ROUNDS: usize>(
    lanes: &mut [u64; 25],
    rate: usize,
    source: &'a [u8],
) -> &'a [u8] {
    let mut blocks = source.chunks_exact(rate);
    for block in &mut blocks {
        xor_bytes(lanes, 0, block);
        permute::<ROUNDS>(lanes);
    }
    blocks.remainder()
}
