//! SHA-1 of several messages.
//!
//! ns a block and message on Zen 5, where one by one (by the instructions made for SHA-1) takes 29:
//! AVX-512 with 16 lanes 5.8; those instructions with two messages interleaved 16.6, three 14.4.
//! For CPUs without these: AVX2 with eight lanes 16.6, one by one 48. On Zen 3 three interleaved
//! take 26, four 20.
//!
//! ns a message of 64 bytes, 1 KiB and 4 KiB, one by one and 64 at once: 53 and 17, 490 and 102,
//! 1890 and 374; of lengths up to 2 KiB mixed 485 and 115.
//!
//! [`simd_kernel`](super::simd_kernel) has the steps around these rounds:
//!
//! ```text
//! vectors, round i:   if i >= 16: w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]) <<< 1
//!                     e += w[i] + constant + f(b, c, d) + (a <<< 5);  b = b <<< 30
//!                     a to e change their names
//! interleaved, four rounds of each message; the state is ABCD, and E in another register:
//!     if group > 3:   w[group % 4] = SHA1MSG2(SHA1MSG1(w0, w1) ^ w2, w3)
//!     sum = SHA1NEXTE(E, w[group % 4]), at first E + w[0];  E = ABCD
//!     ABCD = SHA1RNDS4(ABCD, sum)
//! state += the state before, E by SHA1NEXTE
//! ```

use std::arch::x86_64::*;

use super::hmac_iterations::hmac_iterations;
use super::merkle_damgard::{iterate, merkle_damgard};
use super::simd_kernel::{FEW, sha_ni, simd_kernel};
use super::vectors::{U32x8, U32x16};
use super::{
    Batch, BlockHash, Columns, Digest, Edges, Kernels, LaneKernel, Multibuffer, States, Tail, bits,
    block_hash, interleaved, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx2, Avx512, ShaNi};
use crate::hash::compression::words::{self, Sha1Function};
use crate::hmac::iteration::HmacIteration;
use crate::wipe::Wiped;

merkle_damgard!(
    /// SHA-1.
    Sha1, [u32; 5], 64, 20, reversed, to_be_bytes, U32x16: 16, U32x8: 8 from 3; ShaNi from 8,
    |state, blocks| words::compress::<Sha1Function, 5, 64>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words::end::<Sha1Function, 5, 64>(&mut Wiped(state).0, length, rest, target)
    }
);

interleaved!(Sha1, 5, ShaNi, "ssse3,sse4.1,sha");

sha_ni!(5);

/// Returns the words of a state from the highest to the lowest, as those of a block stand: the
/// digest's are its first five.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn pack(words: &[u32; 5]) -> [__m128i; 2] {
    let [a, b, c, d, e] = words.map(|word| word as i32);
    [_mm_set_epi32(a, b, c, d), _mm_set_epi32(e, 0, 0, 0)]
}

/// Returns the words of a state.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn unpack([abcd, e]: [__m128i; 2]) -> [u32; 5] {
    let words = [
        _mm_extract_epi32::<3>(abcd),
        _mm_extract_epi32::<2>(abcd),
        _mm_extract_epi32::<1>(abcd),
        _mm_extract_epi32::<0>(abcd),
        _mm_extract_epi32::<3>(e),
    ];
    words.map(|word| word as u32)
}

/// Reverses all bytes: words, and the bytes of each.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn reverse(words: __m128i) -> __m128i {
    _mm_shuffle_epi8(words, _mm_set_epi32(0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f))
}

#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn padded<const USED: usize>([abcd, e]: [__m128i; 2]) -> [__m128i; 4] {
    let mark = _mm_set_epi32(0, i32::MIN, 0, 0);
    let size = _mm_set_epi32(0, 0, 0, 32 * (16 + USED as i32));
    [abcd, _mm_or_si128(e, mark), _mm_setzero_si128(), size]
}

