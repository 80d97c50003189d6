//! XXH3's stripes with AVX-512: a stripe is a register, and so is each secret of a block, which the
//! compiler keeps while it absorbs blocks. [`vector`] has the steps.

use std::arch::x86_64::*;

use crate::cpu::features::Avx512;
use crate::hash::xxh::PRIME32_1;
use crate::hash::xxh::xxh3::stripe::{End, Lanes, Stripe};
use crate::hash::xxh::xxh3::vector;
use crate::hash::xxh::xxh3::vector::{Vector, kernel};

kernel! {__m512i, "avx512f", Avx512:
    fn in_turn(even: u64, odd: u64) -> Self {
        _mm512_mask_set1_epi64(_mm512_set1_epi64(even as i64), 0xaa, odd as i64)
    }

    fn add(self, other: Self) -> Self {
        _mm512_add_epi64(self, other)
    }

    fn xor(self, other: Self) -> Self {
        _mm512_xor_si512(self, other)
    }

    fn add_products(self, words: Self) -> Self {
        _mm512_add_epi64(self, _mm512_mul_epu32(words, _mm512_srli_epi64::<32>(words)))
    }

    fn exchanged(self) -> Self {
        _mm512_shuffle_epi32::<_MM_PERM_BADC>(self)
    }

    fn shifted(self, next: Self, byte: usize) -> Self {
        let bits = |count: usize| _mm_cvtsi64_si128(8 * count as i64);
        _mm512_or_si512(_mm512_srl_epi64(self, bits(byte)), _mm512_sll_epi64(next, bits(8 - byte)))
    }

    fn scrambled(self, key: Self) -> Self {
        let prime = _mm512_set1_epi64(PRIME32_1.into());
        // One XOR of three.
        let mixed = _mm512_ternarylogic_epi64::<0x96>(self, _mm512_srli_epi64::<47>(self), key);
        let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(mixed), prime);
        _mm512_add_epi64(_mm512_mul_epu32(mixed, prime), _mm512_slli_epi64::<32>(high))
    }
}
