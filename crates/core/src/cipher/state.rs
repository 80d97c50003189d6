//! Prepared keys of ciphers.

use super::aead::AeadKey;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
#[cfg(target_arch = "x86_64")]
use super::chacha_poly::x86::ChaChaPolyKey;
#[cfg(target_arch = "x86_64")]
use super::gcm::key::GcmKey;
use super::message::{CipherMessage, StreamMessage};
use crate::Error;
use crate::catalog::Cipher;
use crate::checkpoint::Slicer;
use crate::engines::ExternalCipher;
use crate::inputs::Text;

/// A prepared key of any cipher. Each kind wipes itself on drop. Callers have checked every size
/// against the catalog.
#[allow(clippy::large_enum_variant)] // boxing the AEAD would cost every one-shot an allocation
pub(crate) enum CipherState {
    Vacant,
    AesCtr(AesCtrKey),
    ChaCha20(ChaCha20Key),
    #[cfg(target_arch = "x86_64")]
    ChaChaPoly(ChaChaPolyKey),
    #[cfg(target_arch = "x86_64")]
    Gcm(GcmKey),
    Aead(AeadKey),
    External(Box<dyn ExternalCipher>),
}

/// Calls a function of whichever key of an AEAD there is.
macro_rules! aead {
    ($state:expr, $function:ident($($argument:expr),*)) => {
        match $state {
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(key) => key.$function($($argument),*),
            #[cfg(target_arch = "x86_64")]
            CipherState::Gcm(key) => key.$function($($argument),*),
            CipherState::Aead(key) => key.$function($($argument),*),
            CipherState::External(key) => external(&**key, |key| key.$function($($argument),*)),
            _ => Err(Error::NotSupported),
        }
    };
}

/// Keeps calls of another engine out of the functions that are inlined.
#[cold]
#[inline(never)]
fn external<R>(key: &dyn ExternalCipher, call: impl FnOnce(&dyn ExternalCipher) -> R) -> R {
    call(key)
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
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => ChaChaPolyKey::vacant()
                .map_or_else(|| CipherState::Aead(AeadKey::vacant()), CipherState::ChaChaPoly),
            #[cfg(target_arch = "x86_64")]
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => GcmKey::vacant()
                .map_or_else(|| CipherState::Aead(AeadKey::vacant()), CipherState::Gcm),
            _ => CipherState::Aead(AeadKey::vacant()),
        };
        let result = match self {
            CipherState::AesCtr(prepared) => prepared.prepare(key),
            CipherState::ChaCha20(prepared) => prepared.prepare(key),
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(prepared) => prepared.prepare(key),
            #[cfg(target_arch = "x86_64")]
            CipherState::Gcm(prepared) => prepared.prepare(key),
            CipherState::Aead(prepared) => prepared.prepare(cipher, key),
            CipherState::Vacant | CipherState::External(_) => Err(Error::Engine),
        };
        // A key that is not vacant has been prepared: the families' unsafe code relies on it.
        if result.is_err() {
            *self = CipherState::Vacant;
        }
        result
    }

    /// Prepares a key further that will be used for many messages.
    pub(crate) fn keep(&self) {
        #[cfg(target_arch = "x86_64")]
        if let CipherState::Gcm(key) = self {
            key.prepare_long();
        }
    }

    /// Runs a stream cipher.
    #[inline]
    pub(crate) fn apply(
        &self,
        iv: &[u8],
        text: Text<'_>,
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        match self {
            CipherState::AesCtr(key) => key.apply(iv, text),
            CipherState::ChaCha20(key) => key.apply(iv, text),
            CipherState::External(key) => key.apply(iv, text, slicer),
            _ => Err(Error::NotSupported),
        }
    }

    /// Encrypts and authenticates.
    #[inline(always)]
    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        aead!(self, seal(nonce, aad, text, tag))
    }

    /// Decrypts if `tag` authenticates the text, otherwise leaves zeros in the target.
    #[inline(always)]
    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &[u8],
    ) -> Result<(), Error> {
        aead!(self, open(nonce, aad, text, tag))
    }

    /// Begins a message in parts.
    pub(crate) fn message(
        &self,
        cipher: Cipher,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<CipherMessage, Error> {
        let iv = || nonce.try_into().map_err(|_| Error::IvSize);
        let aead = |raw, library| CipherMessage::aead(cipher, raw, library, nonce, aad);
        match self {
            CipherState::AesCtr(key) => {
                Ok(CipherMessage::AesCtr(StreamMessage(key.copied()?, iv()?)))
            }
            CipherState::ChaCha20(key) => {
                Ok(CipherMessage::ChaCha20(StreamMessage(key.copied()?, iv()?)))
            }
            #[cfg(target_arch = "x86_64")]
            CipherState::ChaChaPoly(key) => aead(key.raw_key(), None),
            #[cfg(target_arch = "x86_64")]
            CipherState::Gcm(key) => aead(key.raw_key(), None),
            CipherState::Aead(key) => aead(key.raw_key(), Some(key)),
            CipherState::Vacant | CipherState::External(_) => Err(Error::NotSupported),
        }
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
