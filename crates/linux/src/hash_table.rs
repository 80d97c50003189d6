//! Running hashes by handle. A handle is a number that no other hash had, and a check, so that
//! bytes that are not a handle, or no longer one, are refused.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millrace_core::Error;
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Slicer;
use millrace_core::hash::{Params, check_params, check_target};
use millrace_core::hmac::MacKey;

use crate::algorithm::Algorithm;
use crate::channels::ChannelPool;
use crate::hash::{Mac, RunningHash};
use crate::interface::LinuxEngine;
use crate::support::hash_channels;

/// Running hashes with their state in the kernel, by handle. Each has a descriptor, which is closed
/// when the hash is finished, closed or fails, and with the table. Several threads may use the
/// table at once, but only one of them each handle.
#[derive(Default)]
pub struct KernelHashTable {
    table: Mutex<Table>,
    checks: RandomState,
}

#[derive(Default)]
struct Table {
    /// The number of the last handle.
    last: u64,
    /// By number; `None` while a thread works on it.
    running: HashMap<u64, Option<RunningHash>>,
}

/// The kind of a running hash, which that of a handle must be.
#[derive(Copy, Clone)]
pub enum HashKind<'a> {
    /// A hash of an engine, with its parameters.
    Hash(LinuxEngine, Hash, &'a Params<'a>),
    /// An HMAC under a key of a [`LinuxEngine`].
    Mac(&'a MacKey),
}

impl KernelHashTable {
    /// Bytes of a handle.
    pub const HANDLE_BYTES: usize = 16;

    /// Hashes two pieces of a message, and writes the handle of the running hash to `next`. An
    /// empty handle begins a message; any other handle stays the same.
    ///
    /// # Errors
    /// [`Error::State`] if `handle` is not a handle of this kind; [`Error::OutputSize`] for a
    /// `next` of the wrong size; [`Error::NotSupported`] for a seed or key that this hash does not
    /// take, and for an HMAC key of another engine; [`Error::Unavailable`] and
    /// [`Error::Cancelled`], after which the handle is invalid.
    pub fn update(
        &self,
        kind: HashKind<'_>,
        handle: &[u8],
        pieces: [&[u8]; 2],
        next: &mut [u8],
        mut slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        kind.check()?;
        if next.len() != KernelHashTable::HANDLE_BYTES {
            return Err(Error::OutputSize);
        }
        let mut update = |running: &mut RunningHash| {
            pieces.into_iter().try_for_each(|piece| running.update(piece, &mut slicer))
        };
        if handle.is_empty() {
            let mut running = kind.begin()?;
            update(&mut running)?;
            return self.insert(running, next);
        }
        let number = self.number(handle)?;
        let mut running = self.take(number, |running| kind.matches(running))?;
        match update(&mut running) {
            Ok(()) => {
                next.copy_from_slice(handle);
                self.put_back(number, running);
                Ok(())
            }
            Err(error) => {
                self.close(handle);
                Err(error)
            }
        }
    }

    /// Hashes the rest of a message and writes the digest to `target`. The handle is then invalid.
    ///
    /// # Errors
    /// As [`KernelHashTable::update`] and [`digest`](millrace_core::hash::digest()).
    pub fn finish(
        &self,
        kind: HashKind<'_>,
        handle: &[u8],
        rest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        kind.check()?;
        let (hash, params) = kind.hash();
        check_target(hash.facts(), params, target.len())?;
        let running = if handle.is_empty() {
            kind.begin()?
        } else {
            let running = self.take(self.number(handle)?, |running| kind.matches(running))?;
            self.close(handle);
            running
        };
        running.finish(rest, target, None)
    }

