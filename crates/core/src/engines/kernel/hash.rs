//! Hashes and HMACs by the kernel: a running one is a socket or a session, in the middle of a
//! message.

use std::sync::Arc;

use super::cryptodev::Take;
use super::places::{At, Place, Places};
use super::reason::{Failure, interned};
use crate::Error;
use crate::checkpoint::Slicer;

/// The most bytes in one call: longer ones would gain nothing.
pub(super) const CHUNK: usize = 64 << 10;

/// A running hash.
pub(crate) struct Running {
    places: Arc<Places>,
    place: Place,
    /// Whether it has taken in anything.
    begun: bool,
}

/// Who is asked between the chunks of a long message.
pub(super) type Rhythm<'a, 'b> = Option<&'a mut Slicer<'b>>;

/// Hashes a message.
pub(super) fn digest(
    places: &Arc<Places>,
    source: &[u8],
    target: &mut [u8],
    rhythm: Rhythm<'_, '_>,
) -> Result<(), Error> {
    Running::begin(places)?.end(source, target, rhythm)
}

impl Running {
    /// One that has taken in nothing.
    pub(super) fn begin(places: &Arc<Places>) -> Result<Running, Error> {
        Ok(Running { place: places.take()?, places: Arc::clone(places), begun: false })
    }

    /// What it belongs to.
    pub(super) fn places(&self) -> &Arc<Places> {
        &self.places
    }

    /// Takes in more of the message. After an error it must not be used any more.
    pub(super) fn take(&mut self, bytes: &[u8], rhythm: &mut Rhythm<'_, '_>) -> Result<(), Error> {
        self.check()?;
        for chunk in bytes.chunks(chunk_size(rhythm)) {
            let done = match &self.place.at {
                At::Socket(socket) => socket.hash(chunk, true),
                At::Session(session) => {
                    session.hash(if self.begun { Take::More } else { Take::First }, chunk, &mut [])
                }
            };
            done.map_err(|failure| self.error(failure))?;
            self.begun = true;
            checkpoint(rhythm, chunk.len())?;
        }
        Ok(())
    }

    /// Takes in the rest of the message, and gives the digest.
    pub(super) fn end(
        mut self,
        rest: &[u8],
        target: &mut [u8],
        mut rhythm: Rhythm<'_, '_>,
    ) -> Result<(), Error> {
        let last = rest.len().saturating_sub(1) / chunk_size(&rhythm) * chunk_size(&rhythm);
        let (before, last) = rest.split_at(last);
        self.take(before, &mut rhythm)?;
        let done = match &self.place.at {
            At::Socket(socket) => {
                // Asked for a digest in the middle of a message, the kernel ends it, and before it
                // begins, hashes nothing.
                let sent = if last.is_empty() { Ok(()) } else { socket.hash(last, false) };
                sent.and_then(|()| socket.digest(target))
            }
            At::Session(session) => {
                session.hash(if self.begun { Take::Last } else { Take::Whole }, last, target)
            }
        };
        done.map_err(|failure| self.error(failure))?;
        self.places.keep(self.place);
        Ok(())
    }

    /// Another one that has taken in the same.
    pub(super) fn fork(&self) -> Result<Running, Error> {
        self.check()?;
        let place = match &self.place.at {
            At::Socket(socket) => {
                self.place.beside(At::Socket(socket.fork().map_err(|failure| self.error(failure))?))
            }
            At::Session(session) => {
                let place = self.places.another()?;
                if let (At::Session(other), true) = (&place.at, self.begun) {
                    session.copy_to(other).map_err(|failure| self.error(failure))?;
                }
                place
            }
        };
        Ok(Running { places: Arc::clone(&self.places), place, begun: self.begun })
    }

    fn check(&self) -> Result<(), Error> {
        match self.place.ours() {
            true => Ok(()),
            false => Err(Error::Unavailable(interned(
                "kernel: this running hash belongs to the process that this one was forked from; begin it anew".into(),
            ))),
        }
    }

    fn error(&self, failure: Failure) -> Error {
        failure.error(self.places.what)
    }
}

/// Bytes between two questions.
pub(super) fn chunk_size(rhythm: &Rhythm<'_, '_>) -> usize {
    const LEAST: usize = 4096;
    rhythm.as_ref().map_or(CHUNK, |slicer| slicer.slice().clamp(LEAST, CHUNK))
}

/// After a chunk: whether to go on.
pub(super) fn checkpoint(rhythm: &mut Rhythm<'_, '_>, size: usize) -> Result<(), Error> {
    let cancelled =
        rhythm.as_mut().is_some_and(|slicer| slicer.advance(size) && slicer.cancelled(0));
    if cancelled { Err(Error::Cancelled) } else { Ok(()) }
}
