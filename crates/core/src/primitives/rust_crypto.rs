//! RustCrypto's crates. AES is bit-sliced where the CPU has no instructions for it: no table is
//! indexed by a secret. In WebAssembly with vectors AES for encryption is
//! [`bitsliced`](super::bitsliced).

use std::hint::black_box;
use std::mem::MaybeUninit;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use aes::cipher::BlockCipherEncrypt;
use aes::cipher::{Array, BlockCipherDecrypt, KeyInit};
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use chacha20::{
    ChaCha20LegacyCore,
    cipher::{KeyIvInit, StreamCipherCore},
};
use ripemd::block_api::Ripemd160Core;
use ripemd::digest::block_api::UpdateCore;
use ripemd::digest::common::hazmat::SerializableState;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::bitsliced;
use super::{Aes, AesBlocks, AesInverse, Primitives, count};
use crate::Error;
use crate::cipher::text::xor_with;
use crate::wipe::{Plain, Secret, wipe_plain};

/// The library.
pub(crate) struct RustCrypto;

/// Bytes of keystream computed at once.
const AHEAD: usize = 1024;

impl Primitives for RustCrypto {
    const NAME: &'static str = "RustCrypto";
    type Aes = Encryption;
    type AesInverse = Decryption;
    type AesBlocks = Blocks;

    fn version() -> &'static str {
        "aes 0.9, chacha20 0.10, md-5 0.11, polyval 0.7, ripemd 0.2, sha1 0.11, sha2 0.11"
    }

    #[inline]
    fn md5(words: &mut [u32; 4], blocks: &[[u8; 64]]) {
        count(size_of_val(blocks));
        md5::block_api::compress(words, blocks);
    }

    #[inline]
    fn sha1(words: &mut [u32; 5], blocks: &[[u8; 64]]) {
        count(size_of_val(blocks));
        sha1::block_api::compress(words, blocks);
    }

    /// Compresses through a state, saved as words and the number of blocks: the crate does not
    /// export the compression function.
    fn ripemd160(words: &mut [u32; 5], blocks: &[[u8; 64]]) {
        count(size_of_val(blocks));
        let mut saved = Array::default();
        for (bytes, word) in saved.as_chunks_mut().0.iter_mut().zip(&*words) {
            *bytes = word.to_le_bytes();
        }
        let mut state = Ripemd160Core::deserialize(&saved).expect("every state is one");
        state.update_blocks(Array::cast_slice_from_core(blocks));
        for (word, bytes) in words.iter_mut().zip(state.serialize().as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
    }

    #[inline]
    fn sha256(words: &mut [u32; 8], blocks: &[[u8; 64]]) {
        count(size_of_val(blocks));
        sha2::block_api::compress256(words, blocks);
    }

    #[inline]
    fn sha512(words: &mut [u64; 8], blocks: &[[u8; 128]]) {
        count(size_of_val(blocks));
        sha2::block_api::compress512(words, blocks);
    }

    // SAFETY: as in the trait.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    unsafe fn chacha20(
        key: &[u8; 32],
        nonce: &[u8; 12],
        block: u32,
        source: *const u8,
        target: *mut u8,
        size: usize,
    ) {
        count(size);
        // The original form, with a block number of 64 bits: the other ends at the last block.
        let [a, b, c, d, rest @ ..] = *nonce;
        let mut cipher = ChaCha20LegacyCore::new(&(*key).into(), &rest.into());
        let high = u64::from(u32::from_le_bytes([a, b, c, d])) << 32;
        cipher.set_block_pos(high | u64::from(block));
        let mut stream = Secret::<AHEAD>::zeros();
        for at in (0..size).step_by(AHEAD) {
            let piece = (size - at).min(AHEAD);
            let blocks = &mut stream.0.as_chunks_mut().0[..piece.div_ceil(64)];
            cipher.write_keystream_blocks(Array::cast_slice_from_core_mut(blocks));
            // SAFETY: `piece` of the `size` bytes are left at `at`.
            unsafe { xor_with(source.add(at), target.add(at), &stream.0[..piece]) };
        }
    }

    fn equal(one: &[u8], other: &[u8]) -> bool {
        debug_assert!(one.len() == other.len());
        // The compiler does not know of the sum that it only grows, so it cannot end early.
        let sum = one.iter().zip(other).fold(0, |sum, (one, other)| black_box(sum | (one ^ other)));
        sum == 0
    }
}

