//! HKDF (RFC 5869): extract and expand.

pub(crate) mod expand;

use super::Memory;
use super::function::{DerivationJob, Function, Numbers, digests};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;
use crate::hmac::hmac;

/// Returns the most bytes of output: 255 digests.
pub fn key_max(hash: Hash) -> usize {
    255 * hash.facts().digest_size
}

/// Extracts a uniform key from a secret and expands it to `target`. The salt may be empty. Each
/// `info` gives an independent key.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::OutputSize`] for more than
/// [`key_max`] bytes.
pub fn derive(
    hash: Hash,
    secret: &[u8],
    salt: &[u8],
    info: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    if target.len() > key_max(hash) && hash.facts().hmac {
        return Err(Error::OutputSize);
    }
    expand::run(hash, secret, salt, info, target)
}

/// Extracts a uniform key of one digest from a secret. The salt may be empty.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::OutputSize`] if the target
/// has another size than the digest.
pub fn extract(hash: Hash, secret: &[u8], salt: &[u8], target: &mut [u8]) -> Result<(), Error> {
    hmac(hash, salt, secret, target)
}

/// Expands a uniform key to `target`. Each `info` gives an independent key.
///
/// # Errors
/// Those of [`derive()`], and [`Error::KeySize`] for a key shorter than the digest.
pub fn expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
    if hash.facts().hmac && key.len() < hash.facts().digest_size {
        return Err(Error::KeySize);
    }
    if hash.facts().hmac && target.len() > key_max(hash) {
        return Err(Error::OutputSize);
    }
    expand::expand(hash, key, info, target)
}

/// The steps of a job.
pub(super) enum Steps {
    /// [`derive()`].
    Hkdf,
    /// [`extract`].
    HkdfExtract,
    /// [`expand`].
    HkdfExpand,
}

impl Function for Steps {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        numbers.hash().map(|_| 0)
    }

    fn predict(
        &self,
        numbers: &Numbers,
        _aad: &[u8],
        size: usize,
        block: &dyn Fn(Hash) -> u64,
    ) -> Result<u64, Error> {
        let hash = numbers.hash()?;
        // HMACs; each of few blocks.
        let count = match self {
            Steps::Hkdf => digests(hash, size) + 2,
            Steps::HkdfExtract => 1,
            Steps::HkdfExpand => digests(hash, size) + 1,
        };
        Ok(4 * block(hash).saturating_mul(count))
    }

    fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        _memory: &mut Memory,
        _checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        for (index, job) in jobs.iter_mut().enumerate() {
            let hash = job.numbers.hash()?;
            match self {
                Steps::Hkdf => {
                    derive(hash, job.password, job.salt, job.aad, job.target)?;
                }
                Steps::HkdfExtract => extract(hash, job.password, job.salt, job.target)?,
                Steps::HkdfExpand => expand(hash, job.password, job.aad, job.target)?,
            }
            each(index, job.target);
        }
        Ok(())
    }
}
