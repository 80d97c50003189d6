//! Tests of the pool with threads. No test measures time: tests wait for messages, for at most
//! two minutes.

use millrace_pool::{Pool, Task, Threads, YieldPoint};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const LONG: u64 = 1_000_000;
const SHORT: u64 = 1_000;
const SOON: Duration = Duration::from_secs(120);

type Work = Box<dyn FnOnce(&mut YieldPoint<'_, Job>) + Send>;

/// A kind is also its batch limit.
struct Job {
    cost: u64,
    owner: usize,
    kind: Option<u32>,
    work: Work,
    delivered: Option<Box<dyn FnOnce() + Send>>,
}

#[derive(Default)]
struct Results(Vec<Box<dyn FnOnce() + Send>>);

impl Task for Job {
    type Results = Results;

    fn cost(&self) -> u64 {
        self.cost
    }

    fn owner(&self) -> usize {
        self.owner
    }

    fn kind(&self) -> Option<u32> {
        self.kind
    }

    fn batch_limit(kind: u32) -> usize {
        kind as usize
    }

    fn run(self, yield_point: &mut YieldPoint<'_, Job>, results: &mut Results) {
        (self.work)(yield_point);
        results.0.extend(self.delivered);
    }

    /// Runs all tasks but the last, and panics at a task of owner 13.
    fn run_batch(
        tasks: &mut Vec<Job>,
        yield_point: &mut YieldPoint<'_, Job>,
        results: &mut Results,
    ) {
        BATCH_SIZE.with(|size| size.set(tasks.len()));
        while tasks.len() > 1 {
            assert_ne!(tasks[0].owner, 13, "expected by the test");
            tasks.remove(0).run(yield_point, results);
        }
        BATCH_SIZE.with(|size| size.set(1));
    }

    fn deliver(results: &mut Results) {
        results.0.drain(..).for_each(|delivered| delivered());
    }
}

thread_local! {
    /// The size of the batch that runs on this thread.
    static BATCH_SIZE: std::cell::Cell<usize> = const { std::cell::Cell::new(1) };
}

fn job(cost: u64, work: impl FnOnce() + Send + 'static) -> Job {
    yielding(cost, |_| work())
}

fn yielding(cost: u64, work: impl FnOnce(&mut YieldPoint<'_, Job>) + Send + 'static) -> Job {
    Job { cost, owner: 1, kind: None, work: Box::new(work), delivered: None }
}

fn submit(pool: &Pool<Job>, cost: u64, work: impl FnOnce() + Send + 'static) {
    send(pool, [job(cost, work)]);
}

fn send(pool: &Pool<Job>, jobs: impl IntoIterator<Item = Job>) {
    pool.submit(jobs, |_| panic!("a worker runs it"));
}

/// Returns work that sends a value.
fn sends<T: Send + 'static>(done: &Sender<T>, value: T) -> impl FnOnce() + Send + 'static {
    let done = done.clone();
    move || done.send(value).expect("the receiver waits")
}

/// Submits long tasks that end when the sender is dropped; the receiver is told of each that
/// begins.
fn occupy_all(pool: &Pool<Job>, count: usize) -> (Sender<()>, Receiver<()>) {
    let (release, blocked) = mpsc::channel::<()>();
    let (entered, inside) = mpsc::channel();
    let blocked = Arc::new(Mutex::new(blocked));
    for _ in 0..count {
        let (enter, blocked) = (sends(&entered, ()), Arc::clone(&blocked));
        submit(pool, LONG, move || {
            enter();
            let _ = blocked.lock().map(|blocked| blocked.recv());
        });
    }
    (release, inside)
}

/// Keeps one worker busy until the sender is dropped.
fn occupy(pool: &Pool<Job>) -> Sender<()> {
    let (release, inside) = occupy_all(pool, 1);
    receive(&inside);
    release
}

/// Returns long tasks of which none ends before all have begun.
fn together(count: usize, kind: Option<u32>, done: &Sender<()>) -> impl Iterator<Item = Job> {
    let (barrier, done) = (Arc::new(Barrier::new(count)), done.clone());
    (0..count).map(move |_| {
        let (barrier, done) = (Arc::clone(&barrier), sends(&done, ()));
        let work = move || {
            barrier.wait();
            done();
        };
        Job { kind, ..job(LONG, work) }
    })
}

/// Receives the numbers up to the count, in some order.
fn receive_all(results: &Receiver<usize>, count: usize) {
    let mut numbers: Vec<usize> = (0..count).map(|_| receive(results)).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());
}

fn receive<T>(receiver: &Receiver<T>) -> T {
    receiver.recv_timeout(SOON).expect("it must come")
}

fn soon(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + SOON;
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
    (0..1000).for_each(|number| submit(&pool, LONG, sends(&done, number)));
    receive_all(&results, 1000);
    assert!((1..=3).contains(&pool.threads().started));
}

#[test]
fn tasks_that_arrive_one_by_one_with_pauses_all_run() {
    let pool = Pool::new(2);
    let (done, results) = mpsc::channel();
    for (pause, cost) in
        [0, 10, 40, 60, 100, 500, 2000].repeat(40).into_iter().zip([100, 100_000].repeat(140))
    {
        submit(&pool, cost, sends(&done, ()));
        receive(&results);
        thread::sleep(Duration::from_micros(pause));
    }
}

#[test]
fn a_worker_survives_a_panicking_task() {
    let pool = Pool::new(1);
    let (done, results) = mpsc::channel();
    submit(&pool, LONG, || panic!("expected by the test"));
    submit(&pool, LONG, sends(&done, 7));
    assert_eq!(receive(&results), 7);
    assert_eq!(pool.threads().started, 1);
}

#[test]
fn take_first_takes_the_owners_oldest_short_task_or_nothing() {
    let pool = Pool::new(1);
    assert!(pool.take_first(1, |_| true).is_none());
    let _release = occupy(&pool);
    for (owner, cost) in [(2, 201), (1, LONG), (1, 101), (1, 102)] {
        send(&pool, [Job { owner, ..job(cost, || {}) }]);
    }
    assert!(pool.take_first(3, |_| true).is_none());
    assert!(pool.take_first(1, |job| job.cost == 102).is_none());
    assert_eq!(pool.take_first(1, |job| job.cost == 101).map(|job| job.cost), Some(101));
    assert_eq!(pool.take_first(2, |_| true).map(|job| job.cost), Some(201));
    assert_eq!(pool.threads().queued, 2);
}

#[test]
fn resize_starts_a_worker_for_each_waiting_task_and_shrinks() {
    let pool = Pool::new(1);
    let (release, inside) = occupy_all(&pool, 3);
    receive(&inside);
    assert_eq!(pool.threads(), Threads { limit: 1, started: 1, queued: 2 });
    pool.resize(9);
    (0..2).for_each(|_| receive(&inside));
    assert!(soon(|| pool.threads() == Threads { limit: 9, started: 3, queued: 0 }));
    drop(release);
    pool.resize(1);
    assert!(soon(|| pool.threads().started == 1));
    receive(&occupy_all(&pool, 1).1);
}

#[test]
fn dropping_the_pool_runs_waiting_tasks_and_ends_the_workers() {
    let pool = Pool::new(2);
    let (done, results) = mpsc::channel();
    (0..50).for_each(|number| submit(&pool, LONG, sends(&done, number)));
    drop(pool);
    receive_all(&results, 50);
}

/// Sends when the thread that holds it ends.
struct AtEnd(Sender<()>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

thread_local! {
    static AT_END: std::cell::RefCell<Option<AtEnd>> = const { std::cell::RefCell::new(None) };
}

#[test]
fn the_workers_end_with_the_pool_and_not_before() {
    let pool = Pool::new(1);
    let (at_end, ended) = mpsc::channel();
    let (done, results) = mpsc::channel();
    submit(&pool, LONG, move || {
        AT_END.set(Some(AtEnd(at_end)));
        done.send(()).expect("the receiver waits");
    });
    receive(&results);
    assert!(ended.try_recv().is_err());
    drop(pool);
    receive(&ended);
}

#[test]
fn a_worker_is_awake_during_short_tasks_and_not_before_the_first() {
    let pool = Arc::new(Pool::new(1));
    assert!(!pool.is_awake());
    let (awake, results) = mpsc::channel();
    let same = Arc::downgrade(&pool);
    submit(&pool, SHORT, move || {
        let awake_here = same.upgrade().is_some_and(|pool| pool.is_awake());
        awake.send(awake_here).expect("the receiver waits");
    });
    assert!(receive(&results));
}

/// A task with what the trait provides.
struct Plain(Sender<usize>);

impl Task for Plain {
    type Results = ();

    fn cost(&self) -> u64 {
        LONG
    }

    fn owner(&self) -> usize {
        1
    }

    fn run(self, _yield_point: &mut YieldPoint<'_, Plain>, (): &mut ()) {
        self.0.send(1).expect("the receiver waits");
    }

    fn run_batch(tasks: &mut Vec<Plain>, _yield_point: &mut YieldPoint<'_, Plain>, (): &mut ()) {
        let size = tasks.len();
        tasks.drain(..).for_each(|task| task.0.send(size).expect("the receiver waits"));
    }

    fn is_polled((): &()) -> bool {
        false
    }

    fn deliver((): &mut ()) {}
}

#[test]
fn tasks_without_a_kind_run_one_by_one_on_as_many_workers_as_the_cpu_has_threads() {
    assert_eq!((Plain(mpsc::channel().0).kind(), Plain::batch_limit(1)), (None, 1));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(Pool::<Plain>::default_limit(), threads.min(millrace_pool::MAX_THREADS));
    let pool = Pool::new(1);
    let (done, results) = mpsc::channel();
    pool.submit((0..9).map(|_| Plain(done.clone())), |_| panic!("a worker runs it"));
    assert!((0..9).all(|_| receive(&results) == 1));
}

/// A task of a pool that cannot start workers: cost and number.
#[derive(Debug, PartialEq, Eq)]
struct Threadless(u64, usize);

impl Task for Threadless {
    type Results = ();

    fn start_worker(_worker: millrace_pool::Worker<Threadless>) -> bool {
        false
    }

    fn cost(&self) -> u64 {
        self.0
    }

    fn owner(&self) -> usize {
        1
    }

    fn run(self, _yield_point: &mut YieldPoint<'_, Threadless>, (): &mut ()) {}

    fn is_polled((): &()) -> bool {
        false
    }

    fn deliver((): &mut ()) {}
}

#[test]
fn without_threads_all_tasks_go_back_to_the_caller_short_ones_first() {
    let pool = Pool::new(2);
    for costs in [vec![LONG, SHORT, LONG, SHORT], vec![LONG], vec![SHORT]] {
        let mut returned = Vec::new();
        let tasks = costs.iter().enumerate().map(|(number, &cost)| Threadless(cost, number));
        pool.submit(tasks, |Threadless(cost, number)| returned.push((cost, number)));
        let mut expected: Vec<_> = costs.iter().copied().zip(0..).collect();
        expected.sort_by_key(|&(cost, _)| cost);
        assert_eq!(returned, expected);
        assert_eq!(pool.threads(), Threads { limit: 2, started: 0, queued: 0 });
    }
}

#[test]
fn a_short_task_does_not_wait_for_a_long_one_while_a_worker_sleeps() {
    let pool = Pool::new(2);
    let _release = occupy(&pool);
    let (done, results) = mpsc::channel();
    submit(&pool, 100, sends(&done, ()));
    receive(&results);
}

/// Results are delivered before a worker begins a long task.
#[test]
fn results_are_never_held_back_by_a_long_task() {
    let pool = Pool::new(1);
    let (done, delivered) = mpsc::channel();
    let before = occupy(&pool);
    for _ in 0..3 {
        send(&pool, [Job { delivered: Some(Box::new(sends(&done, ()))), ..job(100, || {}) }]);
    }
    let _held = occupy_all(&pool, 1);
    drop(before);
    (0..3).for_each(|_| receive(&delivered));
}

#[test]
fn short_tasks_go_before_long_ones_and_owners_alternate() {
    let pool = Pool::new(1);
    let release = occupy(&pool);
    let (done, results) = mpsc::channel();
    let send = |owner, cost| {
        send(&pool, [Job { owner, ..job(cost, sends(&done, (owner, cost))) }]);
    };
    (0..3).for_each(|_| send(1, LONG));
    (0..50).for_each(|_| send(1, SHORT));
    (0..5).for_each(|_| send(2, SHORT));
    drop(release);
    let order: Vec<_> = (0..58).map(|_| receive(&results)).collect();
    assert!(order[..55].iter().all(|&(_, cost)| cost == SHORT));
    let last = order.iter().rposition(|&(owner, _)| owner == 2);
    assert!(last.is_some_and(|last| last <= 12), "{order:?}");
}

/// Results may be held back while more tasks wait, for a bounded time.
#[test]
fn results_are_not_held_back_by_many_short_tasks() {
    let pool = Pool::new(1);
    let before = occupy(&pool);
    let (done, delivered) = mpsc::channel();
    send(&pool, [Job { delivered: Some(Box::new(sends(&done, ()))), ..job(SHORT, || {}) }]);
    (0..100).for_each(|_| submit(&pool, SHORT, || {}));
    let (late, in_time) = mpsc::channel();
    submit(&pool, SHORT, move || {
        late.send(delivered.recv_timeout(SOON)).expect("the receiver waits")
    });
    drop(before);
    assert_eq!(receive(&in_time), Ok(()));
}

/// Submits short tasks that submit new ones until the flag is set.
fn flood(pool: &Arc<Pool<Job>>) -> Arc<AtomicBool> {
    fn again(pool: &Arc<Pool<Job>>, over: &Arc<AtomicBool>) {
        let (next, over) = (Arc::clone(pool), Arc::clone(over));
        submit(pool, 5_000, move || {
            if !over.load(Ordering::Acquire) {
                again(&next, &over);
            }
        });
    }
    let over = Arc::new(AtomicBool::new(false));
    (0..100).for_each(|_| again(pool, &over));
    over
}

#[test]
fn a_long_task_is_taken_in_a_flood_of_short_ones() {
    let pool = Arc::new(Pool::new(2));
    let over = flood(&pool);
    let (done, results) = mpsc::channel();
    submit(&pool, LONG * 1000, sends(&done, ()));
    receive(&results);
    over.store(true, Ordering::Release);
}

#[test]
fn workers_retire_in_a_flood() {
    let pool = Arc::new(Pool::new(3));
    let over = flood(&pool);
    assert!(soon(|| pool.threads().started == 3));
    pool.resize(1);
    assert!(soon(|| pool.threads().started == 1));
    over.store(true, Ordering::Release);
}

#[test]
fn parts_of_a_large_job_spread_over_all_workers() {
    let pool = Pool::new(5);
    for _ in 0..3 {
        let (done, results) = mpsc::channel();
        send(&pool, together(5, None, &done));
        (0..5).for_each(|_| receive(&results));
        thread::sleep(Duration::from_millis(2)); // Some workers fall asleep.
    }
}

/// Submits a long task that yields until a count is reached; the receiver is told when it begins,
/// and then if it came so far.
fn yield_until(pool: &Pool<Job>, count: &Arc<AtomicUsize>, most: usize) -> Receiver<bool> {
    let (done, results) = mpsc::channel();
    let (inside, count) = (sends(&done, true), Arc::clone(count));
    let work = move |yield_point: &mut YieldPoint<'_, Job>| {
        inside();
        let all = soon(|| {
            yield_point.run_pending_short_tasks();
            count.load(Ordering::Acquire) == most
        });
        done.send(all).expect("the receiver waits");
    };
    send(pool, [yielding(LONG, work)]);
    receive(&results);
    results
}

/// Returns work that counts.
fn counts(count: &Arc<AtomicUsize>) -> impl FnOnce() + Send + 'static {
    let count = Arc::clone(count);
    move || _ = count.fetch_add(1, Ordering::AcqRel)
}

#[test]
fn a_long_task_that_yields_lets_short_ones_run_and_deliver() {
    let pool = Pool::new(1);
    let delivered = Arc::new(AtomicUsize::new(0));
    let results = yield_until(&pool, &delivered, 100);
    submit(&pool, LONG, || {}); // Long tasks are not run at yield points.
    for owner in 0..100 {
        // One of them panics, which does not affect the long task.
        let work = move || assert_ne!(owner, 50, "expected by the test");
        let delivered = Some(Box::new(counts(&delivered)) as Box<dyn FnOnce() + Send>);
        send(&pool, [Job { owner, delivered, ..job(SHORT, work) }]);
    }
    submit(&pool, SHORT, counts(&delivered));
    assert!(receive(&results), "all delivered while the long task ran");
}

#[test]
fn yield_points_do_not_nest() {
    let pool = Pool::new(1);
    let (count, seen) = (Arc::new(AtomicUsize::new(0)), mpsc::channel());
    let results = yield_until(&pool, &count, 50);
    let within = Arc::new(AtomicBool::new(false));
    for _ in 0..50 {
        let (count, within, seen) = (counts(&count), Arc::clone(&within), seen.0.clone());
        let work = move |yield_point: &mut YieldPoint<'_, Job>| {
            seen.send(within.swap(true, Ordering::AcqRel)).expect("the test waits");
            (0..100).for_each(|_| yield_point.run_pending_short_tasks());
            thread::sleep(Duration::from_micros(20));
            yield_point.run_pending_short_tasks();
            within.store(false, Ordering::Release);
            count();
        };
        send(&pool, [yielding(SHORT, work)]);
    }
    assert!(receive(&results));
    assert!((0..50).all(|_| !receive(&seen.1)), "yield points do not nest");
}

