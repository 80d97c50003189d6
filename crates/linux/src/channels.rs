//! Channels for one algorithm and key: sockets or sessions. Each takes one message at a time and is
//! kept for the next. They are opened as needed and closed with the key.

use std::sync::{Mutex, MutexGuard, PoisonError};

use millrace_core::Error;
use millrace_core::wipe::wipe;

use crate::af_alg::{Operation, Transform};
use crate::algorithm::Algorithm;
use crate::cryptodev::Session;
use crate::failure::{Failure, Step};
use crate::fork;
use crate::interface::Interface;

/// Channels for one algorithm and key. Any thread may use them.
pub(crate) struct ChannelPool {
    pub(crate) algorithm: Algorithm,
    pub(crate) interface: Interface,
    key: Option<Secret>,
    tag_size: Option<usize>,
    state: Mutex<State>,
}

struct State {
    /// The process that opened them: after a fork the child opens new ones.
    process: u32,
    /// AF_ALG only: the socket that all others are accepted from.
    transform: Option<Transform>,
    idle: Vec<Channel>,
}

/// A socket or session, with the process that opened it.
pub(crate) struct Channel {
    pub(crate) endpoint: Endpoint,
    process: u32,
}

pub(crate) enum Endpoint {
    Socket(Operation),
    Session(Session),
}

/// Idle channels that are kept, enough for four threads that use one key at once.
const IDLE_MAX: usize = 4;

impl ChannelPool {
    /// Opens the first channel, which shows that the interface has the algorithm and takes the key.
    pub(crate) fn open(
        interface: Interface,
        algorithm: Algorithm,
        key: Option<&[u8]>,
        tag_size: Option<usize>,
    ) -> Result<ChannelPool, Failure> {
        let key = key.map(Secret::of);
        let state =
            Mutex::new(State { process: fork::generation(), transform: None, idle: Vec::new() });
        let pool = ChannelPool { algorithm, interface, key, tag_size, state };
        let channel = pool.make(&mut pool.lock())?;
        pool.put_back(channel);
        Ok(pool)
    }

    /// Returns a channel for a message.
    pub(crate) fn take(&self) -> Result<Channel, Error> {
        let mut state = self.lock();
        let process = fork::generation();
        if state.process != process {
            *state = State { process, transform: None, idle: Vec::new() };
        }
        while let Some(channel) = state.idle.pop() {
            if !matches!(&channel.endpoint, Endpoint::Session(session) if session.disconnected()) {
                return Ok(channel);
            }
        }
        self.make(&mut state).map_err(|error| error.error(self.algorithm))
    }

    /// Keeps a channel that is between messages for the next one.
    pub(crate) fn put_back(&self, channel: Channel) {
        let mut state = self.lock();
        if state.process == channel.process && state.idle.len() < IDLE_MAX {
            state.idle.push(channel);
        }
    }

    /// Opens a channel, even if one is idle.
    pub(crate) fn open_another(&self) -> Result<Channel, Error> {
        self.make(&mut self.lock()).map_err(|error| error.error(self.algorithm))
    }

    /// Opens the first channel of another pool with the same key, and another size of the tag.
    pub(crate) fn with_tag_size(&self, size: usize) -> Result<ChannelPool, Error> {
        ChannelPool::open(self.interface, self.algorithm, self.key(), Some(size))
            .map_err(|error| error.error(self.algorithm))
    }

    fn key(&self) -> Option<&[u8]> {
        self.key.as_ref().map(|key| &key.0[..])
    }

    fn make(&self, state: &mut State) -> Result<Channel, Failure> {
        let key = self.key();
        let unknown = || Failure { step: Step::Unsupported(self.interface), errno: 0 };
        let endpoint = match self.interface {
            Interface::AfAlg => {
                let (kind, name) = self.algorithm.af_alg().ok_or_else(unknown)?;
                let transform = match &mut state.transform {
                    Some(transform) => transform,
                    none => none.insert(Transform::bind(kind, &name, key, self.tag_size)?),
                };
                Endpoint::Socket(transform.accept()?)
            }
            Interface::Cryptodev => {
                let number = self.algorithm.cryptodev().ok_or_else(unknown)?;
                Endpoint::Session(Session::open(self.algorithm, number, key)?)
            }
        };
        Ok(Channel { endpoint, process: state.process })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channel {
    /// Returns a channel of the same process.
    pub(crate) fn sibling(&self, endpoint: Endpoint) -> Channel {
        Channel { endpoint, process: self.process }
    }

    /// Returns false in a child of the process that opened it.
    pub(crate) fn is_ours(&self) -> bool {
        self.process == fork::generation()
    }
}

/// Bytes that are wiped on drop.
pub(crate) struct Secret(pub(crate) Vec<u8>);

impl Secret {
    pub(crate) fn of(bytes: &[u8]) -> Secret {
        Secret(bytes.to_vec())
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}
