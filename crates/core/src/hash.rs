//! Hashing: one call, from source to digest.

use crate::Error;
use crate::catalog::{Hash, HashFacts};
use crate::checkpoint::{Checkpoint, Slicer};
use crate::engines::{Chosen, Engine};

pub use crate::inputs::Params;

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
pub fn digest(
    hash: Hash,
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    check_target(hash.facts(), target.len())?;
    check_params(hash.facts(), params)?;
    Chosen::digest(hash, params, source, target)
}

/// As [`digest`], in slices of about `slice` bytes, with a pause after each but the last.
///
/// # Errors
/// As [`digest`]; [`Error::Cancelled`] when it was given up in a pause.
pub fn digest_paced(
    hash: Hash,
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
    slice: usize,
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    check_target(hash.facts(), target.len())?;
    check_params(hash.facts(), params)?;
    Chosen::digest_paced(hash, params, source, target, &mut Slicer::new(slice, checkpoint))
}

/// Checks the size of a target against the catalog.
///
/// # Errors
/// [`Error::OutputSize`].
#[inline]
pub fn check_target(facts: &HashFacts, target_size: usize) -> Result<(), Error> {
    let size_fits = if facts.xof { target_size > 0 } else { target_size == facts.digest_size };
    if size_fits { Ok(()) } else { Err(Error::OutputSize) }
}

/// Checks whether a hash takes these parameters.
///
/// # Errors
/// [`Error::NotSupported`].
#[inline]
pub fn check_params(facts: &HashFacts, params: &Params<'_>) -> Result<(), Error> {
    if (params.seed != 0 && facts.seed_bits == 0) || (params.key.is_some() && facts.key_size == 0) {
        return Err(Error::NotSupported);
    }
    Ok(())
}
