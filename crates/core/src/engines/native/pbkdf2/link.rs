//! A chain of HMACs in words: what the kernels move on.

use super::super::wipe::Plain;

/// A block of PBKDF2's output under way, for a hash whose digest is a number of words.
#[derive(Copy, Clone)]
pub(in super::super) struct Link<W, const WORDS: usize> {
    /// The states after the key's blocks.
    pub(in super::super) inner: [W; WORDS],
    pub(in super::super) outer: [W; WORDS],
    /// The last HMAC.
    pub(in super::super) last: [W; WORDS],
    /// The XOR of all.
    pub(in super::super) sum: [W; WORDS],
}

// SAFETY: made of integers.
unsafe impl<const WORDS: usize> Plain for Link<u32, WORDS> {}
// SAFETY: as above.
unsafe impl<const WORDS: usize> Plain for Link<u64, WORDS> {}

/// Makes the functions of links with these words.
macro_rules! links {
    ($word:ty, $alone:ident, $read:ident, $write:ident) => {
        /// Moves one link on with a compression function for blocks of `BLOCK` bytes; `size` is the
        /// digest's.
        pub(in super::super) fn $alone<const WORDS: usize, const BLOCK: usize>(
            link: &mut Link<$word, WORDS>,
            size: usize,
            count: u32,
            compress: impl Fn(&mut [$word; WORDS], &[u8; BLOCK]),
        ) {
            const BYTES: usize = size_of::<$word>();
            let mut block = super::Secret::<BLOCK>::zeros();
            let block = &mut block.0;
            block[size] = 0x80;
            block[BLOCK - 4..].copy_from_slice(&(8 * (BLOCK + size) as u32).to_be_bytes());
            let put = |block: &mut [u8; BLOCK], words: &[$word; WORDS]| {
                for (bytes, word) in block[..size].chunks_exact_mut(BYTES).zip(words) {
                    bytes.copy_from_slice(&word.to_be_bytes());
                }
            };
            for _ in 0..count {
                put(block, &link.last);
                link.last = link.inner;
                compress(&mut link.last, block);
                put(block, &link.last);
                link.last = link.outer;
                compress(&mut link.last, block);
                link.sum.iter_mut().zip(link.last).for_each(|(sum, last)| *sum ^= last);
            }
        }

        /// The words of a digest; zeros after them.
        pub(in super::super) fn $read<const WORDS: usize>(digest: &[u8]) -> [$word; WORDS] {
            let mut words = [0; WORDS];
            for (word, bytes) in words.iter_mut().zip(digest.as_chunks().0) {
                *word = <$word>::from_be_bytes(*bytes);
            }
            words
        }

        /// Writes as many words as the digest has.
        pub(in super::super) fn $write<const WORDS: usize>(
            digest: &mut [u8],
            words: &[$word; WORDS],
        ) {
            for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.to_be_bytes();
            }
        }
    };
}

links!(u32, alone_32, read_32, write_32);
links!(u64, alone_64, read_64, write_64);

/// Makes the [`Digest`](super::super::Digest) methods of a hash whose chains go as links. `$states`
/// gives the words of a state, `$kernels` moves as many links on as it has kernels for and tells
/// how many, `$alone` does one.
macro_rules! in_links {
    ([$word:ty; $words:literal], $lanes:literal, $read:ident, $write:ident, $states:expr, $together:expr, $kernels:expr, $alone:expr) => {
        fn chains_together() -> usize {
            $together
        }

        fn iterate(chains: &mut [$crate::engines::native::pbkdf2::Chain<Self>], count: u32) {
            use $crate::engines::native::pbkdf2::link::{self, Link};
            if !Self::SIZE.is_multiple_of(size_of::<$word>()) {
                return $crate::engines::native::pbkdf2::one_by_one(chains, count);
            }
            let states: fn(&Self) -> [$word; $words] = $states;
            for chains in chains.chunks_mut($lanes) {
                let mut links = $crate::engines::native::wipe::Wiped(
                    [Link {
                        inner: [0; $words],
                        outer: [0; $words],
                        last: [0; $words],
                        sum: [0; $words],
                    }; $lanes],
                );
                let links = &mut links.0[..chains.len()];
                for (link, chain) in links.iter_mut().zip(&*chains) {
                    let (last, sum) = (&chain.last.0[..Self::SIZE], &chain.sum.0[..Self::SIZE]);
                    *link = Link {
                        inner: states(&chain.inner),
                        outer: states(&chain.outer),
                        last: link::$read(last),
                        sum: link::$read(sum),
                    };
                }
                let done = $kernels(&mut *links, Self::SIZE, count);
                links[done..].iter_mut().for_each(|link| $alone(link, Self::SIZE, count));
                for (link, chain) in links.iter().zip(chains) {
                    link::$write(&mut chain.last.0[..Self::SIZE], &link.last);
                    link::$write(&mut chain.sum.0[..Self::SIZE], &link.sum);
                }
            }
        }
    };
}

pub(in super::super) use in_links;
