//! The sum of a part of a text, by the widest vectors that there are, and the tag of all parts.

#[cfg(target_arch = "x86_64")]
use super::super::features::Avx2;
use super::super::wipe::{Secret, Wiped, copy_plain};
#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::{BLOCK, Limbs, Poly1305};

/// Sums of blocks under one key.
pub(crate) struct Summing {
    #[cfg(target_arch = "x86_64")]
    vectors: Option<(avx2::Powers, Avx2)>,
}

/// Shorter texts are summed up block by block.
#[cfg(target_arch = "x86_64")]
const VECTORS_FROM: usize = 256;

impl Summing {
    /// Returns room for what the key needs, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            vectors: None,
        }
    }

    /// Chooses, and prepares what the choice needs, at the place where it stays.
    pub(crate) fn prepare(&mut self, key: &Poly1305) {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Avx2::detect() {
            let (powers, _) = self.vectors.insert((avx2::Powers::zeros(), proof));
            powers.prepare(key, proof);
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Returns the sum of a text, the last block filled up with zeros: each block times the power
    /// of r for its distance from the end, the last times r.
    pub(crate) fn sum(&self, key: &Poly1305, text: &[u8]) -> Limbs {
        let mut poly = key.fresh();
        #[cfg(target_arch = "x86_64")]
        if let Some((powers, proof)) = &self.vectors
            && text.len() >= VECTORS_FROM
        {
            let (steps, rest) = text.split_at(text.len() / (4 * BLOCK) * (4 * BLOCK));
            poly.sum = powers.sum(steps, *proof);
            poly.update_padded(rest);
            return poly.sum;
        }
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        poly.sum = key.blocks(blocks);
        poly.update_padded(rest);
        poly.sum
    }
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
