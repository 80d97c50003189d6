//! A key derivation function, for callers that choose one at run time.

use super::Memory;
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Checkpoint;

/// The parameters of a derivation, as numbers with a meaning that depends on the function.
///
/// All are 64 bits wide. Copies of a type with padding, such as an enum, take along what the stack
/// held there, which may be half a key.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The number of a hash in the catalog.
    pub hash: u64,
    /// The costs.
    pub costs: [u64; 4],
    /// The most bytes of memory.
    pub memory: u64,
    /// The most predicted milliseconds.
    pub milliseconds: u64,
}

impl Numbers {
    pub(super) fn hash(&self) -> Result<Hash, Error> {
        u8::try_from(self.hash).ok().and_then(Hash::from_id).ok_or(Error::NotSupported)
    }

    /// Returns a cost that is less than 2^32.
    pub(super) fn cost(&self, index: usize) -> Result<u32, Error> {
        u32::try_from(self.costs[index]).map_err(|_| Error::Cost)
    }
}

/// One derivation.
#[derive(Debug)]
pub struct DerivationJob<'a> {
    /// The parameters.
    pub numbers: Numbers,
    /// The password or another secret.
    pub password: &'a [u8],
    /// The salt.
    pub salt: &'a [u8],
    /// A second secret; empty for most functions.
    pub secret: &'a [u8],
    /// Other input that is not secret.
    pub aad: &'a [u8],
    /// The derived key.
    pub target: &'a mut [u8],
}

/// What the time of a derivation depends on.
pub struct DerivationSize<'a> {
    /// The parameters.
    pub numbers: &'a Numbers,
    /// The input that is not secret.
    pub aad: &'a [u8],
    /// Bytes of the derived key.
    pub target: usize,
    /// Predicts the nanoseconds in which a hash compresses a block.
    pub block: &'a dyn Fn(Hash) -> u64,
}

/// A key derivation function.
pub trait Function: Sync {
    /// Checks the parameters. Returns the bytes of working memory, 0 if they are few.
    ///
    /// # Errors
    /// As [`Derivation::new`](super::Derivation::new).
    fn memory(&self, numbers: &Numbers, aad: &[u8]) -> Result<u64, Error>;

    /// Returns the predicted nanoseconds of a derivation.
    ///
    /// # Errors
    /// Those of the parameters.
    fn predict(&self, size: &DerivationSize<'_>) -> Result<u64, Error>;

    /// Returns the kind of a derivation that batches with others of its kind. The low byte alone
    /// determines [`Function::batch_limit`]; its high bit is set.
    fn kind(&self, _numbers: &Numbers) -> Option<u32> {
        None
    }

    /// Returns the most derivations that are faster as a batch, for the low byte of a kind.
    fn batch_limit(&self, _kind: u8) -> Option<usize> {
        None
    }

    /// Returns the bytes of working memory with which a batch is fastest, at most `permitted` if
    /// that suffices.
    ///
    /// # Errors
    /// Those of the parameters.
    fn batch_memory(&self, _jobs: &[DerivationJob<'_>], _permitted: u64) -> Result<u64, Error> {
        Ok(0)
    }

    /// Computes jobs of one kind; one job if they have none. Calls `each` once per job with its
    /// index and its key, which is then in its target, but not for cancelled jobs.
    ///
    /// # Errors
    /// Those of the function, and [`Error::Memory`] if `memory` does not suffice.
    fn derive(
        &self,
        jobs: &mut [DerivationJob<'_>],
        memory: &mut Memory,
        checkpoint: &mut dyn Checkpoint,
        each: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error>;
}

/// Returns the digests that `size` bytes take.
pub(super) fn digests(hash: Hash, size: usize) -> u64 {
    size.div_ceil(hash.facts().digest_size.max(1)) as u64
}
