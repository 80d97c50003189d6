//! Large messages in parts of one size, in any order: by one worker with checkpoints in between
//! ([`run_sequential`]), or by several workers ([`ParallelJob`]).
//!
//! A [`ParallelJob`] is submitted as several helper tasks. Each helper works on part after part
//! until none is left; a helper that starts too late does nothing. The last helper joins the
//! partial results, or overwrites the whole target if a part failed, and completes the job. The
//! helpers also share the page faults of a new target.

use crate::bytes::{self, Window};
use crate::checkpoint::{JobCheckpoint, slice};
use crate::cost::Route;
use crate::files::{self, OpenedFile};
use crate::job::{CompletionQueue, Job, WorkerClaim};
use crate::protocol::EngineNumber;
use crate::work::{Operation, Reply, Status, TAG_MAX, Target, Work};
use millrace_core::allocate::{Shared, try_with_capacity};
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::cipher::CipherKey;
use millrace_core::hash::Params;
use millrace_core::split::{self, HashMessage, HashPart, Message, PART_ALIGN, PartialTag};
use millrace_pool::{CancelToken, LONG_TASK_NS};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Parts have at least this many bytes: each costs its worker some 100 ns.
const PART_MIN_BYTES: usize = 64 * 1024;

/// Parts for each helper, so that none waits long for the last one.
const PARTS_PER_HELPER: usize = 4;

/// A job whose parts several workers compute.
pub(crate) struct ParallelJob {
    completion: Shared<CompletionQueue>,
    cancel_token: Option<Shared<CancelToken>>,
    /// Predicted nanoseconds of a helper's work.
    cost: u64,
    helpers: usize,
    keyed: bool,
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

    /// Returns the completion queue of the job's environment.
    pub(crate) fn completion(&self) -> &Shared<CompletionQueue> {
        &self.completion
    }

