//! What callers and workers share: the queue, who is awake, and how workers are woken, started and
//! dismissed.

use crate::queue::{Length, Queue, Queued, Workers};
use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, thread};
use crate::worker::{Worker, linger};
use crate::{MAX_THREADS, PATIENCE, Task, Threads};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// The most sleepers a worker wakes at once. A wake-up costs the waker 2 to 13 us, and each of the
/// woken wakes on before it begins: for few workers nobody could be faster alone, for 64 it is five
/// steps instead of 250 us.
const WAKES: usize = 2;

/// What every task changes stands together in a few cache lines: the lock with the crew, then the
/// short lane's first line, then what waits, which others read all the time.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Shared<T> {
    state: Mutex<State<T>>,
    work: Condvar,
    waiting: Waiting,
}

#[derive(Debug)]
#[repr(C)]
struct State<T> {
    crew: Crew,
    queue: Queue<T>,
}

/// The number of tasks that wait, and of short ones among them: for those who spin or breathe,
/// without the lock.
#[derive(Debug)]
#[repr(align(64))]
struct Waiting {
    all: AtomicUsize,
    short: AtomicUsize,
}

/// How many workers there are, and what they are doing.
#[derive(Debug, Default)]
struct Crew {
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

impl Crew {
    /// Workers that will soon look for work by themselves.
    fn awake(&self) -> usize {
        (self.started - self.asleep + self.waking).saturating_sub(self.away)
    }

    fn workers(&self) -> Workers {
        Workers { awake: self.awake(), allowed: self.limit.saturating_sub(self.away) }
    }

    /// How many more workers should look for work: what waits is worth one for each [`PATIENCE`],
    /// at least one, and no more than tasks. As many long tasks as wait each want their own at
    /// once, but short ones call for one worker at a time, which may well be done before the
    /// next.
    #[inline]
    fn lacking<T: Task>(&self, queue: &Queue<T>) -> usize {
        let awake = self.awake();
        if queue.backlog() <= awake as u64 * PATIENCE {
            return 0;
        }
        let by_time = usize::try_from(queue.backlog().div_ceil(PATIENCE)).unwrap_or(usize::MAX);
        by_time.min(queue.len()).saturating_sub(awake).min(queue.long().max(1)).min(WAKES)
    }

    fn too_many(&self) -> bool {
        self.started > self.limit
    }
}

impl<T: Task> Shared<T> {
    pub(crate) fn new(limit: usize) -> Shared<T> {
        let crew = Crew { limit: limit.clamp(1, MAX_THREADS), ..Crew::default() };
        Shared {
            state: Mutex::new(State { crew, queue: Queue::new() }),
            work: Condvar::new(),
            waiting: Waiting { all: AtomicUsize::new(0), short: AtomicUsize::new(0) },
        }
    }

    /// A panic can only poison the lock between two consistent states: tasks run outside it.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anything waits, without the lock.
    pub(crate) fn any(&self) -> bool {
        self.waiting.all.load(Ordering::Acquire) > 0
    }

    /// Whether anything short waits, without the lock.
    pub(crate) fn any_short(&self) -> bool {
        self.waiting.short.load(Ordering::Acquire) > 0
    }

    fn publish(&self, queue: &Queue<T>) {
        self.waiting.all.store(queue.len(), Ordering::Release);
        self.waiting.short.store(queue.short(), Ordering::Release);
    }

    // ---- for callers ------------------------------------------------------------------------

    pub(crate) fn submit(self: &Arc<Self>, tasks: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut state = self.lock();
        let mut stranded: Vec<T> =
            tasks.into_iter().filter_map(|task| state.queue.push(task).err()).collect();
        self.publish(&state.queue);
        // Whoever is awake soon takes something, and wakes those who are lacking then: the caller
        // pays for one wake-up at most.
        if state.crew.awake() == 0 {
            self.rouse(&mut state, 1);
        }
        if state.crew.started > 0 {
            return stranded;
        }
        stranded.append(&mut state.queue.withdraw(|_| true));
        self.publish(&state.queue);
        stranded
    }

    pub(crate) fn take_first(&self, owner: usize, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        if !self.any_short() {
            return None;
        }
        let mut state = self.lock();
        let task = state.queue.take_first(owner, wanted)?;
        self.publish(&state.queue);
        Some(task)
    }

