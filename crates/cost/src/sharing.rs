//! How an event loop shares short jobs with the workers of the pool.
//!
//! Waking a sleeping thread costs the waker about 5 us and delays the work by about 40 us, longer
//! than most jobs take. A short job therefore waits for the end of the event-loop iteration. There
//! the loop runs the jobs itself if they are little work together; otherwise it submits them and
//! works on them beside the workers. It also waits for results by polling instead of sleeping. The
//! decision depends on the predicted work alone, not on measured delays, so that the same load is
//! always treated the same.

/// The longest job that an event loop runs itself.
pub const SHARED_JOB_NS: u64 = 30_000;

/// The work of an iteration that is done during the calls, whatever each of them takes: sharing
/// less with a worker gains nothing.
pub const INLINE_FIRST_NS: u64 = 4_000;

/// The fewest jobs in flight that end this: then results come a few at a time, and the calls that
/// follow them would all be so little work that none is left for a worker.
pub const INLINE_FIRST_JOBS: usize = 2;

/// The work that an event loop does before it looks for results and other events: one job. With
/// more, a worker has finished its own meanwhile, and waits for the calls that follow a result.
const HELP_NS: u64 = 1_000;

/// Jobs that wait for the end of the iteration are submitted early once they are this much work,
/// although no worker is awake.
const HELD_MAX_NS: u64 = 20_000;

/// The least work that is worth sharing with a worker that is awake: passing a job to another core
/// and back costs about 1 us.
const SHARE_NS: u64 = 1_000;

/// The least work for which a worker is woken: what the loop has done itself since it was last
/// idle, and what is held.
const WAKE_NS: u64 = 10_000;

/// How long a loop polls without a result, besides the predicted time of its short jobs in flight.
const POLL_NS: u64 = 25_000;

/// The most predicted time of jobs in flight for which a loop polls.
const POLL_JOBS_MAX_NS: u64 = 100_000;

/// The short jobs of one event loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sharing {
    held: usize,
    held_ns: u64,
    /// Work in flight that the loop polls for.
    polled_ns: u64,
    /// The jobs among it that only workers run.
    long: usize,
    /// Work that the loop has done since it was last idle.
    busy_ns: u64,
}

impl Sharing {
    /// Holds a job until the end of the iteration, or until [`Sharing::is_full`].
    pub fn hold(&mut self, cost: u64) {
        self.held += 1;
        self.held_ns += cost;
    }

    /// Returns true if the held jobs should be submitted before the end of the iteration, so that a
    /// worker begins while the loop makes further calls.
    #[must_use]
    pub fn is_full(&self, worker_awake: bool) -> bool {
        if worker_awake { self.held_ns >= SHARE_NS } else { self.held_ns >= HELD_MAX_NS }
    }

    /// Returns true if the held jobs should be submitted at the end of the iteration, because a
    /// worker can do some of them meanwhile.
    #[must_use]
    pub fn worth_sharing(&self, worker_awake: bool) -> bool {
        self.held > 1
            && self.held_ns >= SHARE_NS
            && (worker_awake || self.busy_ns + self.held_ns >= WAKE_NS)
    }

    /// Counts a held job as taken by the loop.
    pub fn take(&mut self, cost: u64) {
        self.held -= 1;
        self.held_ns -= cost;
    }

    /// Counts the held jobs as submitted.
    pub fn release(&mut self) {
        (self.held, self.held_ns) = (0, 0);
    }

    /// Returns how much work the loop does before it looks for results and other events. While a
    /// worker delivers results, it only does what is held: the calls that follow a result keep the
    /// worker busy.
    #[must_use]
    pub fn help_ns(&self, worker_delivers: bool) -> u64 {
        if worker_delivers { self.held_ns.min(HELP_NS) } else { HELP_NS }
    }

    /// Counts work that the loop has done.
    pub fn ran(&mut self, cost: u64) {
        self.busy_ns = self.busy_ns.saturating_add(cost);
    }

    /// Counts a job that is in flight until [`Sharing::settled`].
    pub fn in_flight(&mut self, cost: u64) {
        self.polled_ns = self.polled_ns.saturating_add(cost);
        self.long += usize::from(cost > SHARED_JOB_NS);
    }

    /// Counts a job that has settled.
    pub fn settled(&mut self, cost: u64) {
        self.polled_ns = self.polled_ns.saturating_sub(cost);
        self.long = self.long.saturating_sub(usize::from(cost > SHARED_JOB_NS));
    }

    /// Returns false if more jobs that the loop cannot run are in flight than there are `workers`:
    /// polling would take a core from a worker, and none waits for the calls that follow a result.
    #[must_use]
    pub fn worth_polling(&self, workers: impl FnOnce() -> usize) -> bool {
        self.long < 2 || self.long <= workers()
    }

    /// Returns how many nanoseconds the loop should poll without a result before it sleeps.
    #[must_use]
    pub fn patience_ns(&self) -> u64 {
        POLL_NS + self.polled_ns.min(POLL_JOBS_MAX_NS)
    }

    /// Records that the loop has stopped polling.
    pub fn idle(&mut self) {
        self.busy_ns = 0;
    }
}

#[cfg(test)]
mod simulation;
