//! Derivations that wait for memory, first come first served; see `memory_budget`.

use crate::job::{CompletionQueue, Job};
use crate::memory_budget::{self, MemoryPermit};
use crate::task::{self, PoolTask};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

static WAITING: Mutex<VecDeque<Box<Job>>> = Mutex::new(VecDeque::new());

fn waiting() -> MutexGuard<'static, VecDeque<Box<Job>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reserves places for `jobs` more jobs. Returns false if there is no memory for them.
pub(crate) fn reserve(jobs: usize) -> bool {
    waiting().try_reserve(jobs).is_ok()
}

/// Submits derivations to the pool, each as soon as it has a permit for its memory.
pub(crate) fn submit(jobs: Vec<Box<Job>>) {
    let mut waiting = waiting();
    let mut admitted = Vec::new();
    for job in jobs {
        match job.work.derivation.memory() {
            0 => admitted.push(PoolTask::Job(job)),
            _ => waiting.push_back(job),
        }
    }
    submit_admitted(waiting, admitted);
}

/// Submits the waiting jobs that now have memory.
pub(crate) fn submit_waiting() {
    submit_admitted(waiting(), Vec::new());
}

/// Submits `admitted` and the first waiting jobs for which there is memory.
fn submit_admitted(mut waiting: MutexGuard<'_, VecDeque<Box<Job>>>, mut admitted: Vec<PoolTask>) {
    while let Some(needed) = waiting.front().map(|job| job.work.derivation.memory())
        && let Some(permit) = MemoryPermit::acquire(needed, submit_waiting)
        && let Some(mut job) = waiting.pop_front()
    {
        job.permit = Some(permit);
        admitted.push(PoolTask::Job(job));
    }
    memory_budget::set_waiting(waiting.len());
    drop(waiting);
    if !admitted.is_empty() {
        task::submit(admitted);
    }
}

/// Removes and returns the waiting jobs of an environment that ends.
pub(crate) fn withdraw(completion: &Arc<CompletionQueue>) -> Vec<Box<Job>> {
    let mut waiting = waiting();
    let (withdrawn, staying) = std::mem::take(&mut *waiting)
        .into_iter()
        .partition::<VecDeque<_>, _>(|job| Arc::ptr_eq(&job.completion, completion));
    *waiting = staying;
    // A withdrawn job may have been too large for the memory that is left, and the next one fits.
    submit_admitted(waiting, Vec::new());
    withdrawn.into()
}
