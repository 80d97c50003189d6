//! SHA-3, SHAKE, TurboSHAKE and the original Keccak of several messages: a register for each of the
//! state's 25 words.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::super::keccak::permutation;
use super::super::wipe::Wiped;
use super::{Batch, BlockHash, Kernels, Multibuffer};
use crate::checkpoint::DigestSink;

/// A sponge over Keccak-p with a number of rounds.
#[derive(Copy, Clone)]
pub(in super::super) struct Sponge<const ROUNDS: usize> {
    /// Bytes absorbed at once.
    pub(in super::super) rate: usize,
    /// The byte that ends a message.
    pub(in super::super) mark: u8,
}

impl<const ROUNDS: usize> BlockHash for Sponge<ROUNDS> {
    type State = [u64; 25];
    type Tail = [u8; 192];
    type Digest = [u8; 192];
    const TAIL: [u8; 192] = [0; 192];
    const DIGEST: [u8; 192] = [0; 192];

    #[inline]
    fn block(&self) -> usize {
        self.rate
    }

    #[inline]
    fn ends(&self, _rest: usize) -> usize {
        1
    }

    #[inline]
    fn pad(&self, tail: &mut [u8; 192], rest: &[u8], _length: u64) {
        *tail = [0; 192];
        tail[..rest.len()].copy_from_slice(rest);
        tail[rest.len()] = self.mark;
        tail[self.rate - 1] |= 0x80;
    }

    fn blocks(&self, state: &mut [u64; 25], blocks: &[u8]) {
        permutation::absorb::<ROUNDS>(state, self.rate, blocks);
    }

    fn scalar(&self, state: [u64; 25], _length: u64, rest: &[u8], target: &mut [u8]) {
        permutation::end::<ROUNDS>(&mut Wiped(state).0, self.rate, self.mark, rest, target);
    }
}

/// Returns how this family uses the kernels.
pub(in super::super) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
    #[cfg(target_arch = "x86_64")]
    {
        x86::multibuffer(kernels)
    }
    #[cfg(target_arch = "aarch64")]
    {
        arm::multibuffer(kernels)
    }
}

/// Hashes messages from a state. Digests must not be longer than the rate.
pub(in super::super) fn hash<const ROUNDS: usize>(
    kernels: Kernels,
    (sponge, start): (Sponge<ROUNDS>, [u64; 25]),
    sources: &[&[u8]],
    target: &mut [u8],
    sink: DigestSink<'_>,
) {
    assert!(target.len() <= sponge.rate);
    let batch = &mut Batch::new(sponge, start, 0, sources, target, sink);
    #[cfg(target_arch = "x86_64")]
    x86::run_all(kernels, batch);
    #[cfg(target_arch = "aarch64")]
    arm::run_all(kernels, batch);
    batch.scalar();
}
