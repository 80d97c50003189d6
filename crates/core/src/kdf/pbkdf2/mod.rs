//! PBKDF2 (RFC 8018) over HMAC.
//!
//! A block of output is as long as a digest and takes a sequence of HMACs. The HMAC states after
//! the key are kept, so an iteration is two compressions. [`derive_many`] computes several blocks
//! at once in one thread, of one job or of several with the same hash: see `Digest::iterate`.

use super::Memory;
use super::function;
use super::function::{DerivationSize, Function, Numbers, digests};
use crate::Error;
use crate::allocate::{try_collect, try_with_capacity};
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, NoCheckpoint};
use crate::hash::digest::{DIGEST_MAX, Digest, OutputBlock};
use crate::hash::digest_types::with_digest;
use crate::hmac::computation::Midstates;
use crate::wipe::{Secret, wipe_below};

/// One PBKDF2 derivation.
#[derive(Debug)]
pub struct Pbkdf2Job<'a> {
    /// The password.
    pub password: &'a [u8],
    /// The salt.
    pub salt: &'a [u8],
    /// HMAC iterations of each block.
    pub iterations: u32,
    /// The derived key.
    pub target: &'a mut [u8],
}

/// Returns the most bytes of a derived key: 2^32 - 1 digests.
pub fn key_max(hash: Hash) -> u64 {
    hash.facts().digest_size as u64 * 0xffff_ffff
}

/// Returns how many blocks of output are computed at once on this machine.
pub fn lanes(hash: Hash) -> usize {
    with_digest!(hash, D => D::hmac_lanes(), _ => 1)
}

/// Derives a key.
///
/// # Errors
/// [`Error::NotSupported`] if HMAC is not defined for `hash`, [`Error::Cost`] for 0 iterations,
/// [`Error::OutputSize`] for more than [`key_max`] bytes.
pub fn derive(
    hash: Hash,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    target: &mut [u8],
) -> Result<(), Error> {
    derive_many(
        hash,
        &mut [Pbkdf2Job { password, salt, iterations, target }],
        &mut NoCheckpoint,
        |_, _| {},
    )
}

/// Derives the keys of several jobs with one hash. Calls `each` once per job with its index and its
/// key, which is then in its target. Reaches a checkpoint at least once per millisecond. The target
/// of a cancelled job is unspecified, and `each` is not called for it.
///
/// # Errors
/// As [`derive()`], and [`Error::Memory`]. `each` has been called for the jobs that are done.
pub fn derive_many(
    hash: Hash,
    jobs: &mut [Pbkdf2Job<'_>],
    checkpoint: &mut dyn Checkpoint,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    if !hash.facts().hmac {
        return Err(Error::NotSupported);
    }
    if jobs.iter().any(|job| job.iterations == 0) {
        return Err(Error::Cost);
    }
    if jobs.iter().any(|job| job.target.len() as u64 > key_max(hash)) {
        return Err(Error::OutputSize);
    }
    with_digest!(hash, D => run::<D>(jobs, checkpoint, &mut each), _ => Err(Error::NotSupported))
}

/// HMAC iterations of a block between two checkpoints: 90 us to 1 ms.
const SLICE: u32 = 1024;

/// The states of a job's key, and the inner state after its salt, which may be long.
struct Salted<D: Digest> {
    states: Box<Midstates<D>>,
    salted: D,
}

impl<D: Digest> Salted<D> {
    fn new(password: &[u8], salt: &[u8]) -> Result<Self, Error> {
        let states = Midstates::<D>::boxed(password)?;
        let mut salted = states.inner.clone();
        salted.update(salt);
        Ok(Self { states, salted })
    }

    /// Computes the first HMAC of the block with this index, counted from 0.
    fn first(&self, block: usize, target: &mut [u8]) {
        let mut hash = Secret::<DIGEST_MAX>::zeros();
        let hash = &mut hash.0[..D::SIZE];
        self.salted.finish_copy(&(block as u32 + 1).to_be_bytes(), hash);
        self.states.outer.finish_copy(hash, target);
    }
}

impl<D: Digest> Drop for Salted<D> {
    fn drop(&mut self) {
        self.salted.wipe();
    }
}

/// Computes PBKDF2 with one iteration, as scrypt needs it.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn once<D: Digest>(
    password: &[u8],
    salt: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    let job = Salted::<D>::new(password, salt)?;
    for (block, target) in target.chunks_mut(D::SIZE).enumerate() {
        let mut mac = Secret::<DIGEST_MAX>::zeros();
        job.first(block, &mut mac.0[..D::SIZE]);
        target.copy_from_slice(&mac.0[..target.len()]);
    }
    Ok(())
}

/// The job to which a block of output belongs.
struct Owner {
    job: usize,
    block: usize,
    /// Iterations left.
    left: u32,
}

