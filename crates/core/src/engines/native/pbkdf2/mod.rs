//! PBKDF2 (RFC 8018) over HMAC, whose states after the key are kept.
//!
//! Each block of the output is a chain of HMACs, of two compressions each. Blocks of one job and of
//! others go together in lanes: see [`Digest::iterate`].

pub(super) mod link;

use super::Digest;
use super::hmac::Midstates;
use super::wipe::{Secret, wipe_below};
use crate::checkpoint::Checkpoint;
use crate::kdf::inputs::Pbkdf2Job;

/// Bytes of the largest digest that HMAC is used with.
const SIZE_MAX: usize = 64;

/// So many HMACs of a chain are computed between two pauses: 90 us to a millisecond.
const SLICE: u32 = 1024;

/// A block of output under way, wiped when it goes.
pub(crate) struct Chain<D: Digest> {
    /// The states after the key's blocks.
    pub(super) inner: D,
    pub(super) outer: D,
    /// The last HMAC, and the XOR of all.
    pub(super) last: Secret<SIZE_MAX>,
    pub(super) sum: Secret<SIZE_MAX>,
}

impl<D: Digest> Drop for Chain<D> {
    fn drop(&mut self) {
        self.inner.wipe();
        self.outer.wipe();
    }
}

/// Moves chains on, one after the other, for a hash that has nothing quicker.
pub(super) fn one_by_one<D: Digest>(chains: &mut [Chain<D>], count: u32) {
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    for chain in chains {
        for _ in 0..count {
            let last = &mut chain.last.0[..D::SIZE];
            chain.inner.finish_copy(last, hash);
            chain.outer.finish_copy(hash, last);
            chain.sum.0.iter_mut().zip(last).for_each(|(sum, last)| *sum ^= *last);
        }
    }
}

/// The states of a job's key, and that after its salt, which may be long.
struct Salted<D: Digest> {
    states: Box<Midstates<D>>,
    salted: D,
}

impl<D: Digest> Salted<D> {
    fn new(password: &[u8], salt: &[u8]) -> Self {
        let states = Midstates::<D>::boxed(password);
        let mut salted = states.inner.clone();
        salted.update(salt);
        Self { states, salted }
    }

    /// The first HMAC of a block, counted from 0.
    fn first(&self, block: usize, target: &mut [u8]) {
        let mut hash = Secret::<SIZE_MAX>::zeros();
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

/// PBKDF2 of one iteration, as scrypt wants it.
pub(super) fn once<D: Digest>(password: &[u8], salt: &[u8], target: &mut [u8]) {
    let job = Salted::<D>::new(password, salt);
    for (block, target) in target.chunks_mut(D::SIZE).enumerate() {
        let mut mac = Secret::<SIZE_MAX>::zeros();
        job.first(block, &mut mac.0[..D::SIZE]);
        target.copy_from_slice(&mac.0[..target.len()]);
    }
}

/// Where a chain belongs.
struct Owner {
    job: usize,
    block: usize,
    /// HMACs to go.
    left: u32,
}

/// Runs all jobs, and tells of each that is done.
pub(super) fn run<D: Digest>(
    jobs: &mut [Pbkdf2Job<'_>],
    checkpoint: &mut dyn Checkpoint,
    each: &mut dyn FnMut(usize, &[u8]),
) {
    let lanes = D::chains_together();
    let mut chains: Vec<Chain<D>> = Vec::with_capacity(lanes);
    let mut owners: Vec<Owner> = Vec::with_capacity(lanes);
    // The job whose blocks are being begun, the next of them, and for each job the blocks that are
    // done.
    let (mut job, mut block) = (0, 0);
    let mut salted: Option<Salted<D>> = None;
    let mut finished = vec![0; jobs.len()];
    let blocks = |job: &Pbkdf2Job<'_>| job.target.len().div_ceil(D::SIZE);
    let mut since_pause = 0;
    loop {
        while chains.len() < lanes && job < jobs.len() {
            let begins = &mut jobs[job];
            if block == blocks(begins) || checkpoint.cancelled(job) {
                if begins.target.is_empty() && !checkpoint.cancelled(job) {
                    each(job, begins.target);
                }
                (job, block, salted) = (job + 1, 0, None);
                continue;
            }
            let states = salted.get_or_insert_with(|| Salted::new(begins.password, begins.salt));
            let (inner, outer) = (states.states.inner.clone(), states.states.outer.clone());
            chains.push(Chain { inner, outer, last: Secret::zeros(), sum: Secret::zeros() });
            let chain = &mut chains[owners.len()];
            states.first(block, &mut chain.last.0[..D::SIZE]);
            chain.sum.0 = chain.last.0;
            owners.push(Owner { job, block, left: begins.iterations - 1 });
            block += 1;
        }
        let Some(least) = owners.iter().map(|owner| owner.left).min() else {
            return wipe_below();
        };
        let count = least.min(SLICE - since_pause);
        D::iterate(&mut chains, count);
        since_pause += count.max(1);
        for at in (0..owners.len()).rev() {
            owners[at].left -= count;
            if owners[at].left == 0 {
                let owner = owners.swap_remove(at);
                let job = &mut jobs[owner.job];
                if checkpoint.cancelled(owner.job) {
                    remove(&mut chains, at);
                    continue;
                }
                let whole = blocks(job);
                let target =
                    job.target.chunks_mut(D::SIZE).nth(owner.block).expect("there is such a block");
                target.copy_from_slice(&chains[at].sum.0[..target.len()]);
                remove(&mut chains, at);
                finished[owner.job] += 1;
                if finished[owner.job] == whole {
                    each(owner.job, job.target);
                }
            }
        }
        if since_pause >= SLICE {
            since_pause = 0;
            report(jobs, &owners, &finished, D::SIZE, checkpoint);
            checkpoint.checkpoint();
            for at in (0..owners.len())
                .rev()
                .filter(|&at| checkpoint.cancelled(owners[at].job))
                .collect::<Vec<_>>()
            {
                owners.swap_remove(at);
                remove(&mut chains, at);
            }
        }
    }
}

/// Takes a chain out, and the last one takes its place. It is dropped, and so wiped, where it
/// stands: a vector that moves it out leaves its bytes behind.
fn remove<D: Digest>(chains: &mut Vec<Chain<D>>, at: usize) {
    let last = chains.len() - 1;
    chains.swap(at, last);
    chains.truncate(last);
}

/// Tells how far the jobs are that are under way.
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
