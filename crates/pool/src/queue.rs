//! Who is next: the policy of the pool, a plain structure that knows no threads, so that it can be
//! tested without.
//!
//! - **Two lanes.** Short tasks go first. A long one lets as much short work pass as it takes
//!   itself, and no more than [`PASSING`]: then it is due. So under any load each lane keeps at
//!   least its half.
//! - **Owners take turns.** In each lane the owner that has been served least is next, and each
//!   owner's tasks go in their order. Who comes back after a pause starts level with those who wait
//!   (it cannot save up), but keeps what it has had too much. Of two owners that wait, none is ever
//!   further ahead than one turn: [`TAKE`], or one task where that is longer.
//! - **Company.** Tasks of one kind may run together. Those behind the first give way to company,
//!   but nobody else's worker goes without work for it: see [`Lane::take_company`].

use crate::{LONG, PATIENCE, Task};
use std::collections::VecDeque;

/// The most nanoseconds of short work taken at once: as little as makes the lock cheap, so that
/// others find some too.
pub(crate) const TAKE: u64 = 2_500;

/// The most nanoseconds of short work that pass a long task while it waits.
pub(crate) const PASSING: u64 = 1_000_000;

/// How many of a lane's first tasks are looked through for company, divided among its lines.
pub(crate) const WINDOW: usize = 32;

/// What waits, and in which order it is taken.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Queue<T> {
    short: Lane<T>,
    long: Lane<T>,
    /// Nanoseconds of short work that have passed the long task that is next.
    passed: u64,
}

/// A task with what the queue asks it, once: reading a task that another core has written costs
/// more than all else here.
#[derive(Debug)]
pub(crate) struct Queued<T> {
    pub(crate) task: T,
    pub(crate) kind: Option<u32>,
    /// Predicted nanoseconds, from 1 to 4 s (more is not believed), so that no sum of them
    /// overflows.
    cost: u32,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Long,
}

/// The workers among whom company is shared out.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Workers {
    /// Awake and not inside a long task.
    pub(crate) awake: usize,
    /// Not inside a long task, awake or not, started or not.
    pub(crate) allowed: usize,
}

impl<T> Queued<T> {
    pub(crate) fn cost(&self) -> u64 {
        self.cost.into()
    }

    /// True if the two gain by running together: of one kind, and neither has to wait for one twice
    /// as long.
    fn suits(&self, kind: u32, cost: u64) -> bool {
        self.kind == Some(kind) && self.cost() <= 2 * cost && cost <= 2 * self.cost()
    }
}

impl<T: Task> Queue<T> {
    pub(crate) fn new() -> Queue<T> {
        Queue { short: Lane::new(), long: Lane::new(), passed: 0 }
    }

    /// Tasks that wait.
    pub(crate) fn len(&self) -> usize {
        self.short.waiting + self.long.waiting
    }

    /// Short tasks that wait.
    pub(crate) fn short(&self) -> usize {
        self.short.waiting
    }

    /// Long tasks that wait.
    pub(crate) fn long(&self) -> usize {
        self.long.waiting
    }

    /// Predicted nanoseconds of all that waits.
    pub(crate) fn backlog(&self) -> u64 {
        self.short.backlog + self.long.backlog
    }

    /// Queues a task, or gives it back when there is no memory for its place.
    #[inline]
    pub(crate) fn push(&mut self, task: T) -> Result<(), T> {
        let cost = u32::try_from(task.cost()).unwrap_or(u32::MAX).max(1);
        let (owner, kind) = (task.owner(), task.kind());
        let lane = if u64::from(cost) > LONG { &mut self.long } else { &mut self.short };
        lane.push(owner, Queued { task, kind, cost }).map_err(|queued| queued.task)
    }

    /// Puts into `batch` what a worker does next: one long task with its company, or short ones for
    /// [`TAKE`].
    pub(crate) fn take(&mut self, workers: Workers, batch: &mut Vec<Queued<T>>) -> Option<Length> {
        let long =
            self.long.next().and_then(|line| self.long.line(line).tasks.front()).map(Queued::cost);
        if let Some(cost) = long
            && (self.short.waiting == 0 || self.passed >= cost.min(PASSING))
        {
            self.passed = 0;
            self.long.take(workers, batch);
            return Some(Length::Long);
        }
        self.take_short(workers, batch).then_some(Length::Short)
    }

