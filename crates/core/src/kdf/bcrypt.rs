//! bcrypt, to verify existing password hashes.

use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::engines::kdf::bcrypt as engine;

/// The lowest cost: the base-2 logarithm of the work.
pub const COST_MIN: u32 = 4;
/// The highest cost.
pub const COST_MAX: u32 = 31;

/// Derives the hash of a bcrypt string of kind 2a, 2b or 2y. Only the first 72 bytes of the
/// password count. Reaches a checkpoint about every half millisecond.
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
    engine::run(password, salt, cost, target, checkpoint)
}
