//! SHA-256 and SHA-224, two messages interleaved: each instruction of one waits for the last, and
//! those of the other fill the gap. The instructions compute four rounds, or four words of the
//! schedule.
//!
//! A block takes 100 instructions for each message; AWS-LC takes 116 for one message alone. No
//! machine was at hand to measure the time.
//!
//! ```text
//! for group in 0..16
//!     for each message
//!         sum = w[group % 4] + four constants
//!         ABCD, EFGH = SHA256H(ABCD, EFGH, sum), SHA256H2(EFGH, ABCD, sum)       of ABCD before
//!         if group < 12:  w[group % 4] = SHA256SU1(SHA256SU0(w0, w1), w2, w3)    w0: the oldest
//! state += the state before
//! ```
//!
//! An HMAC iteration keeps digests in registers, where they become padded blocks.

use std::arch::aarch64::*;

use super::{
    Batch, BlockHash, Digest, Edges, Kernels, LaneKernel, Multibuffer, bits, block_hash,
    interleaved, pad, run,
};
use crate::checkpoint::DigestSink;
use crate::cpu::features::Sha2;
use crate::hash::compression::constants::CONSTANTS_256;
use crate::hash::compression::words::{self, Sha256Function};
use crate::hmac::iteration::HmacIteration;
use crate::wipe::Wiped;

block_hash!(
    /// SHA-256, and SHA-224, which begins with other words and shows fewer.
    Sha256,
    [u32; 8],
    64,
    32,
    to_be_bytes,
    |state, blocks| words::compress::<Sha256Function, 8, 64>(state, blocks.as_chunks().0),
    |state, length, rest, target| {
        words::end::<Sha256Function, 8, 64>(&mut Wiped(state).0, length, rest, target)
    }
);

/// Returns how this family uses the kernel.
pub(crate) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
    kernels.sha2.and_then(|_| Multibuffer::new(2, Sha2::NAMES, 2, Sha2::NAMES))
}

/// Hashes messages from a state that has absorbed `begun` bytes.
pub(crate) fn hash(
    kernels: Kernels,
    (start, begun): ([u32; 8], u64),
    sources: &[&[u8]],
    target: &mut [u8],
    sink: DigestSink<'_>,
) {
    let batch = &mut Batch::new(Sha256, start, begun, sources, target, sink);
    if let Some(proof) = kernels.sha2 {
        // SAFETY: the proof says that the CPU has the instructions.
        unsafe { Interleaved::run::<2>(batch, proof) };
    }
    batch.scalar();
}

/// Iterates as many blocks as there are kernels for, and returns that number. A digest has `size`
/// bytes.
pub(crate) fn iterate(
    kernels: Kernels,
    iterations: &mut [HmacIteration<u32, 8>],
    size: usize,
    count: u32,
) -> usize {
    match (kernels.sha2, size) {
        // SAFETY: the proof says that the CPU has the instructions.
        (Some(_), 32) => unsafe { iterate_all::<8>(iterations, count) },
        // SAFETY: as above.
        (Some(_), 28) => unsafe { iterate_all::<7>(iterations, count) },
        _ => 0,
    }
}

#[target_feature(enable = "neon,sha2")]
fn iterate_all<const USED: usize>(iterations: &mut [HmacIteration<u32, 8>], count: u32) -> usize {
    let (pairs, last) = iterations.as_chunks_mut::<2>();
    for pair in pairs {
        iterate_interleaved::<2, USED>(pair, count);
    }
    for one in last.as_chunks_mut().0 {
        iterate_interleaved::<1, USED>(one, count);
    }
    iterations.len()
}

/// Computes `count` HMAC iterations of `LANES` blocks, interleaved. A digest has `USED` words.
#[target_feature(enable = "neon,sha2")]
fn iterate_interleaved<const LANES: usize, const USED: usize>(
    iterations: &mut [HmacIteration<u32, 8>; LANES],
    count: u32,
) {
    let none = [load(&[0; 8]); LANES];
    let (mut inner, mut outer, mut last, mut sum) = (none, none, none, none);
    for (lane, iteration) in iterations.iter().enumerate() {
        inner[lane] = load(&iteration.inner);
        outer[lane] = load(&iteration.outer);
        last[lane] = load(&iteration.last);
        sum[lane] = load(&iteration.sum);
    }
    for _ in 0..count {
        last = rounds(inner, padded::<LANES, USED>(last));
        last = rounds(outer, padded::<LANES, USED>(last));
        for (sum, last) in sum.as_flattened_mut().iter_mut().zip(last.as_flattened()) {
            *sum = veorq_u32(*sum, *last);
        }
    }
    for (lane, iteration) in iterations.iter_mut().enumerate() {
        store(&mut iteration.last, last[lane]);
        store(&mut iteration.sum, sum[lane]);
    }
}

/// # Safety
/// `count` blocks must be readable at each pointer.
#[target_feature(enable = "neon,sha2")]
unsafe fn step_interleaved<const LANES: usize>(
    states: &mut [[u32; 8]; LANES],
    at: &[*const u8; LANES],
    count: usize,
) {
    let mut words = [load(&[0; 8]); LANES];
    for (lane, state) in states.iter().enumerate() {
        words[lane] = load(state);
    }
    for block in 0..count {
        let mut schedule = [[vdupq_n_u32(0); 4]; LANES];
        for (schedule, at) in schedule.iter_mut().zip(at) {
            // SAFETY: `block` is less than `count`, and a block has 64 bytes.
            *schedule = unsafe { read(at.add(64 * block)) };
        }
        words = rounds(words, schedule);
    }
    for (lane, state) in states.iter_mut().enumerate() {
        store(state, words[lane]);
    }
}

interleaved!(Sha256, 8, Sha2, "neon,sha2");

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
    for (words, begin) in words.as_flattened_mut().iter_mut().zip(begin.as_flattened()) {
        *words = vaddq_u32(*words, *begin);
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
