//! Hashes of several jobs at once, in the lanes of one core: of any environment, as long as
//! algorithm and key are the same. A job that nobody wants any more leaves the batch early; a
//! panic, which is a bug of ours, ends all in it.

use crate::bytes::Window;
use crate::checkpoint::{CHECKPOINT_MIN_NS, SLICE_MIN_BYTES, slice};
use crate::cost::Algorithm;
use crate::job::Job;
use crate::kdf::{self, Derivation};
use crate::keys::PreparedKey;
use crate::task::{CompletedBatch, PoolTask};
use crate::work::{Key, Operation, Status, Target, Work};
use millrace_core::catalog::Hash;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::engines::Provider;
use millrace_core::error::Error;
use millrace_core::hash::Params;
use millrace_core::hmac::MacKey;
use millrace_core::many;
use millrace_pool::YieldPoint;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The most there are together: more than any kernel has lanes.
const BATCH_MAX: usize = 32;

/// The most bytes of an answer that is no text.
const REPLY_SMALL: usize = 64;

/// The kind of a work that may run together with others: the number of its prepared key, or 0
/// without one, and its hash.
pub(crate) fn kind(work: &Work) -> Option<u32> {
    if work.engine != Provider::Native {
        return None;
    }
    if work.operation == Operation::Derive {
        let small = matches!(work.target, Target::Reply(size) if size <= REPLY_SMALL);
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

/// How many jobs of a kind are worth running together.
pub(crate) fn batch_limit(kind: u32) -> usize {
    /// By hash, once it is known: the pool asks under its lock.
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

/// Runs jobs of one kind together.
pub(crate) fn run(
    tasks: &mut Vec<PoolTask>,
    yield_point: &mut YieldPoint<'_, PoolTask>,
    completed: &mut CompletedBatch,
) {
    // Results go out environment by environment.
    let owner = |task: &PoolTask| Arc::as_ptr(task.completion());
    if tasks.iter().any(|task| owner(task) != owner(&tasks[0])) {
        tasks.sort_by_key(owner);
    }
    let mut jobs = Vec::with_capacity(tasks.len());
    for task in tasks.drain(..) {
        let PoolTask::Job(mut job) = task else { continue };
        if !job.completion.gate().enter() {
            continue;
        }
        if job.begin() { jobs.push(job) } else { complete(job, completed) }
    }
    if jobs.first().is_some_and(|job| job.work.operation == Operation::Derive) {
        return kdf::multibuffer::run(jobs, yield_point, completed);
    }
    let Some(key) = jobs.first().and_then(|job| BatchKey::of(&job.work)) else { return };
    // Together they take less than half as long as one by one.
    let (rounds, cost) =
        (jobs.len().div_ceil(2), jobs.iter().map(|job| job.cost).max().unwrap_or(0));
    if cost.saturating_mul(rounds as u64) <= CHECKPOINT_MIN_NS {
        key.run(&mut jobs);
        jobs.into_iter().for_each(|job| complete(job, completed));
        completed.measure_once(Algorithm::Hash(key.hash));
        return;
    }
    let size = jobs.iter().map(|job| job.work.source.size()).max().unwrap_or(0);
    key.run_in_slices(
        (slice(size, cost) / rounds).max(SLICE_MIN_BYTES),
        jobs,
        yield_point,
        completed,
    );
}

/// Runs jobs here and now, neighbours of one kind together.
pub(crate) fn run_inline(jobs: &mut [Box<Job>]) {
    for multibuffer in jobs.chunk_by_mut(|job, next| job.kind.is_some() && job.kind == next.kind) {
        for few in multibuffer.chunks_mut(BATCH_MAX) {
            match BatchKey::of(&few[0].work) {
                Some(key) if few.len() > 1 && few.iter().all(|job| job.cancel_token.is_none()) => {
                    key.run(few)
                }
                _ => few.iter_mut().for_each(|job| job.perform_here()),
            }
        }
    }
}

/// Lets a job go that has ended.
pub(crate) fn complete(job: Box<Job>, completed: &mut CompletedBatch) {
    job.completion.gate().leave();
    completed.add(job);
}

/// What all in a batch have in common.
struct BatchKey {
    hash: Hash,
    key: Option<Arc<PreparedKey>>,
}

impl BatchKey {
    fn of(work: &Work) -> Option<BatchKey> {
        match (work.operation, &work.key) {
            (Operation::Hash(hash), _) => Some(BatchKey { hash, key: None }),
            (Operation::Hmac(hash), Key::Prepared(key)) => {
                Some(BatchKey { hash, key: Some(Arc::clone(key)) })
            }
            _ => None,
        }
    }

    /// In one go.
    fn run(&self, jobs: &mut [Box<Job>]) {
        let windows = windows(jobs);
        let mut room = [&[][..]; BATCH_MAX];
        let sources = sources(&mut room, &windows[..jobs.len()]);
        let each = |index: usize, digest: &[u8]| jobs[index].answer_with(digest);
        let result = catch_unwind(AssertUnwindSafe(|| match self.mac()? {
            None => many::digests(self.hash, &Params::default(), sources, self.size(), each),
            Some(key) => many::macs(key, sources, each),
        }));
        let failure = failure(result);
        jobs.iter_mut().filter(|job| job.status != Status::Done).for_each(|job| job.end(failure));
    }

    fn run_in_slices(
        &self,
        slice: usize,
        jobs: Vec<Box<Job>>,
        yield_point: &mut YieldPoint<'_, PoolTask>,
        completed: &mut CompletedBatch,
    ) {
        let windows = windows(&jobs);
        let mut room = [&[][..]; BATCH_MAX];
        let sources = sources(&mut room, &windows[..jobs.len()]);
        BatchInFlight::work(jobs, yield_point, completed, |members, checkpoint| {
            let each = |index: usize, digest: &[u8]| {
                if let Some(job) = &mut members.borrow_mut()[index] {
                    job.answer_with(digest);
                }
            };
            failure(catch_unwind(AssertUnwindSafe(|| match self.mac()? {
                None => many::digests_paced(
                    self.hash,
                    &Params::default(),
                    sources,
                    self.size(),
                    slice,
                    checkpoint,
                    each,
                ),
                Some(key) => many::macs_paced(key, sources, slice, checkpoint, each),
            })))
        });
    }

    fn mac(&self) -> Result<Option<&MacKey>, Error> {
        match self.key.as_deref() {
            None => Ok(None),
            Some(PreparedKey::Mac(key, _)) => Ok(Some(key)),
            Some(_) => Err(Error::NotSupported),
        }
    }

    fn size(&self) -> usize {
        self.hash.facts().digest_size
    }
}

impl Job {
    pub(crate) fn answer_with(&mut self, digest: &[u8]) {
        self.reply.put(digest);
        self.end(Status::Done);
    }
}

/// Where the messages of at most [`BATCH_MAX`] jobs are.
fn windows(jobs: &[Box<Job>]) -> [Window; BATCH_MAX] {
    let mut windows = [Window::EMPTY; BATCH_MAX];
    windows.iter_mut().zip(jobs).for_each(|(window, job)| *window = job.work.source);
    windows
}

/// The messages.
fn sources<'a, 'b>(room: &'a mut [&'b [u8]; BATCH_MAX], windows: &'b [Window]) -> &'a [&'b [u8]] {
    room.iter_mut().zip(windows).for_each(|(source, window)| *source = window.read());
    &room[..windows.len()]
}

/// How those ended that have no digest.
pub(crate) fn failure(result: std::thread::Result<Result<(), Error>>) -> Status {
    match result {
        Ok(Ok(())) | Err(_) => Status::Internal,
        Ok(Err(error)) => error.into(),
    }
}

/// A batch at work in slices.
pub(crate) struct BatchInFlight<'a, 'b> {
    yield_point: &'a mut YieldPoint<'b, PoolTask>,
    completed: &'a mut CompletedBatch,
    members: &'a RefCell<Vec<Option<Box<Job>>>>,
    /// Those that have been given up.
    cancelled: [Cell<bool>; BATCH_MAX],
}

impl<'b> BatchInFlight<'_, 'b> {
    /// Does the work of jobs that have begun, and lets them go; `run` tells how those ended that
    /// have no answer.
    pub(crate) fn work(
        jobs: Vec<Box<Job>>,
        yield_point: &mut YieldPoint<'b, PoolTask>,
        completed: &mut CompletedBatch,
        run: impl FnOnce(&RefCell<Vec<Option<Box<Job>>>>, &mut BatchInFlight<'_, 'b>) -> Status,
    ) {
        let members = RefCell::new(jobs.into_iter().map(Some).collect::<Vec<_>>());
        let mut checkpoint = BatchInFlight {
            yield_point,
            completed,
            members: &members,
            cancelled: [const { Cell::new(false) }; BATCH_MAX],
        };
        let failure = run(&members, &mut checkpoint);
        checkpoint.dismiss();
        for mut job in members.take().into_iter().flatten() {
            if job.status != Status::Done {
                job.end(failure);
            }
            complete(job, completed);
        }
    }

    /// Sends back those that have been given up, whose memory nobody looks at any more: they do not
    /// wait for the others, and nor does an environment that ends.
    fn dismiss(&mut self) {
        let mut members = self.members.borrow_mut();
        let mut gone = false;
        for (member, _) in
            members.iter_mut().zip(&self.cancelled).filter(|(_, cancelled)| cancelled.get())
        {
            if let Some(mut job) = member.take_if(|job| job.status != Status::Done) {
                job.end(Status::Cancelled);
                complete(job, self.completed);
                gone = true;
            }
        }
        if gone {
            self.completed.deliver();
        }
    }
}

impl Checkpoint for BatchInFlight<'_, '_> {
    fn checkpoint(&mut self) {
        self.yield_point.run_pending_short_tasks();
        // They were given up a slice ago.
        self.dismiss();
    }

    fn cancelled(&self, index: usize) -> bool {
        let members = self.members.borrow();
        let Some(job) = &members[index] else { return true };
        let cancelled = job.completion.gate().is_closing()
            || job.cancel_token.as_ref().is_some_and(|cancel_token| cancel_token.is_requested());
        self.cancelled[index].set(cancelled);
        cancelled
    }

    fn progress(&mut self, index: usize, done: u64, steps: u64) {
        if let Some(progress) =
            self.members.borrow()[index].as_ref().and_then(|job| job.work.progress.as_ref())
        {
            progress.set(done, steps);
        }
    }
}
