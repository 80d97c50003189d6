//! XXH3's stripes with NEON, which every 64-bit ARM has.

pub(crate) mod neon;

use crate::hash::xxh::xxh3::stripe::{End, Lanes, Stripe};

/// Absorbs whole stripes, of which the first has index `at` in its block.
#[inline]
pub(crate) fn consume(lanes: &Lanes, seed: u64, stripes: &[Stripe], at: usize) -> Lanes {
    // SAFETY: every AArch64 target of Rust has NEON by default.
    unsafe { neon::consume(lanes, seed, stripes, at) }
}

/// Finishes a message with 64 bits.
#[inline]
pub(crate) fn end64(lanes: &Lanes, seed: u64, end: &End<'_>) -> u64 {
    // SAFETY: as above.
    unsafe { neon::end64(lanes, seed, end) }
}

/// Finishes a message with 128 bits.
#[inline]
pub(crate) fn end128(lanes: &Lanes, seed: u64, end: &End<'_>) -> u128 {
    // SAFETY: as above.
    unsafe { neon::end128(lanes, seed, end) }
}
