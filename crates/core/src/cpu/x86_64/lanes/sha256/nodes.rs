//! SHA-256 and SHA-224 of messages of exactly 64 bytes, as the nodes of Merkle trees are.
//!
//! The second block of such a message is padding only. Its message schedule is a constant, and one
//! load of it serves all interleaved messages.
//!
//! ```text
//! words = the 16 groups of rounds on the message
//! for each four words of the constant schedule
//!     SHA256RNDS2 twice for each message, without SHA256MSG1 and SHA256MSG2
//! words += those before the padding
//! ```
//!
//! Four messages at once, then two, then one.

use std::arch::x86_64::*;

use super::{Kernels, chosen, halves, pack, reverse, rounds_interleaved};
use crate::checkpoint::DigestSink;
use crate::cpu::features::ShaNi;
use crate::hash::compression::constants::{CONSTANTS_256, Constants};

/// Messages of one size cost less with 16 lanes of AVX-512 from this number on, where
/// [`chosen`] keeps them.
const LEAST_WIDE: usize = 12;

/// Hashes messages as [`super::hash`] does, those of 64 bytes in a shorter way.
pub(crate) fn hash(
    kernels: Kernels,
    (start, begun): ([u32; 8], u64),
    sources: &[&[u8]],
    target: &mut [u8],
    mut sink: DigestSink<'_>,
) {
    if begun > 0 || !hash_nodes(kernels, &start, sources, target.len(), &mut sink) {
        super::hash(kernels, (start, begun), sources, target, sink);
    }
}

/// Hashes messages from `start` if they suit, and returns false otherwise: all have 64 bytes, there
/// are no checkpoints, and the CPU has the instructions made for SHA-256.
#[inline]
fn hash_nodes(
    kernels: Kernels,
    start: &[u32; 8],
    sources: &[&[u8]],
    size: usize,
    sink: &mut DigestSink<'_>,
) -> bool {
    let Kernels { avx512, sha_ni: Some(proof), .. } = chosen(kernels) else { return false };
    if (avx512.is_some() && sources.len() >= LEAST_WIDE)
        || sink.slicer.is_some()
        || sources.iter().any(|source| source.len() != 64)
    {
        return false;
    }
    // SAFETY: the proof says that the CPU has the instructions.
    unsafe { hash_all(proof, start, sources, size, sink) };
    true
}

#[target_feature(enable = "ssse3,sse4.1,sha")]
fn hash_all(
    _proof: ShaNi,
    start: &[u32; 8],
    sources: &[&[u8]],
    size: usize,
    sink: &mut DigestSink<'_>,
) {
    let start = pack(start);
    let done = interleaved::<4>(start, sources, 0, size, sink);
    let done = interleaved::<2>(start, sources, done, size, sink);
    interleaved::<1>(start, sources, done, size, sink);
}

/// Hashes the messages from number `done` on, `LANES` at once, and returns how many are done then.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn interleaved<const LANES: usize>(
    start: [__m128i; 2],
    sources: &[&[u8]],
    mut done: usize,
    size: usize,
    sink: &mut DigestSink<'_>,
) -> usize {
    for group in sources[done..].as_chunks::<LANES>().0 {
        for (lane, digest) in digests(start, group).iter().enumerate() {
            sink.emit(done + lane, &digest[..size]);
        }
        done += LANES;
    }
    done
}

/// Returns the digests of messages of 64 bytes.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn digests<const LANES: usize>(start: [__m128i; 2], sources: &[&[u8]; LANES]) -> [[u8; 32]; LANES] {
    let blocks: [[__m128i; 4]; LANES] = std::array::from_fn(|lane| {
        let (words, _) = sources[lane].as_chunks::<16>();
        // SAFETY: reads 16 bytes of each of the first four chunks.
        std::array::from_fn(|four| reverse(unsafe { _mm_loadu_si128(words[four].as_ptr().cast()) }))
    });
    let words = padding(rounds_interleaved([start; LANES], blocks));
    std::array::from_fn(|lane| {
        let mut digest = [0; 32];
        for (half, place) in halves(words[lane]).into_iter().zip(digest.as_chunks_mut::<16>().0) {
            // SAFETY: writes 16 bytes.
            unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), reverse(half)) };
        }
        digest
    })
}

/// Absorbs the padding of a message of 64 bytes.
#[inline]
#[target_feature(enable = "ssse3,sse4.1,sha")]
fn padding<const LANES: usize>(begin: [[__m128i; 2]; LANES]) -> [[__m128i; 2]; LANES] {
    let mut words = begin;
    for four in PADDING.0.as_chunks::<4>().0 {
        // SAFETY: reads four aligned words.
        let low = unsafe { _mm_load_si128(four.as_ptr().cast()) };
        let high = _mm_shuffle_epi32::<0x0e>(low);
        for [abef, cdgh] in &mut words {
            *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, low);
        }
        for [abef, cdgh] in &mut words {
            *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, high);
        }
    }
    for (words, begin) in words.as_flattened_mut().iter_mut().zip(begin.as_flattened()) {
        *words = _mm_add_epi32(*words, *begin);
    }
    words
}

/// The message schedule of the padding (FIPS 180-4, section 6.2.2), with the round constants added.
static PADDING: Constants<[u32; 64]> = {
    let mut words = [0_u32; 64];
    words[0] = 0x8000_0000;
    words[15] = 512;
    let mut at = 16;
    while at < 64 {
        let (far, near) = (words[at - 15], words[at - 2]);
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3;
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10;
        words[at] = words[at - 16].wrapping_add(far).wrapping_add(words[at - 7]).wrapping_add(near);
        at += 1;
    }
    at = 0;
    while at < 64 {
        words[at] = words[at].wrapping_add(CONSTANTS_256.0[at]);
        at += 1;
    }
    Constants(words)
};
