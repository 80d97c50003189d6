//! Stream ciphers and authenticated encryption (AEAD) under a prepared key.
//!
//! This module checks all sizes against the catalog before it calls an engine.

#[allow(unsafe_code)]
pub(crate) mod aead;
#[allow(unsafe_code)]
pub(crate) mod aes;
#[allow(unsafe_code)]
pub(crate) mod chacha;
#[allow(unsafe_code)]
pub(crate) mod chacha_poly;
pub mod chunks;
pub(crate) mod contract;
pub(crate) mod field;
#[allow(unsafe_code)]
pub(crate) mod gcm;
#[allow(unsafe_code)]
pub(crate) mod gcm_siv;
pub(crate) mod message;
#[allow(unsafe_code)]
pub(crate) mod poly1305;
#[allow(unsafe_code)]
pub(crate) mod running;
pub mod running_cipher;
#[allow(unsafe_code)]
pub(crate) mod state;
#[allow(unsafe_code)]
pub(crate) mod text;

use self::state::CipherState;
use crate::Error;
use crate::catalog::{Cipher, CipherFacts};
use crate::checkpoint::Slicer;
use crate::engines::ExternalCipher;
pub use crate::wipe::WipedBox;

pub use crate::inputs::Text;

/// Prepares `key` in place, calls `work` with it, and wipes it. Uses no heap.
///
/// # Errors
/// [`Error::KeySize`] if `key` does not have the cipher's key size.
#[inline]
pub fn with_key<R>(
    cipher: Cipher,
    key: &[u8],
    work: impl FnOnce(&CipherKey) -> R,
) -> Result<R, Error> {
    let mut prepared = CipherKey::vacant(cipher);
    prepared.prepare(key)?;
    Ok(work(&prepared))
}

/// A prepared key of any cipher, wiped on drop.
///
/// Several threads may use it at once. A move copies the bytes and does not wipe the old place, so
/// use [`CipherKey::boxed`] for a long-lived key and [`with_key`] for a short-lived one.
pub struct CipherKey {
    cipher: Cipher,
    state: CipherState,
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

    /// Prepares `key` for `cipher` on the heap, where it stays until it is wiped with all bytes
    /// around it: a move to the heap copies those of a stack that held round keys.
    ///
    /// # Errors
    /// [`Error::KeySize`] if `key` does not have the cipher's key size; [`Error::Memory`].
    pub fn boxed(cipher: Cipher, key: &[u8]) -> Result<WipedBox<CipherKey>, Error> {
        let mut prepared = CipherKey::vacant(cipher).into_box()?;
        prepared.prepare(key)?;
        prepared.state.keep();
        Ok(prepared)
    }

    /// Moves the key to the heap.
    ///
    /// # Errors
    /// [`Error::Memory`]
    #[inline(always)]
    pub fn into_box(self) -> Result<WipedBox<CipherKey>, Error> {
        WipedBox::new(self)
    }

    /// Wraps a key that an external engine prepared, which then computes everything under it.
    pub fn from_external(cipher: Cipher, key: Box<dyn ExternalCipher>) -> CipherKey {
        CipherKey { cipher, state: CipherState::External(key) }
    }

    /// Returns true if an external engine computes under this key.
    #[inline]
    pub fn is_external(&self) -> bool {
        matches!(self.state, CipherState::External(_))
    }

    #[inline]
    fn vacant(cipher: Cipher) -> CipherKey {
        CipherKey { cipher, state: CipherState::Vacant }
    }

    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() != self.cipher.facts().key_size {
            return Err(Error::KeySize);
        }
        self.state.prepare(self.cipher, key)
    }

    /// Returns the cipher.
    #[inline]
    pub fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// Returns the engine's prepared key.
    pub(crate) fn state(&self) -> &CipherState {
        &self.state
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
        self.state.apply(iv, text, slicer)
    }

    /// Encrypts `text` and writes the tag that authenticates it together with `aad`.
    ///
    /// The tag may be shorter than 16 bytes if [`CipherFacts::tag_fits`] returns true for its size.
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
        self.state.seal(nonce, aad, text, tag)
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
        self.state.open(nonce, aad, text, tag)
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

/// Checks the sizes of a message against the catalog.
#[inline]
pub(crate) fn check_sizes(
    facts: &CipherFacts,
    nonce: &[u8],
    aad: &[u8],
    size: u64,
) -> Result<(), Error> {
    if !facts.iv_fits(nonce.len()) {
        return Err(Error::IvSize);
    }
    if !facts.aead && !aad.is_empty() {
        return Err(Error::NotSupported);
    }
    if aad.len() as u64 > facts.max_aad {
        return Err(Error::AadTooLarge);
    }
    if size > facts.max_source {
        return Err(Error::SourceTooLarge);
    }
    Ok(())
}

/// Checks the size of a tag against the catalog; a stream cipher's has 0 bytes.
#[inline]
pub(crate) fn check_tag(facts: &CipherFacts, size: usize) -> Result<(), Error> {
    let fits = if facts.aead { facts.tag_fits(size) } else { size == 0 };
    if fits { Ok(()) } else { Err(Error::TagSize) }
}
