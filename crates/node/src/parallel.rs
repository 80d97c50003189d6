//! One large job by all workers.
//!
//! It is submitted as several shares. Whoever takes a share works on part after part until none is
//! left, so it does not matter who comes, how fast, or whether at all: a share that comes too late
//! does nothing. The last one out joins what the parts came to, or if anything was wrong overwrites
//! the whole target, and sends the job back. The workers also share the page faults of a fresh
//! target.

use crate::checkpoint::{JobCheckpoint, slice};
use crate::cost::Route;
use crate::environment::pool;
use crate::job::{CompletionQueue, Job};
use crate::range_plan::{PartialResult, RangePlan};
use crate::task::PoolTask;
use crate::work::{Operation, Status, Target, Work};
use millrace_core::allocate::try_with_capacity;
use millrace_core::engines::Provider;
use millrace_core::split;
use millrace_pool::{CancelToken, LONG_TASK_NS};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Smaller parts would not be worth taking: each costs its worker some 100 ns, and some more at its
/// beginning.
const PART_MIN: usize = 64 * 1024;

/// So many parts a share, that nobody waits long for whoever is last.
const PARTS_EACH: usize = 4;

/// A job under way in several shares.
pub(crate) struct ParallelJob {
    completion: Arc<CompletionQueue>,
    cancel_token: Option<Arc<CancelToken>>,
    /// Predicted nanoseconds of a share.
    cost: u64,
    shares: usize,
    keyed: bool,
    /// Bytes of a part.
    part: usize,
    /// Made by the first who comes.
    plan: OnceLock<Result<RangePlan, Status>>,
    state: Mutex<ParallelState>,
}

struct ParallelState {
    /// Until it has been finished.
    job: Option<Box<Job>>,
    /// The pass over the parts, and the first part that nobody has taken in it.
    pass: usize,
    next: usize,
    /// Shares at work.
    inside: usize,
    results: Vec<Option<PartialResult>>,
    begun: bool,
    failure: Option<Status>,
}

/// A long job as tasks for the pool.
pub(crate) fn tasks(mut job: Box<Job>) -> Vec<PoolTask> {
    match claim_workers(&mut job) {
        0 | 1 => vec![PoolTask::Job(job)],
        shares => {
            let parallel = ParallelJob::new(job, shares);
            (0..shares).map(|_| PoolTask::Helper(Arc::clone(&parallel))).collect()
        }
    }
}

/// Into how many shares a long job goes: one for each worker that has nothing else to do, or as if
/// all long jobs under way had equal parts of the crew. So a single one gets all workers, and of
/// many each gets its own.
fn claim_workers(job: &mut Job) -> usize {
    let workers = pool().threads().limit;
    let (jobs, claims) = (WorkerClaim::jobs(), WorkerClaim::claims());
    let wanted = if job.route == Route::Split { parts_of(&job.work) } else { 1 };
    let shares = workers.saturating_sub(claims).max(workers / (jobs + 1)).min(wanted).max(1);
    job.claim = Some(WorkerClaim::new(shares));
    shares
}

/// How many shares a work is good for.
fn parts_of(work: &Work) -> usize {
    if work.engine != Provider::Native {
        return 1;
    }
    match work.operation {
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
            let mut parts = 1;
            let counted = work.with_key(cipher, |key| {
                // A text that has to be moved first is moved by one.
                if key.parts() && matches!(work.target, Target::Memory(target) if target.stands_with(work.source)) {
                    parts = work.source.size() / PART_MIN;
                }
                Ok(())
            });
            if counted.is_ok() { parts } else { 1 }
        }
        Operation::Hash(hash) | Operation::HashFile(hash) => {
            let size = work.messages().1 as u64;
            split::hash_parts(hash, size).map_or(1, |part| size.div_ceil(part) as usize)
        }
        _ => 1,
    }
}

impl ParallelJob {
    fn new(job: Box<Job>, shares: usize) -> Arc<ParallelJob> {
        let size = job.work.messages().1;
        let part =
            (size / (shares * PARTS_EACH)).clamp(PART_MIN, slice(size, job.cost).max(PART_MIN));
        Arc::new(ParallelJob {
            completion: Arc::clone(&job.completion),
            cancel_token: job.cancel_token.clone(),
            cost: (job.cost / shares as u64).max(LONG_TASK_NS + 1),
            shares,
            keyed: job.work.keyed(),
            part,
            plan: OnceLock::new(),
            state: Mutex::new(ParallelState {
                job: Some(job),
                pass: 0,
                next: 0,
                inside: 0,
                results: Vec::new(),
                begun: false,
                failure: None,
            }),
        })
    }

