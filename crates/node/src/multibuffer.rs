//! Batches: several jobs of one kind that run together in the SIMD lanes of one thread, whatever
//! their environments. Hashes and HMACs batch if algorithm and key are the same, scrypt with one N
//! and r, PBKDF2 over one hash. A cancelled job leaves its batch early; a panic, which is a bug,
//! fails the whole batch.

use crate::completed::CompletedBatch;
use crate::cost::Algorithm;
use crate::job::Job;
use millrace_core::allocate::{Shared, try_with_capacity, try_zeroed};
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::{Checkpoint, Slicer};
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::kdf::{self, Derivation};
use millrace_core::many;
use millrace_request::bytes::{Copies, Window};
use millrace_request::checkpoint::{CHECKPOINT_MIN_NS, SLICE_MIN_BYTES, slice};
use millrace_request::keys::PreparedKey;
use millrace_request::memory_budget;
use millrace_request::protocol::EngineNumber;
use millrace_request::work::{Key, Operation, REPLY_SMALL_BYTES, Status, Target, Work};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use zeroize::Zeroizing;

/// The most jobs of a batch: no SIMD kernel has more lanes.
pub(crate) const BATCH_MAX: usize = 32;

/// Returns the kind of a work that may be batched: the number of its prepared key, or 0 without
/// one, and its hash or the kind of its derivation.
pub(crate) fn kind(work: &Work) -> Option<u32> {
    if work.engine != EngineNumber::Native {
        return None;
    }
    if work.operation == Operation::Derive {
        let small = matches!(work.target, Target::Reply(size) if size <= REPLY_SMALL_BYTES);
        return work.derivation.kind().filter(|&kind| small && batch_limit(kind) > 1);
    }
    let (hash, number) = match (work.operation, &work.key) {
        (Operation::Hash(hash), Key::Bytes(key)) if work.seed == 0 && key.size() == 0 => (hash, 0),
        (Operation::Hmac(hash), Key::Prepared(key)) => match **key {
            PreparedKey::Mac(ref key, number) if number > 0 && key.hash() == hash => (hash, number),
            _ => return None,
        },
        _ => return None,
    };
    let kind = number << 8 | hash as u32;
    let plain =
        matches!(work.target, Target::Reply(size) if size == hash.facts().digest_size && size > 0);
    (plain && batch_limit(kind) > 1).then_some(kind)
}

/// Returns the most jobs of a kind that are faster as a batch.
pub(crate) fn batch_limit(kind: u32) -> usize {
    // Kept by the low byte of the kind: the pool calls this under its lock.
    static LANES: [AtomicU8; 256] = [const { AtomicU8::new(0) }; 256];
    let place = &LANES[kind as usize & 0xff];
    match place.load(Ordering::Relaxed) {
        0 => {
            let hashed = || Hash::from_id(kind as u8).map_or(1, many::lanes);
            let lanes =
                Derivation::batch_limit(kind as u8).unwrap_or_else(hashed).clamp(1, BATCH_MAX);
            place.store(lanes as u8, Ordering::Relaxed);
            lanes
        }
        lanes => lanes.into(),
    }
}

/// The jobs of a batch, from the first place on; a job that has left the batch is `None`.
type Jobs = [Option<Box<Job>>; BATCH_MAX];

/// Runs jobs of one kind, at most [`BATCH_MAX`], as a batch.
pub(crate) fn run(
    jobs: impl Iterator<Item = Box<Job>>,
    run_pending: &mut dyn FnMut(),
    completed: &mut CompletedBatch,
) {
    let (mut begun, mut count) = ([const { None }; BATCH_MAX], 0);
    for mut job in jobs {
        if !job.completion.gate().enter() {
            continue;
        }
        match begun.get_mut(count) {
            Some(place) if job.begin() => {
                *place = Some(job);
                count += 1;
            }
            _ => complete(job, completed),
        }
    }
    let each = || begun[..count].iter().flatten();
    let Some(first) = each().next() else { return };
    if first.work.operation == Operation::Derive {
        return derive(begun, run_pending, completed);
    }
    let Some(key) = BatchKey::of(&first.work) else { return };
    // A batch takes less than half as long as its jobs one by one.
    let (rounds, cost) = (count.div_ceil(2), each().map(|job| job.cost).max().unwrap_or(0));
    if cost.saturating_mul(rounds as u64) <= CHECKPOINT_MIN_NS {
        key.run(&mut begun[..count]);
        begun.into_iter().flatten().for_each(|job| complete(job, completed));
        completed.measure_once(Algorithm::Hash(key.hash));
        return;
    }
    let size = each().map(|job| job.work.source.size()).max().unwrap_or(0);
    let slice = (slice(size, cost) / rounds).max(SLICE_MIN_BYTES);
    let windows = windows(&begun);
    BatchInFlight::run(begun, run_pending, completed, |each, checkpoint| {
        key.compute(&windows[..count], Some(Slicer::new(slice, checkpoint)), each)
    });
}

