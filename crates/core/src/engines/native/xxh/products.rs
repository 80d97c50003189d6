//! XXH32 and XXH64 with half of their multiplications in vectors of AVX2.
//!
//! A round multiplies the word, which can be done at any time, then the lane, which must wait for
//! the round before. Plain code does both, eight multiplications a stripe, which keep a CPU with
//! one multiplier busy for eight cycles where the lanes would be ready after five. So here vectors
//! multiply the words, and plain code, by way of a few words of memory, moves the lanes. (Vectors
//! that do both are slower: their multiplication takes longer than the plain one.)
//!
//! On Zen 5, which has more multipliers, still 10 % more than plain code; llvm-mca predicts 15 %
//! for Intel's and 33 % for Zen 3. Below 1 KiB plain code is quicker.

use std::arch::asm;
use std::arch::x86_64::*;

use super::super::features::Avx2;
use super::{PRIME32_2, PRIME64_2, plain_register, xxh32, xxh64};

/// The products of a pass, at a border of cache lines so that none is read across one.
#[repr(align(64))]
struct Products<W, const COUNT: usize>([W; COUNT]);

/// Takes in stripes of XXH64.
#[target_feature(enable = "avx2")]
pub(super) fn xxh64(mut lanes: [u64; 4], stripes: &[[u8; 32]], _proof: Avx2) -> [u64; 4] {
    let low = _mm256_set1_epi64x(PRIME64_2 as i64);
    let high = _mm256_set1_epi64x((PRIME64_2 >> 32) as i64);
    let mut products = Products([0; 16]);
    let (passes, rest) = stripes.as_chunks::<4>();
    for pass in passes {
        for (stripe, product) in pass.iter().zip(products.0.as_chunks_mut::<4>().0) {
            // SAFETY: source and target have 32 bytes each.
            unsafe {
                let words = _mm256_loadu_si256(stripe.as_ptr().cast());
                // Each multiplication is of the low halves of the 64-bit words.
                let crossed = _mm256_add_epi64(
                    _mm256_mul_epu32(_mm256_srli_epi64::<32>(words), low),
                    _mm256_mul_epu32(words, high),
                );
                let value = _mm256_add_epi64(
                    _mm256_mul_epu32(words, low),
                    _mm256_slli_epi64::<32>(crossed),
                );
                _mm256_storeu_si256(product.as_mut_ptr().cast(), value);
            }
        }
        keep_in_memory(&mut products);
        for product in products.0.as_chunks::<4>().0 {
            for (lane, &product) in lanes.iter_mut().zip(product) {
                *lane = xxh64::multiplied_round(*lane, product);
            }
        }
    }
    xxh64::plain(lanes, rest)
}

/// Takes in stripes of XXH32.
#[target_feature(enable = "avx2")]
pub(super) fn xxh32(mut lanes: [u32; 4], stripes: &[[u8; 16]], _proof: Avx2) -> [u32; 4] {
    let prime = _mm256_set1_epi32(PRIME32_2 as i32);
    let mut products = Products([0; 32]);
    let (passes, rest) = stripes.as_chunks::<8>();
    for pass in passes {
        for (stripes, product) in
            pass.as_chunks::<2>().0.iter().zip(products.0.as_chunks_mut::<8>().0)
        {
            // SAFETY: source and target have 32 bytes each.
            unsafe {
                let words = _mm256_loadu_si256(stripes.as_ptr().cast());
                _mm256_storeu_si256(product.as_mut_ptr().cast(), _mm256_mullo_epi32(words, prime));
            }
        }
        keep_in_memory(&mut products);
        for product in products.0.as_chunks::<4>().0 {
            for (lane, &product) in lanes.iter_mut().zip(product) {
                *lane = plain_register(xxh32::multiplied_round(*lane, product).into()) as u32;
            }
        }
    }
    xxh32::plain(lanes, rest)
}

/// Else the compiler takes the words out of the vector registers one by one, which costs more.
#[inline(always)]
fn keep_in_memory<T>(value: &mut T) {
    // SAFETY: no instruction at all; the compiler must only believe that it looks at the value.
    unsafe { asm!("/* {0} */", in(reg) &raw mut *value, options(nostack, preserves_flags)) }
}
