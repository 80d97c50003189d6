//! SHA-1: the instructions compute four rounds, or four words of the schedule.

use std::arch::aarch64::*;

use super::interleaved::interleaved;
use super::{
    Batch, BlockHash, Digest, Kernels, LaneKernel, Multibuffer, bits, block_hash, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::engines::native::compression::words_32::{self, Sha1Function};
use crate::engines::native::features::Sha2;
use crate::engines::native::hmac_iteration::HmacIteration;
use crate::engines::native::wipe::Wiped;

interleaved!(
    /// SHA-1.
    Sha1, [u32; 5], 64, 20, sha2: Sha2, "neon,sha2", 20 => 5;
    |state, blocks| words_32::compress::<Sha1Function, 5>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words_32::end::<Sha1Function, 5>(&mut Wiped(state).0, length, rest, target)
    }
);

/// Words A to D, and E.
type Words = (uint32x4_t, u32);

/// Absorbs a block of each message, given as words.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn rounds<const LANES: usize>(
    begin: [Words; LANES],
    schedule: [[uint32x4_t; 4]; LANES],
) -> [Words; LANES] {
    let (mut words, mut schedule) = (begin, schedule);
    macro_rules! rounds_4 {
        ($rounds:ident, $constant:literal, $($group:literal)*) => {$(
            for lane in 0..LANES {
                let schedule = &mut schedule[lane];
                let sum = vaddq_u32(schedule[$group % 4], vdupq_n_u32($constant));
                let (abcd, e) = words[lane];
                let next = vsha1h_u32(vgetq_lane_u32::<0>(abcd));
                words[lane] = ($rounds(abcd, e, sum), next);
                if $group < 16 {
                    let begun = vsha1su0q_u32(schedule[$group % 4], schedule[($group + 1) % 4],
                        schedule[($group + 2) % 4]);
                    schedule[$group % 4] = vsha1su1q_u32(begun, schedule[($group + 3) % 4]);
                }
            }
        )*};
    }
    rounds_4!(vsha1cq_u32, 0x5a82_7999, 0 1 2 3 4);
    rounds_4!(vsha1pq_u32, 0x6ed9_eba1, 5 6 7 8 9);
    rounds_4!(vsha1mq_u32, 0x8f1b_bcdc, 10 11 12 13 14);
    rounds_4!(vsha1pq_u32, 0xca62_c1d6, 15 16 17 18 19);
    for (lane, begin) in begin.iter().enumerate() {
        words[lane] = add(words[lane], *begin);
    }
    words
}

/// Returns the blocks with the digests, of `USED` words, and their padding.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn padded<const LANES: usize, const USED: usize>(
    digests: [Words; LANES],
) -> [[uint32x4_t; 4]; LANES] {
    let none = vdupq_n_u32(0);
    let mark = vsetq_lane_u32::<1>(1 << 31, none);
    let size = vsetq_lane_u32::<3>(32 * (16 + USED as u32), none);
    let mut blocks = [[none; 4]; LANES];
    for (lane, (abcd, e)) in digests.iter().enumerate() {
        blocks[lane] = [*abcd, vsetq_lane_u32::<0>(*e, mark), none, size];
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
fn add(x: Words, y: Words) -> Words {
    (vaddq_u32(x.0, y.0), x.1.wrapping_add(y.1))
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn xor(x: Words, y: Words) -> Words {
    (veorq_u32(x.0, y.0), x.1 ^ y.1)
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn load(words: &[u32; 5]) -> Words {
    // SAFETY: reads the first four words.
    (unsafe { vld1q_u32(words.as_ptr()) }, words[4])
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn store(words: &mut [u32; 5], (abcd, e): Words) {
    // SAFETY: writes the first four words.
    unsafe { vst1q_u32(words.as_mut_ptr(), abcd) };
    words[4] = e;
}
