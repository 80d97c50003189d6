//! Prepared keys of ciphers.

use super::aead::AeadKey;
use super::aes::AesCtrKey;
use super::chacha::ChaCha20Key;
use super::contract::{AeadMessage, StreamKey};
use super::xaes::XaesKey;
use super::{check_sizes, check_tag, with_key};
use crate::Error;
use crate::catalog::Cipher;
use crate::checkpoint::Slicer;
use crate::cpu::kernels::chacha_poly::ChaChaPolyKey;
use crate::cpu::kernels::gcm::GcmKey;
use crate::engines::ExternalCipher;
use crate::inputs::Text;
use crate::wipe::WipedBox;

/// A prepared key of any cipher, wiped on drop.
///
/// Several threads may use it at once. A move copies the bytes and does not wipe the old place, so
/// use [`CipherKey::boxed`] for a long-lived key and [`with_key`] for a short-lived one.
pub struct CipherKey {
    cipher: Cipher,
    pub(super) kind: Kind,
}

/// The kinds of keys. Each wipes itself on drop. Whoever calls their functions has checked every
/// size against the catalog.
#[allow(clippy::large_enum_variant)] // boxing the AEAD would cost every one-shot an allocation
pub(super) enum Kind {
    Vacant,
    AesCtr(AesCtrKey),
    ChaCha20(ChaCha20Key),
    ChaChaPoly(ChaChaPolyKey),
    Gcm(GcmKey),
    Xaes(XaesKey),
    Aead(AeadKey),
    External(Box<dyn ExternalCipher>),
}

/// Calls a function of whichever key of an AEAD there is.
macro_rules! aead {
    ($kind:expr, $function:ident($nonce:ident, $aad:ident, $text:ident, $tag:ident)) => {{
        let message = |text| AeadMessage { nonce: $nonce, aad: $aad, text };
        match $kind {
            Kind::ChaChaPoly(key) => key.$function(message($text), $tag),
            Kind::Gcm(key) => key.$function(message($text), $tag),
            Kind::Aead(key) => key.$function(message($text), $tag),
            Kind::Xaes(key) => {
                with_gcm(key, $nonce, |key, nonce| key.$function(nonce, $aad, $text, $tag))
            }
            Kind::External(key) => external(&**key, |key| key.$function($nonce, $aad, $text, $tag)),
            _ => Err(Error::NotSupported),
        }
    }};
}

/// Calls `work` with the prepared key and the nonce of AES-256-GCM that a message of XAES-256-GCM
/// has.
#[inline(never)]
pub(super) fn with_gcm<R>(
    key: &XaesKey,
    nonce: &[u8],
    work: impl FnOnce(&CipherKey, &[u8]) -> Result<R, Error>,
) -> Result<R, Error> {
    key.derived(nonce, |key, nonce| with_key(Cipher::Aes256Gcm, key, |key| work(key, nonce))?)
}

/// Keeps calls of another engine out of the functions that are inlined.
#[cold]
#[inline(never)]
fn external<R>(key: &dyn ExternalCipher, call: impl FnOnce(&dyn ExternalCipher) -> R) -> R {
    call(key)
}

impl CipherKey {
    /// Prepares `key` for `cipher`.
    ///
    /// # Errors
    /// [`Error::KeySize`] if `key` does not have the cipher's key size.
    #[inline]
    pub fn new(cipher: Cipher, key: &[u8]) -> Result<CipherKey, Error> {
        let mut prepared = CipherKey::vacant(cipher);
        prepared.prepare(key)?;
        Ok(prepared)
    }

    /// Prepares `key` for `cipher` in the memory of keys, where it stays until it is wiped with all
    /// bytes around it: a move copies those of a stack that held round keys.
    ///
    /// # Errors
    /// [`Error::KeySize`] if `key` does not have the cipher's key size; [`Error::Memory`],
    /// [`Error::SecureMemory`].
    pub fn boxed(cipher: Cipher, key: &[u8]) -> Result<WipedBox<CipherKey>, Error> {
        let mut prepared = CipherKey::vacant(cipher).into_box()?;
        prepared.prepare(key)?;
        // For many messages.
        if let Kind::Gcm(key) = &prepared.kind {
            key.prepare_long();
        }
        Ok(prepared)
    }

    /// Moves the key to the memory of keys.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::SecureMemory`]
    #[inline(always)]
    pub fn into_box(self) -> Result<WipedBox<CipherKey>, Error> {
        WipedBox::keep(self)
    }

    /// Wraps a key that an external engine prepared, which then computes everything under it.
    pub fn from_external(cipher: Cipher, key: Box<dyn ExternalCipher>) -> CipherKey {
        CipherKey { cipher, kind: Kind::External(key) }
    }

