//! HMAC iterations on words, the form that the SIMD kernels compute.

use crate::hash::state_format::Word;
use crate::wipe::{Plain, Secret};

/// A block of PBKDF2's output in progress, as words of the hash's state.
#[derive(Copy, Clone)]
pub(crate) struct HmacIteration<W, const WORDS: usize> {
    /// The states of the inner and outer hash after the key's block.
    pub(crate) inner: [W; WORDS],
    pub(crate) outer: [W; WORDS],
    /// The last HMAC.
    pub(crate) last: [W; WORDS],
    /// The XOR of all HMACs so far.
    pub(crate) sum: [W; WORDS],
}

// SAFETY: made of arrays of integers.
unsafe impl<W: Word, const WORDS: usize> Plain for HmacIteration<W, WORDS> {}

impl<W: Word, const WORDS: usize> HmacIteration<W, WORDS> {
    pub(crate) const ZERO: Self = Self {
        inner: [W::ZERO; WORDS],
        outer: [W::ZERO; WORDS],
        last: [W::ZERO; WORDS],
        sum: [W::ZERO; WORDS],
    };

    /// Computes `count` HMACs with a compression function for blocks of `BLOCK` bytes. `size` is
    /// the digest's, in bytes.
    pub(crate) fn iterate<const BLOCK: usize>(
        &mut self,
        size: usize,
        count: u32,
        compress: impl Fn(&mut [W; WORDS], &[u8; BLOCK]),
    ) {
        let mut block = Secret::<BLOCK>::zeros();
        let block = &mut block.0;
        block[size] = 0x80;
        block[BLOCK - 4..].copy_from_slice(&(8 * (BLOCK + size) as u32).to_be_bytes());
        for _ in 0..count {
            W::write(&self.last, &mut block[..size], true);
            self.last = self.inner;
            compress(&mut self.last, block);
            W::write(&self.last, &mut block[..size], true);
            self.last = self.outer;
            compress(&mut self.last, block);
            self.sum.iter_mut().zip(self.last).for_each(|(sum, last)| *sum ^= last);
        }
    }
}
