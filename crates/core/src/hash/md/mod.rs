//! The Merkle-Damgård hashes: MD5, SHA-1, RIPEMD-160, SHA-2 and MD5-SHA1. They differ in their
//! compression functions and the size of their words; blocks, padding and saved states are the
//! same.

use std::marker::PhantomData;

use super::compression::words::{
    Compression, Md5Function, Ripemd160Function, Sha1Function, Sha256Function, Sha512Function,
    compress, end,
};
use super::digest::{Digest, Multibuffer, OutputBlock, one_by_one};
use super::state_format::{Reader, Word, Writer};
use crate::checkpoint::DigestSink;
use crate::cpu::kernels::lanes;
use crate::hmac::iteration::HmacIteration;
use crate::inputs::Params;
use crate::wipe::{Plain, Wiped, wipe_plain};

/// A compression function with the CPU's kernels for several messages.
pub(crate) trait Lanes<const N: usize, const BLOCK: usize>: Compression<N, BLOCK> {
    /// Works like [`Digest::multibuffer`].
    #[inline]
    fn multibuffer() -> Option<Multibuffer> {
        None
    }

    /// Works like [`Digest::finish_batch`], from words that have absorbed that many bytes.
    fn finish_batch(
        start: ([Self::Word; N], u64),
        sources: &[&[u8]],
        target: &mut [u8],
        sink: DigestSink<'_>,
    ) {
        let _ = (start, sources, target, sink);
        unreachable!("min_batch is usize::MAX");
    }

    /// Iterates as many blocks of PBKDF2 as there are kernels for, and returns that number.
    fn iterate(iterations: &mut [HmacIteration<Self::Word, N>], size: usize, count: u32) -> usize {
        let _ = (iterations, size, count);
        0
    }
}

/// A hash on its way through a message.
#[derive(Clone)]
pub(crate) struct Words<
    F: Compression<N, BLOCK>,
    const N: usize,
    const BLOCK: usize,
    const SIZE: usize,
> {
    pub(crate) words: [F::Word; N],
    /// The bytes of the message so far.
    pub(crate) length: u64,
    buffer: [u8; BLOCK],
    function: PhantomData<F>,
}

// SAFETY: made of integers and arrays of integers.
unsafe impl<F: Compression<N, BLOCK>, const N: usize, const BLOCK: usize, const SIZE: usize> Plain
    for Words<F, N, BLOCK, SIZE>
{
}

impl<F: Lanes<N, BLOCK>, const N: usize, const BLOCK: usize, const SIZE: usize>
    Words<F, N, BLOCK, SIZE>
{
    /// Returns the bytes that wait for the rest of their block.
    #[inline]
    fn waiting(&self) -> &[u8] {
        &self.buffer[..self.length as usize % BLOCK]
    }
}

impl<F: Lanes<N, BLOCK>, const N: usize, const BLOCK: usize, const SIZE: usize> Digest
    for Words<F, N, BLOCK, SIZE>
{
    const BLOCK: usize = BLOCK;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self { words: F::first_words(SIZE), length: 0, buffer: [0; BLOCK], function: PhantomData }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        let mut source = source;
        let at = self.length as usize % BLOCK;
        self.length += source.len() as u64;
        if at > 0 {
            let (first, rest) = source.split_at(source.len().min(BLOCK - at));
            self.buffer[at..at + first.len()].copy_from_slice(first);
            if at + first.len() < BLOCK {
                return;
            }
            compress::<F, N, BLOCK>(&mut self.words, &[self.buffer]);
            source = rest;
        }
        let (blocks, rest) = source.as_chunks();
        compress::<F, N, BLOCK>(&mut self.words, blocks);
        self.buffer[..rest.len()].copy_from_slice(rest);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        let at = self.length as usize % BLOCK;
        end::<F, N, BLOCK>(&mut self.words, self.length, &self.buffer[..at], target);
    }

    #[inline]
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
        if !self.length.is_multiple_of(BLOCK as u64) {
            self.update(source);
            self.finish(target);
        } else {
            end::<F, N, BLOCK>(&mut self.words, self.length + source.len() as u64, source, target);
        }
    }

    // Words, length, buffer.
    const STATE: usize = size_of::<[F::Word; N]>() + 8 + BLOCK;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        let mut writer = Writer::over(state);
        writer.words(&self.words).integer(self.length).buffer(self.waiting(), BLOCK).end();
    }

    #[inline]
    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let (words, length) = (fields.words()?, fields.length()?);
        let buffer = *fields.buffer(length as usize % BLOCK)?;
        Some(Self { words, length, buffer, ..Self::new(params) })
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }

    #[inline]
    fn multibuffer() -> Option<Multibuffer> {
        F::multibuffer()
    }

    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.waiting().is_empty());
        F::finish_batch((self.words, self.length), sources, target, sink);
    }

    const ITERATED: bool = F::BIG_ENDIAN && SIZE.is_multiple_of(size_of::<F::Word>());

    fn iterate(outputs: &mut [OutputBlock<Self>], count: u32) {
        /// The most blocks at once.
        const MAX: usize = 16;

        if !Self::ITERATED {
            return one_by_one(outputs, count);
        }
        let read = |digest: &[u8]| F::Word::read(&digest[..SIZE]);
        for outputs in outputs.chunks_mut(MAX) {
            let mut iterations = Wiped([HmacIteration::ZERO; MAX]);
            let iterations = &mut iterations.0[..outputs.len()];
            for (iteration, output) in iterations.iter_mut().zip(&*outputs) {
                *iteration = HmacIteration {
                    inner: output.inner.words,
                    outer: output.outer.words,
                    last: read(&output.last.0),
                    sum: read(&output.sum.0),
                };
            }
            let done = F::iterate(&mut *iterations, SIZE, count);
            for iteration in &mut iterations[done..] {
                iteration.iterate(SIZE, count, |words, block| {
                    compress::<F, N, BLOCK>(words, &[*block]);
                });
            }
            for (iteration, output) in iterations.iter().zip(outputs) {
                F::Word::write(&iteration.last, &mut output.last.0[..SIZE], true);
                F::Word::write(&iteration.sum, &mut output.sum.0[..SIZE], true);
            }
        }
    }

    #[inline]
    fn digest(_params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        let mut words = F::first_words(SIZE);
        end::<F, N, BLOCK>(&mut words, source.len() as u64, source, target);
        wipe_plain(&mut words);
    }
}

