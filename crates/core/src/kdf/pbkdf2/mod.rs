//! PBKDF2 (RFC 8018) over HMAC.
//!
//! A block of output is as long as a digest and takes a sequence of HMACs. [`derive_many`] computes
//! several blocks at once in one thread, of one job or of several with the same hash.

pub(crate) mod iterate;

use super::Memory;
use super::function;
use super::function::{Function, Numbers, digests};
use crate::Error;
use crate::allocate::try_collect;
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, NoCheckpoint};

pub use self::iterate::Pbkdf2Job;

/// Returns the most bytes of a derived key: 2^32 - 1 digests.
pub fn key_max(hash: Hash) -> u64 {
    hash.facts().digest_size as u64 * 0xffff_ffff
}

/// Returns how many blocks of output are computed at once on this machine.
pub fn lanes(hash: Hash) -> usize {
    iterate::lanes(hash).max(1)
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
        &mut [Pbkdf2Job { password, salt, iterations, target }],
        &mut NoCheckpoint,
        |_, _| {},
    )
}

/// Derives the keys of several jobs with one hash. Calls `each` once per job with its index and its
/// key, which is then in its target. Reaches a checkpoint at least once per millisecond. The target
/// of a cancelled job is unspecified, and `each` is not called for it.
///
/// # Errors
/// As [`derive()`], and [`Error::Memory`]. `each` has been called for the jobs that are done.
pub fn derive_many(
    hash: Hash,
    jobs: &mut [Pbkdf2Job<'_>],
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
    iterate::run(hash, jobs, checkpoint, &mut each)
}

pub(super) struct Pbkdf2;

/// The low byte of a kind is this and the hash's number.
const KIND: u8 = 0x80;

impl Function for Pbkdf2 {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        numbers.hash().and(numbers.cost(0)).map(|_| 0)
    }

    fn predict(
        &self,
        numbers: &Numbers,
        _aad: &[u8],
        size: usize,
        block: &dyn Fn(Hash) -> u64,
    ) -> Result<u64, Error> {
        let hash = numbers.hash()?;
        // Two compressions an iteration, from kept states.
        let iterations = u64::from(numbers.cost(0)?) + 2;
        Ok(block(hash).saturating_mul(digests(hash, size)).saturating_mul(iterations))
    }

    fn kind(&self, numbers: &Numbers) -> Option<u32> {
        Some((KIND | numbers.hash().ok()? as u8).into())
    }

    fn batch_limit(&self, kind: u8) -> Option<usize> {
        let hash = Hash::from_id(kind & !KIND).filter(|_| kind & KIND != 0)?;
        Some(lanes(hash))
    }

    fn derive(
        &self,
        jobs: &mut [function::DerivationJob<'_>],
        _memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        let hash = jobs[0].numbers.hash()?;
        let jobs = jobs.iter_mut().map(|job| {
            let &mut function::DerivationJob { password, salt, ref mut target, .. } = job;
            Ok(Pbkdf2Job { password, salt, iterations: job.numbers.cost(0)?, target })
        });
        derive_many(hash, &mut try_collect(jobs)?, checkpoint, each)
    }
}
