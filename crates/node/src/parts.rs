//! One large job in parts: a worker goes through them in slices, or all workers share them.
//!
//! A shared job is submitted as several shares of it. Whoever takes a share works on part after part until none is
//! left, so it does not matter who comes, how fast, or whether at all: a share that comes too late does nothing. The
//! last one out joins what the parts came to, or if anything was wrong overwrites the whole target, and sends the job
//! back. The workers also share the page faults of a fresh target.

use crate::bytes::{self, Window};
use crate::cost::Route;
use crate::environment::pool;
use crate::errand::{Errand, Traffic};
use crate::job::{Job, Operation, Reply, Status, TAG_MAX, Target, Work};
use crate::pacer::{Pacer, slice};
use millrace_core::cipher::CipherKey;
use millrace_core::hash::Params;
use millrace_core::pace::Pace;
use millrace_core::split::{self, HashMessage, HashPart, Message, PART_ALIGN, Partial};
use millrace_pool::{Breather, LONG, Ticket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Goes through the parts of a cipher's message one after the other.
pub(crate) fn alone(work: &Work, key: &CipherKey, reply: &mut Reply, pacer: &mut Pacer<'_, '_>) -> Result<(), Status> {
    let cut = Cut::cipher(work, key, pacer.slice, pacer)?;
    let mut pieces = Vec::with_capacity(cut.count);
    let parts = (0..cut.count).try_for_each(|index| {
        pieces.push(Some(cut.part(index)?));
        Ok(pacer.goes_on()?)
    });
    parts.and_then(|()| cut.join(work, &pieces, reply)).inspect_err(|_| cut.erase(pacer))
}

/// Smaller parts would not be worth taking: each costs its worker some 100 ns, and some more at its beginning.
const PART_MIN: usize = 64 * 1024;

/// So many parts a share, that nobody waits long for whoever is last.
const PARTS_EACH: usize = 4;

/// A message cut into parts of one size.
struct Cut {
    message: Kind,
    source: Window,
    target: Window,
    part: usize,
    count: usize,
}

enum Kind {
    Apply(Message),
    Seal(Message),
    Open(Message),
    Hash(HashMessage),
}

/// What a part came to.
enum Piece {
    Text(Partial),
    Hash(HashPart),
}

impl Cut {
    /// The message of a work that can be cut, in parts of about `part` bytes.
    fn new(work: &Work, part: usize, pace: &mut impl Pace) -> Result<Cut, Status> {
        match work.operation {
            Operation::Encrypt(cipher) | Operation::Decrypt(cipher) => {
                let mut cut = Err(Status::Internal);
                work.with_key(cipher, |key| {
                    cut = Cut::cipher(work, key, part, pace);
                    Ok(())
                })?;
                cut
            }
            Operation::Hash(hash) => {
                let key = work.hash_key(hash)?;
                let params = Params { seed: work.seed, key: key.as_ref() };
                let message = HashMessage::new(hash, &params, work.source.size() as u64)?;
                let (part, count) = (message.part_size() as usize, message.count());
                Ok(Cut { message: Kind::Hash(message), source: work.source, target: Window::EMPTY, part, count })
            }
            _ => Err(Status::NotSupported),
        }
    }

    fn cipher(work: &Work, key: &CipherKey, part: usize, pace: &mut impl Pace) -> Result<Cut, Status> {
        let (mut source, Target::Memory(target)) = (work.source, work.target) else { return Err(Status::Argument) };
        if target.size() != source.size() {
            return Err(Status::Argument);
        }
        let aead = key.cipher().facts().aead;
        if !aead && (work.tag.size() > 0 || work.tag_target.size() > 0 || work.aad.size() > 0) {
            return Err(Status::TagSize);
        }
        let message = Message::new(key, work.iv.read(), work.aad.read(), source.size() as u64)?;
        let message = match work.operation {
            Operation::Encrypt(_) if aead => Kind::Seal(message),
            Operation::Decrypt(_) if aead => Kind::Open(message),
            _ => Kind::Apply(message),
        };
        if target.overlaps(source) {
            // No part may overwrite another's source.
            if !target.stands_with(source) {
                target.move_from(source, part, || pace.pause());
            }
            source = target;
        }
        let part = part.next_multiple_of(PART_ALIGN);
        Ok(Cut { message, source, target, part, count: source.size().div_ceil(part) })
    }

    fn part(&self, index: usize) -> Result<Piece, Status> {
        let offset = index * self.part;
        let size = self.part.min(self.source.size() - offset);
        let source = self.source.part(offset, size).ok_or(Status::Internal)?;
        let text = || self.target.part(offset, size).map(|target| bytes::text(source, target)).ok_or(Status::Internal);
        let offset = offset as u64;
        Ok(match &self.message {
            Kind::Apply(message) => Piece::Text(message.apply_part(offset, text()?)?),
            Kind::Seal(message) => Piece::Text(message.seal_part(offset, text()?)?),
            Kind::Open(message) => Piece::Text(message.open_part(offset, text()?)?),
            Kind::Hash(message) => Piece::Hash(message.part(offset, source.read())?),
        })
    }

    /// Makes the tag, the check of one, or the digest, of all pieces.
    fn join(&self, work: &Work, pieces: &[Option<Piece>], reply: &mut Reply) -> Result<(), Status> {
        let partials = pieces.iter().flatten().filter_map(|piece| match piece {
            Piece::Text(partial) => Some(partial),
            Piece::Hash(_) => None,
        });
        match &self.message {
            Kind::Apply(message) => Ok(message.tag(partials, &mut [])?),
            Kind::Seal(message) => {
                let mut tag = [0; TAG_MAX];
                let tag = tag.get_mut(..work.tag_target.size()).ok_or(Status::TagSize)?;
                message.tag(partials, tag)?;
                work.put_tag(tag, reply);
                Ok(())
            }
            Kind::Open(message) => Ok(message.verify(partials, work.tag.read())?),
            Kind::Hash(message) => {
                let values: Vec<HashPart> = pieces
                    .iter()
                    .flatten()
                    .filter_map(|piece| if let Piece::Hash(value) = piece { Some(*value) } else { None })
                    .collect();
                work.digest_to(reply, |target| message.finish(&values, target))
            }
        }
    }

    /// Leaves zeros in the whole target: no half of a text, and nothing unauthenticated. Not in an environment that
    /// ends, where nobody is told of a result.
    fn erase(&self, pacer: &mut Pacer<'_, '_>) {
        for index in 0..self.count {
            let Some(rest) = self.target.size().checked_sub(index * self.part) else { return };
            if let Some(part) = self.target.part(index * self.part, self.part.min(rest)) {
                part.exclusive().fill(0);
            }
            pacer.pause();
            if pacer.closing() {
                return;
            }
        }
    }
}

/// A job under way in several shares.
pub(crate) struct Shared {
    traffic: Arc<Traffic>,
    ticket: Option<Arc<Ticket>>,
    /// Predicted nanoseconds of a share.
    cost: u64,
    /// Bytes of a part.
    part: usize,
    /// Made by the first who comes.
    cut: OnceLock<Result<Cut, Status>>,
    progress: Mutex<Progress>,
}

struct Progress {
    /// Until it has been finished.
    job: Option<Box<Job>>,
    /// The first part that nobody has taken.
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

/// Into how many shares a long job goes: one for each worker that has nothing else to do, or as if all long jobs under
/// way had equal parts of the crew. So a single one gets all workers, and of many each gets its own.
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
        Operation::Hash(hash) => {
            let size = work.source.size() as u64;
            split::hash_parts(hash, size).map_or(1, |part| size.div_ceil(part) as usize)
        }
        _ => 1,
    }
}

