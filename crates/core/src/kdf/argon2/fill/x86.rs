//! Argon2 with AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::block::{Block, WORDS};
use super::segment::{Compression, Run};
use crate::cpu::features::{Avx2, Avx512};

/// The kinds of compression.
#[derive(Copy, Clone)]
struct By256;
#[derive(Copy, Clone)]
struct By512;

/// Fills the blocks, unless the CPU lacks the instructions. Returns true if they are filled.
///
/// # Safety
/// As for [`Run::fill_with`].
pub(super) unsafe fn fill(run: Run<'_>) -> bool {
    // SAFETY: the run is filled next, and each function is called with the proof that the CPU has
    // its instructions.
    unsafe {
        if Avx512::detect().is_some() {
            fill_512(run);
        } else if Avx2::detect().is_some() {
            fill_256(run);
        } else {
            return false;
        }
    }
    true
}

/// # Safety
/// As for [`Run::fill_with`].
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
unsafe fn fill_512(run: Run<'_>) {
    // SAFETY: the run is filled next; this function has the instructions of `By512`.
    unsafe { run.fill_with(By512) }
}

/// # Safety
/// As for [`Run::fill_with`].
#[target_feature(enable = "avx2")]
unsafe fn fill_256(run: Run<'_>) {
    // SAFETY: the run is filled next; this function has the instructions of `By256`.
    unsafe { run.fill_with(By256) }
}

impl Compression for By256 {
    #[inline(always)]
    // SAFETY: as in the trait.
    unsafe fn compress(
        self,
        before: *const Block,
        other: *const Block,
        target: *mut Block,
        mixes: bool,
        early: impl FnOnce(u64),
    ) {
        // SAFETY: the blocks are valid and `target` is neither of the others. `By256` is used in
        // `fill_256` only, which has the instructions.
        unsafe { by_256(before, other, target, mixes, early) }
    }
}

impl Compression for By512 {
    #[inline(always)]
    // SAFETY: as in the trait.
    unsafe fn compress(
        self,
        before: *const Block,
        other: *const Block,
        target: *mut Block,
        mixes: bool,
        early: impl FnOnce(u64),
    ) {
        // SAFETY: the blocks are valid and `target` is neither of the others. `By512` is used in
        // `fill_512` only, which has the instructions.
        unsafe { by_512(before, other, target, mixes, early) }
    }
}

/// Four words, with AVX2.
struct Four;
/// Eight words, with AVX-512.
struct Eight;

/// Makes functions for these instructions.
macro_rules! operations {
    ($features:literal, $kind:ident, $vector:ty:
     $($(#[$doc:meta])* fn $name:ident $(<const $constant:ident: i32>)? ($($argument:ident),*)
         $body:block)*) => {
        impl $kind {$(
            $(#[$doc])*
            #[inline]
            #[target_feature(enable = $features)]
            fn $name $(<const $constant: i32>)? ($($argument: $vector),*) -> $vector $body
        )*}
    };
}

operations! {"avx2", Four, __m256i:
    fn xor(x, y) {
        _mm256_xor_si256(x, y)
    }

    /// Returns x + y + 2 * (the product of their lower halves).
    fn sum(x, y) {
        let product = _mm256_mul_epu32(x, y);
        _mm256_add_epi64(_mm256_add_epi64(x, y), _mm256_add_epi64(product, product))
    }

    fn turned_32(x) {
        _mm256_shuffle_epi32::<0xb1>(x)
    }

    fn turned_24(x) {
        let order = _mm_set_epi64x(0x0a09_080f_0e0d_0c0b, 0x0201_0007_0605_0403);
        _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order))
    }

    fn turned_16(x) {
        let order = _mm_set_epi64x(0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302);
        _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order))
    }

    fn turned_63(x) {
        _mm256_xor_si256(_mm256_srli_epi64::<63>(x), _mm256_add_epi64(x, x))
    }

    /// Returns the four words of each row in another order.
    fn ordered<const ORDER: i32>(x) {
        _mm256_permute4x64_epi64::<ORDER>(x)
    }

    /// Returns the upper word of `y` and the lower one of `x`, in each pair.
    fn joined(x, y) {
        _mm256_alignr_epi8::<8>(x, y)
    }
}

