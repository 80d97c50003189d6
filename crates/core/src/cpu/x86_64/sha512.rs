//! SHA-512's compression on x86-64: message schedule in vectors, rounds in general registers.
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
//!
//! The rounds are assembly because of the order of the instructions: in the compiler's order the
//! same ones take 1.07 times as long on Sapphire Rapids. Additions are made by `lea`, which keeps
//! off the units that `rorx` needs.
//!
//! ```text
//! schedule:  pairs[p] = words 2p and 2p + 1 of both blocks, bytes reversed     p in 0..8
//!            entries[p] = pairs[p] + constants
//!            then, indices modulo 8, with VPALIGNR for pairs that begin at an odd word:
//!            pairs[p] += (words 9, 10 after) + sigma0(words 1, 2 after) + sigma1(pairs[p + 7])
//! rounds:    first block: four times 16 rounds, an entry of the next 16 before each second round;
//!            16 rounds more. Second block: 80 rounds on the entries' upper halves
//! round:     A += sum                          the large sigma of A, of the round before
//!            H += entry + (E & F) + (!E & G) + Sigma1(E)
//!            D += H
//!            H += ((A ^ B) & differ) ^ B       Maj; differ = B ^ C is A ^ B of the round before
//!            sum = Sigma0(A);  differ = A ^ B
//!            A to H change their names
//! ```
//!
//! A last block without another is computed as both.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use crate::cpu::features::{Schedule256, Schedule512};
use crate::hash::compression::constants::CONSTANTS_512;
use crate::wipe::cleanse;

/// Absorbs whole blocks, and returns false if the CPU lacks the instructions for it.
#[inline]
pub(crate) fn compress(words: &mut [u64; 8], blocks: &[[u8; 128]]) -> bool {
    // SAFETY: the proofs say that the CPU has the instructions.
    unsafe {
        if let Some(proof) = Schedule512::detect() {
            compress_512(words, blocks, proof);
        } else if let Some(proof) = Schedule256::detect() {
            compress_256(words, blocks, proof);
        } else {
            return false;
        }
    }
    true
}

/// Words of a schedule for two blocks, with the round constants added.
type Schedule = [__m256i; 40];

/// Returns the pointer. The compiler cannot derive it from another one and an offset, which would
/// take a register more than there are.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // The pointer itself is the value.
fn apart<T>(mut pointer: *const T) -> *const T {
    // SAFETY: no instructions.
    unsafe {
        asm!("/* {0} */", inout(reg) pointer, options(pure, nomem, nostack, preserves_flags));
    }
    pointer
}

/// One round. The words change their names instead of their places. `$differ` is B XOR C, which Maj
/// wants, and becomes that of the next round: A XOR B. `$sum` is the large sigma of the last
/// round's A, which is missing in this one's; `$copy` is F, and becomes E.
macro_rules! round {
    (
        $differ:ident $sum:ident $copy:ident $schedule:ident $index:literal
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident
    ) => {
        let next;
        asm!(
            "add {h}, qword ptr [{schedule} + {at}]",
            "and {copy}, {e}",
            "rorx {x}, {e}, 41",
            "rorx {next}, {e}, 18",
            "lea {a}, [{a} + {sum}]",
            "lea {h}, [{h} + {copy}]",
            "andn {copy}, {e}, {g}",
            "xor {x}, {next}",
            "rorx {sum}, {e}, 14",
            "lea {h}, [{h} + {copy}]",
            "xor {x}, {sum}",
            "mov {next}, {a}",
            "rorx {copy}, {a}, 39",
            "lea {h}, [{h} + {x}]",
            "xor {next}, {b}",
            "rorx {sum}, {a}, 34",
            "rorx {x}, {a}, 28",
            "lea {d}, [{d} + {h}]",
            "and {differ}, {next}",
            "xor {sum}, {copy}",
            "xor {differ}, {b}",
            "xor {sum}, {x}",
            "lea {h}, [{h} + {differ}]",
            "mov {copy}, {e}",
            a = inout(reg) $a,
            b = in(reg) $b,
            d = inout(reg) $d,
            e = in(reg) $e,
            g = in(reg) $g,
            h = inout(reg) $h,
            differ = inout(reg) $differ => _,
            sum = inout(reg) $sum,
            copy = inout(reg) $copy,
            next = out(reg) next,
            x = out(reg) _,
            schedule = in(reg) $schedule,
            // A vector of the schedule has 16 bytes of each of two blocks.
            at = const $index / 2 * 32 + $index % 2 * 8,
            options(pure, readonly, nostack),
        );
        $differ = next;
    };
}

