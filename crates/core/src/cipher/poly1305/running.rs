//! Incremental Poly1305, by the widest vectors that there are.

use super::{BLOCK, Limbs, Poly1305};
use crate::cpu::kernels::poly1305::Powers;
use crate::wipe::Wiped;

/// Shorter pieces are absorbed block by block.
const VECTORS_FROM: usize = 512;

/// The sum so far and the start of a block. Wiped on drop.
pub(crate) struct RunningPoly {
    poly: Poly1305,
    block: Wiped<[u8; BLOCK]>,
    /// Bytes of the block that are there.
    filled: usize,
    /// Computed for the first long piece.
    powers: Option<Powers>,
    /// What the kernel keeps of the last piece.
    last: (u64, Wiped<Limbs>),
}

impl RunningPoly {
    /// Begins under a one-time key.
    pub(crate) fn new(poly: Poly1305) -> Self {
        Self { poly, block: Wiped([0; BLOCK]), filled: 0, powers: None, last: (0, Wiped([0; 3])) }
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
            self.block.0[self.filled..][..count].copy_from_slice(&text[..count]);
            self.filled += count;
            text = &text[count..];
            if self.filled < BLOCK {
                return;
            }
            self.poly.block(&self.block.0);
            self.filled = 0;
        }
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        let long = size_of_val(blocks) >= VECTORS_FROM;
        if long && self.powers.is_none() {
            Powers::prepare(&mut self.powers, &self.poly);
        }
        match &self.powers {
            Some(powers) if long => powers.absorb(&mut self.poly, blocks, Some(&mut self.last)),
            _ => self.poly.update(blocks),
        }
        self.block.0[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// Fills the last block up with zeros.
    pub(crate) fn pad(&mut self) {
        if self.filled > 0 {
            self.block.0[self.filled..].fill(0);
            self.poly.block(&self.block.0);
            self.filled = 0;
        }
    }

    /// Returns the tag of what has been absorbed, whole blocks.
    pub(crate) fn finish(&self) -> [u8; BLOCK] {
        self.poly.finish()
    }
}