/// Runs jobs on the calling thread, adjacent jobs of one kind as batches.
pub(crate) fn run_inline(jobs: &mut [Option<Box<Job>>]) {
    let kind = |job: &Option<Box<Job>>| job.as_ref().and_then(|job| job.kind);
    for same in jobs.chunk_by_mut(|job, next| kind(job).is_some() && kind(job) == kind(next)) {
        for jobs in same.chunks_mut(BATCH_MAX) {
            match jobs[0].as_ref().and_then(|job| BatchKey::of(&job.work)) {
                Some(key)
                    if jobs.len() > 1
                        && jobs.iter().flatten().all(|job| job.cancel_token.is_none()) =>
                {
                    key.run(jobs)
                }
                _ => jobs.iter_mut().flatten().for_each(|job| job.perform(None)),
            }
        }
    }
}

/// Adds a job that has ended to the completed ones.
fn complete(job: Box<Job>, completed: &mut CompletedBatch) {
    job.completion.gate().leave();
    completed.add(job);
}

/// The hash and the key that all jobs of a batch share.
struct BatchKey {
    hash: Hash,
    key: Option<Shared<PreparedKey>>,
}

impl BatchKey {
    /// Returns `None` for work that is neither a hash nor an HMAC under a prepared key.
    fn of(work: &Work) -> Option<BatchKey> {
        match (work.operation, &work.key) {
            (Operation::Hash(hash), _) => Some(BatchKey { hash, key: None }),
            (Operation::Hmac(hash), Key::Prepared(key)) => {
                Some(BatchKey { hash, key: Some(key.clone()) })
            }
            _ => None,
        }
    }

    /// Runs the jobs without checkpoints.
    fn run(&self, jobs: &mut [Option<Box<Job>>]) {
        let windows = windows(jobs);
        let failure = self.compute(&windows[..jobs.len()], None, |index, digest| {
            if let Some(job) = &mut jobs[index] {
                job.complete_with(digest);
            }
        });
        let failed = jobs.iter_mut().flatten().filter(|job| job.status != Status::Done);
        failed.for_each(|job| job.end(failure));
    }

    /// Passes the digest of each message to `each`. Returns the status of the jobs that have none.
    fn compute(
        &self,
        windows: &[Window],
        slicer: Option<Slicer<'_>>,
        each: impl FnMut(usize, &[u8]),
    ) -> Status {
        let mut sources = [&[][..]; BATCH_MAX];
        sources.iter_mut().zip(windows).for_each(|(source, window)| *source = window.read());
        let (sources, size) = (&sources[..windows.len()], self.hash.facts().digest_size);
        failure(catch_unwind(AssertUnwindSafe(|| match self.key.as_deref() {
            None => many::digests(self.hash, &Params::NONE, sources, size, slicer, each),
            Some(PreparedKey::Mac(key, _)) => many::macs(key, sources, slicer, each),
            Some(_) => Err(Error::NotSupported),
        })))
    }
}

/// Returns the windows of the messages of at most [`BATCH_MAX`] jobs.
fn windows(jobs: &[Option<Box<Job>>]) -> [Window; BATCH_MAX] {
    let mut windows = [Window::EMPTY; BATCH_MAX];
    windows
        .iter_mut()
        .zip(jobs.iter().flatten())
        .for_each(|(window, job)| *window = job.work.source);
    windows
}

/// Returns the status of the jobs that have no result.
fn failure(result: std::thread::Result<Result<(), Error>>) -> Status {
    match result {
        Ok(Ok(())) | Err(_) => Status::Internal,
        Ok(Err(error)) => error.into(),
    }
}

/// A batch that runs in slices, and its checkpoint.
struct BatchInFlight<'a> {
    run_pending: &'a mut dyn FnMut(),
    completed: &'a mut CompletedBatch,
    jobs: &'a RefCell<Jobs>,
    cancelled: [Cell<bool>; BATCH_MAX],
}

