//! Hashing: one call, from source to digest.

use crate::Error;
use crate::catalog::{Hash, HashFacts};
use crate::engines::{Chosen, Engine};

/// What some hashes take besides the source. The default is no seed and no key.
#[derive(Copy, Clone, Debug, Default)]
pub struct Params<'a> {
    /// The seed of the xxh family. `xxh32` uses the low 32 bits. Must be 0 for all other hashes.
    pub seed: u64,
    /// The key of BLAKE3's keyed mode. Must be `None` for all other hashes.
    pub key: Option<&'a [u8; 32]>,
}

/// Hashes `source` into `target`.
///
/// `target` must be as long as the digest, or for an extendable-output hash (`xof` in the catalog)
/// as long as the caller wants, at least one byte.
///
/// The xxh digests are in the canonical, big-endian form.
///
/// # Errors
/// [`Error::OutputSize`] for a target of the wrong length, [`Error::NotSupported`] for a seed or
/// key which this hash does not take.
#[inline]
pub fn digest(hash: Hash, params: &Params<'_>, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
    check(hash.facts(), params, target.len())?;
    Chosen::digest(hash, params, source, target);
    Ok(())
}

fn check(facts: &HashFacts, params: &Params<'_>, target_size: usize) -> Result<(), Error> {
    let size_fits = if facts.xof { target_size > 0 } else { target_size == facts.digest_size };
    if !size_fits {
        return Err(Error::OutputSize);
    }
    if (params.seed != 0 && facts.seed_bits == 0) || (params.key.is_some() && facts.key_size == 0) {
        return Err(Error::NotSupported);
    }
    Ok(())
}
