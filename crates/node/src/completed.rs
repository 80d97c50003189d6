//! The finished jobs that a worker has not delivered yet.

use crate::cost::{self, Algorithm};
use crate::job::{Job, JobList};
use millrace_core::stack;

/// The finished jobs of one worker, all of one environment.
#[derive(Default)]
pub(crate) struct CompletedBatch {
    jobs: JobList,
    /// Predicted nanoseconds of work with secrets since the worker's stack was last wiped.
    unwiped_ns: u64,
}

/// A busy worker wipes its stack when it delivers results after more than this many predicted
/// nanoseconds of work with secrets. An idle one wipes at once.
const WIPE_AFTER_NS: u64 = 50_000;

impl CompletedBatch {
    /// Adds a job that no longer uses the environment's memory. Delivers the jobs of another
    /// environment first.
    pub(crate) fn add(&mut self, job: Box<Job>) {
        if self.jobs.first().is_some_and(|other| !other.completion.is_same(&job.completion)) {
            self.deliver();
        }
        self.note_secrets(job.work.keyed(), job.cost);
        self.jobs.push(job);
    }

    /// Records `cost` predicted nanoseconds of work that may have left secrets on the stack.
    pub(crate) fn note_secrets(&mut self, keyed: bool, cost: u64) {
        if keyed {
            self.unwiped_ns = self.unwiped_ns.saturating_add(cost.max(1));
        }
    }

    /// Wipes the stack below the caller if it was used with secrets for more than `threshold_ns`
    /// predicted nanoseconds since the last wipe.
    pub(crate) fn wipe_stack(&mut self, threshold_ns: u64) {
        if self.unwiped_ns > threshold_ns {
            self.unwiped_ns = 0;
            stack::wipe();
        }
    }

    /// Measures the cost of an algorithm that was not measured yet, after delivering the results.
    pub(crate) fn measure_once(&mut self, algorithm: Algorithm) {
        if !cost::is_settled(algorithm) {
            self.deliver();
            cost::measure_once(algorithm);
        }
    }

    /// Returns true if the event loop polls for these results.
    pub(crate) fn is_polled(&self) -> bool {
        self.jobs.first().is_some_and(|job| job.completion.is_polled())
    }

    /// Sends the jobs to their environment.
    pub(crate) fn deliver(&mut self) {
        self.wipe_stack(WIPE_AFTER_NS);
        if let Some(job) = self.jobs.first() {
            let completion = job.completion.clone();
            completion.settle(std::mem::take(&mut self.jobs));
        }
    }
}
