//! Large messages in parts that several workers compute, in any order.
//!
//! A [`ParallelJob`] is submitted as several helper tasks. Each helper works on part after part
//! until none is left; a helper that starts too late does nothing. The last helper joins the
//! partial results, or overwrites the whole target if a part failed, and completes the job. The
//! helpers also share the page faults of a new target.

use crate::cost::Route;
use crate::job::{CompletionQueue, Job, JobPause, WorkerClaim};
use millrace_core::allocate::{Shared, try_with_capacity};
use millrace_core::split::{self, HashRange};
use millrace_pool::{CancelToken, LONG_TASK_NS};
use millrace_request::checkpoint::{JobCheckpoint, slice};
use millrace_request::parts::{PartialResult, RangePlan};
use millrace_request::protocol::EngineNumber;
use millrace_request::work::{Operation, Status, Target, Work};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Parts have at least this many bytes: each costs its worker some 100 ns.
const PART_MIN_BYTES: usize = 64 * 1024;

/// Parts for each helper, so that none waits long for the last one.
const PARTS_PER_HELPER: usize = 4;

/// A job with parts that several workers compute.
pub(crate) struct ParallelJob {
    pub(crate) completion: Shared<CompletionQueue>,
    cancel_token: Option<Shared<CancelToken>>,
    /// Predicted nanoseconds of a helper's work.
    pub(crate) cost: u64,
    helpers: usize,
    /// True if the work has a key.
    pub(crate) keyed: bool,
    /// Bytes of a part.
    part: usize,
    /// Made by the first helper.
    plan: OnceLock<Result<RangePlan, Status>>,
    state: Mutex<ParallelState>,
}

struct ParallelState {
    /// `None` once it is complete.
    job: Option<Box<Job>>,
    /// The current pass over the parts, and its next part.
    pass: usize,
    next: usize,
    /// Helpers at work.
    active: usize,
    results: Vec<Option<PartialResult>>,
    begun: bool,
    failure: Option<Status>,
}

/// Claims workers for a long job and returns their number: as many as have nothing else to do, or
/// an equal part of all workers if that is more. So a single long job gets all workers, and each of
/// many gets one.
fn claim_workers(job: &mut Job, workers: usize) -> usize {
    let (jobs, claimed) = WorkerClaim::totals();
    let wanted = if job.route == Route::Split { parts_of(&job.work) } else { 1 };
    let helpers = workers.saturating_sub(claimed).max(workers / (jobs + 1)).min(wanted).max(1);
    job.claim = Some(WorkerClaim::new(helpers));
    helpers
}

/// Returns the number of parts, of a useful size, that a work has.
fn parts_of(work: &Work) -> usize {
    if work.engine != EngineNumber::Native {
        return 1;
    }
    match work.operation {
        Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
            let mut parts = 1;
            let counted = work.with_key(cipher, |key| {
                // A text that must be moved first is moved by one worker.
                let in_any_order = matches!(work.target, Target::Memory(target)
                    if target.is_disjoint_or_same_start(work.source));
                if key.parts() && in_any_order {
                    parts = work.source.size() / PART_MIN_BYTES;
                }
                Ok(())
            });
            if counted.is_ok() { parts } else { 1 }
        }
        Operation::Hash(hash) | Operation::HashFile(hash) => {
            let size = work.messages().1 as u64;
            match work.with_params(hash, |params| Ok(split::hash_parts(hash, params, size))) {
                Ok(Some(part)) => size.div_ceil(part) as usize,
                _ => 1,
            }
        }
        Operation::HashPart(_) => work.source.size().div_ceil(HashRange::PIECE),
        _ => 1,
    }
}

impl ParallelJob {
    /// Claims workers for a long job, of `workers` in all. Returns the job with the number of
    /// helper tasks to submit, or the job itself if it gets one worker only.
    pub(crate) fn split(
        mut job: Box<Job>,
        workers: usize,
    ) -> Result<(Shared<ParallelJob>, usize), Box<Job>> {
        let helpers = claim_workers(&mut job, workers);
        if helpers < 2 {
            return Err(job);
        }
        match Shared::try_new(ParallelJob::of(&job, helpers)) {
            Err(_) => {
                job.claim = Some(WorkerClaim::new(1));
                Err(job)
            }
            Ok(parallel) => {
                parallel.lock().job = Some(job);
                Ok((parallel, helpers))
            }
        }
    }

