//! bcrypt, to verify password hashes of old.

use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::engines::{Chosen, Derivation};

/// The least cost: the work is 2 to this power.
pub const COST_MIN: u32 = 4;
/// The greatest cost.
pub const COST_MAX: u32 = 31;

/// Derives what a bcrypt string of the kinds 2a, 2b and 2y holds. Of the password the first 72
/// bytes count. Pauses after about half a millisecond.
///
/// # Errors
/// [`Error::Cost`]; [`Error::NotSupported`] for a password with a zero byte, which ends it in some
/// implementations and not in others; [`Error::Cancelled`].
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
    Chosen::bcrypt(password, salt, cost, target, checkpoint)
}
