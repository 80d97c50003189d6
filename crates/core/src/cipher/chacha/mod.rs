//! Raw ChaCha20 with the 16-byte iv of OpenSSL: with AVX-512 where the CPU has it, with vectors of
//! WebAssembly, otherwise by AWS-LC. With AVX2 it is faster beside Poly1305 only: [`avx2`].
//!
//! On Zen 5 ours does 8.0 GB/s where AWS-LC (AVX2) does 3.7 and OpenSSL with AVX-512 6.4; 1 KiB
//! takes 120 ns where AWS-LC takes 285. Not used, because slower: AVX2 in rows of two blocks,
//! four sets side by side (2.7 GB/s; three sets 2.5, two 1.8): AWS-LC's has columns in hand-made
//! assembly. Up to 64 bytes AWS-LC's scalar code has less latency than vectors have (73 ns, 95).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

use super::text::pointers;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::text::xor_with;
use crate::Error;
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::Avx512;
use crate::inputs::Text;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::primitives::{Library, Primitives};
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::wipe::Secret;
use crate::wipe::{Plain, WipedBox, copy_plain, wipe_plain};

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;

/// The state before the rounds as 16 words, of which words 12 and 13 are the number of the first
/// block (64 bits).
pub(crate) type State = [u32; 16];

/// Returns the state of a key and an iv (block number and nonce).
#[inline]
pub(crate) fn state(key: &[u8; 32], iv: &[u8; 16]) -> State {
    const SIGMA: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    std::array::from_fn(|index| match index {
        0..4 => SIGMA[index],
        4..12 => word(key, 4 * (index - 4)),
        _ => word(iv, 4 * (index - 12)),
    })
}

/// The library that computes it where there is no AVX-512.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) const LIBRARY: &str = Library::NAME;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) const LIBRARY: &str = crate::primitives::MILLRACE;

/// Encrypts or decrypts by the library.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn apply_by_library(
    state: &State,
    source: *const u8,
    target: *mut u8,
    size: usize,
) {
    let mut bytes = Secret::<64>::zeros();
    for (bytes, word) in bytes.0.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    let (key, iv) = bytes.0[16..].split_first_chunk().expect("48 bytes");
    // SAFETY: as for this function.
    unsafe { by_library(key, iv.first_chunk().expect("16 bytes"), source, target, size) };
}

/// Adds to the number of the first block.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
pub(crate) fn advance(state: &mut State, blocks: u64) {
    let number = (u64::from(state[12]) | u64::from(state[13]) << 32).wrapping_add(blocks);
    state[12] = number as u32;
    state[13] = (number >> 32) as u32;
}

/// Returns the iv some blocks further. The number of the block carries into the nonce's first word,
/// as in one call.
#[inline]
pub(crate) fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16] {
    let mut advanced = *iv;
    let (number, _) = advanced.as_chunks_mut::<8>().0.split_at_mut(1);
    number[0] = u64::from_le_bytes(number[0]).wrapping_add(blocks).to_le_bytes();
    advanced
}

/// Writes XChaCha20's key for the rest of the nonce (HChaCha20, draft-irtf-cfrg-xchacha-03, section
/// 2.2).
pub(crate) fn derive(key: &[u8; 32], nonce: &[u8; 16], target: &mut [u8; 32]) {
    let mut words = state(key, nonce);
    rounds(&mut words);
    for (bytes, word) in target.chunks_exact_mut(4).zip(words[..4].iter().chain(&words[12..])) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    wipe_plain(&mut words);
}

/// Applies the twenty rounds to one block.
#[cfg_attr(target_family = "wasm", inline(never))]
fn rounds(words: &mut State) {
    let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
        for [first, second] in [[16, 12], [8, 7]] {
            words[a] = words[a].wrapping_add(words[b]);
            words[d] = (words[d] ^ words[a]).rotate_left(first);
            words[c] = words[c].wrapping_add(words[d]);
            words[b] = (words[b] ^ words[c]).rotate_left(second);
        }
    };
    for _ in 0..10 {
        for column in 0..4 {
            quarter(column, 4 + column, 8 + column, 12 + column);
        }
        for column in 0..4 {
            quarter(column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4);
        }
    }
}

