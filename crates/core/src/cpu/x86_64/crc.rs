//! CRCs by carry-less products of x86-64: [`field`](crate::hash::crc::field) has the steps. Several
//! blocks are folded independently of each other, because a product takes 4 to 7 cycles and a new
//! one can begin in each.
//!
//! ```text
//! fewer than 16 blocks, or no VPCLMULQDQ:   four registers of one block
//! otherwise, in registers of two blocks (AVX2) or four (AVX-512):
//!     if at least 16 registers:             eight at a time, forward by 8; then folded to four
//!     groups of four registers:             forward by 4
//!     fold the four to one; each single register: forward by 1
//!     fold the lanes of the register to one block
//! blocks one by one, Barrett's reduction, and the last bytes by tables
//! ```

use std::arch::x86_64::*;

use crate::cpu::features::{Carryless, Fold256, Fold512};
use crate::hash::crc::field::{BLOCK, Constants, Polynomial, by_tables};

/// Blocks from which the wide products are faster.
const WIDE: usize = 16;

/// Absorbs bytes with the widest products that the CPU has.
#[inline]
pub(crate) fn absorb<const POLY: u64>(register: u64, source: &[u8]) -> u64 {
    let (blocks, rest) = source.as_chunks();
    by_tables(Polynomial::<POLY>::TABLES, absorb_blocks::<POLY>(register, blocks), rest)
}

#[inline]
fn absorb_blocks<const POLY: u64>(register: u64, blocks: &[[u8; BLOCK]]) -> u64 {
    if blocks.is_empty() {
        return register;
    }
    let constants = Polynomial::<POLY>::CONSTANTS;
    if blocks.len() >= WIDE {
        if let Some(proof) = Fold512::detect() {
            // SAFETY: the proof says that the CPU has the instructions.
            return unsafe { fold_512(constants, register, blocks, proof) };
        }
        if let Some(proof) = Fold256::detect() {
            // SAFETY: the proof says that the CPU has the instructions.
            return unsafe { fold_256(constants, register, blocks, proof) };
        }
    }
    if let Some(proof) = Carryless::detect() {
        // SAFETY: the proof says that the CPU has the instructions.
        return unsafe { fold_128(constants, register, blocks, proof) };
    }
    by_tables(Polynomial::<POLY>::TABLES, register, blocks.as_flattened())
}

/// Calls `check` with the register after the blocks by each set of instructions.
#[cfg(test)]
pub(crate) fn each(
    constants: &Constants,
    register: u64,
    blocks: &[[u8; BLOCK]],
    check: impl Fn(u64),
) {
    use crate::cpu::features::OrSkip;
    // SAFETY: the proofs say that the CPU has the instructions.
    unsafe {
        if let Some(proof) = Carryless::detect().or_skip() {
            check(fold_128(constants, register, blocks, proof));
        }
        if let Some(proof) = Fold256::detect().or_skip()
            && blocks.len() >= WIDE
        {
            check(fold_256(constants, register, blocks, proof));
        }
        if let Some(proof) = Fold512::detect().or_skip()
            && blocks.len() >= WIDE
        {
            check(fold_512(constants, register, blocks, proof));
        }
    }
}

/// Absorbs at least one block, four at once.
#[target_feature(enable = "pclmulqdq,sse2")]
fn fold_128(
    constants: &Constants,
    register: u64,
    blocks: &[[u8; BLOCK]],
    _proof: Carryless,
) -> u64 {
    let (groups, rest) = blocks.as_chunks::<4>();
    let Some((first, groups)) = groups.split_first() else {
        return tail(constants, begin(register, &rest[0]), &rest[1..]);
    };
    let [mut a, mut b, mut c, mut d] =
        [begin(register, &first[0]), load(&first[1]), load(&first[2]), load(&first[3])];
    let factors = words(constants.forward[2]);
    for group in groups {
        a = forward(a, factors, load(&group[0]));
        b = forward(b, factors, load(&group[1]));
        c = forward(c, factors, load(&group[2]));
        d = forward(d, factors, load(&group[3]));
    }
    let one = words(constants.forward[0]);
    let sum = forward(forward(a, one, b), words(constants.forward[1]), forward(c, one, d));
    tail(constants, sum, rest)
}

/// Absorbs the blocks after those in `sum` one by one and returns the register.
#[inline]
#[target_feature(enable = "pclmulqdq,sse2")]
fn tail(constants: &Constants, mut sum: __m128i, rest: &[[u8; BLOCK]]) -> u64 {
    let factors = words(constants.forward[0]);
    for block in rest {
        sum = forward(sum, factors, load(block));
    }
    reduce(constants, sum)
}

/// Returns the remainder of the block times x^64, after Barrett.
#[inline]
#[target_feature(enable = "pclmulqdq,sse2")]
fn reduce(constants: &Constants, block: __m128i) -> u64 {
    let factor = _mm_set_epi64x(0, constants.forward[0][1] as i64);
    // The first word times x^128, the second times x^64.
    let dividend =
        _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(block, factor), _mm_srli_si128::<8>(block));
    let barrett = words([constants.quotient, constants.divisor]);
    let quotient = _mm_clmulepi64_si128::<0x00>(dividend, barrett);
    let multiple = _mm_clmulepi64_si128::<0x10>(quotient, barrett);
    let remainder = _mm_unpackhi_epi64(_mm_xor_si128(dividend, multiple), dividend);
    _mm_cvtsi128_si64(remainder) as u64 ^ _mm_cvtsi128_si64(quotient) as u64 & constants.odd
}

