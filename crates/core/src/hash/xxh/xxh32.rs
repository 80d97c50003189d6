//! XXH32.
//!
//! On Zen 5, 12.2 GB/s in scalar code and 13.4 with the products of AVX2 (see [`products`]). All in
//! vectors is slower because its multiplications have a higher latency: 7.4 GB/s with SSE4.1, 9.9
//! with AVX-512VL's rotation.

use super::four_lanes::four_lanes;
#[cfg(target_arch = "x86_64")]
use super::products;
use super::{LENGTH_LIMIT, LONG, word32, word64};
use super::{PRIME32_1, PRIME32_2, PRIME32_3, PRIME32_4, PRIME32_5};
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::Avx2;
use crate::hash::digest::Digest;
use crate::inputs::Params;

four_lanes!(
    /// XXH32. Takes the low 32 bits of the seed.
    Xxh32, u32
);

/// Returns the lanes before the first byte.
#[inline(always)]
fn begin(seed: u32) -> [u32; 4] {
    [
        seed.wrapping_add(PRIME32_1).wrapping_add(PRIME32_2),
        seed.wrapping_add(PRIME32_2),
        seed,
        seed.wrapping_sub(PRIME32_1),
    ]
}

/// Absorbs whole stripes.
#[inline]
fn consume(lanes: [u32; 4], stripes: &[[u8; 16]]) -> [u32; 4] {
    #[cfg(target_arch = "x86_64")]
    if size_of_val(stripes) >= LONG
        && let Some(proof) = Avx2::detect()
    {
        let (passes, rest) = stripes.as_chunks::<8>();
        // SAFETY: the proof says that the CPU has the instructions.
        let lanes = unsafe { products::consume(lanes, passes, multiplied_round, proof) };
        return plain(lanes, rest);
    }
    plain(lanes, stripes)
}

#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(super) fn plain(lanes: [u32; 4], stripes: &[[u8; 16]]) -> [u32; 4] {
    stripes.iter().fold(lanes, consume_one)
}

// V8 keeps the lanes in registers only if the loop is a separate function. With a lane of
// another type the compiler makes no vectors of the four: their products are slow on Intel's CPUs.
#[cfg(target_arch = "wasm32")]
#[inline(never)]
pub(super) fn plain([mut a, mut b, mut c, d]: [u32; 4], stripes: &[[u8; 16]]) -> [u32; 4] {
    let mut d = std::hint::black_box(u64::from(d));
    let product = |stripe, at| word32(stripe, at).wrapping_mul(PRIME32_2);
    for stripe in stripes {
        a = multiplied_round(a, product(stripe, 0));
        b = multiplied_round(b, product(stripe, 4));
        c = multiplied_round(c, product(stripe, 8));
        d = multiplied_round(d as u32, product(stripe, 12)).into();
    }
    [a, b, c, d as u32]
}

#[inline(always)]
fn consume_one(mut lanes: [u32; 4], stripe: &[u8; 16]) -> [u32; 4] {
    for (index, lane) in lanes.iter_mut().enumerate() {
        *lane = multiplied_round(*lane, word32(stripe, 4 * index).wrapping_mul(PRIME32_2));
    }
    lanes
}

/// Completes a round after the product of the word.
#[inline(always)]
pub(super) fn multiplied_round(lane: u32, product: u32) -> u32 {
    lane.wrapping_add(product).rotate_left(13).wrapping_mul(PRIME32_1)
}

/// Hashes a whole message.
#[inline(always)]
fn hash(seed: u32, source: &[u8]) -> u32 {
    // A separate function, so that the lanes of a short message stay in registers.
    #[inline(never)]
    fn long(seed: u32, source: &[u8]) -> u32 {
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
    let merged = if source.len() < 16 { merge_none(seed) } else { merge(lanes) };
    end(merged, source.len() as u64, rest)
}

/// Replaces the merged lanes for a message shorter than a stripe.
#[inline(always)]
fn merge_none(seed: u32) -> u32 {
    seed.wrapping_add(PRIME32_5)
}

#[inline(always)]
fn merge(lanes: [u32; 4]) -> u32 {
    let [a, b, c, d] = lanes;
    let sum = a.rotate_left(1).wrapping_add(b.rotate_left(7));
    sum.wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18))
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