impl Shared {
    fn new(job: Box<Job>, shares: usize) -> Arc<Shared> {
        let size = job.work.source.size();
        let part = (size / (shares * PARTS_EACH)).clamp(PART_MIN, slice(size, job.cost).max(PART_MIN));
        Arc::new(Shared {
            traffic: Arc::clone(&job.completion),
            ticket: job.ticket.clone(),
            cost: (job.cost / shares as u64).max(LONG + 1),
            part,
            cut: OnceLock::new(),
            progress: Mutex::new(Progress {
                job: Some(job),
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

    /// Does one share of the work. Returns the job if that was the end of it.
    pub(crate) fn work(&self, breather: &mut Breather<'_, Errand>) -> Option<Box<Job>> {
        if !self.traffic.enter() {
            return None;
        }
        let mut pacer = Pacer::over(breather, &self.traffic, self.ticket.as_deref(), self.part);
        let mut job = match self.begin() {
            Beginning::Inside => {
                self.take_parts(&mut pacer);
                self.leave()
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
        if progress.failure.is_some() || (progress.next > 0 && progress.next == progress.pieces.len()) {
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
            while let Some(index) = self.next(cut.count, done.take()) {
                done = Some((index, cut.part(index)?));
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
    fn next(&self, count: usize, done: Option<(usize, Piece)>) -> Option<usize> {
        let mut progress = self.lock();
        if progress.pieces.is_empty() {
            progress.pieces.resize_with(count, || None);
        }
        if let Some((index, piece)) = done {
            progress.pieces[index] = Some(piece);
        }
        let index = progress.next;
        if progress.failure.is_some() || index == count {
            return None;
        }
        progress.next += 1;
        Some(index)
    }

    /// The job, for the last one out.
    fn leave(&self) -> Option<Box<Job>> {
        let mut progress = self.lock();
        progress.inside -= 1;
        if progress.inside == 0 { progress.job.take() } else { None }
    }

    /// Nobody is inside any more, and nobody comes in.
    fn finish(&self, job: &mut Job, pacer: &mut Pacer<'_, '_>) {
        let (pieces, failure) = {
            let mut progress = self.lock();
            (std::mem::take(&mut progress.pieces), progress.failure)
        };
        let status = match (self.cut.get(), failure) {
            (Some(Ok(cut)), None) => {
                let joined = catch_unwind(AssertUnwindSafe(|| cut.join(&job.work, &pieces, &mut job.reply)));
                joined.unwrap_or(Err(Status::Internal)).err().unwrap_or(Status::Done)
            }
            (_, failure) => failure.unwrap_or(Status::Internal),
        };
        if status != Status::Done
            && let Some(Ok(cut)) = self.cut.get()
        {
            cut.erase(pacer);
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
