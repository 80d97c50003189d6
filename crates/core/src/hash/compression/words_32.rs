//! The compression functions over words of 32 bits, and the end of a message.

use crate::primitives::{Library, Primitives};
use crate::wipe::Secret;

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

/// A compression function over `N` words.
pub(crate) trait Compression<const N: usize>: Clone + Send + Sync + 'static {
    /// True if digests and lengths have their most significant byte first.
    const BIG_ENDIAN: bool;

    /// Returns the words before the first byte of a message with a digest of `size` bytes.
    fn first_words(size: usize) -> [u32; N];

    /// Absorbs blocks.
    fn compress(words: &mut [u32; N], blocks: &[[u8; BLOCK]]);
}

/// SHA-1's words; the first four are also MD5's, and all are RIPEMD-160's.
const FIRST_WORDS: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

/// FIPS 180-4, section 5.3.2.
const FIRST_WORDS_224: [u32; 8] = [
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
];

/// FIPS 180-4, section 5.3.3; BLAKE2s begins with them too.
pub(crate) const FIRST_WORDS_256: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// MD5 (RFC 1321).
#[derive(Clone)]
pub(crate) struct Md5Function;

impl Compression<4> for Md5Function {
    const BIG_ENDIAN: bool = false;

    #[inline]
    fn first_words(_size: usize) -> [u32; 4] {
        [FIRST_WORDS[0], FIRST_WORDS[1], FIRST_WORDS[2], FIRST_WORDS[3]]
    }

    #[inline]
    fn compress(words: &mut [u32; 4], blocks: &[[u8; BLOCK]]) {
        Library::md5(words, blocks);
    }
}

/// SHA-1 (FIPS 180-4, section 6.1).
#[derive(Clone)]
pub(crate) struct Sha1Function;

impl Compression<5> for Sha1Function {
    const BIG_ENDIAN: bool = true;

    #[inline]
    fn first_words(_size: usize) -> [u32; 5] {
        FIRST_WORDS
    }

    #[inline]
    fn compress(words: &mut [u32; 5], blocks: &[[u8; BLOCK]]) {
        Library::sha1(words, blocks);
    }
}

/// RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996).
#[derive(Clone)]
pub(crate) struct Ripemd160Function;

impl Compression<5> for Ripemd160Function {
    const BIG_ENDIAN: bool = false;

    #[inline]
    fn first_words(_size: usize) -> [u32; 5] {
        FIRST_WORDS
    }

    #[inline]
    fn compress(words: &mut [u32; 5], blocks: &[[u8; BLOCK]]) {
        Library::ripemd160(words, blocks);
    }
}

/// SHA-256, and SHA-224, which begins with other words and shows fewer (FIPS 180-4, section 6.2).
#[derive(Clone)]
pub(crate) struct Sha256Function;

impl Compression<8> for Sha256Function {
    const BIG_ENDIAN: bool = true;

    #[inline]
    fn first_words(size: usize) -> [u32; 8] {
        if size == 28 { FIRST_WORDS_224 } else { FIRST_WORDS_256 }
    }

    #[inline]
    fn compress(words: &mut [u32; 8], blocks: &[[u8; BLOCK]]) {
        Library::sha256(words, blocks);
    }
}

/// Absorbs blocks.
#[inline]
pub(crate) fn compress<F: Compression<N>, const N: usize>(
    words: &mut [u32; N],
    blocks: &[[u8; BLOCK]],
) {
    if !blocks.is_empty() {
        F::compress(words, blocks);
    }
}

/// Absorbs the rest of a message of `length` bytes from a border of blocks on, and pads it.
#[inline]
pub(crate) fn end<F: Compression<N>, const N: usize>(
    words: &mut [u32; N],
    length: u64,
    source: &[u8],
    target: &mut [u8],
) {
    debug_assert!(target.len() <= 4 * N && target.len().is_multiple_of(4));
    // The rest for the padded blocks: the last bytes, and the block before them where both fit
    // in two, since one call for two blocks is faster than two calls.
    let rest = source.len() % BLOCK;
    let kept = if rest < 56 && source.len() >= BLOCK { BLOCK + rest } else { rest };
    let (blocks, kept) = source.split_at(source.len() - kept);
    compress::<F, N>(words, blocks.as_chunks().0);

    let mut last = Secret::<{ 2 * BLOCK }>::zeros();
    let bytes = &mut last.0;
    bytes[..kept.len()].copy_from_slice(kept);
    bytes[kept.len()] = 0x80;
    let count = if kept.len() < 56 { 1 } else { 2 };
    let bits = length * 8;
    let bits = if F::BIG_ENDIAN { bits.to_be_bytes() } else { bits.to_le_bytes() };
    bytes[count * BLOCK - 8..count * BLOCK].copy_from_slice(&bits);
    compress::<F, N>(words, &bytes.as_chunks().0[..count]);
    for (bytes, word) in target.chunks_exact_mut(4).zip(words) {
        let word = if F::BIG_ENDIAN { word.to_be_bytes() } else { word.to_le_bytes() };
        bytes.copy_from_slice(&word);
    }
}
