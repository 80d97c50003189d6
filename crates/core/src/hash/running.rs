//! Running hashes: a state is loaded onto the stack, advanced, saved and wiped.

use super::digest::Digest;
use crate::Error;
use crate::checkpoint::Slicer;
use crate::inputs::Params;

/// Hashes a message, in slices if it or its digest is longer than one.
#[inline]
pub(crate) fn digest<D: Digest>(
    params: &Params<'_>,
    source: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    if Slicer::cuts(&slicer, source.len().max(target.len())) {
        let mut state = D::new(params);
        let result = in_slices(&mut state, source, target, slicer);
        state.wipe();
        return result;
    }
    D::digest(params, source, target);
    Ok(())
}

/// Hashes a message from a state, in slices; see [`digest`].
pub(crate) fn digest_from<D: Digest>(
    state: &D,
    source: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    let mut state = state.clone();
    let result = in_slices(&mut state, source, target, slicer);
    state.wipe();
    result
}

fn in_slices<D: Digest>(
    state: &mut D,
    source: &[u8],
    target: &mut [u8],
    mut slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    let last = absorb_slices(state, source, &mut slicer)?;
    // Digests of one size are not squeezed.
    if target.len() <= D::SIZE || !Slicer::cuts(&slicer, target.len()) {
        state.finish_with(last, target);
        return Ok(());
    }
    state.update(last);
    state.end_message(target.len());
    Slicer::fill(slicer, target, |slice| state.squeeze(slice))
}

/// Absorbs more of the message.
#[inline]
pub(crate) fn update<D: Digest>(
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    update_from::<D>(|| begun(params, state), source, next, slicer)
}

/// Works like [`update`], from a state that has begun.
#[inline]
pub(crate) fn update_from<D: Digest>(
    begun: impl FnOnce() -> Option<D>,
    source: &[u8],
    next: &mut [u8],
    mut slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    resume(begun, |running| {
        let last = absorb_slices(running, source, &mut slicer)?;
        running.update(last);
        running.save(next);
        Ok(())
    })
}

/// Absorbs all slices but the last, with a checkpoint after each, and returns the last.
#[inline]
pub(crate) fn absorb_slices<'a, D: Digest>(
    state: &mut D,
    source: &'a [u8],
    slicer: &mut Option<Slicer<'_>>,
) -> Result<&'a [u8], Error> {
    let mut rest = source;
    if let Some(slicer) = slicer {
        while let Some((slice, after)) = rest.split_at_checked(slicer.slice())
            && !after.is_empty()
        {
            state.update(slice);
            slicer.checkpoint()?;
            rest = after;
        }
    }
    Ok(rest)
}

/// Absorbs the rest of the message and writes the digest.
#[inline]
pub(crate) fn finish<D: Digest>(
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    finish_from::<D>(|| begun(params, state), rest, target)
}

/// Works like [`finish`], from a state that has begun.
#[inline]
pub(crate) fn finish_from<D: Digest>(
    begun: impl FnOnce() -> Option<D>,
    rest: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    resume(begun, |running| {
        running.finish_with(rest, target);
        Ok(())
    })
}

/// Absorbs the rest of the message (nothing after the first call) and squeezes the next output.
#[inline]
pub(crate) fn squeeze<D: Digest>(
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

/// Returns [`Error::State`] if this is not a state.
pub(crate) fn check<D: Digest>(params: &Params<'_>, state: &[u8]) -> Result<(), Error> {
    let mut place = D::load(params, state);
    let Some(running) = &mut place else { return Err(Error::State) };
    running.wipe();
    Ok(())
}

/// Returns the hash in this state; an empty state has not begun.
#[inline]
fn begun<D: Digest>(params: &Params<'_>, state: &[u8]) -> Option<D> {
    if state.is_empty() { Some(D::new(params)) } else { D::load(params, state) }
}

/// Runs `work` on a hash that still absorbs, and wipes it in place, so that no copy remains.
#[inline]
fn resume<D: Digest>(
    begun: impl FnOnce() -> Option<D>,
    work: impl FnOnce(&mut D) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut place = begun();
    let Some(running) = &mut place else { return Err(Error::State) };
    let result = if running.squeezing() { Err(Error::State) } else { work(running) };
    running.wipe();
    result
}
