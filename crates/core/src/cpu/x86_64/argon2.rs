//! Argon2 with AVX2 and AVX-512: the compression of [`block`](crate::kdf::argon2::fill::block),
//! with four or eight words in a register.
//!
//! ```text
//! rows (by_fours):     a row is 4 registers of 4 words; AVX-512 has two rows in the halves
//!     mix(a, b, c, d)                            columns
//!     turn words of b, c, d by 1, 2, 3 (VPERMQ); mix: diagonals; turn back
//! columns (by_twos):   8 registers, one a row, have two columns of 16 words; with AVX-512 four
//!     mix(a0, b0, c0, d0), mix(a1, b1, c1, d1)   a0: words 0 and 1 of the 16, a1: words 2 and 3
//!     turn b and d across two registers (VPALIGNR), exchange c0 and c1; mix: diagonals; turn back
//!     target = the result ^ before ^ other (^ target)
//! sum:                 VPMULUDQ, its result added twice
//! rotations:           AVX-512: VPRORQ. AVX2: shuffles, by 63 a shift and a sum
//! ```
//!
//! The first word of the target is passed on as soon as it is known.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use crate::cpu::any::argon2 as any;
use crate::cpu::features::{Avx2, Avx512};
use crate::kdf::argon2::fill::block::{Block, WORDS};
use crate::kdf::argon2::fill::segment::{Compression, Run};

/// Fills the blocks.
///
/// # Safety
/// As for [`Run::fill_with`].
pub(crate) unsafe fn fill(run: Run<'_>) {
    // SAFETY: the run is filled next, and each function is called with the proof that the CPU has
    // its instructions.
    unsafe {
        if Avx512::detect().is_some() {
            fill_512(run);
        } else if Avx2::detect().is_some() {
            fill_256(run);
        } else {
            any::fill(run);
        }
    }
}

/// # Safety
/// As for [`Run::fill_with`].
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
unsafe fn fill_512(run: Run<'_>) {
    // SAFETY: the run is filled next; this function has the instructions of `__m512i`.
    unsafe { run.fill_with(By::<__m512i, { WORDS / 8 }>(PhantomData)) }
}

/// # Safety
/// As for [`Run::fill_with`].
#[target_feature(enable = "avx2")]
unsafe fn fill_256(run: Run<'_>) {
    // SAFETY: the run is filled next; this function has the instructions of `__m256i`.
    unsafe { run.fill_with(By::<__m256i, { WORDS / 4 }>(PhantomData)) }
}

/// The compression in vectors, of which a block is `VECTORS`. It is used in functions that have
/// their instructions.
#[derive(Copy, Clone)]
struct By<V, const VECTORS: usize>(PhantomData<V>);

impl<V: Vector, const VECTORS: usize> Compression for By<V, VECTORS> {
    // Calls `early` with the first word of the result before the rest is computed: it tells where
    // the next block looks.
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
        let columns = VECTORS / 8;
        let (before, other, target) = (before.cast::<V>(), other.cast::<V>(), target.cast::<V>());
        // SAFETY: the blocks are valid and aligned to 64 bytes, and `target` is neither of the
        // others; `at` is less than `VECTORS`. The CPU has the instructions of the vectors.
        unsafe {
            let mut words = [before.read(); VECTORS];
            for (at, words) in words.iter_mut().enumerate() {
                *words = before.add(at).read().xor(other.add(at).read());
            }
            for words in words.as_chunks_mut().0 {
                *words = V::rows(*words);
            }
            let mut early = Some(early);
            for column in 0..columns {
                let rounds = by_twos(std::array::from_fn(|row| words[columns * row + column]));
                for (row, words) in rounds.into_iter().enumerate() {
                    let at = columns * row + column;
                    let mut result = words.xor(before.add(at).read().xor(other.add(at).read()));
                    if mixes {
                        result = result.xor(target.add(at).read());
                    }
                    target.add(at).write(result);
                    if let Some(early) = early.take() {
                        early(result.first());
                    }
                }
            }
        }
    }
}

/// Words in a register.
///
/// # Safety
/// The type is a register of integers. A caller's CPU has the instructions.
unsafe trait Vector: Copy {
    unsafe fn xor(self, other: Self) -> Self;
    /// Returns x + y + 2 * (the product of their lower halves).
    unsafe fn sum(self, other: Self) -> Self;
    /// Returns the words, rotated to the right.
    unsafe fn turned_32(self) -> Self;
    unsafe fn turned_24(self) -> Self;
    unsafe fn turned_16(self) -> Self;
    unsafe fn turned_63(self) -> Self;
    /// Returns each four words in another order.
    unsafe fn ordered<const ORDER: i32>(self) -> Self;
    /// Returns the upper word of `other` and the lower one of this, in each pair.
    unsafe fn joined(self, other: Self) -> Self;
    /// Returns the first word.
    unsafe fn first(self) -> u64;
    /// Applies a round to each row of 16 words, and leaves the words of a column in order of rows.
    unsafe fn rows(words: [Self; 4]) -> [Self; 4];
}

/// Applies BLAKE2b's mix to words one below the other.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn mix<V: Vector>(a: &mut V, b: &mut V, c: &mut V, d: &mut V) {
    // SAFETY: the CPU has the instructions, here and below.
    unsafe {
        *a = a.sum(*b);
        *d = d.xor(*a).turned_32();
        *c = c.sum(*d);
        *b = b.xor(*c).turned_24();
        *a = a.sum(*b);
        *d = d.xor(*a).turned_16();
        *c = c.sum(*d);
        *b = b.xor(*c).turned_63();
    }
}

