//! A worker pool for CPU-bound tasks, made for very short ones.
//!
//! It knows neither cryptography nor Node. Threads start on first use, never more than the limit.
//! Three habits keep a task of half a microsecond from costing five:
//!
//! - **Few wake-ups.** A worker is woken only when those awake have more than [`PATIENCE`] of work
//!   waiting: waking a sleeper costs the submitter 5 us and the task 40 (libuv found the same: its
//!   issue 5236). Workers inside a long task do not count as awake.
//! - **Lingering.** A worker that has done work spins for [`LINGER`] before it sleeps, one at a
//!   time.
//! - **Batches.** A worker takes several short tasks at once and delivers their results a few at a
//!   time; it holds none back while it sleeps or works on a long task, and no longer than 60 us
//!   while more tasks wait.
//!
//! And three keep one caller's work from standing in the way of another's:
//!
//! - **Order.** Short tasks go before long ones, and owners take turns; the bounds stand in
//!   `queue.rs`.
//! - **Breathing.** A long task stands aside for short ones every now and then:
//!   [`Breather::breathe`]. So none of them waits for longer than a slice, although every worker is
//!   inside a long task.
//! - **Company.** Tasks of one kind may run together, several for little more than the time of one.
//!
//! `queue.rs` decides which task is next, `crew.rs` who is woken for it, `worker.rs` runs it, and
//! `ticket.rs` knows whether it has begun when somebody does not want it any more.
#![forbid(unsafe_code)]

mod crew;
#[cfg(all(test, loom))]
mod model;
mod queue;
mod sync;
mod ticket;
mod worker;

use crate::crew::Shared;
use std::sync::Arc;
use std::time::Duration;

pub use crate::ticket::{Cancellation, Ticket};
pub use crate::worker::Breather;

/// How long a worker that has done work spins for more before it sleeps.
pub const LINGER: Duration = Duration::from_micros(50);

/// Nanoseconds of waiting work per awake worker before another is woken.
pub const PATIENCE: u64 = 30_000;

/// Nanoseconds above which a task is a long one: short ones go before it, and its worker does not
/// count as awake.
pub const LONG: u64 = 10_000;

/// More workers than this are never started, whatever is asked for.
pub const MAX_THREADS: usize = 1024;

/// One piece of work. It reports its own outcome; a panic inside `run` ends the task, not the
/// worker.
///
/// What it costs, whose it is and of which kind does not change after it has been submitted.
pub trait Task: Sized + Send + 'static {
    /// What a worker collects from the tasks it runs, until it delivers.
    type Results: Default;

    /// Called once by each worker, on its thread, before its first task.
    fn worker_begins() {}

    /// Predicted nanoseconds of work.
    fn cost(&self) -> u64;

    /// Whose it is: owners take turns. Any number that those of other owners have not.
    fn owner(&self) -> usize;

    /// Tasks of one kind may run together.
    fn kind(&self) -> Option<u32> {
        None
    }

    /// How many tasks of a kind may run together; worth more than 1 if they take less time so than
    /// one by one.
    fn together(_kind: u32) -> usize {
        1
    }

    /// Does the work, on a worker's thread. A long task breathes between its slices.
    fn run(self, breather: &mut Breather<'_, Self>, results: &mut Self::Results);

    /// Does the work of two or more tasks of one kind, at most as many as [`Task::together`] says,
    /// and takes them out of `tasks`. Those it leaves there, also by a panic, run one by one.
    fn run_together(
        _tasks: &mut Vec<Self>,
        _breather: &mut Breather<'_, Self>,
        _results: &mut Self::Results,
    ) {
    }

    /// True if whoever waits for results is awake and looking for them.
    fn awaited(results: &Self::Results) -> bool;

    /// Hands over what has been collected, and empties it.
    fn deliver(results: &mut Self::Results);

    /// Called on a worker's thread when it has delivered everything and finds nothing to do.
    fn rest(_results: &mut Self::Results) {}
}

/// The pool's size and state at one moment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The most workers there may be.
    pub limit: usize,
    /// Workers alive now; 0 until the first task.
    pub started: usize,
    /// Tasks nobody has taken yet.
    pub queued: usize,
}

/// A pool of workers that run tasks of one type. Dropping it ends the workers once the queue is
/// empty.
#[derive(Debug)]
pub struct Pool<T: Task> {
    shared: Arc<Shared<T>>,
}

impl<T: Task> Pool<T> {
    /// A pool of at most `limit` workers (at least one). Starts no thread.
    pub fn new(limit: usize) -> Pool<T> {
        Pool { shared: Arc::new(Shared::new(limit)) }
    }

    /// As many workers as this process may use at once: the CPU mask and the cgroup quota decide.
    pub fn default_limit() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
    }

    /// Queues tasks, all at once. Gives them back when no worker exists and none can be started
    /// (the process is out of threads), and those for which the queue has no memory: the caller
    /// then runs them itself.
    pub fn submit(&self, tasks: impl IntoIterator<Item = T>) -> Vec<T> {
        self.shared.submit(tasks)
    }

    /// Takes the first of an owner's short tasks that nobody has taken yet, if it is `wanted`, for
    /// the caller to run: a thread that waits for results can help instead.
    pub fn take_first(&self, owner: usize, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        self.shared.take_first(owner, wanted)
    }

    /// Removes and returns the queued tasks for which `doomed` is true. What a worker has taken, it
    /// runs.
    pub fn withdraw(&self, doomed: impl FnMut(&T) -> bool) -> Vec<T> {
        self.shared.withdraw(doomed)
    }

    /// Changes the limit, at once for sleeping workers and after their current tasks for busy ones.
    pub fn resize(&self, limit: usize) {
        self.shared.resize(limit);
    }

    /// The pool's size and state now.
    pub fn threads(&self) -> Threads {
        self.shared.threads()
    }
}

impl<T: Task> Drop for Pool<T> {
    fn drop(&mut self) {
        self.shared.close();
    }
}
