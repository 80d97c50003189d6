//! scrypt (RFC 7914).
//!
//! A job has p independent lanes, each with a table of 128Nr bytes. [`derive_many`] computes
//! several lanes at once in one thread, of one job or of several with the same N and r.

#[allow(unsafe_code)]
pub(crate) mod mix;

use super::Memory;
use super::function;
use super::function::{DerivationSize, Function, Numbers};
use crate::Error;
use crate::allocate::try_collect;
use crate::checkpoint::{Checkpoint, NoCheckpoint};

pub use self::mix::{Cost, ScryptJob};

/// The most bytes of a derived key.
pub const KEY_MAX: u64 = 32 * 0xffff_ffff;

impl Cost {
    /// Returns the cost of N, a power of two above 1, and r.
    ///
    /// # Errors
    /// [`Error::Cost`] for parameters outside RFC 7914; [`Error::Memory`] for an N above 2^32,
    /// which no machine has the memory for.
    pub fn new(n: u64, r: u32) -> Result<Cost, Error> {
        let cost = Self::beyond_rfc(n, r)?;
        // N must be less than 2^(128r/8).
        if n.ilog2() < r.saturating_mul(16) { Ok(cost) } else { Err(Error::Cost) }
    }

    /// Returns the cost without RFC 7914's limit of N by r, which files of Ethereum wallets exceed.
    ///
    /// # Errors
    /// As [`Cost::new`].
    pub fn beyond_rfc(n: u64, r: u32) -> Result<Cost, Error> {
        if !n.is_power_of_two() || n < 2 || r == 0 {
            return Err(Error::Cost);
        }
        if n > 1 << 32 || r >= 1 << 30 {
            return Err(Error::Memory { needed: n.saturating_mul(128).saturating_mul(r.into()) });
        }
        Ok(Cost { n, r })
    }

    /// Returns N.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Returns r.
    pub fn r(&self) -> u32 {
        self.r
    }

    /// Checks p and the memory of one derivation, counted as in node:crypto: 128r(N + 2 + p) bytes.
    ///
    /// # Errors
    /// [`Error::Cost`] for p = 0 or p >= 2^30 / r; [`Error::Memory`] if more than `allowed` is
    /// needed.
    pub fn check(&self, p: u32, allowed: u64) -> Result<(), Error> {
        if p == 0 || u64::from(p) * u64::from(self.r) >= 1 << 30 {
            return Err(Error::Cost);
        }
        let needed = self.needed(p);
        if needed <= allowed { Ok(()) } else { Err(Error::Memory { needed }) }
    }

    /// Returns the bytes of one derivation, counted as in node:crypto: the smallest `maxmem`.
    pub fn needed(&self, p: u32) -> u64 {
        // At most 2^32 entries of 128 * 2^30 bytes, less than 2^70: N and r so large do not come
        // together.
        let block = 128 * u64::from(self.r);
        block.saturating_mul(self.n + 2 + u64::from(p))
    }
}

/// Returns how many lanes are computed at once on this machine.
pub fn lanes() -> usize {
    mix::lanes()
}

/// Returns the bytes of working memory for jobs of one cost with p that add up to `lanes`, if
/// `concurrent` of these lanes, at most [`lanes`], are computed at once.
pub fn memory(cost: &Cost, lanes: u64, concurrent: usize) -> u64 {
    mix::memory(cost, lanes, concurrent).unwrap_or(u64::MAX)
}

/// Derives a key. Allocates working memory for one lane.
///
/// # Errors
/// [`Error::Cost`], [`Error::OutputSize`] for more than [`KEY_MAX`] bytes, [`Error::Memory`] if
/// the machine is short of memory.
pub fn derive(
    cost: &Cost,
    password: &[u8],
    salt: &[u8],
    p: u32,
    target: &mut [u8],
) -> Result<(), Error> {
    cost.check(p, u64::MAX)?;
    let mut memory = Memory::new(memory(cost, p.into(), 1))?;
    derive_many(
        cost,
        &mut [ScryptJob { password, salt, p, target }],
        &mut memory,
        &mut NoCheckpoint,
        |_, _| {},
    )
}

