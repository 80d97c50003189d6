//! BLAKE2b with up to 64 bytes of digest and BLAKE2s with up to 32 (RFC 7693): one message in
//! scalar code, several in lanes.
//!
//! Digest size, key, salt and personalization are in the first words, as the parameter block of the
//! BLAKE2 specification has them; the key, with zeros to a whole block, is also the first block.
//!
//! The four mixes of half a round fill the scalar units of a large CPU, and the output through
//! them, 24 instructions a round, is what takes the time: 1 KiB on Zen 5 in 660 ns (BLAKE2b) and
//! 1110 (BLAKE2s), 300 and 250 cycles a block of at least 288 and 240, as measured with the mixes
//! one after the other. RustCrypto's `blake2`, the oracle in tests, took 2 % more; it does not give
//! out its state. Vectors have twice the latency there: `blake2b_simd` and `blake2s_simd` take 1150
//! and 2110. On Zen 4 1 KiB takes 914 and 1485, `blake2b_simd` 857 and `blake2s_simd` 1582.

use super::compression::blake::{all_but_last, pad, round, rounds};
use super::compression::constants::{FIRST_WORDS_256, first_words_64};
use super::digest::Digest;
use super::lanes::{BlockHash, Multibuffer};
use super::running::digest_from;
use super::state_format::{Reader, Word, Writer};
use crate::catalog::Parameter;
use crate::checkpoint::DigestSink;
use crate::cpu::kernels::lanes;
use crate::inputs::Params;
use crate::parameters::Parameters;
use crate::wipe::{Plain, Secret, Wiped, wipe_plain};

/// Mixes four of the words `$v` and two of the block, `$m`, several times side by side: on Zen 4 the
/// compiler's code takes a tenth less time in this order than one mix after the other.
macro_rules! mix {
    (($v:ident $m:ident $r0:literal $r1:literal $r2:literal $r3:literal),
     $([$a:literal $b:literal $c:literal $d:literal, $x:literal $y:literal])*) => {
        $($v[$a] = $v[$a].wrapping_add($m($x));)*
        $($v[$a] = $v[$a].wrapping_add($v[$b]);)*
        $($v[$d] = ($v[$d] ^ $v[$a]).rotate_right($r0);)*
        $($v[$c] = $v[$c].wrapping_add($v[$d]);)*
        $($v[$b] = ($v[$b] ^ $v[$c]).rotate_right($r1);)*
        $($v[$a] = $v[$a].wrapping_add($m($y));)*
        $($v[$a] = $v[$a].wrapping_add($v[$b]);)*
        $($v[$d] = ($v[$d] ^ $v[$a]).rotate_right($r2);)*
        $($v[$c] = $v[$c].wrapping_add($v[$d]);)*
        $($v[$b] = ($v[$b] ^ $v[$c]).rotate_right($r3);)*
    };
}

