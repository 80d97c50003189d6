//! The order in which tasks are taken: start-time fair queueing over owners, and a bound on how
//! much short work may bypass a long task. A plain structure without threads, so that it can be
//! simulated.

use crate::{LONG_TASK_NS, Task, WAKE_BACKLOG_NS};
use std::collections::VecDeque;

/// Nanoseconds of short work that a worker takes at once: enough to amortize the lock, and little
/// enough to leave work for other workers.
pub(crate) const QUANTUM_NS: u64 = 2_500;

/// The most nanoseconds of short work that bypass a waiting long task.
pub(crate) const BYPASS_MAX_NS: u64 = 1_000_000;

/// The most tasks that a worker takes at once; it has a place for each.
pub(crate) const TAKEN_MAX: usize = 128;

/// How many tasks at the front of a queue are candidates for a batch, divided among its owners.
pub(crate) const WINDOW: usize = 32;

/// The tasks that wait, short and long ones apart.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Scheduler<T> {
    short: FairQueue<T>,
    long: FairQueue<T>,
    /// Nanoseconds of short work that have bypassed the first long task.
    bypassed_ns: u64,
}

/// A task with a copy of its properties: reading a task that another core has written is the
/// greatest cost of scheduling it.
#[derive(Debug)]
pub(crate) struct Queued<T> {
    pub(crate) task: T,
    pub(crate) kind: Option<u32>,
    /// Predicted nanoseconds, clamped to 1..=`u32::MAX` (4 s), so that no sum overflows.
    cost_ns: u32,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Long,
}

/// The workers among which batches are divided.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Workers {
    /// Workers that are awake and not inside a long task.
    pub(crate) awake: usize,
    /// Workers that are not inside a long task: awake, asleep or not started yet.
    pub(crate) allowed: usize,
}

impl<T> Queued<T> {
    pub(crate) fn cost(&self) -> u64 {
        self.cost_ns.into()
    }

    /// Returns true if this task may run in a batch with a task of `kind` and `cost`: neither takes
    /// more than twice as long as the other.
    fn can_join(&self, kind: u32, cost: u64) -> bool {
        self.kind == Some(kind) && self.cost() <= 2 * cost && cost <= 2 * self.cost()
    }
}

impl<T: Task> Scheduler<T> {
    pub(crate) fn new() -> Scheduler<T> {
        Scheduler { short: FairQueue::new(), long: FairQueue::new(), bypassed_ns: 0 }
    }

    /// Returns the number of waiting tasks.
    pub(crate) fn len(&self) -> usize {
        self.short.len + self.long.len
    }

    /// Returns the number of waiting short tasks.
    pub(crate) fn short_len(&self) -> usize {
        self.short.len
    }

    /// Returns the number of waiting long tasks.
    pub(crate) fn long_len(&self) -> usize {
        self.long.len
    }

    /// Returns the predicted nanoseconds of all waiting tasks.
    pub(crate) fn backlog_ns(&self) -> u64 {
        self.short.backlog_ns + self.long.backlog_ns
    }

    /// Queues a task, or returns it when there is no memory for it.
    #[inline]
    pub(crate) fn push(&mut self, task: T) -> Result<(), T> {
        let cost_ns = u32::try_from(task.cost()).unwrap_or(u32::MAX).max(1);
        let (owner, kind) = (task.owner(), task.kind());
        let long = u64::from(cost_ns) > LONG_TASK_NS;
        let queue = if long { &mut self.long } else { &mut self.short };
        queue.push(owner, Queued { task, kind, cost_ns }).map_err(|queued| queued.task)
    }

    /// Puts a worker's next work into `taken`: a long task with its batch, or short tasks for
    /// [`QUANTUM_NS`].
    pub(crate) fn take(&mut self, workers: Workers, taken: &mut Vec<Queued<T>>) -> Option<Length> {
        let next = self.long.next_owner();
        let long = next.and_then(|owner| self.long.owner(owner).tasks.front()).map(Queued::cost);
        if let Some(cost) = long
            && (self.short.len == 0 || self.bypassed_ns >= cost.min(BYPASS_MAX_NS))
        {
            self.bypassed_ns = 0;
            self.long.take(workers, taken);
            return Some(Length::Long);
        }
        self.take_short(workers, taken).then_some(Length::Short)
    }

    /// Puts short tasks for [`QUANTUM_NS`] into `taken`. Returns false if there are none.
    pub(crate) fn take_short(&mut self, workers: Workers, taken: &mut Vec<Queued<T>>) -> bool {
        let cost = self.short.take(workers, taken);
        if self.long.len > 0 {
            self.bypassed_ns += cost;
        }
        cost > 0
    }