/// Derives the keys of several jobs of one cost, as many lanes at once as [`lanes`] and the memory
/// allow. Calls `each` once per job with its index and its key, which is then in its target.
///
/// Reaches a checkpoint at least once per millisecond (less often if r is above 1000). The target
/// of a cancelled job is untouched, and `each` is not called for it.
///
/// # Errors
/// As [`derive()`]; also [`Error::Memory`] if `memory` does not suffice for one lane. Nothing was
/// computed then.
pub fn derive_many(
    cost: &Cost,
    jobs: &mut [ScryptJob<'_>],
    memory: &mut Memory,
    checkpoint: &mut dyn Checkpoint,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    for job in &*jobs {
        cost.check(job.p, u64::MAX)?;
        if job.target.len() as u64 > KEY_MAX {
            return Err(Error::OutputSize);
        }
    }
    mix::run(cost, jobs, memory, checkpoint, &mut each)
}

/// Returns the cost and p in `costs`: N, r, p. Callers check RFC 7914's limit of N by r.
///
/// # Errors
/// As [`Cost::beyond_rfc`].
pub fn parameters(numbers: &Numbers) -> Result<(Cost, u32), Error> {
    let [r, p] = [1, 2].map(|index| numbers.cost(index).unwrap_or(u32::MAX));
    Ok((Cost::beyond_rfc(numbers.costs[0], r)?, p))
}

/// Returns the memory for as many of `total` lanes at once as are useful and permitted.
fn memory_within(cost: &Cost, total: u64, permitted: u64) -> u64 {
    let most = lanes().min(usize::try_from(total).unwrap_or(usize::MAX));
    let size = |concurrent: usize| memory(cost, total, concurrent);
    (2..=most).rev().map(size).find(|&size| size <= permitted).unwrap_or_else(|| size(1))
}

pub(super) struct Scrypt;

/// The low byte of a kind; no hash has the number 0x7f.
const KIND: u8 = 0xff;

impl Function for Scrypt {
    fn memory(&self, numbers: &Numbers, _aad: &[u8]) -> Result<u64, Error> {
        let (cost, p) = parameters(numbers)?;
        cost.check(p, numbers.memory)?;
        Ok(memory_within(&cost, p.into(), numbers.memory))
    }

    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error> {
        let (cost, p) = parameters(size.numbers)?;
        // 4Nrp Salsa20 cores of 27 ns.
        Ok(108_u64.saturating_mul(cost.n).saturating_mul(cost.r.into()).saturating_mul(p.into()))
    }

    fn kind(&self, numbers: &Numbers) -> Option<u32> {
        let (cost, _) = parameters(numbers).ok()?;
        (cost.r < 1 << 18).then(|| (cost.r << 6 | cost.n.ilog2()) << 8 | u32::from(KIND))
    }

    fn batch_limit(&self, kind: u8) -> Option<usize> {
        (kind == KIND).then(lanes)
    }

    fn batch_memory(
        &self,
        jobs: &[function::DerivationJob<'_>],
        permitted: u64,
    ) -> Result<u64, Error> {
        let (cost, _) = parameters(&jobs[0].numbers)?;
        let lanes = jobs.iter().map(|job| Ok(u64::from(parameters(&job.numbers)?.1)));
        Ok(memory_within(&cost, lanes.sum::<Result<u64, Error>>()?, permitted))
    }

    fn derive(
        &self,
        jobs: &mut [function::DerivationJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        let (cost, _) = parameters(&jobs[0].numbers)?;
        let jobs = jobs.iter_mut().map(|job| {
            let &mut function::DerivationJob { password, salt, ref mut target, .. } = job;
            Ok(ScryptJob { password, salt, p: parameters(&job.numbers)?.1, target })
        });
        derive_many(&cost, &mut try_collect(jobs)?, memory, checkpoint, each)
    }
}