    /// Returns the predicted nanoseconds of a helper's work.
    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// Returns true if the work has a key.
    pub(crate) fn keyed(&self) -> bool {
        self.keyed
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
        let mut checkpoint = JobCheckpoint::with_slice(run_pending, gate, token, self.part);
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

/// Encrypts or decrypts the parts of a message one after the other, with a checkpoint after each.
/// Without a checkpoint there is one part.
///
/// # Errors
/// Those of the cipher, and [`Status::Cancelled`]. The target is then overwritten with zeros.
pub(crate) fn run_sequential(
    work: &Work,
    key: &CipherKey,
    reply: &mut Reply,
    mut checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let part = checkpoint.as_ref().map_or(work.source.size().max(1), |checkpoint| checkpoint.slice);
    let plan = RangePlan::cipher(work, key, part, || {
        checkpoint.iter_mut().for_each(|checkpoint| checkpoint.checkpoint())
    })?;
    let mut run = || -> Result<(), Status> {
        let mut results = try_with_capacity(plan.count)?;
        for pass in 0..plan.passes() {
            if pass > 0 {
                plan.finish_pass(work, &results)?;
            }
            for index in 0..plan.count {
                let result = plan.part(pass, index)?;
                if pass == 0 {
                    results.push(Some(result));
                }
                checkpoint.as_mut().map_or(Ok(()), |checkpoint| checkpoint.check())?;
            }
        }
        plan.join(work, &results, reply, None)
    };
    run().inspect_err(|_| plan.erase(checkpoint))
}

/// A message in parts of one size.
///
/// Most messages take one pass over their parts. A message takes two if the first pass must not
/// write: when text is decrypted into memory that other threads can read, and when the tag must be
/// known before the text is encrypted.
struct RangePlan {
    message: Kind,
    source: Window,
    target: Window,
    part: usize,
    count: usize,
    /// The tag for the second pass or to verify, and its bytes.
    tag: OnceLock<([u8; TAG_MAX], usize)>,
    /// The number of parts, from the first on, that may have been written.
    written: AtomicUsize,
}

enum Kind {
    Apply(Message),
    Seal(Message),
    SealTwice(Message),
    Open(Message),
    OpenTwice(Message),
    Hash(HashMessage),
    /// A message in a file.
    File(HashMessage, OpenedFile),
}

/// The result of a part.
enum PartialResult {
    Text(PartialTag),
    Hash(HashPart),
    /// The part is written and adds nothing to tag or digest.
    Written,
}

impl RangePlan {
    fn over(message: Kind, [source, target]: [Window; 2], part: usize, count: usize) -> RangePlan {
        RangePlan {
            message,
            source,
            target,
            part,
            count,
            tag: OnceLock::new(),
            written: AtomicUsize::new(0),
        }
    }

    /// Plans the message of a work in parts of about `part` bytes.
    ///
    /// # Errors
    /// [`Status::NotSupported`] for an operation without parts, and those of the operation.
    fn new(
        work: &Work,
        part: usize,
        checkpoint: &mut impl Checkpoint,
    ) -> Result<RangePlan, Status> {
        match work.operation {
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                let mut plan = Err(Status::Internal);
                work.with_key(cipher, |key| {
                    plan = RangePlan::cipher(work, key, part, || checkpoint.checkpoint());
                    Ok(())
                })?;
                plan
            }
            Operation::Hash(hash) => {
                let size = work.source.size() as u64;
                let message =
                    work.with_params(hash, |params| Ok(HashMessage::new(hash, params, size)?))?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(RangePlan::over(Kind::Hash(message), [work.source, Window::EMPTY], part, count))
            }
            Operation::HashFile(hash) => {
                let opened = files::open(work)?;
                let message = HashMessage::new(hash, &Params::default(), opened.size)?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(RangePlan::over(Kind::File(message, opened), [Window::EMPTY; 2], part, count))
            }
            _ => Err(Status::NotSupported),
        }
    }

    fn cipher(
        work: &Work,
        key: &CipherKey,
        part: usize,
        pause: impl FnMut(),
    ) -> Result<RangePlan, Status> {
        let (mut source, Target::Memory(target)) = (work.source, work.target) else {
            return Err(Status::Argument);
        };
        if target.size() != source.size() {
            return Err(Status::Argument);
        }
        let aead = key.cipher().facts().aead;
        if !aead && (work.tag.size() > 0 || work.tag_target.size() > 0 || work.aad.size() > 0) {
            return Err(Status::TagSize);
        }
        let message = Message::new(key, work.iv.read(), work.aad.read(), source.size() as u64)?;
        let message = match work.operation {
            Operation::Encrypt(_) if key.seals_in_two_passes() => Kind::SealTwice(message),
            Operation::Encrypt(_) if aead => Kind::Seal(message),
            Operation::Decrypt(_) if aead && work.lent => Kind::OpenTwice(message),
            Operation::Decrypt(_) if aead => Kind::Open(message),
            _ => Kind::Apply(message),
        };
        if target.overlaps(source) {
            // Parts are computed in any order: none may overwrite the source of another.
            if !target.is_disjoint_or_same_start(source) {
                target.move_from(source, part, pause);
            }
            source = target;
        }
        let part = part.next_multiple_of(PART_ALIGN);
        let plan = RangePlan::over(message, [source, target], part, source.size().div_ceil(part));
        if matches!(plan.message, Kind::Open(_) | Kind::OpenTwice(_)) {
            // Copied because the target may overlap the tag.
            plan.keep_tag(work.tag.read())?;
        }
        Ok(plan)
    }

    /// Returns the number of passes over the parts.
    fn passes(&self) -> usize {
        if matches!(self.message, Kind::SealTwice(_) | Kind::OpenTwice(_)) { 2 } else { 1 }
    }

    fn keep_tag(&self, tag: &[u8]) -> Result<(), Status> {
        let mut place = [0; TAG_MAX];
        place.get_mut(..tag.len()).ok_or(Status::TagSize)?.copy_from_slice(tag);
        self.tag.get_or_init(|| (place, tag.len()));
        Ok(())
    }

    fn tag(&self) -> Result<&[u8], Status> {
        self.tag.get().map(|(tag, size)| &tag[..*size]).ok_or(Status::Internal)
    }

    /// Computes a part in a pass.
    fn part(&self, pass: usize, index: usize) -> Result<PartialResult, Status> {
        if let Kind::File(message, opened) = &self.message {
            let offset = index as u64 * self.part as u64;
            let size = (opened.size - offset).min(self.part as u64) as usize;
            return opened
                .part(offset, size, |part| message.part(offset, part))
                .map(PartialResult::Hash);
        }
        let offset = index * self.part;
        let size = self.part.min(self.source.size() - offset);
        let source = self.source.part(offset, size).ok_or(Status::Internal)?;
        let target = self.target.part(offset, size).unwrap_or(Window::EMPTY);
        let text = || {
            self.written.fetch_max(index + 1, Ordering::Relaxed);
            bytes::text(&source, &target, &[]).ok_or(Status::Internal)
        };
        let offset = offset as u64;
        Ok(match &self.message {
            Kind::Apply(message) => PartialResult::Text(message.apply_part(offset, text()?)?),
            Kind::Seal(message) => PartialResult::Text(message.seal_part(offset, text()?)?),
            Kind::Open(message) => {
                PartialResult::Text(message.open_part(offset, text()?, self.tag()?)?)
            }
            Kind::SealTwice(message) if pass == 0 => {
                PartialResult::Text(message.authenticate_plain(offset, source.read())?)
            }
            Kind::OpenTwice(message) if pass == 0 => PartialResult::Text(
                message.authenticate_sealed(offset, source.read(), self.tag()?)?,
            ),
            Kind::SealTwice(message) | Kind::OpenTwice(message) => {
                message.xor_part(offset, text()?, self.tag()?)?;
                PartialResult::Written
            }
            Kind::Hash(message) | Kind::File(message, _) => {
                PartialResult::Hash(message.part(offset, source.read())?)
            }
        })
    }

    /// Between two passes: computes the tag of all results, or verifies it.
    fn finish_pass(&self, work: &Work, results: &[Option<PartialResult>]) -> Result<(), Status> {
        match &self.message {
            Kind::OpenTwice(message) => Ok(message.verify(partials(results), self.tag()?)?),
            Kind::SealTwice(message) => {
                let mut tag = [0; TAG_MAX];
                let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
                message.tag(partials(results), tag)?;
                self.keep_tag(tag)
            }
            _ => Ok(()),
        }
    }

    /// After the last pass: writes the tag or the digest of all results, or verifies the tag.
    fn join(
        &self,
        work: &Work,
        results: &[Option<PartialResult>],
        reply: &mut Reply,
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Status> {
        match &self.message {
            Kind::Apply(message) => Ok(message.tag(partials(results), &mut [])?),
            Kind::Seal(message) => {
                let mut tag = [0; TAG_MAX];
                let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
                message.tag(partials(results), tag)?;
                work.put_tag(tag, reply);
                Ok(())
            }
            Kind::SealTwice(_) => {
                work.put_tag(self.tag()?, reply);
                Ok(())
            }
            Kind::Open(message) => Ok(message.verify(partials(results), self.tag()?)?),
            Kind::OpenTwice(_) => Ok(()),
            Kind::File(_, opened) if !opened.unchanged() => Err(Status::File),
            Kind::Hash(message) | Kind::File(message, _) => {
                let mut values: Vec<&HashPart> = try_with_capacity(results.len())?;
                values.extend(results.iter().flatten().filter_map(|result| {
                    if let PartialResult::Hash(value) = result { Some(value) } else { None }
                }));
                work.digest_to(reply, |target| message.finish(&values, target, slicer))
            }
        }
    }

    /// Overwrites the whole target with zeros, so that no incomplete or unauthenticated text
    /// remains. In an environment that ends it overwrites only decrypted text: no call reports a
    /// result, but other threads may share the memory.
    fn erase(&self, mut checkpoint: Option<&mut JobCheckpoint<'_>>) {
        let opens = matches!(self.message, Kind::Open(_) | Kind::OpenTwice(_));
        for index in 0..self.count {
            let closing = checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.is_closing());
            if closing && !(opens && index < self.written.load(Ordering::Relaxed)) {
                return;
            }
            let Some(rest) = self.target.size().checked_sub(index * self.part) else { return };
            if let Some(part) = self.target.part(index * self.part, self.part.min(rest)) {
                part.clear();
            }
            if let Some(checkpoint) = &mut checkpoint
                && !closing
            {
                checkpoint.checkpoint();
            }
        }
    }
}

/// Returns the contributions of the parts to the tag.
fn partials(results: &[Option<PartialResult>]) -> impl Iterator<Item = &PartialTag> {
    results.iter().flatten().filter_map(|result| match result {
        PartialResult::Text(partial) => Some(partial),
        PartialResult::Hash(_) | PartialResult::Written => None,
    })
}