    pub(crate) fn completion(&self) -> &Arc<CompletionQueue> {
        &self.completion
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// Whether the work is one with a secret.
    pub(crate) fn keyed(&self) -> bool {
        self.keyed
    }

    /// Does one share of the work. Returns the job if that was the end of it.
    pub(crate) fn work(self: &Arc<Self>, run_pending: &mut dyn FnMut()) -> Option<Box<Job>> {
        if !self.completion.gate().enter() {
            return None;
        }
        let mut checkpoint = JobCheckpoint::with_slice(
            run_pending,
            self.completion.gate(),
            self.cancel_token.as_deref(),
            self.part,
        );
        let mut job = match self.begin() {
            Beginning::Inside => {
                self.take_parts(&mut checkpoint);
                loop {
                    match self.leave() {
                        Leaving::Left => break None,
                        Leaving::Last(job) => break Some(job),
                        Leaving::NextPass => {
                            // The message is done without those who cannot come.
                            drop(pool().submit(
                                (1..self.shares).map(|_| PoolTask::Helper(Arc::clone(self))),
                            ));
                            self.take_parts(&mut checkpoint);
                        }
                    }
                }
            }
            Beginning::TooLate => None,
            Beginning::Cancelled(job) => {
                self.completion.gate().leave();
                return Some(job);
            }
        };
        if let Some(job) = &mut job {
            self.finish(job, &mut checkpoint);
        }
        self.completion.gate().leave();
        job
    }

    fn begin(&self) -> Beginning {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(job) = &mut state.job else { return Beginning::TooLate };
        if !state.begun && !job.begin() {
            return state.job.take().map_or(Beginning::TooLate, Beginning::Cancelled);
        }
        state.begun = true;
        if state.failure.is_some() || (state.next > 0 && state.next == state.results.len()) {
            return Beginning::TooLate;
        }
        state.inside += 1;
        Beginning::Inside
    }

    /// Works on part after part until none is left, or one fails, or nobody wants them any more.
    fn take_parts(&self, checkpoint: &mut JobCheckpoint<'_>) {
        let mut parts = || -> Result<(), Status> {
            let plan = self.plan(checkpoint)?;
            let mut done = None;
            while let Some((pass, index)) = self.next(plan.count, done.take())? {
                let result = plan.part(pass, index)?;
                done = (pass == 0).then_some((index, result));
                checkpoint.check()?;
            }
            Ok(())
        };
        let result = catch_unwind(AssertUnwindSafe(&mut parts)).unwrap_or(Err(Status::Internal));
        if let Err(failure) = result {
            self.lock().failure.get_or_insert(failure);
        }
    }

    fn plan(&self, checkpoint: &mut JobCheckpoint<'_>) -> Result<&RangePlan, Status> {
        let plan = self.plan.get_or_init(|| {
            let state = self.lock();
            let job = state.job.as_ref().ok_or(Status::Internal)?;
            RangePlan::new(&job.work, self.part, checkpoint)
        });
        plan.as_ref().map_err(|status| *status)
    }

    /// Puts down what a part came to, and takes the next.
    fn next(
        &self,
        count: usize,
        done: Option<(usize, PartialResult)>,
    ) -> Result<Option<(usize, usize)>, Status> {
        let mut state = self.lock();
        if state.results.is_empty() {
            state.results = try_with_capacity(count)?;
            state.results.resize_with(count, || None);
        }
        if let Some((index, result)) = done {
            state.results[index] = Some(result);
        }
        let index = state.next;
        if state.failure.is_some() || index == count {
            return Ok(None);
        }
        state.next += 1;
        if let Some(progress) = state.job.as_ref().and_then(|job| job.work.progress.as_ref()) {
            progress.set(index as u64, count as u64);
        }
        Ok(Some((state.pass, index)))
    }

    /// The last one out begins the next pass, if there is one, and asks the others to come back; or
    /// gets the job.
    fn leave(self: &Arc<Self>) -> Leaving {
        let mut state = self.lock();
        let state = &mut *state;
        state.inside -= 1;
        if state.inside > 0 {
            return Leaving::Left;
        }
        if let (Some(Ok(plan)), Some(job), None) = (self.plan.get(), &state.job, state.failure)
            && state.pass + 1 < plan.passes()
        {
            let turned = catch_unwind(AssertUnwindSafe(|| plan.turn(&job.work, &state.results)));
            match turned.unwrap_or(Err(Status::Internal)) {
                Ok(()) => {
                    (state.pass, state.next, state.inside) = (state.pass + 1, 0, 1);
                    return Leaving::NextPass;
                }
                Err(failure) => state.failure = Some(failure),
            }
        }
        state.job.take().map_or(Leaving::Left, Leaving::Last)
    }

    /// Nobody is inside any more, and nobody comes in.
    fn finish(&self, job: &mut Job, checkpoint: &mut JobCheckpoint<'_>) {
        let (results, failure) = {
            let mut state = self.lock();
            (std::mem::take(&mut state.results), state.failure)
        };
        let status = match (self.plan.get(), failure) {
            (Some(Ok(plan)), None) => {
                let joined = catch_unwind(AssertUnwindSafe(|| {
                    plan.join(&job.work, &results, &mut job.reply)
                }));
                joined.unwrap_or(Err(Status::Internal)).err().unwrap_or(Status::Done)
            }
            (_, failure) => failure.unwrap_or(Status::Internal),
        };
        if status != Status::Done
            && let Some(Ok(plan)) = self.plan.get()
        {
            plan.erase(Some(checkpoint));
        }
        job.end(status);
    }

    fn lock(&self) -> MutexGuard<'_, ParallelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Beginning {
    Inside,
    TooLate,
    Cancelled(Box<Job>),
}

enum Leaving {
    Left,
    NextPass,
    Last(Box<Job>),
}

/// Long jobs under way in this process, and the workers they claim.
pub(crate) struct WorkerClaim(usize);

static JOBS: AtomicUsize = AtomicUsize::new(0);
static CLAIMS: AtomicUsize = AtomicUsize::new(0);

impl WorkerClaim {
    fn new(shares: usize) -> WorkerClaim {
        JOBS.fetch_add(1, Ordering::Relaxed);
        CLAIMS.fetch_add(shares, Ordering::Relaxed);
        WorkerClaim(shares)
    }

    fn jobs() -> usize {
        JOBS.load(Ordering::Relaxed)
    }

    fn claims() -> usize {
        CLAIMS.load(Ordering::Relaxed)
    }
}

impl Drop for WorkerClaim {
    fn drop(&mut self) {
        JOBS.fetch_sub(1, Ordering::Relaxed);
        CLAIMS.fetch_sub(self.0, Ordering::Relaxed);
    }
}
