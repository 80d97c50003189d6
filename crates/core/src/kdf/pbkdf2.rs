//! PBKDF2 (RFC 8018) over HMAC.
//!
//! A block of output is as long as a digest and takes a sequence of HMACs. [`derive_many`] computes
//! several blocks at once in one thread, of one job or of several with the same hash.

use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, NoCheckpoint};
use crate::engines::Native;

pub use super::inputs::Pbkdf2Job as Job;

/// Returns the most bytes of a derived key: 2^32 - 1 digests.
pub fn key_max(hash: Hash) -> u64 {
    hash.facts().digest_size as u64 * 0xffff_ffff
}

/// Returns how many blocks of output are computed at once on this machine.
pub fn lanes(hash: Hash) -> usize {
    Native::pbkdf2_lanes(hash).max(1)
}

/// Derives a key.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::Cost`] for 0 iterations,
/// [`Error::OutputSize`] for more than [`key_max`] bytes.
pub fn derive(
    hash: Hash,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    target: &mut [u8],
) -> Result<(), Error> {
    derive_many(
        hash,
        &mut [Job { password, salt, iterations, target }],
        &mut NoCheckpoint,
        |_, _| {},
    )
}

/// Derives the keys of several jobs with one hash. Calls `each` once per job with its index and its
/// key, which is then in its target. Reaches a checkpoint at least once per millisecond. The target
/// of a cancelled job is unspecified, and `each` is not called for it.
///
/// # Errors
/// As [`derive()`]; nothing was computed then.
pub fn derive_many(
    hash: Hash,
    jobs: &mut [Job<'_>],
    checkpoint: &mut dyn Checkpoint,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    if !hash.facts().hmac {
        return Err(Error::NotSupported);
    }
    if jobs.iter().any(|job| job.iterations == 0) {
        return Err(Error::Cost);
    }
    if jobs.iter().any(|job| job.target.len() as u64 > key_max(hash)) {
        return Err(Error::OutputSize);
    }
    Native::pbkdf2(hash, jobs, checkpoint, &mut each)
}
