//! A worker pool for short, CPU-bound tasks.
//!
//! It knows neither cryptography nor Node. Threads start on first use, never more than the limit,
//! and only as many are woken as there are tasks waiting. A worker that has just finished real
//! work lingers for [`LINGER`] before it sleeps, because waking a sleeping thread costs 5 us of
//! the submitter's time and 40 us of latency, more than most tasks take (libuv found the same:
//! its issues 5232 and 5236).
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

/// More workers than this are never started, whatever is asked for.
pub const MAX_THREADS: usize = 1024;

/// One piece of work. It reports its own outcome; a panic inside `run` ends the task, not the worker.
pub trait Task: Send + 'static {
    /// Does the work, on a worker's thread.
    fn run(self);
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
    /// `queue.waiting.len()`, readable by a lingering worker without the lock.
    waiting: AtomicUsize,
}

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<T>,
    limit: usize,
    started: usize,
    /// Workers asleep on the condition variable.
    asleep: usize,
    /// Wake-ups sent to sleepers that have not come round yet. A spurious wake-up may use up
    /// another's entry, so this errs low, which costs one wake-up too many and never one too few.
    waking: usize,
    /// Workers spinning for new work; at most one, so that idling never costs more than one core.
    lingering: usize,
    closed: bool,
}

impl<T: Task> Pool<T> {
    /// A pool of at most `limit` workers (at least one). Starts no thread.
    pub fn new(limit: usize) -> Pool<T> {
        let queue = Queue {
            waiting: VecDeque::new(),
            limit: limit.clamp(1, MAX_THREADS),
            started: 0,
            asleep: 0,
            waking: 0,
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

    /// Queues one task. Gives it back when no worker exists and none can be started
    /// (the process is out of threads): the caller then runs it itself.
    pub fn submit(&self, task: T) -> Result<(), T> {
        let mut queue = self.shared.lock();
        queue.waiting.push_back(task);
        self.shared.publish(&queue);
        if queue.waiting.len() <= queue.lingering {
            return Ok(()); // A lingering worker sees it within nanoseconds.
        }
        if queue.asleep > queue.waking {
            queue.waking += 1;
            drop(queue);
            self.shared.work.notify_one();
        } else if queue.started < queue.limit && !self.shared.start_worker(&mut queue) && queue.started == 0 {
            let task = queue.waiting.pop_back();
            self.shared.publish(&queue);
            return task.map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// Removes and returns the queued tasks for which `doomed` is true; running tasks are not touched.
    pub fn withdraw(&self, mut doomed: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut queue = self.shared.lock();
        let (gone, kept) = queue.waiting.drain(..).partition::<VecDeque<T>, _>(|task| doomed(task));
        queue.waiting = kept;
        self.shared.publish(&queue);
        gone.into()
    }

    /// Changes the limit, at once for sleeping workers and after their current task for busy ones.
    pub fn resize(&self, limit: usize) {
        let mut queue = self.shared.lock();
        queue.limit = limit.clamp(1, MAX_THREADS);
        while queue.started < queue.limit && queue.started < queue.waiting.len() {
            if !self.shared.start_worker(&mut queue) {
                break;
            }
        }
        if queue.started > queue.limit {
            queue.waking = queue.asleep;
            drop(queue);
            self.shared.work.notify_all();
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
        queue.waking = queue.asleep;
        drop(queue);
        self.shared.work.notify_all();
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

    fn start_worker(self: &Arc<Self>, queue: &mut Queue<T>) -> bool {
        let shared = Arc::clone(self);
        let builder = thread::Builder::new().name("millrace".into());
        let started = builder.spawn(move || shared.work_until_dismissed()).is_ok();
        queue.started += usize::from(started);
        started
    }

    fn work_until_dismissed(&self) {
        let mut worked = false;
        while let Some(task) = self.next_task(worked) {
            // The task reports its own failure from its destructor; the worker outlives it.
            let _ = catch_unwind(AssertUnwindSafe(|| task.run()));
            worked = true;
        }
    }

    /// Waits for a task: lingers first if `worked`, then sleeps. `None` dismisses the worker.
    fn next_task(&self, worked: bool) -> Option<T> {
        let mut queue = self.lock();
        let mut may_linger = worked;
        loop {
            if queue.started > queue.limit {
                queue.started -= 1;
                return None;
            }
            if let Some(task) = queue.waiting.pop_front() {
                self.publish(&queue);
                return Some(task);
            }
            if queue.closed {
                queue.started -= 1;
                return None;
            }
            if may_linger && queue.lingering == 0 {
                queue.lingering += 1;
                drop(queue);
                self.linger();
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

    fn linger(&self) {
        let end = Instant::now() + LINGER;
        loop {
            for _ in 0..32 {
                if self.waiting.load(Ordering::Acquire) > 0 {
                    return;
                }
                std::hint::spin_loop();
            }
            if Instant::now() >= end {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    struct Job(Box<dyn FnOnce() + Send>);
    impl Task for Job {
        fn run(self) {
            (self.0)();
        }
    }
    fn job(work: impl FnOnce() + Send + 'static) -> Job {
        Job(Box::new(work))
    }
    fn submit(pool: &Pool<Job>, work: impl FnOnce() + Send + 'static) {
        assert!(pool.submit(job(work)).is_ok());
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
        for pause in [0, 10, 40, 60, 100, 500, 2000].repeat(40) {
            let done = done.clone();
            submit(&pool, move || done.send(()).expect("the receiver waits"));
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
                    for _ in 0..5000 {
                        let count = Arc::clone(&count);
                        submit(&pool, move || { count.fetch_add(1, Ordering::Relaxed); });
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
        submit(&pool, move || { let _ = blocked.recv(); });
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
    fn resize_grows_and_shrinks() {
        let pool = Pool::new(1);
        let (hold, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for _ in 0..4 {
            let held = Arc::clone(&held);
            submit(&pool, move || { let _ = held.lock().map(|held| held.recv()); });
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
}
