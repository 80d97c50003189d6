//! The contract of key derivation.

use super::{Engine, Memory, Service};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;
use crate::kdf::inputs::{Argon2Cost, Argon2Input, Pbkdf2Job, ScryptCost, ScryptJob};

/// Key derivation. Callers have checked sizes and costs.
pub(crate) trait Derivation: Engine {
    /// Returns how each derivation is computed here.
    fn serves_derivations() -> Vec<(String, Service)>;

    /// Returns how many lanes of scrypt are computed at once.
    fn scrypt_lanes() -> usize;
    /// Returns the bytes of working memory for `lanes` lanes of scrypt, of which `concurrent` are
    /// computed at once; `None` on overflow.
    fn scrypt_memory(cost: &ScryptCost, lanes: u64, concurrent: usize) -> Option<u64>;
    /// Computes scrypt jobs of one cost. Calls `each` once per job with its index and key, in any
    /// order.
    fn scrypt(
        cost: &ScryptCost,
        jobs: &mut [ScryptJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error>;

    /// Returns how many blocks of PBKDF2's output are computed at once.
    fn pbkdf2_lanes(hash: Hash) -> usize;
    /// Computes PBKDF2 jobs with one hash, as [`Derivation::scrypt`] does.
    fn pbkdf2(
        hash: Hash,
        jobs: &mut [Pbkdf2Job<'_>],
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error>;

    /// Expands a key with HKDF.
    fn hkdf_expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error>;
    /// Extracts and expands with HKDF.
    fn hkdf(
        hash: Hash,
        secret: &[u8],
        salt: &[u8],
        info: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error>;

    /// Returns the bytes of working memory of an Argon2.
    fn argon2_memory(cost: &Argon2Cost) -> u64;
    /// Computes an Argon2.
    fn argon2(
        cost: &Argon2Cost,
        input: &Argon2Input<'_>,
        target: &mut [u8],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error>;

    /// Computes a bcrypt.
    fn bcrypt(
        password: &[u8],
        salt: &[u8; 16],
        cost: u32,
        target: &mut [u8; 23],
        checkpoint: &mut dyn Checkpoint,
    ) -> Result<(), Error>;

    /// Returns true if both are equal, in a time that depends only on their lengths.
    fn equal(one: &[u8], other: &[u8]) -> bool;
    /// Overwrites a secret.
    fn wipe(bytes: &mut [u8]);
    /// Overwrites `ROOM` bytes of stack below the caller's frame.
    fn wipe_below<const ROOM: usize>();
}
