#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cancel;
#[cfg(all(test, loom))]
mod model;
mod scheduler;
mod sleep;
mod sync;
mod worker;

use crate::sleep::Shared;
use std::sync::Arc;

pub use crate::cancel::{CancelToken, Cancellation};
pub use crate::sleep::Pool;
pub use crate::worker::{OsYieldThrottle, Worker, YieldPoint};

/// Nanoseconds of waiting work for each awake worker above which another is woken.
pub const WAKE_BACKLOG_NS: u64 = 30_000;

/// Nanoseconds above which a task is long: short ones are taken before it, and its worker does not
/// count as awake.
pub const LONG_TASK_NS: u64 = 10_000;

/// The most workers of a pool, whatever limit is asked for.
pub const MAX_THREADS: usize = 1024;

/// One unit of work. It reports its own outcome; a panic in `run` ends the task, not the worker.
///
/// Its cost, owner and kind must not change after it was submitted.
pub trait Task: Sized + Send + 'static {
    /// The results that a worker collects until it delivers them.
    type Results: Default + Send;

    /// Starts a thread that runs `worker`. Returns false if that fails. The threads of the standard
    /// library abort the process when memory is short.
    fn start_worker(worker: Worker<Self>) -> bool {
        sync::thread::Builder::new().name("millrace".into()).spawn(move || worker.run()).is_ok()
    }

    /// Runs once on each worker's thread, before its first task.
    fn on_worker_start() {}

    /// Returns the predicted nanoseconds of work.
    fn cost(&self) -> u64;

    /// Returns a number that identifies the task's owner. Worker time is divided fairly among
    /// owners.
    fn owner(&self) -> usize;

    /// Returns the task's kind. Tasks of one kind may run as a batch.
    fn kind(&self) -> Option<u32> {
        None
    }

    /// Returns the most tasks of a kind that run as a batch. Returns more than 1 only if a batch is
    /// faster than its tasks one by one.
    fn batch_limit(_kind: u32) -> usize {
        1
    }

    /// Does the work, on a worker's thread. A long task yields between its slices.
    fn run(self, yield_point: &mut YieldPoint<'_, Self>, results: &mut Self::Results);

    /// Does the work of at least two tasks of one kind, at most [`Task::batch_limit`], and removes
    /// them from `tasks`. Tasks that remain there, also after a panic, run one by one.
    fn run_batch(
        _tasks: &mut Vec<Self>,
        _yield_point: &mut YieldPoint<'_, Self>,
        _results: &mut Self::Results,
    ) {
    }

    /// Returns true if the receiver of the results polls for them, and need not be woken.
    fn is_polled(_results: &Self::Results) -> bool {
        false
    }

    /// Sends the collected results to their receiver, and clears them.
    fn deliver(results: &mut Self::Results);

    /// Runs on a worker's thread when it has delivered all results and no task waits.
    fn on_idle(_results: &mut Self::Results) {}
}

/// The pool's size and state at one moment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The most workers that may exist.
    pub limit: usize,
    /// Workers that exist; 0 until the first task.
    pub started: usize,
    /// Tasks that no worker has taken yet.
    pub queued: usize,
}

impl<T: Task> Pool<T> {
    /// Creates a pool of at most `limit` workers (at least one). Starts no thread.
    pub fn new(limit: usize) -> Pool<T> {
        Pool { shared: Arc::new(Shared::new(limit, worker::start)) }
    }

    /// Returns the number of threads that this process may run at once, by the CPU mask and the
    /// cgroup quota.
    pub fn default_limit() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
    }
}
