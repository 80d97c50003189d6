//! Hashing piece by piece. The state of a running hash is a string of bytes: `state_size` of them,
//! the same on every machine, so that it can be copied, kept and sent like any other bytes.
//!
//! An empty state is a hash that has not begun. Key and seed are no part of a state (though most
//! states of a keyed or seeded hash fit no other key or seed): they are given with every call.
//! States hold what they need of the message, so they are as secret as the message.

use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, Slicer};
use crate::engines::{Chosen, Stateful};
use crate::hash::{check_params, check_target};

pub use crate::inputs::Params;

/// Bytes of a state of this hash.
#[inline]
pub fn state_size(hash: Hash) -> usize {
    hash.facts().state_size
}

/// Takes in more of the message, and writes the new state to `next`.
///
/// # Errors
/// [`Error::State`] for what is not a state of this hash, or has begun to give output;
/// [`Error::OutputSize`] for a `next` of the wrong size; [`Error::NotSupported`] for a seed or key
/// which this hash does not take.
#[inline]
pub fn update(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    check_next(hash, next)?;
    Chosen::update(hash, params, state, source, next)
}

/// As [`update`], in slices of about `slice` bytes, with a pause after each but the last.
///
/// # Errors
/// As [`update`]; [`Error::Cancelled`] when it was given up in a pause, with `next` untouched.
pub fn update_paced(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
    slice: usize,
    checkpoint: &mut dyn Checkpoint,
) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    check_next(hash, next)?;
    Chosen::update_paced(hash, params, state, source, next, &mut Slicer::new(slice, checkpoint))
}

/// Takes in the rest of the message, and writes the digest to `target`, whose size is as for
/// [`digest`](crate::hash::digest).
///
/// # Errors
/// As [`update`] and [`digest`](crate::hash::digest).
#[inline]
pub fn finish(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    check_target(hash.facts(), target.len())?;
    Chosen::finish(hash, params, state, rest, target)
}

/// Takes in the rest of the message if it has not ended yet, fills `target` with the next bytes of
/// output, any number of them, and writes the new state to `next`. Many calls give what one long
/// one gives.
///
/// # Errors
/// As [`update`]; [`Error::State`] too where `rest` is not empty after the first call;
/// [`Error::NotSupported`] for a hash whose output has one size.
#[inline]
pub fn squeeze(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
    next: &mut [u8],
) -> Result<(), Error> {
    if !hash.facts().xof {
        return Err(Error::NotSupported);
    }
    check_params(hash.facts(), params)?;
    check_next(hash, next)?;
    Chosen::squeeze(hash, params, state, rest, target, next)
}

/// Whether this is a state of this hash, for states that come from elsewhere. An empty one is not.
///
/// # Errors
/// [`Error::State`] if it is not; [`Error::NotSupported`] for a seed or key which this hash does
/// not take.
pub fn check(hash: Hash, params: &Params<'_>, state: &[u8]) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    Chosen::check(hash, params, state)
}

#[inline]
pub(crate) fn check_next(hash: Hash, next: &[u8]) -> Result<(), Error> {
    if next.len() == state_size(hash) { Ok(()) } else { Err(Error::OutputSize) }
}
