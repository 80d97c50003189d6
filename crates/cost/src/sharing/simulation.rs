//! Simulates an event loop and one worker without threads or a clock. A closed loop of calls, each
//! made when the result of another was delivered, runs on every route; the automatic one must not
//! be slower than the best fixed one.

use super::*;
use crate::limits::{INLINE_NS, INLINE_TURN_NS};
use std::collections::VecDeque;

/// Nanoseconds of the event loop: of a call that runs its job, of one that makes a job for the
/// pool, of a result, and of an iteration. Measured with Node.js 20 on Linux.
const INLINE_CALL_NS: u64 = 700;
const SUBMIT_NS: u64 = 1_000;
const SETTLE_NS: u64 = 700;
const ITERATION_NS: u64 = 3_000;
/// To wake a thread: what the waker pays, and when the thread runs.
const WAKER_NS: u64 = 5_000;
const WAKE_DELAY_NS: u64 = 40_000;
/// How long an idle worker spins, and what taking a job from another core costs it.
const LINGER_NS: u64 = 50_000;
const TAKE_NS: u64 = 200;
const SIMULATED_NS: u64 = 20_000_000;

#[derive(Clone, Copy)]
enum Route {
    Auto(Rules),
    Inline,
    Pool,
}

/// The parameters of an automatic route.
#[derive(Clone, Copy)]
struct Rules {
    /// The longest jobs that the loop runs, and polls for.
    shared_ns: u64,
    polled_ns: u64,
    /// True if jobs wait for the end of the iteration.
    holds: bool,
}

const RULES: Rules = Rules { shared_ns: SHARED_JOB_NS, polled_ns: POLL_JOBS_MAX_NS, holds: true };

struct Simulation {
    route: Route,
    cost: u64,
    now: u64,
    sharing: Sharing,
    held: usize,
    /// When the jobs in the pool were submitted, and when the worker is free.
    queue: VecDeque<u64>,
    free_at: u64,
    /// When the worker's results were ready.
    results: VecDeque<u64>,
    settled: usize,
}

impl Simulation {
    /// Returns the calls per second with `depth` calls in flight, of `cost` nanoseconds each.
    fn rate(route: Route, cost: u64, depth: usize, worker_awake: bool) -> f64 {
        let mut simulation = Simulation {
            route,
            cost,
            // The worker was last busy at time 0.
            now: if worker_awake { 0 } else { 10 * LINGER_NS },
            sharing: Sharing::default(),
            held: 0,
            queue: VecDeque::new(),
            free_at: 0,
            results: VecDeque::new(),
            settled: 0,
        };
        let began = simulation.now;
        simulation.run(depth);
        simulation.settled as f64 * 1e9 / (simulation.now - began) as f64
    }

    fn run(&mut self, depth: usize) {
        let (mut ready, mut progress) = (depth, self.now);
        let end = self.now + SIMULATED_NS;
        while self.now < end {
            self.now += ITERATION_NS;
            let mut done = self.make_calls(ready);
            let settled = self.settle();
            done += settled + self.work(settled);
            self.settled += done;
            ready = done;
            if done > 0 {
                progress = self.now;
            } else if self.now - progress > self.patience() {
                self.sleep();
                progress = self.now;
            }
        }
    }

    fn polls(&self) -> bool {
        match self.route {
            Route::Auto(rules) => self.cost <= rules.polled_ns,
            Route::Pool => self.cost <= POLL_JOBS_MAX_NS,
            Route::Inline => true,
        }
    }

    fn patience(&self) -> u64 {
        if self.polls() { self.sharing.patience_ns() } else { 0 }
    }

    /// Makes calls. Returns how many ran inline; their results are delivered in this iteration.
    fn make_calls(&mut self, calls: usize) -> usize {
        let (mut spent, mut blocked) = (0, 0);
        for _ in 0..calls {
            let inline = match self.route {
                Route::Inline => true,
                Route::Pool => false,
                Route::Auto(_) => {
                    let blocking = self.cost.saturating_sub(SUBMIT_NS + SETTLE_NS - INLINE_CALL_NS);
                    let in_flight = self.held + self.queue.len() + self.results.len();
                    let alone = in_flight == 0 && spent == 0 && self.free_at <= self.now;
                    alone
                        || (self.cost <= INLINE_NS && blocked + blocking <= INLINE_TURN_NS)
                        || (in_flight < INLINE_FIRST_JOBS && spent + self.cost <= INLINE_FIRST_NS)
                }
            };
            if inline {
                spent += self.cost;
                blocked += self.cost.saturating_sub(SUBMIT_NS + SETTLE_NS - INLINE_CALL_NS);
                self.now += INLINE_CALL_NS + self.cost;
                continue;
            }
            self.now += SUBMIT_NS;
            self.sharing.in_flight(self.cost);
            match self.route {
                Route::Auto(rules) if rules.holds && self.cost <= rules.shared_ns => {
                    self.sharing.hold(self.cost);
                    self.held += 1;
                    let awake = self.worker_awake();
                    if self.sharing.is_full(awake) {
                        self.submit_held();
                    }
                }
                _ => self.submit(1),
            }
        }
        (spent / self.cost) as usize
    }

    fn worker_awake(&mut self) -> bool {
        self.advance_worker();
        !self.queue.is_empty() || self.now < self.free_at + LINGER_NS
    }