fn run<D: Digest>(
    jobs: &mut [Pbkdf2Job<'_>],
    checkpoint: &mut dyn Checkpoint,
    each: &mut dyn FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let lanes = D::hmac_lanes();
    let mut outputs: Vec<OutputBlock<D>> = try_with_capacity(lanes)?;
    let mut owners: Vec<Owner> = try_with_capacity(lanes)?;
    // The next block to begin, and for each job the number of blocks that are done.
    let (mut job, mut block) = (0, 0);
    let mut salted: Option<Salted<D>> = None;
    let mut finished = try_collect(jobs.iter().map(|_| Ok(0)))?;
    let blocks = |job: &Pbkdf2Job<'_>| job.target.len().div_ceil(D::SIZE);
    let mut since_checkpoint = 0;
    loop {
        while outputs.len() < lanes && job < jobs.len() {
            let begins = &mut jobs[job];
            if block == blocks(begins) || checkpoint.cancelled(job) {
                if begins.target.is_empty() && !checkpoint.cancelled(job) {
                    each(job, begins.target);
                }
                (job, block, salted) = (job + 1, 0, None);
                continue;
            }
            let states = match &mut salted {
                Some(states) => states,
                none => none.insert(Salted::new(begins.password, begins.salt)?),
            };
            let (inner, outer) = (states.states.inner.clone(), states.states.outer.clone());
            outputs.push(OutputBlock { inner, outer, last: Secret::zeros(), sum: Secret::zeros() });
            let output = &mut outputs[owners.len()];
            states.first(block, &mut output.last.0[..D::SIZE]);
            output.sum.0 = output.last.0;
            owners.push(Owner { job, block, left: begins.iterations - 1 });
            block += 1;
        }
        let Some(least) = owners.iter().map(|owner| owner.left).min() else {
            wipe_below();
            return Ok(());
        };
        let count = least.min(SLICE - since_checkpoint);
        D::iterate(&mut outputs, count);
        since_checkpoint += count.max(1);
        for at in (0..owners.len()).rev() {
            owners[at].left -= count;
            if owners[at].left == 0 {
                let owner = owners.swap_remove(at);
                let job = &mut jobs[owner.job];
                if checkpoint.cancelled(owner.job) {
                    remove(&mut outputs, at);
                    continue;
                }
                let whole = blocks(job);
                let target =
                    job.target.chunks_mut(D::SIZE).nth(owner.block).expect("the block exists");
                target.copy_from_slice(&outputs[at].sum.0[..target.len()]);
                remove(&mut outputs, at);
                finished[owner.job] += 1;
                if finished[owner.job] == whole {
                    each(owner.job, job.target);
                }
            }
        }
        if since_checkpoint >= SLICE {
            since_checkpoint = 0;
            report(jobs, &owners, &finished, D::SIZE, checkpoint);
            checkpoint.checkpoint();
            for at in (0..owners.len()).rev() {
                if checkpoint.cancelled(owners[at].job) {
                    owners.swap_remove(at);
                    remove(&mut outputs, at);
                }
            }
        }
    }
}

/// Replaces a block by the last one. It is dropped, and so wiped, in place: moving it out of the
/// vector would leave its bytes behind.
fn remove<D: Digest>(outputs: &mut Vec<OutputBlock<D>>, at: usize) {
    let last = outputs.len() - 1;
    outputs.swap(at, last);
    outputs.truncate(last);
}

/// Reports the progress of each job.
fn report(
    jobs: &[Pbkdf2Job<'_>],
    owners: &[Owner],
    finished: &[usize],
    size: usize,
    checkpoint: &mut dyn Checkpoint,
) {
    for (at, owner) in owners.iter().enumerate() {
        if owners[..at].iter().any(|other| other.job == owner.job) {
            continue;
        }
        let iterations = u64::from(jobs[owner.job].iterations);
        let begun: u64 = owners
            .iter()
            .filter(|other| other.job == owner.job)
            .map(|other| iterations - u64::from(other.left))
            .sum();
        let whole = jobs[owner.job].target.len().div_ceil(size) as u64;
        checkpoint.progress(
            owner.job,
            finished[owner.job] as u64 * iterations + begun,
            whole * iterations,
        );
    }
}

pub(super) struct Pbkdf2;

/// The low byte of a kind is this and the hash's number.
const KIND: u8 = 0x80;

impl Function for Pbkdf2 {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        numbers.hash().and(numbers.cost(0)).map(|_| 0)
    }

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        let hash = size.numbers.hash()?;
        // Two compressions an iteration, from kept states.
        let iterations = u64::from(size.numbers.cost(0)?) + 2;
        Ok((size.block)(hash).saturating_mul(digests(hash, size.target)).saturating_mul(iterations))
    }

    fn kind(&self, numbers: &Numbers) -> Option<u32> {
        Some((KIND | numbers.hash().ok()? as u8).into())
    }

    fn batch_limit(&self, kind: u8) -> Option<usize> {
        let hash = Hash::from_id(kind & !KIND).filter(|_| kind & KIND != 0)?;
        Some(lanes(hash))
    }

    fn derive(
        &self,
        jobs: &mut [function::DerivationJob<'_>],
        _memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        let hash = jobs[0].numbers.hash()?;
        let jobs = jobs.iter_mut().map(|job| {
            let &mut function::DerivationJob { password, salt, ref mut target, .. } = job;
            Ok(Pbkdf2Job { password, salt, iterations: job.numbers.cost(0)?, target })
        });
        derive_many(hash, &mut try_collect(jobs)?, checkpoint, each)
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;
