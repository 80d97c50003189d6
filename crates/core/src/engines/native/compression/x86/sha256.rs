//! SHA-256's compression for CPUs without the instructions made for it: message schedule in
//! vectors, rounds in general registers, as SHA-512's in [`sha512`](super::sha512).
//!
//! The schedule of two blocks is computed at once, four words of the one in the lower half of a
//! register and of the other in the upper, amid the rounds of the first block.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::super::constants::CONSTANTS_256;
use super::rounds::{apart, round, rounds_16};
use crate::engines::native::features::{Schedule256, Schedule512};
use crate::engines::native::wipe::cleanse;

/// Words of a schedule for two blocks, with the round constants added.
type Schedule = [__m256i; 16];

/// The parameters of [`rounds_16`] for SHA-256.
macro_rules! sha_256 {
    ($state:ident, $schedule:ident, $before:expr) => {
        rounds_16!(["e" "dword" 4 6 11 25 2 13 22] $state, $schedule, $before)
    };
}

/// Defines a compression function of the instructions which rotate vectors.
macro_rules! compression {
    ($(#[$doc:meta])* $name:ident, $features:literal, $proof:ty, $sigma_0:ident, $xor:ident) => {
        $(#[$doc])*
        #[target_feature(enable = $features)]
        pub(crate) fn $name(words: &mut [u32; 8], blocks: &[[u8; 64]], _proof: $proof) {
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
            unsafe { cleanse(entries.cast(), size_of::<Schedule>()) };

            /// Absorbs the first block, and leaves the schedules of both.
            ///
            /// # Safety
            /// There is room for a schedule.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn both(
                words: &mut [u32; 8],
                first: &[u8; 64],
                second: &[u8; 64],
                schedule: *mut __m256i,
            ) {
                let reverse = _mm256_set_epi64x(
                    0x0c0d_0e0f_0809_0a0b,
                    0x0405_0607_0001_0203,
                    0x0c0d_0e0f_0809_0a0b,
                    0x0405_0607_0001_0203,
                );
                // The first and third word of each half become its first two, or its last two.
                let low = _mm256_set_epi64x(-1, 0x0b0a_0908_0302_0100, -1, 0x0b0a_0908_0302_0100);
                let high = _mm256_set_epi64x(0x0b0a_0908_0302_0100, -1, 0x0b0a_0908_0302_0100, -1);
                // The small sigma of two words, each of which fills 64 bits.
                let sigma_1 = |twice| {
                    $xor(
                        _mm256_srli_epi64::<17>(twice),
                        _mm256_srli_epi64::<19>(twice),
                        _mm256_srli_epi32::<10>(twice),
                    )
                };
                // A copy, which stays in registers.
                let mut state = *words;
                // SAFETY: reads four words at a time within the blocks and the constants, and
                // within the schedule writes 16 entries and reads what has been written.
                unsafe {
                    let mut constants: *const __m256i = QUADS.0.as_ptr().cast();
                    let mut quads: [__m256i; 4] = std::array::from_fn(|quad| {
                        let [low, high] =
                            [first, second].map(|block| block.as_ptr().add(16 * quad));
                        _mm256_shuffle_epi8(_mm256_loadu2_m128i(high.cast(), low.cast()), reverse)
                    });
                    let mut entries = schedule;
                    for (quad, words) in quads.iter().enumerate() {
                        let sum = _mm256_add_epi32(*words, constants.add(quad).read());
                        _mm256_storeu_si256(entries.add(quad), sum);
                    }
                    for _ in 0..3 {
                        // Four words in two steps: the first two, then those that need them.
                        let mut next = |step: usize| {
                            let quad = step / 2;
                            if step % 2 == 0 {
                                let [oldest, old, new, newest] =
                                    std::array::from_fn(|age| quads[(quad + age) % 4]);
                                let far = _mm256_alignr_epi8::<4>(old, oldest);
                                let near = _mm256_alignr_epi8::<4>(newest, new);
                                let sum = _mm256_add_epi32(oldest, near);
                                let sum = _mm256_add_epi32(sum, $sigma_0(far));
                                let last = sigma_1(_mm256_shuffle_epi32::<0b11_11_10_10>(newest));
                                quads[quad] = _mm256_add_epi32(sum, _mm256_shuffle_epi8(last, low));
                            } else {
                                let sum = quads[quad];
                                let first = sigma_1(_mm256_shuffle_epi32::<0b01_01_00_00>(sum));
                                let sum = _mm256_add_epi32(sum, _mm256_shuffle_epi8(first, high));
                                quads[quad] = sum;
                                let sum = _mm256_add_epi32(sum, constants.add(4 + quad).read());
                                _mm256_storeu_si256(entries.add(4 + quad), sum);
                            }
                        };
                        sha_256!(state, entries, next);
                        (entries, constants) =
                            (apart(entries.add(4)).cast_mut(), apart(constants.add(4)));
                    }
                    sha_256!(state, entries, |_: usize| {});
                }
                add(words, state);
            }

            /// Absorbs the second block; its schedule is ready.
            ///
            /// # Safety
            /// The schedule is filled.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn again(words: &mut [u32; 8], schedule: *const __m256i) {
                let mut state = *words;
                for group in 0..4 {
                    // SAFETY: reads the second block's words within the schedule.
                    unsafe {
                        let entries = schedule.cast::<u8>().add(128 * group + 16);
                        sha_256!(state, entries, |_: usize| {});
                    }
                }
                add(words, state);
            }
        }
    };
}

compression!(
    /// Absorbs whole blocks, with AVX2.
    compress_256, "avx2,bmi1,bmi2", Schedule256, sigma_0_shifted, xor_of_two
);
compression!(
    /// Absorbs whole blocks, with AVX-512's rotation of (half) vectors.
    compress_512, "avx2,bmi1,bmi2,avx512f,avx512vl", Schedule512, sigma_0_rotated, xor_of_three
);

#[inline]
fn add(words: &mut [u32; 8], state: [u32; 8]) {
    for (word, state) in words.iter_mut().zip(state) {
        *word = word.wrapping_add(state);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor_of_two(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(x, y), z)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor_of_three(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
    _mm256_ternarylogic_epi64::<0x96>(x, y, z)
}

#[inline]
#[target_feature(enable = "avx2")]
fn sigma_0_shifted(x: __m256i) -> __m256i {
    let by_7 = _mm256_or_si256(_mm256_srli_epi32::<7>(x), _mm256_slli_epi32::<25>(x));
    let by_18 = _mm256_or_si256(_mm256_srli_epi32::<18>(x), _mm256_slli_epi32::<14>(x));
    xor_of_two(by_7, by_18, _mm256_srli_epi32::<3>(x))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sigma_0_rotated(x: __m256i) -> __m256i {
    xor_of_three(_mm256_ror_epi32::<7>(x), _mm256_ror_epi32::<18>(x), _mm256_srli_epi32::<3>(x))
}

/// The constants in groups of four, each twice.
#[repr(align(64))]
struct Quads([u32; 128]);

static QUADS: Quads = {
    let mut words = [0; 128];
    let mut at = 0;
    while at < 128 {
        words[at] = CONSTANTS_256.0[at / 8 * 4 + at % 4];
        at += 1;
    }
    Quads(words)
};