/// Defines a [`Digest`] of one size of words.
macro_rules! blake2_digest {
    ($(#[$doc:meta])* $name:ident, $word:ty, $block:literal, $size:literal, $first:ident,
     $compress:ident, $rounds:ident ($($rotations:literal)*), $blocks:ident, $lanes:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name {
            words: [$word; 8],
            /// Bytes absorbed. The last block waits, even if it is whole, since the hash marks it.
            length: u64,
            buffer: [u8; $block],
        }

        // SAFETY: made of integers and arrays of integers.
        unsafe impl Plain for $name {}

        impl Digest for $name {
            const BLOCK: usize = $block;
            const SIZE: usize = $size;

            #[inline]
            fn new(params: &Params<'_>) -> Self {
                if !params.parameters.is_empty() {
                    return Self::with(params.parameters);
                }
                Self { words: Self::first_words(), length: 0, buffer: [0; $block] }
            }

            #[inline]
            fn update(&mut self, source: &[u8]) {
                let rest = self.take(source);
                self.buffer[..rest.len()].copy_from_slice(rest);
                self.length += rest.len() as u64;
            }

            #[inline]
            fn finish(&mut self, target: &mut [u8]) {
                let waiting = self.waiting();
                Self::end(&mut self.words, &self.buffer[..waiting], self.length, target);
            }

            #[inline]
            fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
                let rest = self.take(source);
                if rest.is_empty() {
                    return self.finish(target);
                }
                self.length += rest.len() as u64;
                Self::end(&mut self.words, rest, self.length, target);
            }

            // Words, length, buffer.
            const STATE: usize = $size + 8 + $block;

            #[inline]
            fn save(&self, state: &mut [u8]) {
                let used = &self.buffer[..self.waiting()];
                let mut writer = Writer::over(state);
                writer.words(&self.words).integer(self.length).buffer(used, $block).end();
            }

            #[inline]
            fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
                let mut fields = Reader::of(state, Self::STATE)?;
                let (words, length) = (fields.words()?, fields.length()?);
                if length < $block && params.parameters.bytes(Parameter::Key).is_some() {
                    return None;
                }
                Some(Self { words, length, buffer: *fields.buffer(waiting::<$block>(length))? })
            }

            #[inline]
            fn wipe(&mut self) {
                wipe_plain(self);
            }

            #[inline]
            fn multibuffer() -> Option<Multibuffer> {
                lanes::$lanes::multibuffer(lanes::Kernels::detect())
            }

            fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
                self.finish_with_kernels(lanes::Kernels::detect(), sources, target, sink);
            }

            #[inline]
            fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
                if !params.parameters.is_empty() {
                    let mut state = Self::with(params.parameters);
                    state.finish_with(source, target);
                    return state.wipe();
                }
                let mut words = Self::first_words();
                let (blocks, rest) = source.split_at(all_but_last::<$block>(source.len()));
                $compress(&mut words, blocks.as_chunks().0, blocks.len() as u64, false);
                Self::end(&mut words, rest, source.len() as u64, target);
                wipe_plain(&mut words);
            }
        }

        impl $name {
            /// Hashes several messages; see [`Digest::finish_batch`].
            pub(crate) fn finish_with_kernels(
                &self,
                kernels: lanes::Kernels,
                sources: &[&[u8]],
                target: &mut [u8],
                mut sink: DigestSink<'_>,
            ) {
                // The lanes count the bytes of a message in a word. Of a block that waits, a key's,
                // they have to know whether more follows.
                let least = usize::from(self.length > 0);
                let most = (<$word>::MAX as usize).saturating_sub(2 * $block);
                if !sources.iter().all(|source| (least..=most).contains(&source.len())) {
                    return sink.in_sequence(0, sources, target, |source, target, slicer| {
                        digest_from(self, source, target, slicer)
                    });
                }
                let mut words = Wiped(self.words);
                if self.length > 0 {
                    $compress(&mut words.0, &[self.buffer], self.length, false);
                }
                let start = (words.0, self.length);
                lanes::$lanes::hash(kernels, start, sources, target, sink);
            }

            /// Returns the state before the first byte with these parameters.
            #[cold]
            fn with(parameters: Parameters<'_>) -> Self {
                const WORD: usize = $size / 8;
                let bytes = |parameter| parameters.bytes(parameter).unwrap_or_default();
                let size = parameters.number(Parameter::OutputLength).unwrap_or($size);
                let key = bytes(Parameter::Key);
                let mut words = $first;
                words[0] ^= 0x0101_0000 | (key.len() as $word) << 8 | size as $word;
                let salted = [(4, bytes(Parameter::Salt)), (6, bytes(Parameter::Personalization))];
                for (at, value) in salted {
                    for (word, bytes) in words[at..].iter_mut().zip(value.as_chunks::<WORD>().0) {
                        *word ^= <$word>::from_le_bytes(*bytes);
                    }
                }
                let mut buffer = [0; $block];
                buffer[..key.len()].copy_from_slice(key);
                Self { words, length: if key.is_empty() { 0 } else { $block }, buffer }
            }

            /// Returns the first words for the parameter block: no key, no tree, the digest's size.
            #[inline]
            fn first_words() -> [$word; 8] {
                let mut words = $first;
                words[0] ^= 0x0101_0000 ^ $size;
                words
            }

            /// Returns the bytes in the buffer.
            #[inline]
            fn waiting(&self) -> usize {
                waiting::<$block>(self.length)
            }

            /// Absorbs all that is surely not in the last block, and returns what is to wait. If
            /// that is something, the buffer is free for it.
            #[inline]
            fn take<'a>(&mut self, source: &'a [u8]) -> &'a [u8] {
                let mut source = source;
                let at = self.waiting();
                if at > 0 {
                    let (first, rest) = source.split_at(source.len().min($block - at));
                    self.buffer[at..at + first.len()].copy_from_slice(first);
                    self.length += first.len() as u64;
                    if rest.is_empty() {
                        return rest;
                    }
                    $compress(&mut self.words, &[self.buffer], self.length, false);
                    source = rest;
                }
                let (blocks, rest) = source.split_at(all_but_last::<$block>(source.len()));
                self.length += blocks.len() as u64;
                $compress(&mut self.words, blocks.as_chunks().0, self.length, false);
                rest
            }

            /// Absorbs the last block, as much of it as there is.
            #[inline]
            fn end(words: &mut [$word; 8], rest: &[u8], length: u64, target: &mut [u8]) {
                let mut last = Secret::<$block>::zeros();
                last.0[..rest.len()].copy_from_slice(rest);
                $compress(words, &[last.0], length, true);
                Word::write(words, target, false);
            }
        }

        /// The blocks of this hash, in lanes. The last word of a state counts the bytes absorbed.
        #[derive(Copy, Clone)]
        pub(crate) struct $blocks;

        impl BlockHash for $blocks {
            type State = [$word; 9];
            type Tail = [u8; $block + 64];
            type Digest = [u8; $size];

            #[inline]
            fn block(&self) -> usize {
                $block
            }

            #[inline]
            fn whole(&self, length: usize) -> usize {
                all_but_last::<$block>(length) / $block
            }

            #[inline]
            fn ends(&self, _rest: usize) -> usize {
                1
            }

            #[inline]
            fn pad(&self, tail: &mut Self::Tail, rest: &[u8], _length: u64) {
                pad::<$block>(tail, rest);
            }

            fn blocks(&self, state: &mut Self::State, blocks: &[u8]) {
                let [words @ .., absorbed] = state;
                *absorbed += blocks.len() as $word;
                $compress(words, blocks.as_chunks().0, (*absorbed).into(), false);
            }

            fn scalar(&self, state: Self::State, length: u64, rest: &[u8], target: &mut [u8]) {
                let [words @ .., _] = &mut Wiped(state).0;
                let (blocks, last) = rest.split_at(all_but_last::<$block>(rest.len()));
                $compress(words, blocks.as_chunks().0, length - last.len() as u64, false);
                $name::end(words, last, length, target);
            }
        }

        /// Absorbs whole blocks. `length` counts the message's bytes up to their end, without
        /// padding.
        fn $compress(words: &mut [$word; 8], blocks: &[[u8; $block]], length: u64, last: bool) {
            let mut length = length - $block * blocks.len().saturating_sub(1) as u64;
            for block in blocks {
                let m = |index: usize| {
                    <$word>::from_le_bytes(block.as_chunks::<{ $size / 8 }>().0[index])
                };
                let mut v = [0; 16];
                v[..8].copy_from_slice(words);
                v[8..].copy_from_slice(&$first);
                v[12] ^= length as $word;
                v[13] ^= (u128::from(length) >> <$word>::BITS) as $word;
                if last {
                    v[14] = !v[14];
                }
                rounds!($rounds, mix (v m $($rotations)*));
                for index in 0..8 {
                    words[index] ^= v[index] ^ v[index + 8];
                }
                length += $block;
            }
        }
    };
}