/// Defines the methods of [`Lanes`] by the kernels of `$lanes`.
macro_rules! in_lanes {
    ($lanes:ident, $hash:expr, [$word:ty; $words:literal] $(, $iterate:ident)?) => {
        #[inline]
        fn multibuffer() -> Option<Multibuffer> {
            lanes::$lanes::multibuffer(lanes::Kernels::detect())
        }

        fn finish_batch(
            start: ([$word; $words], u64),
            sources: &[&[u8]],
            target: &mut [u8],
            sink: DigestSink<'_>,
        ) {
            $hash(lanes::Kernels::detect(), start, sources, target, sink);
        }

        $(
            fn $iterate(
                iterations: &mut [HmacIteration<$word, $words>],
                size: usize,
                count: u32,
            ) -> usize {
                lanes::$lanes::iterate(lanes::Kernels::detect(), iterations, size, count)
            }
        )?
    };
}

impl Lanes<4, 64> for Md5Function {
    in_lanes!(md5, lanes::md5::hash, [u32; 4]);
}

impl Lanes<5, 64> for Sha1Function {
    in_lanes!(sha1, lanes::sha1::hash, [u32; 5], iterate);
}

impl Lanes<5, 64> for Ripemd160Function {}

impl Lanes<8, 64> for Sha256Function {
    in_lanes!(sha256, lanes::hash_sha256, [u32; 8], iterate);
}

impl Lanes<8, 128> for Sha512Function {
    in_lanes!(sha512, lanes::sha512::hash, [u64; 8], iterate);
}

/// MD5.
pub(crate) type Md5 = Words<Md5Function, 4, 64, 16>;
/// SHA-1.
pub(crate) type Sha1 = Words<Sha1Function, 5, 64, 20>;
/// RIPEMD-160.
pub(crate) type Ripemd160 = Words<Ripemd160Function, 5, 64, 20>;
/// SHA-224.
pub(crate) type Sha224 = Words<Sha256Function, 8, 64, 28>;
/// SHA-256.
pub(crate) type Sha256 = Words<Sha256Function, 8, 64, 32>;
/// SHA-384.
pub(crate) type Sha384 = Words<Sha512Function, 8, 128, 48>;
/// SHA-512.
pub(crate) type Sha512 = Words<Sha512Function, 8, 128, 64>;
/// SHA-512/224.
pub(crate) type Sha512_224 = Words<Sha512Function, 8, 128, 28>;
/// SHA-512/256.
pub(crate) type Sha512_256 = Words<Sha512Function, 8, 128, 32>;

/// MD5, then SHA-1, of the same message: TLS 1.0's and 1.1's.
#[derive(Clone)]
pub(crate) struct Md5Sha1(Md5, Sha1);

impl Digest for Md5Sha1 {
    const BLOCK: usize = Md5::BLOCK;
    const SIZE: usize = Md5::SIZE + Sha1::SIZE;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        Self(Md5::new(params), Sha1::new(params))
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.update(source);
        self.1.update(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        let (md5, sha1) = target.split_at_mut(Md5::SIZE);
        self.0.finish(md5);
        self.1.finish(sha1);
    }

    // MD5's words, SHA-1's words, and once what they share: length, buffer.
    const STATE: usize = 16 + 20 + 8 + Self::BLOCK;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        let Self(md5, sha1) = self;
        let mut writer = Writer::over(state);
        writer
            .words(&md5.words)
            .words(&sha1.words)
            .integer(md5.length)
            .buffer(md5.waiting(), Self::BLOCK)
            .end();
    }

    #[inline]
    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let (md5, sha1, length) = (fields.words()?, fields.words()?, fields.length()?);
        let buffer = *fields.buffer(length as usize % Self::BLOCK)?;
        Some(Self(
            Md5 { words: md5, length, buffer, ..Md5::new(params) },
            Sha1 { words: sha1, length, buffer, ..Sha1::new(params) },
        ))
    }

    #[inline]
    fn wipe(&mut self) {
        self.0.wipe();
        self.1.wipe();
    }
}

#[cfg(test)]
mod tests;