    /// Takes the first task of `owner`, a short one if there is one, if `wanted` returns true for
    /// it.
    pub(crate) fn take_first(
        &mut self,
        owner: usize,
        wanted: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let short = self.short.waiting_owner(owner).map(|index| (&mut self.short, index));
        let long = self.long.waiting_owner(owner).map(|index| (&mut self.long, index));
        let (queue, index) = short.or(long)?;
        if !queue.owner(index).tasks.front().is_some_and(|first| wanted(&first.task)) {
            return None;
        }
        // Not charged: it takes no worker's time.
        let first = queue.take_at(index, 0, false)?;
        if self.long.len == 0 {
            self.bypassed_ns = 0;
        }
        Some(first.task)
    }

    /// Takes a task of any owner, a short one if there is one.
    pub(crate) fn take_any(&mut self) -> Option<T> {
        let queue = if self.short.len > 0 { &self.short } else { &self.long };
        let owner = queue.owner(queue.next_owner()?).owner;
        self.take_first(owner, |_| true)
    }
}

/// Start-time fair queueing over the owners of tasks of one length. The fields that every task
/// changes come first, in one cache line where the queue begins with one: a line that two cores
/// change by turns costs 15 ns a task.
#[derive(Debug)]
#[repr(C)]
struct FairQueue<T> {
    /// Stored inline, as there is usually one owner.
    first: OwnerQueue<T>,
    len: usize,
    /// Predicted nanoseconds of the waiting tasks.
    backlog_ns: u64,
    others: Vec<OwnerQueue<T>>,
    /// The index of the owner that was pushed to last: usually the next one too.
    recent: usize,
    /// The virtual time of the queue: that of the owner taken from last, at that moment. An owner
    /// that begins to wait starts no lower.
    min_virtual_time: u64,
    /// The greatest virtual time of any owner. Virtual times do not advance while there is one
    /// owner.
    max_virtual_time: u64,
}

/// The tasks of one owner. An empty queue keeps its virtual time while that is ahead of the
/// minimum; afterwards another owner may have the place.
#[derive(Debug)]
struct OwnerQueue<T> {
    owner: usize,
    /// Predicted nanoseconds taken so far.
    virtual_time: u64,
    tasks: VecDeque<Queued<T>>,
}

impl<T> OwnerQueue<T> {
    fn new(owner: usize) -> OwnerQueue<T> {
        OwnerQueue { owner, virtual_time: 0, tasks: VecDeque::new() }
    }
}

impl<T> FairQueue<T> {
    fn new() -> FairQueue<T> {
        FairQueue {
            first: OwnerQueue::new(0),
            len: 0,
            backlog_ns: 0,
            others: Vec::new(),
            recent: 0,
            min_virtual_time: 0,
            max_virtual_time: 0,
        }
    }

    fn owners(&self) -> impl Iterator<Item = &OwnerQueue<T>> + Clone {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn owner(&self, index: usize) -> &OwnerQueue<T> {
        if index == 0 { &self.first } else { &self.others[index - 1] }
    }

    fn owner_mut(&mut self, index: usize) -> &mut OwnerQueue<T> {
        if index == 0 { &mut self.first } else { &mut self.others[index - 1] }
    }

    #[inline]
    fn push(&mut self, owner: usize, task: Queued<T>) -> Result<(), Queued<T>> {
        if self.owner(self.recent).owner != owner {
            match self.index_of(owner) {
                Some(index) => self.recent = index,
                None => return Err(task),
            }
        }
        let (cost, min_virtual_time) = (task.cost(), self.min_virtual_time);
        let queue = self.owner_mut(self.recent);
        if queue.tasks.try_reserve(1).is_err() {
            return Err(task);
        }
        if queue.tasks.is_empty() {
            queue.virtual_time = queue.virtual_time.max(min_virtual_time);
        }
        queue.tasks.push_back(task);
        self.len += 1;
        self.backlog_ns += cost;
        Ok(())
    }

    /// Returns the index of the owner's queue: its own, or a free one, or a new one; `None` when
    /// there is no memory for a new one.
    fn index_of(&mut self, owner: usize) -> Option<usize> {
        if let Some(index) = self.owners().position(|queue| queue.owner == owner) {
            return Some(index);
        }
        let min = self.min_virtual_time;
        let is_free = |queue: &OwnerQueue<T>| queue.tasks.is_empty() && queue.virtual_time <= min;
        let free = self.owners().position(is_free);
        if let Some(index) = free {
            self.owner_mut(index).owner = owner;
            return Some(index);
        }
        self.others.try_reserve(1).ok()?;
        self.others.push(OwnerQueue::new(owner));
        Some(self.others.len())
    }

    /// Returns the index of the owner if it waits.
    fn waiting_owner(&self, owner: usize) -> Option<usize> {
        self.owners().position(|queue| queue.owner == owner && !queue.tasks.is_empty())
    }

    /// Returns the index of the waiting owner with the least virtual time.
    fn next_owner(&self) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        if self.others.is_empty() {
            return Some(0);
        }
        let waiting = self.owners().enumerate().filter(|(_, queue)| !queue.tasks.is_empty());
        waiting.min_by_key(|(_, queue)| queue.virtual_time).map(|(index, _)| index)
    }