/// Applies a round to 16 words, four in each vector (and as many of another row in each, if they
/// fit).
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn by_fours<V: Vector>([mut a, mut b, mut c, mut d]: [V; 4]) -> [V; 4] {
    // SAFETY: as above.
    unsafe {
        mix(&mut a, &mut b, &mut c, &mut d);
        (b, c, d) = (b.ordered::<0x39>(), c.ordered::<0x4e>(), d.ordered::<0x93>());
        mix(&mut a, &mut b, &mut c, &mut d);
        [a, b.ordered::<0x93>(), c.ordered::<0x4e>(), d.ordered::<0x39>()]
    }
}

/// Applies a round to 16 words, two in each vector, and as many columns as fit.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn by_twos<V: Vector>(words: [V; 8]) -> [V; 8] {
    let [mut a0, mut a1, mut b0, mut b1, mut c0, mut c1, mut d0, mut d1] = words;
    // SAFETY: as above.
    unsafe {
        mix(&mut a0, &mut b0, &mut c0, &mut d0);
        mix(&mut a1, &mut b1, &mut c1, &mut d1);
        let [mut e0, mut e1] = [b1.joined(b0), b0.joined(b1)];
        let [mut f0, mut f1] = [d0.joined(d1), d1.joined(d0)];
        mix(&mut a0, &mut e0, &mut c1, &mut f0);
        mix(&mut a1, &mut e1, &mut c0, &mut f1);
        [a0, a1, e0.joined(e1), e1.joined(e0), c0, c1, f1.joined(f0), f0.joined(f1)]
    }
}

/// Defines the methods of a register with these instructions.
macro_rules! vector {
    ($vector:ty, $features:literal, $xor:ident, $add:ident, $product:ident, $joined:ident,
     $ordered:ident:
     $(fn $method:ident($($arguments:tt)*) -> $result:ty $body:block)*) => {
        // SAFETY: a register of integers.
        unsafe impl Vector for $vector {
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn xor(self, other: Self) -> Self {
                $xor(self, other)
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn sum(self, other: Self) -> Self {
                let product = $product(self, other);
                $add($add(self, other), $add(product, product))
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn ordered<const ORDER: i32>(self) -> Self {
                $ordered::<ORDER>(self)
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn joined(self, other: Self) -> Self {
                $joined::<8>(self, other)
            }

            $(
                #[inline]
                #[target_feature(enable = $features)]
                // SAFETY: as in the trait.
                unsafe fn $method($($arguments)*) -> $result $body
            )*
        }
    };
}

vector! {
    __m256i, "avx2", _mm256_xor_si256, _mm256_add_epi64, _mm256_mul_epu32, _mm256_alignr_epi8,
    _mm256_permute4x64_epi64:
    fn turned_32(self) -> Self {
        _mm256_shuffle_epi32::<0xb1>(self)
    }

    fn turned_24(self) -> Self {
        let order = _mm_set_epi64x(0x0a09_080f_0e0d_0c0b, 0x0201_0007_0605_0403);
        _mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(order))
    }

    fn turned_16(self) -> Self {
        let order = _mm_set_epi64x(0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302);
        _mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(order))
    }

    fn turned_63(self) -> Self {
        _mm256_xor_si256(_mm256_srli_epi64::<63>(self), _mm256_add_epi64(self, self))
    }

    fn first(self) -> u64 {
        _mm_cvtsi128_si64(_mm256_castsi256_si128(self)) as u64
    }

    fn rows(words: [Self; 4]) -> [Self; 4] {
        // SAFETY: this function has the instructions.
        unsafe { by_fours(words) }
    }
}

vector! {
    __m512i, "avx512f,avx512vl,avx512bw", _mm512_xor_si512, _mm512_add_epi64, _mm512_mul_epu32,
    _mm512_alignr_epi8, _mm512_permutex_epi64:
    fn turned_32(self) -> Self {
        _mm512_ror_epi64::<32>(self)
    }

    fn turned_24(self) -> Self {
        _mm512_ror_epi64::<24>(self)
    }

    fn turned_16(self) -> Self {
        _mm512_ror_epi64::<16>(self)
    }

    fn turned_63(self) -> Self {
        _mm512_ror_epi64::<63>(self)
    }

    fn first(self) -> u64 {
        _mm_cvtsi128_si64(_mm512_castsi512_si128(self)) as u64
    }

    // Two rows at once; their halves are exchanged.
    fn rows([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let lower = |x, y| _mm512_shuffle_i64x2::<0x44>(x, y);
        let upper = |x, y| _mm512_shuffle_i64x2::<0xee>(x, y);
        // SAFETY: this function has the instructions.
        let [a, b, c, d] =
            unsafe { by_fours([lower(a, c), upper(a, c), lower(b, d), upper(b, d)]) };
        [lower(a, b), lower(c, d), upper(a, b), upper(c, d)]
    }
}

#[cfg(test)]
#[test]
fn all_compressions_agree() {
    use crate::cpu::features::OrSkip;
    use crate::kdf::argon2::fill::block::plain;
    use crate::tests::Bytes;

    /// Defines a compression with these instructions.
    macro_rules! by {
        ($name:ident, $features:literal, $vector:ty, $words:literal) => {
            #[target_feature(enable = $features)]
            // SAFETY: only the instructions are to be there.
            unsafe fn $name(
                a: &Block,
                b: &Block,
                to: &mut Block,
                mixes: bool,
                early: impl FnOnce(u64),
            ) {
                // SAFETY: the blocks are references; this function has the instructions.
                unsafe {
                    By::<$vector, { WORDS / $words }>(PhantomData).compress(a, b, to, mixes, early)
                }
            }
        };
    }
    by!(by_256, "avx2", __m256i, 4);
    by!(by_512, "avx512f,avx512vl,avx512bw", __m512i, 8);

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