    /// Returns true if an external engine computes under this key.
    #[inline]
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External(_))
    }

    #[inline]
    pub(crate) fn vacant(cipher: Cipher) -> CipherKey {
        CipherKey { cipher, kind: Kind::Vacant }
    }

    /// Prepares `key` in place.
    #[inline]
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() != self.cipher.facts().key_size {
            return Err(Error::KeySize);
        }
        self.kind = match self.cipher {
            Cipher::Aes128Ctr | Cipher::Aes192Ctr | Cipher::Aes256Ctr => {
                Kind::AesCtr(AesCtrKey::vacant())
            }
            Cipher::ChaCha20 => Kind::ChaCha20(ChaCha20Key::vacant()),
            Cipher::ChaCha20Poly1305 | Cipher::XChaCha20Poly1305 => ChaChaPolyKey::vacant()
                .map_or_else(|| Kind::Aead(AeadKey::vacant()), Kind::ChaChaPoly),
            Cipher::Aes128Gcm | Cipher::Aes192Gcm | Cipher::Aes256Gcm => {
                GcmKey::vacant().map_or_else(|| Kind::Aead(AeadKey::vacant()), Kind::Gcm)
            }
            Cipher::Xaes256Gcm => Kind::Xaes(XaesKey::vacant()),
            _ => Kind::Aead(AeadKey::vacant()),
        };
        let result = match &mut self.kind {
            Kind::AesCtr(prepared) => prepared.prepare(key),
            Kind::ChaCha20(prepared) => prepared.prepare(key),
            Kind::ChaChaPoly(prepared) => prepared.prepare(key),
            Kind::Gcm(prepared) => prepared.prepare(key),
            Kind::Xaes(prepared) => prepared.prepare(key),
            Kind::Aead(prepared) => prepared.prepare(self.cipher, key),
            Kind::Vacant | Kind::External(_) => Err(Error::Engine),
        };
        // A key that is not vacant has been prepared: the families' unsafe code relies on it.
        if result.is_err() {
            self.kind = Kind::Vacant;
        }
        result
    }

    /// Returns the cipher.
    #[inline]
    pub fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// Returns true if messages under this key can be processed in parts.
    pub fn parts(&self) -> bool {
        !self.is_external()
    }

    /// Returns true if messages under this key are sealed in two passes.
    pub fn seals_in_two_passes(&self) -> bool {
        self.cipher().facts().two_passes
    }

    /// Encrypts or decrypts `text` with a stream cipher, which is the same operation. Only external
    /// engines use `slicer`; long native work is [split](crate::split) into parts.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for an AEAD, [`Error::IvSize`], [`Error::OutputSize`] if source and
    /// target differ in length, [`Error::SourceTooLarge`]; from an external engine
    /// [`Error::Unavailable`], [`Error::TooLarge`] and [`Error::Cancelled`] with the target all
    /// zero.
    #[inline]
    pub fn apply(
        &self,
        iv: &[u8],
        text: Text<'_>,
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let facts = self.cipher.facts();
        if facts.aead {
            return Err(Error::NotSupported);
        }
        check_sizes(facts, iv, &[], text.size() as u64)?;
        text.check()?;
        match &self.kind {
            Kind::AesCtr(key) => key.apply(iv.try_into().map_err(|_| Error::IvSize)?, text),
            Kind::ChaCha20(key) => key.apply(iv.try_into().map_err(|_| Error::IvSize)?, text),
            Kind::External(key) => key.apply(iv, text, slicer),
            _ => Err(Error::NotSupported),
        }
    }

    /// Encrypts `text` and writes the tag that authenticates it together with `aad`.
    ///
    /// The tag may be shorter than 16 bytes if [`tag_fits`](crate::catalog::CipherFacts::tag_fits)
    /// returns true for its size.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for a stream cipher, [`Error::IvSize`], [`Error::TagSize`],
    /// [`Error::OutputSize`] if source and target differ in length, [`Error::SourceTooLarge`],
    /// [`Error::AadTooLarge`].
    #[inline]
    pub fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.check_aead(nonce, aad, &text, tag.len())?;
        aead!(&self.kind, seal(nonce, aad, text, tag))
    }

    /// Decrypts `text` if `tag` authenticates it together with `aad`.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not match; the whole target is then zero.
    /// Otherwise as [`CipherKey::seal`], with the target untouched or, under a key of an external
    /// engine, all zero.
    #[inline]
    pub fn open(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        self.check_aead(nonce, aad, &text, tag.len())?;
        aead!(&self.kind, open(nonce, aad, text, tag))
    }

    #[inline]
    fn check_aead(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &Text<'_>,
        tag_size: usize,
    ) -> Result<(), Error> {
        let facts = self.cipher.facts();
        if !facts.aead {
            return Err(Error::NotSupported);
        }
        check_sizes(facts, nonce, aad, text.size() as u64)?;
        check_tag(facts, tag_size)?;
        text.check()
    }
}

impl std::fmt::Debug for CipherKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "CipherKey({})", self.cipher.facts().name)
    }
}
