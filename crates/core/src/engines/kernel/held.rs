//! Running hashes that the kernel keeps. Who uses one has a ticket: where it stands in a table, how
//! many have stood there before it, and a check, so that bytes which are no ticket, or not one any
//! more, are refused.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::hash::{Rhythm, Running};
use super::hashing;
use super::names::What;
use super::places::Places;
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, Slicer};
use crate::engines::{MacState, Provider};
use crate::hash::{check_params, check_target};
use crate::hmac::MacKey;
use crate::inputs::Params;

/// Running hashes that the kernel keeps, by ticket. Each has a descriptor open, which is closed
/// when it has given its digest, when it is dropped or fails, and with the table. May be used by
/// several threads at once, one ticket by one at a time.
#[derive(Default)]
pub struct Held {
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
    /// `None` too while somebody works on it.
    running: Option<Running>,
    taken: bool,
}

/// Of what kind the hash is.
enum Of<'a> {
    Hash(Provider, Hash),
    Mac(&'a Arc<Places>),
}

/// Bytes of a slice, and who is asked after each; see [`checkpoint`](crate::checkpoint).
pub type Paced<'a> = Option<(usize, &'a mut dyn Checkpoint)>;

impl Held {
    /// Bytes of a ticket.
    pub const TICKET: usize = 16;

    /// Takes in more of a message, in two pieces, and writes the ticket of what that makes to
    /// `next`. An empty ticket stands for a hash that has not begun; any other is the one that
    /// is written.
    ///
    /// # Errors
    /// [`Error::State`] for what is no ticket of this hash; [`Error::OutputSize`] for a `next` of
    /// the wrong size; [`Error::NotSupported`] for a seed or key which this hash does not take;
    /// [`Error::Unavailable`]; [`Error::Cancelled`]. The ticket is void after each of the last
    /// two.
    pub fn update(
        &self,
        (provider, hash): (Provider, Hash),
        params: &Params<'_>,
        ticket: &[u8],
        pieces: [&[u8]; 2],
        next: &mut [u8],
        paced: Paced<'_>,
    ) -> Result<(), Error> {
        check_params(hash.facts(), params)?;
        self.take_in(&Of::Hash(provider, hash), ticket, pieces, next, paced)
    }

    /// The same under the key of an HMAC, which must have been prepared for the kernel.
    ///
    /// # Errors
    /// As [`Held::update`].
    pub fn mac_update(
        &self,
        key: &MacKey,
        ticket: &[u8],
        pieces: [&[u8]; 2],
        next: &mut [u8],
        paced: Paced<'_>,
    ) -> Result<(), Error> {
        self.take_in(&of_key(key)?, ticket, pieces, next, paced)
    }

    /// Takes in the rest of a message, and writes the digest to `target`. The ticket is void then.
    ///
    /// # Errors
    /// As [`Held::update`] and [`digest`](crate::hash::digest()).
    pub fn finish(
        &self,
        (provider, hash): (Provider, Hash),
        params: &Params<'_>,
        ticket: &[u8],
        rest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        check_params(hash.facts(), params)?;
        check_target(hash.facts(), target.len())?;
        self.leave(&Of::Hash(provider, hash), ticket)?.end(rest, target, None)
    }

