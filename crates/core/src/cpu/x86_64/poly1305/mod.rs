//! Poly1305: 16 blocks at once in [`ifma`], 4 in [`avx2`], beside vectors of ChaCha20 in [`words`].
//!
//! In vectors the polynomial in r (Horner) is cut into lanes, of which none waits for another. Lane
//! `j` of `L` has the blocks j, j + L, j + 2L and so on:
//!
//! ```text
//! each step:   lane[j] = lane[j] * r^L + the next block
//! the end:     lane[j] = lane[j] * r^(L - j);  sum = the sum of all lanes
//! ```
//!
//! Limbs are carried once a step or a pass of two, and a little too large between (lazy reduction).
//! [`avx2`] leaves the last blocks to scalar code; [`ifma`] and [`words`] begin with the blocks
//! that leave whole steps.

mod avx2;
pub(crate) mod ifma;
pub(crate) mod words;

use crate::cipher::poly1305::{BLOCK, Limbs, MASK_42, MASK_44, Poly1305, multiply};
use crate::cpu::features::{Avx2, Ifma};
use crate::wipe::{Plain, Wiped, wipe_plain};

/// Blocks and bytes of a step, and bytes of a pass.
pub(crate) const LANES: usize = 16;
pub(crate) const STEP: usize = LANES * BLOCK;
pub(crate) const PASS: usize = 4 * STEP;
/// Parts of a pass between its begin and its end: one beside each double round of ChaCha20.
pub(crate) const PARTS: usize = 10;

/// The powers of r that a way to absorb a text in steps of 16 blocks needs. A value proves that the
/// CPU has the instructions.
pub(crate) trait Steps: Sized {
    /// The sum so far.
    type Sums: Copy + Plain;
    /// The sum within a pass.
    type Running: Copy;

    /// Computes them.
    ///
    /// # Safety
    /// The CPU has the instructions of the implementation, here and below.
    unsafe fn new(key: &Poly1305) -> Self;

    /// Returns the sum of what came before and of the first `blocks` blocks of a text, at most 16.
    ///
    /// # Safety
    /// As above.
    unsafe fn first(&self, key: &Poly1305, text: &[u8], blocks: usize) -> Self::Sums;

    /// Absorbs a step.
    ///
    /// # Safety
    /// As above.
    unsafe fn step(&self, sums: Self::Sums, text: &[u8; STEP]) -> Self::Sums;

    /// Begins a pass, which is absorbed amid other work.
    ///
    /// # Safety
    /// As above.
    unsafe fn begin(&self, sums: Self::Sums, text: &[u8; PASS]) -> Self::Running;

    /// Absorbs part `index` of [`PARTS`].
    ///
    /// # Safety
    /// As above.
    unsafe fn part(&self, sums: Self::Running, text: &[u8; PASS], index: usize) -> Self::Running;

    /// Ends a pass.
    ///
    /// # Safety
    /// As above.
    unsafe fn end(&self, sums: Self::Running, text: &[u8; PASS]) -> Self::Sums;

    /// Leaves the sum in the key.
    ///
    /// # Safety
    /// As above.
    unsafe fn last(&self, sums: Self::Sums, key: &mut Poly1305);
}

/// The powers of r for the vectors that the CPU has.
#[allow(clippy::large_enum_variant)] // on the heap
pub(crate) enum Powers {
    Ifma(ifma::Powers, Ifma),
    Avx2(avx2::Powers, Avx2),
}

impl Powers {
    /// Chooses, and computes the powers at the place where they stay, if the CPU has vectors.
    pub(crate) fn prepare(place: &mut Option<Self>, key: &Poly1305) {
        if let Some(proof) = Ifma::detect() {
            // SAFETY: the proof says that the CPU has the instructions.
            *place = Some(unsafe { Powers::Ifma(ifma::Powers::new(key), proof) });
        } else if let Some(proof) = Avx2::detect() {
            *place = Some(Powers::Avx2(avx2::Powers::zeros(), proof));
            if let Some(Powers::Avx2(powers, _)) = place {
                // SAFETY: as above.
                unsafe { powers.prepare(key) };
            }
        }
    }

    /// Absorbs blocks, several. Without `last` there are none before them; otherwise it has the
    /// blocks of the last piece and the power of r for them: most have the same number.
    pub(crate) fn absorb(
        &self,
        poly: &mut Poly1305,
        blocks: &[[u8; BLOCK]],
        last: Option<&mut (u64, Wiped<Limbs>)>,
    ) {
        // SAFETY: the proofs say that the CPU has the instructions.
        unsafe {
            match self {
                Powers::Ifma(powers, _) => absorb(poly, powers, blocks.as_flattened()),
                Powers::Avx2(powers, _) => {
                    let (steps, rest) = blocks.split_at(blocks.len() / avx2::LANES * avx2::LANES);
                    let sum = powers.sum(steps.as_flattened());
                    if let Some((count, power)) = last {
                        if steps.len() as u64 != *count {
                            (*count, power.0) =
                                (steps.len() as u64, poly.power(steps.len() as u64));
                        }
                        poly.join(&sum, &power.0);
                    } else {
                        poly.sum = sum;
                    }
                    poly.update(rest);
                }
            }
        }
    }
}

/// Absorbs whole blocks, at least one.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn absorb(poly: &mut Poly1305, powers: &ifma::Powers, text: &[u8]) {
    // The first blocks are as many as leave whole steps.
    let first = (text.len() / BLOCK - 1) % LANES + 1;
    // SAFETY: this function has the instructions.
    let mut sums = unsafe {
        let mut sums = powers.first(poly, text, first);
        for step in text[first * BLOCK..].as_chunks::<STEP>().0 {
            sums = powers.step(sums, step);
        }
        powers.last(sums, poly);
        sums
    };
    wipe_plain(&mut sums);
}

#[cfg(test)]
mod tests;
