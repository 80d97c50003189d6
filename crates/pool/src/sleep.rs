//! The pool as callers see it, the state that they share with workers, and the workers' states: how
//! they wait, are woken, started and retired. README.md describes the protocol.

use crate::scheduler::{Length, Queued, Scheduler, Workers};
use crate::sync::{
    AtomicUsize, Condvar, Mutex, MutexGuard, POLLS_PER_CLOCK_READ, Stopwatch, spin_loop,
};
use crate::{MAX_THREADS, Task, Threads, WAKE_BACKLOG_NS};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// How long a worker that has run a task spins for more before it sleeps.
const LINGER_NS: u64 = 50_000;

/// The most workers that one wake-up wakes. A wake-up costs the waker 2 to 13 us, and each woken
/// worker wakes others before it begins: few workers gain nothing from more at once, and 64 are
/// awake after five steps instead of 250 us.
const WAKE_MAX: usize = 2;

/// A pool of workers that run tasks of one type. When it is dropped, the workers end once no task
/// waits.
#[derive(Debug)]
pub struct Pool<T: Task> {
    pub(crate) shared: Arc<Shared<T>>,
}

/// The fields that every task changes are adjacent in a few cache lines: the lock with the worker
/// counts, then the inline owner of the short queue, then the counters read without the lock.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Shared<T> {
    state: Mutex<State<T>>,
    work: Condvar,
    pending: Pending,
    /// Starts a worker thread, and returns false if that fails; a parameter, as `worker` imports
    /// this module.
    start: fn(Arc<Shared<T>>) -> bool,
}

#[derive(Debug)]
#[repr(C)]
struct State<T> {
    workers: WorkerSet,
    scheduler: Scheduler<T>,
}

/// The number of waiting tasks, and of short ones among them, for workers that linger or yield:
/// they read it without the lock.
#[derive(Debug)]
#[repr(align(64))]
struct Pending {
    all: AtomicUsize,
    short: AtomicUsize,
    /// Awake workers, for submitters that hold work back while there are none.
    awake: AtomicUsize,
}

/// The number of workers in each state.
#[derive(Debug, Default)]
struct WorkerSet {
    limit: usize,
    started: usize,
    /// Workers asleep on the condition variable.
    asleep: usize,
    /// Wake-ups sent to sleepers that have not run since. A spurious wake-up may consume another
    /// worker's entry, so the count errs low, which costs at most one superfluous wake-up.
    waking: usize,
    /// Workers inside a long task.
    in_long_task: usize,
    /// Workers that spin for new work; at most one, so that idling costs at most one core.
    lingering: usize,
    closed: bool,
}

impl WorkerSet {
    /// Returns the number of workers that will look for work without being woken.
    fn awake(&self) -> usize {
        (self.started - self.asleep + self.waking).saturating_sub(self.in_long_task)
    }

    fn available(&self) -> Workers {
        let allowed = self.limit.saturating_sub(self.in_long_task);
        Workers { awake: self.awake(), allowed }
    }

    /// Returns how many more workers should look for work: in all one for each
    /// [`WAKE_BACKLOG_NS`], at least one, and no more than tasks. Each long task may have a worker
    /// at once; for short tasks one worker is woken at a time, which may run them all before
    /// another is awake.
    #[inline]
    fn workers_needed<T: Task>(&self, scheduler: &Scheduler<T>) -> usize {
        let awake = self.awake();
        let backlog = scheduler.backlog_ns();
        if backlog <= awake as u64 * WAKE_BACKLOG_NS {
            return 0;
        }
        let by_time = usize::try_from(backlog.div_ceil(WAKE_BACKLOG_NS)).unwrap_or(usize::MAX);
        let missing = by_time.min(scheduler.len()).saturating_sub(awake);
        missing.min(scheduler.long_len().max(1)).min(WAKE_MAX)
    }

    fn over_limit(&self) -> bool {
        self.started > self.limit
    }
}