/// Defines AES in one direction, under a key of each size.
macro_rules! direction {
    ($(#[$doc:meta])* $name:ident, $trait:ident, $small:ty, $middle:ty, $large:ty) => {
        $(#[$doc])*
        #[allow(clippy::large_enum_variant)] // at its caller's place
        pub(crate) enum $name {
            /// 16 bytes.
            Small($small),
            /// 24 bytes.
            Middle($middle),
            /// 32 bytes.
            Large($large),
        }

        impl $name {
            pub(super) fn new(key: &[u8]) -> Result<Self, Error> {
                match key.len() {
                    16 => <$small>::new_from_slice(key).map($name::Small),
                    24 => <$middle>::new_from_slice(key).map($name::Middle),
                    _ => <$large>::new_from_slice(key).map($name::Large),
                }
                .map_err(|_| Error::KeySize)
            }
        }
    };
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
direction!(
    /// A key for encryption.
    Encryption, BlockCipherEncrypt, aes::Aes128Enc, aes::Aes192Enc, aes::Aes256Enc
);
direction!(
    /// A key for decryption.
    Decryption, BlockCipherDecrypt, aes::Aes128Dec, aes::Aes192Dec, aes::Aes256Dec
);

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Encryption {
    pub(super) fn encrypt_all(&self, blocks: &mut [[u8; 16]]) {
        count(size_of_val(blocks));
        let blocks = Array::cast_slice_from_core_mut(blocks);
        match self {
            Encryption::Small(key) => key.encrypt_blocks(blocks),
            Encryption::Middle(key) => key.encrypt_blocks(blocks),
            Encryption::Large(key) => key.encrypt_blocks(blocks),
        }
    }
}

/// A key for encryption.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) struct Encryption(bitsliced::Key<bitsliced::simd128::V128>);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Encryption {
    fn new(key: &[u8]) -> Result<Self, Error> {
        bitsliced::Key::new(key).map(Self)
    }

    fn encrypt_all(&self, blocks: &mut [[u8; 16]]) {
        self.0.encrypt(blocks);
    }
}

impl Aes for Encryption {
    // RustCrypto's keys are not compiled where the bit-sliced one is.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    const LIBRARY: &'static str = RustCrypto::NAME;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    const LIBRARY: &'static str = super::MILLRACE;

    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error> {
        place.write(Encryption::new(key)?);
        Ok(())
    }

    fn encrypt(&self, block: &mut [u8; 16]) {
        self.encrypt_all(std::slice::from_mut(block));
    }

    fn encrypt_all(&self, blocks: &mut [[u8; 16]]) {
        Encryption::encrypt_all(self, blocks);
    }

    // SAFETY: as in the trait.
    unsafe fn counter_mode(&self, iv: &[u8; 16], source: *const u8, target: *mut u8, size: usize) {
        let mut counter = u128::from_be_bytes(*iv);
        let mut stream = Secret::<AHEAD>::zeros();
        for at in (0..size).step_by(AHEAD) {
            let stream = &mut stream.0[..(size - at).min(AHEAD).next_multiple_of(16)];
            let blocks = stream.as_chunks_mut().0;
            for block in &mut *blocks {
                *block = counter.to_be_bytes();
                counter = counter.wrapping_add(1);
            }
            self.encrypt_all(blocks);
            let stream = &stream[..(size - at).min(AHEAD)];
            // SAFETY: as many of the `size` bytes are left at `at`.
            unsafe { xor_with(source.add(at), target.add(at), stream) };
        }
    }
}

impl AesInverse for Decryption {
    const LIBRARY: &'static str = RustCrypto::NAME;

    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error> {
        place.write(Decryption::new(key)?);
        Ok(())
    }

    fn decrypt(&self, block: &mut [u8; 16]) {
        count(block.len());
        let block = Array::cast_from_core_mut(block);
        match self {
            Decryption::Small(key) => key.decrypt_block(block),
            Decryption::Middle(key) => key.decrypt_block(block),
            Decryption::Large(key) => key.decrypt_block(block),
        }
    }
}

/// A key for many blocks.
pub(crate) struct Blocks(Encryption);

impl AesBlocks for Blocks {
    fn new(key: &[u8]) -> Result<Self, Error> {
        Encryption::new(key).map(Blocks)
    }

    fn encrypt(&mut self, blocks: &mut [[u8; 16]]) -> Result<(), Error> {
        self.0.encrypt_all(blocks);
        Ok(())
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}

// SAFETY: round keys, or an enum of them, of which all zero is the first variant with a key of
// zeros.
unsafe impl Plain for Encryption {}
// SAFETY: as above.
unsafe impl Plain for Decryption {}
// SAFETY: as above.
unsafe impl Plain for Blocks {}