    pub(crate) fn withdraw(&self, doomed: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut state = self.lock();
        let gone = state.queue.withdraw(doomed);
        self.publish(&state.queue);
        gone
    }

    pub(crate) fn resize(self: &Arc<Self>, limit: usize) {
        let mut state = self.lock();
        state.crew.limit = limit.clamp(1, MAX_THREADS);
        while state.crew.started < state.crew.limit && state.crew.started < state.queue.len() {
            if !self.start_worker(&mut state.crew) {
                break;
            }
        }
        if state.crew.too_many() {
            self.wake_all(&mut state.crew);
        }
    }

    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.crew.closed = true;
        self.wake_all(&mut state.crew);
    }

    pub(crate) fn threads(&self) -> Threads {
        let state = self.lock();
        Threads { limit: state.crew.limit, started: state.crew.started, queued: state.queue.len() }
    }

    // ---- for workers ------------------------------------------------------------------------

    /// What a worker does next. `None` if there is nothing, or one worker too many.
    pub(crate) fn take(self: &Arc<Self>, batch: &mut Vec<Queued<T>>) -> Option<Length> {
        if !self.any() {
            return None;
        }
        let mut state = self.lock();
        if state.crew.too_many() {
            return None;
        }
        let workers = state.crew.workers();
        let length = state.queue.take(workers, batch)?;
        self.publish(&state.queue);
        state.crew.away += usize::from(length == Length::Long);
        self.rouse(&mut state, WAKES);
        Some(length)
    }

    /// Short tasks for a worker inside a long one; false if there are none.
    pub(crate) fn take_short(self: &Arc<Self>, batch: &mut Vec<Queued<T>>) -> bool {
        let mut state = self.lock();
        let mut workers = state.crew.workers();
        workers.awake += 1; // The caller.
        let some = state.queue.take_short(workers, batch);
        self.publish(&state.queue);
        self.rouse(&mut state, WAKES);
        some
    }

    /// The long task has ended.
    pub(crate) fn back(&self) {
        self.lock().crew.away -= 1;
    }

    /// Lingers, then sleeps, until a task waits; false dismisses the worker.
    pub(crate) fn wait(&self) -> bool {
        let mut state = self.lock();
        let mut may_linger = true;
        loop {
            if state.crew.too_many() || (state.crew.closed && state.queue.len() == 0) {
                state.crew.started -= 1;
                return false;
            }
            if state.queue.len() > 0 {
                return true;
            }
            if may_linger && state.crew.lingering == 0 {
                state.crew.lingering += 1;
                drop(state);
                linger(|| self.any());
                state = self.lock();
                state.crew.lingering -= 1;
                may_linger = false;
                continue;
            }
            state.crew.asleep += 1;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.crew.asleep -= 1;
            state.crew.waking = state.crew.waking.saturating_sub(1);
        }
    }

    // ---- waking and starting ----------------------------------------------------------------

    /// Wakes or starts workers, this many at most, if those awake have too much to do.
    #[inline]
    fn rouse(self: &Arc<Self>, state: &mut State<T>, most: usize) {
        let lacking = state.crew.lacking(&state.queue).min(most);
        if lacking > 0 {
            self.wake_or_start(lacking, &mut state.crew);
        }
    }

    #[cold]
    fn wake_or_start(self: &Arc<Self>, workers: usize, crew: &mut Crew) {
        for _ in 0..workers {
            if crew.asleep > crew.waking {
                crew.waking += 1;
                self.work.notify_one();
            } else if crew.started >= crew.limit || !self.start_worker(crew) {
                return;
            }
        }
    }

    fn wake_all(&self, crew: &mut Crew) {
        crew.waking = crew.asleep;
        self.work.notify_all();
    }

