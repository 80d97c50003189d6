//! scrypt (RFC 7914).
//!
//! A job has p independent lanes, each with a table of 128Nr bytes. [`derive_many`] computes
//! several lanes at once in one thread, of one job or of several with the same N and r.

use super::Memory;
use crate::Error;
use crate::checkpoint::{Checkpoint, NoCheckpoint};
use crate::engines::Native;

pub use super::inputs::{ScryptCost as Cost, ScryptJob as Job};

/// The most bytes of a derived key.
pub const KEY_MAX: u64 = 32 * 0xffff_ffff;

/// The default limit of a derivation's memory in bytes, as in node:crypto.
pub const MEMORY_DEFAULT: u64 = 32 << 20;

impl Cost {
    /// Returns the cost of N, a power of two above 1, and r.
    ///
    /// # Errors
    /// [`Error::Cost`] for parameters outside RFC 7914; [`Error::Memory`] for an N above 2^32,
    /// which no machine has the memory for.
    pub fn new(n: u64, r: u32) -> Result<Cost, Error> {
        // N must be less than 2^(128r/8).
        if !n.is_power_of_two() || n < 2 || r == 0 || n.ilog2() >= r.saturating_mul(16) {
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
    Native::scrypt_lanes()
}

/// Returns the bytes of working memory for jobs of one cost whose p add up to `lanes`, if
/// `concurrent` of these lanes, at most [`lanes`], are computed at once.
pub fn memory(cost: &Cost, lanes: u64, concurrent: usize) -> u64 {
    Native::scrypt_memory(cost, lanes, concurrent).unwrap_or(u64::MAX)
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
        &mut [Job { password, salt, p, target }],
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
    jobs: &mut [Job<'_>],
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
    Native::scrypt(cost, jobs, memory, checkpoint, &mut each)
}
