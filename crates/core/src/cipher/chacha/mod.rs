//! Raw ChaCha20 with the 16-byte iv of OpenSSL: by a kernel where there is one, otherwise by
//! AWS-LC. With AVX2 ours is faster beside Poly1305 only.
//!
//! On Zen 5 ours does 8.0 GB/s where AWS-LC (AVX2) does 3.7 and OpenSSL with AVX-512 6.4; 1 KiB
//! takes 120 ns where AWS-LC takes 285. Not used, because slower: AVX2 in rows of two blocks,
//! four sets side by side (2.7 GB/s; three sets 2.5, two 1.8): AWS-LC's has columns in hand-made
//! assembly. Up to 64 bytes AWS-LC's scalar code has less latency than vectors have (73 ns, 95).

pub(crate) mod state;

use self::state::rounds;
pub(crate) use self::state::{BLOCK, State, state};
use super::contract::StreamKey;
use super::text::{Span, pointers};
use crate::Error;
use crate::cpu::kernels::chacha as kernel;
use crate::inputs::Text;
use crate::primitives::{Library, Primitives};
use crate::wipe::{Secret, wipe_plain, wiped_on_drop};

pub(crate) use kernel::LIBRARY;

/// Encrypts or decrypts by the library.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[allow(dead_code)] // of a kernel
pub(crate) unsafe fn apply_by_library(state: &State, text: Span) {
    let mut bytes = Secret::<64>::zeros();
    for (bytes, word) in bytes.0.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    let (key, iv) = bytes.0[16..].split_first_chunk().expect("48 bytes");
    // SAFETY: as for this function.
    unsafe { by_library(key, iv.first_chunk().expect("16 bytes"), text) };
}

/// Writes XChaCha20's key for the rest of the nonce (HChaCha20, draft-irtf-cfrg-xchacha-03, section
/// 2.2).
fn derive(key: &[u8; 32], nonce: &[u8; 16], target: &mut [u8; 32]) {
    let mut words = state(key, nonce);
    rounds(&mut words);
    for (bytes, word) in target.chunks_exact_mut(4).zip(words[..4].iter().chain(&words[12..])) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    wipe_plain(&mut words);
}

/// Calls `begin` with the key of ChaCha20 and the iv of block 0, whose keystream makes the key of
/// Poly1305. A nonce of 24 bytes is XChaCha20's.
#[inline]
pub(crate) fn with_first_block<R>(
    key: &[u8; 32],
    nonce: &[u8],
    begin: impl FnOnce(&[u8; 32], &[u8; 16]) -> R,
) -> Result<R, Error> {
    let mut iv = [0; 16];
    let Some((first, last)) = nonce.split_first_chunk::<16>() else {
        iv[4..].copy_from_slice(nonce.first_chunk::<12>().ok_or(Error::IvSize)?);
        return Ok(begin(key, &iv));
    };
    iv[8..].copy_from_slice(last.first_chunk::<8>().ok_or(Error::IvSize)?);
    let mut derived = Secret::<32>::zeros();
    derive(key, first, &mut derived.0);
    Ok(begin(&derived.0, &iv))
}

/// The key.
pub(crate) struct ChaCha20Key([u8; 32]);

// SAFETY: an array of integers.
wiped_on_drop!(unsafe ChaCha20Key);

impl ChaCha20Key {
    /// Returns the state of the block with this iv.
    pub(crate) fn state(&self, iv: &[u8; 16]) -> State {
        state(&self.0, iv)
    }
}

impl StreamKey for ChaCha20Key {
    #[inline]
    fn vacant() -> Self {
        Self([0; 32])
    }

    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() != self.0.len() {
            return Err(Error::KeySize);
        }
        self.0.copy_from_slice(key);
        Ok(())
    }

    /// Encrypts or decrypts under `iv`: the number of the first block (32 bits, little-endian),
    /// then the nonce (12 bytes). When the block number overflows, OpenSSL adds one to the
    /// first word of the nonce, as if the number had 64 bits; so do all ways here.
    #[inline]
    fn apply(&self, iv: &[u8; 16], text: Text<'_>) -> Result<(), Error> {
        let text = pointers(text);
        // SAFETY: source and target have `size` bytes and are equal or disjoint.
        unsafe {
            if !kernel::apply(&self.0, iv, text) {
                by_library(&self.0, iv, text);
            }
        }
        Ok(())
    }

    /// Returns the iv some blocks further. The number of the block carries into the nonce's first
    /// word, as in one call.
    #[inline]
    fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16] {
        let mut advanced = *iv;
        let (number, _) = advanced.as_chunks_mut::<8>().0.split_at_mut(1);
        number[0] = u64::from_le_bytes(number[0]).wrapping_add(blocks).to_le_bytes();
        advanced
    }
}

/// Calls the library's ChaCha20 up to each overflow of its block number, where it would start again
/// at zero with the same nonce and repeat its keystream.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline]
pub(crate) unsafe fn by_library(key: &[u8; 32], iv: &[u8; 16], text: Span) {
    let mut block = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
    let mut nonce = [0; 12];
    nonce.copy_from_slice(&iv[4..]);
    let mut at = 0;
    while at < text.size {
        let room = ((1 << 32) - u64::from(block)) * BLOCK as u64;
        let piece = usize::try_from(room).unwrap_or(usize::MAX).min(text.size - at);
        // SAFETY: `piece` bytes are left.
        unsafe { Library::chacha20(key, &nonce, block, text.part(at, piece)) };
        at += piece;
        block = 0;
        let word = u32::from_le_bytes([nonce[0], nonce[1], nonce[2], nonce[3]]);
        nonce[..4].copy_from_slice(&word.wrapping_add(1).to_le_bytes());
    }
}
