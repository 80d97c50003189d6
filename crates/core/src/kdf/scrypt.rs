//! scrypt (RFC 7914).
//!
//! Its core is one chain for each of p lanes, so several lanes run in one thread, of one job or of
//! several with the same N and r: [`derive_many`]. Each lane has a table of 128Nr bytes.

use super::Memory;
use crate::Error;
use crate::checkpoint::{Checkpoint, NoCheckpoint};
use crate::engines::{Chosen, Derivation};

pub use super::inputs::{ScryptCost as Cost, ScryptJob as Job};

/// The most bytes of a derived key.
pub const KEY_MAX: u64 = 32 * 0xffff_ffff;

/// What a derivation may use by default, as node:crypto has it.
pub const MEMORY_DEFAULT: u64 = 32 << 20;

impl Cost {
    /// The cost of N (a power of two above 1) and r.
    ///
    /// # Errors
    /// [`Error::Cost`] for numbers outside of RFC 7914; [`Error::Memory`] for an N above 2^32,
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

    /// N.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// r.
    pub fn r(&self) -> u32 {
        self.r
    }

    /// Checks p, and what one derivation uses, counted as node:crypto does: 128r(N + 2 + p) bytes.
    ///
    /// # Errors
    /// [`Error::Cost`] for a p of zero, or of 2^30 / r and more; [`Error::Memory`] when more is
    /// needed than allowed.
    pub fn check(&self, p: u32, allowed: u64) -> Result<(), Error> {
        if p == 0 || u64::from(p) * u64::from(self.r) >= 1 << 30 {
            return Err(Error::Cost);
        }
        let needed = self.needed(p);
        if needed <= allowed { Ok(()) } else { Err(Error::Memory { needed }) }
    }

    /// What one derivation uses, counted as node:crypto does: the least `maxmem`.
    pub fn needed(&self, p: u32) -> u64 {
        // At most 2^32 entries of 128 * 2^30 bytes, less than 2^70: N and r so large do not come
        // together.
        let block = 128 * u64::from(self.r);
        block.saturating_mul(self.n + 2 + u64::from(p))
    }
}

/// How many lanes are worth running together on this machine; 1: none.
pub fn lanes() -> usize {
    Chosen::scrypt_lanes()
}

/// Bytes of working memory for jobs of one cost with `lanes` lanes in all (the sum of their p), so
/// that `concurrent` of them, at most [`lanes`], run at once.
pub fn memory(cost: &Cost, lanes: u64, concurrent: usize) -> u64 {
    Chosen::scrypt_memory(cost, lanes, concurrent).unwrap_or(u64::MAX)
}

/// Derives a key, with working memory of its own, as much as one lane needs.
///
/// # Errors
/// [`Error::Cost`], [`Error::OutputSize`] for more than [`KEY_MAX`] bytes, [`Error::Memory`] when
/// the machine has not enough.
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
/// allow, and calls `each` once a job with its index and its key, which is in its target then.
///
/// Pauses after at most a millisecond (longer where r is above 1000). An cancelled job's target is
/// untouched, and `each` is not called for it.
///
/// # Errors
/// As [`derive()`]; [`Error::Memory`] too when the memory does not suffice for one lane. Nothing
/// was computed then.
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
    Chosen::scrypt(cost, jobs, memory, checkpoint, &mut each)
}
