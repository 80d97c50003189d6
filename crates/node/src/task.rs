//! The pool and its tasks: whole jobs, and helpers of large ones.

use crate::completed::CompletedBatch;
use crate::job::{CompletionQueue, Job};
use crate::multibuffer;
use crate::parallel::ParallelJob;
use millrace_core::allocate::Shared;
use millrace_pool::{Pool, Task, Worker, YieldPoint};
use millrace_request::memory_budget;
use millrace_request::os;
use millrace_request::protocol::EngineNumber;
use std::sync::OnceLock;

/// A worker's task.
pub(crate) enum PoolTask {
    Job(Box<Job>),
    /// Works on parts of a large job while there are any.
    Helper(Shared<ParallelJob>),
}

/// Returns the process's pool. No thread starts before the first task.
pub(crate) fn pool() -> &'static Pool<PoolTask> {
    static POOL: OnceLock<Pool<PoolTask>> = OnceLock::new();
    POOL.get_or_init(|| Pool::new(Pool::<PoolTask>::default_limit()))
}

/// Submits tasks to the pool; runs here those that the pool cannot take because threads or memory
/// are short.
pub(crate) fn submit(tasks: impl IntoIterator<Item = PoolTask>) {
    let mut completed = CompletedBatch::default();
    pool().submit(tasks, |task| task.run(&mut YieldPoint::none(), &mut completed));
    completed.deliver();
}

/// Submits a long job as one task, or as many as it gets workers.
pub(crate) fn submit_long(job: Box<Job>) {
    match ParallelJob::split(job, pool().threads().limit) {
        Err(job) => submit([PoolTask::Job(job)]),
        Ok((parallel, helpers)) => submit(PoolTask::helpers(&parallel, helpers)),
    }
}

impl PoolTask {
    fn helpers(
        parallel: &Shared<ParallelJob>,
        helpers: usize,
    ) -> impl Iterator<Item = PoolTask> + use<'_> {
        (0..helpers).map(|_| PoolTask::Helper(parallel.clone()))
    }

    /// Returns true for a job that the event loop may run instead of waiting for it.
    pub(crate) fn suits_event_loop(&self) -> bool {
        matches!(self, PoolTask::Job(job) if job.shared)
    }

    /// Returns the completion queue of the task's environment.
    pub(crate) fn completion(&self) -> &Shared<CompletionQueue> {
        match self {
            PoolTask::Job(job) => &job.completion,
            PoolTask::Helper(parallel) => &parallel.completion,
        }
    }
}

impl Task for PoolTask {
    type Results = CompletedBatch;

    fn start_worker(worker: Worker<PoolTask>) -> bool {
        os::start_thread(c"millrace", worker, Worker::run)
    }

    fn on_worker_start() {
        os::avoid_preempting_others();
    }

    fn cost(&self) -> u64 {
        match self {
            PoolTask::Job(job) => job.cost,
            PoolTask::Helper(parallel) => parallel.cost,
        }
    }

    /// Returns the environment: worker time is divided among environments.
    fn owner(&self) -> usize {
        self.completion().address()
    }

    fn kind(&self) -> Option<u32> {
        if let PoolTask::Job(job) = self { job.kind } else { None }
    }

    fn batch_limit(kind: u32) -> usize {
        multibuffer::batch_limit(kind)
    }

    fn run(self, yield_point: &mut YieldPoint<'_, Self>, completed: &mut CompletedBatch) {
        let mut run_pending = || yield_point.run_pending_short_tasks();
        match self {
            PoolTask::Job(job) => run_job(job, &mut run_pending, completed),
            PoolTask::Helper(parallel) => {
                completed.note_secrets(parallel.keyed, parallel.cost);
                // A helper that the pool cannot take is not missed: the others do its parts.
                let call_helpers =
                    |helpers| pool().submit(PoolTask::helpers(&parallel, helpers), drop);
                if let Some(job) = parallel.help(&mut run_pending, call_helpers) {
                    let measured = job.work.operation.algorithm();
                    completed.add(job);
                    completed.measure_once(measured);
                }
            }
        }
    }

    fn run_batch(
        tasks: &mut Vec<PoolTask>,
        yield_point: &mut YieldPoint<'_, Self>,
        completed: &mut CompletedBatch,
    ) {
        // Results are delivered one environment at a time.
        let owner = PoolTask::owner;
        if tasks.iter().any(|task| owner(task) != owner(&tasks[0])) {
            tasks.sort_unstable_by_key(owner);
        }
        let jobs = tasks.drain(..).filter_map(|task| match task {
            PoolTask::Job(job) => Some(job),
            PoolTask::Helper(_) => None,
        });
        multibuffer::run(jobs, &mut || yield_point.run_pending_short_tasks(), completed);
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

fn run_job(mut job: Box<Job>, run_pending: &mut dyn FnMut(), completed: &mut CompletedBatch) {
    // False once the environment has ended: its memory may be gone, and no call waits.
    if !job.completion.gate().enter() {
        return;
    }
    // Held until the memory is wiped, which happens after the result was delivered.
    let permit = job.permit.take();
    job.perform(Some(&mut *run_pending));
    job.completion.gate().leave();
    let (algorithm, measured) =
        (job.work.operation.algorithm(), job.work.engine == EngineNumber::Native);
    completed.add(job);
    if permit.is_some() {
        completed.deliver();
        memory_budget::wipe_deferred(run_pending);
        drop(permit);
    }
    if measured {
        completed.measure_once(algorithm);
    }
}
