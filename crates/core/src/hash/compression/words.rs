//! The compression functions over words of 32 and of 64 bits, and the end of a message. For SHA-512
//! Millrace's own code where the CPU has the instructions, otherwise the library's.

use super::constants::{FIRST_WORDS, FIRST_WORDS_224, FIRST_WORDS_256, first_words_64};
use super::plain;
use crate::cpu::kernels;
use crate::hash::state_format::Word;
use crate::primitives::{Library, MILLRACE, Primitives};
use crate::wipe::{Plain, Wiped};

/// A compression function over `N` words.
pub(crate) trait Compression<const N: usize, const BLOCK: usize>:
    Clone + Send + Sync + 'static
{
    type Word: Word;

    /// True if digests and lengths have their most significant byte first.
    const BIG_ENDIAN: bool;

    /// Returns the words before the first byte of a message with a digest of `size` bytes.
    fn first_words(size: usize) -> [Self::Word; N];

    /// Absorbs blocks.
    fn compress(words: &mut [Self::Word; N], blocks: &[[u8; BLOCK]]);
}

/// Defines compression functions: words, bytes of a block, whether they are big-endian, the first
/// words for the size of a digest, and what absorbs at least one block.
macro_rules! functions {
    ($($(#[$doc:meta])*
        $name:ident: [$word:ty; $words:literal], $block:literal, $big_endian:literal,
        |$size:ident| $first_words:expr, $compress:path;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name;

        impl Compression<$words, $block> for $name {
            type Word = $word;
            const BIG_ENDIAN: bool = $big_endian;

            #[inline]
            fn first_words($size: usize) -> [$word; $words] {
                $first_words
            }

            #[inline]
            fn compress(words: &mut [$word; $words], blocks: &[[u8; $block]]) {
                $compress(words, blocks);
            }
        }
    )*};
}

functions! {
    /// MD5 (RFC 1321).
    Md5Function: [u32; 4], 64, false,
        |_size| [FIRST_WORDS[0], FIRST_WORDS[1], FIRST_WORDS[2], FIRST_WORDS[3]], Library::md5;
    /// SHA-1 (FIPS 180-4, section 6.1).
    Sha1Function: [u32; 5], 64, true, |_size| FIRST_WORDS, Library::sha1;
    /// RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996).
    Ripemd160Function: [u32; 5], 64, false, |_size| FIRST_WORDS, Library::ripemd160;
    /// SHA-256, and SHA-224, which begins with other words and shows fewer (FIPS 180-4, section
    /// 6.2).
    Sha256Function: [u32; 8], 64, true,
        |size| if size == 28 { FIRST_WORDS_224 } else { FIRST_WORDS_256 }, Library::sha256;
    /// SHA-512 and its kin, which begin with other words and show fewer (FIPS 180-4, section 6.4).
    Sha512Function: [u64; 8], 128, true, |size| first_words_64(size), sha512;
}

/// True where RustCrypto's code for SHA-512 takes 1.2 times as long as scalar code of ours.
const PLAIN: bool = cfg!(all(target_arch = "wasm32", not(target_feature = "simd128")));

/// The library that computes SHA-512 where the CPU lacks the instructions for our kernels.
pub(crate) const SHA512_LIBRARY: &str = if PLAIN { MILLRACE } else { Library::NAME };

#[inline]
fn sha512(words: &mut [u64; 8], blocks: &[[u8; 128]]) {
    if kernels::sha512::compress(words, blocks) {
        return;
    }
    if PLAIN {
        plain::compress(words, blocks);
    } else {
        Library::sha512(words, blocks);
    }
}

/// Absorbs blocks.
#[inline]
pub(crate) fn compress<F: Compression<N, BLOCK>, const N: usize, const BLOCK: usize>(
    words: &mut [F::Word; N],
    blocks: &[[u8; BLOCK]],
) {
    if !blocks.is_empty() {
        F::compress(words, blocks);
    }
}

/// The padded end of a message, aligned to a cache line as [`Secret`](crate::wipe::Secret) is.
#[repr(align(64))]
struct Last<const BLOCK: usize>([[u8; BLOCK]; 2]);

// SAFETY: made of integers.
unsafe impl<const BLOCK: usize> Plain for Last<BLOCK> {}

/// Absorbs the rest of a message of `length` bytes from a border of blocks on, and pads it.
#[inline]
pub(crate) fn end<F: Compression<N, BLOCK>, const N: usize, const BLOCK: usize>(
    words: &mut [F::Word; N],
    length: u64,
    source: &[u8],
    target: &mut [u8],
) {
    debug_assert!(target.len() <= size_of_val(words) && target.len().is_multiple_of(4));
    // The length takes two words.
    let room = BLOCK - 2 * size_of::<F::Word>();
    // The rest for the padded blocks: the last bytes, and the block before them where both fit in
    // two, since one call for two blocks is faster than two calls. SHA-512's kernels compute the
    // schedules of two blocks at once: there only a block that has no other.
    let (whole, rest) = (source.len() / BLOCK, source.len() % BLOCK);
    let kept_block = rest < room && if BLOCK == 128 { whole % 2 == 1 } else { whole > 0 };
    let kept = if kept_block { BLOCK + rest } else { rest };
    let (blocks, kept) = source.split_at(source.len() - kept);
    compress::<F, N, BLOCK>(words, blocks.as_chunks().0);

    let mut last = Wiped(Last([[0; BLOCK]; 2]));
    let bytes = last.0.0.as_flattened_mut();
    bytes[..kept.len()].copy_from_slice(kept);
    bytes[kept.len()] = 0x80;
    let count = if kept.len() < room { 1 } else { 2 };
    // Lengths of 2^61 bytes, for which the second word is, do not occur.
    let bits = length * 8;
    let bits = if F::BIG_ENDIAN { bits.to_be_bytes() } else { bits.to_le_bytes() };
    bytes[count * BLOCK - 8..count * BLOCK].copy_from_slice(&bits);
    compress::<F, N, BLOCK>(words, &last.0.0[..count]);
    // A multiple of four already. Said so that code for a part of a 32-bit word is left out.
    let size = target.len() & !3;
    F::Word::write(words, &mut target[..size], F::BIG_ENDIAN);
}
