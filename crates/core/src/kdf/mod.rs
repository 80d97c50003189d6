//! Key derivation and password hashing.
//!
//! - [`argon2`]: memory-hard; recommended for passwords.
//! - [`bcrypt`]: password hashes for systems that have no other.
//! - [`hkdf`]: keys from a secret of high entropy.
//! - [`key_wrap`]: encryption of keys with keys.
//! - [`pbkdf2`]: iterated HMAC; several jobs at once in one thread.
//! - [`phc`]: password hashes as strings.
//! - [`scrypt`]: memory-hard; several jobs at once in one thread.
//!
//! [`Derivation`] is any of them, with its parameters as numbers. Long derivations reach a
//! [`checkpoint`](crate::checkpoint) at least once per millisecond.

pub mod argon2;
mod base64;
pub mod bcrypt;
pub mod clock;
mod function;
pub mod hkdf;
#[allow(unsafe_code)]
pub mod key_wrap;
pub mod pbkdf2;
pub mod phc;
pub mod scrypt;

pub use self::function::{DerivationJob, DerivationSize, Function, Numbers};
pub use crate::memory::Memory;

use crate::Error;
use crate::catalog::{HASHES, Hash, HashFacts};
use crate::checkpoint::Checkpoint;
use crate::engines::service::Service;
use crate::{cpu, primitives};

/// The functions, by number. tools/protocol.mjs names the operations of the binding after them.
const FUNCTIONS: [&dyn Function; 10] = [
    &scrypt::Scrypt,
    &pbkdf2::Pbkdf2,
    &hkdf::Steps::Hkdf,
    &hkdf::Steps::HkdfExtract,
    &hkdf::Steps::HkdfExpand,
    &argon2::Argon2,
    &bcrypt::Bcrypt,
    &phc::Verify,
    &key_wrap::Direction::WrapKey,
    &key_wrap::Direction::UnwrapKey,
];

/// Returns a function of passwords by its number among all: scrypt, Argon2, bcrypt, or the check of
/// a password. WebAssembly has them without the others.
///
/// # Errors
/// [`Error::NotSupported`] for another number.
#[cfg(target_family = "wasm")]
pub fn password_function(number: usize) -> Result<&'static dyn Function, Error> {
    match number {
        0 => Ok(&scrypt::Scrypt),
        5 => Ok(&argon2::Argon2),
        6 => Ok(&bcrypt::Bcrypt),
        7 => Ok(&phc::Verify),
        _ => Err(Error::NotSupported),
    }
}

/// How much longer a derivation takes here than the predictions say, which are those of native
/// code.
pub const SLOWNESS: u64 = if cfg!(target_family = "wasm") { 3 } else { 1 };

/// A key derivation function and its checked parameters.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Derivation {
    function: u64,
    numbers: Numbers,
    memory: u64,
}

impl Derivation {
    /// A derivation of nothing, which cannot be computed.
    pub const NONE: Derivation = Derivation {
        function: u64::MAX,
        numbers: Numbers { hash: 0, costs: [0; 4], memory: 0, milliseconds: 0 },
        memory: 0,
    };

    /// Checks parameters. A derivation's `aad` is a parameter too if it is a password hash.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for an unknown function or hash, [`Error::Cost`],
    /// [`Error::MemoryLimit`], and [`Error::Memory`] for more memory than any machine has. For a
    /// password hash also [`Error::Encoded`] and [`Error::Work`].
    pub fn new(function: usize, numbers: Numbers, aad: &[u8]) -> Result<Derivation, Error> {
        let found = FUNCTIONS.get(function).ok_or(Error::NotSupported)?;
        let memory = found.memory(&numbers, aad)?;
        Ok(Derivation { function: function as u64, numbers, memory })
    }

    fn function(&self) -> Result<&'static dyn Function, Error> {
        let found = usize::try_from(self.function).ok().and_then(|number| FUNCTIONS.get(number));
        found.copied().ok_or(Error::NotSupported)
    }

    /// Returns the parameters.
    pub fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// Returns the bytes of working memory, 0 if they are few.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Returns the predicted nanoseconds of deriving `size` bytes. `block` predicts the compression
    /// of one block by a hash.
    pub fn predict(&self, aad: &[u8], size: usize, block: &dyn Fn(Hash) -> u64) -> u64 {
        let found = self.function();
        let size = DerivationSize { numbers: &self.numbers, aad, target: size, block };
        let cost = found.and_then(|found| found.predict(&size));
        cost.unwrap_or(0).saturating_mul(SLOWNESS)
    }

    /// Returns the kind of a derivation that batches with others of its kind. The high bit of its
    /// low byte is set, as in no hash's number.
    pub fn kind(&self) -> Option<u32> {
        self.function().ok()?.kind(&self.numbers)
    }

    /// Returns the most derivations that are faster as a batch, for the low byte of a kind; `None`
    /// if the kind is not that of a derivation.
    pub fn batch_limit(kind: u8) -> Option<usize> {
        FUNCTIONS.iter().find_map(|found| found.batch_limit(kind))
    }

    /// Returns the bytes of working memory with which a batch is fastest, at most `permitted` if
    /// that suffices.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for [`Derivation::NONE`].
    pub fn batch_memory(&self, jobs: &[DerivationJob<'_>], permitted: u64) -> Result<u64, Error> {
        self.function()?.batch_memory(jobs, permitted)
    }

    /// Computes jobs of one kind, of which this is one, or one job. Calls `each` once per job with
    /// its index and its key, which is then in its target, but not for cancelled jobs.
    ///
    /// # Errors
    /// Those of the function, and [`Error::Memory`] if `memory` does not suffice.
    pub fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        self.function()?.derive(jobs, memory, checkpoint, each)
    }
}

/// Returns how each derivation is computed here, its name in two parts.
pub(crate) fn serves() -> impl Iterator<Item = ([&'static str; 2], Service)> {
    let pbkdf2 =
        HASHES.iter().filter(|facts| facts.hmac).map(|&HashFacts { name, hash, .. }| {
            (["pbkdf2-", name], cpu::serves_pbkdf2(hash, pbkdf2::lanes(hash)))
        });
    let (vectors, lanes) = (cpu::in_vectors(), scrypt::mix::lanes());
    let lanes = (lanes > 1).then_some((lanes, vectors.instructions));
    let others = [
        ("scrypt", Service { lanes, ..vectors.into() }),
        ("argon2", vectors.into()),
        ("bcrypt", cpu::PLAIN.into()),
        ("hkdf", cpu::over_hashes()),
        ("aes-kw", cpu::aes_block()),
        ("aes-kwp", cpu::aes_block()),
    ];
    others.map(|(name, service)| (["", name], service)).into_iter().chain(pbkdf2)
}

/// Returns true if both byte strings are equal, in a time that depends only on their lengths.
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    primitives::equal(one, other)
}
