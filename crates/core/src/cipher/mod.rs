//! Stream ciphers and authenticated encryption (AEAD) under a prepared key.
//!
//! This module checks all sizes against the catalog before it computes or calls an external engine.

#[allow(unsafe_code)]
pub(crate) mod aead;
#[allow(unsafe_code)]
pub(crate) mod aes;
#[allow(unsafe_code)]
pub(crate) mod chacha;
pub(crate) mod chacha_poly;
pub mod chunks;
pub(crate) mod contract;
pub(crate) mod field;
pub(crate) mod gcm;
pub(crate) mod gcm_siv;
pub(crate) mod key;
pub(crate) mod message;
#[allow(unsafe_code)]
pub(crate) mod poly1305;
#[allow(unsafe_code)]
pub mod running_cipher;
#[allow(unsafe_code)]
pub(crate) mod text;
pub(crate) mod xaes;

use crate::Error;
use crate::catalog::{Cipher, CipherFacts};

pub use self::key::CipherKey;
pub use crate::inputs::Text;
pub use crate::wipe::WipedBox;

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