    /// Copies a running hash and writes the copy's handle to `next`.
    ///
    /// # Errors
    /// As [`KernelHashTable::update`].
    pub fn copy(&self, handle: &[u8], next: &mut [u8]) -> Result<(), Error> {
        if next.len() != KernelHashTable::HANDLE_BYTES {
            return Err(Error::OutputSize);
        }
        let number = self.number(handle)?;
        let running = self.take(number, |_| true)?;
        let copy = running.try_clone();
        self.put_back(number, running);
        self.insert(copy?, next)
    }

    /// Closes a running hash. Returns false if the handle is not valid.
    pub fn close(&self, handle: &[u8]) -> bool {
        let Ok(number) = self.number(handle) else { return false };
        // The descriptor is closed without the lock.
        let closed = self.lock().running.remove(&number);
        closed.is_some()
    }

    /// Returns the number of running hashes.
    pub fn count(&self) -> usize {
        self.lock().running.len()
    }

    /// Takes a running hash, if `wanted` returns true for it. Its handle stays valid.
    fn take(
        &self,
        number: u64,
        wanted: impl Fn(&RunningHash) -> bool,
    ) -> Result<RunningHash, Error> {
        let mut table = self.lock();
        let running = table.running.get_mut(&number);
        running.and_then(|place| place.take_if(|running| wanted(running))).ok_or(Error::State)
    }

    /// Returns a running hash to its place, unless the handle was closed meanwhile.
    fn put_back(&self, number: u64, running: RunningHash) {
        if let Some(place) = self.lock().running.get_mut(&number) {
            *place = Some(running);
        }
    }

    fn insert(&self, running: RunningHash, next: &mut [u8]) -> Result<(), Error> {
        let mut table = self.lock();
        let needed = size_of::<RunningHash>() as u64;
        table.running.try_reserve(1).map_err(|_| Error::Memory { needed })?;
        table.last += 1;
        let number = table.last;
        table.running.insert(number, Some(running));
        next.copy_from_slice(&self.handle(number));
        Ok(())
    }

    fn handle(&self, number: u64) -> [u8; KernelHashTable::HANDLE_BYTES] {
        let mut handle = [0; KernelHashTable::HANDLE_BYTES];
        handle[..8].copy_from_slice(&number.to_le_bytes());
        handle[8..].copy_from_slice(&self.checks.hash_one(number).to_le_bytes());
        handle
    }

    /// Returns the number of a handle.
    fn number(&self, handle: &[u8]) -> Result<u64, Error> {
        let number = handle.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        number.filter(|&number| handle == self.handle(number)).ok_or(Error::State)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HashKind<'_> {
    fn hash(&self) -> (Hash, &Params<'_>) {
        match self {
            HashKind::Hash(_, hash, params) => (*hash, params),
            HashKind::Mac(key) => (key.hash(), &Params::NONE),
        }
    }

    fn check(&self) -> Result<(), Error> {
        match self {
            HashKind::Hash(_, hash, params) => check_params(hash.facts(), params),
            HashKind::Mac(key) => channels(key).map(drop),
        }
    }

    fn begin(&self) -> Result<RunningHash, Error> {
        match self {
            HashKind::Hash(engine, hash, _) => RunningHash::begin(&hash_channels(*engine, *hash)?),
            HashKind::Mac(key) => RunningHash::begin(channels(key)?),
        }
    }

    fn matches(&self, running: &RunningHash) -> bool {
        match self {
            HashKind::Hash(_, hash, _) => running.pool.algorithm == Algorithm::Hash(*hash),
            HashKind::Mac(key) => channels(key).is_ok_and(|pool| Arc::ptr_eq(pool, &running.pool)),
        }
    }
}

/// Returns the channels of an HMAC key.
///
/// # Errors
/// [`Error::NotSupported`] for a key of another engine.
fn channels(key: &MacKey) -> Result<&Arc<ChannelPool>, Error> {
    let external: Option<&dyn Any> = key.external().map(|key| key as &dyn Any);
    let mac: Option<&Mac> = external.and_then(<dyn Any>::downcast_ref);
    mac.map(|mac| &mac.pool).ok_or(Error::NotSupported)
}