    /// The same under the key of an HMAC.
    ///
    /// # Errors
    /// As [`Held::finish`].
    pub fn mac_finish(
        &self,
        key: &MacKey,
        ticket: &[u8],
        rest: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error> {
        check_target(key.hash().facts(), target.len())?;
        self.leave(&of_key(key)?, ticket)?.end(rest, target, None)
    }

    /// Copies what has a ticket, and writes the copy's ticket to `next`.
    ///
    /// # Errors
    /// As [`Held::update`].
    pub fn fork(&self, ticket: &[u8], next: &mut [u8]) -> Result<(), Error> {
        if next.len() != Held::TICKET {
            return Err(Error::OutputSize);
        }
        let index = self.index(ticket)?;
        let running = self.lock().slots[index].running.take().ok_or(Error::State)?;
        let copy = running.fork();
        self.put_back(index, ticket, running);
        self.keep(copy?, next)
    }

    /// Closes what has a ticket; whether there was something.
    pub fn close(&self, ticket: &[u8]) -> bool {
        let Ok(index) = self.index(ticket) else { return false };
        let mut table = self.lock();
        let closed = table.release(index);
        drop(table);
        drop(closed);
        true
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        let table = self.lock();
        table.slots.len() - table.free.len()
    }

    fn take_in(
        &self,
        of: &Of<'_>,
        ticket: &[u8],
        pieces: [&[u8]; 2],
        next: &mut [u8],
        paced: Paced<'_>,
    ) -> Result<(), Error> {
        if next.len() != Held::TICKET {
            return Err(Error::OutputSize);
        }
        let mut slicer = paced.map(|(slice, checkpoint)| Slicer::new(slice, checkpoint));
        let mut take_all = |running: &mut Running| {
            pieces.into_iter().try_for_each(|piece| {
                let mut rhythm: Rhythm<'_, '_> = slicer.as_mut();
                running.take(piece, &mut rhythm)
            })
        };
        if ticket.is_empty() {
            let mut running = of.begin()?;
            take_all(&mut running)?;
            return self.keep(running, next);
        }
        let index = self.index(ticket)?;
        let mut running = self.running(of, index)?;
        match take_all(&mut running) {
            Ok(()) => {
                next.copy_from_slice(ticket);
                self.put_back(index, ticket, running);
                Ok(())
            }
            Err(error) => {
                self.close(ticket);
                Err(error)
            }
        }
    }

    /// What has this ticket, for good.
    fn leave(&self, of: &Of<'_>, ticket: &[u8]) -> Result<Running, Error> {
        if ticket.is_empty() {
            return of.begin();
        }
        let index = self.index(ticket)?;
        let running = self.running(of, index)?;
        self.close(ticket);
        Ok(running)
    }

    /// What stands in a slot and is of this kind, to be worked on.
    fn running(&self, of: &Of<'_>, index: usize) -> Result<Running, Error> {
        let mut table = self.lock();
        let place = &mut table.slots[index].running;
        match place.take_if(|running| of.fits(running)) {
            Some(running) => Ok(running),
            None => Err(Error::State),
        }
    }

    fn keep(&self, running: Running, next: &mut [u8]) -> Result<(), Error> {
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
        let generation = slot.generation;
        drop(table);
        next.copy_from_slice(&self.ticket(index, generation));
        Ok(())
    }

    /// After work on it; it may have been dropped meanwhile.
    fn put_back(&self, index: usize, ticket: &[u8], running: Running) {
        if self.index(ticket).is_ok_and(|same| same == index) {
            self.lock().slots[index].running = Some(running);
        }
    }

    fn ticket(&self, index: u32, generation: u32) -> [u8; Held::TICKET] {
        let mut ticket = [0; Held::TICKET];
        ticket[..4].copy_from_slice(&index.to_le_bytes());
        ticket[4..8].copy_from_slice(&generation.to_le_bytes());
        ticket[8..].copy_from_slice(&self.checks.hash_one((index, generation)).to_le_bytes());
        ticket
    }

    /// Where a valid ticket stands.
    fn index(&self, ticket: &[u8]) -> Result<usize, Error> {
        let number = |at: usize| Some(u32::from_le_bytes(*ticket.get(at..)?.first_chunk()?));
        let (index, generation) = number(0).zip(number(4)).ok_or(Error::State)?;
        let valid = {
            let table = self.lock();
            table
                .slots
                .get(index as usize)
                .is_some_and(|slot| slot.taken && slot.generation == generation)
        };
        if valid && ticket == self.ticket(index, generation) {
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
    fn release(&mut self, index: usize) -> Option<Running> {
        let slot = &mut self.slots[index];
        slot.taken = false;
        // A slot whose generations are used up is retired.
        if let Some(generation) = slot.generation.checked_add(1) {
            slot.generation = generation;
            self.free.push(index as u32);
        }
        slot.running.take()
    }
}

impl Of<'_> {
    fn begin(&self) -> Result<Running, Error> {
        match self {
            Of::Hash(provider, hash) => Running::begin(&hashing(*provider, *hash)?),
            Of::Mac(places) => Running::begin(places),
        }
    }

    fn fits(&self, running: &Running) -> bool {
        match self {
            Of::Hash(_, hash) => running.places().what == What::Hash(*hash),
            Of::Mac(places) => Arc::ptr_eq(places, running.places()),
        }
    }
}

fn of_key(key: &MacKey) -> Result<Of<'_>, Error> {
    match key.state() {
        MacState::Kernel(mac) => Ok(Of::Mac(mac.places())),
        MacState::Native(_) => Err(Error::NotSupported),
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Held({})", self.count())
    }
}
