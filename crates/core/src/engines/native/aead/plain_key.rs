//! The key of an AEAD without AWS-LC.

use super::super::aes::AesCtrKey;
use super::super::field::Factor;
use super::super::wipe::{Plain, wipe_plain};
use crate::Error;
use crate::catalog::Cipher;

/// A key. Wiped on drop.
pub(crate) struct AeadKey {
    /// The cipher's number; of no use while there is no key.
    pub(in crate::engines::native) cipher: Option<Cipher>,
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
    /// Returns room for a key, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        let (aes, h) = (AesCtrKey::vacant(), Factor(0));
        Self { cipher: None, raw: [0; 32], size: 0, aes, h }
    }

    /// Prepares `key`, which must have the cipher's key size.
    pub(crate) fn prepare(&mut self, cipher: Cipher, key: &[u8]) -> Result<(), Error> {
        if key.len() != cipher.facts().key_size {
            return Err(Error::Engine);
        }
        self.raw[..key.len()].copy_from_slice(key);
        (self.cipher, self.size) = (Some(cipher), key.len());
        match cipher {
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => Ok(()),
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => self.aes.prepare(key),
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                self.aes.prepare(key)?;
                self.h = Factor::new(self.aes.encrypted(0)?);
                Ok(())
            }
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr | Cipher::ChaCha20 => {
                Err(Error::NotSupported)
            }
        }
    }

    /// Returns the expanded key, and GCM's H.
    pub(crate) fn expanded(&self) -> (&AesCtrKey, Factor) {
        (&self.aes, self.h)
    }

    /// Returns the key; empty before there is one.
    pub(crate) fn raw_key(&self) -> &[u8] {
        &self.raw[..self.size]
    }
}

impl Drop for AeadKey {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}
