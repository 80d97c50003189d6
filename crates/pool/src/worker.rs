//! A worker's loop: it takes tasks, runs them, delivers results, and runs short tasks at the yield
//! points of a long one.

use crate::Task;
use crate::scheduler::{Length, QUANTUM_NS, Queued, TAKEN_MAX};
use crate::sleep::Shared;
use crate::sync::{Stopwatch, yield_now};
use std::hint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Nanoseconds of work after which results are delivered although more tasks wait: while their
/// receiver polls, and while it has to be woken, which costs a busy core up to 5 us.
const DELIVER_POLLED_NS: u64 = 2_000;
const DELIVER_WAKING_NS: u64 = 60_000;

/// The most nanoseconds that a yield point takes.
const YIELD_BUDGET_NS: u64 = 200_000;

/// Nanoseconds after which a busy thread yields its core to the operating system. Without that
/// another that becomes ready, as an event loop or a thread of libuv, waits for the rest of the
/// time slice: the p99 of a timer behind two busy cores is 2.9 ms without and 0.5 ms with it. It
/// costs 0.3 us when no thread waits. Newer Linux kernels count a yield as time used, so yields
/// must stay rare.
const OS_YIELD_INTERVAL_NS: u64 = 100_000;

/// After a yield that took longer the worker works for as long before the next one, at most this:
/// on a loaded machine each yield costs the time slices of other processes (work of 1.6 s took 60 s
/// at a load of 17).
const OS_YIELD_INTERVAL_MAX_NS: u64 = 3_000_000;

/// Starts a worker on a new thread. Returns false if memory or threads are short.
pub(crate) fn start<T: Task>(shared: Arc<Shared<T>>) -> bool {
    Worker::new(shared).is_some_and(T::start_worker)
}

/// A worker of a pool, to run on a separate thread.
pub struct Worker<T: Task> {
    shared: Arc<Shared<T>>,
    runner: TaskRunner<T>,
    /// Runs the short tasks at yield points of a long one.
    nested: TaskRunner<T>,
    throttle: OsYieldThrottle,
}

impl<T: Task> Worker<T> {
    /// Returns `None` when memory is short.
    fn new(shared: Arc<Shared<T>>) -> Option<Worker<T>> {
        let throttle = OsYieldThrottle::default();
        Some(Worker { shared, runner: TaskRunner::new()?, nested: TaskRunner::new()?, throttle })
    }

    /// Runs tasks on the current thread until the worker retires.
    pub fn run(mut self) {
        T::on_worker_start();
        loop {
            match self.shared.take(&mut self.runner.taken) {
                Some(Length::Short) => {
                    self.runner.run(&mut YieldPoint::none());
                    self.throttle.maybe_yield_to_os();
                }
                Some(Length::Long) => {
                    self.runner.run(&mut YieldPoint(Some(LongTask {
                        shared: &self.shared,
                        nested: &mut self.nested,
                        throttle: &mut self.throttle,
                        since: Stopwatch::start(),
                    })));
                    self.shared.end_long_task();
                    self.throttle.maybe_yield_to_os();
                }
                None => {
                    self.runner.deliver();
                    self.runner.on_idle();
                    self.nested.on_idle();
                    if !self.shared.wait() {
                        return;
                    }
                }
            }
        }
    }
}

/// Lets a long task run waiting short tasks between its slices.
pub struct YieldPoint<'a, T: Task>(Option<LongTask<'a, T>>);

struct LongTask<'a, T: Task> {
    shared: &'a Arc<Shared<T>>,
    nested: &'a mut TaskRunner<T>,
    throttle: &'a mut OsYieldThrottle,
    /// Started when the task began, or when its last yield point ended.
    since: Stopwatch,
}

impl<T: Task> YieldPoint<'_, T> {
    /// Returns a yield point that does nothing, for tasks that run outside the pool's workers.
    pub fn none() -> YieldPoint<'static, T> {
        YieldPoint(None)
    }

    /// Runs short tasks that wait, on this thread, and delivers their results. A long task calls
    /// this every 50 to 200 us, while it holds no lock that a task might take. It returns after
    /// about as long as the task has worked since the last call, and after 200 us at most, so that
    /// the task keeps at least half of its worker; it returns after some 30 ns if no task waits.
    ///
    /// Does nothing in short tasks, and so in those that run at a yield point.
    pub fn run_pending_short_tasks(&mut self) {
        if let Some(long_task) = &mut self.0 {
            long_task.throttle.maybe_yield_to_os();
            if long_task.shared.has_short_tasks() {
                long_task.run_short_tasks();
            }
        }
    }
}

