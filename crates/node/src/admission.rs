//! Derivations that wait for memory, first come first served; see `memory_budget`.

use crate::job::{CompletionQueue, JobList};
use crate::task::{self, PoolTask};
use millrace_core::allocate::Shared;
use millrace_request::memory_budget::{self, MemoryPermit};
use std::sync::{Mutex, MutexGuard, PoisonError};

static WAITING: Mutex<JobList> = Mutex::new(JobList::new());

fn waiting() -> MutexGuard<'static, JobList> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Submits derivations to the pool, each as soon as it has a permit for its memory.
pub(crate) fn submit(jobs: JobList) {
    let mut waiting = waiting();
    let mut admitted = JobList::new();
    for job in jobs {
        match job.work.derivation.memory() {
            0 => admitted.push(job),
            _ => waiting.push(job),
        }
    }
    submit_admitted(waiting, admitted);
}

/// Submits the waiting jobs that now have memory.
pub(crate) fn submit_waiting() {
    submit_admitted(waiting(), JobList::new());
}

/// Submits `admitted` and the first waiting jobs for which there is memory.
fn submit_admitted(mut waiting: MutexGuard<'_, JobList>, mut admitted: JobList) {
    while let Some(needed) = waiting.first().map(|job| job.work.derivation.memory())
        && let Some(permit) = MemoryPermit::acquire(needed, submit_waiting)
        && let Some(mut job) = waiting.next()
    {
        job.permit = Some(permit);
        admitted.push(job);
    }
    memory_budget::set_waiting(waiting.len());
    drop(waiting);
    if !admitted.is_empty() {
        task::submit(admitted.map(PoolTask::Job));
    }
}

/// Removes and returns the waiting jobs of an environment that ends.
pub(crate) fn withdraw(completion: &Shared<CompletionQueue>) -> JobList {
    let mut waiting = waiting();
    let (mut withdrawn, mut staying) = (JobList::new(), JobList::new());
    for job in std::mem::take(&mut *waiting) {
        let list = if job.completion.is_same(completion) { &mut withdrawn } else { &mut staying };
        list.push(job);
    }
    *waiting = staying;
    // A withdrawn job may have been too large for the memory that is left, and the next one fits.
    submit_admitted(waiting, JobList::new());
    withdrawn
}
