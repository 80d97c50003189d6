//! Where messages of one algorithm and key go: sockets or sessions. Each takes one message at a
//! time and is kept for the next; they are made as they are needed, and close with the key.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::af_alg::{Operation, Transform};
use super::cryptodev::{Purpose, Session};
use super::names::What;
use super::reason::{Failure, unknown};
use super::{Way, fork};
use crate::Error;
use crate::engines::{Chosen, Derivation};

/// Sockets or sessions of one algorithm and key; used by any thread.
pub(super) struct Places {
    pub(super) what: What,
    pub(super) way: Way,
    key: Option<Secret>,
    tag_size: Option<usize>,
    state: Mutex<State>,
}

struct State {
    /// The process that has made them: a child makes its own.
    process: u32,
    /// Of AF_ALG: what all sockets are accepted from.
    transform: Option<Transform>,
    idle: Vec<Place>,
}

/// One of them.
pub(super) struct Place {
    pub(super) at: At,
    process: u32,
}

pub(super) enum At {
    Socket(Operation),
    Session(Session),
}

/// As many are kept: for as many threads as use one key at once without making new ones.
const KEPT: usize = 4;

impl Places {
    /// Makes sure that there is the algorithm, and that it takes the key.
    pub(super) fn open(
        way: Way,
        what: What,
        key: Option<&[u8]>,
        tag_size: Option<usize>,
    ) -> Result<Places, Opening> {
        let key = key.map(Secret::of);
        let state =
            Mutex::new(State { process: fork::generation(), transform: None, idle: Vec::new() });
        let places = Places { what, way, key, tag_size, state };
        let place = places.make(&mut places.lock())?;
        places.keep(place);
        Ok(places)
    }

    /// One for a message.
    pub(super) fn take(&self) -> Result<Place, Error> {
        let mut state = self.lock();
        let process = fork::generation();
        if state.process != process {
            *state = State { process, transform: None, idle: Vec::new() };
        }
        while let Some(place) = state.idle.pop() {
            if !matches!(&place.at, At::Session(session) if session.gone()) {
                return Ok(place);
            }
        }
        self.make(&mut state).map_err(|opening| opening.error(self.what))
    }

    /// Puts one back, between messages.
    pub(super) fn keep(&self, place: Place) {
        let mut state = self.lock();
        if state.process == place.process && state.idle.len() < KEPT {
            state.idle.push(place);
        }
    }

    /// A session beside another, for a copy of what that has taken in.
    pub(super) fn another(&self) -> Result<Place, Error> {
        self.make(&mut self.lock()).map_err(|opening| opening.error(self.what))
    }

    fn make(&self, state: &mut State) -> Result<Place, Opening> {
        let key = self.key.as_ref().map(|key| &key.0[..]);
        let at = match self.way {
            Way::AfAlg => {
                let (kind, name) = self.what.of_sockets().ok_or(Opening::Unknown("AF_ALG"))?;
                let transform = match &mut state.transform {
                    Some(transform) => transform,
                    none => none.insert(Transform::bind(kind, &name, key, self.tag_size)?),
                };
                At::Socket(transform.accept()?)
            }
            Way::Cryptodev => {
                let number = self.what.of_device().ok_or(Opening::Unknown("cryptodev"))?;
                At::Session(Session::open(match (self.what, key) {
                    (What::Hash(_), _) => Purpose::Hash(number),
                    (What::Mac(_), key) => Purpose::Mac(number, key.unwrap_or_default()),
                    (What::Cipher(_), key) => Purpose::Cipher(number, key.unwrap_or_default()),
                })?)
            }
        };
        Ok(Place { at, process: state.process })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Another one at which the same has happened.
    pub(super) fn beside(&self, at: At) -> Place {
        Place { at, process: self.process }
    }

    /// False in a child of the process that has made it.
    pub(super) fn ours(&self) -> bool {
        self.process == fork::generation()
    }
}

/// Why there are no places.
pub(super) enum Opening {
    /// The interface named has never had it.
    Unknown(&'static str),
    Failed(Failure),
}

impl From<Failure> for Opening {
    fn from(failure: Failure) -> Opening {
        Opening::Failed(failure)
    }
}

impl Opening {
    pub(super) fn error(self, what: What) -> Error {
        match self {
            Opening::Unknown(interface) => unknown(interface, what),
            Opening::Failed(failure) => failure.error(what),
        }
    }
}

/// Bytes that are wiped when they go.
pub(super) struct Secret(pub(super) Vec<u8>);

impl Secret {
    pub(super) fn of(bytes: &[u8]) -> Secret {
        Secret(bytes.to_vec())
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        Chosen::wipe(&mut self.0);
    }
}
