//! Prepared keys of ciphers.

use super::aead::AeadKey;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
#[cfg(target_arch = "x86_64")]
use super::chacha_poly::x86::ChaChaPolyKey;
use super::gcm::key::GcmKey;
use crate::Error;
use crate::catalog::Cipher;

/// A prepared key of any cipher of this engine. Each kind wipes itself on drop.
#[allow(clippy::large_enum_variant)] // boxing the AEAD would cost every one-shot an allocation
pub(crate) enum CipherState {
    Vacant,
    AesCtr(AesCtrKey),
    ChaCha20(ChaCha20Key),
    #[cfg(target_arch = "x86_64")]
    ChaChaPoly(ChaChaPolyKey),
    Gcm(GcmKey),
    Aead(AeadKey),
}

impl CipherState {
    /// Prepares `key` in a vacant state, in place.
    #[inline]
    pub(crate) fn prepare(&mut self, cipher: Cipher, key: &[u8]) -> Result<(), Error> {
        *self = match cipher {
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
                CipherState::AesCtr(AesCtrKey::vacant())
            }
            Cipher::ChaCha20 => CipherState::ChaCha20(ChaCha20Key::vacant()),
            #[cfg(target_arch = "x86_64")]
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                let ours = ChaChaPolyKey::vacant();
                ours.map_or_else(|| CipherState::Aead(AeadKey::vacant()), CipherState::ChaChaPoly)
            }
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => GcmKey::vacant()
                .map_or_else(|| CipherState::Aead(AeadKey::vacant()), CipherState::Gcm),
            #[cfg(not(target_arch = "x86_64"))]
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => {
                CipherState::Aead(AeadKey::vacant())
            }
            Cipher::Aes128GcmSiv | Cipher::Aes256GcmSiv => CipherState::Aead(AeadKey::vacant()),
        };
        let result = match self {
            CipherState::AesCtr(prepared) => prepared.prepare(key),
            CipherState::ChaCha20(prepared) => prepared.prepare(key),
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(prepared) => prepared.prepare(key),
            CipherState::Gcm(prepared) => prepared.prepare(key),
            CipherState::Aead(prepared) => prepared.prepare(cipher, key),
            CipherState::Vacant => Err(Error::Engine),
        };
        // A key that is not vacant has been prepared: the families' unsafe code relies on it.
        if result.is_err() {
            *self = CipherState::Vacant;
        }
        result
    }

    /// Returns the key as it was given if AES-GCM is faster from a message's beginning to its end
    /// than in parts: AWS-LC encrypts and authenticates at once, but knows no parts, which are made
    /// in two passes.
    pub(crate) fn key_in_order(&self, cipher: Cipher) -> Option<&[u8]> {
        match (self, cipher) {
            #[cfg(feature = "aws-lc")]
            (CipherState::Aead(key), Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm) => {
                Some(key.raw_key())
            }
            _ => None,
        }
    }
}
