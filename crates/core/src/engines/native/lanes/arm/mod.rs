//! Two messages interleaved with the SHA instructions of 64-bit ARM. Each instruction of one
//! message waits for the last; those of the other fill the gap.
//!
//! Instructions of a block and message, and those of AWS-LC for one message alone: SHA-256 100 and
//! 116, SHA-1 106 and 102, SHA-512 537 and 485. No machine was at hand to measure their time.

mod interleaved;
pub(crate) mod keccak;
pub(crate) mod sha1;
pub(crate) mod sha256;
pub(crate) mod sha512;

pub(crate) use self::sha256::hash as hash_sha256;
use super::block_hash::{block_hash, pad};
use super::{Batch, BlockHash, Columns, Digest, LaneKernel, Multibuffer, bits, run};
use crate::engines::native::features::{Sha2, Sha3, Sha512, lanes_allowed};

/// Proofs of the instructions that kernels may use.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Kernels {
    sha2: Option<Sha2>,
    sha3: Option<Sha3>,
    sha512: Option<Sha512>,
}

impl Kernels {
    /// Detects the instructions that the CPU has and the environment does not hide.
    pub(crate) fn detect() -> Self {
        if lanes_allowed() {
            Self { sha2: Sha2::detect(), sha3: Sha3::detect(), sha512: Sha512::detect() }
        } else {
            Self { sha2: None, sha3: None, sha512: None }
        }
    }
}

/// Returns all choices among the kernels.
#[cfg(test)]
pub(crate) fn choices() -> impl Iterator<Item = Kernels> {
    use crate::engines::native::features::OrSkip;

    let all = Kernels::detect();
    if lanes_allowed() {
        let _ = (all.sha2.or_skip(), all.sha3.or_skip(), all.sha512.or_skip());
    }
    [all, Kernels { sha2: None, sha3: None, sha512: None }].into_iter()
}
