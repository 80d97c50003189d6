//! bcrypt (Provos and Mazieres, 1999).

#[allow(unsafe_code)]
mod blowfish;

use self::blowfish::Blowfish;
use super::Memory;
use super::function::{DerivationJob, DerivationSize, Function, Numbers};
use crate::Error;
use crate::allocate::try_box;
use crate::checkpoint::Checkpoint;
use crate::wipe::{Secret, wipe_below};

/// The lowest cost: the base-2 logarithm of the work.
pub const COST_MIN: u32 = 4;
/// The highest cost.
pub const COST_MAX: u32 = 31;
/// The most bytes of a password that count.
pub const PASSWORD_MAX: usize = 72;

/// Rounds, of two key schedules each, between two checkpoints: about 500 us.
const SLICE: u64 = 8;

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
    let mut key = Secret::<PASSWORD_MAX>::zeros();
    let size = (password.len() + 1).min(PASSWORD_MAX);
    let used = password.len().min(PASSWORD_MAX);
    key.0[..used].copy_from_slice(&password[..used]);
    let key = &key.0[..size];

    let mut state = try_box(Blowfish::new())?;
    state.mix_salted(key, salt);
    // A multiple of the slice.
    let rounds = 1_u64 << cost;
    for done in (SLICE..=rounds).step_by(SLICE as usize) {
        state.mix(key, salt, SLICE);
        checkpoint.progress(0, done, rounds);
        checkpoint.checkpoint();
        if checkpoint.cancelled(0) {
            return Err(Error::Cancelled);
        }
    }

    let mut bytes = Secret::<24>::zeros();
    for (bytes, text) in bytes
        .0
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(b"OrpheanBeholderScryDoubt".as_chunks::<8>().0)
    {
        let [left, right] = [0, 4]
            .map(|at| u32::from_be_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]));
        let mut words = [left, right];
        for _ in 0..64 {
            words = state.encrypt(words);
        }
        bytes[..4].copy_from_slice(&words[0].to_be_bytes());
        bytes[4..].copy_from_slice(&words[1].to_be_bytes());
    }
    target.copy_from_slice(&bytes.0[..23]);
    wipe_below();
    Ok(())
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

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        Ok(60_000 << parameters(size.numbers)?)
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
