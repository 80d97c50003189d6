//! A worker pool for CPU-bound tasks, made for very short ones.
//!
//! It knows neither cryptography nor Node. Threads start on first use, never more than the limit.
//! Three habits keep a task of half a microsecond from costing five:
//!
//! - **Few wake-ups.** A worker is woken only when those awake have more than [`PATIENCE`] of work
//!   waiting: waking a sleeper costs the submitter 5 us and the task 40 (libuv found the same: its
//!   issue 5236). Workers inside a long task do not count as awake.
//! - **Lingering.** A worker that has done work spins for [`LINGER`] before it sleeps, one at a time.
//! - **Batches.** A worker takes several short tasks at once and delivers their results a few at a time;
//!   it holds none back while it sleeps or works on a long task, and no longer than
//!   [`DELIVERY_BY_WAKING`] while more tasks wait.
//!
//! Today there is one queue, first in, first out. Lanes (short tasks overtaking long ones) will
//! stand in [`Queue`], and nothing outside this crate will notice.
#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a worker that has done work spins for more before it sleeps.
pub const LINGER: Duration = Duration::from_micros(50);

/// Nanoseconds of waiting work per awake worker before another is woken.
pub const PATIENCE: u64 = 30_000;

/// The most nanoseconds of work taken at once: as little as makes the lock cheap, so that others find some too.
const TAKE: u64 = 2_500;

/// Nanoseconds from which a task is a long one: its worker does not count as awake.
pub const LONG: u64 = 10_000;

/// Nanoseconds of work after which results are delivered although more tasks wait: when somebody is
/// looking for them, and when somebody must be woken, which may cost a busy core 5 us.
const DELIVERY: u64 = 2_000;
const DELIVERY_BY_WAKING: u64 = 60_000;

/// More workers than this are never started, whatever is asked for.
pub const MAX_THREADS: usize = 1024;

/// One piece of work. It reports its own outcome; a panic inside `run` ends the task, not the worker.
pub trait Task: Send + 'static {
    /// What a worker collects from the tasks it runs, until it delivers.
    type Results: Default;

    /// Predicted nanoseconds of work.
    fn cost(&self) -> u64;

    /// Does the work, on a worker's thread.
    fn run(self, results: &mut Self::Results);

    /// True if whoever waits for results is awake and looking for them.
    fn awaited(results: &Self::Results) -> bool;

    /// Hands over what has been collected, and empties it.
    fn deliver(results: &mut Self::Results);
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

/// A pool of workers that run tasks of one type. Dropping it ends the workers once the queue is empty.
#[derive(Debug)]
pub struct Pool<T: Task> {
    shared: Arc<Shared<T>>,
}

#[derive(Debug)]
struct Shared<T> {
    queue: Mutex<Queue<T>>,
    work: Condvar,
    /// `queue.waiting.len()`, readable by a spinning worker without the lock.
    waiting: AtomicUsize,
}

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<T>,
    /// Predicted nanoseconds of all that waits.
    backlog: u64,
    limit: usize,
    started: usize,
    /// Workers asleep on the condition variable.
    asleep: usize,
    /// Wake-ups sent to sleepers that have not come round yet. A spurious wake-up may use up
    /// another's entry, so this errs low, which costs one wake-up too many and never one too few.
    waking: usize,
    /// Workers inside a long task.
    away: usize,
    /// Workers spinning for new work; at most one, so that idling never costs more than one core.
    lingering: usize,
    closed: bool,
}

impl<T: Task> Pool<T> {
    /// A pool of at most `limit` workers (at least one). Starts no thread.
    pub fn new(limit: usize) -> Pool<T> {
        let queue = Queue {
            waiting: VecDeque::new(),
            backlog: 0,
            limit: limit.clamp(1, MAX_THREADS),
            started: 0,
            asleep: 0,
            waking: 0,
            away: 0,
            lingering: 0,
            closed: false,
        };
        let shared = Shared { queue: Mutex::new(queue), work: Condvar::new(), waiting: AtomicUsize::new(0) };
        Pool { shared: Arc::new(shared) }
    }

    /// As many workers as this process may use at once: the CPU mask and the cgroup quota decide.
    pub fn default_limit() -> usize {
        thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
    }

    /// Queues tasks, all at once. Gives them back when no worker exists and none can be started
    /// (the process is out of threads): the caller then runs them itself.
    pub fn submit(&self, tasks: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut queue = self.shared.lock();
        for task in tasks {
            queue.backlog += task.cost();
            queue.waiting.push_back(task);
        }
        self.shared.publish(&queue);
        self.shared.rouse(&mut queue);
        if queue.started > 0 {
            return Vec::new();
        }
        queue.backlog = 0;
        let stranded = std::mem::take(&mut queue.waiting);
        self.shared.publish(&queue);
        stranded.into()
    }

