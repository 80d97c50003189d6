//! What the pool's workers are given: whole jobs, and shares of large ones; and how results collect
//! until they are delivered.

use crate::company;
use crate::completion::Completion;
use crate::cost::{self, Algorithm};
use crate::job::Job;
use crate::kdf::shelf;
use crate::lifecycle;
use crate::pacer::Pacer;
use crate::parts::Shared;
use millrace_core::engines::Provider;
use millrace_core::stack;
use millrace_pool::{Breather, Task};
use std::sync::Arc;

/// The way back of an environment's jobs, as the workers see it.
pub(crate) type Traffic = Completion<Box<Job>>;

/// A worker's task.
pub(crate) enum Errand {
    Job(Box<Job>),
    /// To help with a large job, if there is anything left to do.
    Share(Arc<Shared>),
}

impl Errand {
    /// True for a job that an event loop may do instead of waiting for it.
    pub(crate) fn suits_help(&self, cost: u64) -> bool {
        matches!(self, Errand::Job(job) if job.cost <= cost && !job.measures())
    }

    /// Of which environment it is.
    pub(crate) fn traffic(&self) -> &Arc<Traffic> {
        match self {
            Errand::Job(job) => &job.completion,
            Errand::Share(shared) => shared.traffic(),
        }
    }
}

impl Task for Errand {
    type Results = Outbox;

    fn worker_begins() {
        lifecycle::work_in_background();
    }

    fn cost(&self) -> u64 {
        match self {
            Errand::Job(job) => job.cost,
            Errand::Share(shared) => shared.cost(),
        }
    }

    /// Environments take turns.
    fn owner(&self) -> usize {
        Arc::as_ptr(self.traffic()).addr()
    }

    fn kind(&self) -> Option<u32> {
        if let Errand::Job(job) = self { job.kind } else { None }
    }

    fn together(kind: u32) -> usize {
        company::together(kind)
    }

    fn run(self, breather: &mut Breather<'_, Self>, outbox: &mut Outbox) {
        match self {
            Errand::Job(job) => run_job(job, breather, outbox),
            Errand::Share(shared) => {
                outbox.note_secrets(shared.keyed(), shared.cost());
                if let Some(job) = shared.work(breather) {
                    let algorithm = cost::algorithm(job.work.operation);
                    outbox.add(job);
                    outbox.refine(algorithm);
                }
            }
        }
    }

    fn run_together(
        errands: &mut Vec<Errand>,
        breather: &mut Breather<'_, Self>,
        outbox: &mut Outbox,
    ) {
        company::run(errands, breather, outbox);
    }

    fn awaited(outbox: &Outbox) -> bool {
        outbox.awaited()
    }

    fn deliver(outbox: &mut Outbox) {
        outbox.deliver();
    }

    fn rest(outbox: &mut Outbox) {
        outbox.wipe_stack(0);
    }
}

fn run_job(mut job: Box<Job>, breather: &mut Breather<'_, Errand>, outbox: &mut Outbox) {
    // The environment has ended, its memory may be gone; nobody waits for the result.
    if !job.completion.enter() {
        return;
    }
    // Given back when the memory has been wiped, and that when the result is on its way.
    let held = job.room.take();
    job.perform(|work, reply, completion, ticket, cost| {
        let mut pacer = Pacer::new(breather, completion, ticket, work, cost);
        work.run(reply, pacer.as_mut())
    });
    job.completion.leave();
    let (algorithm, measured) =
        (cost::algorithm(job.work.operation), job.work.engine == Provider::Native);
    outbox.add(job);
    if held.is_some() {
        outbox.deliver();
        shelf::tidy_up(|| breather.breathe());
        drop(held);
    }
    if measured {
        outbox.refine(algorithm);
    }
}

/// What one worker has finished and not yet handed over; all of one environment.
#[derive(Default)]
pub(crate) struct Outbox {
    jobs: Vec<Box<Job>>,
    /// Predicted nanoseconds of work with secrets since the worker's stack was last wiped.
    unwiped: u64,
}

/// A busy worker wipes its stack when it delivers results after more than this many predicted
/// nanoseconds of work with secrets. An idle one wipes at once.
const WIPE_AFTER: u64 = 50_000;

impl Outbox {
    pub(crate) fn add(&mut self, job: Box<Job>) {
        if self.jobs.last().is_some_and(|last| !Arc::ptr_eq(&last.completion, &job.completion)) {
            self.deliver();
        }
        self.note_secrets(job.work.keyed(), job.cost);
        self.jobs.push(job);
    }

    fn note_secrets(&mut self, keyed: bool, cost: u64) {
        if keyed {
            self.unwiped = self.unwiped.saturating_add(cost.max(1));
        }
    }

    /// Wipes the stack below the caller if work with secrets since the last wipe was predicted to
    /// take more than `least` nanoseconds.
    fn wipe_stack(&mut self, least: u64) {
        if self.unwiped > least {
            self.unwiped = 0;
            stack::wipe();
        }
    }

    /// Measures an algorithm if nobody has, for which no result has to wait.
    pub(crate) fn refine(&mut self, algorithm: Algorithm) {
        if !cost::settled(algorithm) {
            self.deliver();
            cost::refine(algorithm);
        }
    }

    /// True if the event loop is looking for these results by itself.
    fn awaited(&self) -> bool {
        self.jobs.last().is_some_and(|job| job.completion.polled())
    }

    pub(crate) fn deliver(&mut self) {
        self.wipe_stack(WIPE_AFTER);
        if let Some(job) = self.jobs.last() {
            let completion = Arc::clone(&job.completion);
            completion.settle(&mut self.jobs);
        }
    }
}
