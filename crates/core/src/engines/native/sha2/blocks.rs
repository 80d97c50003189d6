//! SHA-512's compression: message schedule in vectors, rounds in general registers.
//!
//! The schedule of two blocks is computed at once, a pair of words of the one in the lower half of
//! a register and of the other in the upper, amid the rounds of the first block; so half of all
//! rounds have the CPU to themselves. What is left is the chain from word E to the next E, five
//! instructions a round, and the number of instructions where another thread shares the core.
//!
//! Tried and declined: the textbook's Ch and Maj; the large sigmas as nested rotations; four
//! instructions from E to E by adding D early, since two more additions a round cost more. The
//! instructions made for SHA-512 (`sha512rnds2`) are not used: no machine at hand has them, so they
//! could neither be measured nor tested.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use aws_lc_sys as lc;

use super::super::features::{Schedule256, Schedule512};

/// Words of a schedule for two blocks, with the round constants added.
type Schedule = [[u64; 4]; 40];

/// One round. What becomes of the other words is a matter of names, so that nothing is moved.
/// `$differ` is B XOR C, which Maj wants, and becomes that of the next round: A XOR B. `$sum` is
/// the large sigma of the last round's A, which is missing in this one's.
macro_rules! round {
    ($differ:ident, $sum:ident,
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:expr) => {
        $h = fixed($h.wrapping_add($word));
        $h = fixed($h.wrapping_add($e & $f));
        $a = fixed($a.wrapping_add($sum));
        $h = fixed($h.wrapping_add(!$e & $g));
        let large: u64 = fixed($e.rotate_right(14) ^ $e.rotate_right(18)) ^ $e.rotate_right(41);
        let next: u64 = $a ^ $b;
        $h = fixed($h.wrapping_add(large));
        $d = fixed($d.wrapping_add($h));
        let majority: u64 = $b ^ ($differ & next);
        $differ = next;
        $h = fixed($h.wrapping_add(majority));
        $sum = fixed($a.rotate_right(28) ^ $a.rotate_right(34)) ^ $a.rotate_right(39);
    };
}

/// Returns the number. The compiler cannot regroup the sum that it is; otherwise it adds the word
/// last, on the way from E to E.
#[inline(always)]
fn fixed(mut number: u64) -> u64 {
    // SAFETY: no instructions.
    unsafe {
        asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
    }
    number
}

/// 16 rounds over the words which `$word` gives by number; `$before` runs ahead of each second one.
macro_rules! rounds_16 {
    ($words:ident, $word:expr, $before:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *$words;
        let mut differ = b ^ c;
        let mut sum = 0_u64;
        $before(0);
        round!(differ, sum, a b c d e f g h, $word(0));
        round!(differ, sum, h a b c d e f g, $word(1));
        $before(1);
        round!(differ, sum, g h a b c d e f, $word(2));
        round!(differ, sum, f g h a b c d e, $word(3));
        $before(2);
        round!(differ, sum, e f g h a b c d, $word(4));
        round!(differ, sum, d e f g h a b c, $word(5));
        $before(3);
        round!(differ, sum, c d e f g h a b, $word(6));
        round!(differ, sum, b c d e f g h a, $word(7));
        $before(4);
        round!(differ, sum, a b c d e f g h, $word(8));
        round!(differ, sum, h a b c d e f g, $word(9));
        $before(5);
        round!(differ, sum, g h a b c d e f, $word(10));
        round!(differ, sum, f g h a b c d e, $word(11));
        $before(6);
        round!(differ, sum, e f g h a b c d, $word(12));
        round!(differ, sum, d e f g h a b c, $word(13));
        $before(7);
        round!(differ, sum, c d e f g h a b, $word(14));
        round!(differ, sum, b c d e f g h a, $word(15));
        debug_assert_eq!(differ, b ^ c);
        a = a.wrapping_add(sum);
        *$words = [a, b, c, d, e, f, g, h];
    };
}

