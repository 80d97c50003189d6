//! One-shot hashing.

use crate::Error;
use crate::catalog::{Hash, HashFacts};
use crate::checkpoint::Slicer;
use crate::engines::Native;

pub use crate::inputs::Params;

/// Hashes `source` into `target`.
///
/// `target` must be as long as the digest. For an extendable-output hash (`xof` in the catalog) it
/// may have any length from 1 byte. The xxh digests are in canonical, big-endian form.
///
/// # Errors
/// [`Error::OutputSize`] for a target of the wrong length, [`Error::NotSupported`] for a seed or
/// key that this hash does not take, [`Error::Cancelled`] by the slicer's checkpoint.
#[inline]
pub fn digest(
    hash: Hash,
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    check_target(hash.facts(), target.len())?;
    check_params(hash.facts(), params)?;
    Native::digest(hash, params, source, target, slicer)
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

/// Checks that a hash takes these parameters.
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
