//! Code that the kernels of XXH3 and its scalar code share: where the secret begins, the end of a
//! message, and the merging of the lanes.

use super::{Lanes, PRIME64_1, PRIME64_2, Stripe, avalanche, folded};
use crate::hash::xxh::plain_register;

/// Stripes of a block. Each uses the secret from one word farther on.
pub(super) const BLOCK: usize = 16;

/// An offset in the secret: a word, and a byte in it.
pub(super) type SecretOffset = (usize, usize);

/// The secret of scrambling.
pub(super) const SCRAMBLE: usize = 16;
/// The secret of the last stripe.
pub(super) const LAST: SecretOffset = (15, 1);
/// The secrets of merging the lanes; `MERGE_HIGH` for the high half of 128 bits.
pub(super) const MERGE: SecretOffset = (1, 3);
pub(super) const MERGE_HIGH: SecretOffset = (14, 5);

/// The end of a long message.
pub(super) struct End<'a> {
    /// The whole stripes to absorb, without the last.
    pub(super) stripes: &'a [Stripe],
    /// The index of the first of them in its block.
    pub(super) at: usize,
    /// The last 64 bytes, at any alignment.
    pub(super) last: &'a Stripe,
    /// Bytes of the whole message.
    pub(super) length: u64,
}

/// Merges the lanes, XORed with the secret, and the length.
#[inline(always)]
pub(super) fn merge(lanes: &Lanes, length: u64) -> u64 {
    avalanche(fold(lanes, length.wrapping_mul(PRIME64_1)))
}

/// Merges as [`merge`] for the high half of 128 bits.
#[inline(always)]
pub(super) fn merge_high(lanes: &Lanes, length: u64) -> u64 {
    avalanche(fold(lanes, !length.wrapping_mul(PRIME64_2)))
}

#[inline(always)]
fn fold(lanes: &Lanes, begin: u64) -> u64 {
    lanes
        .0
        .as_chunks()
        .0
        .iter()
        .fold(begin, |sum, &[one, other]| plain_register(sum.wrapping_add(folded(one, other))))
}
