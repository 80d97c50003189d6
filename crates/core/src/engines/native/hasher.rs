//! Running hashes: a state is loaded onto the stack, moved on, saved and wiped.

use super::Digest;
use crate::Error;
use crate::inputs::Params;

/// Takes in more of the message.
#[inline]
pub(super) fn update<D: Digest>(
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
) -> Result<(), Error> {
    resume(
        || begun(params, state),
        |running: &mut D| {
            running.update(source);
            running.save(next);
        },
    )
}

/// Takes in the rest of the message, and finishes.
#[inline]
pub(super) fn finish<D: Digest>(
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    resume(|| begun(params, state), |running: &mut D| running.finish_with(rest, target))
}

/// Takes in the rest of the message, or nothing after the first time, and gives the next output.
#[inline]
pub(super) fn squeeze<D: Digest>(
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
    next: &mut [u8],
) -> Result<(), Error> {
    let mut place = begun::<D>(params, state);
    let Some(running) = &mut place else { return Err(Error::State) };
    if running.squeezing() && !rest.is_empty() {
        running.wipe();
        return Err(Error::State);
    }
    if !rest.is_empty() {
        running.update(rest);
    }
    running.squeeze(target);
    running.save(next);
    running.wipe();
    Ok(())
}

/// Whether it is a state.
pub(super) fn check<D: Digest>(params: &Params<'_>, state: &[u8]) -> Result<(), Error> {
    let mut place = D::load(params, state);
    let Some(running) = &mut place else { return Err(Error::State) };
    running.wipe();
    Ok(())
}

/// The hash in this state; an empty one stands for the beginning.
#[inline]
fn begun<D: Digest>(params: &Params<'_>, state: &[u8]) -> Option<D> {
    if state.is_empty() { Some(D::new(params)) } else { D::load(params, state) }
}

/// Runs `work` on a hash that still takes bytes, and wipes it at the place where it was made, so that
/// no copy is left.
#[inline]
pub(super) fn resume<D: Digest>(begun: impl FnOnce() -> Option<D>, work: impl FnOnce(&mut D)) -> Result<(), Error> {
    let mut place = begun();
    let Some(running) = &mut place else { return Err(Error::State) };
    let ended = running.squeezing();
    if !ended {
        work(running);
    }
    running.wipe();
    if ended { Err(Error::State) } else { Ok(()) }
}
