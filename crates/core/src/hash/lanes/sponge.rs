//! A sponge as a hash of blocks.

use super::BlockHash;
use crate::hash::compression::keccak_p;
use crate::wipe::Wiped;

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
        keccak_p::absorb::<ROUNDS>(state, self.rate, blocks);
    }

    fn scalar(&self, state: [u64; 25], _length: u64, rest: &[u8], target: &mut [u8]) {
        keccak_p::end::<ROUNDS>(&mut Wiped(state).0, self.rate, self.mark, rest, target);
    }
}
