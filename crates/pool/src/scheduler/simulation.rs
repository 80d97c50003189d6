//! Simulates the scheduler without threads: random work, with all invariants and bounds checked
//! after every step. `MILLRACE_SEED` repeats a run.

use super::*;
use crate::YieldPoint;
use std::collections::HashMap;

/// A kind is also its batch limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    id: usize,
    owner: usize,
    cost: u64,
    kind: Option<u32>,
}

impl Task for Job {
    type Results = ();
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
    fn run(self, _yield_point: &mut YieldPoint<'_, Job>, _results: &mut ()) {}
    fn deliver(_results: &mut ()) {}
}

impl Job {
    /// Returns a task of owner 1.
    pub(crate) fn of(cost: u64) -> Job {
        Job { id: 0, owner: 1, cost, kind: None }
    }

    fn length(&self) -> Length {
        if self.cost > LONG_TASK_NS { Length::Long } else { Length::Short }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }

    /// Returns nanoseconds from 1 to `max`; every magnitude is equally likely.
    fn cost(&mut self, max: u64) -> u64 {
        let magnitude = self.below(u64::from(max.ilog2()) + 1);
        (1 << magnitude | self.below(1 << magnitude)).min(max)
    }
}

const ONE: Workers = Workers { awake: 1, allowed: 1 };

/// The scheduler and a record of its tasks.
struct Model {
    scheduler: Scheduler<Job>,
    kinds: bool,
    /// The waiting tasks, oldest first.
    waiting: Vec<Job>,
    pushed: usize,
    taken: usize,
    /// Nanoseconds of short work taken since a long task became the next.
    bypassed_ns: u64,
    /// Nanoseconds taken by owner and length, and for each pair of waiting owners the lead of the
    /// first when both began to wait.
    taken_ns: HashMap<(usize, Length), u64>,
    initial_lead: HashMap<(usize, usize, Length), i64>,
    /// The longest turn so far, in nanoseconds.
    turn_ns: u64,
}

impl std::hash::Hash for Length {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (*self == Length::Long).hash(state);
    }
}

impl Model {
    fn new(kinds: bool) -> Model {
        Model {
            scheduler: Scheduler::new(),
            kinds,
            waiting: Vec::new(),
            pushed: 0,
            taken: 0,
            bypassed_ns: 0,
            taken_ns: HashMap::new(),
            initial_lead: HashMap::new(),
            turn_ns: QUANTUM_NS,
        }
    }

    fn push(&mut self, owner: usize, cost: u64, kind: Option<u32>) {
        let job = Job { id: self.pushed, owner, cost, kind: kind.filter(|_| self.kinds) };
        self.pushed += 1;
        self.turn_ns = self.turn_ns.max(cost);
        assert!(self.scheduler.push(job).is_ok());
        self.waiting.push(job);
        self.check();
    }

    /// Takes tasks as an idle worker does, or if `short` as one at a yield point.
    fn take(&mut self, workers: Workers, short: bool) -> Vec<Job> {
        let long: Vec<u64> = self.of_length(Length::Long).map(|job| job.cost).collect();
        let (mut taken, some_short) = (Vec::new(), self.of_length(Length::Short).next().is_some());
        let length = if short {
            self.scheduler.take_short(workers, &mut taken).then_some(Length::Short)
        } else {
            self.scheduler.take(workers, &mut taken)
        };
        let batch: Vec<Job> = taken.into_iter().map(|queued| queued.task).collect();
        let cost: u64 = batch.iter().map(|job| job.cost).sum();
        assert!(batch.iter().all(|job| Some(job.length()) == length));
        match length {
            None => assert!(!some_short && (short || long.is_empty())),
            Some(Length::Long) => {
                let least = long.iter().min().copied().expect("one was taken");
                assert!(!some_short || self.bypassed_ns >= least.min(BYPASS_MAX_NS), "not due yet");
                self.bypassed_ns = 0;
                self.check_batch(workers, &batch);
            }
            Some(Length::Short) => {
                if let (Some(most), false) = (long.iter().max(), short) {
                    assert!(self.bypassed_ns < BYPASS_MAX_NS.min(*most), "a long task was due");
                }
                assert!(self.kinds || cost <= QUANTUM_NS || batch.len() == 1);
                self.bypassed_ns = if long.is_empty() { 0 } else { self.bypassed_ns + cost };
            }
        }
        self.remove(&batch);
        self.check();
        batch
    }

