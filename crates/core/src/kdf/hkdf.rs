//! HKDF (RFC 5869): extract and expand, over HMAC. The states of HMAC after its key are kept.

use super::Memory;
use super::function::{DerivationJob, DerivationSize, Function, Numbers, digests};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;
use crate::hash::digest::{DIGEST_MAX, Digest};
use crate::hash::digest_types::with_digest;
use crate::hmac::computation::{self, Midstates};
use crate::hmac::hmac;
use crate::wipe::Secret;

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
    with_digest!(hash, D => {
        let mut key = Secret::<DIGEST_MAX>::zeros();
        let key = &mut key.0[..D::SIZE];
        computation::hmac::<D>(salt, secret, key);
        expand_from::<D>(key, info, target)
    }, _ => Err(Error::NotSupported))
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
    with_digest!(hash, D => expand_from::<D>(key, info, target), _ => Err(Error::NotSupported))
}

/// Expands a key to `target`, which has at most 255 digests.
fn expand_from<D: Digest>(key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error> {
    let states = Midstates::<D>::boxed(key)?;
    let mut block = Secret::<DIGEST_MAX>::zeros();
    let block = &mut block.0[..D::SIZE];
    let mut hash = Secret::<DIGEST_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    for (index, target) in target.chunks_mut(D::SIZE).enumerate() {
        let mut inner = states.inner.clone();
        if index > 0 {
            inner.update(block);
        }
        inner.update(info);
        inner.finish_with(&[index as u8 + 1], hash);
        inner.wipe();
        states.outer.finish_copy(hash, block);
        target.copy_from_slice(&block[..target.len()]);
    }
    Ok(())
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

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        let hash = size.numbers.hash()?;
        // HMACs; each of few blocks.
        let count = match self {
            Steps::Hkdf => digests(hash, size.target) + 2,
            Steps::HkdfExtract => 1,
            Steps::HkdfExpand => digests(hash, size.target) + 1,
        };
        Ok(4 * (size.block)(hash).saturating_mul(count))
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
