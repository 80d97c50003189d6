//! XXH64.
//!
//! Scalar code: 24 GB/s on Zen 5. All in vectors is slower: 19.5 GB/s with AVX-512's VPMULLQ.

use super::four_lanes::four_lanes;
use super::rounds::rounds_64::{consume_one, round};
use super::{LENGTH_LIMIT, LONG, word64};
use super::{PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME64_5};
use crate::cpu::kernels::xxh::consume_64;
use crate::hash::digest::Digest;
use crate::inputs::Params;

four_lanes!(
    /// XXH64.
    Xxh64, u64, consume_64, [PRIME64_1, PRIME64_2, PRIME64_5]
);

#[inline(always)]
fn merge(lanes: [u64; 4]) -> u64 {
    lanes.into_iter().fold(sum(lanes), |hash, lane| {
        (hash ^ round(0, lane)).wrapping_mul(PRIME64_1).wrapping_add(PRIME64_4)
    })
}

/// Hashes the `rest` of a message of `length` bytes after its whole stripes.
#[inline(always)]
fn end(merged: u64, length: u64, rest: &[u8]) -> u64 {
    let mut hash = merged.wrapping_add(length);
    let mut rest = rest;
    while let Some((&word, more)) = rest.split_first_chunk() {
        hash ^= round(0, u64::from_le_bytes(word));
        hash = hash.rotate_left(27).wrapping_mul(PRIME64_1).wrapping_add(PRIME64_4);
        rest = more;
    }
    if let Some((&half, more)) = rest.split_first_chunk() {
        hash ^= u64::from(u32::from_le_bytes(half)).wrapping_mul(PRIME64_1);
        hash = hash.rotate_left(23).wrapping_mul(PRIME64_2).wrapping_add(PRIME64_3);
        rest = more;
    }
    for &byte in rest {
        hash ^= u64::from(byte).wrapping_mul(PRIME64_5);
        hash = hash.rotate_left(11).wrapping_mul(PRIME64_1);
    }
    avalanche(hash)
}

/// Lets every bit affect every other.
#[inline(always)]
pub(super) fn avalanche(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 33).wrapping_mul(PRIME64_2);
    let hash = (hash ^ hash >> 29).wrapping_mul(PRIME64_3);
    hash ^ hash >> 32
}
