//! HMAC iterations on words, the form that the SIMD kernels compute.

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

// SAFETY: made of integers.
unsafe impl<const WORDS: usize> Plain for HmacIteration<u32, WORDS> {}
// SAFETY: as above.
unsafe impl<const WORDS: usize> Plain for HmacIteration<u64, WORDS> {}

/// Defines the scalar functions for words of one type.
macro_rules! scalar_functions {
    ($word:ty, $iterate:ident, $read:ident, $write:ident) => {
        /// Computes `count` HMACs with a compression function for blocks of `BLOCK` bytes. `size`
        /// is the digest's, in bytes.
        pub(crate) fn $iterate<const WORDS: usize, const BLOCK: usize>(
            iteration: &mut HmacIteration<$word, WORDS>,
            size: usize,
            count: u32,
            compress: impl Fn(&mut [$word; WORDS], &[u8; BLOCK]),
        ) {
            const BYTES: usize = size_of::<$word>();
            let mut block = Secret::<BLOCK>::zeros();
            let block = &mut block.0;
            block[size] = 0x80;
            block[BLOCK - 4..].copy_from_slice(&(8 * (BLOCK + size) as u32).to_be_bytes());
            let put = |block: &mut [u8; BLOCK], words: &[$word; WORDS]| {
                for (bytes, word) in block[..size].chunks_exact_mut(BYTES).zip(words) {
                    bytes.copy_from_slice(&word.to_be_bytes());
                }
            };
            for _ in 0..count {
                put(block, &iteration.last);
                iteration.last = iteration.inner;
                compress(&mut iteration.last, block);
                put(block, &iteration.last);
                iteration.last = iteration.outer;
                compress(&mut iteration.last, block);
                iteration.sum.iter_mut().zip(iteration.last).for_each(|(sum, last)| *sum ^= last);
            }
        }

        /// Returns the words of a digest, followed by zeros.
        pub(crate) fn $read<const WORDS: usize>(digest: &[u8]) -> [$word; WORDS] {
            let mut words = [0; WORDS];
            for (word, bytes) in words.iter_mut().zip(digest.as_chunks().0) {
                *word = <$word>::from_be_bytes(*bytes);
            }
            words
        }

        /// Writes the first words to a digest.
        pub(crate) fn $write<const WORDS: usize>(digest: &mut [u8], words: &[$word; WORDS]) {
            for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.to_be_bytes();
            }
        }
    };
}

scalar_functions!(u32, iterate_32, read_32, write_32);
scalar_functions!(u64, iterate_64, read_64, write_64);

/// Defines the PBKDF2 methods of [`Digest`](crate::hash::digest::Digest) for a hash with a state
/// of words, if `$here`: `$states` returns the words of a state, `$simd` iterates as many blocks as there are kernels for and returns that number, `$scalar`
/// iterates one.
macro_rules! iterate_in_words {
    ([$word:ty; $words:tt], $max:literal, $read:ident, $write:ident, $here:expr, $states:expr,
        $simd:expr, $scalar:expr) => {
        const ITERATED: bool = $here;

        fn iterate(outputs: &mut [$crate::hash::digest::OutputBlock<Self>], count: u32) {
            use $crate::hmac::iteration::{self, HmacIteration};
            if !Self::ITERATED {
                return $crate::hash::digest::one_by_one(outputs, count);
            }
            let states: fn(&Self) -> [$word; $words] = $states;
            for outputs in outputs.chunks_mut($max) {
                let mut iterations = $crate::wipe::Wiped(
                    [HmacIteration {
                        inner: [0; $words],
                        outer: [0; $words],
                        last: [0; $words],
                        sum: [0; $words],
                    }; $max],
                );
                let iterations = &mut iterations.0[..outputs.len()];
                for (iteration, output) in iterations.iter_mut().zip(&*outputs) {
                    let (last, sum) = (&output.last.0[..Self::SIZE], &output.sum.0[..Self::SIZE]);
                    *iteration = HmacIteration {
                        inner: states(&output.inner),
                        outer: states(&output.outer),
                        last: iteration::$read(last),
                        sum: iteration::$read(sum),
                    };
                }
                let done = $simd(&mut *iterations, Self::SIZE, count);
                iterations[done..]
                    .iter_mut()
                    .for_each(|iteration| $scalar(iteration, Self::SIZE, count));
                for (iteration, output) in iterations.iter().zip(outputs) {
                    iteration::$write(&mut output.last.0[..Self::SIZE], &iteration.last);
                    iteration::$write(&mut output.sum.0[..Self::SIZE], &iteration.sum);
                }
            }
        }
    };
}

pub(crate) use iterate_in_words;
