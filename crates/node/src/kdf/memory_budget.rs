//! Memory for derivations that take much of it: all jobs of the process under way together never
//! take more than a stated total. Who comes when there is no room waits here, in order, and no
//! worker waits with him.

use crate::environment;
use crate::job::{CompletionQueue, Job};
use crate::task::PoolTask;
use crate::work::Operation;
use millrace_core::kdf::Memory;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct MemoryBudget {
    /// 0 while JavaScript has not set it.
    limit: u64,
    taken: u64,
    /// Wiped memory of none, and its bytes.
    scratch: Vec<Memory>,
    scratch_bytes: u64,
    waiting: VecDeque<Box<Job>>,
}

static BUDGET: Mutex<MemoryBudget> = Mutex::new(MemoryBudget {
    limit: 0,
    taken: 0,
    scratch: Vec::new(),
    scratch_bytes: 0,
    waiting: VecDeque::new(),
});

fn budget() -> MutexGuard<'static, MemoryBudget> {
    BUDGET.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryBudget {
    /// Gives room to a job that takes so much, if there is enough. One that is alone always has:
    /// the limit was lowered after it had been accepted.
    fn admit(&mut self, needed: u64) -> bool {
        let fits = self.taken == 0 || self.taken.saturating_add(needed) <= self.limit;
        if fits && self.taken.saturating_add(needed).saturating_add(self.scratch_bytes) > self.limit
        {
            self.free_scratch();
        }
        if fits {
            self.taken += needed;
        }
        fits
    }

    fn free_scratch(&mut self) {
        // It is wiped, so this is quick.
        self.scratch.clear();
        self.scratch_bytes = 0;
    }

    /// Those who wait and have room now. Nobody passes one who came before.
    fn admit_waiting(&mut self) -> Vec<PoolTask> {
        let mut admitted = Vec::new();
        while let Some(needed) = self.waiting.front().map(|job| needs(job))
            && self.admit(needed)
            && let Some(mut job) = self.waiting.pop_front()
        {
            job.permit = Some(MemoryPermit(needed));
            admitted.push(PoolTask::Job(job));
        }
        admitted
    }
}

/// Memory that a job may take; given back when it is dropped, and whoever waits for it then goes to
/// the pool.
pub(crate) struct MemoryPermit(u64);

impl MemoryPermit {
    pub(crate) fn bytes(&self) -> u64 {
        self.0
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        let admitted = {
            let mut budget = budget();
            budget.taken -= self.0;
            budget.admit_waiting()
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
pub(crate) fn reserve_waiting(jobs: usize) -> bool {
    budget().waiting.try_reserve(jobs).is_ok()
}

/// The jobs that may go to the pool now; the others follow when there is room.
pub(crate) fn admit_all(jobs: impl IntoIterator<Item = Box<Job>>) -> Vec<PoolTask> {
    let mut budget = budget();
    let mut free = Vec::new();
    for job in jobs {
        if needs(&job) == 0 {
            free.push(PoolTask::Job(job));
        } else {
            budget.waiting.push_back(job);
        }
    }
    free.extend(budget.admit_waiting());
    free
}

/// Whether so many bytes are more than there will ever be.
pub(crate) fn exceeds_limit(needed: u64) -> bool {
    let limit = limit();
    limit > 0 && needed > limit
}

/// Memory of exactly so many bytes, if there is some.
pub(crate) fn take_scratch(size: u64) -> Option<Memory> {
    let mut budget = budget();
    let at = budget.scratch.iter().position(|memory| memory.size() == size)?;
    budget.scratch_bytes -= size;
    Some(budget.scratch.swap_remove(at))
}

/// Keeps wiped memory, as far as the limit allows.
pub(crate) fn keep_scratch(memory: Memory) {
    let mut budget = budget();
    let scratch_bytes = budget.scratch_bytes.saturating_add(memory.size());
    if budget.waiting.is_empty() && budget.taken.saturating_add(scratch_bytes) <= budget.limit {
        budget.scratch_bytes = scratch_bytes;
        budget.scratch.push(memory);
    }
}

/// Gives kept memory back to the system.
pub(crate) fn free_scratch() {
    budget().free_scratch();
}

/// Takes the waiting jobs of an environment that ends.
pub(crate) fn withdraw(completion: &Arc<CompletionQueue>) -> Vec<Box<Job>> {
    let mut budget = budget();
    let (gone, staying) = std::mem::take(&mut budget.waiting)
        .into_iter()
        .partition::<VecDeque<_>, _>(|job| Arc::ptr_eq(&job.completion, completion));
    budget.waiting = staying;
    // The first of those who stay may have waited behind a larger one.
    let admitted = budget.admit_waiting();
    drop(budget);
    if !admitted.is_empty() {
        environment::submit(admitted);
    }
    gone.into()
}

pub(crate) fn limit() -> u64 {
    budget().limit
}

pub(crate) fn set_limit(limit: u64) {
    let admitted = {
        let mut budget = budget();
        budget.limit = limit;
        budget.free_scratch();
        budget.admit_waiting()
    };
    if !admitted.is_empty() {
        environment::submit(admitted);
    }
}

/// Bytes taken, and jobs that wait for some.
pub(crate) fn taken() -> (u64, usize) {
    let budget = budget();
    (budget.taken, budget.waiting.len())
}
