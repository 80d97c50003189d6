//! What a worker does: takes, runs, delivers, and within a long task breathes.

use crate::crew::Shared;
use crate::queue::{Length, Queued, TAKE};
use crate::sync::{LOOKS, Stopwatch, spin_loop, yield_now};
use crate::{LINGER, Task};
use std::hint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Nanoseconds of work after which results are delivered although more tasks wait: when somebody is
/// looking for them, and when somebody must be woken, which may cost a busy core 5 us.
const DELIVERY: u64 = 2_000;
const DELIVERY_BY_WAKING: u64 = 60_000;

/// The longest breath.
const BREATH: Duration = Duration::from_micros(200);

/// A slice shorter than this buys no breath yet.
const SLICE: Duration = Duration::from_nanos(TAKE);

/// After so much work on long tasks a worker offers its core to whoever waits for it: an event loop
/// that has woken up would else wait for the rest of the worker's time slice, 3 ms (p99 of a timer
/// behind two busy cores: 2.9 ms, so 0.5). It costs 0.3 us when nobody waits. Newer kernels count a
/// yield as time used, so it must not be done more often.
const YIELD: Duration = Duration::from_micros(100);

/// Who has been away for longer works for as long before the next offer, but for this long at most:
/// on a machine full of other processes each offer costs their time slices, and work of 1.6 s took
/// 60 s at a load of 17.
const YIELD_MAX: Duration = Duration::from_millis(3);

/// One thread's hands: what it does by turns, and what it does while a long task breathes.
pub(crate) struct Worker<T: Task> {
    shared: Arc<Shared<T>>,
    own: Hands<T>,
    nested: Hands<T>,
    courtesy: Courtesy,
}

impl<T: Task> Worker<T> {
    pub(crate) fn new(shared: Arc<Shared<T>>) -> Worker<T> {
        Worker { shared, own: Hands::new(), nested: Hands::new(), courtesy: Courtesy::new() }
    }

    pub(crate) fn work_until_dismissed(mut self) {
        T::worker_begins();
        loop {
            match self.shared.take(&mut self.own.batch) {
                Some(Length::Short) => self.own.run(&mut Breather::none()),
                Some(Length::Long) => {
                    let (shared, nested, courtesy) =
                        (&self.shared, &mut self.nested, &mut self.courtesy);
                    self.own.run(&mut Breather(Some(Lungs {
                        shared,
                        nested,
                        courtesy,
                        since: Stopwatch::start(),
                    })));
                    self.shared.back();
                    self.courtesy.offer_core();
                }
                None => {
                    self.own.deliver();
                    self.own.rest();
                    self.nested.rest();
                    if !self.shared.wait() {
                        return;
                    }
                }
            }
        }
    }
}

/// Lets a long task stand aside for short ones now and then.
pub struct Breather<'a, T: Task>(Option<Lungs<'a, T>>);

struct Lungs<'a, T: Task> {
    shared: &'a Arc<Shared<T>>,
    nested: &'a mut Hands<T>,
    courtesy: &'a mut Courtesy,
    /// When the task began, or its last breath ended.
    since: Stopwatch,
}

impl<T: Task> Breather<'_, T> {
    /// One whose breaths do nothing: for tasks that somebody else runs than a worker.
    pub fn none() -> Breather<'static, T> {
        Breather(None)
    }

    /// Runs short tasks that wait, here and now, and delivers their results. A long task calls this
    /// every 50 to 200 us, where it holds no lock that a task might want. It returns after
    /// about as long as the task has worked since the last breath, and after 200 us at most, so
    /// that the task keeps at least half of its worker; when nothing waits, after some 30 ns.
    ///
    /// Short tasks, and those that run in a breath, do not breathe themselves: nothing happens.
    pub fn breathe(&mut self) {
        if let Some(lungs) = &mut self.0 {
            lungs.courtesy.offer_core();
            if lungs.shared.any_short() {
                lungs.breathe();
            }
        }
    }
}

impl<T: Task> std::fmt::Debug for Breather<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Breather").field(&self.0.is_some()).finish()
    }
}

