//! SHA-3, SHAKE, TurboSHAKE and the original Keccak of several messages: a register for each of the
//! state's 25 words.

use super::super::keccak::permutation;
use super::super::wipe::Wiped;
pub(crate) use super::cpu::keccak::multibuffer;
use super::cpu::keccak::run_all;
use super::{Batch, BlockHash, Kernels};
use crate::checkpoint::DigestSink;

/// A sponge over Keccak-p with a number of rounds.
#[derive(Copy, Clone)]
pub(crate) struct Sponge<const ROUNDS: usize> {
    /// Bytes absorbed at once.
    pub(crate) rate: usize,
    /// The byte that ends a message.
    pub(crate) mark: u8,
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

/// Hashes messages from a state. Digests must not be longer than the rate.
pub(crate) fn hash<const ROUNDS: usize>(
    kernels: Kernels,
    (sponge, start): (Sponge<ROUNDS>, [u64; 25]),
    sources: &[&[u8]],
    target: &mut [u8],
    sink: DigestSink<'_>,
) {
    assert!(target.len() <= sponge.rate);
    let batch = &mut Batch::new(sponge, start, 0, sources, target, sink);
    run_all(kernels, batch);
    batch.scalar();
}
