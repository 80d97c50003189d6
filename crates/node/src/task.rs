//! What the pool's workers are given: whole jobs, and shares of large ones; and how results collect
//! until they are delivered.

use crate::checkpoint::JobCheckpoint;
use crate::cost::{self, Algorithm};
use crate::job::{CompletionQueue, Job};
use crate::kdf::scratch_pool;
use crate::multibuffer;
use crate::os_thread;
use crate::parallel::ParallelJob;
use millrace_core::engines::Provider;
use millrace_core::stack;
use millrace_pool::{Task, YieldPoint};
use std::sync::Arc;

/// A worker's task.
pub(crate) enum PoolTask {
    Job(Box<Job>),
    /// To help with a large job, if there is anything left to do.
    Helper(Arc<ParallelJob>),
}

impl PoolTask {
    /// True for a job that an event loop may do instead of waiting for it.
    pub(crate) fn suits_help(&self, cost: u64) -> bool {
        matches!(self, PoolTask::Job(job) if job.cost <= cost && !job.measures())
    }

    /// Of which environment it is.
    pub(crate) fn completion(&self) -> &Arc<CompletionQueue> {
        match self {
            PoolTask::Job(job) => &job.completion,
            PoolTask::Helper(parallel) => parallel.completion(),
        }
    }
}

impl Task for PoolTask {
    type Results = CompletedBatch;

    fn on_worker_start() {
        os_thread::avoid_preempting_others();
    }

    fn cost(&self) -> u64 {
        match self {
            PoolTask::Job(job) => job.cost,
            PoolTask::Helper(parallel) => parallel.cost(),
        }
    }

    /// Environments take turns.
    fn owner(&self) -> usize {
        Arc::as_ptr(self.completion()).addr()
    }

    fn kind(&self) -> Option<u32> {
        if let PoolTask::Job(job) = self { job.kind } else { None }
    }

    fn batch_limit(kind: u32) -> usize {
        multibuffer::batch_limit(kind)
    }

    fn run(self, yield_point: &mut YieldPoint<'_, Self>, completed: &mut CompletedBatch) {
        match self {
            PoolTask::Job(job) => run_job(job, yield_point, completed),
            PoolTask::Helper(parallel) => {
                completed.note_secrets(parallel.keyed(), parallel.cost());
                if let Some(job) = parallel.work(&mut || yield_point.run_pending_short_tasks()) {
                    let algorithm = cost::algorithm(job.work.operation);
                    completed.add(job);
                    completed.measure_once(algorithm);
                }
            }
        }
    }

    fn run_batch(
        tasks: &mut Vec<PoolTask>,
        yield_point: &mut YieldPoint<'_, Self>,
        completed: &mut CompletedBatch,
    ) {
        multibuffer::run(tasks, yield_point, completed);
    }

    fn is_polled(completed: &CompletedBatch) -> bool {
        completed.is_polled()
    }

    fn deliver(completed: &mut CompletedBatch) {
        completed.deliver();
    }

    fn on_idle(completed: &mut CompletedBatch) {
        completed.wipe_stack(0);
    }
}

fn run_job(
    mut job: Box<Job>,
    yield_point: &mut YieldPoint<'_, PoolTask>,
    completed: &mut CompletedBatch,
) {
    // The environment has ended, its memory may be gone; nobody waits for the result.
    if !job.completion.gate().enter() {
        return;
    }
    // Given back when the memory has been wiped, and that when the result is on its way.
    let permit = job.permit.take();
    job.perform(|work, reply, completion, cancel_token, cost| {
        let mut run_pending = || yield_point.run_pending_short_tasks();
        let mut checkpoint =
            JobCheckpoint::new(&mut run_pending, completion.gate(), cancel_token, work, cost);
        work.run(reply, checkpoint.as_mut())
    });
    job.completion.gate().leave();
    let (algorithm, measured) =
        (cost::algorithm(job.work.operation), job.work.engine == Provider::Native);
    completed.add(job);
    if permit.is_some() {
        completed.deliver();
        scratch_pool::wipe_deferred(|| yield_point.run_pending_short_tasks());
        drop(permit);
    }
    if measured {
        completed.measure_once(algorithm);
    }
}

/// What one worker has finished and not yet handed over; all of one environment.
#[derive(Default)]
pub(crate) struct CompletedBatch {
    jobs: Vec<Box<Job>>,
    /// Predicted nanoseconds of work with secrets since the worker's stack was last wiped.
    unwiped: u64,
}

/// A busy worker wipes its stack when it delivers results after more than this many predicted
/// nanoseconds of work with secrets. An idle one wipes at once.
const WIPE_AFTER: u64 = 50_000;

impl CompletedBatch {
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
    pub(crate) fn measure_once(&mut self, algorithm: Algorithm) {
        if !cost::is_settled(algorithm) {
            self.deliver();
            cost::measure_once(algorithm);
        }
    }

    /// True if the event loop is looking for these results by itself.
    fn is_polled(&self) -> bool {
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
