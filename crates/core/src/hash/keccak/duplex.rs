//! The sponge: bytes go into the rate of a state, and come out of it once the message has ended.

use std::ops::{Deref, DerefMut};

use crate::hash::compression::keccak_p::{copy_bytes, permute, xor_bytes};
use crate::hash::state_format::{Reader, Writer};

/// A sponge with a rate in bytes over Keccak-p with a number of rounds.
#[derive(Clone)]
pub(super) struct Duplex<const RATE: usize, const ROUNDS: usize>(State<ROUNDS>);

impl<const RATE: usize, const ROUNDS: usize> Deref for Duplex<RATE, ROUNDS> {
    type Target = State<ROUNDS>;

    #[inline(always)]
    fn deref(&self) -> &State<ROUNDS> {
        &self.0
    }
}

impl<const RATE: usize, const ROUNDS: usize> DerefMut for Duplex<RATE, ROUNDS> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut State<ROUNDS> {
        &mut self.0
    }
}

impl<const RATE: usize, const ROUNDS: usize> Duplex<RATE, ROUNDS> {
    /// Bytes of a saved state: the lanes, the place in the rate, whether the message has ended.
    pub(super) const STATE: usize = 200 + 2;

    #[inline]
    pub(super) fn new() -> Self {
        Self(State { lanes: [0; 25], at: 0, squeezing: 0 })
    }

    /// Absorbs more of the message.
    #[inline]
    pub(super) fn absorb(&mut self, source: &[u8]) {
        self.0.absorb(RATE, source);
    }

    /// Ends the message with a byte that tells the functions apart.
    #[inline]
    pub(super) fn pad(&mut self, mark: u8) {
        self.0.pad(RATE, mark);
    }

    /// Takes the next bytes of output, any number at a time.
    #[inline]
    pub(super) fn take(&mut self, target: &mut [u8]) {
        self.0.take(RATE, target);
    }

    /// Returns the sponge in a saved state; only an extendable output (`xof`) has states that
    /// squeeze.
    #[inline]
    pub(super) fn load(state: &[u8], xof: bool) -> Option<Self> {
        State::load(RATE, state, xof).map(Self)
    }
}

/// The state of a sponge. The rate is known where its methods are inlined.
#[derive(Clone)]
pub(super) struct State<const ROUNDS: usize> {
    pub(super) lanes: [u64; 25],
    /// Where in the rate the next byte goes in, or comes out of once squeezing has begun.
    pub(super) at: usize,
    /// 1 once the message has ended, else 0. An integer, so that a state has no padding.
    squeezing: u64,
}

impl<const ROUNDS: usize> State<ROUNDS> {
    /// Absorbs more of the message.
    #[inline]
    fn absorb(&mut self, rate: usize, source: &[u8]) {
        let mut source = source;
        if self.at > 0 {
            let (first, rest) = source.split_at(source.len().min(rate - self.at));
            xor_bytes(&mut self.lanes, self.at, first);
            self.at += first.len();
            if self.at < rate {
                return;
            }
            permute::<ROUNDS>(&mut self.lanes);
            self.at = 0;
            source = rest;
        }
        let mut blocks = source.chunks_exact(rate);
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
    fn pad(&mut self, rate: usize, mark: u8) {
        xor_bytes(&mut self.lanes, self.at, &[mark]);
        xor_bytes(&mut self.lanes, rate - 1, &[0x80]);
        permute::<ROUNDS>(&mut self.lanes);
        self.at = 0;
        self.squeezing = 1;
    }

    /// Takes the next bytes of output, any number at a time.
    #[inline]
    fn take(&mut self, rate: usize, target: &mut [u8]) {
        let mut target = target;
        while !target.is_empty() {
            if self.at == rate {
                permute::<ROUNDS>(&mut self.lanes);
                self.at = 0;
            }
            let (now, rest) = target.split_at_mut(target.len().min(rate - self.at));
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
        Writer::over(state).words(&self.lanes).bytes(&[self.at as u8, self.squeezing as u8]).end();
    }

    /// Returns the sponge in a saved state; only an extendable output (`xof`) has states that
    /// squeeze.
    #[inline]
    fn load(rate: usize, state: &[u8], xof: bool) -> Option<Self> {
        let mut fields = Reader::of(state, Duplex::<0, ROUNDS>::STATE)?;
        let lanes = fields.words()?;
        let &[at, squeezing] = fields.bytes()?;
        let at = usize::from(at);
        let valid = match squeezing {
            0 => at < rate,
            1 => at <= rate && xof,
            _ => false,
        };
        valid.then_some(Self { lanes, at, squeezing: squeezing.into() })
    }
}
