//! A job: a work on its way through the pool and back.

use crate::completion::{Gate, Queue};
use crate::cost::Route;
use crate::list::{Link, Linked, List};
use millrace_core::allocate::Shared;
use millrace_pool::CancelToken;
use millrace_request::bytes::Copies;
use millrace_request::checkpoint::{JobCheckpoint, Pause};
use millrace_request::execute;
use millrace_request::memory_budget::MemoryPermit;
use millrace_request::work::{Reply, Status, Work};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The queue that carries an environment's finished jobs back to its event loop.
pub(crate) type CompletionQueue = Queue<Job>;

pub(crate) type JobList = List<Job>;

/// A work with what the pool needs. It comes back exactly once, with a status; the environment then
/// keeps it for the next work, so that a call needs no allocation.
pub(crate) struct Job {
    pub(crate) slot: u32,
    /// Predicted nanoseconds; see `cost`.
    pub(crate) cost: u64,
    /// Bytes of the source that were copied.
    pub(crate) copied: usize,
    /// Never `Auto` once submitted.
    pub(crate) route: Route,
    /// True if the event loop may run the job instead of waiting for a worker; see
    /// `millrace_cost::sharing`.
    pub(crate) shared: bool,
    /// Jobs of one kind may run as a batch; see `multibuffer`.
    pub(crate) kind: Option<u32>,
    pub(crate) work: Work,
    pub(crate) copies: Copies,
    pub(crate) cancel_token: Option<Shared<CancelToken>>,
    pub(crate) status: Status,
    pub(crate) reply: Reply,
    /// The workers of a long job in flight.
    pub(crate) claim: Option<WorkerClaim>,
    /// The memory of a derivation in flight.
    pub(crate) permit: Option<MemoryPermit>,
    pub(crate) completion: Shared<CompletionQueue>,
    link: Link<Job>,
}

impl Linked for Job {
    fn link(&mut self) -> &mut Link<Job> {
        &mut self.link
    }
}

impl Job {
    /// Returns a job without work, for one environment.
    pub(crate) fn idle(completion: Shared<CompletionQueue>) -> Job {
        let (copies, reply) = (Copies::default(), Reply::empty());
        Job {
            slot: 0,
            cost: 0,
            copied: 0,
            route: Route::Pool,
            shared: false,
            kind: None,
            work: Work::idle(),
            copies,
            cancel_token: None,
            status: Status::Internal,
            reply,
            claim: None,
            permit: None,
            completion,
            link: Link::NONE,
        }
    }

    /// Runs the work unless the job was cancelled; with `run_pending` in slices if it is long. A
    /// panic, which is a bug, ends this job only.
    pub(crate) fn perform(&mut self, run_pending: Option<&mut dyn FnMut()>) {
        if !self.begin() {
            return;
        }
        let Job { work, reply, completion, cancel_token, cost, .. } = self;
        let (gate, cancel_token) = (completion.gate(), cancel_token.as_deref());
        let run = || {
            let mut pause =
                run_pending.map(|run_pending| JobPause { run_pending, gate, cancel_token });
            let pause = pause.as_mut();
            let mut checkpoint = pause.and_then(|pause| JobCheckpoint::new(pause, work, *cost));
            execute::run(work, reply, checkpoint.as_mut())
        };
        let status = catch_unwind(AssertUnwindSafe(run)).unwrap_or(Status::Internal);
        self.end(status);
    }

    /// Marks the job as begun. Returns false, and ends the job, if it was cancelled.
    pub(crate) fn begin(&mut self) -> bool {
        let begun = self.cancel_token.as_ref().is_none_or(|cancel_token| cancel_token.begin());
        if !begun {
            self.end(Status::Cancelled);
        }
        begun
    }

    /// Ends the job, releases what it holds, and wipes the copied secrets.
    pub(crate) fn end(&mut self, status: Status) {
        self.status = status;
        if let Some(cancel_token) = &self.cancel_token
            && status != Status::Cancelled
        {
            cancel_token.end();
        }
        self.claim = None;
        self.permit = None;
        self.copies.wipe_secrets();
    }

    /// Returns true if JavaScript may cancel the job or ask for its progress.
    pub(crate) fn is_controlled(&self) -> bool {
        self.cancel_token.is_some() || self.work.progress.is_some()
    }

    /// Ends the job with a digest or key as its result.
    pub(crate) fn complete_with(&mut self, digest: &[u8]) {
        self.reply.put(digest);
        self.end(Status::Done);
    }

    /// Returns the two parts of the result: a digest or tag, and a text or the reason of a failure.
    pub(crate) fn result(&self) -> (&[u8], &[u8]) {
        let small = &self.reply.small[..self.reply.small_size];
        match self.status {
            Status::Done if self.work.returns_text() => (small, self.copies.read_text()),
            Status::Done => (small, &self.reply.large),
            status => (&[], status.reason().unwrap_or_default().as_bytes()),
        }
    }

    /// Clears the job for the next work. Returns the bytes of memory that it keeps.
    pub(crate) fn reset(&mut self) -> usize {
        if self.work.keyed() {
            self.reply.wipe();
        }
        self.work = Work::idle();
        self.cancel_token = None;
        self.kind = None;
        self.status = Status::Internal;
        self.reply.small_size = 0;
        self.reply.large = Vec::new();
        self.copies.reset()
    }
}

/// The work of a worker between the slices of a job.
pub(crate) struct JobPause<'a> {
    /// Runs the worker's pending short tasks.
    pub(crate) run_pending: &'a mut dyn FnMut(),
    pub(crate) gate: &'a Gate,
    pub(crate) cancel_token: Option<&'a CancelToken>,
}

impl Pause for JobPause<'_> {
    fn run_pending(&mut self) {
        (self.run_pending)();
    }

    fn is_closing(&self) -> bool {
        self.gate.is_closing()
    }

    fn is_cancelled(&self) -> bool {
        self.cancel_token.is_some_and(CancelToken::is_requested)
    }
}

/// The workers that a long job claims, counted over all long jobs of the process.
pub(crate) struct WorkerClaim(usize);

static LONG_JOBS: AtomicUsize = AtomicUsize::new(0);
static CLAIMED_WORKERS: AtomicUsize = AtomicUsize::new(0);

impl WorkerClaim {
    /// Claims workers until the value is dropped.
    pub(crate) fn new(workers: usize) -> WorkerClaim {
        LONG_JOBS.fetch_add(1, Ordering::Relaxed);
        CLAIMED_WORKERS.fetch_add(workers, Ordering::Relaxed);
        WorkerClaim(workers)
    }

    /// Returns the number of claims, and of the workers that they claim.
    pub(crate) fn totals() -> (usize, usize) {
        (LONG_JOBS.load(Ordering::Relaxed), CLAIMED_WORKERS.load(Ordering::Relaxed))
    }
}

impl Drop for WorkerClaim {
    fn drop(&mut self) {
        LONG_JOBS.fetch_sub(1, Ordering::Relaxed);
        CLAIMED_WORKERS.fetch_sub(self.0, Ordering::Relaxed);
    }
}
