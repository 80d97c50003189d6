//! SHA-512 and its kin: the instructions compute two rounds, or two words of the schedule.

use std::arch::aarch64::*;

use super::interleaved::interleaved;
use super::{
    Batch, BlockHash, Digest, Kernels, LaneKernel, Multibuffer, bits, block_hash, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::engines::native::compression::constants::CONSTANTS_512;
use crate::engines::native::compression::words_64;
use crate::engines::native::features::Sha512 as Instructions;
use crate::engines::native::hmac_iteration::HmacIteration;
use crate::engines::native::wipe::Wiped;

// 28 bytes are not a whole number of words.
interleaved!(
    /// SHA-512 and its kin, which begin with other words and show fewer.
    Sha512, [u64; 8], 128, 64, sha512: Instructions, "neon,sha3", 64 => 8, 48 => 6, 32 => 4;
    |state, blocks| words_64::compress(state, blocks.as_chunks().0),
    |state, length, rest, target| words_64::end(&mut Wiped(state).0, length.into(), rest, target)
);

/// Absorbs a block of each message, given as words.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn rounds<const LANES: usize>(
    begin: [[uint64x2_t; 4]; LANES],
    schedule: [[uint64x2_t; 8]; LANES],
) -> [[uint64x2_t; 4]; LANES] {
    let (mut words, mut schedule) = (begin, schedule);
    // Two rounds, after which words A and B are where G and H were, and so on.
    macro_rules! rounds_2 {
        ($constants:ident, $last:literal, $($pair:literal)*) => {$(
            // SAFETY: reads two constants.
            let constants = unsafe { vld1q_u64($constants.add(2 * $pair)) };
            for lane in 0..LANES {
                let schedule = &mut schedule[lane];
                let [ab, cd, ef, gh] = words[lane];
                let sum = vaddq_u64(schedule[$pair], constants);
                let sum = vaddq_u64(vextq_u64::<1>(sum, sum), gh);
                let mixed = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                words[lane] = [vsha512h2q_u64(mixed, cd, ab), ab, vaddq_u64(cd, mixed), ef];
                if !$last {
                    let begun = vsha512su0q_u64(schedule[$pair], schedule[($pair + 1) % 8]);
                    let near = vextq_u64::<1>(schedule[($pair + 4) % 8], schedule[($pair + 5) % 8]);
                    schedule[$pair] = vsha512su1q_u64(begun, schedule[($pair + 7) % 8], near);
                }
            }
        )*};
    }
    let mut start = CONSTANTS_512.0.as_ptr();
    for _ in 0..4 {
        rounds_2!(start, false, 0 1 2 3 4 5 6 7);
        start = start.wrapping_add(16);
    }
    rounds_2!(start, true, 0 1 2 3 4 5 6 7);
    for (lane, begin) in begin.iter().enumerate() {
        words[lane] = add(words[lane], *begin);
    }
    words
}

/// Returns the blocks with the digests, of `USED` words, and their padding.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn padded<const LANES: usize, const USED: usize>(
    digests: [[uint64x2_t; 4]; LANES],
) -> [[uint64x2_t; 8]; LANES] {
    let none = vdupq_n_u64(0);
    let mark = vsetq_lane_u64::<0>(1 << 63, none);
    let size = vsetq_lane_u64::<1>(64 * (16 + USED as u64), none);
    let mut blocks = [[none; 8]; LANES];
    for (lane, &[ab, cd, ef, gh]) in digests.iter().enumerate() {
        blocks[lane] = match USED {
            8 => [ab, cd, ef, gh, mark, none, none, size],
            6 => [ab, cd, ef, mark, none, none, none, size],
            _ => [ab, cd, mark, none, none, none, none, size],
        };
    }
    blocks
}

/// Returns the words of a block.
///
/// # Safety
/// 128 bytes must be readable.
#[inline]
#[target_feature(enable = "neon,sha3")]
unsafe fn read(at: *const u8) -> [uint64x2_t; 8] {
    // SAFETY: eight times 16 bytes, of 128.
    unsafe {
        [
            reversed(vld1q_u8(at)),
            reversed(vld1q_u8(at.add(16))),
            reversed(vld1q_u8(at.add(32))),
            reversed(vld1q_u8(at.add(48))),
            reversed(vld1q_u8(at.add(64))),
            reversed(vld1q_u8(at.add(80))),
            reversed(vld1q_u8(at.add(96))),
            reversed(vld1q_u8(at.add(112))),
        ]
    }
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn reversed(bytes: uint8x16_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vrev64q_u8(bytes))
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn add(x: [uint64x2_t; 4], y: [uint64x2_t; 4]) -> [uint64x2_t; 4] {
    [vaddq_u64(x[0], y[0]), vaddq_u64(x[1], y[1]), vaddq_u64(x[2], y[2]), vaddq_u64(x[3], y[3])]
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn xor(x: [uint64x2_t; 4], y: [uint64x2_t; 4]) -> [uint64x2_t; 4] {
    [veorq_u64(x[0], y[0]), veorq_u64(x[1], y[1]), veorq_u64(x[2], y[2]), veorq_u64(x[3], y[3])]
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn load(words: &[u64; 8]) -> [uint64x2_t; 4] {
    // SAFETY: reads quarters of the words.
    unsafe {
        [
            vld1q_u64(words.as_ptr()),
            vld1q_u64(words.as_ptr().add(2)),
            vld1q_u64(words.as_ptr().add(4)),
            vld1q_u64(words.as_ptr().add(6)),
        ]
    }
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn store(words: &mut [u64; 8], pairs: [uint64x2_t; 4]) {
    let [ab, cd, ef, gh] = pairs;
    // SAFETY: writes quarters of the words.
    unsafe {
        vst1q_u64(words.as_mut_ptr(), ab);
        vst1q_u64(words.as_mut_ptr().add(2), cd);
        vst1q_u64(words.as_mut_ptr().add(4), ef);
        vst1q_u64(words.as_mut_ptr().add(6), gh);
    }
}
