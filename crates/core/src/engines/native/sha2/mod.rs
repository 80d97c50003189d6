//! SHA-2, on states of ours.
//!
//! The low-level functions, not EVP: EVP allocates a context and costs 50 to 150 ns a message.
//! For SHA-224 and SHA-256 AWS-LC exports its compression function, so the padding is ours too:
//! the last block or two go through it in one call. That takes 64 bytes from 62 to 51 ns.
//! SHA-512 and its kin are in [`long`].

#[cfg(target_arch = "x86_64")]
mod blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) mod constants;
pub(super) mod long;

use aws_lc_sys as lc;

use super::Digest;
use super::kdf::pbkdf2::iteration::{HmacIteration, iterate_32, iterate_in_words};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::lanes;
use super::state::{Reader, Writer};
use super::wipe::{Plain, Secret, wipe_plain};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::checkpoint::DigestSink;
use crate::inputs::Params;

/// SHA-384.
pub(crate) type Sha384 = long::Long<48>;
/// SHA-512.
pub(crate) type Sha512 = long::Long<64>;
/// SHA-512/224.
pub(crate) type Sha512_224 = long::Long<28>;
/// SHA-512/256.
pub(crate) type Sha512_256 = long::Long<32>;

/// SHA-224.
pub(crate) type Sha224 = Short<28>;
/// SHA-256.
pub(crate) type Sha256 = Short<32>;

/// SHA-2 with 32-bit words and a digest of `SIZE` bytes.
#[derive(Clone)]
pub(crate) struct Short<const SIZE: usize> {
    pub(super) words: [u32; 8],
    /// Bytes absorbed. The last `length % 64` of them wait in `buffer`.
    pub(super) length: u64,
    buffer: [u8; 64],
}

// SAFETY: made of integers and arrays of integers.
unsafe impl<const SIZE: usize> Plain for Short<SIZE> {}

impl<const SIZE: usize> Digest for Short<SIZE> {
    const BLOCK: usize = 64;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self { words: first_words::<SIZE>(), length: 0, buffer: [0; 64] }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        let mut source = source;
        let at = self.length as usize % 64;
        self.length += source.len() as u64;
        if at > 0 {
            let (first, rest) = source.split_at(source.len().min(64 - at));
            self.buffer[at..at + first.len()].copy_from_slice(first);
            if at + first.len() < 64 {
                return;
            }
            compress(&mut self.words, &[self.buffer]);
            source = rest;
        }
        let (blocks, rest) = source.as_chunks();
        compress(&mut self.words, blocks);
        self.buffer[..rest.len()].copy_from_slice(rest);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        let at = self.length as usize % 64;
        end(&mut self.words, self.length, &self.buffer[..at], target);
    }

    #[inline]
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
        if !self.length.is_multiple_of(64) {
            self.update(source);
            self.finish(target);
        } else {
            end(&mut self.words, self.length + source.len() as u64, source, target);
        }
    }

    // Words, length, buffer.
    const STATE: usize = 32 + 8 + 64;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        let used = &self.buffer[..self.length as usize % 64];
        Writer::over(state).words_32(&self.words).integer(self.length).buffer(used, 64).end();
    }

    #[inline]
    fn load(_params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let (words, length) = (fields.words_32()?, fields.length()?);
        Some(Self { words, length, buffer: *fields.buffer(length as usize % 64)? })
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline]
    fn min_batch(_size: usize) -> usize {
        lanes::sha256::multibuffer(lanes::Kernels::detect())
            .map_or(usize::MAX, |multibuffer| multibuffer.min_messages)
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.length.is_multiple_of(64));
        let start = (self.words, self.length);
        lanes::hash_sha256(lanes::Kernels::detect(), start, sources, target, sink);
    }

    iterate_in_words!(
        [u32; 8],
        16,
        read_32,
        write_32,
        |hash| hash.words,
        hmac_lanes(),
        iterate,
        |iteration: &mut _, size, count| iterate_32(iteration, size, count, |words, block| {
            compress(words, &[*block])
        })
    );

    #[inline]
    fn digest(_params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        let mut words = first_words::<SIZE>();
        end(&mut words, source.len() as u64, source, target);
        wipe_plain(&mut words);
    }
}

/// Returns the lanes of the widest kernel.
fn hmac_lanes() -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        lanes::sha256::multibuffer(lanes::Kernels::detect())
            .map_or(1, |multibuffer| multibuffer.lanes)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        1
    }
}

/// Iterates as many blocks as there are kernels for, and returns that number.
fn iterate(iterations: &mut [HmacIteration<u32, 8>], size: usize, count: u32) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        lanes::sha256::iterate(lanes::Kernels::detect(), iterations, size, count)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = (iterations, size, count);
        0
    }
}

/// Absorbs whole blocks.
#[inline]
pub(super) fn compress(words: &mut [u32; 8], blocks: &[[u8; 64]]) {
    if !blocks.is_empty() {
        // SAFETY: the function reads as many blocks as said and updates eight words.
        unsafe {
            lc::SHA256_TransformBlocks(words.as_mut_ptr(), blocks.as_ptr().cast(), blocks.len())
        }
    }
}

/// Absorbs the rest of a message of `length` bytes from a border of blocks on, and pads it.
#[inline]
pub(super) fn end(words: &mut [u32; 8], length: u64, source: &[u8], target: &mut [u8]) {
    debug_assert!(target.len() <= 32 && target.len().is_multiple_of(4));
    // What is left for the padded blocks: the last bytes, and the block before them where both fit
    // in two, since one call for two blocks is faster than two calls.
    let rest = source.len() % 64;
    let kept = if rest < 56 && source.len() >= 64 { 64 + rest } else { rest };
    let (blocks, kept) = source.split_at(source.len() - kept);
    compress(words, blocks.as_chunks().0);

    let mut last = Secret::<128>::zeros();
    let bytes = &mut last.0;
    bytes[..kept.len()].copy_from_slice(kept);
    bytes[kept.len()] = 0x80;
    let count = if kept.len() < 56 { 1 } else { 2 };
    bytes[count * 64 - 8..count * 64].copy_from_slice(&(length * 8).to_be_bytes());
    compress(words, &bytes.as_chunks().0[..count]);
    for (bytes, word) in target.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
}

/// FIPS 180-4, sections 5.3.2 and 5.3.3.
#[inline]
pub(in crate::engines::native) const fn first_words<const SIZE: usize>() -> [u32; 8] {
    if SIZE == 28 {
        [
            0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7,
            0xbefa4fa4,
        ]
    } else {
        [
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
            0x5be0cd19,
        ]
    }
}

#[cfg(test)]
mod tests;
