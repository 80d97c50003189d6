//! RustCrypto's crates. AES is bit-sliced where the CPU has no instructions for it: no table is
//! indexed by a secret. In WebAssembly with vectors AES for encryption is
//! [`bitsliced`](super::bitsliced).

use std::hint::black_box;
use std::mem::MaybeUninit;

use chacha20::{
    ChaCha20LegacyCore,
    cipher::{Array, KeyIvInit, StreamCipherCore},
};
use ripemd::block_api::Ripemd160Core;
use ripemd::digest::block_api::UpdateCore;
use ripemd::digest::common::hazmat::SerializableState;

use super::rust_aes::Decryption;
use super::{Aes, AesInverse, Primitives, count};
use crate::Error;
use crate::cipher::text::{Span, xor_with};
use crate::cpu::kernels::aes::Encryption as AesKey;
use crate::wipe::Secret;

/// The library.
pub(crate) struct RustCrypto;

/// Bytes of keystream computed at once.
const AHEAD: usize = 1024;

impl Primitives for RustCrypto {
    const NAME: &'static str = super::rust_aes::LIBRARY;
    type Aes = AesKey;
    type AesInverse = Decryption;

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
    unsafe fn chacha20(key: &[u8; 32], nonce: &[u8; 12], block: u32, text: Span) {
        let Span { source, target, size } = text;
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

impl Aes for AesKey {
    const LIBRARY: &'static str = AesKey::LIBRARY;

    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error> {
        place.write(AesKey::new(key)?);
        Ok(())
    }

    fn encrypt(&self, block: &mut [u8; 16]) {
        self.encrypt_all(std::slice::from_mut(block));
    }

    fn encrypt_all(&self, blocks: &mut [[u8; 16]]) {
        self.encrypt_blocks(blocks);
    }

    // SAFETY: as in the trait.
    unsafe fn counter_mode(&self, iv: &[u8; 16], text: Span) {
        let Span { source, target, size } = text;
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
    const LIBRARY: &'static str = Decryption::LIBRARY;

    fn prepare(place: &mut MaybeUninit<Self>, key: &[u8]) -> Result<(), Error> {
        place.write(Decryption::new(key)?);
        Ok(())
    }

    fn decrypt(&self, block: &mut [u8; 16]) {
        self.decrypt_blocks(std::slice::from_mut(block));
    }
}