    /// Takes the task that has waited longest, if it is `wanted`, for the caller to run: a thread that waits for
    /// results can help instead.
    pub fn take_first(&self, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        if self.shared.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut queue = self.shared.lock();
        if !queue.waiting.front().is_some_and(wanted) {
            return None;
        }
        let task = queue.waiting.pop_front()?;
        queue.backlog -= task.cost();
        self.shared.publish(&queue);
        Some(task)
    }

    /// Removes and returns the queued tasks for which `doomed` is true. What a worker has taken, it runs.
    pub fn withdraw(&self, mut doomed: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut queue = self.shared.lock();
        let (gone, kept) = queue.waiting.drain(..).partition::<VecDeque<T>, _>(|task| doomed(task));
        queue.backlog = kept.iter().map(T::cost).sum();
        queue.waiting = kept;
        self.shared.publish(&queue);
        gone.into()
    }

    /// Changes the limit, at once for sleeping workers and after their current tasks for busy ones.
    pub fn resize(&self, limit: usize) {
        let mut queue = self.shared.lock();
        queue.limit = limit.clamp(1, MAX_THREADS);
        while queue.started < queue.limit && queue.started < queue.waiting.len() {
            if !self.shared.start_worker(&mut queue) {
                break;
            }
        }
        if queue.started > queue.limit {
            self.shared.wake_all(&mut queue);
        }
    }

    /// The pool's size and state now.
    pub fn threads(&self) -> Threads {
        let queue = self.shared.lock();
        Threads { limit: queue.limit, started: queue.started, queued: queue.waiting.len() }
    }
}

impl<T: Task> Drop for Pool<T> {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        self.shared.wake_all(&mut queue);
    }
}

impl<T: Task> Shared<T> {
    /// A panic can only poison the lock between two consistent states: tasks run outside it.
    fn lock(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, queue: &Queue<T>) {
        self.waiting.store(queue.waiting.len(), Ordering::Release);
    }

    /// Wakes or starts one more worker if those awake have too much to do.
    fn rouse(self: &Arc<Self>, queue: &mut Queue<T>) {
        let awake = (queue.started - queue.asleep + queue.waking).saturating_sub(queue.away);
        if queue.waiting.is_empty() || (awake > 0 && queue.backlog <= awake as u64 * PATIENCE) {
            return;
        }
        if queue.asleep > queue.waking {
            queue.waking += 1;
            self.work.notify_one();
        } else if queue.started < queue.limit {
            self.start_worker(queue);
        }
    }

    fn wake_all(&self, queue: &mut Queue<T>) {
        queue.waking = queue.asleep;
        self.work.notify_all();
    }

    fn start_worker(self: &Arc<Self>, queue: &mut Queue<T>) -> bool {
        let shared = Arc::clone(self);
        let builder = thread::Builder::new().name("millrace".into());
        let started = builder.spawn(move || shared.work_until_dismissed()).is_ok();
        queue.started += usize::from(started);
        started
    }

    fn work_until_dismissed(self: &Arc<Self>) {
        let mut worker = Worker::<T> { tasks: Vec::new(), results: T::Results::default(), held: 0, cost: 0 };
        loop {
            if let Some(away) = self.take(&mut worker.tasks) {
                worker.run_tasks();
                if away {
                    self.lock().away -= 1;
                }
                continue;
            }
            worker.deliver();
            if !self.wait() {
                return;
            }
        }
    }

    /// Takes one task, or several short ones, and tells whether it is a long one. `None` if there is
    /// none to take, or one worker too many.
    fn take(self: &Arc<Self>, tasks: &mut Vec<T>) -> Option<bool> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut queue = self.lock();
        if queue.started > queue.limit || queue.waiting.is_empty() {
            return None;
        }
        let mut cost = 0;
        while let Some(task) = queue.waiting.front() {
            let alone = task.cost();
            if cost > 0 && cost + alone > TAKE {
                break;
            }
            cost += alone.max(1);
            queue.backlog -= alone;
            tasks.extend(queue.waiting.pop_front());
        }
        self.publish(&queue);
        let long = cost > LONG;
        queue.away += usize::from(long);
        self.rouse(&mut queue);
        Some(long)
    }

    /// Lingers, then sleeps, until a task waits; false dismisses the worker.
    fn wait(&self) -> bool {
        let mut queue = self.lock();
        let mut may_linger = true;
        loop {
            if queue.started > queue.limit || (queue.closed && queue.waiting.is_empty()) {
                queue.started -= 1;
                return false;
            }
            if !queue.waiting.is_empty() {
                return true;
            }
            if may_linger && queue.lingering == 0 {
                queue.lingering += 1;
                drop(queue);
                self.spin(LINGER);
                queue = self.lock();
                queue.lingering -= 1;
                may_linger = false;
                continue;
            }
            queue.asleep += 1;
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.asleep -= 1;
            queue.waking = queue.waking.saturating_sub(1);
        }
    }

    /// Spins until a task waits (true) or the time is over (false).
    fn spin(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        loop {
            for _ in 0..32 {
                if self.waiting.load(Ordering::Acquire) > 0 {
                    return true;
                }
                std::hint::spin_loop();
            }
            if Instant::now() >= end {
                return false;
            }
        }
    }
}

