//! Messages in parts: dispatch to the cipher.

use super::aead::AeadKey;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
use super::chacha_poly::ChaChaPolyMessage;
use super::cipher_state::CipherState;
use super::gcm;
use super::gcm_siv;
use super::partial_tag::PartialTag;
use super::primitives::equal;
use super::wipe::{Secret, Wiped, WipedBox};
use crate::Error;
use crate::catalog::Cipher;
use crate::inputs::Text;

/// Bytes of a full tag.
const TAG_SIZE: usize = 16;

/// A message of a cipher that is processed in parts. Secrets are on the heap, where they were made.
pub(crate) enum CipherMessage {
    AesCtr(WipedBox<AesCtrKey>, [u8; 16]),
    ChaCha20(WipedBox<ChaCha20Key>, [u8; 16]),
    Gcm(WipedBox<gcm::GcmMessage>),
    GcmSiv(WipedBox<gcm_siv::GcmSivMessage>),
    ChaChaPoly(WipedBox<ChaChaPolyMessage>),
}

impl CipherMessage {
    pub(crate) fn new(
        state: &CipherState,
        cipher: Cipher,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<CipherMessage, Error> {
        let iv = || nonce.try_into().map_err(|_| Error::IvSize);
        match state {
            CipherState::AesCtr(key) => Ok(CipherMessage::AesCtr(key.copied()?, iv()?)),
            CipherState::ChaCha20(key) => Ok(CipherMessage::ChaCha20(key.copied()?, iv()?)),
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(key) => {
                ChaChaPolyMessage::boxed(key.raw_key(), nonce, aad).map(CipherMessage::ChaChaPoly)
            }
            CipherState::Gcm(key) => {
                Ok(CipherMessage::Gcm(gcm::GcmMessage::boxed(key.raw_key(), None, nonce, aad)?))
            }
            CipherState::Aead(key) => CipherMessage::of(cipher, key, nonce, aad),
            CipherState::Vacant => Err(Error::Engine),
        }
    }

    /// Begins a message under a key of the library.
    pub(super) fn of(
        cipher: Cipher,
        key: &AeadKey,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<CipherMessage, Error> {
        let raw = key.raw_key();
        Ok(match cipher {
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => {
                #[cfg(feature = "aws-lc")]
                let expanded = None;
                #[cfg(not(feature = "aws-lc"))]
                let expanded = Some(key.expanded().0);
                CipherMessage::GcmSiv(gcm_siv::GcmSivMessage::boxed(raw, expanded, nonce, aad)?)
            }
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                CipherMessage::ChaChaPoly(ChaChaPolyMessage::boxed(raw, nonce, aad)?)
            }
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                CipherMessage::Gcm(gcm::GcmMessage::boxed(raw, Some(key), nonce, aad)?)
            }
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr | Cipher::ChaCha20 => {
                return Err(Error::NotSupported);
            }
        })
    }

    pub(crate) fn apply(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        match self {
            CipherMessage::AesCtr(key, iv) => {
                let counter = u128::from_be_bytes(*iv).wrapping_add(u128::from(offset / 16));
                key.apply(&counter.to_be_bytes(), text)
            }
            CipherMessage::ChaCha20(key, iv) => {
                // The number of the block carries into the nonce's first word, as in one call.
                let (number, nonce) = iv.split_first_chunk().ok_or(Error::IvSize)?;
                let number = u64::from_le_bytes(*number).wrapping_add(offset / 64);
                let mut iv = [0; 16];
                iv[..8].copy_from_slice(&number.to_le_bytes());
                iv[8..].copy_from_slice(nonce);
                key.apply(&iv, text)
            }
            _ => Err(Error::NotSupported),
        }?;
        Ok(PartialTag(Wiped([0; 3])))
    }

    pub(crate) fn seal(&self, offset: u64, text: Text<'_>) -> Result<PartialTag, Error> {
        match self {
            CipherMessage::Gcm(message) => message.seal(offset, text),
            CipherMessage::ChaChaPoly(message) => message.seal(offset, text),
            _ => Err(Error::NotSupported),
        }
    }

    pub(crate) fn open(
        &self,
        offset: u64,
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<PartialTag, Error> {
        match self {
            CipherMessage::Gcm(message) => message.open(offset, text),
            CipherMessage::GcmSiv(message) => message.open(offset, text, tag),
            CipherMessage::ChaChaPoly(message) => message.open(offset, text),
            CipherMessage::AesCtr(..) | CipherMessage::ChaCha20(..) => Err(Error::NotSupported),
        }
    }

    pub(crate) fn authenticate_plain(&self, source: &[u8]) -> Result<PartialTag, Error> {
        match self {
            CipherMessage::GcmSiv(message) => Ok(message.authenticate_plain(source)),
            _ => Err(Error::NotSupported),
        }
    }

    pub(crate) fn authenticate_sealed(
        &self,
        offset: u64,
        source: &[u8],
        tag: &[u8],
    ) -> Result<PartialTag, Error> {
        match self {
            CipherMessage::Gcm(message) => message.authenticate(source),
            CipherMessage::GcmSiv(message) => message.authenticate_sealed(offset, source, tag),
            CipherMessage::ChaChaPoly(message) => Ok(message.authenticate(source)),
            CipherMessage::AesCtr(..) | CipherMessage::ChaCha20(..) => Err(Error::NotSupported),
        }
    }

    pub(crate) fn xor(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        match self {
            CipherMessage::Gcm(message) => message.xor(offset, text),
            CipherMessage::GcmSiv(message) => message.xor(offset, text, tag),
            CipherMessage::ChaChaPoly(message) => message.xor(offset, text),
            CipherMessage::AesCtr(..) | CipherMessage::ChaCha20(..) => Err(Error::NotSupported),
        }
    }

    pub(crate) fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        tag.copy_from_slice(&self.full_tag(parts)?.0[..tag.len()]);
        Ok(())
    }

    pub(crate) fn verify(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
        tag: &[u8],
    ) -> Result<bool, Error> {
        let full = self.full_tag(parts)?;
        Ok(full.0.get(..tag.len()).is_some_and(|full| equal(full, tag)))
    }

    /// Returns the full tag; zeros for a stream cipher.
    fn full_tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Result<Secret<TAG_SIZE>, Error> {
        match self {
            CipherMessage::Gcm(message) => Ok(message.tag(parts)),
            CipherMessage::GcmSiv(message) => message.tag(parts),
            CipherMessage::ChaChaPoly(message) => Ok(message.tag(parts)),
            CipherMessage::AesCtr(..) | CipherMessage::ChaCha20(..) => {
                parts.for_each(drop);
                Ok(Secret::zeros())
            }
        }
    }
}