    fn check_batch(&self, workers: Workers, batch: &[Job]) {
        let first = batch[0];
        assert!(batch.len() <= first.kind.map_or(1, Job::batch_limit));
        assert!(batch.iter().all(|other| other.kind == first.kind));
        assert!(
            batch.iter().all(|other| other.cost <= 2 * first.cost && first.cost <= 2 * other.cost)
        );
        let workers = if first.cost > WAKE_BACKLOG_NS { workers.allowed } else { workers.awake };
        let left = self.of_length(Length::Long).count() - batch.len();
        assert!(batch.len() == 1 || left + 1 >= workers, "{left} left for {workers} workers");
    }

    /// Removes the batch; checks that each task is the oldest of its owner and length, or joins the
    /// batch of one before it and is in the window.
    fn remove(&mut self, batch: &[Job]) {
        for (index, job) in batch.iter().enumerate() {
            let older = self
                .waiting
                .iter()
                .take_while(|other| other.id != job.id)
                .filter(|other| other.owner == job.owner && other.length() == job.length())
                .count();
            let joins =
                job.kind.is_some() && batch[..index].iter().any(|other| other.kind == job.kind);
            assert!(older == 0 || (joins && older < WINDOW), "{job:?} before {older} older ones");
            let place =
                self.waiting.iter().position(|other| other == job).expect("nothing is taken twice");
            self.waiting.remove(place);
            self.taken += 1;
            *self.taken_ns.entry((job.owner, job.length())).or_default() += job.cost;
        }
    }

    fn of_length(&self, length: Length) -> impl Iterator<Item = &Job> {
        self.waiting.iter().filter(move |job| job.length() == length)
    }

    fn check(&mut self) {
        assert_eq!(self.pushed, self.taken + self.waiting.len());
        let (short, long) =
            (self.of_length(Length::Short).count(), self.of_length(Length::Long).count());
        assert_eq!(
            (self.scheduler.len(), self.scheduler.short_len(), self.scheduler.long_len()),
            (short + long, short, long)
        );
        let backlog: u64 = self.waiting.iter().map(|job| job.cost).sum();
        assert_eq!(self.scheduler.backlog_ns(), backlog);
        if !self.kinds {
            self.check_fairness(Length::Short);
            self.check_fairness(Length::Long);
        }
    }

    /// Checks that of two waiting owners neither gets more than two turns ahead of the other.
    fn check_fairness(&mut self, length: Length) {
        let mut owners: Vec<usize> = self.of_length(length).map(|job| job.owner).collect();
        owners.sort_unstable();
        owners.dedup();
        self.initial_lead.retain(|&(one, other, of), _| {
            of != length || (owners.contains(&one) && owners.contains(&other))
        });
        for &one in &owners {
            for &other in &owners {
                let taken_ns =
                    |owner| self.taken_ns.get(&(owner, length)).copied().unwrap_or_default() as i64;
                let lead = taken_ns(one) - taken_ns(other);
                let lead = lead - *self.initial_lead.entry((one, other, length)).or_insert(lead);
                assert!(lead <= 2 * self.turn_ns as i64, "{one} is {lead} ns ahead of {other}");
            }
        }
    }
}