    fn submit_held(&mut self) {
        self.sharing.release();
        let held = std::mem::take(&mut self.held);
        self.submit(held);
    }

    fn submit(&mut self, jobs: usize) {
        if !self.worker_awake() {
            self.now += WAKER_NS;
            self.free_at = self.now + WAKE_DELAY_NS;
        }
        self.queue.extend(std::iter::repeat_n(self.now, jobs));
    }

    /// Runs what the worker begins before `now`.
    fn advance_worker(&mut self) {
        while let Some(&submitted) = self.queue.front() {
            let begin = self.free_at.max(submitted);
            if begin >= self.now {
                return;
            }
            self.queue.pop_front();
            self.free_at = begin + TAKE_NS + self.cost;
            self.results.push_back(self.free_at);
        }
    }

    /// Delivers the worker's results. Returns their number.
    fn settle(&mut self) -> usize {
        self.advance_worker();
        let ready = self.results.iter().take_while(|&&at| at <= self.now).count();
        self.results.drain(..ready);
        self.count_settled(ready);
        ready
    }

    fn count_settled(&mut self, jobs: usize) {
        self.now += jobs as u64 * SETTLE_NS;
        for _ in 0..jobs {
            self.sharing.settled(self.cost);
        }
    }

    /// Ends an iteration: shares the held jobs, and runs some that no worker has taken.
    fn work(&mut self, settled: usize) -> usize {
        let Route::Auto(rules) = self.route else { return 0 };
        if self.cost > rules.shared_ns {
            return 0;
        }
        let awake = self.worker_awake();
        if self.sharing.worth_sharing(awake) {
            self.submit_held();
        }
        let budget = self.sharing.help_ns(settled > 0 && awake);
        let (mut spent, mut ran) = (0, 0);
        while spent < budget {
            self.advance_worker();
            if self.held > 0 {
                self.held -= 1;
                self.sharing.take(self.cost);
            } else if self.queue.pop_front().is_none() {
                break;
            }
            self.now += self.cost;
            spent += self.cost;
            ran += 1;
        }
        self.sharing.ran(spent);
        self.count_settled(ran);
        ran
    }

    /// Sleeps until the worker wakes the loop for a result.
    fn sleep(&mut self) {
        self.sharing.idle();
        self.now = self.now.max(self.free_at);
        self.advance_worker();
        if let Some(&at) = self.results.front() {
            self.free_at += WAKER_NS;
            self.now = self.now.max(at) + WAKE_DELAY_NS;
        }
    }
}

/// Returns the worst ratio of a route to the best fixed one, of the loads that `select` accepts by
/// the cost of a job and the number in flight.
fn worst(rules: Rules, select: impl Fn(u64, usize) -> bool) -> (f64, String) {
    let mut worst = (f64::MAX, String::new());
    for cost in (300..=30_000).step_by(700) {
        for depth in [1, 2, 4, 8, 16, 32, 64, 256, 1024] {
            for awake in [true, false] {
                let rate = |route| Simulation::rate(route, cost, depth, awake);
                let ratio = rate(Route::Auto(rules)) / rate(Route::Inline).max(rate(Route::Pool));
                if select(cost, depth) && ratio < worst.0 {
                    worst = (ratio, format!("{cost} ns, {depth} in flight, awake: {awake}"));
                }
            }
        }
    }
    worst
}

/// Short loads are those of less than 40 us. There two ideal cores gain more from the pool than the
/// automatic route does, which wakes a worker only for longer ones.
#[test]
fn no_fixed_route_is_much_faster() {
    let is_short = |cost, depth| cost * depth as u64 <= 40_000;
    let (ratio, load) = worst(RULES, |cost, depth| !is_short(cost, depth));
    assert!(ratio >= 0.95, "{ratio:.2} at {load}");
    let (ratio, load) = worst(RULES, is_short);
    assert!(ratio >= 0.6, "{ratio:.2} at {load}");
}

/// The rules of the first versions: jobs go to the pool at once, and the loop polls for the
/// shortest ones only.
#[test]
fn polling_for_the_shortest_jobs_only_is_slower() {
    let first = Rules { shared_ns: 4_000, polled_ns: 5_000, holds: false };
    let (ratio, load) = worst(first, |_, _| true);
    assert!(ratio < 0.5, "{ratio:.2} at {load}");
}

#[test]
fn the_rate_does_not_depend_on_the_state_at_the_start() {
    for cost in (300..=30_000).step_by(700) {
        for depth in [1, 4, 16, 64, 256] {
            let rate = |awake| Simulation::rate(Route::Auto(RULES), cost, depth, awake);
            let ratio = rate(false) / rate(true);
            assert!((0.97..1.03).contains(&ratio), "{ratio:.2}: {cost} ns, {depth} in flight");
        }
    }
}

#[test]
fn the_loop_sleeps_while_every_worker_has_a_long_job_and_more_wait() {
    let mut sharing = Sharing::default();
    let long = SHARED_JOB_NS + 1;
    for jobs in 1..=5 {
        sharing.in_flight(long);
        assert_eq!(sharing.worth_polling(|| 4), jobs <= 4, "{jobs} in flight");
    }
    (0..100).for_each(|_| sharing.in_flight(SHARED_JOB_NS));
    sharing.settled(long);
    assert!(sharing.worth_polling(|| 4), "short jobs count for nothing: the loop runs them");
}
