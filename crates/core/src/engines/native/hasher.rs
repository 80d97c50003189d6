//! Running hashes: a state is loaded onto the stack, moved on, saved and wiped.

use super::Digest;
use crate::Error;
use crate::checkpoint::Slicer;
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

/// The one-shot, in slices.
pub(super) fn digest_paced<D: Digest>(
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
    slicer: &mut Slicer<'_>,
) -> Result<(), Error> {
    if source.len() <= slicer.slice() {
        D::digest(params, source, target);
        return Ok(());
    }
    let mut state = D::new(params);
    let result = take_in(&mut state, source, slicer).map(|last| state.finish_with(last, target));
    state.wipe();
    result
}

/// [`update`], in slices.
pub(super) fn update_paced<D: Digest>(
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
    slicer: &mut Slicer<'_>,
) -> Result<(), Error> {
    let mut result = Ok(());
    let slices = |running: &mut D| result = update_in_slices(running, source, next, slicer);
    resume(|| begun(params, state), slices)?;
    result
}

/// Takes in more of the message, and saves the state if it was not given up.
pub(super) fn update_in_slices<D: Digest>(
    running: &mut D,
    source: &[u8],
    next: &mut [u8],
    slicer: &mut Slicer<'_>,
) -> Result<(), Error> {
    let last = take_in(running, source, slicer)?;
    running.update(last);
    running.save(next);
    Ok(())
}

/// Takes in all slices but the last, with a pause after each, and returns that.
pub(super) fn take_in<'a, D: Digest>(
    state: &mut D,
    source: &'a [u8],
    slicer: &mut Slicer<'_>,
) -> Result<&'a [u8], Error> {
    let mut rest = source;
    while rest.len() > slicer.slice() {
        let (slice, after) = rest.split_at(slicer.slice());
        state.update(slice);
        if !slicer.checkpoint() {
            return Err(Error::Cancelled);
        }
        rest = after;
    }
    Ok(rest)
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

/// Runs `work` on a hash that still takes bytes, and wipes it at the place where it was made, so
/// that no copy is left.
#[inline]
pub(super) fn resume<D: Digest>(
    begun: impl FnOnce() -> Option<D>,
    work: impl FnOnce(&mut D),
) -> Result<(), Error> {
    let mut place = begun();
    let Some(running) = &mut place else { return Err(Error::State) };
    let ended = running.squeezing();
    if !ended {
        work(running);
    }
    running.wipe();
    if ended { Err(Error::State) } else { Ok(()) }
}