fn seed() -> u64 {
    let seed = std::env::var("MILLRACE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("MILLRACE_SEED={seed}");
    seed
}

#[test]
fn random_tasks_are_taken_exactly_once_within_the_bounds() {
    let seed = seed();
    for run in 0..60 {
        let mut random = Random(seed.wrapping_mul(1000) + run);
        let mut model = Model::new(run % 2 == 0);
        let max = [300, 9_000, 100_000, 30_000_000][random.below(4) as usize];
        let (owners, fill) = (1 + random.below(5), 1 + random.below(8));
        for _ in 0..600 {
            let workers = 1 + random.below(9) as usize;
            let workers =
                Workers { awake: 1 + random.below(workers as u64) as usize, allowed: workers };
            match random.below(20) {
                0 => {
                    let (owner, cost) = (random.below(owners) as usize, random.cost(10_000));
                    if let Some(job) = model.scheduler.take_first(owner, |job| job.cost <= cost) {
                        assert!(job.owner == owner && job.cost <= cost);
                        // Not charged to the owner.
                        let taken_ns = model.taken_ns.clone();
                        model.remove(&[job]);
                        model.taken_ns = taken_ns;
                        model.check();
                    }
                }
                1 if random.below(8) == 0 => {
                    let owner = random.below(owners) as usize;
                    let all = || model.scheduler.take_first(owner, |_| true);
                    model.taken += std::iter::from_fn(all).count();
                    model.waiting.retain(|job| job.owner != owner);
                    if model.of_length(Length::Long).next().is_none() {
                        model.bypassed_ns = 0;
                    }
                    model.check();
                }
                2..6 => drop(model.take(workers, false)),
                6 => drop(model.take(workers, true)),
                _ => {
                    for _ in 0..random.below(fill) {
                        let kind = [None, Some(1), Some(2), Some(8)][random.below(4) as usize];
                        model.push(random.below(owners) as usize, random.cost(max), kind);
                    }
                }
            }
        }
        while !model.take(ONE, false).is_empty() {}
        assert!(model.waiting.is_empty());
    }
}

#[test]
fn short_and_long_tasks_each_get_half() {
    let mut model = Model::new(false);
    let (mut short, mut long) = (0, 0);
    for _ in 0..4_000 {
        while model.scheduler.short_len() < 10 {
            model.push(1, 2_000, None);
        }
        while model.scheduler.long_len() < 2 {
            model.push(1, 50_000, None);
        }
        for job in model.take(ONE, false) {
            *(if job.length() == Length::Long { &mut long } else { &mut short }) += job.cost;
        }
    }
    let share = long as f64 / (long + short) as f64;
    assert!((0.48..0.52).contains(&share), "{share}");
}

#[test]
fn a_very_long_task_is_bypassed_for_a_millisecond() {
    let mut model = Model::new(false);
    model.push(1, 1 << 31, None);
    let mut bypassed_ns = 0;
    loop {
        while model.scheduler.short_len() < 10 {
            model.push(2, 2_500, None);
        }
        let waiting = model.scheduler.long_len();
        bypassed_ns +=
            model.take(ONE, false).iter().filter(|job| job.length() == Length::Short).count()
                as u64
                * 2_500;
        if model.scheduler.long_len() < waiting {
            break;
        }
    }
    assert_eq!(bypassed_ns, BYPASS_MAX_NS);
}

#[test]
fn idle_time_earns_no_credit() {
    let mut model = Model::new(false);
    for _ in 0..1000 {
        model.push(1, 2_000, None);
    }
    model.push(3, 2_000, None); // Virtual times advance only with a second owner.
    (0..500).for_each(|_| drop(model.take(ONE, false)));
    for _ in 0..100 {
        model.push(2, 2_000, None);
    }
    let owners: Vec<usize> =
        (0..100).flat_map(|_| model.take(ONE, false)).map(|job| job.owner).collect();
    assert_eq!(owners.iter().filter(|&&owner| owner == 1).count(), 50);
}

#[test]
fn an_owner_of_one_task_at_a_time_gets_as_much_as_one_of_many() {
    let mut model = Model::new(false);
    for _ in 0..2_000 {
        model.push(1, 1_000, None);
    }
    let mut taken_ns = [0_u64; 4];
    for newcomer in 3..303 {
        // Owners that come and go do not reset the virtual times of others.
        model.push(newcomer, 1, None);
        if !model.waiting.iter().any(|job| job.owner == 2) {
            model.push(2, 9_000, None);
        }
        for job in model.take(ONE, false) {
            taken_ns[job.owner.min(3)] += job.cost;
        }
    }
    assert!(taken_ns[1].abs_diff(taken_ns[2]) <= 9_000, "{taken_ns:?}");
}

#[test]
fn owners_that_come_and_go_leave_no_queue_behind() {
    let mut model = Model::new(false);
    for owner in 0..2_000 {
        model.push(owner, 100, None);
        model.push(owner, 100_000, None);
        if owner % 3 == 0 {
            while !model.take(ONE, false).is_empty() {}
        }
    }
    assert!(model.scheduler.short.others.len() < 4 && model.scheduler.long.others.len() < 4);
}

#[test]
fn batches_are_divided_among_workers_and_taken_from_the_window() {
    let take = |kinds: &[u32], cost: u64, allowed: usize| {
        let mut model = Model::new(true);
        kinds.iter().for_each(|&kind| model.push(1, cost, Some(kind)));
        model.take(Workers { awake: 1, allowed }, false).len()
    };
    assert_eq!(take(&[8], 100_000, 1), 1, "alone");
    assert_eq!(take(&[8; 20], 100_000, 1), 8, "the batch limit");
    assert_eq!(take(&[2; 20], 100_000, 1), 2);
    assert_eq!(take(&[1; 20], 100_000, 1), 1);
    assert_eq!(take(&[8; 4], 100_000, 4), 1, "one for each worker");
    assert_eq!(take(&[8; 6], 100_000, 4), 2);
    assert_eq!(take(&[8; 4], 20_000, 4), 4, "not worth a wake-up");
    assert_eq!(take(&[8; 1000], 100_000, 64), 8, "tasks behind the window count as candidates");
    assert_eq!(take(&[2, 8, 8, 2], 100_000, 1), 2, "out of order");
    let far: Vec<u32> = [2].into_iter().chain([8; WINDOW]).chain([2]).collect();
    assert_eq!(take(&far, 100_000, 1), 1, "not from behind the window");
    assert_eq!(take(&[8; 6], 9_000, 1), 6, "also of short tasks");
}

#[test]
fn owners_are_not_charged_for_tasks_in_the_batch_of_another() {
    let mut model = Model::new(true);
    let mut turns = [0_u32; 4];
    for _ in 0..400 {
        model.push(2, 100_000, None);
        model.push(3, 100_000, Some(2));
        model.push(3, 100_000, Some(2));
    }
    for _ in 0..300 {
        if !model.waiting.iter().any(|job| job.owner == 1) {
            model.push(1, 100_000, Some(2));
        }
        let batch = model.take(ONE, false);
        turns[batch[0].owner] += 1;
        assert!(
            batch[0].owner != 1 || batch[1].owner == 3,
            "a task of owner 3 joins that of owner 1"
        );
    }
    // Owner 3 is charged for two tasks a turn, and so has half as many turns.
    assert!(
        turns[1].abs_diff(120) <= 2 && turns[2].abs_diff(120) <= 2 && turns[3].abs_diff(60) <= 2,
        "{turns:?}"
    );
}

#[test]
fn a_task_joins_a_batch_if_neither_takes_more_than_twice_as_long() {
    let queued = |cost_ns| Queued { task: (), kind: Some(1), cost_ns };
    for (one, other, joins) in [(10, 20, true), (10, 15, true), (10, 21, false)] {
        assert_eq!(queued(one).can_join(1, u64::from(other)), joins, "{one} {other}");
        assert_eq!(queued(other).can_join(1, u64::from(one)), joins, "{other} {one}");
    }
    assert!(!queued(10).can_join(2, 10));
}

#[test]
fn a_task_of_the_limit_is_short() {
    let mut scheduler = Scheduler::new();
    for (cost, short, long) in [(LONG_TASK_NS, 1, 0), (LONG_TASK_NS + 1, 1, 1)] {
        scheduler.push(Job::of(cost)).expect("there is memory");
        assert_eq!((scheduler.short_len(), scheduler.long_len()), (short, long));
    }
}
