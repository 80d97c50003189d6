//! Hashes and HMACs. A running one is a socket or session in the middle of a message.

use std::sync::Arc;

use millrace_core::Error;
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Slicer;
use millrace_core::engines::ExternalMac;

use crate::algorithm::Algorithm;
use crate::channels::{Channel, ChannelPool, Endpoint, Secret};
use crate::cryptodev::Chunk;
use crate::failure::Failure;
use crate::interface::LinuxEngine;
use crate::support::{hash_channels, open};

/// The most bytes in one system call; more would not be faster.
pub(crate) const CHUNK: usize = 64 << 10;

/// A hash in the middle of a message.
pub(crate) struct RunningHash {
    pub(crate) pool: Arc<ChannelPool>,
    channel: Channel,
    /// True after the first update with bytes.
    begun: bool,
}

/// Hashes a message.
pub(crate) fn digest(
    pool: &Arc<ChannelPool>,
    source: &[u8],
    target: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    RunningHash::begin(pool)?.finish(source, target, slicer)
}

impl RunningHash {
    /// Begins a message.
    pub(crate) fn begin(pool: &Arc<ChannelPool>) -> Result<RunningHash, Error> {
        Ok(RunningHash { channel: pool.take()?, pool: Arc::clone(pool), begun: false })
    }

    /// Hashes more of the message. After an error the hash must be dropped.
    pub(crate) fn update(
        &mut self,
        bytes: &[u8],
        slicer: &mut Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        self.check_process()?;
        for chunk in bytes.chunks(chunk_size(slicer)) {
            let done = match &self.channel.endpoint {
                Endpoint::Socket(socket) => socket.hash(chunk, true),
                Endpoint::Session(session) => {
                    let position = if self.begun { Chunk::Middle } else { Chunk::First };
                    session.hash(position, chunk, &mut [])
                }
            };
            done.map_err(|failure| self.error(failure))?;
            self.begun = true;
            checkpoint(slicer, chunk.len())?;
        }
        Ok(())
    }

    /// Hashes the rest of the message and writes the digest.
    pub(crate) fn finish(
        mut self,
        rest: &[u8],
        target: &mut [u8],
        mut slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let size = chunk_size(&slicer);
        let (before, last) = rest.split_at(rest.len().saturating_sub(1) / size * size);
        self.update(before, &mut slicer)?;
        let done = match &self.channel.endpoint {
            Endpoint::Socket(socket) => {
                // A digest that is asked for in the middle of a message ends it; before the first
                // byte it is the digest of the empty message.
                let sent = if last.is_empty() { Ok(()) } else { socket.hash(last, false) };
                sent.and_then(|()| socket.digest(target))
            }
            Endpoint::Session(session) => {
                let position = if self.begun { Chunk::Last } else { Chunk::Whole };
                session.hash(position, last, target)
            }
        };
        done.map_err(|failure| self.error(failure))?;
        self.pool.put_back(self.channel);
        Ok(())
    }

    /// Returns a copy that has hashed the same bytes.
    pub(crate) fn try_clone(&self) -> Result<RunningHash, Error> {
        self.check_process()?;
        let channel = match &self.channel.endpoint {
            Endpoint::Socket(socket) => {
                let copy = socket.try_clone().map_err(|failure| self.error(failure))?;
                self.channel.sibling(Endpoint::Socket(copy))
            }
            Endpoint::Session(session) => {
                let channel = self.pool.open_another()?;
                if let (Endpoint::Session(other), true) = (&channel.endpoint, self.begun) {
                    session.copy_to(other).map_err(|failure| self.error(failure))?;
                }
                channel
            }
        };
        Ok(RunningHash { pool: Arc::clone(&self.pool), channel, begun: self.begun })
    }

    fn check_process(&self) -> Result<(), Error> {
        match self.channel.is_ours() {
            true => Ok(()),
            false => Err(Error::Unavailable(
                "kernel: this hasher belongs to the process that this one was forked from: \
                 create it again",
            )),
        }
    }

    fn error(&self, failure: Failure) -> Error {
        failure.error(self.pool.algorithm)
    }
}

/// Returns how many bytes to process between two checkpoints.
pub(crate) fn chunk_size(slicer: &Option<Slicer<'_>>) -> usize {
    const MIN: usize = 4096;
    slicer.as_ref().map_or(CHUNK, |slicer| slicer.slice().clamp(MIN, CHUNK))
}

/// Pauses after a slice.
///
/// # Errors
/// [`Error::Cancelled`] if the work was cancelled.
pub(crate) fn checkpoint(slicer: &mut Option<Slicer<'_>>, size: usize) -> Result<(), Error> {
    let cancelled =
        slicer.as_mut().is_some_and(|slicer| slicer.advance(size) && slicer.cancelled(0));
    if cancelled { Err(Error::Cancelled) } else { Ok(()) }
}

/// A prepared HMAC key.
pub(crate) struct Mac {
    pub(crate) pool: Arc<ChannelPool>,
}

impl Mac {
    pub(crate) fn new(engine: LinuxEngine, hash: Hash, key: &[u8]) -> Result<Mac, Error> {
        let facts = hash.facts();
        let mut digest = Secret(vec![0; facts.digest_size]);
        // RFC 2104: a key longer than a block is replaced by its digest, and shorter keys are
        // padded with zeros. The interfaces limit the size of keys and refuse empty ones.
        let key = match key.len() {
            0 => &[0][..],
            size if size > facts.block_size => {
                self::digest(&hash_channels(engine, hash)?, key, &mut digest.0, None)?;
                &digest.0
            }
            _ => key,
        };
        Ok(Mac { pool: Arc::new(open(engine, Algorithm::Mac(hash), Some(key), None)?) })
    }
}

impl ExternalMac for Mac {
    fn mac(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        digest(&self.pool, source, target, slicer)
    }
}