impl<T: Task> LongTask<'_, T> {
    #[cold]
    fn run_short_tasks(&mut self) {
        let slice = self.since.elapsed_ns();
        if slice < QUANTUM_NS {
            return;
        }
        let (began, mut ran) = (Stopwatch::start(), false);
        while (!ran || began.elapsed_ns() < slice.min(YIELD_BUDGET_NS))
            && self.shared.take_short(&mut self.nested.taken)
        {
            self.nested.run(&mut YieldPoint::none());
            ran = true;
        }
        if ran {
            self.nested.deliver();
            self.since = Stopwatch::start();
        }
    }
}

/// Limits how often a thread yields its core to the operating system.
#[derive(Debug)]
pub struct OsYieldThrottle {
    last_yield: Stopwatch,
    interval_ns: u64,
}

impl Default for OsYieldThrottle {
    fn default() -> OsYieldThrottle {
        OsYieldThrottle { last_yield: Stopwatch::start(), interval_ns: OS_YIELD_INTERVAL_NS }
    }
}

impl OsYieldThrottle {
    /// Yields if the last time was long enough ago. A worker calls this between tasks, and a thread
    /// that polls for results at each poll.
    pub fn maybe_yield_to_os(&mut self) {
        if self.last_yield.elapsed_ns() < self.interval_ns {
            return;
        }
        let began = Stopwatch::start();
        yield_now();
        self.interval_ns = began.elapsed_ns().clamp(OS_YIELD_INTERVAL_NS, OS_YIELD_INTERVAL_MAX_NS);
        self.last_yield = Stopwatch::start();
    }
}

/// Runs the tasks that were taken, and collects their results.
struct TaskRunner<T: Task> {
    taken: Vec<Queued<T>>,
    batch: Vec<T>,
    results: T::Results,
    /// Tasks with results that are not delivered yet, and their predicted nanoseconds.
    undelivered: usize,
    undelivered_ns: u64,
}

impl<T: Task> TaskRunner<T> {
    /// Returns `None` when memory is short. The runner allocates nothing later.
    fn new() -> Option<TaskRunner<T>> {
        let (mut taken, mut batch) = (Vec::new(), Vec::new());
        taken.try_reserve_exact(TAKEN_MAX).ok()?;
        batch.try_reserve_exact(TAKEN_MAX).ok()?;
        let results = T::Results::default();
        Some(TaskRunner { taken, batch, results, undelivered: 0, undelivered_ns: 0 })
    }

    /// Runs the tasks taken, adjacent ones of one kind as a batch.
    fn run(&mut self, yield_point: &mut YieldPoint<'_, T>) {
        let mut taken = std::mem::take(&mut self.taken);
        // Another core has written these tasks: reading each one first overlaps the cache misses,
        // which saves 10 ns a task.
        hint::black_box(taken.iter().map(|queued| queued.task.cost()).fold(0, u64::wrapping_add));
        let mut tasks = taken.drain(..);
        while let Some(first) = tasks.next() {
            let limit = first.kind.map_or(1, T::batch_limit);
            let (mut count, mut cost) = (1, first.cost());
            if limit < 2 {
                self.deliver_before(cost);
                self.run_one(first.task, yield_point);
            } else {
                self.batch.push(first.task);
                while count < limit
                    && tasks.as_slice().first().is_some_and(|next| next.kind == first.kind)
                    && let Some(next) = tasks.next()
                {
                    cost += next.cost();
                    count += 1;
                    self.batch.push(next.task);
                }
                self.deliver_before(cost);
                self.run_batch(yield_point);
            }
            self.undelivered += count;
            self.undelivered_ns += cost;
            let polled = T::is_polled(&self.results);
            if self.undelivered_ns > if polled { DELIVER_POLLED_NS } else { DELIVER_WAKING_NS } {
                self.deliver();
            }
        }
        drop(tasks);
        self.taken = taken;
    }

    /// Delivers results before a task that takes longer than they may be held back.
    fn deliver_before(&mut self, cost: u64) {
        if cost > DELIVER_WAKING_NS {
            self.deliver();
        }
    }

    fn run_one(&mut self, task: T, yield_point: &mut YieldPoint<'_, T>) {
        // A task that panics reports its failure from its destructor; the worker continues.
        let _ = catch_unwind(AssertUnwindSafe(|| task.run(yield_point, &mut self.results)));
    }

    /// Runs the batch, then one by one the tasks that it left, also by a panic.
    fn run_batch(&mut self, yield_point: &mut YieldPoint<'_, T>) {
        let mut batch = std::mem::take(&mut self.batch);
        if batch.len() > 1 {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                T::run_batch(&mut batch, yield_point, &mut self.results)
            }));
        }
        batch.drain(..).for_each(|task| self.run_one(task, yield_point));
        self.batch = batch;
    }

    fn deliver(&mut self) {
        if self.undelivered > 0 {
            (self.undelivered, self.undelivered_ns) = (0, 0);
            let _ = catch_unwind(AssertUnwindSafe(|| T::deliver(&mut self.results)));
        }
    }

    fn on_idle(&mut self) {
        let _ = catch_unwind(AssertUnwindSafe(|| T::on_idle(&mut self.results)));
    }
}
