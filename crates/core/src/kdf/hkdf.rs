//! HKDF (RFC 5869): extract, expand, and both.

use crate::Error;
use crate::catalog::Hash;
use crate::engines::Native;
use crate::hmac::hmac;

/// Returns the most bytes of output: 255 digests.
pub fn key_max(hash: Hash) -> usize {
    255 * hash.facts().digest_size
}

/// Extracts a uniform key, as long as a digest, from a secret. The salt may be empty.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::OutputSize`].
pub fn extract(hash: Hash, salt: &[u8], secret: &[u8], target: &mut [u8]) -> Result<(), Error> {
    hmac(hash, salt, secret, target)
}

/// Expands an [extracted](extract) key to `target`. Each `info` gives an independent key.
///
/// # Errors
/// [`Error::NotSupported`], [`Error::OutputSize`] for more than [`key_max`] bytes,
/// [`Error::KeySize`] for a key shorter than a digest.
pub fn expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
    if !hash.facts().hmac {
        return Err(Error::NotSupported);
    }
    if key.len() < hash.facts().digest_size {
        return Err(Error::KeySize);
    }
    if target.len() > key_max(hash) {
        return Err(Error::OutputSize);
    }
    Native::hkdf_expand(hash, key, info, target)
}

/// Extracts and expands.
///
/// # Errors
/// As [`expand`].
pub fn derive(
    hash: Hash,
    secret: &[u8],
    salt: &[u8],
    info: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    if !hash.facts().hmac {
        return Err(Error::NotSupported);
    }
    if target.len() > key_max(hash) {
        return Err(Error::OutputSize);
    }
    Native::hkdf(hash, secret, salt, info, target)
}