/// Absorbs a block of each message, given as words, the first one highest.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn rounds_interleaved<const LANES: usize>(
    begin: [[__m128i; 2]; LANES],
    schedule: [[__m128i; 4]; LANES],
) -> [[__m128i; 2]; LANES] {
    let (mut words, mut schedule) = (begin, schedule);
    // Four rounds; `abcd` four rounds ago has the E of now, not yet rotated.
    macro_rules! rounds_4 {
        ($kind:literal, $($group:literal)*) => {$(
            for lane in 0..LANES {
                let schedule = &mut schedule[lane];
                if $group > 3 {
                    let [first, second, third, fourth] =
                        [0, 1, 2, 3].map(|four| schedule[($group + four) % 4]);
                    let begun = _mm_xor_si128(_mm_sha1msg1_epu32(first, second), third);
                    schedule[$group % 4] = _mm_sha1msg2_epu32(begun, fourth);
                }
                let [abcd, e] = &mut words[lane];
                let word = schedule[$group % 4];
                let sum = if $group == 0 { _mm_add_epi32(*e, word) } else { _mm_sha1nexte_epu32(*e,
                    word) };
                *e = *abcd;
                *abcd = _mm_sha1rnds4_epu32::<$kind>(*abcd, sum);
            }
        )*};
    }
    rounds_4!(0, 0 1 2 3 4);
    rounds_4!(1, 5 6 7 8 9);
    rounds_4!(2, 10 11 12 13 14);
    rounds_4!(3, 15 16 17 18 19);
    for ([abcd, e], [abcd_begin, e_begin]) in words.iter_mut().zip(begin) {
        *abcd = _mm_add_epi32(*abcd, abcd_begin);
        *e = _mm_sha1nexte_epu32(*e, e_begin);
    }
    words
}

iterate!([u32; 5], U32x16: 16, U32x8: 8; ShaNi from 8, 20 => 5);

/// Defines the function `rounds` for a kernel.
macro_rules! rounds {
    ($kernel:ident, $set:ident, $vector:ty, $features:literal) => {
        impl $kernel {
            #[inline]
            #[target_feature(enable = $features)]
            fn rounds(words: [$vector; 5], block: [$vector; 16]) -> [$vector; 5] {
                let mut schedule = block;
                let [mut a, mut b, mut c, mut d, mut e] = words;
                macro_rules! round {
                    ($mix:ident, $constant:ident, $index:expr,
                        $a:ident $b:ident $c:ident $d:ident $e:ident) => {
                        if $index >= 16 {
                            let at = |back: usize| schedule[($index + 16 - back) % 16];
                            let mixed = $set::xor($set::xor_3(at(3), at(8), at(14)), at(16));
                            schedule[$index % 16] = $set::rotated_left::<1>(mixed);
                        }
                        let word = $set::add($set::add(schedule[$index % 16], $constant), $e);
                        $e = $set::add($set::add(word, $set::$mix($b, $c, $d)),
                            $set::rotated_left::<5>($a));
                        $b = $set::rotated_left::<30>($b);
                    };
                }
                macro_rules! rounds_5 {
                    ($mix:ident, $constant:ident, $from:expr) => {
                        round!($mix, $constant, $from, a b c d e);
                        round!($mix, $constant, $from + 1, e a b c d);
                        round!($mix, $constant, $from + 2, d e a b c);
                        round!($mix, $constant, $from + 3, c d e a b);
                        round!($mix, $constant, $from + 4, b c d e a);
                    };
                }
                macro_rules! rounds_20 {
                    ($mix:ident, $constant:expr, $from:literal) => {
                        let constant = $set::all($constant);
                        rounds_5!($mix, constant, $from);
                        rounds_5!($mix, constant, $from + 5);
                        rounds_5!($mix, constant, $from + 10);
                        rounds_5!($mix, constant, $from + 15);
                    };
                }
                rounds_20!(choice, 0x5a82_7999, 0);
                rounds_20!(xor_3, 0x6ed9_eba1, 20);
                rounds_20!(majority, 0x8f1b_bcdc, 40);
                rounds_20!(xor_3, 0xca62_c1d6, 60);
                [a, b, c, d, e]
            }
        }
    };
}

rounds!(Wide, U32x16, __m512i, "avx512f,avx512vl,avx512bw");
rounds!(Narrow, U32x8, __m256i, "avx2");
