//! One-shot hashing.

use crate::Error;
use crate::catalog::{Hash, HashFacts, Parameter};
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

/// Checks the size of a target against the catalog and the parameters.
///
/// # Errors
/// [`Error::OutputSize`].
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn check_target(
    facts: &HashFacts,
    params: &Params<'_>,
    target_size: usize,
) -> Result<(), Error> {
    let size_fits = if facts.xof {
        target_size > 0
    } else if params.parameters.is_empty() {
        target_size == facts.digest_size
    } else {
        target_size == digest_size(facts, params)
    };
    if size_fits { Ok(()) } else { Err(Error::OutputSize) }
}

/// Returns the bytes of the digest with these parameters.
pub(crate) fn digest_size(facts: &HashFacts, params: &Params<'_>) -> usize {
    let size = params.parameters.number(Parameter::OutputLength);
    size.map_or(facts.digest_size, |size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// Checks that a hash takes these parameters.
///
/// # Errors
/// [`Error::NotSupported`] for a parameter that it does not take, and those of
/// [`Parameters::check`](crate::parameters::Parameters::check).
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn check_params(facts: &HashFacts, params: &Params<'_>) -> Result<(), Error> {
    if params.seed != 0 && facts.seed_bits == 0 {
        return Err(Error::NotSupported);
    }
    if params.key.is_some() || !params.parameters.is_empty() {
        return check_rare(facts, params);
    }
    Ok(())
}

fn check_rare(facts: &HashFacts, params: &Params<'_>) -> Result<(), Error> {
    if params.parameters.is_empty() {
        return if facts.takes_raw_key() { Ok(()) } else { Err(Error::NotSupported) };
    }
    // The key has one place.
    let in_block = params.parameters.bytes(Parameter::Key).is_some();
    if params.key.is_some() || (in_block && facts.takes_raw_key()) {
        return Err(Error::NotSupported);
    }
    params.parameters.check(facts)
}
