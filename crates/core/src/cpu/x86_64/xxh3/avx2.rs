//! XXH3's stripes with AVX2: a stripe is two registers. [`vector`] has the steps.

use std::arch::x86_64::*;

use crate::cpu::features::Avx2;
use crate::cpu::kernels::prefetch::fetch;
use crate::hash::xxh::PRIME32_1;
use crate::hash::xxh::xxh3::stripe::{End, Lanes, Stripe};
use crate::hash::xxh::xxh3::vector;
use crate::hash::xxh::xxh3::vector::{Vector, kernel};

/// Bytes ahead that are fetched into the nearest cache; the CPU alone fetches too few.
const AHEAD: usize = 512;

type Pair = [__m256i; 2];

kernel! {Pair, "avx2", Avx2:
    fn fetch(stripe: &Stripe) {
        fetch(stripe.as_ptr().wrapping_add(AHEAD));
    }

    fn in_turn(even: u64, odd: u64) -> Self {
        let (even, odd) = (even as i64, odd as i64);
        [_mm256_set_epi64x(odd, even, odd, even); 2]
    }

    fn add(self, other: Self) -> Self {
        std::array::from_fn(|half| _mm256_add_epi64(self[half], other[half]))
    }

    fn xor(self, other: Self) -> Self {
        std::array::from_fn(|half| _mm256_xor_si256(self[half], other[half]))
    }

    fn add_products(self, words: Self) -> Self {
        std::array::from_fn(|half| {
            let product = _mm256_mul_epu32(words[half], _mm256_srli_epi64::<32>(words[half]));
            _mm256_add_epi64(self[half], product)
        })
    }

    fn exchanged(self) -> Self {
        self.map(|half| _mm256_shuffle_epi32::<0b01_00_11_10>(half))
    }

    fn shifted(self, next: Self, byte: usize) -> Self {
        let bits = |count: usize| _mm_cvtsi64_si128(8 * count as i64);
        std::array::from_fn(|half| {
            let low = _mm256_srl_epi64(self[half], bits(byte));
            _mm256_or_si256(low, _mm256_sll_epi64(next[half], bits(8 - byte)))
        })
    }

    fn scrambled(self, key: Self) -> Self {
        let prime = _mm256_set1_epi64x(PRIME32_1.into());
        std::array::from_fn(|half| {
            let shifted = _mm256_xor_si256(self[half], _mm256_srli_epi64::<47>(self[half]));
            let mixed = _mm256_xor_si256(shifted, key[half]);
            let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(mixed), prime);
            _mm256_add_epi64(_mm256_mul_epu32(mixed, prime), _mm256_slli_epi64::<32>(high))
        })
    }
}