    /// Puts short tasks for [`TAKE`] into `batch`; false if there are none.
    pub(crate) fn take_short(&mut self, workers: Workers, batch: &mut Vec<Queued<T>>) -> bool {
        let cost = self.short.take(workers, batch);
        if self.long.waiting > 0 {
            self.passed += cost;
        }
        cost > 0
    }

    /// Takes the first short task of `owner`, if it is `wanted`.
    pub(crate) fn take_first(
        &mut self,
        owner: usize,
        wanted: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let line = self.short.lines().position(|line| line.owner == owner)?;
        if !self.short.line(line).tasks.front().is_some_and(|first| wanted(&first.task)) {
            return None;
        }
        // Not charged: no worker's time goes into it.
        self.short.take_at(line, 0, false).map(|first| first.task)
    }

    /// Removes and returns the tasks for which `doomed` is true.
    pub(crate) fn withdraw(&mut self, mut doomed: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut gone = Vec::new();
        self.short.withdraw(&mut doomed, &mut gone);
        self.long.withdraw(&mut doomed, &mut gone);
        if self.long.waiting == 0 {
            self.passed = 0;
        }
        gone
    }
}

/// Tasks of one length, in one line for each owner. What every task changes comes first, in one
/// cache line where the lane begins with one: a line that two cores change by turns costs each task
/// 15 ns.
#[derive(Debug)]
#[repr(C)]
struct Lane<T> {
    /// The first line stands here: nearly always there is one owner.
    first: Line<T>,
    waiting: usize,
    /// Predicted nanoseconds of all that waits.
    backlog: u64,
    others: Vec<Line<T>>,
    /// The line used last: nearly always the right one again.
    recent: usize,
    /// What the owner that was next last had been served by then, and the most that any has been.
    /// Who joins starts no lower than `level`, as if it had been there all the time. Nobody
    /// counts while there is one line.
    level: u64,
    highest: u64,
}

/// One owner's tasks. A line that is empty remembers what its owner was served beyond the level;
/// once that is made up, another owner may have the line.
#[derive(Debug)]
struct Line<T> {
    owner: usize,
    /// Predicted nanoseconds taken so far.
    served: u64,
    tasks: VecDeque<Queued<T>>,
}

impl<T> Line<T> {
    fn new(owner: usize) -> Line<T> {
        Line { owner, served: 0, tasks: VecDeque::new() }
    }
}

impl<T> Lane<T> {
    fn new() -> Lane<T> {
        Lane {
            first: Line::new(0),
            waiting: 0,
            backlog: 0,
            others: Vec::new(),
            recent: 0,
            level: 0,
            highest: 0,
        }
    }