operations! {"avx512f,avx512vl,avx512bw", Eight, __m512i:
    fn xor(x, y) {
        _mm512_xor_si512(x, y)
    }

    /// Returns x + y + 2 * (the product of their lower halves).
    fn sum(x, y) {
        let product = _mm512_mul_epu32(x, y);
        _mm512_add_epi64(_mm512_add_epi64(x, y), _mm512_add_epi64(product, product))
    }

    fn turned_32(x) {
        _mm512_ror_epi64::<32>(x)
    }

    fn turned_24(x) {
        _mm512_ror_epi64::<24>(x)
    }

    fn turned_16(x) {
        _mm512_ror_epi64::<16>(x)
    }

    fn turned_63(x) {
        _mm512_ror_epi64::<63>(x)
    }

    /// Returns the four words of each half in another order.
    fn ordered<const ORDER: i32>(x) {
        _mm512_permutex_epi64::<ORDER>(x)
    }

    /// Returns the upper word of `y` and the lower one of `x`, in each pair.
    fn joined(x, y) {
        _mm512_alignr_epi8::<8>(x, y)
    }

    /// Returns the lower halves of both, and the upper ones.
    fn lower(x, y) {
        _mm512_shuffle_i64x2::<0x44>(x, y)
    }

    fn upper(x, y) {
        _mm512_shuffle_i64x2::<0xee>(x, y)
    }
}

/// Defines the two rounds of these vectors.
macro_rules! rounds {
    ($features:literal, $kind:ident, $vector:ty) => {
        impl $kind {
            /// Applies BLAKE2b's mix to words one below the other.
            #[inline]
            #[target_feature(enable = $features)]
            fn mix(a: &mut $vector, b: &mut $vector, c: &mut $vector, d: &mut $vector) {
                *a = Self::sum(*a, *b);
                *d = Self::turned_32(Self::xor(*d, *a));
                *c = Self::sum(*c, *d);
                *b = Self::turned_24(Self::xor(*b, *c));
                *a = Self::sum(*a, *b);
                *d = Self::turned_16(Self::xor(*d, *a));
                *c = Self::sum(*c, *d);
                *b = Self::turned_63(Self::xor(*b, *c));
            }

            /// Applies a round to 16 words, four in each vector (and as many of another row in
            /// each, if they fit).
            #[inline]
            #[target_feature(enable = $features)]
            fn by_fours([mut a, mut b, mut c, mut d]: [$vector; 4]) -> [$vector; 4] {
                Self::mix(&mut a, &mut b, &mut c, &mut d);
                (b, c, d) =
                    (Self::ordered::<0x39>(b), Self::ordered::<0x4e>(c), Self::ordered::<0x93>(d));
                Self::mix(&mut a, &mut b, &mut c, &mut d);
                [a, Self::ordered::<0x93>(b), Self::ordered::<0x4e>(c), Self::ordered::<0x39>(d)]
            }

            /// Applies a round to 16 words, two in each vector, and as many columns as fit.
            #[inline]
            #[target_feature(enable = $features)]
            fn by_twos(words: [$vector; 8]) -> [$vector; 8] {
                let [mut a0, mut a1, mut b0, mut b1, mut c0, mut c1, mut d0, mut d1] = words;
                Self::mix(&mut a0, &mut b0, &mut c0, &mut d0);
                Self::mix(&mut a1, &mut b1, &mut c1, &mut d1);
                let [mut e0, mut e1] = [Self::joined(b1, b0), Self::joined(b0, b1)];
                let [mut f0, mut f1] = [Self::joined(d0, d1), Self::joined(d1, d0)];
                Self::mix(&mut a0, &mut e0, &mut c1, &mut f0);
                Self::mix(&mut a1, &mut e1, &mut c0, &mut f1);
                let [b0, b1] = [Self::joined(e0, e1), Self::joined(e1, e0)];
                let [d0, d1] = [Self::joined(f1, f0), Self::joined(f0, f1)];
                [a0, a1, b0, b1, c0, c1, d0, d1]
            }
        }
    };
}

rounds!("avx2", Four, __m256i);
rounds!("avx512f,avx512vl,avx512bw", Eight, __m512i);

