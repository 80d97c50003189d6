//! ChaCha20 with AVX2, while Poly1305 runs in general registers. Eight blocks at once in columns: a
//! register holds one word of each.
//!
//! Alone AWS-LC's is faster, in hand-made assembly (331 us a MiB on Zen 3, this 364), but both
//! together take 388, one after the other 501, and AWS-LC's code for both 427. All sixteen words
//! are in use in each round and there are as many registers. Slower, in a copy that took 375: four
//! quarter rounds at a time (420), one (550), Poly1305 in one chain (397) or after every second
//! quarter round (490), passes of 1 KiB, with a join after each (397).
//!
//! The layout in columns is that of [`state`](mod@crate::cipher::chacha::state), in eight lanes.
//! Rotations by 16 and by 8 are shuffles of bytes, the others two shifts.
//!
//! ```text
//! for set in 0..8                                   8 blocks each: a long pass of 4 KiB
//!     x = begin = the states of the next eight blocks
//!     for i in 0..10
//!         round over columns, two quarter rounds at a time
//!         if i < 8:  Poly1305 absorbs a block of each half          general registers
//!         round over diagonals
//!         if i < 8:  Poly1305 absorbs a block of each half
//!     x += begin; transpose; target = source ^ x
//! ```
//!
//! There is no tail: callers pass whole long passes.
//!
//! # Safety
//! As for [`avx512`](super::avx512), with a proof of AVX2 and BMI2.

use std::arch::x86_64::*;

use crate::cipher::chacha::state::{BLOCK, State, advance};
use crate::cipher::poly1305::BLOCK as MAC_BLOCK;
use crate::cipher::text::Span;
use crate::cpu::features::Avx2Bmi;
use crate::cpu::kernels::poly1305::words::{Halves, LONG_PASS, Powers};

/// Bytes of the blocks in columns.
const COLUMNS: usize = 8 * BLOCK;
const SETS: usize = LONG_PASS / COLUMNS;
/// After how many of ten double rounds Poly1305 has absorbed its text, four blocks after each.
const ABSORBED: usize = 8;
const _: () = assert!(ABSORBED * 4 * SETS * MAC_BLOCK == LONG_PASS);

/// Encrypts or decrypts a long pass, while Poly1305 absorbs another, `absorbed`.
///
/// # Safety
/// Source and target have [`LONG_PASS`] bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(crate) unsafe fn pass(
    state: &mut State,
    text: Span,
    (powers, mut sums): (&Powers, Halves),
    absorbed: &[u8; LONG_PASS],
    proof: Avx2Bmi,
) -> Halves {
    for set in 0..SETS {
        let begin = spread(state, proof);
        let mut words = begin;
        for index in 0..10 {
            let at = 2 * (ABSORBED * set + index);
            round::<0>(&mut words);
            if index < ABSORBED {
                sums = powers.pair(sums, absorbed, at);
            }
            round::<1>(&mut words);
            if index < ABSORBED {
                sums = powers.pair(sums, absorbed, at + 1);
            }
        }
        let words = std::array::from_fn(|index| _mm256_add_epi32(words[index], begin[index]));
        // SAFETY: source and target have the bytes of all sets.
        unsafe { mix(words, text.part(set * COLUMNS, COLUMNS)) };
        advance(state, 8);
    }
    sums
}

/// Returns the states of eight blocks, a word each register.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(state: &State, _proof: Avx2Bmi) -> [__m256i; 16] {
    let mut words = state.map(|word| _mm256_set1_epi32(word as i32));
    let lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    // The number of a message's block has 32 bits.
    words[12] = _mm256_add_epi32(words[12], lanes);
    words
}

/// Applies a round over columns, or over diagonals (1).
#[inline]
#[target_feature(enable = "avx2")]
fn round<const DIAGONAL: usize>(words: &mut [__m256i; 16]) {
    two_quarters::<0, DIAGONAL>(words);
    two_quarters::<2, DIAGONAL>(words);
}

/// Applies the quarter rounds of two neighbouring columns side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn two_quarters<const FIRST: usize, const DIAGONAL: usize>(words: &mut [__m256i; 16]) {
    macro_rules! both {
        ($into:literal += $other:literal) => {
            both!(|into, other| _mm256_add_epi32(words[into], words[other]), $into, $other)
        };
        ($into:literal ^= $other:literal, $rotate:expr) => {
            both!(|into, other| $rotate(_mm256_xor_si256(words[into], words[other])), $into, $other)
        };
        (|$a:ident, $b:ident| $value:expr, $into:literal, $other:literal) => {{
            let places = |row: usize, column: usize| 4 * row + (column + row * DIAGONAL) % 4;
            let ($a, $b) = (places($into, FIRST), places($other, FIRST));
            words[$a] = $value;
            let ($a, $b) = (places($into, FIRST + 1), places($other, FIRST + 1));
            words[$a] = $value;
        }};
    }
    both!(0 += 1);
    both!(3 ^= 0, left_16);
    both!(2 += 3);
    both!(1 ^= 2, left::<12, 20>);
    both!(0 += 1);
    both!(3 ^= 0, left_8);
    both!(2 += 3);
    both!(1 ^= 2, left::<7, 25>);
}

#[inline]
#[target_feature(enable = "avx2")]
fn left<const BITS: i32, const OTHERS: i32>(word: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<BITS>(word), _mm256_srli_epi32::<OTHERS>(word))
}

#[inline]
#[target_feature(enable = "avx2")]
fn left_16(word: __m256i) -> __m256i {
    let order = _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    _mm256_shuffle_epi8(word, _mm256_broadcastsi128_si256(order))
}

#[inline]
#[target_feature(enable = "avx2")]
fn left_8(word: __m256i) -> __m256i {
    let order = _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
    _mm256_shuffle_epi8(word, _mm256_broadcastsi128_si256(order))
}

/// Adds the keystream of eight blocks.
///
/// # Safety
/// Source and target have [`COLUMNS`] bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn mix(words: [__m256i; 16], text: Span) {
    let Span { source, target, .. } = text;
    for half in 0..2 {
        // Within lanes of four words: rows[g][j] has words 4g..4g+4 of blocks j and 4+j.
        let rows: [[__m256i; 4]; 2] = std::array::from_fn(|group| {
            let [x, y, z, w] = std::array::from_fn(|index| words[8 * half + 4 * group + index]);
            let [xy, zw] = [_mm256_unpacklo_epi32(x, y), _mm256_unpacklo_epi32(z, w)];
            let [uv, st] = [_mm256_unpackhi_epi32(x, y), _mm256_unpackhi_epi32(z, w)];
            [
                _mm256_unpacklo_epi64(xy, zw),
                _mm256_unpackhi_epi64(xy, zw),
                _mm256_unpacklo_epi64(uv, st),
                _mm256_unpackhi_epi64(uv, st),
            ]
        });
        for (index, (&a, &b)) in rows[0].iter().zip(&rows[1]).enumerate() {
            let add = |block: usize, stream| {
                let at = block * BLOCK + half * (BLOCK / 2);
                // SAFETY: half a block of less than eight.
                unsafe {
                    let text = _mm256_loadu_si256(source.add(at).cast());
                    _mm256_storeu_si256(target.add(at).cast(), _mm256_xor_si256(text, stream));
                }
            };
            add(index, _mm256_permute2x128_si256::<0x20>(a, b));
            add(4 + index, _mm256_permute2x128_si256::<0x31>(a, b));
        }
    }
}