    fn lines(&self) -> impl Iterator<Item = &Line<T>> + Clone {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn line(&self, index: usize) -> &Line<T> {
        if index == 0 { &self.first } else { &self.others[index - 1] }
    }

    fn line_mut(&mut self, index: usize) -> &mut Line<T> {
        if index == 0 { &mut self.first } else { &mut self.others[index - 1] }
    }

    #[inline]
    fn push(&mut self, owner: usize, task: Queued<T>) -> Result<(), Queued<T>> {
        if self.line(self.recent).owner != owner {
            self.recent = self.line_of(owner);
        }
        let (cost, level) = (task.cost(), self.level);
        let line = self.line_mut(self.recent);
        if line.tasks.try_reserve(1).is_err() {
            return Err(task);
        }
        if line.tasks.is_empty() {
            line.served = line.served.max(level);
        }
        line.tasks.push_back(task);
        self.waiting += 1;
        self.backlog += cost;
        Ok(())
    }

    /// The owner's line: its own, or one that nobody needs any more, or a new one.
    fn line_of(&mut self, owner: usize) -> usize {
        if let Some(line) = self.lines().position(|line| line.owner == owner) {
            return line;
        }
        let free = self.lines().position(|line| line.tasks.is_empty() && line.served <= self.level);
        if let Some(line) = free {
            self.line_mut(line).owner = owner;
            return line;
        }
        self.others.push(Line::new(owner));
        self.others.len()
    }

    /// The line whose turn it is.
    fn next(&self) -> Option<usize> {
        if self.waiting == 0 {
            return None;
        }
        if self.others.is_empty() {
            return Some(0);
        }
        let waiting = self.lines().enumerate().filter(|(_, line)| !line.tasks.is_empty());
        waiting.min_by_key(|(_, line)| line.served).map(|(index, _)| index)
    }

    /// Takes one task out of a line; a free ride is not charged to its owner.
    #[inline]
    fn take_at(&mut self, line: usize, place: usize, charged: bool) -> Option<Queued<T>> {
        let alone = self.others.is_empty();
        let line = self.line_mut(line);
        let task = if place == 0 { line.tasks.pop_front() } else { line.tasks.remove(place) }?;
        let cost = task.cost();
        if charged && !alone {
            line.served += cost;
            let served = line.served;
            self.highest = self.highest.max(served);
        }
        self.backlog -= cost;
        self.waiting -= 1;
        if self.waiting == 0 && !alone {
            self.level = self.highest;
        }
        Some(task)
    }

    fn withdraw(&mut self, doomed: &mut impl FnMut(&T) -> bool, gone: &mut Vec<T>) {
        for line in std::iter::once(&mut self.first).chain(&mut self.others) {
            let (taken, kept) =
                line.tasks.drain(..).partition::<VecDeque<_>, _>(|queued| doomed(&queued.task));
            line.tasks = kept;
            self.waiting -= taken.len();
            self.backlog -= taken.iter().map(Queued::cost).sum::<u64>();
            gone.extend(taken.into_iter().map(|queued| queued.task));
        }
        if self.waiting == 0 {
            self.level = self.highest;
        }
    }
}

impl<T: Task> Lane<T> {
    /// Takes the next owner's first task with its company, and as many more as fit into [`TAKE`],
    /// of the next owners too where one has no more. Returns their cost.
    #[inline]
    fn take(&mut self, workers: Workers, batch: &mut Vec<Queued<T>>) -> u64 {
        let mut cost = 0;
        while let Some(line) = self.next() {
            let level = self.line(line).served;
            while let Some(first) = self.line(line).tasks.front() {
                if cost > 0 && cost + first.cost() > TAKE {
                    return cost;
                }
                if level > self.level {
                    self.level = level;
                }
                let Some(first) = self.take_at(line, 0, true) else { break };
                let (alone, kind) = (first.cost(), first.kind);
                batch.push(first);
                cost += alone;
                if let Some(kind) = kind {
                    cost += self.take_company(line, kind, alone, workers, batch);
                }
            }
        }
        cost
    }

    /// Takes tasks that may run together with one of `kind` and `cost` just taken from `line`, of
    /// any owner, from among the lane's first [`WINDOW`], and returns their cost.
    ///
    /// As many as the kind has room for, but no more than this worker's share: they are divided
    /// among the awake workers, and where a task is worth waking somebody for, among the
    /// sleeping ones too. Another owner's task rides free: it was not that owner's turn, and a
    /// debt that grew with every ride would hold it up later.
    fn take_company(
        &mut self,
        line: usize,
        kind: u32,
        cost: u64,
        workers: Workers,
        batch: &mut Vec<Queued<T>>,
    ) -> u64 {
        let room = T::together(kind);
        if room < 2 || self.waiting == 0 {
            return 0;
        }
        let workers = if cost > PATIENCE { workers.allowed } else { workers.awake }.max(1);
        // The own line first, then the others, the same number of each.
        let lines = 1 + self.others.len();
        let near = (line..lines).chain(0..line).take(WINDOW);
        let each = (WINDOW / lines).max(1);
        let (mut seen, mut suitable) = (0, 0);
        for queued in near.clone().flat_map(|line| self.line(line).tasks.iter().take(each)) {
            seen += 1;
            suitable += usize::from(queued.suits(kind, cost));
        }
        // Of those behind the window as many will suit.
        let share = (1 + suitable * self.waiting / seen.max(1)).div_ceil(workers);
        let (mut wanted, mut total) = (share.min(room) - 1, 0);
        for other in near {
            let mut place = 0;
            for _ in 0..each {
                if wanted == 0 || place == self.line(other).tasks.len() {
                    break;
                }
                if !self.line(other).tasks[place].suits(kind, cost) {
                    place += 1;
                } else if let Some(queued) = self.take_at(other, place, other == line) {
                    wanted -= 1;
                    total += queued.cost();
                    batch.push(queued);
                }
            }
        }
        total
    }
}

#[cfg(test)]
mod simulation;