    /// Returns the parallel job of a job, which is not in it yet.
    fn of(job: &Job, helpers: usize) -> ParallelJob {
        let size = job.work.messages().1;
        let part = (size / (helpers * PARTS_PER_HELPER))
            .clamp(PART_MIN_BYTES, slice(size, job.cost).max(PART_MIN_BYTES));
        ParallelJob {
            completion: job.completion.clone(),
            cancel_token: job.cancel_token.clone(),
            cost: (job.cost / helpers as u64).max(LONG_TASK_NS + 1),
            helpers,
            keyed: job.work.keyed(),
            part,
            plan: OnceLock::new(),
            state: Mutex::new(ParallelState {
                job: None,
                pass: 0,
                next: 0,
                active: 0,
                results: Vec::new(),
                begun: false,
                failure: None,
            }),
        }
    }

    /// Works on parts until none is left. Returns the job if it is complete. `call_helpers` submits
    /// that many helpers for the next pass.
    pub(crate) fn help(
        &self,
        run_pending: &mut dyn FnMut(),
        call_helpers: impl Fn(usize),
    ) -> Option<Box<Job>> {
        let gate = self.completion.gate();
        if !gate.enter() {
            return None;
        }
        let token = self.cancel_token.as_deref();
        let mut pause = JobPause { run_pending, gate, cancel_token: token };
        let mut checkpoint = JobCheckpoint::with_slice(&mut pause, self.part);
        let mut job = match self.begin() {
            Beginning::Active => {
                self.take_parts(&mut checkpoint);
                loop {
                    match self.leave() {
                        Leaving::Left => break None,
                        Leaving::Last(job) => break Some(job),
                        Leaving::NextPass => {
                            call_helpers(self.helpers - 1);
                            self.take_parts(&mut checkpoint);
                        }
                    }
                }
            }
            Beginning::TooLate => None,
            Beginning::Cancelled(job) => {
                gate.leave();
                return Some(job);
            }
        };
        if let Some(job) = &mut job {
            self.finish(job, &mut checkpoint);
        }
        gate.leave();
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
        state.active += 1;
        Beginning::Active
    }

    /// Works on part after part until none is left, one fails, or the job is cancelled.
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

    /// Stores the result of a part, and returns pass and index of the next.
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

    /// Ends a helper's work. The last helper starts the next pass, or gets the job after the last
    /// pass.
    fn leave(&self) -> Leaving {
        let mut state = self.lock();
        let state = &mut *state;
        state.active -= 1;
        if state.active > 0 {
            return Leaving::Left;
        }
        if let (Some(Ok(plan)), Some(job), None) = (self.plan.get(), &state.job, state.failure)
            && state.pass + 1 < plan.passes()
        {
            let finished =
                catch_unwind(AssertUnwindSafe(|| plan.finish_pass(&job.work, &state.results)));
            match finished.unwrap_or(Err(Status::Internal)) {
                Ok(()) => {
                    (state.pass, state.next, state.active) = (state.pass + 1, 0, 1);
                    return Leaving::NextPass;
                }
                Err(failure) => state.failure = Some(failure),
            }
        }
        state.job.take().map_or(Leaving::Left, Leaving::Last)
    }

    /// Joins the results after the last helper left.
    fn finish(&self, job: &mut Job, checkpoint: &mut JobCheckpoint<'_>) {
        let (results, failure) = {
            let mut state = self.lock();
            (std::mem::take(&mut state.results), state.failure)
        };
        let status = match (self.plan.get(), failure) {
            (Some(Ok(plan)), None) => {
                let joined = catch_unwind(AssertUnwindSafe(|| {
                    plan.join(&job.work, &results, &mut job.reply, Some(checkpoint.slicer()))
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
    Active,
    TooLate,
    Cancelled(Box<Job>),
}

enum Leaving {
    Left,
    NextPass,
    Last(Box<Job>),
}
