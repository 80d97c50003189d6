//! Running hashes: the state is bytes that JavaScript holds, and each work moves it on.
//!
//! The state comes in as the work's aad and the new one goes to its target (or, of `Squeeze`, to
//! the place of its tag), in memory that is private to the front. Both may be the same place: the
//! old state is read before the new one is written.

use crate::bytes::Window;
use crate::checkpoint::{JobCheckpoint, slicer};
use crate::work::{Key, Reply, Status, Target, Work};
use millrace_core::allocate::try_zeroed;
use millrace_core::catalog::Hash;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::hasher;
use millrace_core::hmac::{self, KeyStates};
use zeroize::Zeroizing;

impl Work {
    /// Takes in what comes before the source, then the source.
    pub(crate) fn update(
        &self,
        hash: Hash,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        let key = self.hash_key(hash)?;
        let params = Params { seed: self.seed, key: key.as_ref() };
        self.advance(|state, source, next| {
            hasher::update(hash, &params, state, source, next, slicer(&mut checkpoint))
        })
    }

    /// Writes the states of an HMAC's key, which is the source, to the target.
    pub(crate) fn mac_begin(&self, hash: Hash) -> Result<(), Status> {
        match self.target {
            Target::Memory(states) => {
                let states = states.exclusive(&[self.source]).ok_or(Status::Argument)?;
                Ok(hmac::key_states(hash, self.source.read(), states)?)
            }
            _ => Err(Status::Argument),
        }
    }

    /// The same under the key of an HMAC: a prepared one, or its states.
    pub(crate) fn mac_update(
        &self,
        hash: Hash,
        mut checkpoint: Option<&mut JobCheckpoint<'_>>,
    ) -> Result<(), Status> {
        if let Key::Bytes(states) = &self.key {
            let key = KeyStates::new(hash, states.read())?;
            return self.advance(|state, source, next| {
                key.update(state, source, next, slicer(&mut checkpoint))
            });
        }
        let key = self.mac_key(hash)?;
        self.advance(|state, source, next| key.update(state, source, next, slicer(&mut checkpoint)))
    }

    /// The digest of what the state has taken in and the rest in the source.
    pub(crate) fn finish(&self, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let key = self.hash_key(hash)?;
        let params = Params { seed: self.seed, key: key.as_ref() };
        let (state, rest) = (self.aad.read(), self.source.read());
        self.digest_to(reply, |target| hasher::finish(hash, &params, state, rest, target))
    }

    /// The same under the key of an HMAC.
    pub(crate) fn mac_finish(&self, hash: Hash, reply: &mut Reply) -> Result<(), Status> {
        let (state, rest) = (self.aad.read(), self.source.read());
        if let Key::Bytes(states) = &self.key {
            let key = KeyStates::new(hash, states.read())?;
            return self.digest_to(reply, |target| key.finish(state, rest, target));
        }
        let key = self.mac_key(hash)?;
        self.digest_to(reply, |target| key.finish(state, rest, target))
    }

    /// The next bytes of an extendable output; the state they leave goes where a tag would.
    pub(crate) fn squeeze(&self, hash: Hash) -> Result<(), Status> {
        let (Target::Memory(target), Target::Memory(next)) = (self.target, self.tag_target) else {
            return Err(Status::Argument);
        };
        let output = target.exclusive(&[next, self.aad, self.source]).ok_or(Status::Overlap)?;
        let next = next.exclusive(&[target, self.source]).ok_or(Status::Overlap)?;
        let key = self.hash_key(hash)?;
        let params = Params { seed: self.seed, key: key.as_ref() };
        with_copy(self.aad, |state| {
            hasher::squeeze(hash, &params, state, self.source.read(), output, next)
        })
    }

    /// All of a long extendable output, in slices.
    pub(crate) fn squeeze_long(
        &self,
        hash: Hash,
        params: &Params<'_>,
        target: &mut [u8],
        checkpoint: &mut JobCheckpoint<'_>,
    ) -> Result<(), Error> {
        let state_size = hasher::state_size(hash);
        let (mut state, mut next) =
            (Zeroizing::new(try_zeroed(state_size)?), Zeroizing::new(try_zeroed(state_size)?));
        // A state of no bytes has not begun.
        let (mut begun, mut rest) = (0, self.source.read());
        if rest.len() > checkpoint.slice {
            hasher::update(hash, params, &[], rest, &mut state, Some(checkpoint.slicer()))?;
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

    /// True where the new state may take the place of the old one, which then is copied here.
    pub(crate) fn moves_state(&self) -> bool {
        use crate::work::Operation::{MacUpdate, Squeeze, Update};
        matches!(self.operation, Update(_) | MacUpdate(_) | Squeeze(_))
    }

    fn advance(
        &self,
        mut step: impl FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Status> {
        let Target::Memory(next) = self.target else { return Err(Status::Argument) };
        if next.overlaps(self.source) || next.overlaps(self.iv) {
            return Err(Status::Overlap);
        }
        let mut step = |state: Window, source: Window| match next.exclusive(&[state, source]) {
            Some(bytes) => step(state.read(), source.read(), bytes).map_err(Status::from),
            None => with_copy(state, |state| {
                step(state, source.read(), next.exclusive(&[source]).ok_or(Error::State)?)
            }),
        };
        if self.iv.size() == 0 {
            return step(self.aad, self.source);
        }
        step(self.aad, self.iv)?;
        step(next, self.source)
    }
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