impl<T: Task> Pool<T> {
    /// Queues tasks, all under one lock. Calls `reject` with the tasks that the caller must run
    /// itself: all that wait if no worker exists and none can be started (the process is out of
    /// threads or memory), and those for which the queue has no memory.
    pub fn submit(&self, tasks: impl IntoIterator<Item = T>, mut reject: impl FnMut(T)) {
        let shared = &self.shared;
        let mut tasks = tasks.into_iter();
        loop {
            let mut state = shared.lock();
            let no_memory = tasks.by_ref().find_map(|task| state.scheduler.push(task).err());
            shared.publish(&state.scheduler);
            // A worker that is awake soon takes a task and wakes the others that are needed: the
            // caller pays for at most one wake-up.
            let sleepers =
                if state.workers.awake() == 0 { shared.wake_workers(&mut state, 1) } else { 0 };
            let no_workers = state.workers.started == 0;
            drop(state);
            shared.notify(sleepers);
            if no_workers {
                shared.reject_all(&mut reject);
            }
            match no_memory {
                Some(task) => reject(task),
                None => return,
            }
        }
    }

    /// Takes the owner's first waiting task, a short one if there is one, if `wanted` returns true
    /// for it, for the caller to run: a thread that waits for results can help the workers.
    pub fn take_first(&self, owner: usize, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        if !self.shared.has_tasks() {
            return None;
        }
        let mut state = self.shared.lock();
        let task = state.scheduler.take_first(owner, wanted)?;
        self.shared.publish(&state.scheduler);
        Some(task)
    }

    /// Returns true if a worker will look for tasks without being woken. The answer may be out of
    /// date when it is returned. Takes no lock.
    pub fn is_awake(&self) -> bool {
        self.shared.pending.awake.load(Ordering::Relaxed) > 0
    }

    /// Changes the limit: at once for sleeping workers, and after their current tasks for busy
    /// ones.
    pub fn resize(&self, limit: usize) {
        let mut state = self.shared.lock();
        state.workers.limit = limit.clamp(1, MAX_THREADS);
        while state.workers.started < state.workers.limit
            && state.workers.started < state.scheduler.len()
        {
            if !self.shared.start_worker(&mut state.workers) {
                break;
            }
        }
        if state.workers.over_limit() {
            self.shared.wake_all(&mut state.workers);
        }
    }

    /// Returns the pool's size and state.
    pub fn threads(&self) -> Threads {
        let state = self.shared.lock();
        Threads {
            limit: state.workers.limit,
            started: state.workers.started,
            queued: state.scheduler.len(),
        }
    }
}

impl<T: Task> Drop for Pool<T> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.workers.closed = true;
        self.shared.wake_all(&mut state.workers);
    }
}

impl<T: Task> Shared<T> {
    pub(crate) fn new(limit: usize, start: fn(Arc<Shared<T>>) -> bool) -> Shared<T> {
        let workers = WorkerSet { limit: limit.clamp(1, MAX_THREADS), ..WorkerSet::default() };
        Shared {
            state: Mutex::new(State { workers, scheduler: Scheduler::new() }),
            work: Condvar::new(),
            pending: Pending {
                all: AtomicUsize::new(0),
                short: AtomicUsize::new(0),
                awake: AtomicUsize::new(0),
            },
            start,
        }
    }

    /// Ignores poisoning: no task runs under the lock, so the state is consistent after a panic.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a task waits. Takes no lock.
    pub(crate) fn has_tasks(&self) -> bool {
        self.pending.all.load(Ordering::Acquire) > 0
    }

    /// Returns true if a short task waits. Takes no lock.
    pub(crate) fn has_short_tasks(&self) -> bool {
        self.pending.short.load(Ordering::Acquire) > 0
    }

    fn publish_awake(&self, workers: &WorkerSet) {
        self.pending.awake.store(workers.awake(), Ordering::Relaxed);
    }

    fn publish(&self, scheduler: &Scheduler<T>) {
        self.pending.all.store(scheduler.len(), Ordering::Release);
        self.pending.short.store(scheduler.short_len(), Ordering::Release);
    }

    /// Rejects the waiting tasks until there is a worker.
    #[cold]
    fn reject_all(&self, reject: &mut impl FnMut(T)) {
        loop {
            let mut state = self.lock();
            if state.workers.started > 0 {
                return;
            }
            let Some(task) = state.scheduler.take_any() else { return };
            self.publish(&state.scheduler);
            drop(state);
            reject(task);
        }
    }

    // ---- called by workers ------------------------------------------------------------------