/// Defines a compression function of the instructions which rotate vectors.
macro_rules! compression {
    ($(#[$doc:meta])* $name:ident, $features:literal, $proof:ty, $sigma_0:ident, $sigma_1:ident) =>
        {
        $(#[$doc])*
        #[target_feature(enable = $features)]
        pub(super) fn $name(words: &mut [u64; 8], blocks: &[[u8; 128]], _proof: $proof) {
            let mut schedule = MaybeUninit::<Schedule>::uninit();
            let entries: *mut __m256i = schedule.as_mut_ptr().cast();
            let (pairs, last) = blocks.as_chunks::<2>();
            for [first, second] in pairs {
                // SAFETY: the schedule has the room; it is filled along with the first block.
                unsafe {
                    both(words, first, second, entries);
                    again(words, entries);
                }
            }
            for block in last {
                // SAFETY: as above.
                unsafe { both(words, block, block, entries) };
            }
            // SAFETY: pointer and length are of one local, which is not read afterwards.
            unsafe { lc::OPENSSL_cleanse(entries.cast(), size_of::<Schedule>()) };

            /// Absorbs the first block, and leaves the schedules of both.
            ///
            /// # Safety
            /// There is room for a schedule.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn both(words: &mut [u64; 8], first: &[u8; 128], second: &[u8; 128],
                schedule: *mut __m256i) {
                let reverse = _mm256_set_epi64x(
                    0x0809_0a0b_0c0d_0e0f,
                    0x0001_0203_0405_0607,
                    0x0809_0a0b_0c0d_0e0f,
                    0x0001_0203_0405_0607,
                );
                let begin = *words;
                // SAFETY: reads pairs of words within the blocks and the constants, and within the
                // schedule writes 40 entries and reads what has been written.
                unsafe {
                    let mut constants: *const __m256i = PAIRS.0.as_ptr().cast();
                    let mut pairs: [__m256i; 8] = std::array::from_fn(|pair| {
                        let [low, high] = [first, second].map(|block| block.as_ptr().add(16
                            * pair));
                        _mm256_shuffle_epi8(_mm256_loadu2_m128i(high.cast(), low.cast()), reverse)
                    });
                    let mut entries = schedule;
                    for (pair, words) in pairs.iter().enumerate() {
                        let sum = _mm256_add_epi64(*words, constants.add(pair).read());
                        _mm256_storeu_si256(entries.add(pair), sum);
                    }
                    for _ in 0..4 {
                        let word = |word: usize| entries.cast::<u64>().add(word / 2 * 4
                            + word % 2).read();
                        let mut next = |pair: usize| {
                            let far = _mm256_alignr_epi8::<8>(pairs[(pair + 1) % 8], pairs[pair]);
                            let near = _mm256_alignr_epi8::<8>(pairs[(pair + 5) % 8],
                                pairs[(pair + 4) % 8]);
                            let sum = _mm256_add_epi64(_mm256_add_epi64(pairs[pair], near),
                                $sigma_0(far));
                            pairs[pair] = _mm256_add_epi64(sum, $sigma_1(pairs[(pair + 7) % 8]));
                            let sum = _mm256_add_epi64(pairs[pair], constants.add(8 + pair).read());
                            _mm256_storeu_si256(entries.add(8 + pair), sum);
                        };
                        rounds_16!(words, word, next);
                        (entries, constants) = (entries.add(8), constants.add(8));
                    }
                    let word = |word: usize| schedule.cast::<u64>().add(word / 2 * 4
                        + word % 2).read();
                    rounds_16!(words, |index: usize| word(64 + index), |_: usize| {});
                }
                add(words, begin);
            }

            /// Absorbs the second block, whose schedule is ready.
            ///
            /// # Safety
            /// The schedule is filled.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn again(words: &mut [u64; 8], schedule: *const __m256i) {
                let begin = *words;
                // SAFETY: reads within the schedule.
                let word = |word: usize| unsafe { schedule.cast::<u64>().add(word / 2 * 4 + 2
                    + word % 2).read() };
                for group in 0..5 {
                    rounds_16!(words, |index: usize| word(16 * group + index), |_: usize| {});
                }
                add(words, begin);
            }
        }
    };
}

compression!(
    /// Absorbs whole blocks, with AVX2.
    compress_256, "avx2,bmi1,bmi2", Schedule256, sigma_0_shifted, sigma_1_shifted
);
compression!(
    /// Absorbs whole blocks, with AVX-512's rotation of (half) vectors.
    compress_512, "avx2,bmi1,bmi2,avx512f,avx512vl", Schedule512, sigma_0_rotated, sigma_1_rotated
);

#[inline]
fn add(words: &mut [u64; 8], begin: [u64; 8]) {
    for (word, begin) in words.iter_mut().zip(begin) {
        *word = word.wrapping_add(begin);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn sigma_0_shifted(x: __m256i) -> __m256i {
    let by_1 = _mm256_or_si256(_mm256_srli_epi64::<1>(x), _mm256_slli_epi64::<63>(x));
    let by_8 = _mm256_or_si256(_mm256_srli_epi64::<8>(x), _mm256_slli_epi64::<56>(x));
    _mm256_xor_si256(_mm256_xor_si256(by_1, by_8), _mm256_srli_epi64::<7>(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn sigma_1_shifted(x: __m256i) -> __m256i {
    let by_19 = _mm256_or_si256(_mm256_srli_epi64::<19>(x), _mm256_slli_epi64::<45>(x));
    let by_61 = _mm256_or_si256(_mm256_srli_epi64::<61>(x), _mm256_slli_epi64::<3>(x));
    _mm256_xor_si256(_mm256_xor_si256(by_19, by_61), _mm256_srli_epi64::<6>(x))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sigma_0_rotated(x: __m256i) -> __m256i {
    let (by_1, by_8) = (_mm256_ror_epi64::<1>(x), _mm256_ror_epi64::<8>(x));
    _mm256_ternarylogic_epi64::<0x96>(by_1, by_8, _mm256_srli_epi64::<7>(x))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sigma_1_rotated(x: __m256i) -> __m256i {
    let (by_19, by_61) = (_mm256_ror_epi64::<19>(x), _mm256_ror_epi64::<61>(x));
    _mm256_ternarylogic_epi64::<0x96>(by_19, by_61, _mm256_srli_epi64::<6>(x))
}

/// The constants in pairs, each twice.
#[repr(align(64))]
struct Pairs([u64; 160]);

static PAIRS: Pairs = {
    let mut words = [0; 160];
    let mut at = 0;
    while at < 160 {
        words[at] = CONSTANTS.0[at / 4 * 2 + at % 2];
        at += 1;
    }
    Pairs(words)
};

/// FIPS 180-4, section 4.2.3. Each pair within a cache line.
#[repr(align(64))]
pub(in super::super) struct Constants(pub(in super::super) [u64; 80]);

#[rustfmt::skip] // rows
pub(in super::super) static CONSTANTS: Constants = Constants([
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
]);
