//! AEADs as messages of one part.

use super::super::aes::AesCtrKey;
use super::super::gcm;
use super::super::gcm::field::Factor;
use super::super::message::Message;
use super::super::wipe::{Plain, wipe_plain};
use crate::Error;
use crate::catalog::Cipher;
use crate::inputs::Text;

/// A key. Wiped on drop.
pub(crate) struct AeadKey {
    /// The cipher's number; of no use while there is no key.
    cipher: Option<Cipher>,
    raw: [u8; 32],
    size: usize,
    /// Of AES, if the cipher has it: the expanded key, and GCM's H.
    aes: AesCtrKey,
    h: Factor,
}

// SAFETY: the option without a cipher has no padding that matters; arrays and integers, and a plain
// key.
unsafe impl Plain for AeadKey {}

impl AeadKey {
    /// Room for a key, to be prepared before use.
    pub(in super::super) fn vacant() -> Self {
        let (aes, h) = (AesCtrKey::vacant(), Factor(0));
        Self { cipher: None, raw: [0; 32], size: 0, aes, h }
    }

    /// Prepares `key`, which must have the cipher's key size.
    pub(in super::super) fn prepare(&mut self, cipher: Cipher, key: &[u8]) -> Result<(), Error> {
        if key.len() != cipher.facts().key_size {
            return Err(Error::Engine);
        }
        self.raw[..key.len()].copy_from_slice(key);
        (self.cipher, self.size) = (Some(cipher), key.len());
        match cipher {
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => Ok(()),
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => self.aes.prepare(key),
            _ => {
                self.aes.prepare(key)?;
                self.h = gcm::factor(&self.aes)?;
                Ok(())
            }
        }
    }

    /// The expanded key, and GCM's H.
    pub(in super::super) fn expanded(&self) -> (&AesCtrKey, Factor) {
        (&self.aes, self.h)
    }

    /// The key; empty before there is one.
    pub(in super::super) fn raw_key(&self) -> &[u8] {
        &self.raw[..self.size]
    }

    fn message(&self, nonce: &[u8], aad: &[u8]) -> Result<(Message, bool), Error> {
        let cipher = self.cipher.ok_or(Error::Engine)?;
        let tag_first = matches!(cipher, Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv);
        Ok((Message::of(cipher, self, nonce, aad)?, tag_first))
    }

    /// Encrypts, and writes the first `tag.len()` bytes of the tag.
    pub(in super::super) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let (message, tag_first) = self.message(nonce, aad)?;
        let size = text.size() as u64;
        if !tag_first {
            let part = message.seal(0, text)?;
            return message.tag(&mut [(size, &part)].into_iter(), tag);
        }
        let part = message.authenticate_plain(text.source())?;
        message.tag(&mut [(size, &part)].into_iter(), tag)?;
        message.xor(0, text, tag)
    }

    /// Decrypts if the tag matches, otherwise leaves zeros.
    pub(in super::super) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let (message, _) = self.message(nonce, aad)?;
        let part = message.authenticate_sealed(0, text.source(), tag)?;
        if message.verify(&mut [(text.size() as u64, &part)].into_iter(), tag)? {
            return message.xor(0, text, tag);
        }
        match text {
            Text::InPlace(target) | Text::Across { target, .. } => target.fill(0),
        }
        Err(Error::Authentication)
    }
}

impl Drop for AeadKey {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}
