//! XXH32 with half of its multiplications in vectors of AVX2.
//!
//! A round multiplies the word, which can be done at any time, then the lane, which depends on the
//! round before. Scalar code does both with eight multiplications per stripe, which keep a CPU with
//! one multiplier busy for eight cycles although the lanes would be ready after five. Here vectors
//! multiply the words and store the products, and scalar code computes the lanes. Vectors that do
//! both are slower, because their multiplication has a higher latency.
//!
//! On Zen 5, which has more multipliers, this is 10 % faster than scalar code; llvm-mca predicts
//! 15 % for Intel and 33 % for Zen 3. Below 1 KiB scalar code is faster. For XXH64, whose product
//! of 64 bits takes three multiplications of vectors, the same gained 4 %.
//!
//! ```text
//! for each pass of eight stripes
//!     products[0..32] = words of the stripes * PRIME32_2      VPMULLD, eight words a register
//!     for each stripe, for each of the four lanes             general registers
//!         lane = ((lane + product) <<< 13) * PRIME32_1
//! fewer than eight stripes at the end: scalar code
//! ```

use std::arch::asm;
use std::arch::x86_64::*;

use crate::cpu::any::xxh as any;
pub(crate) use crate::cpu::any::xxh::consume_64;
use crate::cpu::features::Avx2;
use crate::hash::xxh::rounds::rounds_32::multiplied_round;
use crate::hash::xxh::{LONG, PRIME32_2};

/// Absorbs whole stripes of XXH32.
#[inline]
pub(crate) fn consume_32(lanes: [u32; 4], stripes: &[[u8; 16]]) -> [u32; 4] {
    if size_of_val(stripes) >= LONG
        && let Some(proof) = Avx2::detect()
    {
        let (passes, rest) = stripes.as_chunks::<8>();
        // SAFETY: the proof says that the CPU has the instructions.
        return any::consume_32(unsafe { consume(lanes, passes, proof) }, rest);
    }
    any::consume_32(lanes, stripes)
}

/// Returns the number in a general-purpose register. The compiler would otherwise vectorize such
/// sums and products, which is slower here.
#[inline(always)]
pub(crate) fn plain_register(mut number: u64) -> u64 {
    // SAFETY: no instruction at all.
    unsafe {
        asm!("/* {0} */", inout(reg) number, options(nomem, nostack, preserves_flags));
    }
    number
}

/// The products of a pass, aligned so that no vector crosses a cache line.
#[repr(align(64))]
struct Products([u32; 32]);

/// Absorbs stripes.
#[target_feature(enable = "avx2")]
fn consume(mut lanes: [u32; 4], passes: &[[[u8; 16]; 8]], _proof: Avx2) -> [u32; 4] {
    let prime = _mm256_set1_epi32(PRIME32_2 as i32);
    let mut products = Products([0; 32]);
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
                *lane = plain_register(multiplied_round(*lane, product).into()) as u32;
            }
        }
    }
    lanes
}

/// Keeps the compiler from extracting the words from vector registers one by one, which is slower.
#[inline(always)]
fn keep_in_memory(value: &mut Products) {
    // SAFETY: an empty instruction sequence, which the compiler assumes to read the value.
    unsafe { asm!("/* {0} */", in(reg) &raw mut *value, options(nostack, preserves_flags)) }
}

#[cfg(test)]
#[test]
fn products_in_vectors_agree_with_plain_code() {
    use crate::cpu::features::OrSkip;
    use crate::tests::Bytes;

    let Some(proof) = Avx2::detect().or_skip() else { return };
    let mut random = Bytes(7);
    for count in 0..100 {
        let lanes: [u32; 4] = std::array::from_fn(|_| u32::from_le_bytes(random.array()));
        let source = random.vec(16 * count + 5);
        let (stripes, _) = source[5..].as_chunks();
        let (passes, rest) = stripes.as_chunks();
        // SAFETY: the proof says that the CPU has the instructions.
        let ours = unsafe { consume(lanes, passes, proof) };
        assert_eq!(any::consume_32(ours, rest), any::consume_32(lanes, stripes), "{count}");
    }
}