/// Returns the block moved by the distance of the factors, plus the block there.
#[inline]
#[target_feature(enable = "pclmulqdq,sse2")]
fn forward(block: __m128i, factors: __m128i, there: __m128i) -> __m128i {
    let first = _mm_clmulepi64_si128::<0x00>(block, factors);
    let second = _mm_clmulepi64_si128::<0x11>(block, factors);
    _mm_xor_si128(_mm_xor_si128(first, second), there)
}

/// Returns the first block of the rest of a message, with the register added.
#[inline]
#[target_feature(enable = "sse2")]
fn begin(register: u64, block: &[u8; BLOCK]) -> __m128i {
    _mm_xor_si128(load(block), _mm_set_epi64x(0, register as i64))
}

#[inline]
#[target_feature(enable = "sse2")]
fn words([first, second]: [u64; 2]) -> __m128i {
    _mm_set_epi64x(second as i64, first as i64)
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(block: &[u8; BLOCK]) -> __m128i {
    // SAFETY: reads the 16 bytes of the block, at any alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

/// Defines a function that absorbs at least [`WIDE`] blocks with vectors of `$lanes` blocks: eight
/// vectors at once, which hides the latency of two products a cycle, then four, then one, then
/// blocks one by one. `$one` is the place of the factors that move by a vector; those after it move
/// by two, four and eight.
macro_rules! wide {
    ($(#[$doc:meta])* $name:ident, $proof:ty, $features:literal, $vector:ty, $lanes:literal,
     $one:literal, $load:ident, $zero_extend:ident, $broadcast:ident, $product:ident,
     |$x:ident, $y:ident, $z:ident| $sum:expr, |$constants:ident, $all:ident| $block:expr) => {
        $(#[$doc])*
        #[target_feature(enable = $features)]
        fn $name(
            $constants: &Constants,
            register: u64,
            blocks: &[[u8; BLOCK]],
            _proof: $proof,
        ) -> u64 {
            let load = |group: &[[u8; BLOCK]; $lanes]| {
                // SAFETY: reads the bytes of the group, at any alignment.
                unsafe { $load(group.as_ptr().cast()) }
            };
            let forward = |$x: $vector, factors: $vector, $z: $vector| {
                let $y = $product::<0x11>($x, factors);
                let $x = $product::<0x00>($x, factors);
                $sum
            };
            let factors = |place: usize| $broadcast(words($constants.forward[place]));
            let (vectors, rest) = blocks.as_chunks::<$lanes>();
            let (groups, single) = vectors.as_chunks::<4>();
            let ($x, $y) = (load(&groups[0][0]), $zero_extend(_mm_set_epi64x(0, register as i64)));
            let $z = $zero_extend(_mm_setzero_si128());
            let [mut a, mut b, mut c, mut d] =
                [$sum, load(&groups[0][1]), load(&groups[0][2]), load(&groups[0][3])];
            let four = factors($one + 2);
            let mut groups = &groups[1..];
            if let [group, others @ ..] = groups
                && others.len() >= 2
            {
                let [mut e, mut f, mut g, mut h] =
                    [load(&group[0]), load(&group[1]), load(&group[2]), load(&group[3])];
                let eight = factors($one + 3);
                let (pairs, last) = others.as_chunks::<2>();
                for [near, far] in pairs {
                    a = forward(a, eight, load(&near[0]));
                    b = forward(b, eight, load(&near[1]));
                    c = forward(c, eight, load(&near[2]));
                    d = forward(d, eight, load(&near[3]));
                    e = forward(e, eight, load(&far[0]));
                    f = forward(f, eight, load(&far[1]));
                    g = forward(g, eight, load(&far[2]));
                    h = forward(h, eight, load(&far[3]));
                }
                [a, b, c, d] = [
                    forward(a, four, e),
                    forward(b, four, f),
                    forward(c, four, g),
                    forward(d, four, h),
                ];
                groups = last;
            }
            for group in groups {
                a = forward(a, four, load(&group[0]));
                b = forward(b, four, load(&group[1]));
                c = forward(c, four, load(&group[2]));
                d = forward(d, four, load(&group[3]));
            }
            let one = factors($one);
            let mut $all = forward(forward(a, one, b), factors($one + 1), forward(c, one, d));
            for vector in single {
                $all = forward($all, one, load(vector));
            }
            tail($constants, $block, rest)
        }
    };
}

wide! {
    /// Two blocks in a vector.
    fold_256, Fold256, "pclmulqdq,vpclmulqdq,avx2", __m256i, 2, 1,
    _mm256_loadu_si256, _mm256_zextsi128_si256, _mm256_broadcastsi128_si256,
    _mm256_clmulepi64_epi128,
    |x, y, z| _mm256_xor_si256(_mm256_xor_si256(x, y), z),
    |constants, all| halves(constants, all)
}

wide! {
    /// Four blocks in a vector.
    fold_512, Fold512, "pclmulqdq,vpclmulqdq,avx2,avx512f,avx512vl,avx512bw", __m512i, 4, 2,
    _mm512_loadu_si512, _mm512_zextsi128_si512, _mm512_broadcast_i32x4,
    _mm512_clmulepi64_epi128,
    |x, y, z| _mm512_ternarylogic_epi64::<0x96>(x, y, z),
    |constants, all| {
        let (first, second) = (_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
        let two = _mm256_broadcastsi128_si256(words(constants.forward[1]));
        let product = _mm256_xor_si256(
            _mm256_clmulepi64_epi128::<0x00>(first, two),
            _mm256_clmulepi64_epi128::<0x11>(first, two),
        );
        halves(constants, _mm256_xor_si256(product, second))
    }
}

/// Returns the first block moved to the second, plus that.
#[inline]
#[target_feature(enable = "pclmulqdq,avx2")]
fn halves(constants: &Constants, both: __m256i) -> __m128i {
    let (first, second) = (_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    forward(first, words(constants.forward[0]), second)
}
