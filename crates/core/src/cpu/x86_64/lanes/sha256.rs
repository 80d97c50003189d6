//! SHA-256 and SHA-224 of several messages.
//!
//! ns a block and message on Zen 5, where one by one takes 31: AVX-512 with 16 lanes 10.2; the
//! instructions made for SHA-256 with two messages interleaved 20, three 18, four 18, six 15 (their
//! roof, but it takes the registers of AVX-512). For CPUs without these: AVX2 with eight lanes 37,
//! one by one 125. On Zen 4 one by one takes 35, two interleaved 20, three 19 and 16 lanes 18, as
//! vectors of 512 bits take two cycles there. On Zen 3 one by one takes 31, two interleaved 19,
//! three 19, four 17, six 17.
//!
//! ns a message of 64 bytes, 1 KiB and 4 KiB, one by one and 64 at once: 58 and 27, 510 and 186,
//! 2000 and 720; of lengths up to 2 KiB mixed 518 and 203.
//!
//! Vectors: [`simd_kernel`](super::simd_kernel) has the steps and [`sha2`](super::sha2) the rounds.
//! Interleaved, a message has its state in two registers and 16 words of its schedule in four:
//!
//! ```text
//! for group in 0..16                                     four rounds
//!     for each message
//!         sum = w[group % 4] + four constants
//!         CDGH = SHA256RNDS2(CDGH, ABEF, sum);  ABEF = SHA256RNDS2(ABEF, CDGH, upper half of sum)
//!         if group < 12, where w0 to w3 are the registers of w, the oldest words first:
//!             w[group % 4] = SHA256MSG2(SHA256MSG1(w0, w1) + the words 9 to 12, w3)      PALIGNR
//! state += the state before
//! ```

mod choice;
pub(super) mod nodes;

use std::arch::x86_64::*;

use self::choice::chosen;
use super::hmac_iterations::hmac_iterations;
use super::merkle_damgard::{iterate, merkle_damgard};
use super::sha2::rounds;
use super::simd_kernel::{FEW, sha_ni, simd_kernel};
use super::vectors::{U32x8, U32x16};
use super::{
    Batch, BlockHash, Columns, Digest, Edges, Kernels, LaneKernel, Multibuffer, States, Tail, bits,
    block_hash, interleaved, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx2, Avx512, ShaNi};
use crate::hash::compression::constants::CONSTANTS_256;
use crate::hash::compression::words::{self, Sha256Function};
use crate::hmac::iteration::HmacIteration;
use crate::wipe::Wiped;

// Beside `ShaNi` 9 lanes would do on Zen 5. On Zen 4 none would: `chosen` leaves them out.
merkle_damgard!(
    /// SHA-256, and SHA-224, which begins with other words and shows fewer.
    Sha256, [u32; 8], 64, 32, reversed, to_be_bytes, U32x16: 16, U32x8: 8 from 4; ShaNi from 12
    by chosen,
    |state, blocks| words::compress::<Sha256Function, 8, 64>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words::end::<Sha256Function, 8, 64>(&mut Wiped(state).0, length, rest, target)
    }
);

rounds!(Wide, U32x16, __m512i, "avx512f,avx512vl,avx512bw", CONSTANTS_256.0, 4,
    (2 13 22) (6 11 25) (7 18 >> 3) (17 19 >> 10));
rounds!(Narrow, U32x8, __m256i, "avx2", CONSTANTS_256.0, 4,
    (2 13 22) (6 11 25) (7 18 >> 3) (17 19 >> 10));

iterate!([u32; 8], U32x16: 16, U32x8: 8; ShaNi from 12 by chosen, 32 => 8, 28 => 7);

interleaved!(Sha256, 8, ShaNi, "ssse3,sse4.1,sha");

sha_ni!(8);

/// Returns words A to H as FEBA and HGDC (from the lowest), as the instructions want them.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn pack(words: &[u32; 8]) -> [__m128i; 2] {
    // SAFETY: reads halves of the words.
    let [low, high] = unsafe { [0, 4].map(|at| _mm_loadu_si128(words.as_ptr().add(at).cast())) };
    let [low, high] = [_mm_shuffle_epi32::<0xb1>(low), _mm_shuffle_epi32::<0x1b>(high)];
    [_mm_alignr_epi8::<8>(low, high), _mm_blend_epi16::<0xf0>(high, low)]
}

#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn unpack(state: [__m128i; 2]) -> [u32; 8] {
    let mut words = [0; 8];
    for (words, half) in words.as_chunks_mut::<4>().0.iter_mut().zip(halves(state)) {
        // SAFETY: writes four words.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), half) };
    }
    words
}

/// Returns words A to D and E to H of what [`pack`] returns.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn halves([abef, cdgh]: [__m128i; 2]) -> [__m128i; 2] {
    let [low, high] = [_mm_shuffle_epi32::<0x1b>(abef), _mm_shuffle_epi32::<0xb1>(cdgh)];
    [_mm_blend_epi16::<0xf0>(low, high), _mm_alignr_epi8::<8>(high, low)]
}

/// Reverses the bytes of each word.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn reverse(words: __m128i) -> __m128i {
    _mm_shuffle_epi8(words, _mm_set_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203))
}

// A digest has 7 words or 8.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn padded<const USED: usize>(digest: [__m128i; 2]) -> [__m128i; 4] {
    let [abcd, efgh] = halves(digest);
    let size = _mm_set_epi32(32 * (16 + USED as i32), 0, 0, 0);
    if USED == 7 {
        [abcd, _mm_insert_epi32::<3>(efgh, i32::MIN), _mm_setzero_si128(), size]
    } else {
        [abcd, efgh, _mm_set_epi32(0, 0, 0, i32::MIN), size]
    }
}

/// Absorbs a block of each message, given as words.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn rounds_interleaved<const LANES: usize>(
    begin: [[__m128i; 2]; LANES],
    schedule: [[__m128i; 4]; LANES],
) -> [[__m128i; 2]; LANES] {
    let (mut words, mut schedule) = (begin, schedule);
    macro_rules! rounds_4 {
        ($($group:literal)*) => {$(
            for lane in 0..LANES {
                let schedule = &mut schedule[lane];
                // SAFETY: reads four constants.
                let constants = unsafe { _mm_load_si128(CONSTANTS_256.0.as_ptr().add(4
                    * $group).cast()) };
                let sum = _mm_add_epi32(schedule[$group % 4], constants);
                let [abef, cdgh] = &mut words[lane];
                *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
                *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32::<0x0e>(sum));
                if $group < 12 {
                    let [first, second, third, fourth] =
                        [0, 1, 2, 3].map(|four| schedule[($group + four) % 4]);
                    let begun = _mm_sha256msg1_epu32(first, second);
                    let begun = _mm_add_epi32(begun, _mm_alignr_epi8::<4>(fourth, third));
                    schedule[$group % 4] = _mm_sha256msg2_epu32(begun, fourth);
                }
            }
        )*};
    }
    rounds_4!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for (words, begin) in words.as_flattened_mut().iter_mut().zip(begin.as_flattened()) {
        *words = _mm_add_epi32(*words, *begin);
    }
    words
}
