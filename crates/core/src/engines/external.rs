//! The contract of an engine in another crate, such as `millrace-linux`.
//!
//! [`MacKey`](crate::hmac::MacKey) and [`CipherKey`](crate::cipher::CipherKey) hold either what the
//! native engine prepared or one of these. They check every size against the catalog before they
//! call. Only calls under an external key are dispatched at run time.
//!
//! An engine that cannot compute something returns [`Error::Unavailable`], and
//! [`Error::TooLarge`] for a message that is too long for it. Hashing without a key is not part of
//! the contract: callers call the engine itself.

use std::any::Any;

use crate::Error;
use crate::checkpoint::Slicer;
use crate::inputs::Text;

/// An HMAC key that an external engine prepared.
pub trait ExternalMac: Any + Send + Sync {
    /// Writes the HMAC of `source` to `target`, which is as long as the digest.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Cancelled`].
    fn mac(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error>;
}

/// A cipher key that an external engine prepared.
pub trait ExternalCipher: Send + Sync {
    /// Runs a stream cipher.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Cancelled`], with the target all zero.
    fn apply(&self, iv: &[u8], text: Text<'_>, slicer: Option<Slicer<'_>>) -> Result<(), Error>;

    /// Encrypts `text` and writes the tag.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::TooLarge`].
    fn seal(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &mut [u8]) -> Result<(), Error>;

    /// Decrypts `text` if `tag` authenticates it, otherwise leaves zeros in the target.
    ///
    /// # Errors
    /// [`Error::Authentication`]; [`Error::Unavailable`]; [`Error::TooLarge`].
    fn open(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &[u8]) -> Result<(), Error>;
}
