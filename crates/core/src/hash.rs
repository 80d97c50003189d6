//! One-shot hashing.

use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::engines::Native;

pub use crate::inputs::{Params, check_params, check_target};

/// Hashes `source` into `target`.
///
/// `target` must be as long as the digest. For an extendable-output hash (`xof` in the catalog) it
/// may have any length from 1 byte. The xxh digests are in canonical, big-endian form.
///
/// # Errors
/// [`Error::OutputSize`] for a target of the wrong length, [`Error::NotSupported`] for a seed or
/// key that this hash does not take, [`Error::Cancelled`] by the slicer's checkpoint.
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn digest(
    hash: Hash,
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    check_target(hash.facts(), params, target.len())?;
    check_params(hash.facts(), params)?;
    Native::digest(hash, params, source, target, slicer)
}
