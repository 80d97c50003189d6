//! Running hashes by handle. A handle is a slot, the slot's generation and a check, so that bytes
//! that are not a handle, or no longer one, are refused.

use std::any::Any;
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
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    /// `None` also while a thread works on it.
    running: Option<RunningHash>,
    taken: bool,
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
        let index = self.index(handle)?;
        let mut running = self.take(kind, index)?;
        match update(&mut running) {
            Ok(()) => {
                next.copy_from_slice(handle);
                self.put_back(index, handle, running);
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
            let running = self.take(kind, self.index(handle)?)?;
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
        let index = self.index(handle)?;
        let running = self.lock().slots[index].running.take().ok_or(Error::State)?;
        let copy = running.try_clone();
        self.put_back(index, handle, running);
        self.insert(copy?, next)
    }

    /// Closes a running hash. Returns false if the handle is not valid.
    pub fn close(&self, handle: &[u8]) -> bool {
        let Ok(index) = self.index(handle) else { return false };
        let mut table = self.lock();
        let closed = table.release(index);
        // The descriptor is closed without the lock.
        drop(table);
        drop(closed);
        true
    }

    /// Returns the number of running hashes.
    pub fn count(&self) -> usize {
        let table = self.lock();
        table.slots.len() - table.free.len()
    }

    /// Takes a running hash out of its slot, which stays its own.
    fn take(&self, kind: HashKind<'_>, index: usize) -> Result<RunningHash, Error> {
        let mut table = self.lock();
        let running = &mut table.slots[index].running;
        running.take_if(|running| kind.matches(running)).ok_or(Error::State)
    }

    /// Returns a running hash to its slot, unless the handle was closed meanwhile.
    fn put_back(&self, index: usize, handle: &[u8], running: RunningHash) {
        if self.index(handle).is_ok_and(|same| same == index) {
            self.lock().slots[index].running = Some(running);
        }
    }

    fn insert(&self, running: RunningHash, next: &mut [u8]) -> Result<(), Error> {
        let mut table = self.lock();
        let index = match table.free.pop() {
            Some(index) => index,
            None => {
                let index = u32::try_from(table.slots.len()).map_err(|_| Error::Engine)?;
                let needed = size_of::<Slot>() as u64;
                table.slots.try_reserve(1).map_err(|_| Error::Memory { needed })?;
                table.slots.push(Slot::default());
                index
            }
        };
        let slot = &mut table.slots[index as usize];
        (slot.running, slot.taken) = (Some(running), true);
        next.copy_from_slice(&self.handle(index, slot.generation));
        Ok(())
    }

    fn handle(&self, index: u32, generation: u32) -> [u8; KernelHashTable::HANDLE_BYTES] {
        let mut handle = [0; KernelHashTable::HANDLE_BYTES];
        handle[..4].copy_from_slice(&index.to_le_bytes());
        handle[4..8].copy_from_slice(&generation.to_le_bytes());
        handle[8..].copy_from_slice(&self.checks.hash_one((index, generation)).to_le_bytes());
        handle
    }

    /// Returns the slot of a valid handle.
    fn index(&self, handle: &[u8]) -> Result<usize, Error> {
        let number = |at: usize| Some(u32::from_le_bytes(*handle.get(at..)?.first_chunk()?));
        let (index, generation) = number(0).zip(number(4)).ok_or(Error::State)?;
        let valid = {
            let table = self.lock();
            let slot = table.slots.get(index as usize);
            slot.is_some_and(|slot| slot.taken && slot.generation == generation)
        };
        if valid && handle == self.handle(index, generation) {
            Ok(index as usize)
        } else {
            Err(Error::State)
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Empties a slot.
    fn release(&mut self, index: usize) -> Option<RunningHash> {
        let slot = &mut self.slots[index];
        slot.taken = false;
        // A slot that has used all its generations is not used again.
        if let Some(generation) = slot.generation.checked_add(1) {
            slot.generation = generation;
            self.free.push(index as u32);
        }
        slot.running.take()
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
            HashKind::Hash(_, hash, _) => running.pool().algorithm == Algorithm::Hash(*hash),
            HashKind::Mac(key) => channels(key).is_ok_and(|pool| Arc::ptr_eq(pool, running.pool())),
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

impl std::fmt::Debug for KernelHashTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "KernelHashTable({})", self.count())
    }
}
