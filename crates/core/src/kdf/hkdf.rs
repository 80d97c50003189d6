//! HKDF (RFC 5869): extract and expand.

use super::Memory;
use super::function::{Function, Job, Numbers, digests};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;
use crate::engines::kdf::hkdf as engine;

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
    engine::run(hash, secret, salt, info, target)
}

pub(super) struct Hkdf;

impl Function for Hkdf {
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
        // Two HMACs, and one for each block.
        Ok(4 * block(hash).saturating_mul(digests(hash, size) + 2))
    }

    fn derive(
        &self,
        jobs: &mut [Job<'_>],
        _memory: &mut Memory,
        _checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        for (index, job) in jobs.iter_mut().enumerate() {
            derive(job.numbers.hash()?, job.password, job.salt, job.aad, job.target)?;
            each(index, job.target);
        }
        Ok(())
    }
}
