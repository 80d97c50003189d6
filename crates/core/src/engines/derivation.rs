//! What an engine must do to derive keys.

use super::{Engine, Memory, Service};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;
use crate::kdf::inputs::{Argon2Cost, Argon2Input, Pbkdf2Job, ScryptCost, ScryptJob};

/// Key derivation. Callers have checked sizes and costs.
pub(crate) trait Derivation: Engine {
    /// How each of them is computed here; where the lanes are several jobs at once, how many.
    fn serves_derivations() -> Vec<(String, Service)>;

    /// How many lanes of scrypt are worth running together.
    fn scrypt_lanes() -> usize;
    /// Bytes of working memory for so many lanes of scrypt, of which some run together; `None`
    /// beyond all counting.
    fn scrypt_memory(cost: &ScryptCost, lanes: u64, concurrent: usize) -> Option<u64>;
    /// Computes scrypts of one cost. Hands on each key once, with the index of its job, in any
    /// order.
    fn scrypt(
        cost: &ScryptCost,
        jobs: &mut [ScryptJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error>;

    /// How many blocks of PBKDF2's output, of one job or several, are worth computing together.
    fn pbkdf2_lanes(hash: Hash) -> usize;
    /// Computes PBKDF2s over one hash, as [`Derivation::scrypt`] does.
    fn pbkdf2(
        hash: Hash,
        jobs: &mut [Pbkdf2Job<'_>],
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error>;

    /// Computes HKDF's second step.
    fn hkdf_expand(hash: Hash, key: &[u8], info: &[u8], target: &mut [u8]) -> Result<(), Error>;
    /// Computes both steps of HKDF.
    fn hkdf(
        hash: Hash,
        secret: &[u8],
        salt: &[u8],
        info: &[u8],
        target: &mut [u8],
    ) -> Result<(), Error>;

    /// Bytes of working memory for an Argon2.
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

    /// Whether both are the same, in a time that depends on their lengths only.
    fn equal(one: &[u8], other: &[u8]) -> bool;
    /// Overwrites a secret.
    fn wipe(bytes: &mut [u8]);
    /// Overwrites `ROOM` bytes of stack below the caller's frame.
    fn wipe_below<const ROOM: usize>();
}