/// What a worker has in hand.
struct Worker<T: Task> {
    tasks: Vec<T>,
    results: T::Results,
    /// Results not delivered yet, and the predicted nanoseconds they took.
    held: usize,
    cost: u64,
}

impl<T: Task> Worker<T> {
    fn run_tasks(&mut self) {
        let mut tasks = std::mem::take(&mut self.tasks);
        for task in tasks.drain(..) {
            let cost = task.cost();
            if cost > DELIVERY_BY_WAKING {
                self.deliver();
            }
            // The task reports its own failure from its destructor; the worker outlives it.
            let _ = catch_unwind(AssertUnwindSafe(|| task.run(&mut self.results)));
            self.held += 1;
            self.cost += cost;
            let most = if T::awaited(&self.results) { DELIVERY } else { DELIVERY_BY_WAKING };
            if self.cost > most {
                self.deliver();
            }
        }
        self.tasks = tasks;
    }

    fn deliver(&mut self) {
        if self.held > 0 {
            (self.held, self.cost) = (0, 0);
            let _ = catch_unwind(AssertUnwindSafe(|| T::deliver(&mut self.results)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    struct Job(u64, Box<dyn FnOnce() + Send>);
    impl Task for Job {
        type Results = Vec<()>;
        fn cost(&self) -> u64 {
            self.0
        }
        fn run(self, results: &mut Vec<()>) {
            (self.1)();
            results.push(());
        }
        fn awaited(_results: &Vec<()>) -> bool {
            false
        }
        fn deliver(results: &mut Vec<()>) {
            results.clear();
        }
    }
    fn submit(pool: &Pool<Job>, work: impl FnOnce() + Send + 'static) {
        submit_costing(pool, 1_000_000, work);
    }
    fn submit_costing(pool: &Pool<Job>, cost: u64, work: impl FnOnce() + Send + 'static) {
        assert!(pool.submit([Job(cost, Box::new(work))]).is_empty());
    }
    fn soon(mut condition: impl FnMut() -> bool) -> bool {
        let end = Instant::now() + Duration::from_secs(20);
        while !condition() && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
        condition()
    }

    #[test]
    fn starts_no_thread_before_the_first_task_and_never_more_than_the_limit() {
        let pool = Pool::new(3);
        assert_eq!(pool.threads(), Threads { limit: 3, started: 0, queued: 0 });
        let (done, results) = mpsc::channel();
        for number in 0..1000_u32 {
            let done = done.clone();
            submit(&pool, move || done.send(number).expect("the receiver waits"));
        }
        drop(done);
        let mut numbers: Vec<u32> = results.iter().collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..1000).collect::<Vec<_>>());
        assert!((1..=3).contains(&pool.threads().started));
    }

    #[test]
    fn tasks_that_arrive_one_by_one_with_pauses_all_run() {
        let pool = Pool::new(2);
        let (done, results) = mpsc::channel();
        for (pause, cost) in [0, 10, 40, 60, 100, 500, 2000].repeat(40).into_iter().zip([100, 100_000].repeat(140)) {
            let done = done.clone();
            submit_costing(&pool, cost, move || done.send(()).expect("the receiver waits"));
            results.recv_timeout(Duration::from_secs(20)).expect("no wake-up may be lost");
            thread::sleep(Duration::from_micros(pause));
        }
    }

    #[test]
    fn submitters_on_many_threads_lose_nothing() {
        let pool = Arc::new(Pool::new(4));
        let count = Arc::new(AtomicUsize::new(0));
        let submitters: Vec<_> = (0..4)
            .map(|_| {
                let (pool, count) = (Arc::clone(&pool), Arc::clone(&count));
                thread::spawn(move || {
                    for number in 0..5000 {
                        let count = Arc::clone(&count);
                        submit_costing(&pool, number * 7 % 20_000, move || {
                            count.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                })
            })
            .collect();
        submitters.into_iter().for_each(|submitter| submitter.join().expect("no submitter panics"));
        assert!(soon(|| count.load(Ordering::Relaxed) == 20_000));
    }

    #[test]
    fn a_panicking_task_does_not_take_its_worker_along() {
        let pool = Pool::new(1);
        let (done, results) = mpsc::channel();
        submit(&pool, || panic!("expected by the test"));
        submit(&pool, move || done.send(7).expect("the receiver waits"));
        assert_eq!(results.recv_timeout(Duration::from_secs(20)), Ok(7));
        assert_eq!(pool.threads().started, 1);
    }

    #[test]
    fn withdraw_takes_only_what_is_queued_and_doomed() {
        let pool = Pool::new(1);
        let (release, blocked) = mpsc::channel::<()>();
        let (done, results) = mpsc::channel();
        submit(&pool, move || {
            let _ = blocked.recv();
        });
        assert!(soon(|| pool.threads().queued == 0));
        for number in 0..10 {
            let done = done.clone();
            submit(&pool, move || done.send(number).expect("the receiver waits"));
        }
        drop(done);
        let mut position = 0;
        let gone = pool.withdraw(|_| {
            position += 1;
            position % 2 == 0
        });
        assert_eq!(gone.len(), 5);
        drop(gone);
        release.send(()).expect("the worker waits");
        assert_eq!(results.iter().collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
    }

    #[test]
    fn take_first_takes_the_oldest_or_nothing() {
        let pool = Pool::new(1);
        assert!(pool.take_first(|_| true).is_none());
        let (release, blocked) = mpsc::channel::<()>();
        submit(&pool, move || {
            let _ = blocked.recv();
        });
        assert!(soon(|| pool.threads().queued == 0));
        submit_costing(&pool, 1_000_001, || {});
        submit_costing(&pool, 1_000_002, || {});
        assert!(pool.take_first(|task| task.cost() == 1_000_002).is_none());
        assert_eq!(pool.take_first(|task| task.cost() == 1_000_001).map(|task| task.cost()), Some(1_000_001));
        assert_eq!(pool.threads().queued, 1);
        release.send(()).expect("the worker waits");
    }

    #[test]
    fn resize_grows_and_shrinks() {
        let pool = Pool::new(1);
        let (hold, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..4 {
            let held = Arc::clone(&held);
            submit(&pool, move || {
                let _ = held.lock().map(|held| held.recv());
            });
        }
        assert_eq!(pool.threads().started, 1);
        pool.resize(3);
        assert!(soon(|| pool.threads().started == 3));
        drop(hold);
        assert!(soon(|| pool.threads().queued == 0));
        pool.resize(1);
        assert!(soon(|| pool.threads().started == 1));
        let (done, results) = mpsc::channel();
        submit(&pool, move || done.send(()).expect("the receiver waits"));
        results.recv_timeout(Duration::from_secs(20)).expect("the last worker still works");
    }

    #[test]
    fn dropping_the_pool_runs_what_is_queued_and_ends_the_workers() {
        let pool = Pool::new(2);
        let (done, results) = mpsc::channel();
        for number in 0..50 {
            let done = done.clone();
            submit(&pool, move || done.send(number).expect("the receiver waits"));
        }
        drop((pool, done));
        assert_eq!(results.iter().count(), 50);
    }

    #[test]
    fn a_short_task_does_not_wait_for_a_long_one_while_a_worker_sleeps() {
        let pool = Pool::new(2);
        let (release, blocked) = mpsc::channel::<()>();
        let (done, results) = mpsc::channel();
        submit_costing(&pool, 1_000_000, move || {
            let _ = blocked.recv();
        });
        submit_costing(&pool, 100, move || done.send(()).expect("the receiver waits"));
        results.recv_timeout(Duration::from_secs(20)).expect("the second worker runs it");
        release.send(()).expect("the first worker waits");
    }

    /// Results must be delivered before a worker sleeps or begins something long.
    #[test]
    fn results_are_never_held_back_by_a_long_task() {
        struct Step(u64, mpsc::Sender<&'static str>, Option<mpsc::Receiver<()>>);
        impl Task for Step {
            type Results = Vec<mpsc::Sender<&'static str>>;
            fn cost(&self) -> u64 {
                self.0
            }
            fn run(self, results: &mut Self::Results) {
                if let Some(blocked) = self.2 {
                    let _ = blocked.recv();
                }
                results.push(self.1);
            }
            fn awaited(results: &Self::Results) -> bool {
                results.is_empty()
            }
            fn deliver(results: &mut Self::Results) {
                results.drain(..).for_each(|done| done.send("delivered").expect("the receiver waits"));
            }
        }
        let pool = Pool::new(1);
        let (release, blocked) = mpsc::channel();
        let (short, delivered) = mpsc::channel();
        let (long, _kept) = mpsc::channel();
        for _ in 0..3 {
            assert!(pool.submit([Step(100, short.clone(), None)]).is_empty());
        }
        assert!(pool.submit([Step(1_000_000, long, Some(blocked))]).is_empty());
        for _ in 0..3 {
            assert_eq!(delivered.recv_timeout(Duration::from_secs(20)), Ok("delivered"));
        }
        release.send(()).expect("the worker waits");
    }
}
