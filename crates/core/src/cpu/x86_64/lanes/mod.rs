//! The kernels of x86-64: for AVX-512 and AVX2 a message in each lane of a vector, for SHA-NI two
//! or more messages interleaved.

mod blake;
mod hmac_iterations;
pub(crate) mod keccak;
pub(crate) mod md5;
mod merkle_damgard;
pub(crate) mod sha1;
mod sha2;
pub(crate) mod sha256;
pub(crate) mod sha512;
mod simd_kernel;
mod vectors;

pub(crate) use self::blake::{blake2b, blake2s, blake3};
pub(crate) use self::sha256::nodes::hash as hash_sha256;
use crate::cpu::features::{Avx2, Avx512, ShaNi, lanes_allowed};
use crate::hash::lanes::block_hash::{block_hash, interleaved, pad};
use crate::hash::lanes::{
    Batch, BlockHash, Columns, Digest, Edges, LaneKernel, Multibuffer, States, bits, run,
};

type Tail<C> = <C as BlockHash>::Tail;

/// Proofs of the instructions that kernels may use.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Kernels {
    avx512: Option<Avx512>,
    avx2: Option<Avx2>,
    sha_ni: Option<ShaNi>,
}

impl Kernels {
    /// Detects the instructions that the CPU has and the environment does not hide.
    pub(crate) fn detect() -> Self {
        if lanes_allowed() {
            Self { avx512: Avx512::detect(), avx2: Avx2::detect(), sha_ni: ShaNi::detect() }
        } else {
            Self { avx512: None, avx2: None, sha_ni: None }
        }
    }
}

/// Returns all choices among the kernels.
#[cfg(test)]
pub(crate) fn choices() -> impl Iterator<Item = Kernels> {
    use crate::cpu::features::OrSkip;

    let all = Kernels::detect();
    if lanes_allowed() {
        let _ = (all.avx512.or_skip(), all.avx2.or_skip(), all.sha_ni.or_skip());
    }
    (0..8).map(move |set: usize| Kernels {
        avx512: all.avx512.filter(|_| set & 1 == 0),
        avx2: all.avx2.filter(|_| set & 2 == 0),
        sha_ni: all.sha_ni.filter(|_| set & 4 == 0),
    })
}