impl<T: Task> Lungs<'_, T> {
    #[cold]
    fn breathe(&mut self) {
        let slice = self.since.elapsed();
        if slice < SLICE {
            return;
        }
        let (began, mut ran) = (Stopwatch::start(), false);
        while (!ran || began.elapsed() < slice.min(BREATH))
            && self.shared.take_short(&mut self.nested.batch)
        {
            self.nested.run(&mut Breather::none());
            ran = true;
        }
        if ran {
            self.nested.deliver();
            self.since = Stopwatch::start();
        }
    }
}

/// How a worker offers its core to others.
struct Courtesy {
    /// When it last did.
    offered: Stopwatch,
    /// How long it works before it does again.
    patience: Duration,
}

impl Courtesy {
    fn new() -> Courtesy {
        Courtesy { offered: Stopwatch::start(), patience: YIELD }
    }

    fn offer_core(&mut self) {
        if self.offered.elapsed() < self.patience {
            return;
        }
        let away = Stopwatch::start();
        yield_now();
        self.patience = away.elapsed().clamp(YIELD, YIELD_MAX);
        self.offered = Stopwatch::start();
    }
}

/// What has been taken, and what has come of it.
struct Hands<T: Task> {
    batch: Vec<Queued<T>>,
    together: Vec<T>,
    results: T::Results,
    /// Tasks run whose results are not delivered yet, and the predicted nanoseconds they took.
    held: usize,
    cost: u64,
}

impl<T: Task> Hands<T> {
    fn new() -> Hands<T> {
        Hands {
            batch: Vec::new(),
            together: Vec::new(),
            results: T::Results::default(),
            held: 0,
            cost: 0,
        }
    }

    /// Runs the batch, neighbours of one kind together.
    fn run(&mut self, breather: &mut Breather<'_, T>) {
        let mut batch = std::mem::take(&mut self.batch);
        // Another core has written these tasks: a look at each of them fetches all at once, not one
        // after the other (10 ns a task).
        hint::black_box(batch.iter().map(|queued| queued.task.cost()).fold(0, u64::wrapping_add));
        let mut tasks = batch.drain(..);
        while let Some(first) = tasks.next() {
            let room = first.kind.map_or(1, T::together);
            let (mut count, mut cost) = (1, first.cost());
            if room < 2 {
                self.deliver_before(cost);
                self.run_one(first.task, breather);
            } else {
                self.together.push(first.task);
                while count < room
                    && tasks.as_slice().first().is_some_and(|next| next.kind == first.kind)
                    && let Some(next) = tasks.next()
                {
                    cost += next.cost();
                    count += 1;
                    self.together.push(next.task);
                }
                self.deliver_before(cost);
                self.run_together(breather);
            }
            self.held += count;
            self.cost += cost;
            let most = if T::awaited(&self.results) { DELIVERY } else { DELIVERY_BY_WAKING };
            if self.cost > most {
                self.deliver();
            }
        }
        drop(tasks);
        self.batch = batch;
    }

    /// Results do not wait for a task that takes longer than they may be held back.
    fn deliver_before(&mut self, cost: u64) {
        if cost > DELIVERY_BY_WAKING {
            self.deliver();
        }
    }

    fn run_one(&mut self, task: T, breather: &mut Breather<'_, T>) {
        // The task reports its own failure from its destructor; the worker outlives it.
        let _ = catch_unwind(AssertUnwindSafe(|| task.run(breather, &mut self.results)));
    }

    /// Runs the tasks collected, and what that leaves, or what was left when it panicked, one by
    /// one.
    fn run_together(&mut self, breather: &mut Breather<'_, T>) {
        let mut tasks = std::mem::take(&mut self.together);
        if tasks.len() > 1 {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                T::run_together(&mut tasks, breather, &mut self.results)
            }));
        }
        tasks.drain(..).for_each(|task| self.run_one(task, breather));
        self.together = tasks;
    }

    fn deliver(&mut self) {
        if self.held > 0 {
            (self.held, self.cost) = (0, 0);
            let _ = catch_unwind(AssertUnwindSafe(|| T::deliver(&mut self.results)));
        }
    }

    fn rest(&mut self) {
        let _ = catch_unwind(AssertUnwindSafe(|| T::rest(&mut self.results)));
    }
}

/// Spins until there is something to do, or [`LINGER`] is over.
pub(crate) fn linger(something: impl Fn() -> bool) {
    let began = Stopwatch::start();
    loop {
        for _ in 0..LOOKS {
            if something() {
                return;
            }
            spin_loop();
        }
        if began.elapsed() >= LINGER {
            return;
        }
    }
}