impl BatchInFlight<'_> {
    /// Runs jobs that have begun, and completes them. `work` passes the result of each job to its
    /// first argument, and returns the status of the jobs that have none.
    fn run(
        jobs: Jobs,
        run_pending: &mut dyn FnMut(),
        completed: &mut CompletedBatch,
        work: impl FnOnce(&mut dyn FnMut(usize, &[u8]), &mut BatchInFlight<'_>) -> Status,
    ) {
        let jobs = RefCell::new(jobs);
        let mut batch = BatchInFlight {
            run_pending,
            completed,
            jobs: &jobs,
            cancelled: [const { Cell::new(false) }; BATCH_MAX],
        };
        let mut each = |index: usize, result: &[u8]| {
            if let Some(job) = &mut jobs.borrow_mut()[index] {
                job.complete_with(result);
            }
        };
        let failure = work(&mut each, &mut batch);
        batch.complete_cancelled();
        for mut job in jobs.into_inner().into_iter().flatten() {
            if job.status != Status::Done {
                job.end(failure);
            }
            complete(job, completed);
        }
    }

    /// Completes the cancelled jobs; the batch no longer reads their memory: neither they nor an
    /// environment that ends wait for the others.
    fn complete_cancelled(&mut self) {
        let mut jobs = self.jobs.borrow_mut();
        let mut left = false;
        for (job, cancelled) in jobs.iter_mut().zip(&self.cancelled) {
            if cancelled.get()
                && let Some(mut job) = job.take_if(|job| job.status != Status::Done)
            {
                job.end(Status::Cancelled);
                complete(job, self.completed);
                left = true;
            }
        }
        if left {
            self.completed.deliver();
        }
    }
}

impl Checkpoint for BatchInFlight<'_> {
    fn checkpoint(&mut self) {
        (self.run_pending)();
        // `cancelled` returned true for these jobs a slice ago.
        self.complete_cancelled();
    }

    fn cancelled(&self, index: usize) -> bool {
        let jobs = self.jobs.borrow();
        let Some(job) = &jobs[index] else { return true };
        let cancelled = job.completion.gate().is_closing()
            || job.cancel_token.as_ref().is_some_and(|token| token.is_requested());
        self.cancelled[index].set(cancelled);
        cancelled
    }

    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        if let Some(progress) =
            self.jobs.borrow()[index].as_ref().and_then(|job| job.work.progress.as_ref())
        {
            progress.set(done, steps);
        }
    }
}

/// Input and output of one derivation of a batch, copied: a cancelled job leaves with its own
/// memory.
struct Lane {
    _copies: Copies,
    password: Window,
    salt: Window,
    target: Zeroizing<Vec<u8>>,
}

impl Lane {
    /// Returns `None` when memory is short.
    fn of(job: &Job) -> Option<Lane> {
        let Key::Bytes(password) = job.work.key else { return None };
        let mut copies = Copies::default();
        let [password, salt] = copies.secrets([password, job.work.iv])?;
        let target = Zeroizing::new(try_zeroed(job.work.target.size()).ok()?);
        Some(Lane { _copies: copies, password, salt, target })
    }
}

/// Runs derivations of one kind, all of which have begun.
fn derive(mut jobs: Jobs, run_pending: &mut dyn FnMut(), completed: &mut CompletedBatch) {
    // Held until all memory is wiped, including that of a job that leaves early.
    let permits = jobs.each_mut().map(|job| job.as_mut().and_then(|job| job.permit.take()));
    let permitted = permits.iter().flatten().map(|permit| permit.bytes()).sum();
    let derivations = jobs.each_ref().map(|job| job.as_ref().map(|job| job.work.derivation));
    let lanes = inputs(&jobs);
    BatchInFlight::run(jobs, run_pending, completed, |each, checkpoint| {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut lanes = lanes?;
            let mut jobs = try_with_capacity(lanes.len())?;
            let all = lanes.iter_mut().zip(derivations.iter().flatten());
            jobs.extend(all.map(|(lane, derivation)| kdf::DerivationJob {
                numbers: derivation.numbers(),
                password: lane.password.read(),
                salt: lane.salt.read(),
                secret: &[],
                aad: &[],
                target: &mut lane.target,
            }));
            let first = derivations[0].as_ref().ok_or(Error::Engine)?;
            let size = first.batch_memory(&jobs, permitted)?;
            memory_budget::with_scratch(size, |memory| {
                first.derive(&mut jobs, memory, checkpoint, each)
            })
        }));
        failure(result)
    });
    completed.deliver();
    memory_budget::wipe_deferred(run_pending);
    drop(permits);
}

/// Returns the inputs and outputs of all jobs.
///
/// # Errors
/// [`Error::Memory`].
fn inputs(jobs: &Jobs) -> Result<Vec<Lane>, Error> {
    let mut lanes = try_with_capacity(BATCH_MAX)?;
    for job in jobs.iter().flatten() {
        let needed = job.work.target.size() as u64;
        lanes.push(Lane::of(job).ok_or(Error::Memory { needed })?);
    }
    Ok(lanes)
}
