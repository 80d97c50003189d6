//! TurboSHAKE (RFC 9861, 2): SHAKE with half the rounds and a byte that separates domains.

use super::duplex::Duplex;
use crate::catalog::Parameter;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::checkpoint::DigestSink;
use crate::hash::digest::Digest;
use crate::hash::keccak;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::hash::lanes;
use crate::inputs::Params;
use crate::wipe::{Plain, wipe_plain};

/// The rounds of TurboSHAKE and of KangarooTwelve.
pub(super) const ROUNDS: usize = 12;

/// TurboSHAKE128.
pub(crate) type TurboShake128 = TurboShake<168, 32>;
/// TurboSHAKE256.
pub(crate) type TurboShake256 = TurboShake<136, 64>;

/// TurboSHAKE with a rate and a default length of output in bytes.
#[derive(Clone)]
pub(crate) struct TurboShake<const RATE: usize, const SIZE: usize> {
    sponge: Duplex<RATE, ROUNDS>,
    domain: u64,
}

// SAFETY: made of integers and an array of integers.
unsafe impl<const RATE: usize, const SIZE: usize> Plain for TurboShake<RATE, SIZE> {}

impl<const RATE: usize, const SIZE: usize> TurboShake<RATE, SIZE> {
    fn domain(params: &Params<'_>) -> u64 {
        params.parameters.number(Parameter::Domain).unwrap_or(keccak::SHAKE.into())
    }
}

impl<const RATE: usize, const SIZE: usize> Digest for TurboShake<RATE, SIZE> {
    const BLOCK: usize = RATE;
    const SIZE: usize = SIZE;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        Self { sponge: Duplex::new(), domain: Self::domain(params) }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.sponge.absorb(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        self.squeeze(target);
    }

    const STATE: usize = Duplex::<RATE, ROUNDS>::STATE;

    #[inline]
    fn save(&self, state: &mut [u8]) {
        self.sponge.save(state);
    }

    #[inline]
    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let domain = Self::domain(params);
        Duplex::load(state, true).map(|sponge| Self { sponge, domain })
    }

    #[inline]
    fn squeeze(&mut self, target: &mut [u8]) {
        if !self.squeezing() {
            self.sponge.pad(self.domain as u8);
        }
        self.sponge.take(target);
    }

    #[inline]
    fn squeezing(&self) -> bool {
        self.sponge.squeezing()
    }

    #[inline]
    fn wipe(&mut self) {
        wipe_plain(self);
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline]
    fn multibuffer() -> Option<lanes::Multibuffer> {
        lanes::keccak::multibuffer(lanes::Kernels::detect())
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        debug_assert!(self.sponge.at == 0 && !self.squeezing());
        let sponge = lanes::keccak::Sponge::<ROUNDS> { rate: RATE, mark: self.domain as u8 };
        let kernels = lanes::Kernels::detect();
        lanes::keccak::hash(kernels, (sponge, self.sponge.lanes), sources, target, sink);
    }
}
