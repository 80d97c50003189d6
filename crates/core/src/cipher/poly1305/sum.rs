//! The sum of a part of a text, by the widest vectors that there are, and the tag of all parts.

use super::{BLOCK, Limbs, Poly1305};
#[cfg(target_arch = "x86_64")]
use super::{LANES, STEP, Steps, avx2, ifma};
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::{Avx2, Ifma};
#[cfg(target_arch = "x86_64")]
use crate::wipe::wipe_plain;
use crate::wipe::{Secret, Wiped, copy_plain};

/// Sums of blocks under one key.
pub(crate) struct Summing {
    #[cfg(target_arch = "x86_64")]
    powers: Powers,
}

/// The powers of r for the vectors that the CPU has.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::large_enum_variant)] // on the heap
pub(super) enum Powers {
    None,
    Ifma(ifma::Powers, Ifma),
    Avx2(avx2::Powers, Avx2),
}

#[cfg(target_arch = "x86_64")]
impl Powers {
    /// Chooses, and computes the powers at the place where they stay.
    pub(super) fn prepare(&mut self, key: &Poly1305) {
        if let Some(proof) = Ifma::detect() {
            // SAFETY: the proof says that the CPU has the instructions.
            *self = unsafe { Powers::Ifma(ifma::Powers::new(key), proof) };
        } else if let Some(proof) = Avx2::detect() {
            *self = Powers::Avx2(avx2::Powers::zeros(), proof);
            if let Powers::Avx2(powers, proof) = self {
                powers.prepare(key, *proof);
            }
        }
    }
}

/// Shorter texts are summed up block by block.
#[cfg(target_arch = "x86_64")]
const VECTORS_FROM: usize = 256;

impl Summing {
    /// Returns room for what the key needs, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            powers: Powers::None,
        }
    }

    /// Prepares what the vectors need.
    pub(crate) fn prepare(&mut self, key: &Poly1305) {
        #[cfg(target_arch = "x86_64")]
        self.powers.prepare(key);
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Returns the sum of a text, the last block filled up with zeros: each block times the power
    /// of r for its distance from the end, the last times r.
    pub(crate) fn sum(&self, key: &Poly1305, text: &[u8]) -> Limbs {
        let mut poly = key.fresh();
        #[cfg(target_arch = "x86_64")]
        if text.len() >= VECTORS_FROM {
            let (steps, rest) = text.split_at(text.len() / (4 * BLOCK) * (4 * BLOCK));
            match &self.powers {
                // SAFETY: the proof says that the CPU has the instructions.
                Powers::Ifma(powers, _) => unsafe { ifma(&mut poly, powers, steps) },
                Powers::Avx2(powers, proof) => poly.sum = powers.sum(steps, *proof),
                Powers::None => poly.sum = key.blocks(steps.as_chunks().0),
            }
            poly.update_padded(rest);
            return poly.sum;
        }
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        poly.sum = key.blocks(blocks);
        poly.update_padded(rest);
        poly.sum
    }
}

/// Absorbs whole blocks, at least one.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
pub(super) fn ifma(poly: &mut Poly1305, powers: &ifma::Powers, text: &[u8]) {
    // The first blocks are as many as leave whole steps.
    let first = (text.len() / BLOCK - 1) % LANES + 1;
    let mut sums = powers.first(poly, text, first);
    for step in text[first * BLOCK..].as_chunks::<STEP>().0 {
        sums = powers.step(sums, step);
    }
    powers.last(sums, poly);
    wipe_plain(&mut sums);
}

/// The parts of a message, joined one after the other.
pub(crate) struct Joined {
    poly: Poly1305,
    aad_size: usize,
    /// Bytes of the text so far.
    size: u64,
    /// Returns the power of r for this number of blocks. Most parts have the same size.
    power: (u64, Wiped<Limbs>),
}

impl Joined {
    /// Returns the sum before the first part, after the additional data that `poly` has absorbed.
    pub(crate) fn new(poly: &Poly1305, aad_size: usize) -> Self {
        let power = (1, Wiped(poly.power(1)));
        let mut joined = Self { poly: poly.fresh(), aad_size, size: 0, power };
        copy_plain(poly, &mut joined.poly);
        joined
    }

    /// Absorbs the next part: its bytes, and their sum.
    pub(crate) fn add(&mut self, size: u64, sum: &Limbs) {
        if size == 0 {
            return;
        }
        if self.aad_size == 0 && self.size == 0 {
            // There is no sum to multiply yet.
            self.poly.sum = *sum;
        } else {
            let blocks = size.div_ceil(BLOCK as u64);
            if blocks != self.power.0 {
                self.power = (blocks, Wiped(self.poly.power(blocks)));
            }
            self.poly.join(sum, &self.power.1.0);
        }
        self.size += size;
    }

    /// Returns the tag.
    pub(crate) fn tag(mut self) -> Secret<BLOCK> {
        self.poly.block(&lengths(self.aad_size, self.size));
        Secret(self.poly.finish())
    }
}

/// Returns the last block, which has both lengths.
#[inline]
pub(crate) fn lengths(aad: usize, text: u64) -> [u8; BLOCK] {
    (aad as u128 | u128::from(text) << 64).to_le_bytes()
}
