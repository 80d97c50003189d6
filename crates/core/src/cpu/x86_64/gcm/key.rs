//! AES-GCM in one call by Millrace's kernel for AVX2. Elsewhere it is AWS-LC's:
//! [`aead`](crate::cipher::aead), and so are long messages where AWS-LC has a wider
//! kernel.

use std::sync::OnceLock;

use super::Keys;
use super::avx2::{self, Powers};
use crate::Error;
use crate::catalog::Cipher;
use crate::cipher::aead::AeadKey;
use crate::cipher::aes::AesCtrKey;
use crate::cipher::contract::{AeadMessage, StreamKey};
use crate::cipher::field::Factor;
use crate::cipher::gcm::counter::{BLOCK, advanced, first};
use crate::cipher::text::{Span, pointers};
use crate::cpu::features::{Gcm256, Gcm512};
use crate::cpu::kernels::aes::{WideKey, with_rounds};
use crate::primitives::equal;
use crate::wipe::{WipedBox, wipe_plain};

/// Bytes up to which a message takes no longer here than by AWS-LC with AVX-512: its kernel takes
/// 70 ns more to begin with.
const SHORT_MAX: usize = 2 << 10;
/// Bytes from which a message gains more by AWS-LC than preparing the key for it takes.
const PREPARE_MIN: usize = 8 << 10;

/// A prepared key, wiped on drop.
pub(crate) struct GcmKey {
    key: AesCtrKey,
    powers: Powers,
    proof: Gcm256,
    /// For messages of more than `SHORT_MAX` bytes, where AWS-LC is faster.
    long: OnceLock<WipedBox<AeadKey>>,
}

impl GcmKey {
    /// Returns room for a key, if this CPU has the instructions.
    #[inline]
    pub(crate) fn vacant() -> Option<Self> {
        Gcm256::detect().map(Self::with)
    }

    /// Returns room for a key.
    #[inline]
    pub(crate) fn with(proof: Gcm256) -> Self {
        Self { key: AesCtrKey::vacant(), powers: Powers::vacant(), proof, long: OnceLock::new() }
    }

    /// Returns true if AWS-LC uses wider instructions: it has a kernel for AVX-512, but not on
    /// Windows.
    #[inline]
    fn long_by_aws_lc() -> bool {
        cfg!(all(feature = "aws-lc", not(windows))) && Gcm512::detect().is_some()
    }

    /// Returns the most bytes of a message that is computed here, if the library is faster for
    /// more, under a key for many messages or for one.
    pub(crate) fn short_max(many: bool) -> Option<usize> {
        Self::long_by_aws_lc().then_some(if many { SHORT_MAX } else { PREPARE_MIN - 1 })
    }

    /// Bytes that a drop overwrites.
    #[cfg(test)]
    pub(crate) const WIPED: usize = size_of::<AesCtrKey>() + size_of::<Powers>();

