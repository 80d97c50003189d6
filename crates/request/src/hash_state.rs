//! Running hashes. JavaScript holds the state of a hash as bytes, and each work computes the next.
//!
//! The state is the work's aad, and the next state is written to the target (for `Squeeze` to that
//! of the tag). Both may be the same memory: the old state is read before the new one is written.

use crate::bytes::Window;
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::work::{Key, Reply, Status, Target, Work};
use millrace_core::catalog::Hash;
use millrace_core::error::Error;
use millrace_core::hasher;
use millrace_core::hmac::{self, KeyStates};

/// Hashes the bytes of the iv, then those of the source.
///
/// # Errors
/// [`Status::State`], [`Status::Overlap`] and [`Status::Cancelled`].
pub fn update(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    work.with_params(hash, |params| {
        advance_work(work, |state, source, next| {
            hasher::update(hash, params, state, source, next, slicer(&mut checkpoint))
        })
    })
}

/// Writes the states of an HMAC's key, which is the source, to the target.
pub fn mac_begin(work: &Work, hash: Hash) -> Result<(), Status> {
    match work.target {
        Target::Memory(states) => {
            let states = states.exclusive(&[work.source]).ok_or(Status::Argument)?;
            Ok(hmac::key_states(hash, work.source.read(), states)?)
        }
        _ => Err(Status::Argument),
    }
}

/// Works like [`update`], for an HMAC with a prepared key, or with the states of one as key.
pub fn mac_update(
    work: &Work,
    hash: Hash,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    if let Key::Bytes(states) = &work.key {
        let key = KeyStates::new(hash, states.read())?;
        return advance_work(work, |state, source, next| {
            key.update(state, source, next, slicer(&mut checkpoint))
        });
    }
    let key = work.mac_key(hash)?;
    advance_work(work, |state, source, next| {
        key.update(state, source, next, slicer(&mut checkpoint))
    })
}

/// Computes the digest of all bytes hashed so far and of the rest in the source.
///
/// # Errors
/// [`Status::State`], [`Status::OutputSize`].
pub fn finish(work: &Work, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
    let (state, rest) = (work.aad.read(), work.source.read());
    work.with_params(hash, |params| {
        work.digest_to(reply, |target| hasher::finish(hash, params, state, rest, target))
    })
}

/// Works like [`finish`], for an HMAC.
pub fn mac_finish(work: &Work, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
    let (state, rest) = (work.aad.read(), work.source.read());
    if let Key::Bytes(states) = &work.key {
        let key = KeyStates::new(hash, states.read())?;
        return work.digest_to(reply, |target| key.finish(state, rest, target));
    }
    let key = work.mac_key(hash)?;
    work.digest_to(reply, |target| key.finish(state, rest, target))
}

/// Computes the next bytes of an extendable output, and writes the next state to the target of the
/// tag.
///
/// # Errors
/// [`Status::State`], [`Status::Overlap`].
pub fn squeeze(work: &Work, hash: Hash) -> Result<(), Status> {
    let (Target::Memory(target), Target::Memory(next)) = (work.target, work.tag_target) else {
        return Err(Status::Argument);
    };
    let output = target.exclusive(&[next, work.aad, work.source]).ok_or(Status::Overlap)?;
    let next = next.exclusive(&[target, work.source]).ok_or(Status::Overlap)?;
    work.with_params(hash, |params| {
        with_copy(work.aad, |state| {
            hasher::squeeze(hash, params, state, work.source.read(), output, next)
        })
    })
}

fn advance_work(
    work: &Work,
    step: impl FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Status> {
    let Target::Memory(next) = work.target else { return Err(Status::Argument) };
    advance(work.aad, work.iv, work.source, next, step)
}

/// Calls `step` with the state and the first bytes, if there are any, then with the rest.
pub(crate) fn advance(
    state: Window,
    first: Window,
    rest: Window,
    next: Window,
    mut step: impl FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Status> {
    if next.overlaps(rest) || next.overlaps(first) {
        return Err(Status::Overlap);
    }
    let mut step = |state: Window, source: Window| match next.exclusive(&[state, source]) {
        Some(bytes) => step(state.read(), source.read(), bytes).map_err(Status::from),
        None => with_copy(state, |state| {
            step(state, source.read(), next.exclusive(&[source]).ok_or(Error::State)?)
        }),
    };
    if first.size() == 0 {
        return step(state, rest);
    }
    step(state, first)?;
    if rest.size() == 0 { Ok(()) } else { step(next, rest) }
}

/// The bytes of most states.
const SMALL_BYTES: usize = 256;

/// The bytes of the largest state: that of BLAKE3, a stack of subtrees.
const LARGE_BYTES: usize = 4096;

/// Runs `work` on a copy of the state, on the stack, and wipes it.
fn with_copy(state: Window, work: impl FnOnce(&[u8]) -> Result<(), Error>) -> Result<(), Status> {
    match state.size() {
        0..=SMALL_BYTES => with_copy_in::<SMALL_BYTES>(state, work),
        _ => with_copy_in::<LARGE_BYTES>(state, work),
    }
}

fn with_copy_in<const BYTES: usize>(
    state: Window,
    work: impl FnOnce(&[u8]) -> Result<(), Error>,
) -> Result<(), Status> {
    let mut buffer = [0; BYTES];
    let copy = buffer.get_mut(..state.size()).ok_or(Status::State)?;
    copy.copy_from_slice(state.read());
    let result = work(copy);
    // The zeroize crate writes byte by byte: 60 ns for a small state.
    copy.fill(0);
    zeroize::optimization_barrier(&buffer);
    Ok(result?)
}
