//! Messages of all ciphers in parts.

use std::ops::Deref;

use super::aead::AeadKey;
use super::aes::AesCtrKey;
use super::chacha;
use super::chacha::ChaCha20Key;
use super::chacha_poly::ChaChaPolyMessage;
use super::contract::{PartialTag, Parts, StreamKey, TAG};
use super::gcm::GcmMessage;
use super::gcm_siv::GcmSivMessage;
use crate::Error;
use crate::catalog::Cipher;
use crate::inputs::Text;
use crate::wipe::{Secret, Wiped, WipedBox};

/// A message of a cipher. Secrets are on the heap, where they were made.
pub(crate) enum CipherMessage {
    AesCtr(StreamMessage<AesCtrKey>),
    ChaCha20(StreamMessage<ChaCha20Key>),
    Gcm(WipedBox<GcmMessage>),
    GcmSiv(WipedBox<GcmSivMessage>),
    ChaChaPoly(WipedBox<ChaChaPolyMessage>),
}

impl CipherMessage {
    /// Begins a message of an AEAD, under a key that the library has prepared if there is no kernel
    /// for it.
    pub(crate) fn aead(
        cipher: Cipher,
        raw: &[u8],
        library: Option<&AeadKey>,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<CipherMessage, Error> {
        match cipher {
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                GcmMessage::boxed(raw, library, nonce, aad).map(CipherMessage::Gcm)
            }
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => {
                GcmSivMessage::boxed(raw, nonce, aad).map(CipherMessage::GcmSiv)
            }
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                ChaChaPolyMessage::boxed(raw, nonce, aad).map(CipherMessage::ChaChaPoly)
            }
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr | Cipher::ChaCha20 => {
                Err(Error::NotSupported)
            }
        }
    }
}

impl Deref for CipherMessage {
    type Target = dyn Parts;

    fn deref(&self) -> &Self::Target {
        match self {
            CipherMessage::AesCtr(message) => message,
            CipherMessage::ChaCha20(message) => message,
            CipherMessage::Gcm(message) => &**message,
            CipherMessage::GcmSiv(message) => &**message,
            CipherMessage::ChaChaPoly(message) => &**message,
        }
    }
}

/// Implements [`StreamKey`] by the functions of a key, and one that returns an iv further on.
macro_rules! stream_key {
    ($key:ty, $advanced:expr) => {
        impl StreamKey for $key {
            fn vacant() -> Self {
                Self::vacant()
            }

            #[inline]
            fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
                self.prepare(key)
            }

            #[inline]
            fn apply(&self, iv: &[u8; 16], text: Text<'_>) -> Result<(), Error> {
                self.apply(iv, text)
            }

            #[inline]
            fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16] {
                $advanced(iv, blocks)
            }
        }
    };
}

stream_key!(ChaCha20Key, chacha::advanced);
stream_key!(AesCtrKey, |iv: &[u8; 16], blocks| {
    u128::from_be_bytes(*iv).wrapping_add(4 * u128::from(blocks)).to_be_bytes()
});

/// A message of a stream cipher, which has no tag: its key and its iv.
pub(crate) struct StreamMessage<K>(pub(crate) WipedBox<K>, pub(crate) [u8; 16]);

impl<K: StreamKey> Parts for StreamMessage<K> {
    fn authenticate(&self, _text: &[u8]) -> Result<PartialTag, Error> {
        Ok(PartialTag(Wiped([0; 3])))
    }

    fn xor(&self, offset: u64, text: Text<'_>, _tag: &[u8]) -> Result<(), Error> {
        self.0.apply(&K::advanced(&self.1, offset / 64), text)
    }

    fn tag(
        &self,
        parts: &mut dyn Iterator<Item = (u64, &PartialTag)>,
    ) -> Result<Secret<TAG>, Error> {
        parts.for_each(drop);
        Ok(Secret::zeros())
    }
}

/// Whole messages without AWS-LC.
#[cfg(not(feature = "aws-lc"))]
impl AeadKey {
    fn message(&self, nonce: &[u8], aad: &[u8]) -> Result<(CipherMessage, bool), Error> {
        let cipher = self.cipher.ok_or(Error::Engine)?;
        let message = CipherMessage::aead(cipher, self.raw_key(), Some(self), nonce, aad)?;
        Ok((message, cipher.facts().two_passes))
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let (message, two_passes) = self.message(nonce, aad)?;
        let size = text.size() as u64;
        let finish = |part, tag: &mut [u8]| -> Result<(), Error> {
            let full = message.tag(&mut [(size, &part)].into_iter())?;
            tag.copy_from_slice(&full.0[..tag.len()]);
            Ok(())
        };
        if !two_passes {
            return finish(message.seal(0, text)?, tag);
        }
        finish(message.authenticate(text.source())?, tag)?;
        message.xor(0, text, tag)
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let (message, _) = self.message(nonce, aad)?;
        let part = message.authenticate_sealed(0, text.source(), tag)?;
        let full = message.tag(&mut [(text.size() as u64, &part)].into_iter())?;
        if full.0.get(..tag.len()).is_some_and(|full| crate::primitives::equal(full, tag)) {
            return message.xor(0, text, tag);
        }
        text.clear();
        Err(Error::Authentication)
    }
}
