//! SHA-256 and SHA-224: the instructions compute four rounds, or four words of the schedule.

use std::arch::aarch64::*;

use super::interleaved::interleaved;
use super::{
    Batch, BlockHash, Digest, Kernels, LaneKernel, Multibuffer, bits, block_hash, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::engines::native::compression::constants::CONSTANTS_256;
use crate::engines::native::compression::words_32::{self, Sha256Function};
use crate::engines::native::features::Sha2;
use crate::engines::native::hmac_iteration::HmacIteration;
use crate::engines::native::wipe::Wiped;

interleaved!(
    /// SHA-256, and SHA-224, which begins with other words and shows fewer.
    Sha256, [u32; 8], 64, 32, sha2: Sha2, "neon,sha2", 32 => 8, 28 => 7;
    |state, blocks| words_32::compress::<Sha256Function, 8>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words_32::end::<Sha256Function, 8>(&mut Wiped(state).0, length, rest, target)
    }
);

/// Absorbs a block of each message, given as words.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn rounds<const LANES: usize>(
    begin: [[uint32x4_t; 2]; LANES],
    schedule: [[uint32x4_t; 4]; LANES],
) -> [[uint32x4_t; 2]; LANES] {
    let (mut words, mut schedule) = (begin, schedule);
    macro_rules! rounds_4 {
        ($($group:literal)*) => {$(
            // SAFETY: reads four constants.
            let constants = unsafe { vld1q_u32(CONSTANTS_256.0.as_ptr().add(4 * $group)) };
            for lane in 0..LANES {
                let schedule = &mut schedule[lane];
                let sum = vaddq_u32(schedule[$group % 4], constants);
                let [abcd, efgh] = words[lane];
                words[lane] = [vsha256hq_u32(abcd, efgh, sum), vsha256h2q_u32(efgh, abcd, sum)];
                if $group < 12 {
                    let begun = vsha256su0q_u32(schedule[$group % 4], schedule[($group + 1) % 4]);
                    schedule[$group % 4] = vsha256su1q_u32(begun, schedule[($group + 2) % 4],
                        schedule[($group + 3) % 4]);
                }
            }
        )*};
    }
    rounds_4!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for (lane, begin) in begin.iter().enumerate() {
        words[lane] = add(words[lane], *begin);
    }
    words
}

/// Returns the blocks with the digests, of `USED` words, and their padding.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn padded<const LANES: usize, const USED: usize>(
    digests: [[uint32x4_t; 2]; LANES],
) -> [[uint32x4_t; 4]; LANES] {
    let none = vdupq_n_u32(0);
    let mark = if USED == 7 { none } else { vsetq_lane_u32::<0>(1 << 31, none) };
    let size = vsetq_lane_u32::<3>(32 * (16 + USED as u32), none);
    let mut blocks = [[none; 4]; LANES];
    for (lane, [abcd, efgh]) in digests.iter().enumerate() {
        let efgh = if USED == 7 { vsetq_lane_u32::<3>(1 << 31, *efgh) } else { *efgh };
        blocks[lane] = [*abcd, efgh, mark, size];
    }
    blocks
}

/// Returns the words of a block.
///
/// # Safety
/// 64 bytes must be readable.
#[inline]
#[target_feature(enable = "neon,sha2")]
unsafe fn read(at: *const u8) -> [uint32x4_t; 4] {
    // SAFETY: four times 16 bytes, of 64.
    unsafe {
        [
            reversed(vld1q_u8(at)),
            reversed(vld1q_u8(at.add(16))),
            reversed(vld1q_u8(at.add(32))),
            reversed(vld1q_u8(at.add(48))),
        ]
    }
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn reversed(bytes: uint8x16_t) -> uint32x4_t {
    vreinterpretq_u32_u8(vrev32q_u8(bytes))
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn add(x: [uint32x4_t; 2], y: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
    [vaddq_u32(x[0], y[0]), vaddq_u32(x[1], y[1])]
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn xor(x: [uint32x4_t; 2], y: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
    [veorq_u32(x[0], y[0]), veorq_u32(x[1], y[1])]
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn load(words: &[u32; 8]) -> [uint32x4_t; 2] {
    // SAFETY: reads halves of the words.
    unsafe { [vld1q_u32(words.as_ptr()), vld1q_u32(words.as_ptr().add(4))] }
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn store(words: &mut [u32; 8], [abcd, efgh]: [uint32x4_t; 2]) {
    // SAFETY: writes halves of the words.
    unsafe {
        vst1q_u32(words.as_mut_ptr(), abcd);
        vst1q_u32(words.as_mut_ptr().add(4), efgh);
    }
}