/// Compresses as [`plain`](super::block::plain) does. Calls `early` with the first word of the
/// result before the rest is computed: it tells where the next block looks.
///
/// # Safety
/// As for [`plain`](super::block::plain).
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn by_256(
    before: *const Block,
    other: *const Block,
    target: *mut Block,
    mixes: bool,
    early: impl FnOnce(u64),
) {
    const VECTORS: usize = WORDS / 4;
    let (before, other, target) =
        (before.cast::<__m256i>(), other.cast::<__m256i>(), target.cast::<__m256i>());
    // SAFETY: the pointers are those of blocks, aligned to 64 bytes; `at` is less than `VECTORS`.
    unsafe {
        let start = |at: usize| Four::xor(before.add(at).read(), other.add(at).read());
        let mut words: [__m256i; VECTORS] = [_mm256_setzero_si256(); VECTORS];
        for (row, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *words = Four::by_fours(std::array::from_fn(|part| start(4 * row + part)));
        }
        let mut early = Some(early);
        for column in 0..4 {
            let rounds = Four::by_twos(std::array::from_fn(|row| words[4 * row + column]));
            for (row, words) in rounds.into_iter().enumerate() {
                let at = 4 * row + column;
                let mut result = Four::xor(words, start(at));
                if mixes {
                    result = Four::xor(result, target.add(at).read());
                }
                target.add(at).write(result);
                if let Some(early) = early.take() {
                    early(_mm_cvtsi128_si64(_mm256_castsi256_si128(result)) as u64);
                }
            }
        }
    }
}

/// Compresses as [`by_256`] does.
///
/// # Safety
/// As for [`plain`](super::block::plain).
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
unsafe fn by_512(
    before: *const Block,
    other: *const Block,
    target: *mut Block,
    mixes: bool,
    early: impl FnOnce(u64),
) {
    const VECTORS: usize = WORDS / 8;
    let (before, other, target) =
        (before.cast::<__m512i>(), other.cast::<__m512i>(), target.cast::<__m512i>());
    // SAFETY: the pointers are those of blocks, aligned to 64 bytes; `at` is less than `VECTORS`.
    unsafe {
        let start = |at: usize| Eight::xor(before.add(at).read(), other.add(at).read());
        let mut words: [__m512i; VECTORS] = [_mm512_setzero_si512(); VECTORS];
        // Two rows at once; their halves are exchanged.
        for (pair, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let [a, b, c, d] = std::array::from_fn(|part| start(4 * pair + part));
            let halves =
                [Eight::lower(a, c), Eight::upper(a, c), Eight::lower(b, d), Eight::upper(b, d)];
            let [a, b, c, d] = Eight::by_fours(halves);
            *words =
                [Eight::lower(a, b), Eight::lower(c, d), Eight::upper(a, b), Eight::upper(c, d)];
        }
        let mut early = Some(early);
        for column in 0..2 {
            let rounds = Eight::by_twos(std::array::from_fn(|row| words[2 * row + column]));
            for (row, words) in rounds.into_iter().enumerate() {
                let at = 2 * row + column;
                let mut result = Eight::xor(words, start(at));
                if mixes {
                    result = Eight::xor(result, target.add(at).read());
                }
                target.add(at).write(result);
                if let Some(early) = early.take() {
                    early(_mm_cvtsi128_si64(_mm512_castsi512_si128(result)) as u64);
                }
            }
        }
    }
}

#[cfg(test)]
#[test]
fn all_compressions_agree() {
    use super::block::plain;
    use crate::cpu::features::OrSkip;
    use crate::tests::Bytes;

    let mut bytes = Bytes(8);
    let mut block = || Block(std::array::from_fn(|_| u64::from_ne_bytes(bytes.array())));
    for round in 0..50 {
        let (before, other, begin, mixes) = (block(), block(), block(), round % 2 == 1);
        let (mut expected, mut word) = (begin, 0);
        // SAFETY: the blocks are locals; the CPU has the instructions.
        unsafe {
            plain(&before, &other, &mut expected, mixes, |first| word = first);
            assert_eq!(word, expected.0[0]);
            if Avx2::detect().or_skip().is_some() {
                let (mut found, mut word) = (begin, 0);
                by_256(&before, &other, &mut found, mixes, |first| word = first);
                assert_eq!((found.0, word), (expected.0, expected.0[0]), "{round}");
            }
            if Avx512::detect().or_skip().is_some() {
                let (mut found, mut word) = (begin, 0);
                by_512(&before, &other, &mut found, mixes, |first| word = first);
                assert_eq!((found.0, word), (expected.0, expected.0[0]), "{round}");
            }
        }
    }
}
