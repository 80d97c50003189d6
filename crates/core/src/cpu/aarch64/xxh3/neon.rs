//! XXH3's stripes with NEON, which every 64-bit ARM has: a stripe is four registers. [`vector`] has
//! the steps; a product and its sum are one instruction (UMLAL).

use std::arch::aarch64::*;

use crate::hash::xxh::PRIME32_1;
use crate::hash::xxh::xxh3::stripe::{End, Lanes, Stripe};
use crate::hash::xxh::xxh3::vector;
use crate::hash::xxh::xxh3::vector::{Vector, kernel};

type Quad = [uint64x2_t; 4];

kernel! {Quad, "neon":
    fn in_turn(even: u64, odd: u64) -> Self {
        [vcombine_u64(vcreate_u64(even), vcreate_u64(odd)); 4]
    }

    fn add(self, other: Self) -> Self {
        std::array::from_fn(|part| vaddq_u64(self[part], other[part]))
    }

    fn xor(self, other: Self) -> Self {
        std::array::from_fn(|part| veorq_u64(self[part], other[part]))
    }

    fn add_products(self, words: Self) -> Self {
        std::array::from_fn(|part| {
            vmlal_u32(self[part], vmovn_u64(words[part]), vshrn_n_u64::<32>(words[part]))
        })
    }

    fn exchanged(self) -> Self {
        self.map(|part| vextq_u64::<1>(part, part))
    }

    fn shifted(self, next: Self, byte: usize) -> Self {
        // Shifts left; negative counts shift right.
        let (right, left) = (vdupq_n_s64(-8 * byte as i64), vdupq_n_s64(64 - 8 * byte as i64));
        std::array::from_fn(|part| {
            vorrq_u64(vshlq_u64(self[part], right), vshlq_u64(next[part], left))
        })
    }

    fn scrambled(self, key: Self) -> Self {
        let prime = vdup_n_u32(PRIME32_1);
        std::array::from_fn(|part| {
            let shifted = veorq_u64(self[part], vshrq_n_u64::<47>(self[part]));
            let mixed = veorq_u64(shifted, key[part]);
            let high = vshlq_n_u64::<32>(vmull_u32(vshrn_n_u64::<32>(mixed), prime));
            vmlal_u32(high, vmovn_u64(mixed), prime)
        })
    }
}
