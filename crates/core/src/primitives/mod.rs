//! The primitives that have no kernel of Millrace's own everywhere: the library's, behind one
//! trait. Shipped binaries have AWS-LC; a build without the feature `aws-lc` has RustCrypto's
//! crates, which need no C compiler and run on every target of Rust. Tests compare the two.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(all(feature = "aws-lc", unix))]
pub mod aws_lc_memory;
#[cfg(any(test, all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) mod bitsliced;
#[cfg(any(feature = "rust-crypto", test))]
#[allow(dead_code)] // in WebAssembly with vectors
pub(crate) mod rust_aes;
#[cfg(any(feature = "rust-crypto", test))]
mod rust_crypto;

#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;

#[cfg(feature = "aws-lc")]
pub(crate) use self::aws_lc::{AesBlocks, AwsLc as Library, failed};
#[cfg(not(feature = "aws-lc"))]
pub(crate) use self::rust_crypto::RustCrypto as Library;
use crate::Error;
use crate::cipher::text::Span;

/// Returns true if both are equal, in a time that depends only on their lengths.
pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && Library::equal(one, other)
}

/// The name of Millrace's own code among the libraries.
pub(crate) const MILLRACE: &str = "millrace";

#[cfg(test)]
std::thread_local! {
    /// The bytes that the library has processed in this thread.
    pub(crate) static PROCESSED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that the library processes, in tests: they compare them with the report.
#[inline(always)]
pub(crate) fn count(size: usize) {
    #[cfg(test)]
    PROCESSED.set(PROCESSED.get() + size);
    let _ = size;
}

/// A library.
pub(crate) trait Primitives {
    /// The name that `engines()` shows.
    const NAME: &'static str;
    /// Returns the version.
    fn version() -> &'static str;

    /// AES under a key for encryption. Wiping its bytes wipes the key.
    type Aes: Aes;
    /// AES under a key for decryption.
    type AesInverse: AesInverse;

    /// Applies MD5's compression function. There is at least one block here and below.
    fn md5(words: &mut [u32; 4], blocks: &[[u8; 64]]);
    /// Applies SHA-1's.
    fn sha1(words: &mut [u32; 5], blocks: &[[u8; 64]]);
    /// Applies RIPEMD-160's.
    fn ripemd160(words: &mut [u32; 5], blocks: &[[u8; 64]]);
    /// Applies SHA-256's.
    fn sha256(words: &mut [u32; 8], blocks: &[[u8; 64]]);
    /// Applies SHA-512's.
    fn sha512(words: &mut [u64; 8], blocks: &[[u8; 128]]);

    /// Applies ChaCha20 (RFC 8439, section 2.4) from a block on. The block number does not overflow
    /// within the text.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    unsafe fn chacha20(key: &[u8; 32], nonce: &[u8; 12], block: u32, text: Span);

    /// Returns true if both, of equal length, are equal, in a time that depends on the length only.
    fn equal(one: &[u8], other: &[u8]) -> bool;
}

/// AES for single blocks and in counter mode.
pub(crate) trait Aes: Sized {
    /// The library.
    const LIBRARY: &'static str;

    /// Prepares a key of 16, 24 or 32 bytes at its place.
    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error>;

    /// Encrypts a block.
    fn encrypt(&self, block: &mut [u8; 16]);

    /// Encrypts a few blocks, each by itself.
    #[inline]
    fn encrypt_all(&self, blocks: &mut [[u8; 16]]) {
        blocks.iter_mut().for_each(|block| self.encrypt(block));
    }

    /// Encrypts or decrypts; the counter has 128 bits, big-endian.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    unsafe fn counter_mode(&self, iv: &[u8; 16], text: Span);
}

/// The inverse of AES.
pub(crate) trait AesInverse: Sized {
    /// The library.
    const LIBRARY: &'static str;

    /// Prepares a key of 16, 24 or 32 bytes at its place.
    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error>;

    /// Decrypts a block.
    fn decrypt(&self, block: &mut [u8; 16]);
}
