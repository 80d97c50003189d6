//! Incremental Poly1305, by the widest vectors that there are.

#[cfg(target_arch = "x86_64")]
use super::Limbs;
#[cfg(target_arch = "x86_64")]
use super::sum::{Powers, ifma};
use super::{BLOCK, Poly1305};
#[cfg(target_arch = "x86_64")]
use crate::wipe::Wiped;
use crate::wipe::wipe_plain;

/// Shorter pieces are absorbed block by block.
#[cfg(target_arch = "x86_64")]
const VECTORS_FROM: usize = 512;

/// The sum so far and the start of a block. Wiped on drop.
pub(crate) struct RunningPoly {
    poly: Poly1305,
    block: [u8; BLOCK],
    /// Bytes of the block that are there.
    filled: usize,
    /// Computed for the first long piece.
    #[cfg(target_arch = "x86_64")]
    powers: Powers,
    /// The blocks of the last piece and the power of r for them: most pieces have the same size.
    #[cfg(target_arch = "x86_64")]
    power: (u64, Wiped<Limbs>),
}

impl RunningPoly {
    /// Begins under a one-time key.
    pub(crate) fn new(poly: Poly1305) -> Self {
        Self {
            poly,
            block: [0; BLOCK],
            filled: 0,
            #[cfg(target_arch = "x86_64")]
            powers: Powers::None,
            #[cfg(target_arch = "x86_64")]
            power: (0, Wiped([0; 3])),
        }
    }

    /// Begins under another one-time key.
    pub(crate) fn restart(&mut self, key: &[u8; 32]) {
        self.poly = Poly1305::new(key);
    }

    /// Absorbs the next bytes.
    #[inline]
    pub(crate) fn update(&mut self, mut text: &[u8]) {
        if self.filled > 0 {
            let count = text.len().min(BLOCK - self.filled);
            self.block[self.filled..][..count].copy_from_slice(&text[..count]);
            self.filled += count;
            text = &text[count..];
            if self.filled < BLOCK {
                return;
            }
            self.poly.block(&self.block);
            self.filled = 0;
        }
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        #[cfg(target_arch = "x86_64")]
        if blocks.len() * BLOCK < VECTORS_FROM || !self.vectors(blocks.as_flattened()) {
            self.poly.update(blocks);
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.poly.update(blocks);
        self.block[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// Fills the last block up with zeros.
    pub(crate) fn pad(&mut self) {
        if self.filled > 0 {
            self.block[self.filled..].fill(0);
            self.poly.block(&self.block);
            self.filled = 0;
        }
    }

    /// Returns the tag of what has been absorbed, whole blocks.
    pub(crate) fn finish(&self) -> [u8; BLOCK] {
        self.poly.finish()
    }

    /// Absorbs whole blocks by vectors. Returns false if the CPU has none.
    #[cfg(target_arch = "x86_64")]
    fn vectors(&mut self, text: &[u8]) -> bool {
        if matches!(self.powers, Powers::None) {
            self.powers.prepare(&self.poly);
        }
        match &self.powers {
            Powers::None => return false,
            // SAFETY: the proof says that the CPU has the instructions.
            Powers::Ifma(powers, _) => unsafe { ifma(&mut self.poly, powers, text) },
            Powers::Avx2(powers, proof) => {
                let (blocks, power) = &mut self.power;
                let (steps, rest) = text.split_at(text.len() / (4 * BLOCK) * (4 * BLOCK));
                let count = (steps.len() / BLOCK) as u64;
                if count != *blocks {
                    (*blocks, power.0) = (count, self.poly.power(count));
                }
                self.poly.join(&powers.sum(steps, *proof), &power.0);
                self.poly.update_padded(rest);
            }
        }
        true
    }
}

impl Drop for RunningPoly {
    fn drop(&mut self) {
        wipe_plain(&mut self.block);
    }
}
