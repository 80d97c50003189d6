//! The rounds of XXH32 and XXH64.

use super::{PRIME32_1, PRIME32_2, PRIME64_1, PRIME64_2};

/// Defines a module of the rounds, which turn a lane by `$turn`.
macro_rules! rounds {
    ($name:ident, $word:ty, $turn:literal, $one:ident, $two:ident) => {
        pub(crate) mod $name {
            use super::*;

            #[inline(always)]
            pub(crate) fn consume_one(
                mut lanes: [$word; 4],
                stripe: &[u8; 4 * size_of::<$word>()],
            ) -> [$word; 4] {
                for (lane, &word) in lanes.iter_mut().zip(stripe.as_chunks().0) {
                    *lane = round(*lane, <$word>::from_le_bytes(word));
                }
                lanes
            }

            #[inline(always)]
            pub(crate) fn round(lane: $word, word: $word) -> $word {
                multiplied_round(lane, word.wrapping_mul($two))
            }

            /// Completes a round after the product of the word.
            #[inline(always)]
            pub(crate) fn multiplied_round(lane: $word, product: $word) -> $word {
                lane.wrapping_add(product).rotate_left($turn).wrapping_mul($one)
            }
        }
    };
}

rounds!(rounds_32, u32, 13, PRIME32_1, PRIME32_2);
rounds!(rounds_64, u64, 31, PRIME64_1, PRIME64_2);
