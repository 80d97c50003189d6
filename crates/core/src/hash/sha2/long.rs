//! SHA-2 with 64-bit words.

#[cfg(target_arch = "x86_64")]
use crate::checkpoint::DigestSink;
use crate::hash::compression::words_64::{BLOCK, compress, end};
use crate::hash::digest::Digest;
#[cfg(target_arch = "x86_64")]
use crate::hash::lanes;
use crate::hash::state_format::{Reader, Writer};
use crate::hmac::iteration::{HmacIteration, iterate_64, iterate_in_words};
use crate::inputs::Params;
use crate::wipe::{Plain, wipe_plain};

/// SHA-2 with 64-bit words and a digest of `SIZE` bytes.
#[derive(Clone)]
pub(crate) struct Long<const SIZE: usize> {
    pub(crate) words: [u64; 8],
    /// Bytes absorbed. The last `length % 128` of them wait in `buffer`.
    pub(crate) length: u128,
    buffer: [u8; BLOCK],
}

// SAFETY: made of integers and arrays of integers.
unsafe impl<const SIZE: usize> Plain for Long<SIZE> {}

impl<const SIZE: usize> Digest for Long<SIZE> {
    const BLOCK: usize = BLOCK;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self { words: first_words::<SIZE>(), length: 0, buffer: [0; BLOCK] }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        let mut source = source;
        let at = self.length as usize % BLOCK;
        self.length += source.len() as u128;
        if at > 0 {
            let (first, rest) = source.split_at(source.len().min(BLOCK - at));
            self.buffer[at..at + first.len()].copy_from_slice(first);
            if at + first.len() < BLOCK {
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
        let at = self.length as usize % BLOCK;
        end(&mut self.words, self.length, &self.buffer[..at], target);
    }

    #[inline]
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
        if !self.length.is_multiple_of(BLOCK as u128) {
            self.update(source);
            self.finish(target);
        } else {
            end(&mut self.words, self.length + source.len() as u128, source, target);
        }
    }

    // Words, length, buffer.
    const STATE: usize = 64 + 8 + BLOCK;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        let used = &self.buffer[..self.length as usize % BLOCK];
        Writer::over(state)
            .words_64(&self.words)
            .integer(self.length as u64)
            .buffer(used, BLOCK)
            .end();
    }

    #[inline]
    fn load(_params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let (words, length) = (fields.words_64()?, fields.length()?);
        Some(Self {
            words,
            length: length.into(),
            buffer: *fields.buffer(length as usize % BLOCK)?,
        })
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn multibuffer() -> Option<lanes::Multibuffer> {
        lanes::sha512::multibuffer(lanes::Kernels::detect())
    }

    #[cfg(target_arch = "x86_64")]
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.length.is_multiple_of(BLOCK as u128));
        lanes::sha512::hash(
            lanes::Kernels::detect(),
            (self.words, self.length as u64),
            sources,
            target,
            sink,
        );
    }

    iterate_in_words!(
        [u64; 8],
        8,
        read_64,
        write_64,
        SIZE.is_multiple_of(8),
        |hash| hash.words,
        iterate,
        |iteration: &mut _, size, count| iterate_64(iteration, size, count, |words, block| {
            compress(words, &[*block])
        })
    );

    #[inline]
    fn digest(_params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        let mut words = first_words::<SIZE>();
        end(&mut words, source.len() as u128, source, target);
        wipe_plain(&mut words);
    }
}

/// Iterates as many blocks as there are kernels for, and returns that number.
fn iterate(iterations: &mut [HmacIteration<u64, 8>], size: usize, count: u32) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        lanes::sha512::iterate(lanes::Kernels::detect(), iterations, size, count)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (iterations, size, count);
        0
    }
}

/// Returns the initial words of FIPS 180-4, sections 5.3.4 to 5.3.6.
#[inline]
#[rustfmt::skip] // rows
pub(crate) const fn first_words<const SIZE: usize>() -> [u64; 8] {
    match SIZE {
        28 => [
            0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
            0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
        ],
        32 => [
            0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
            0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
        ],
        48 => [
            0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
            0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
        ],
        _ => [
            0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
            0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
        ],
    }
}