    /// Takes a worker's next work. Returns `None` if there is none, or if there are more workers
    /// than the limit.
    pub(crate) fn take(self: &Arc<Self>, taken: &mut Vec<Queued<T>>) -> Option<Length> {
        if !self.has_tasks() {
            return None;
        }
        let mut state = self.lock();
        if state.workers.over_limit() {
            return None;
        }
        let workers = state.workers.available();
        let length = state.scheduler.take(workers, taken)?;
        self.publish(&state.scheduler);
        state.workers.in_long_task += usize::from(length == Length::Long);
        let sleepers = self.wake_workers(&mut state, WAKE_MAX);
        self.publish_awake(&state.workers);
        drop(state);
        self.notify(sleepers);
        Some(length)
    }

    /// Takes short tasks for a worker inside a long one. Returns false if there are none.
    pub(crate) fn take_short(self: &Arc<Self>, taken: &mut Vec<Queued<T>>) -> bool {
        let mut state = self.lock();
        let mut workers = state.workers.available();
        workers.awake += 1; // The caller.
        let any = state.scheduler.take_short(workers, taken);
        self.publish(&state.scheduler);
        let sleepers = self.wake_workers(&mut state, WAKE_MAX);
        drop(state);
        self.notify(sleepers);
        any
    }

    /// Counts a worker as awake again after its long task.
    pub(crate) fn end_long_task(&self) {
        let mut state = self.lock();
        state.workers.in_long_task -= 1;
        self.publish_awake(&state.workers);
    }

    /// Lingers, then sleeps, until a task waits. Returns false if the worker must retire.
    pub(crate) fn wait(&self) -> bool {
        let mut state = self.lock();
        let mut may_linger = true;
        loop {
            if state.workers.over_limit() || (state.workers.closed && state.scheduler.len() == 0) {
                state.workers.started -= 1;
                return false;
            }
            if state.scheduler.len() > 0 {
                return true;
            }
            if may_linger && state.workers.lingering == 0 {
                state.workers.lingering += 1;
                drop(state);
                linger(|| self.has_tasks());
                state = self.lock();
                state.workers.lingering -= 1;
                may_linger = false;
                continue;
            }
            state.workers.asleep += 1;
            self.publish_awake(&state.workers);
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.workers.asleep -= 1;
            state.workers.waking = state.workers.waking.saturating_sub(1);
            self.publish_awake(&state.workers);
        }
    }

    // ---- waking and starting ----------------------------------------------------------------

    /// Starts workers, or counts sleepers as waking, at most `max`, if those awake have too much
    /// work. Returns the number of sleepers for [`Shared::notify`].
    #[inline]
    fn wake_workers(self: &Arc<Self>, state: &mut State<T>, max: usize) -> usize {
        let needed = state.workers.workers_needed(&state.scheduler).min(max);
        if needed == 0 {
            return 0;
        }
        let sleepers = self.wake_or_start(needed, &mut state.workers);
        self.publish_awake(&state.workers);
        sleepers
    }

    #[cold]
    fn wake_or_start(self: &Arc<Self>, count: usize, workers: &mut WorkerSet) -> usize {
        let mut sleepers = 0;
        for _ in 0..count {
            if workers.asleep > workers.waking {
                workers.waking += 1;
                sleepers += 1;
            } else if workers.started >= workers.limit || !self.start_worker(workers) {
                break;
            }
        }
        sleepers
    }

    /// Wakes sleepers. Called after the lock was released: a worker that wakes while another thread
    /// holds the lock sleeps again and is woken twice.
    #[inline]
    fn notify(&self, sleepers: usize) {
        for _ in 0..sleepers {
            self.work.notify_one();
        }
    }

    fn wake_all(&self, workers: &mut WorkerSet) {
        workers.waking = workers.asleep;
        self.work.notify_all();
    }

    fn start_worker(self: &Arc<Self>, workers: &mut WorkerSet) -> bool {
        let started = (self.start)(Arc::clone(self));
        workers.started += usize::from(started);
        started
    }
}

