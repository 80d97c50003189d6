//! The pool under loom, which explores all interleavings of a few threads up to a number of
//! preemptions, and detects deadlocks, lost wake-ups and threads that never end. test/README.md has
//! the command.

use crate::{CancelToken, Cancellation, LONG_TASK_NS, Pool, Task, YieldPoint};
use loom::sync::{Condvar, Mutex};
use std::sync::Arc;

const LONG: u64 = LONG_TASK_NS + 1;

/// A task that counts its delivery.
struct Job {
    cost: u64,
    done: Arc<Done>,
}

#[derive(Default)]
struct Done {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Done {
    fn new() -> Arc<Done> {
        Arc::new(Done { count: Mutex::new(0), changed: Condvar::new() })
    }

    fn add(&self) {
        *self.count.lock().expect("no thread panics") += 1;
        self.changed.notify_all();
    }

    /// Waits until so many tasks are delivered; loom reports a deadlock if one never is.
    fn wait_for(&self, tasks: usize) {
        let mut count = self.count.lock().expect("no thread panics");
        while *count < tasks {
            count = self.changed.wait(count).expect("no thread panics");
        }
        assert_eq!(*count, tasks);
    }
}

impl Task for Job {
    type Results = Vec<Arc<Done>>;

    fn cost(&self) -> u64 {
        self.cost
    }

    fn owner(&self) -> usize {
        0
    }

    fn run(self, yield_point: &mut YieldPoint<'_, Job>, results: &mut Self::Results) {
        yield_point.run_pending_short_tasks();
        results.push(self.done);
    }

    fn deliver(results: &mut Self::Results) {
        results.drain(..).for_each(|done| done.add());
    }
}

/// Explores up to 4 preemptions, or `LOOM_MAX_PREEMPTIONS`.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(4);
    builder.check(model);
}

fn submit(pool: &Pool<Job>, costs: &[u64], done: &Arc<Done>) {
    let jobs = costs.iter().map(|&cost| Job { cost, done: Arc::clone(done) });
    pool.submit(jobs, |_| panic!("a worker runs it"));
}

/// The control: between the look at a flag and the wait, a wake-up is lost.
#[test]
#[should_panic(expected = "deadlock")]
fn a_lost_wake_up_is_found() {
    check(|| {
        let done = Done::new();
        let other = Arc::clone(&done);
        loom::thread::spawn(move || other.add());
        let count = *done.count.lock().expect("no thread panics");
        if count == 0 {
            let count = done.count.lock().expect("no thread panics");
            drop(done.changed.wait(count));
        }
    });
}

#[test]
fn a_worker_that_lingers_or_falls_asleep_misses_no_task() {
    check(|| {
        let (pool, done) = (Pool::new(1), Done::new());
        submit(&pool, &[1], &done);
        submit(&pool, &[1], &done);
        done.wait_for(2);
        submit(&pool, &[1], &done);
        done.wait_for(3);
    });
}

#[test]
fn two_workers_share_long_tasks_and_end() {
    check(|| {
        let (pool, done) = (Pool::new(2), Done::new());
        submit(&pool, &[LONG, LONG], &done);
        submit(&pool, &[1], &done);
        drop(pool);
        done.wait_for(3);
    });
}

#[test]
fn a_yield_point_and_another_worker_take_different_tasks() {
    check(|| {
        let (pool, done) = (Pool::new(2), Done::new());
        submit(&pool, &[LONG], &done);
        submit(&pool, &[1], &done);
        done.wait_for(2);
    });
}

#[test]
fn helpers_take_only_waiting_tasks() {
    check(|| {
        let (pool, done) = (Pool::new(1), Done::new());
        submit(&pool, &[1, 1], &done);
        let helped = std::iter::from_fn(|| pool.take_first(0, |_| true)).count();
        done.wait_for(2 - helped);
    });
}

#[test]
fn resizing_retires_some_workers_and_never_all() {
    check(|| {
        let (pool, done) = (Pool::new(2), Done::new());
        submit(&pool, &[LONG, LONG], &done);
        pool.resize(1);
        submit(&pool, &[1], &done);
        done.wait_for(3);
        submit(&pool, &[1], &done);
        done.wait_for(4);
    });
}

#[test]
fn a_cancellation_and_a_task_agree_on_which_was_first() {
    check(|| {
        let token = Arc::new(CancelToken::default());
        let task = Arc::clone(&token);
        let task = loom::thread::spawn(move || {
            let begun = task.begin();
            let requested = begun && task.is_requested();
            if begun {
                task.end();
            }
            (begun, requested)
        });
        let outcome = token.cancel();
        let (begun, requested) = task.join().expect("no thread panics");
        assert_eq!(begun, outcome != Cancellation::BeforeStart);
        assert!(!requested || outcome == Cancellation::Requested);
    });
}
