//! The policy without threads: random work, and after every step what must hold. `MILLRACE_SEED`
//! repeats a run.

use super::*;
use crate::YieldPoint;
use std::collections::HashMap;

/// Tasks of kind 2 run together in twos, of kind 8 in eights.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Job {
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
    fn is_polled(_results: &()) -> bool {
        false
    }
    fn deliver(_results: &mut ()) {}
}

impl Job {
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

    /// Nanoseconds from 1 to `most`, any magnitude as likely as another.
    fn cost(&mut self, most: u64) -> u64 {
        let magnitude = self.below(u64::from(most.ilog2()) + 1);
        (1 << magnitude | self.below(1 << magnitude)).min(most)
    }
}

const ONE: Workers = Workers { awake: 1, allowed: 1 };

/// The queue, and what is known of it from outside.
struct Model {
    scheduler: Scheduler<Job>,
    kinds: bool,
    /// What waits, oldest first.
    waiting: Vec<Job>,
    pushed: usize,
    out: usize,
    /// Short work taken since a long task was next.
    passed: u64,
    /// Work taken by owner and lane, and for each pair of owners that wait by how much the first
    /// was ahead when both began to.
    served: HashMap<(usize, Length), u64>,
    ahead: HashMap<(usize, usize, Length), i64>,
    /// The longest turn yet.
    turn: u64,
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
            out: 0,
            passed: 0,
            served: HashMap::new(),
            ahead: HashMap::new(),
            turn: QUANTUM_NS,
        }
    }

    fn push(&mut self, owner: usize, cost: u64, kind: Option<u32>) {
        let job = Job { id: self.pushed, owner, cost, kind: kind.filter(|_| self.kinds) };
        self.pushed += 1;
        self.turn = self.turn.max(cost);
        assert!(self.scheduler.push(job).is_ok());
        self.waiting.push(job);
        self.check();
    }

    /// Takes as a worker does, or as a breath if `short`.
    fn take(&mut self, workers: Workers, short: bool) -> Vec<Job> {
        let long: Vec<u64> = self.of_length(Length::Long).map(|job| job.cost).collect();
        let (mut batch, some_short) = (Vec::new(), self.of_length(Length::Short).next().is_some());
        let length = if short {
            self.scheduler.take_short(workers, &mut batch).then_some(Length::Short)
        } else {
            self.scheduler.take(workers, &mut batch)
        };
        let batch: Vec<Job> = batch.into_iter().map(|queued| queued.task).collect();
        let cost: u64 = batch.iter().map(|job| job.cost).sum();
        assert!(batch.iter().all(|job| Some(job.length()) == length));
        match length {
            None => assert!(!some_short && (short || long.is_empty())),
            Some(Length::Long) => {
                let least = long.iter().min().copied().expect("one was taken");
                assert!(!some_short || self.passed >= least.min(BYPASS_MAX_NS), "not yet due");
                self.passed = 0;
                self.check_batch(workers, &batch);
            }
            Some(Length::Short) => {
                if let (Some(most), false) = (long.iter().max(), short) {
                    assert!(self.passed < BYPASS_MAX_NS.min(*most), "a long task was due");
                }
                assert!(self.kinds || cost <= QUANTUM_NS || batch.len() == 1);
                self.passed = if long.is_empty() { 0 } else { self.passed + cost };
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

    /// Each is the oldest of its owner and lane, or batch of one before it and near the front.
    fn remove(&mut self, batch: &[Job]) {
        for (index, job) in batch.iter().enumerate() {
            let older = self
                .waiting
                .iter()
                .take_while(|other| other.id != job.id)
                .filter(|other| other.owner == job.owner && other.length() == job.length())
                .count();
            let batch =
                job.kind.is_some() && batch[..index].iter().any(|other| other.kind == job.kind);
            assert!(older == 0 || (batch && older < WINDOW), "{job:?} before {older} older ones");
            let place =
                self.waiting.iter().position(|other| other == job).expect("nothing is taken twice");
            self.waiting.remove(place);
            self.out += 1;
            *self.served.entry((job.owner, job.length())).or_default() += job.cost;
        }
    }

    fn of_length(&self, length: Length) -> impl Iterator<Item = &Job> {
        self.waiting.iter().filter(move |job| job.length() == length)
    }

    fn check(&mut self) {
        assert_eq!(self.pushed, self.out + self.waiting.len());
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

    /// While two owners wait, neither gets more than two turns ahead of the other (one that it had
    /// before, one now).
    fn check_fairness(&mut self, length: Length) {
        let mut owners: Vec<usize> = self.of_length(length).map(|job| job.owner).collect();
        owners.sort_unstable();
        owners.dedup();
        self.ahead.retain(|&(one, other, of), _| {
            of != length || (owners.contains(&one) && owners.contains(&other))
        });
        for &one in &owners {
            for &other in &owners {
                let served =
                    |owner| self.served.get(&(owner, length)).copied().unwrap_or_default() as i64;
                let ahead = served(one) - served(other);
                let before = *self.ahead.entry((one, other, length)).or_insert(ahead);
                assert!(
                    ahead - before <= 2 * self.turn as i64,
                    "{one} is {} ahead of {other}",
                    ahead - before
                );
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
fn nothing_is_lost_or_taken_twice_and_the_bounds_hold_in_random_traffic() {
    let seed = seed();
    for run in 0..60 {
        let mut random = Random(seed.wrapping_mul(1000) + run);
        let mut model = Model::new(run % 2 == 0);
        let most = [300, 9_000, 100_000, 30_000_000][random.below(4) as usize];
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
                        // Nobody's turn: it does not count as served.
                        let served = model.served.clone();
                        model.remove(&[job]);
                        model.served = served;
                        model.check();
                    }
                }
                1 if random.below(8) == 0 => {
                    let owner = random.below(owners) as usize;
                    let gone = model.scheduler.withdraw(|job| job.owner == owner);
                    model.waiting.retain(|job| job.owner != owner);
                    model.out += gone.len();
                    if model.of_length(Length::Long).next().is_none() {
                        model.passed = 0;
                    }
                    model.check();
                }
                2..6 => drop(model.take(workers, false)),
                6 => drop(model.take(workers, true)),
                _ => {
                    for _ in 0..random.below(fill) {
                        let kind = [None, Some(1), Some(2), Some(8)][random.below(4) as usize];
                        model.push(random.below(owners) as usize, random.cost(most), kind);
                    }
                }
            }
        }
        while !model.take(ONE, false).is_empty() {}
        assert!(model.waiting.is_empty());
    }
}

#[test]
fn any_mixture_of_lanes_gives_each_its_half() {
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
fn a_very_long_task_lets_a_millisecond_pass() {
    let mut model = Model::new(false);
    model.push(1, 1 << 31, None);
    let mut passed = 0;
    loop {
        while model.scheduler.short_len() < 10 {
            model.push(2, 2_500, None);
        }
        let batch = model.scheduler.long_len();
        passed += model.take(ONE, false).iter().filter(|job| job.length() == Length::Short).count()
            as u64
            * 2_500;
        if model.scheduler.long_len() < batch {
            break;
        }
    }
    assert_eq!(passed, BYPASS_MAX_NS);
}

#[test]
fn who_has_been_away_has_saved_nothing_up() {
    let mut model = Model::new(false);
    for _ in 0..1000 {
        model.push(1, 2_000, None);
    }
    model.push(3, 2_000, None); // Nobody counts for one owner alone.
    (0..500).for_each(|_| drop(model.take(ONE, false)));
    for _ in 0..100 {
        model.push(2, 2_000, None);
    }
    let owners: Vec<usize> =
        (0..100).flat_map(|_| model.take(ONE, false)).map(|job| job.owner).collect();
    assert_eq!(owners.iter().filter(|&&owner| owner == 1).count(), 50);
}

#[test]
fn who_always_has_just_one_task_gets_no_more_than_who_has_many() {
    let mut model = Model::new(false);
    for _ in 0..2_000 {
        model.push(1, 1_000, None);
    }
    let mut served = [0; 4];
    for newcomer in 3..303 {
        // Passers-by do not make the queue forget what anybody has had.
        model.push(newcomer, 1, None);
        if !model.waiting.iter().any(|job| job.owner == 2) {
            model.push(2, 9_000, None);
        }
        for job in model.take(ONE, false) {
            served[job.owner.min(3)] += job.cost;
        }
    }
    assert!(served[2] <= served[1] + 9_000 && served[1] <= served[2] + 9_000, "{served:?}");
}

#[test]
fn owners_that_come_and_go_leave_nothing_behind() {
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
fn batch_is_shared_out_and_near_by() {
    let take = |kinds: &[u32], cost: u64, allowed: usize| {
        let mut model = Model::new(true);
        kinds.iter().for_each(|&kind| model.push(1, cost, Some(kind)));
        model.take(Workers { awake: 1, allowed }, false).len()
    };
    assert_eq!(take(&[8], 100_000, 1), 1, "alone");
    assert_eq!(take(&[8; 20], 100_000, 1), 8, "as many as there is room for");
    assert_eq!(take(&[2; 20], 100_000, 1), 2);
    assert_eq!(take(&[1; 20], 100_000, 1), 1);
    assert_eq!(take(&[8; 4], 100_000, 4), 1, "one for each worker");
    assert_eq!(take(&[8; 6], 100_000, 4), 2);
    assert_eq!(take(&[8; 4], 20_000, 4), 4, "not worth waking anybody");
    assert_eq!(
        take(&[8; 1000], 100_000, 64),
        8,
        "of those behind the window there will be as many"
    );
    assert_eq!(take(&[2, 8, 8, 2], 100_000, 1), 2, "over others' heads");
    let far: Vec<u32> = [2].into_iter().chain([8; WINDOW]).chain([2]).collect();
    assert_eq!(take(&far, 100_000, 1), 1, "but not from afar");
    assert_eq!(take(&[8; 6], 9_000, 1), 6, "short ones too");
}

#[test]
fn batch_rides_free() {
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
        assert!(batch[0].owner != 1 || batch[1].owner == 3, "3 keeps 1 batch");
    }
    // 3 takes two tasks a turn, and pays for both: half as many turns, but no fewer for its rides.
    assert!(
        turns[1].abs_diff(120) <= 2 && turns[2].abs_diff(120) <= 2 && turns[3].abs_diff(60) <= 2,
        "{turns:?}"
    );
}