/// Spins until `ready` returns true, for at most [`LINGER_NS`].
fn linger(ready: impl Fn() -> bool) {
    let began = Stopwatch::start();
    loop {
        for _ in 0..POLLS_PER_CLOCK_READ {
            if ready() {
                return;
            }
            spin_loop();
        }
        if began.elapsed_ns() >= LINGER_NS {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LONG_TASK_NS;
    use crate::scheduler::simulation::Job;

    fn needed(costs: &[u64], started: usize, asleep: usize, in_long_task: usize) -> usize {
        let mut scheduler = Scheduler::new();
        costs.iter().for_each(|&cost| assert!(scheduler.push(Job::of(cost)).is_ok()));
        WorkerSet { limit: 64, started, asleep, in_long_task, ..WorkerSet::default() }
            .workers_needed(&scheduler)
    }

    #[test]
    fn no_worker_is_woken_for_little_work() {
        assert_eq!(needed(&[], 4, 4, 0), 0);
        assert_eq!(needed(&[500; 60], 4, 3, 0), 0, "30 us for the one awake");
        assert_eq!(needed(&[1_000_000], 4, 3, 0), 0, "one task needs one worker");
        assert_eq!(
            needed(&[LONG_TASK_NS + 1, LONG_TASK_NS + 1], 4, 3, 0),
            0,
            "run sooner than a second worker wakes"
        );
    }

    #[test]
    fn a_worker_is_woken_if_none_is_awake_and_free() {
        assert_eq!(needed(&[1], 0, 0, 0), 1);
        assert_eq!(needed(&[1], 4, 4, 0), 1);
        assert_eq!(needed(&[1], 4, 3, 1), 1);
        assert_eq!(needed(&[1; 9], 4, 0, 4), 1, "short tasks wake one at a time");
    }

    #[test]
    fn long_tasks_wake_several_workers_at_once_and_short_ones_one() {
        assert_eq!(needed(&[1_000_000; 8], 8, 8, 0), WAKE_MAX);
        assert_eq!(needed(&[1_000_000; 2], 8, 7, 0), 1, "one is awake");
        assert_eq!(needed(&[5_000; 1000], 8, 8, 0), 1);
    }

    #[test]
    #[cfg(not(loom))]
    fn a_caller_wakes_one_worker_and_none_while_one_is_awake() {
        let shared = Arc::new(Shared::new(4, |_| true));
        let pool = Pool { shared: Arc::clone(&shared) };
        for (asleep, woken) in [(4, 1), (3, 0)] {
            {
                let mut state = shared.lock();
                while state.scheduler.take_any().is_some() {}
                state.workers = WorkerSet { limit: 4, started: 4, asleep, ..WorkerSet::default() };
            }
            pool.submit([1_000_000; 9].map(Job::of), |_| panic!("a worker runs it"));
            assert_eq!(shared.lock().workers.waking, woken);
        }
        assert_eq!(shared.take(&mut Vec::new()), Some(Length::Long));
        assert_eq!(
            shared.lock().workers.waking,
            WAKE_MAX,
            "the worker that takes a long task wakes others"
        );
    }

    #[cfg(not(loom))]
    fn soon(mut condition: impl FnMut() -> bool) -> bool {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !condition() && std::time::Instant::now() < end {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        condition()
    }

    #[test]
    #[cfg(not(loom))]
    fn a_worker_counts_as_awake_after_a_long_task_and_sleepers_retire() {
        let pool = Pool::new(2);
        let shared = Arc::clone(&pool.shared);
        pool.submit([1_000_000; 9].map(Job::of), |_| panic!("a worker runs it"));
        assert!(soon(|| {
            let state = shared.lock();
            state.scheduler.len() == 0 && state.workers.asleep == state.workers.started
        }));
        assert_eq!(shared.lock().workers.in_long_task, 0);
        drop(pool);
        assert!(soon(|| Arc::strong_count(&shared) == 1), "no worker is left");
    }

    #[test]
    #[cfg(not(loom))]
    fn tasks_taken_at_a_yield_point_wait_no_longer() {
        let shared = Arc::new(Shared::new(1, |_| true));
        let mut state = shared.lock();
        assert!(state.scheduler.push(Job::of(1)).is_ok());
        shared.publish(&state.scheduler);
        drop(state);
        assert!(shared.has_tasks() && shared.has_short_tasks());
        let mut taken = Vec::new();
        assert!(shared.take_short(&mut taken) && taken.len() == 1);
        assert!(!shared.has_tasks() && !shared.has_short_tasks());
        assert!(!shared.take_short(&mut taken));
    }
}
