//! XXH64.
//!
//! Scalar code: 24 GB/s on Zen 5. All in vectors is slower: 19.5 GB/s with AVX-512's VPMULLQ.

use super::four_lanes::four_lanes;
use super::{LENGTH_LIMIT, LONG, word64};
use super::{PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME64_5};
use crate::hash::digest::Digest;
use crate::inputs::Params;

four_lanes!(
    /// XXH64.
    Xxh64, u64
);

/// Returns the lanes before the first byte.
#[inline(always)]
fn begin(seed: u64) -> [u64; 4] {
    [
        seed.wrapping_add(PRIME64_1).wrapping_add(PRIME64_2),
        seed.wrapping_add(PRIME64_2),
        seed,
        seed.wrapping_sub(PRIME64_1),
    ]
}

/// Absorbs whole stripes.
// V8 keeps the lanes in registers only if the loop is a separate function.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn consume(lanes: [u64; 4], stripes: &[[u8; 32]]) -> [u64; 4] {
    stripes.iter().fold(lanes, consume_one)
}

#[inline(always)]
fn consume_one(lanes: [u64; 4], stripe: &[u8; 32]) -> [u64; 4] {
    std::array::from_fn(|index| round(lanes[index], word64(stripe, 8 * index)))
}

#[inline(always)]
fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(PRIME64_2)).rotate_left(31).wrapping_mul(PRIME64_1)
}

/// Hashes a whole message.
#[inline(always)]
fn hash(seed: u64, source: &[u8]) -> u64 {
    // A separate function, so that the lanes of a short message stay in registers.
    #[inline(never)]
    fn long(seed: u64, source: &[u8]) -> u64 {
        let (stripes, rest) = source.as_chunks();
        end(merge(consume(begin(seed), stripes)), source.len() as u64, rest)
    }
    if source.len() >= LONG {
        return long(seed, source);
    }
    let (mut lanes, mut rest) = (begin(seed), source);
    while let Some((stripe, more)) = rest.split_first_chunk() {
        lanes = consume_one(lanes, stripe);
        rest = more;
    }
    let merged = if source.len() < 32 { merge_none(seed) } else { merge(lanes) };
    end(merged, source.len() as u64, rest)
}

/// Replaces the merged lanes for a message shorter than a stripe.
#[inline(always)]
fn merge_none(seed: u64) -> u64 {
    seed.wrapping_add(PRIME64_5)
}

#[inline(always)]
fn merge(lanes: [u64; 4]) -> u64 {
    let [a, b, c, d] = lanes;
    let sum = a.rotate_left(1).wrapping_add(b.rotate_left(7));
    let sum = sum.wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18));
    lanes.into_iter().fold(sum, |hash, lane| {
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
