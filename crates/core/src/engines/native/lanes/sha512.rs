//! SHA-512 and its kin of several messages.
//!
//! ns a block and message on Zen 5, where one by one takes 110: AVX-512 with eight lanes 27, AVX2
//! with four 105, since rotations take three instructions each and there are few of them a cycle.
//!
//! ns a message of 64 bytes, 1 KiB and 4 KiB, one by one and 64 at once: 137 and 33, 1033 and 242,
//! 3680 and 863; of lengths up to 2 KiB mixed 1000 and 255.

use std::arch::x86_64::*;

use super::super::features::{Avx2, Avx512};
use super::super::kdf::pbkdf2::iteration::HmacIteration;
use super::super::sha2::blocks::CONSTANTS;
use super::super::sha2::long;
use super::super::wipe::Wiped;
use super::hmac_iterations::hmac_iterations;
use super::sha2::rounds;
use super::simd_kernel::{FEW, pad, simd_kernel};
use super::vectors::{U64x4, U64x8};
use super::{Batch, BlockHash, Columns, Digest, Kernel, Kernels, Multibuffer, Tail, bits, run};
use crate::checkpoint::DigestSink;

/// SHA-512 and its kin, which begin with other words and show fewer.
#[derive(Copy, Clone)]
pub(in super::super) struct Sha512;

impl BlockHash for Sha512 {
    type State = [u64; 8];
    type Tail = [u8; 256];
    type Digest = [u8; 64];
    const TAIL: [u8; 256] = [0; 256];
    const DIGEST: [u8; 64] = [0; 64];

    #[inline]
    fn block(&self) -> usize {
        128
    }

    #[inline]
    fn ends(&self, rest: usize) -> usize {
        1 + usize::from(rest >= 112)
    }

    fn pad(&self, tail: &mut [u8; 256], rest: &[u8], length: u64) {
        *tail = Self::TAIL;
        pad(&mut tail[..128 * self.ends(rest.len())], rest, (length * 8).to_be_bytes());
    }

    fn blocks(&self, state: &mut [u64; 8], blocks: &[u8]) {
        long::compress(state, blocks.as_chunks().0);
    }

    fn scalar(&self, state: [u64; 8], length: u64, rest: &[u8], target: &mut [u8]) {
        long::end(&mut Wiped(state).0, length.into(), rest, target);
    }
}

impl Sha512 {
    #[inline(always)]
    fn digest(state: [u64; 8]) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(state)
            .for_each(|(bytes, word)| *bytes = word.to_be_bytes());
        bytes
    }
}

/// Returns how this family uses the kernels.
pub(in super::super) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
    match kernels {
        Kernels { avx512: Some(_), .. } => Multibuffer::new(8, Avx512::NAMES, 3),
        Kernels { avx2: Some(_), .. } => Multibuffer::new(4, Avx2::NAMES, 4),
        _ => None,
    }
}

/// Hashes messages from a state that has absorbed `begun` bytes.
pub(in super::super) fn hash(
    kernels: Kernels,
    (start, begun): ([u64; 8], u64),
    sources: &[&[u8]],
    target: &mut [u8],
    sink: DigestSink<'_>,
) {
    let least = multibuffer(kernels).map_or(usize::MAX, |multibuffer| multibuffer.min_messages);
    let batch = &mut Batch::new(Sha512, start, begun, sources, target, sink);
    // SAFETY: the proof says that the CPU has the instructions.
    unsafe {
        match (kernels.avx512, kernels.avx2) {
            (Some(proof), _) => Wide::run(batch, proof, least),
            (None, Some(proof)) => Narrow::run(batch, proof, least),
            (None, None) => {}
        }
    }
    batch.scalar();
}

simd_kernel!(
    /// Eight lanes with AVX-512.
    Wide, Sha512, U64x8, [[u64; 8]; 8], __m512i, Avx512, "avx512f,avx512vl,avx512bw", reversed,
    // SAFETY: the kernel has the proof that the CPU has the instructions.
    |_, _, tail, rest, length| unsafe { U64x8::pad(tail, rest, (length * 8).to_be_bytes()) }
);

simd_kernel!(
    /// Four lanes with AVX2.
    Narrow, Sha512, U64x4, [[u64; 4]; 8], __m256i, Avx2, "avx2", reversed,
    |_, hash, tail, rest, length| hash.pad(tail, rest, length)
);

rounds!(Wide, U64x8, __m512i, "avx512f,avx512vl,avx512bw", CONSTANTS.0, 5,
    (28 34 39) (14 18 41) (1 8 >> 7) (19 61 >> 6));
rounds!(Narrow, U64x4, __m256i, "avx2", CONSTANTS.0, 5,
    (28 34 39) (14 18 41) (1 8 >> 7) (19 61 >> 6));

hmac_iterations!(Wide, U64x8, [[u64; 8]; 8], __m512i, "avx512f,avx512vl,avx512bw");
hmac_iterations!(Narrow, U64x4, [[u64; 4]; 8], __m256i, "avx2");

/// Iterates as many blocks as there are kernels for, and returns that number. A digest has `size`
/// bytes.
pub(in super::super) fn iterate(
    kernels: Kernels,
    iterations: &mut [HmacIteration<u64, 8>],
    size: usize,
    count: u32,
) -> usize {
    match size {
        64 => iterate_words::<8>(kernels, iterations, count),
        48 => iterate_words::<6>(kernels, iterations, count),
        32 => iterate_words::<4>(kernels, iterations, count),
        // 28 bytes are no number of words.
        _ => 0,
    }
}

fn iterate_words<const USED: usize>(
    kernels: Kernels,
    iterations: &mut [HmacIteration<u64, 8>],
    count: u32,
) -> usize {
    let mut done = 0;
    loop {
        let rest = &mut iterations[done..];
        let size = rest.len();
        // SAFETY: the proof says that the CPU has the instructions.
        done += unsafe {
            match kernels {
                Kernels { avx512: Some(_), .. } if size >= 2 => {
                    Wide::iterate::<USED>(&mut rest[..size.min(8)], count);
                    size.min(8)
                }
                Kernels { avx2: Some(_), .. } if size >= 3 => {
                    Narrow::iterate::<USED>(&mut rest[..size.min(4)], count);
                    size.min(4)
                }
                _ => return done,
            }
        };
    }
}
