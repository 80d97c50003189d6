//! XXH32.
//!
//! On Zen 5, 12.2 GB/s in scalar code and 13.4 with the products of AVX2 (see `cpu/x86_64/xxh.rs`).
//! All in vectors is slower because its multiplications have a higher latency: 7.4 GB/s with
//! SSE4.1, 9.9 with AVX-512VL's rotation.

use super::four_lanes::four_lanes;
use super::rounds::rounds_32::consume_one;
use super::{LENGTH_LIMIT, LONG, word64};
use super::{PRIME32_1, PRIME32_2, PRIME32_3, PRIME32_4, PRIME32_5};
use crate::cpu::kernels::xxh::consume_32;
use crate::hash::digest::Digest;
use crate::inputs::Params;

four_lanes!(
    /// XXH32. Takes the low 32 bits of the seed.
    Xxh32, u32, consume_32, [PRIME32_1, PRIME32_2, PRIME32_5]
);

#[inline(always)]
fn merge(lanes: [u32; 4]) -> u32 {
    sum(lanes)
}

/// Hashes the `rest` of a message of `length` bytes after its whole stripes.
#[inline(always)]
fn end(merged: u32, length: u64, rest: &[u8]) -> u32 {
    // Only the low 32 bits of the length count.
    let mut hash = merged.wrapping_add(length as u32);
    let mut rest = rest;
    while let Some((&word, more)) = rest.split_first_chunk() {
        hash = hash.wrapping_add(u32::from_le_bytes(word).wrapping_mul(PRIME32_3));
        hash = hash.rotate_left(17).wrapping_mul(PRIME32_4);
        rest = more;
    }
    for &byte in rest {
        hash = hash.wrapping_add(u32::from(byte).wrapping_mul(PRIME32_5));
        hash = hash.rotate_left(11).wrapping_mul(PRIME32_1);
    }
    hash = (hash ^ hash >> 15).wrapping_mul(PRIME32_2);
    hash = (hash ^ hash >> 13).wrapping_mul(PRIME32_3);
    hash ^ hash >> 16
}