/// Encrypts or decrypts at most a block.
///
/// # Safety
/// Source and target have `size` bytes, at most a block, and are equal or disjoint.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
unsafe fn one_block(state: &State, source: *const u8, target: *mut u8, size: usize) {
    let mut words = *state;
    rounds(&mut words);
    let mut stream = Secret::<BLOCK>::zeros();
    for ((bytes, word), first) in stream.0.as_chunks_mut().0.iter_mut().zip(&words).zip(state) {
        *bytes = word.wrapping_add(*first).to_le_bytes();
    }
    wipe_plain(&mut words);
    // SAFETY: source and target have `size` bytes, at most a block, and are equal or disjoint.
    unsafe { xor_with(source, target, &stream.0[..size]) };
}

/// The key.
pub(crate) struct ChaCha20Key([u8; 32]);

// SAFETY: an array of integers.
unsafe impl Plain for ChaCha20Key {}

impl ChaCha20Key {
    /// Returns room for a key, to be prepared before use.
    #[inline]
    pub(crate) fn vacant() -> Self {
        Self([0; 32])
    }

    /// Takes the key.
    #[inline]
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() != self.0.len() {
            return Err(Error::KeySize);
        }
        self.0.copy_from_slice(key);
        Ok(())
    }

    /// Returns the state of the block with this iv.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn state(&self, iv: &[u8; 16]) -> State {
        state(&self.0, iv)
    }

    /// Returns a copy of this key, on the heap.
    pub(crate) fn copied(&self) -> Result<WipedBox<Self>, Error> {
        let mut copy = WipedBox::new(Self::vacant())?;
        copy_plain(self, &mut copy);
        Ok(copy)
    }

    /// Encrypts or decrypts under `iv`: the number of the first block (32 bits, little-endian),
    /// then the nonce (12 bytes). When the block number overflows, OpenSSL adds one to the
    /// first word of the nonce, as if the number had 64 bits; so do all ways here.
    #[inline]
    pub(crate) fn apply(&self, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        let iv: &[u8; 16] = iv.try_into().map_err(|_| Error::IvSize)?;
        let (source, target, size) = pointers(text);
        // SAFETY: source and target have `size` bytes and are equal or disjoint, and each way has
        // the proof of its instructions.
        unsafe {
            // AWS-LC's scalar code has less latency than vectors have.
            #[cfg(target_arch = "x86_64")]
            if size > BLOCK
                && let Some(proof) = Avx512::detect()
            {
                let mut state = state(&self.0, iv);
                avx512::apply(&mut state, source, target, size, proof);
                wipe_plain(&mut state);
                return Ok(());
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            {
                let mut state = state(&self.0, iv);
                if size > BLOCK {
                    simd128::apply(&mut state, source, target, size);
                } else {
                    one_block(&state, source, target, size);
                }
                wipe_plain(&mut state);
            }
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            by_library(&self.0, iv, source, target, size);
        }
        Ok(())
    }
}

/// Calls the library's ChaCha20 up to each overflow of its block number, where it would start again
/// at zero with the same nonce and repeat its keystream.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
unsafe fn by_library(
    key: &[u8; 32],
    iv: &[u8; 16],
    source: *const u8,
    target: *mut u8,
    size: usize,
) {
    let mut block = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
    let mut nonce = [0; 12];
    nonce.copy_from_slice(&iv[4..]);
    let mut at = 0;
    while at < size {
        let room = ((1 << 32) - u64::from(block)) * BLOCK as u64;
        let piece = usize::try_from(room).unwrap_or(usize::MAX).min(size - at);
        // SAFETY: `piece` bytes are left.
        unsafe {
            Library::chacha20(key, &nonce, block, source.add(at), target.add(at), piece);
        }
        at += piece;
        block = 0;
        let word = u32::from_le_bytes([nonce[0], nonce[1], nonce[2], nonce[3]]);
        nonce[..4].copy_from_slice(&word.wrapping_add(1).to_le_bytes());
    }
}

impl Drop for ChaCha20Key {
    #[inline]
    fn drop(&mut self) {
        wipe_plain(self);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
