//! The sponge: bytes go into the rate of a state, and come out of it once the message has ended.

use super::super::state::{Reader, Writer};
use super::permutation::{copy_bytes, permute, xor_bytes};

/// A sponge with a rate in bytes over Keccak-p with a number of rounds.
#[derive(Clone)]
pub(super) struct Duplex<const RATE: usize, const ROUNDS: usize> {
    pub(super) lanes: [u64; 25],
    /// Where in the rate the next byte goes in, or comes out of once squeezing has begun.
    pub(super) at: usize,
    /// 1 once the message has ended, else 0. An integer, so that a state has no padding.
    squeezing: u64,
}

impl<const RATE: usize, const ROUNDS: usize> Duplex<RATE, ROUNDS> {
    /// Bytes of a saved state: the lanes, the place in the rate, whether the message has ended.
    pub(super) const STATE: usize = 200 + 2;

    #[inline]
    pub(super) fn new() -> Self {
        Self { lanes: [0; 25], at: 0, squeezing: 0 }
    }

    /// Absorbs more of the message.
    #[inline]
    pub(super) fn absorb(&mut self, source: &[u8]) {
        let mut source = source;
        if self.at > 0 {
            let (first, rest) = source.split_at(source.len().min(RATE - self.at));
            xor_bytes(&mut self.lanes, self.at, first);
            self.at += first.len();
            if self.at < RATE {
                return;
            }
            permute::<ROUNDS>(&mut self.lanes);
            self.at = 0;
            source = rest;
        }
        let mut blocks = source.chunks_exact(RATE);
        for block in &mut blocks {
            xor_bytes(&mut self.lanes, 0, block);
            permute::<ROUNDS>(&mut self.lanes);
        }
        xor_bytes(&mut self.lanes, 0, blocks.remainder());
        self.at = blocks.remainder().len();
    }

    /// Fills the rest of the current block, if it has begun, with zeros.
    pub(super) fn end_block(&mut self) {
        if self.at > 0 {
            permute::<ROUNDS>(&mut self.lanes);
            self.at = 0;
        }
    }

    /// Ends the message with a byte that tells the functions apart.
    #[inline]
    pub(super) fn pad(&mut self, mark: u8) {
        xor_bytes(&mut self.lanes, self.at, &[mark]);
        xor_bytes(&mut self.lanes, RATE - 1, &[0x80]);
        permute::<ROUNDS>(&mut self.lanes);
        self.at = 0;
        self.squeezing = 1;
    }

    /// Takes the next bytes of output, any number at a time.
    #[inline]
    pub(super) fn take(&mut self, target: &mut [u8]) {
        let mut target = target;
        while !target.is_empty() {
            if self.at == RATE {
                permute::<ROUNDS>(&mut self.lanes);
                self.at = 0;
            }
            let (now, rest) = target.split_at_mut(target.len().min(RATE - self.at));
            copy_bytes(&self.lanes, self.at, now);
            self.at += now.len();
            target = rest;
        }
    }

    /// Returns true once the message has ended.
    #[inline]
    pub(super) fn squeezing(&self) -> bool {
        self.squeezing != 0
    }

    #[inline]
    pub(super) fn save(&self, state: &mut [u8]) {
        Writer::over(state)
            .words_64(&self.lanes)
            .bytes(&[self.at as u8, self.squeezing as u8])
            .end();
    }

    /// Returns the sponge in a saved state; only an extendable output (`xof`) has states that
    /// squeeze.
    #[inline]
    pub(super) fn load(state: &[u8], xof: bool) -> Option<Self> {
        let mut fields = Reader::of(state, Self::STATE)?;
        let lanes = fields.words_64()?;
        let &[at, squeezing] = fields.bytes()?;
        let at = usize::from(at);
        let valid = match squeezing {
            0 => at < RATE,
            1 => at <= RATE && xof,
            _ => false,
        };
        valid.then_some(Self { lanes, at, squeezing: squeezing.into() })
    }
}