/// Sends the size of the batch it runs in.
fn batched(kind: u32, owner: usize, done: &Sender<usize>) -> Job {
    let done = done.clone();
    let work =
        move || done.send(BATCH_SIZE.with(std::cell::Cell::get)).expect("the receiver waits");
    Job { owner, kind: Some(kind), ..job(LONG, work) }
}

#[test]
fn tasks_of_one_kind_run_as_a_batch_on_a_single_worker() {
    let pool = Pool::new(1);
    let release = occupy(&pool);
    let (done, results) = mpsc::channel();
    send(&pool, (0..9).map(|owner| batched(4, owner, &done)));
    send(&pool, [batched(2, 1, &done)]);
    drop(release);
    let mut sizes: Vec<_> = (0..10).map(|_| receive(&results)).collect();
    sizes.sort_unstable();
    // Of each batch the last task is left and runs alone.
    assert_eq!(sizes, [1, 1, 1, 1, 4, 4, 4, 4, 4, 4]);
}

#[test]
fn no_batch_takes_tasks_from_an_idle_worker() {
    for _ in 0..10 {
        let pool = Pool::new(2); // A new one, as workers may still count as inside a long task.
        let (done, results) = mpsc::channel();
        send(&pool, together(2, Some(4), &done));
        (0..2).for_each(|_| receive(&results));
    }
}