/// 16 rounds over the words of one block at `$schedule`; `$before` runs ahead of each second one.
/// Assembly, so unsafe: the schedule is filled.
macro_rules! rounds_16 {
    ($words:ident, $schedule:ident, $before:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $words;
        let (mut differ, mut sum, mut copy) = (b ^ c, 0, f);
        $before(0);
        round!(differ sum copy $schedule 0 a b c d e f g h);
        round!(differ sum copy $schedule 1 h a b c d e f g);
        $before(1);
        round!(differ sum copy $schedule 2 g h a b c d e f);
        round!(differ sum copy $schedule 3 f g h a b c d e);
        $before(2);
        round!(differ sum copy $schedule 4 e f g h a b c d);
        round!(differ sum copy $schedule 5 d e f g h a b c);
        $before(3);
        round!(differ sum copy $schedule 6 c d e f g h a b);
        round!(differ sum copy $schedule 7 b c d e f g h a);
        $before(4);
        round!(differ sum copy $schedule 8 a b c d e f g h);
        round!(differ sum copy $schedule 9 h a b c d e f g);
        $before(5);
        round!(differ sum copy $schedule 10 g h a b c d e f);
        round!(differ sum copy $schedule 11 f g h a b c d e);
        $before(6);
        round!(differ sum copy $schedule 12 e f g h a b c d);
        round!(differ sum copy $schedule 13 d e f g h a b c);
        $before(7);
        round!(differ sum copy $schedule 14 c d e f g h a b);
        round!(differ sum copy $schedule 15 b c d e f g h a);
        debug_assert_eq!((differ, copy), (b ^ c, f));
        a = a.wrapping_add(sum);
        $words = [a, b, c, d, e, f, g, h];
    };
}

/// Defines a compression function of the instructions which rotate vectors.
macro_rules! compression {
    ($(#[$doc:meta])* $name:ident, $features:literal, $proof:ty, $sigma_0:ident, $sigma_1:ident) =>
        {
        $(#[$doc])*
        #[target_feature(enable = $features)]
        fn $name(words: &mut [u64; 8], blocks: &[[u8; 128]], _proof: $proof) {
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
            unsafe fn both(words: &mut [u64; 8], first: &[u8; 128], second: &[u8; 128],
                schedule: *mut __m256i) {
                let reverse = _mm256_set_epi64x(
                    0x0809_0a0b_0c0d_0e0f,
                    0x0001_0203_0405_0607,
                    0x0809_0a0b_0c0d_0e0f,
                    0x0001_0203_0405_0607,
                );
                let mut state = *words;
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
                        rounds_16!(state, entries, next);
                        (entries, constants) =
                            (apart(entries.add(8)).cast_mut(), apart(constants.add(8)));
                    }
                    rounds_16!(state, entries, |_: usize| {});
                }
                add(words, state);
            }

            /// Absorbs the second block; its schedule is ready.
            ///
            /// # Safety
            /// The schedule is filled.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn again(words: &mut [u64; 8], schedule: *const __m256i) {
                let mut state = *words;
                for group in 0..5 {
                    // SAFETY: reads the second block's words within the schedule.
                    unsafe {
                        let entries = schedule.cast::<u8>().add(256 * group + 16);
                        rounds_16!(state, entries, |_: usize| {});
                    }
                }
                add(words, state);
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
fn add(words: &mut [u64; 8], state: [u64; 8]) {
    for (word, state) in words.iter_mut().zip(state) {
        *word = word.wrapping_add(state);
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
        words[at] = CONSTANTS_512.0[at / 4 * 2 + at % 2];
        at += 1;
    }
    Pairs(words)
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::features::OrSkip;
    use crate::primitives::{Library, Primitives};
    use crate::tests::Bytes;

    #[test]
    fn both_compressions_are_the_librarys() {
        let mut bytes = Bytes(2);
        for count in 1..20 {
            let blocks: Vec<[u8; 128]> = (0..count).map(|_| bytes.array()).collect();
            let words: [u64; 8] = std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()));
            let mut expected = words;
            Library::sha512(&mut expected, &blocks);
            if let Some(proof) = Schedule256::detect().or_skip() {
                let mut words = words;
                // SAFETY: the proof says that the CPU has the instructions.
                unsafe { compress_256(&mut words, &blocks, proof) };
                assert_eq!(words, expected, "{count}");
            }
            if let Some(proof) = Schedule512::detect().or_skip() {
                let mut words = words;
                // SAFETY: as above.
                unsafe { compress_512(&mut words, &blocks, proof) };
                assert_eq!(words, expected, "{count}");
            }
        }
    }
}