    /// Prepares `key`, which must have 16, 24 or 32 bytes.
    #[inline]
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        self.key.prepare(key)?;
        let (round_keys, rounds) = self.key.wide().ok_or(Error::Engine)?.round_keys();
        // SAFETY: the proof says that the CPU has the instructions.
        unsafe {
            let h = with_rounds!(rounds, ROUNDS => avx2::encrypted::<ROUNDS>(round_keys, 0));
            self.powers.prepare(Factor::new(h));
        }
        Ok(())
    }

    /// Returns the key as it was given, with which the schedule begins.
    pub(crate) fn raw_key(&self) -> &[u8] {
        let Some((keys, rounds)) = self.key.wide().map(WideKey::round_keys) else { return &[] };
        &keys.as_flattened()[..4 * (usize::from(rounds) - 6)]
    }

    /// Prepares for long messages too, on a key for many messages.
    pub(crate) fn prepare_long(&self) {
        if Self::long_by_aws_lc() && self.long.get().is_none() {
            let cipher = match self.raw_key().len() {
                16 => Cipher::Aes128Gcm,
                24 => Cipher::Aes192Gcm,
                _ => Cipher::Aes256Gcm,
            };
            // If memory is short, AWS-LC fails or another thread was faster, this one is not
            // needed.
            if let Ok(mut key) = WipedBox::keep(AeadKey::vacant())
                && key.prepare(cipher, self.raw_key()).is_ok()
            {
                let _ = self.long.set(key);
            }
        }
    }

    /// Returns AWS-LC's key if it is faster for a message of `size` bytes.
    #[inline]
    fn long(&self, size: usize) -> Option<&AeadKey> {
        if size <= SHORT_MAX {
            return None;
        }
        if size >= PREPARE_MIN {
            self.prepare_long();
        }
        self.long.get().map(|key| &**key)
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    #[inline]
    pub(crate) fn seal(&self, message: AeadMessage<'_>, tag: &mut [u8]) -> Result<(), Error> {
        match self.long(message.text.size()) {
            Some(key) => key.seal(message, tag),
            None => self.seal_here(message, tag),
        }
    }

    /// Works like [`GcmKey::seal`], by this kernel.
    #[inline]
    pub(crate) fn seal_here(&self, message: AeadMessage<'_>, tag: &mut [u8]) -> Result<(), Error> {
        let full = self.process::<false>(message.nonce, message.aad, pointers(message.text))?;
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    #[inline]
    pub(crate) fn open(&self, message: AeadMessage<'_>, tag: &[u8]) -> Result<(), Error> {
        match self.long(message.text.size()) {
            Some(key) => key.open(message, tag),
            None => self.open_here(message, tag),
        }
    }

    /// Works like [`GcmKey::open`], by this kernel.
    #[inline]
    pub(crate) fn open_here(&self, message: AeadMessage<'_>, tag: &[u8]) -> Result<(), Error> {
        let text = pointers(message.text);
        let mut full = self.process::<true>(message.nonce, message.aad, text)?;
        let authentic = full.get(..tag.len()).is_some_and(|full| equal(full, tag));
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
        let (round_keys, rounds) = self.key.wide().ok_or(Error::Engine)?.round_keys();
        let keys = Keys { round_keys, powers: &self.powers, proof: self.proof };
        let first = first(nonce, self.powers.h());
        // SAFETY: the proof says that the CPU has the instructions, and the key is of as many
        // rounds; source and target have `size` bytes and are equal or disjoint.
        Ok(unsafe {
            with_rounds!(rounds, ROUNDS => message::<ROUNDS, OPEN>(keys, first, aad, text))
        })
    }
}

/// Encrypts or decrypts, and returns the tag of the ciphertext.
///
/// # Safety
/// As for [`avx2::seal`].
#[target_feature(enable = "avx2,aes,pclmulqdq,vaes,vpclmulqdq")]
unsafe fn message<const ROUNDS: usize, const OPEN: bool>(
    keys: Keys<'_, &Powers, Gcm256>,
    first: u128,
    aad: &[u8],
    text: Span,
) -> [u8; BLOCK] {
    let mask = avx2::encrypted::<ROUNDS>(keys.round_keys, first);
    let sum = if aad.is_empty() { 0 } else { avx2::hash(keys.powers, aad, keys.proof) };
    let lengths = u128::from(8 * aad.len() as u64) << 64 | u128::from(8 * text.size as u64);
    // SAFETY: source and target of `text` have `size` bytes and are equal or disjoint; the key has
    // `ROUNDS` rounds.
    let sum = unsafe {
        if OPEN {
            avx2::open::<ROUNDS>(keys, advanced(first, 1), text, sum, Some(lengths))
        } else {
            avx2::seal::<ROUNDS>(keys, advanced(first, 1), text, sum, Some(lengths))
        }
    };
    (sum ^ mask).to_be_bytes()
}