#[test]
fn a_panic_in_a_batch_loses_no_other_task() {
    let pool = Pool::new(1);
    let release = occupy(&pool);
    let (done, results) = mpsc::channel();
    send(&pool, [7, 13, 7, 7].map(|owner| batched(4, owner, &done)));
    drop(release);
    let _: Vec<_> = (0..4).map(|_| receive(&results)).collect();
}

/// Returns the next number of SplitMix64, below `bound`.
fn random(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) % bound
}

/// Counts a task when it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// Submitters, helpers and resizing at once, with tasks that yield, panic and run in
/// batches. `MILLRACE_SEED` repeats the decisions, but not their order.
#[test]
fn every_task_ends_exactly_once_under_random_load() {
    let seed: u64 =
        std::env::var("MILLRACE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("MILLRACE_SEED={seed}");
    let pool = Arc::new(Pool::<Job>::new(3));
    // Dropped tasks, delivered results, and tasks that panicked.
    let [ended, delivered, panicked] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
    let submitters: Vec<_> = (0..3_usize)
        .map(|owner| {
            let pool = Arc::clone(&pool);
            let counters = [&ended, &delivered, &panicked].map(Arc::clone);
            let mut state = seed.wrapping_add((owner as u64) << 32);
            thread::spawn(move || {
                let mut random = |bound| random(&mut state, bound);
                let (mut sent, mut taken) = (0, 0);
                for _ in 0..1500 {
                    match random(40) {
                        0 => {
                            taken +=
                                std::iter::from_fn(|| pool.take_first(owner, |_| true)).count();
                        }
                        1 => pool.resize(1 + random(4) as usize),
                        2..6 => taken += usize::from(pool.take_first(owner, |_| true).is_some()),
                        6 => thread::sleep(Duration::from_micros(random(200))),
                        _ => {
                            let (many, cost, yields) = (1 + random(6), 1 << random(18), random(4));
                            let panics = random(50) == 0;
                            let kind = [None, None, Some(2), Some(8)][random(4) as usize];
                            sent += many as usize;
                            let one = || random_job(cost, yields, panics, &counters);
                            send(&pool, (0..many).map(|_| Job { owner, kind, ..one() }));
                        }
                    }
                }
                (sent, taken)
            })
        })
        .collect();
    let (mut sent, mut taken) = (0, 0);
    for submitter in submitters {
        let (more, less) = submitter.join().expect("no submitter panics");
        (sent, taken) = (sent + more, taken + less);
    }
    let count = |counter: &AtomicUsize| counter.load(Ordering::Acquire);
    let all = || count(&ended) == sent && count(&delivered) + count(&panicked) + taken == sent;
    assert!(soon(all), "{sent}: {ended:?} {delivered:?} {panicked:?} {taken}");
    pool.resize(1);
    assert!(soon(|| pool.threads().started == 1));
    assert!(all());
}

/// Returns a job that works for a quarter of its predicted time.
fn random_job(cost: u64, yields: u64, panics: bool, counters: &[Arc<AtomicUsize>; 3]) -> Job {
    let [ended, delivered, panicked] = counters.each_ref().map(Arc::clone);
    let ended = Counted(ended);
    let work = move |yield_point: &mut YieldPoint<'_, Job>| {
        let _ended = ended;
        let since = Instant::now();
        while since.elapsed() < Duration::from_nanos(cost / 4) {
            (0..yields).for_each(|_| yield_point.run_pending_short_tasks());
        }
        if panics {
            panicked.fetch_add(1, Ordering::AcqRel);
            panic!("expected by the test");
        }
    };
    Job { delivered: Some(Box::new(counts(&delivered))), ..yielding(cost, work) }
}