    /// Takes the task at `place` in an owner's queue. The owner's virtual time advances if the task
    /// is `charged`.
    #[inline]
    fn take_at(&mut self, index: usize, place: usize, charged: bool) -> Option<Queued<T>> {
        let single = self.others.is_empty();
        let queue = self.owner_mut(index);
        let task = if place == 0 { queue.tasks.pop_front() } else { queue.tasks.remove(place) }?;
        let cost = task.cost();
        if charged && !single {
            queue.virtual_time += cost;
            let virtual_time = queue.virtual_time;
            self.max_virtual_time = self.max_virtual_time.max(virtual_time);
        }
        self.backlog_ns -= cost;
        self.len -= 1;
        if self.len == 0 && !single {
            self.min_virtual_time = self.max_virtual_time;
        }
        Some(task)
    }
}

impl<T: Task> FairQueue<T> {
    /// Takes the next owner's first task with its batch, and more tasks up to [`QUANTUM_NS`], also
    /// of the owners after it. Returns their cost.
    #[inline]
    fn take(&mut self, workers: Workers, taken: &mut Vec<Queued<T>>) -> u64 {
        let mut cost = 0;
        while let Some(index) = self.next_owner() {
            let start_tag = self.owner(index).virtual_time;
            while let Some(first) = self.owner(index).tasks.front() {
                let full = cost + first.cost() > QUANTUM_NS || taken.len() >= TAKEN_MAX;
                if cost > 0 && full {
                    return cost;
                }
                if start_tag > self.min_virtual_time {
                    self.min_virtual_time = start_tag;
                }
                let Some(first) = self.take_at(index, 0, true) else { break };
                let (first_cost, kind) = (first.cost(), first.kind);
                taken.push(first);
                cost += first_cost;
                if let Some(kind) = kind {
                    cost += self.take_batch(index, kind, first_cost, workers, taken);
                }
            }
        }
        cost
    }

    /// Takes tasks that may run in a batch with one of `kind` and `cost` just taken from the owner
    /// at `index`, of any owner, from the first [`WINDOW`] tasks. Returns their cost.
    ///
    /// It takes no more than [`Task::batch_limit`], and no more than this worker's share: the
    /// candidates are divided among the awake workers, and among the sleeping ones too if a task is
    /// worth a wake-up. Tasks of other owners are not charged: it was not their turn, and the debt
    /// would delay their next one.
    fn take_batch(
        &mut self,
        index: usize,
        kind: u32,
        cost: u64,
        workers: Workers,
        taken: &mut Vec<Queued<T>>,
    ) -> u64 {
        let limit = T::batch_limit(kind);
        if limit < 2 || self.len == 0 {
            return 0;
        }
        let workers = if cost > WAKE_BACKLOG_NS { workers.allowed } else { workers.awake }.max(1);
        // The same number of tasks of each owner, beginning with the one at `index`.
        let owners = 1 + self.others.len();
        let nearest = (index..owners).chain(0..index).take(WINDOW);
        let each = (WINDOW / owners).max(1);
        let (mut seen, mut suitable) = (0, 0);
        for queued in nearest.clone().flat_map(|owner| self.owner(owner).tasks.iter().take(each)) {
            seen += 1;
            suitable += usize::from(queued.can_join(kind, cost));
        }
        // The tasks behind the window are assumed to suit as often as those in it.
        let share = (1 + suitable * self.len / seen.max(1)).div_ceil(workers);
        let room = TAKEN_MAX.saturating_sub(taken.len());
        let (mut wanted, mut total) = ((share.min(limit) - 1).min(room), 0);
        for other in nearest {
            let mut place = 0;
            for _ in 0..each {
                if wanted == 0 || place == self.owner(other).tasks.len() {
                    break;
                }
                if !self.owner(other).tasks[place].can_join(kind, cost) {
                    place += 1;
                } else if let Some(queued) = self.take_at(other, place, other == index) {
                    wanted -= 1;
                    total += queued.cost();
                    taken.push(queued);
                }
            }
        }
        total
    }
}

#[cfg(test)]
pub(crate) mod simulation;
