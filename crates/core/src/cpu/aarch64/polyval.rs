//! POLYVAL by carry-less products.
//!
//! Groups of eight blocks are reduced once: [`field`] has the steps. A product is a PMULL.

use std::arch::aarch64::vmull_p64;

use crate::cipher::field;
use crate::cipher::field::{Factor, reduced};
use crate::cpu::features::Pmull;

/// The powers of H. Wiped on drop.
pub(crate) struct Powers(field::Powers, Pmull);

/// Each kernel that the CPU has.
#[cfg(test)]
pub(crate) const EACH: [fn() -> Option<Powers>; 1] = [Powers::vacant];

impl Powers {
    /// Returns room for the powers, if the CPU has the instructions.
    pub(crate) fn vacant() -> Option<Self> {
        Pmull::detect().map(|proof| Self(field::Powers::vacant(), proof))
    }

    /// Computes them.
    pub(crate) fn prepare(&mut self, h: Factor) {
        self.0.prepare(h);
    }

    /// Returns POLYVAL of a text.
    pub(crate) fn sum(&self, text: &[u8]) -> u128 {
        // SAFETY: the proof says that the CPU has the instructions.
        unsafe { by_pmull(&self.0, text) }
    }
}

#[target_feature(enable = "neon,aes")]
fn by_pmull(powers: &field::Powers, text: &[u8]) -> u128 {
    let halves = |number: u128| (number as u64, (number >> 64) as u64);
    // The sum is multiplied with the first block.
    let group = |mut sum: u128, blocks: &[[u8; 16]], powers: &[u128]| {
        let (mut low, mut middle, mut high) = (0, 0, 0);
        for (block, &power) in blocks.iter().zip(powers) {
            let (a_low, a_high) = halves(u128::from_le_bytes(*block) ^ std::mem::take(&mut sum));
            let (b_low, b_high) = halves(power);
            low ^= vmull_p64(a_low, b_low);
            high ^= vmull_p64(a_high, b_high);
            middle ^= vmull_p64(a_low, b_high) ^ vmull_p64(a_high, b_low);
        }
        reduced(low, middle, high)
    };
    powers.sum(text, group)
}
