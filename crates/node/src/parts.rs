//! One large job by all workers.
//!
//! It is submitted as several shares. Whoever takes a share works on part after part until none is
//! left, so it does not matter who comes, how fast, or whether at all: a share that comes too late
//! does nothing. The last one out joins what the parts came to, or if anything was wrong overwrites
//! the whole target, and sends the job back. The workers also share the page faults of a fresh
//! target.

use crate::cost::Route;
use crate::cut::{Cut, Piece};
use crate::environment::pool;
use crate::errand::{Errand, Traffic};
use crate::job::Job;
use crate::pacer::{Pacer, slice};
use crate::work::{Operation, Status, Target, Work};
use millrace_core::allocate::try_with_capacity;
use millrace_core::engines::Provider;
use millrace_core::split;
use millrace_pool::{Breather, LONG, Ticket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Smaller parts would not be worth taking: each costs its worker some 100 ns, and some more at its
/// beginning.
const PART_MIN: usize = 64 * 1024;

/// So many parts a share, that nobody waits long for whoever is last.
const PARTS_EACH: usize = 4;

/// A job under way in several shares.
pub(crate) struct Shared {
    traffic: Arc<Traffic>,
    ticket: Option<Arc<Ticket>>,
    /// Predicted nanoseconds of a share.
    cost: u64,
    shares: usize,
    keyed: bool,
    /// Bytes of a part.
    part: usize,
    /// Made by the first who comes.
    cut: OnceLock<Result<Cut, Status>>,
    progress: Mutex<Progress>,
}

struct Progress {
    /// Until it has been finished.
    job: Option<Box<Job>>,
    /// The pass over the parts, and the first part that nobody has taken in it.
    pass: usize,
    next: usize,
    /// Shares at work.
    inside: usize,
    pieces: Vec<Option<Piece>>,
    begun: bool,
    failure: Option<Status>,
}

/// A long job as tasks for the pool.
pub(crate) fn errands(mut job: Box<Job>) -> Vec<Errand> {
    match share_out(&mut job) {
        0 | 1 => vec![Errand::Job(job)],
        shares => {
            let shared = Shared::new(job, shares);
            (0..shares).map(|_| Errand::Share(Arc::clone(&shared))).collect()
        }
    }
}

/// Into how many shares a long job goes: one for each worker that has nothing else to do, or as if
/// all long jobs under way had equal parts of the crew. So a single one gets all workers, and of
/// many each gets its own.
fn share_out(job: &mut Job) -> usize {
    let workers = pool().threads().limit;
    let (jobs, claims) = (Weight::jobs(), Weight::claims());
    let wanted = if job.route == Route::Split { parts_of(&job.work) } else { 1 };
    let shares = workers.saturating_sub(claims).max(workers / (jobs + 1)).min(wanted).max(1);
    job.weight = Some(Weight::new(shares));
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

impl Shared {
    fn new(job: Box<Job>, shares: usize) -> Arc<Shared> {
        let size = job.work.messages().1;
        let part =
            (size / (shares * PARTS_EACH)).clamp(PART_MIN, slice(size, job.cost).max(PART_MIN));
        Arc::new(Shared {
            traffic: Arc::clone(&job.completion),
            ticket: job.ticket.clone(),
            cost: (job.cost / shares as u64).max(LONG + 1),
            shares,
            keyed: job.work.keyed(),
            part,
            cut: OnceLock::new(),
            progress: Mutex::new(Progress {
                job: Some(job),
                pass: 0,
                next: 0,
                inside: 0,
                pieces: Vec::new(),
                begun: false,
                failure: None,
            }),
        })
    }

    pub(crate) fn traffic(&self) -> &Arc<Traffic> {
        &self.traffic
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// Whether the work is one with a secret.
    pub(crate) fn keyed(&self) -> bool {
        self.keyed
    }

    /// Does one share of the work. Returns the job if that was the end of it.
    pub(crate) fn work(self: &Arc<Self>, breather: &mut Breather<'_, Errand>) -> Option<Box<Job>> {
        if !self.traffic.enter() {
            return None;
        }
        let mut pacer = Pacer::over(breather, &self.traffic, self.ticket.as_deref(), self.part);
        let mut job =
            match self.begin() {
                Beginning::Inside => {
                    self.take_parts(&mut pacer);
                    loop {
                        match self.leave() {
                            Leaving::Left => break None,
                            Leaving::Last(job) => break Some(job),
                            Leaving::NextPass => {
                                // The message is done without those who cannot come.
                                drop(pool().submit(
                                    (1..self.shares).map(|_| Errand::Share(Arc::clone(self))),
                                ));
                                self.take_parts(&mut pacer);
                            }
                        }
                    }
                }
                Beginning::TooLate => None,
                Beginning::Cancelled(job) => {
                    self.traffic.leave();
                    return Some(job);
                }
            };
        if let Some(job) = &mut job {
            self.finish(job, &mut pacer);
        }
        self.traffic.leave();
        job
    }

    fn begin(&self) -> Beginning {
        let mut progress = self.lock();
        let progress = &mut *progress;
        let Some(job) = &mut progress.job else { return Beginning::TooLate };
        if !progress.begun && !job.begin() {
            return progress.job.take().map_or(Beginning::TooLate, Beginning::Cancelled);
        }
        progress.begun = true;
        if progress.failure.is_some()
            || (progress.next > 0 && progress.next == progress.pieces.len())
        {
            return Beginning::TooLate;
        }
        progress.inside += 1;
        Beginning::Inside
    }

    /// Works on part after part until none is left, or one fails, or nobody wants them any more.
    fn take_parts(&self, pacer: &mut Pacer<'_, '_>) {
        let mut parts = || -> Result<(), Status> {
            let cut = self.cut(pacer)?;
            let mut done = None;
            while let Some((pass, index)) = self.next(cut.count, done.take())? {
                let piece = cut.part(pass, index)?;
                done = (pass == 0).then_some((index, piece));
                pacer.goes_on()?;
            }
            Ok(())
        };
        let result = catch_unwind(AssertUnwindSafe(&mut parts)).unwrap_or(Err(Status::Internal));
        if let Err(failure) = result {
            self.lock().failure.get_or_insert(failure);
        }
    }

    fn cut(&self, pacer: &mut Pacer<'_, '_>) -> Result<&Cut, Status> {
        let cut = self.cut.get_or_init(|| {
            let progress = self.lock();
            let job = progress.job.as_ref().ok_or(Status::Internal)?;
            Cut::new(&job.work, self.part, pacer)
        });
        cut.as_ref().map_err(|status| *status)
    }

    /// Puts down what a part came to, and takes the next.
    fn next(
        &self,
        count: usize,
        done: Option<(usize, Piece)>,
    ) -> Result<Option<(usize, usize)>, Status> {
        let mut progress = self.lock();
        if progress.pieces.is_empty() {
            progress.pieces = try_with_capacity(count)?;
            progress.pieces.resize_with(count, || None);
        }
        if let Some((index, piece)) = done {
            progress.pieces[index] = Some(piece);
        }
        let index = progress.next;
        if progress.failure.is_some() || index == count {
            return Ok(None);
        }
        progress.next += 1;
        if let Some(watch) = progress.job.as_ref().and_then(|job| job.work.watch.as_ref()) {
            watch.set(index as u64, count as u64);
        }
        Ok(Some((progress.pass, index)))
    }

    /// The last one out begins the next pass, if there is one, and asks the others to come back; or
    /// gets the job.
    fn leave(self: &Arc<Self>) -> Leaving {
        let mut progress = self.lock();
        let progress = &mut *progress;
        progress.inside -= 1;
        if progress.inside > 0 {
            return Leaving::Left;
        }
        if let (Some(Ok(cut)), Some(job), None) = (self.cut.get(), &progress.job, progress.failure)
            && progress.pass + 1 < cut.passes()
        {
            let turned = catch_unwind(AssertUnwindSafe(|| cut.turn(&job.work, &progress.pieces)));
            match turned.unwrap_or(Err(Status::Internal)) {
                Ok(()) => {
                    (progress.pass, progress.next, progress.inside) = (progress.pass + 1, 0, 1);
                    return Leaving::NextPass;
                }
                Err(failure) => progress.failure = Some(failure),
            }
        }
        progress.job.take().map_or(Leaving::Left, Leaving::Last)
    }

    /// Nobody is inside any more, and nobody comes in.
    fn finish(&self, job: &mut Job, pacer: &mut Pacer<'_, '_>) {
        let (pieces, failure) = {
            let mut progress = self.lock();
            (std::mem::take(&mut progress.pieces), progress.failure)
        };
        let status = match (self.cut.get(), failure) {
            (Some(Ok(cut)), None) => {
                let joined =
                    catch_unwind(AssertUnwindSafe(|| cut.join(&job.work, &pieces, &mut job.reply)));
                joined.unwrap_or(Err(Status::Internal)).err().unwrap_or(Status::Done)
            }
            (_, failure) => failure.unwrap_or(Status::Internal),
        };
        if status != Status::Done
            && let Some(Ok(cut)) = self.cut.get()
        {
            cut.erase(Some(pacer));
        }
        job.end(status);
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
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
pub(crate) struct Weight(usize);

static JOBS: AtomicUsize = AtomicUsize::new(0);
static CLAIMS: AtomicUsize = AtomicUsize::new(0);

impl Weight {
    fn new(shares: usize) -> Weight {
        JOBS.fetch_add(1, Ordering::Relaxed);
        CLAIMS.fetch_add(shares, Ordering::Relaxed);
        Weight(shares)
    }

    fn jobs() -> usize {
        JOBS.load(Ordering::Relaxed)
    }

    fn claims() -> usize {
        CLAIMS.load(Ordering::Relaxed)
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        JOBS.fetch_sub(1, Ordering::Relaxed);
        CLAIMS.fetch_sub(self.0, Ordering::Relaxed);
    }
}
