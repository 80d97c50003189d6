//! AES-GCM in one go by Millrace's kernel for AVX2, where AWS-LC has none as wide. Elsewhere it is
//! AWS-LC's: [`aead`](super::super::aead).

use aws_lc_sys as lc;

use super::super::aes::AesCtrKey;
use super::super::features::{Gcm256, Gcm512};
use super::super::pointers;
use super::super::wipe::wipe_plain;
use super::avx2::{self, Keys, Powers, Span};
use super::field::Factor;
use super::{BLOCK, advanced, first};
use crate::Error;
use crate::inputs::Text;

/// A prepared key, wiped on drop.
pub(crate) struct GcmKey {
    key: AesCtrKey,
    powers: Powers,
    proof: Gcm256,
}

impl GcmKey {
    /// Room for a key, if this kernel is to be used.
    #[inline]
    pub(in super::super) fn vacant() -> Option<Self> {
        Self::detect().map(Self::with)
    }

    /// Returns the proof if this CPU has the instructions, unless AWS-LC uses wider ones: it has a
    /// kernel for AVX-512, but not on Windows.
    #[inline]
    pub(in super::super) fn detect() -> Option<Gcm256> {
        if !cfg!(windows) && Gcm512::detect().is_some() {
            return None;
        }
        Gcm256::detect()
    }

    /// Room for a key.
    #[inline]
    pub(super) fn with(proof: Gcm256) -> Self {
        Self { key: AesCtrKey::vacant(), powers: Powers::vacant(), proof }
    }

    /// Bytes that a drop overwrites.
    #[cfg(test)]
    pub(in super::super) const WIPED: usize = size_of::<AesCtrKey>() + size_of::<Powers>();

    /// Prepares `key`, which must have 16, 24 or 32 bytes.
    #[inline]
    pub(in super::super) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        self.key.prepare(key)?;
        let (round_keys, rounds) = self.key.round_keys().ok_or(Error::Engine)?;
        // SAFETY: the proof says that the CPU has the instructions.
        let h = unsafe {
            match rounds {
                10 => avx2::encrypted::<10>(round_keys, 0),
                12 => avx2::encrypted::<12>(round_keys, 0),
                _ => avx2::encrypted::<14>(round_keys, 0),
            }
        };
        self.powers.prepare(Factor::new(h), self.proof);
        Ok(())
    }

    /// The key as it was given, with which the schedule begins.
    pub(in super::super) fn raw_key(&self) -> &[u8] {
        let Some((keys, rounds)) = self.key.round_keys() else { return &[] };
        &keys.as_flattened()[..4 * (usize::from(rounds) - 6)]
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    #[inline]
    pub(in super::super) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let full = self.process::<false>(nonce, aad, span(text))?;
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    #[inline]
    pub(in super::super) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let text = span(text);
        let mut full = self.process::<true>(nonce, aad, text)?;
        // SAFETY: both have that many bytes.
        let authentic = tag.len() <= BLOCK
            && unsafe { lc::CRYPTO_memcmp(full.as_ptr().cast(), tag.as_ptr().cast(), tag.len()) }
                == 0;
        if authentic {
            return Ok(());
        }
        wipe_plain(&mut full);
        // SAFETY: the target has `size` bytes.
        unsafe { text.target.write_bytes(0, text.size) };
        Err(Error::Authentication)
    }

    /// Encrypts or decrypts, and returns the tag of the ciphertext.
    #[inline]
    fn process<const OPEN: bool>(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Span,
    ) -> Result<[u8; BLOCK], Error> {
        let (round_keys, rounds) = self.key.round_keys().ok_or(Error::Engine)?;
        let keys = Keys { round_keys, powers: &self.powers, proof: self.proof };
        let first = first(nonce, self.powers.h());
        // SAFETY: the proof says that the CPU has the instructions, and the key is of as many
        // rounds; source and target have `size` bytes and are equal or disjoint.
        Ok(unsafe {
            match rounds {
                10 => message::<10, OPEN>(keys, first, aad, text),
                12 => message::<12, OPEN>(keys, first, aad, text),
                _ => message::<14, OPEN>(keys, first, aad, text),
            }
        })
    }
}

/// Encrypts or decrypts, and returns the tag of the ciphertext.
///
/// # Safety
/// As for [`avx2::seal`].
#[target_feature(enable = "avx2,aes,pclmulqdq,vaes,vpclmulqdq")]
unsafe fn message<const ROUNDS: usize, const OPEN: bool>(
    keys: Keys<'_>,
    first: u128,
    aad: &[u8],
    text: Span,
) -> [u8; BLOCK] {
    let mask = avx2::encrypted::<ROUNDS>(keys.round_keys, first);
    let sum = if aad.is_empty() { 0 } else { avx2::hash(keys.powers, aad, keys.proof) };
    let lengths = u128::from(8 * aad.len() as u64) << 64 | u128::from(8 * text.size as u64);
    // SAFETY: as promised by the caller.
    let sum = unsafe {
        if OPEN {
            avx2::open::<ROUNDS>(keys, advanced(first, 1), text, sum, Some(lengths))
        } else {
            avx2::seal::<ROUNDS>(keys, advanced(first, 1), text, sum, Some(lengths))
        }
    };
    (sum ^ mask).to_be_bytes()
}

#[inline]
fn span(text: Text<'_>) -> Span {
    let (source, target, size) = pointers(text);
    Span { source, target, size }
}