    fn start_worker(self: &Arc<Self>, crew: &mut Crew) -> bool {
        let shared = Arc::clone(self);
        let builder = thread::Builder::new().name("millrace".into());
        let started = builder.spawn(move || Worker::new(shared).work_until_dismissed()).is_ok();
        crew.started += usize::from(started);
        started
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LONG;

    struct Job(u64);
    impl Task for Job {
        type Results = ();
        fn cost(&self) -> u64 {
            self.0
        }
        fn owner(&self) -> usize {
            0
        }
        fn run(self, _breather: &mut crate::Breather<'_, Job>, _results: &mut ()) {}
        fn awaited(_results: &()) -> bool {
            false
        }
        fn deliver(_results: &mut ()) {}
    }

    fn lacking(costs: &[u64], started: usize, asleep: usize, away: usize) -> usize {
        let mut queue = Queue::new();
        costs.iter().for_each(|&cost| assert!(queue.push(Job(cost)).is_ok()));
        Crew { limit: 64, started, asleep, away, ..Crew::default() }.lacking(&queue)
    }

    #[test]
    fn nobody_is_woken_for_nothing_or_for_little() {
        assert_eq!(lacking(&[], 4, 4, 0), 0);
        assert_eq!(lacking(&[500; 60], 4, 3, 0), 0, "30 us for the one awake");
        assert_eq!(lacking(&[1_000_000], 4, 3, 0), 0, "one task needs one worker");
        assert_eq!(lacking(&[LONG + 1, LONG + 1], 4, 3, 0), 0, "faster done than another is woken");
    }

    #[test]
    fn somebody_is_woken_when_nobody_is_awake_or_all_are_away() {
        assert_eq!(lacking(&[1], 0, 0, 0), 1);
        assert_eq!(lacking(&[1], 4, 4, 0), 1);
        assert_eq!(lacking(&[1], 4, 3, 1), 1);
        assert_eq!(lacking(&[1; 9], 4, 0, 4), 1, "short ones want one at a time");
    }

    #[test]
    fn long_tasks_rouse_several_at_once_and_short_ones_one_by_one() {
        assert_eq!(lacking(&[1_000_000; 8], 8, 8, 0), WAKES);
        assert_eq!(lacking(&[1_000_000; 2], 8, 7, 0), 1, "one is awake");
        assert_eq!(lacking(&[5_000; 1000], 8, 8, 0), 1);
    }

    #[test]
    #[cfg(not(loom))]
    fn a_caller_wakes_one_worker_and_none_while_somebody_is_awake() {
        let shared = Arc::new(Shared::new(4));
        for (asleep, woken) in [(4, 1), (3, 0)] {
            {
                let mut state = shared.lock();
                state.queue.withdraw(|_| true);
                state.crew = Crew { limit: 4, started: 4, asleep, ..Crew::default() };
            }
            assert!(shared.submit([1_000_000; 9].map(Job)).is_empty());
            assert_eq!(shared.lock().crew.waking, woken);
        }
        assert_eq!(shared.take(&mut Vec::new()), Some(Length::Long));
        assert_eq!(shared.lock().crew.waking, WAKES, "who takes a long one wakes others");
    }

    #[cfg(not(loom))]
    fn soon(mut condition: impl FnMut() -> bool) -> bool {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !condition() && std::time::Instant::now() < end {
            thread::sleep(std::time::Duration::from_millis(1));
        }
        condition()
    }

    #[test]
    #[cfg(not(loom))]
    fn who_has_done_a_long_task_is_back_and_who_sleeps_is_dismissed() {
        let shared = Arc::new(Shared::new(2));
        assert!(shared.submit([1_000_000; 9].map(Job)).is_empty());
        assert!(soon(|| {
            let state = shared.lock();
            state.queue.len() == 0 && state.crew.asleep == state.crew.started
        }));
        assert_eq!(shared.lock().crew.away, 0);
        shared.close();
        assert!(soon(|| Arc::strong_count(&shared) == 1), "nobody else is left");
    }

    #[test]
    #[cfg(not(loom))]
    fn what_a_breath_takes_waits_no_longer() {
        let shared = Arc::new(Shared::new(1));
        let mut state = shared.lock();
        assert!(state.queue.push(Job(1)).is_ok());
        shared.publish(&state.queue);
        drop(state);
        assert!(shared.any() && shared.any_short());
        let mut batch = Vec::new();
        assert!(shared.take_short(&mut batch) && batch.len() == 1);
        assert!(!shared.any() && !shared.any_short());
        assert!(!shared.take_short(&mut batch));
    }
}
