//! The sum of a part of a text, by a kernel if there is one, and the tag of all parts.

use super::{BLOCK, Limbs, Poly1305, lengths};
use crate::cpu::kernels::poly1305::Powers;
use crate::wipe::{Secret, Wiped, copy_plain};

/// Shorter texts are summed up block by block.
const VECTORS_FROM: usize = 256;

/// Returns the sum of a text, the last block filled up with zeros: each block times the power of r
/// for its distance from the end, the last times r.
pub(crate) fn sum(key: &Poly1305, powers: Option<&Powers>, text: &[u8]) -> Limbs {
    let mut poly = key.fresh();
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    match powers {
        Some(powers) if text.len() >= VECTORS_FROM => powers.absorb(&mut poly, blocks, None),
        _ => poly.sum = key.blocks(blocks),
    }
    poly.update_padded(rest);
    poly.sum
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
