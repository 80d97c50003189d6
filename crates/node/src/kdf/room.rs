//! Memory for derivations that take much of it: all jobs of the process under way together never
//! take more than a stated total. Who comes when there is no room waits here, in order, and no
//! worker waits with him.

use crate::environment;
use crate::errand::{Errand, Traffic};
use crate::job::Job;
use crate::work::Operation;
use millrace_core::kdf::Memory;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Room {
    /// 0 while JavaScript has not set it.
    limit: u64,
    taken: u64,
    /// Wiped memory of none, and its bytes.
    shelf: Vec<Memory>,
    shelved: u64,
    waiting: VecDeque<Box<Job>>,
}

static ROOM: Mutex<Room> = Mutex::new(Room {
    limit: 0,
    taken: 0,
    shelf: Vec::new(),
    shelved: 0,
    waiting: VecDeque::new(),
});

fn room() -> MutexGuard<'static, Room> {
    ROOM.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Room {
    /// Gives room to a job that takes so much, if there is enough. One that is alone always has:
    /// the limit was lowered after it had been accepted.
    fn admit(&mut self, needed: u64) -> bool {
        let fits = self.taken == 0 || self.taken.saturating_add(needed) <= self.limit;
        if fits && self.taken.saturating_add(needed).saturating_add(self.shelved) > self.limit {
            self.clear_shelf();
        }
        if fits {
            self.taken += needed;
        }
        fits
    }

    fn clear_shelf(&mut self) {
        // It is wiped, so this is quick.
        self.shelf.clear();
        self.shelved = 0;
    }

    /// Those who wait and have room now. Nobody passes one who came before.
    fn admit_waiting(&mut self) -> Vec<Errand> {
        let mut admitted = Vec::new();
        while let Some(needed) = self.waiting.front().map(|job| needs(job))
            && self.admit(needed)
            && let Some(mut job) = self.waiting.pop_front()
        {
            job.room = Some(Held(needed));
            admitted.push(Errand::Job(job));
        }
        admitted
    }
}

/// Memory that a job may take; given back when it is dropped, and whoever waits for it then goes to
/// the pool.
pub(crate) struct Held(u64);

impl Held {
    pub(crate) fn bytes(&self) -> u64 {
        self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let admitted = {
            let mut room = room();
            room.taken -= self.0;
            room.admit_waiting()
        };
        if !admitted.is_empty() {
            environment::submit(admitted);
        }
    }
}

fn needs(job: &Job) -> u64 {
    if job.work.operation == Operation::Derive { job.work.derivation.memory() } else { 0 }
}

/// Whether so many more jobs can wait: false when there is no memory for their places.
pub(crate) fn make_room(jobs: usize) -> bool {
    room().waiting.try_reserve(jobs).is_ok()
}

/// The jobs that may go to the pool now; the others follow when there is room.
pub(crate) fn enter(jobs: impl IntoIterator<Item = Box<Job>>) -> Vec<Errand> {
    let mut room = room();
    let mut free = Vec::new();
    for job in jobs {
        if needs(&job) == 0 {
            free.push(Errand::Job(job));
        } else {
            room.waiting.push_back(job);
        }
    }
    free.extend(room.admit_waiting());
    free
}

/// Whether so many bytes are more than there will ever be.
pub(crate) fn too_much(needed: u64) -> bool {
    let limit = limit();
    limit > 0 && needed > limit
}

/// Memory of exactly so many bytes, if there is some.
pub(crate) fn from_shelf(size: u64) -> Option<Memory> {
    let mut room = room();
    let at = room.shelf.iter().position(|memory| memory.size() == size)?;
    room.shelved -= size;
    Some(room.shelf.swap_remove(at))
}

/// Keeps wiped memory, as far as the limit allows.
pub(crate) fn to_shelf(memory: Memory) {
    let mut room = room();
    let shelved = room.shelved.saturating_add(memory.size());
    if room.waiting.is_empty() && room.taken.saturating_add(shelved) <= room.limit {
        room.shelved = shelved;
        room.shelf.push(memory);
    }
}

/// Gives kept memory back to the system.
pub(crate) fn clear_shelf() {
    room().clear_shelf();
}

/// Takes the waiting jobs of an environment that ends.
pub(crate) fn withdraw(traffic: &Arc<Traffic>) -> Vec<Box<Job>> {
    let mut room = room();
    let (gone, staying) = std::mem::take(&mut room.waiting)
        .into_iter()
        .partition::<VecDeque<_>, _>(|job| Arc::ptr_eq(&job.completion, traffic));
    room.waiting = staying;
    // The first of those who stay may have waited behind a larger one.
    let admitted = room.admit_waiting();
    drop(room);
    if !admitted.is_empty() {
        environment::submit(admitted);
    }
    gone.into()
}

pub(crate) fn limit() -> u64 {
    room().limit
}

pub(crate) fn set_limit(limit: u64) {
    let admitted = {
        let mut room = room();
        room.limit = limit;
        room.clear_shelf();
        room.admit_waiting()
    };
    if !admitted.is_empty() {
        environment::submit(admitted);
    }
}

/// Bytes taken, and jobs that wait for some.
pub(crate) fn taken() -> (u64, usize) {
    let room = room();
    (room.taken, room.waiting.len())
}