blake2_digest!(
    /// BLAKE2b with at most 64 bytes of digest.
    Blake2b512, u64, 128, 64, FIRST_64, compress_64, twelve (32 24 16 63), Blake2bBlocks, blake2b
);
blake2_digest!(
    /// BLAKE2s with at most 32 bytes of digest.
    Blake2s256, u32, 64, 32, FIRST_32, compress_32, ten (16 12 8 7), Blake2sBlocks, blake2s
);

impl Blake2b512 {
    /// Returns BLAKE2b with a digest of 1 to 64 bytes: the first bytes that
    /// [`finish`](Digest::finish) writes.
    pub(crate) fn of_size(size: usize) -> Self {
        let mut digest = Self::new(&Params::default());
        // The size is in the parameters that are mixed into the first word.
        digest.words[0] ^= 64 ^ size as u64;
        digest
    }
}

/// Returns the bytes of a message that wait in the buffer: the whole last block, unless there is
/// nothing yet.
#[inline]
fn waiting<const BLOCK: u64>(length: u64) -> usize {
    if length == 0 { 0 } else { ((length - 1) % BLOCK + 1) as usize }
}

/// The first words of SHA-512 and SHA-256.
pub(crate) const FIRST_64: [u64; 8] = first_words_64(64);
pub(crate) const FIRST_32: [u32; 8] = FIRST_WORDS_256;
