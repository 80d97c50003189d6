//! Hashes: one-shot hashing here, their families in the modules.

#[allow(unsafe_code)]
pub(crate) mod blake2;
#[allow(unsafe_code)]
pub(crate) mod blake3;
#[allow(unsafe_code)]
pub(crate) mod compression;
pub(crate) mod crc;
pub(crate) mod digest;
pub(crate) mod digest_types;
pub mod hasher;
#[allow(unsafe_code)]
pub(crate) mod keccak;
#[allow(unsafe_code)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused))]
pub(crate) mod lanes;
pub mod many;
#[allow(unsafe_code)]
pub(crate) mod md;
pub(crate) mod outboard;
pub(crate) mod parts;
pub(crate) mod ranges;
pub(crate) mod running;
pub(crate) mod state_format;
#[allow(unsafe_code)]
pub(crate) mod xxh;

use self::digest_types::with_digest;
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;

pub use crate::inputs::{Params, check_params, check_target};

/// Hashes `source` into `target`.
///
/// `target` must be as long as the digest. For an extendable-output hash (`xof` in the catalog) it
/// may have any length from 1 byte. The xxh digests are in canonical, big-endian form.
///
/// # Errors
/// [`Error::OutputSize`] for a target of the wrong length, [`Error::NotSupported`] for a seed or
/// key that this hash does not take, [`Error::Cancelled`] by the slicer's checkpoint.
// The call without a key or size has constant parameters, which then cost nothing: 25 to 50 of 340
// instructions.
#[inline(always)]
pub fn digest(
    hash: Hash,
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    check_target(hash.facts(), params, target.len())?;
    check_params(hash.facts(), params)?;
    with_digest!(hash, D => running::digest::<D>(params, source, target, slicer))
}
