//! bcrypt (Provos and Mazieres, 1999).

#[allow(unsafe_code)]
pub(crate) mod digest;

use super::Memory;
use super::function::{DerivationJob, Function, Numbers};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;

/// The lowest cost: the base-2 logarithm of the work.
pub const COST_MIN: u32 = 4;
/// The highest cost.
pub const COST_MAX: u32 = 31;
/// The most bytes of a password that count.
pub const PASSWORD_MAX: usize = 72;

/// Derives the hash of a bcrypt string of kind 2a, 2b or 2y. Only the first [`PASSWORD_MAX`]
/// bytes of the password count. Reaches a checkpoint about every half millisecond.
///
/// # Errors
/// [`Error::Cost`]; [`Error::NotSupported`] for a password with a zero byte, at which some
/// implementations stop and others do not; [`Error::Cancelled`].
pub fn derive(
    password: &[u8],
    salt: &[u8; 16],
    cost: u32,
    target: &mut [u8; 23],
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    if !(COST_MIN..=COST_MAX).contains(&cost) {
        return Err(Error::Cost);
    }
    if password.contains(&0) {
        return Err(Error::NotSupported);
    }
    digest::run(password, salt, cost, target, checkpoint)
}

/// Reads the cost of a derivation.
///
/// # Errors
/// [`Error::Cost`] if bcrypt does not define it.
pub fn parameters(numbers: &Numbers) -> Result<u32, Error> {
    let cost = numbers.cost(0)?;
    if (COST_MIN..=COST_MAX).contains(&cost) { Ok(cost) } else { Err(Error::Cost) }
}

/// Derives the 23 bytes of a new password hash. A longer password is refused rather than truncated.
pub(super) struct Bcrypt;

impl Function for Bcrypt {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        parameters(numbers).map(|_| 0)
    }

    fn predict(
        &self,
        numbers: &Numbers,
        _aad: &[u8],
        _size: usize,
        _block: &dyn Fn(Hash) -> u64,
    ) -> Result<u64, Error> {
        Ok(60_000 << parameters(numbers)?)
    }

    fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        _memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        for (index, job) in jobs.iter_mut().enumerate() {
            if job.password.len() > PASSWORD_MAX {
                return Err(Error::SourceTooLarge);
            }
            let cost = parameters(&job.numbers)?;
            let salt = job.salt.try_into().map_err(|_| Error::SaltSize)?;
            let target = (&mut *job.target).try_into().map_err(|_| Error::OutputSize)?;
            derive(job.password, salt, cost, target, checkpoint)?;
            each(index, job.target);
        }
        Ok(())
    }
}
