//! Running hashes: the state is bytes that JavaScript holds, and each work moves it on.
//!
//! The state comes in as the work's aad and the new one goes to its target (or, of `Squeeze`, to
//! the place of its tag), in memory that is private to the front. Both may be the same place: the
//! old state is read before the new one is written.

use crate::bytes::Window;
use crate::checkpoint::JobCheckpoint;
use crate::work::{Key, Reply, Status, Target, Work};
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::Hash;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::hasher;
use millrace_core::hmac::{self, KeyStates};
use zeroize::Zeroizing;

/// Takes in what comes before the source, then the source.
pub(crate) fn update(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let key = work.hash_key(hash)?;
    let params = Params { seed: work.seed, key: key.as_ref() };
    advance(work, |state, source, next| match &mut checkpoint {
        None => hasher::update(hash, &params, state, source, next),
        Some(checkpoint) => {
            hasher::update_paced(hash, &params, state, source, next, checkpoint.slice, *checkpoint)
        }
    })
}

/// Writes the states of an HMAC's key, which is the source, to the target.
pub(crate) fn mac_begin(work: &Work, hash: Hash) -> Result<(), Status> {
    match work.target {
        Target::Memory(states) => {
            let states = states.exclusive(&[work.source]).ok_or(Status::Argument)?;
            Ok(hmac::key_states(hash, work.source.read(), states)?)
        }
        _ => Err(Status::Argument),
    }
}

/// The same under the key of an HMAC: a prepared one, or its states.
pub(crate) fn mac_update(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    if let Key::Bytes(states) = &work.key {
        let key = KeyStates::new(hash, states.read())?;
        return advance(work, |state, source, next| match &mut checkpoint {
            None => key.update(state, source, next),
            Some(checkpoint) => {
                key.update_paced(state, source, next, checkpoint.slice, *checkpoint)
            }
        });
    }
    let key = work.mac_key(hash)?;
    advance(work, |state, source, next| match &mut checkpoint {
        None => key.update(state, source, next),
        Some(checkpoint) => key.update_paced(state, source, next, checkpoint.slice, *checkpoint),
    })
}

/// The digest of what the state has taken in and the rest in the source.
pub(crate) fn finish(work: &Work, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
    let key = work.hash_key(hash)?;
    let params = Params { seed: work.seed, key: key.as_ref() };
    let (state, rest) = (work.aad.read(), work.source.read());
    work.digest_to(reply, |target| hasher::finish(hash, &params, state, rest, target))
}

/// The same under the key of an HMAC.
pub(crate) fn mac_finish(work: &Work, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
    let (state, rest) = (work.aad.read(), work.source.read());
    if let Key::Bytes(states) = &work.key {
        let key = KeyStates::new(hash, states.read())?;
        return work.digest_to(reply, |target| key.finish(state, rest, target));
    }
    let key = work.mac_key(hash)?;
    work.digest_to(reply, |target| key.finish(state, rest, target))
}

/// The next bytes of an extendable output; the state they leave goes where a tag would.
pub(crate) fn squeeze(work: &Work, hash: Hash) -> Result<(), Status> {
    let (Target::Memory(target), Target::Memory(next)) = (work.target, work.tag_target) else {
        return Err(Status::Argument);
    };
    let output = target.exclusive(&[next, work.aad, work.source]).ok_or(Status::Overlap)?;
    let next = next.exclusive(&[target, work.source]).ok_or(Status::Overlap)?;
    let key = work.hash_key(hash)?;
    let params = Params { seed: work.seed, key: key.as_ref() };
    with_copy(work.aad, |state| {
        hasher::squeeze(hash, &params, state, work.source.read(), output, next)
    })
}

/// All of a long extendable output, in slices.
pub(crate) fn squeeze_long(
    work: &Work,
    hash: Hash,
    params: &Params<'_>,
    target: &mut [u8],
    checkpoint: &mut JobCheckpoint<'_>,
) -> Result<(), Error> {
    let state_size = hasher::state_size(hash);
    let (mut state, mut next) =
        (Zeroizing::new(try_zeroed(state_size)?), Zeroizing::new(try_zeroed(state_size)?));
    // A state of no bytes has not begun.
    let (mut begun, mut rest) = (0, work.source.read());
    if rest.len() > checkpoint.slice {
        hasher::update_paced(hash, params, &[], rest, &mut state, checkpoint.slice, checkpoint)?;
        (begun, rest) = (state_size, &[]);
    }
    for slice in target.chunks_mut(checkpoint.slice) {
        hasher::squeeze(hash, params, &state[..begun], rest, slice, &mut next)?;
        std::mem::swap(&mut state, &mut next);
        (begun, rest) = (state_size, &[]);
        checkpoint.check()?;
    }
    Ok(())
}

fn advance(
    work: &Work,
    mut step: impl FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Status> {
    let Target::Memory(next) = work.target else { return Err(Status::Argument) };
    if next.overlaps(work.source) || next.overlaps(work.iv) {
        return Err(Status::Overlap);
    }
    let mut step = |state: Window, source: Window| match next.exclusive(&[state, source]) {
        Some(bytes) => step(state.read(), source.read(), bytes).map_err(Status::from),
        None => with_copy(state, |state| {
            step(state, source.read(), next.exclusive(&[source]).ok_or(Error::State)?)
        }),
    };
    if work.iv.size() == 0 {
        return step(work.aad, work.source);
    }
    step(work.aad, work.iv)?;
    step(next, work.source)
}

/// Nearly every state fits into this.
const SMALL: usize = 256;

/// The largest one: BLAKE3's, which is a stack of subtrees.
const LARGE: usize = 4096;

/// Runs `work` on a copy of the state, on the stack, and wipes it.
fn with_copy(state: Window, work: impl FnOnce(&[u8]) -> Result<(), Error>) -> Result<(), Status> {
    match state.size() {
        0..=SMALL => with_copy_in::<SMALL>(state, work),
        _ => with_copy_in::<LARGE>(state, work),
    }
}

fn with_copy_in<const ROOM: usize>(
    state: Window,
    work: impl FnOnce(&[u8]) -> Result<(), Error>,
) -> Result<(), Status> {
    let mut room = [0; ROOM];
    let copy = room.get_mut(..state.size()).ok_or(Status::State)?;
    copy.copy_from_slice(state.read());
    let result = work(copy);
    // The zeroize crate's own fill goes byte by byte, 60 ns for a small state.
    copy.fill(0);
    zeroize::optimization_barrier(&room);
    Ok(result?)
}
