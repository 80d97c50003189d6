//! The kernels of 64-bit ARM, for two messages. None was timed: no machine was at hand.
//!
//! SHA-1 and SHA-512 have none: two messages interleaved took more instructions for a block of each
//! than AWS-LC takes for one message alone, 106 instead of 102 and 537 instead of 485.

pub(crate) mod keccak;
pub(crate) mod sha256;

pub(crate) use self::sha256::hash as hash_sha256;
pub(crate) use crate::cpu::any::lanes::{blake2b, blake2s, blake3, md5, sha1, sha512};
use crate::cpu::features::{Sha2, Sha3, lanes_allowed};
use crate::hash::lanes::block_hash::{block_hash, interleaved, pad};
use crate::hash::lanes::{
    Batch, BlockHash, Columns, Digest, Edges, LaneKernel, Multibuffer, States, bits, run,
};

/// Proofs of the instructions that kernels may use.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Kernels {
    sha2: Option<Sha2>,
    sha3: Option<Sha3>,
}

impl Kernels {
    /// Detects the instructions that the CPU has and the environment does not hide.
    pub(crate) fn detect() -> Self {
        if lanes_allowed() {
            Self { sha2: Sha2::detect(), sha3: Sha3::detect() }
        } else {
            Self { sha2: None, sha3: None }
        }
    }
}

/// Returns all choices among the kernels.
#[cfg(test)]
pub(crate) fn choices() -> impl Iterator<Item = Kernels> {
    use crate::cpu::features::OrSkip;

    let all = Kernels::detect();
    if lanes_allowed() {
        let _ = (all.sha2.or_skip(), all.sha3.or_skip());
    }
    [all, Kernels { sha2: None, sha3: None }].into_iter()
}
