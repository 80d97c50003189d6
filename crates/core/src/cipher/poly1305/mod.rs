//! Poly1305 (RFC 8439, section 2.5) in limbs of 44, 44 and 42 bits: block by block here, in
//! products of 32 bits in [`narrow`], several at once in kernels. Our AEADs use it, and messages in
//! parts: a library's tag says too little of a part's sum.

mod narrow;
pub(crate) mod running;
pub(crate) mod sum;

use crate::cpu::features::NARROW;
use crate::wipe::{Wiped, wiped_on_drop};

/// Bytes of a block.
pub(crate) const BLOCK: usize = 16;

pub(crate) const MASK_44: u64 = (1 << 44) - 1;
pub(crate) const MASK_42: u64 = (1 << 42) - 1;

/// A number modulo 2^130 - 5: limbs which begin at bits 0, 44 and 88, and may be a little too
/// large.
pub(crate) type Limbs = [u64; 3];

/// The sum so far, and the one-time key. Wiped on drop.
pub(crate) struct Poly1305 {
    pub(crate) r: Limbs,
    pub(crate) sum: Limbs,
    pad: [u64; 2],
}

// SAFETY: made of arrays of integers.
wiped_on_drop!(unsafe Poly1305);

impl Poly1305 {
    /// Begins with a one-time key.
    #[inline]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let [low, high, pad_low, pad_high] = std::array::from_fn(|index| word(key, 8 * index));
        let r = limbs([low & 0x0fff_fffc_0fff_ffff, high & 0x0fff_fffc_0fff_fffc]);
        Self { r, sum: [0; 3], pad: [pad_low, pad_high] }
    }

    /// Returns a new sum under the same key.
    #[inline]
    pub(crate) fn fresh(&self) -> Self {
        Self { r: self.r, sum: [0; 3], pad: self.pad }
    }

    /// Absorbs blocks by their sum and the power of r for their number.
    #[inline]
    pub(crate) fn join(&mut self, part: &Limbs, power: &Limbs) {
        let [a, b, c] = multiply(self.sum, *power);
        self.sum = [a + part[0], b + part[1], c + part[2]];
    }

    /// Returns the key's r to the power of `exponent`, which is at least 1 and not secret.
    pub(crate) fn power(&self, exponent: u64) -> Limbs {
        let mut power = self.r;
        for bit in (0..exponent.ilog2()).rev() {
            power = multiply(power, power);
            if exponent >> bit & 1 == 1 {
                power = multiply(power, self.r);
            }
        }
        power
    }

    /// Returns the sum of whole blocks: each times the power of r for its distance from the end,
    /// the last times r.
    ///
    /// One block waits for the other, so two halves are summed up side by side.
    pub(crate) fn blocks(&self, blocks: &[[u8; BLOCK]]) -> Limbs {
        /// Fewer are not worth the power that joins the halves.
        const APART: usize = 64;
        if NARROW {
            return narrow::absorb([0; 3], self.r, blocks);
        }
        let (mut one, mut other) = (self.fresh(), self.fresh());
        if blocks.len() < APART {
            blocks.iter().for_each(|block| one.block(block));
            return one.sum;
        }
        let (first, second) = blocks.split_at(blocks.len() / 2);
        for (block, opposite) in first.iter().zip(second) {
            one.block(block);
            other.block(opposite);
        }
        if let Some(last) = second.get(first.len()) {
            other.block(last);
        }
        one.join(&other.sum, &Wiped(self.power(second.len() as u64)).0);
        one.sum
    }

    /// Absorbs text, the last block filled up with zeros.
    #[inline]
    pub(crate) fn update_padded(&mut self, text: &[u8]) {
        let (blocks, rest) = text.as_chunks();
        self.update(blocks);
        if !rest.is_empty() {
            let mut last = [0; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            self.block(&last);
        }
    }

    /// Absorbs blocks.
    #[inline]
    pub(crate) fn update(&mut self, blocks: &[[u8; BLOCK]]) {
        if NARROW {
            self.sum = narrow::absorb(self.sum, self.r, blocks);
        } else {
            blocks.iter().for_each(|block| self.block(block));
        }
    }

    /// Absorbs a block.
    #[inline]
    pub(crate) fn block(&mut self, block: &[u8; BLOCK]) {
        if NARROW {
            self.sum = narrow::absorb(self.sum, self.r, std::slice::from_ref(block));
            return;
        }
        let text = limbs([word(block, 0), word(block, 8)]);
        let [a, b, c] = self.sum;
        self.sum = multiply([a + text[0], b + text[1], c + text[2] + (1 << 40)], self.r);
    }

    /// Returns the tag.
    #[inline]
    pub(crate) fn finish(&self) -> [u8; BLOCK] {
        // Carried all around twice, every limb is within its bits.
        let [mut a, mut b, mut c] = self.sum;
        for _ in 0..2 {
            b += a >> 44;
            a &= MASK_44;
            c += b >> 44;
            b &= MASK_44;
            a += 5 * (c >> 42);
            c &= MASK_42;
        }
        b += a >> 44;
        a &= MASK_44;
        // Less 2^130 - 5, if that is not negative: the choice by mask, not by branch.
        let x = a + 5;
        let y = b + (x >> 44);
        let z = (c + (y >> 44)).wrapping_sub(1 << 42);
        let keep = (z >> 63).wrapping_neg();
        a = (a & keep) | (x & MASK_44 & !keep);
        b = (b & keep) | (y & MASK_44 & !keep);
        c = (c & keep) | (z & !keep);
        let number = u128::from(a) | u128::from(b) << 44 | u128::from(c) << 88;
        let pad = u128::from(self.pad[0]) | u128::from(self.pad[1]) << 64;
        number.wrapping_add(pad).to_le_bytes()
    }
}

/// Returns the last block, which has both lengths.
#[inline]
pub(crate) fn lengths(aad: usize, text: u64) -> [u8; BLOCK] {
    (aad as u128 | u128::from(text) << 64).to_le_bytes()
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("eight bytes"))
}

#[inline]
fn limbs([low, high]: [u64; 2]) -> Limbs {
    [low & MASK_44, (low >> 44 | high << 20) & MASK_44, high >> 24]
}

/// Returns the product. A limb of the first factor has at most 46 bits; one of the second is at
/// most 2^44 + 2^23, which the middle limb of a product can reach.
#[inline]
pub(crate) fn multiply([a, b, c]: Limbs, [x, y, z]: Limbs) -> Limbs {
    let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
    // The bits from 132 on are added at bit 2, five times.
    let (y_20, z_20) = (20 * y, 20 * z);
    let low = product(a, x) + product(b, z_20) + product(c, y_20);
    let middle = product(a, y) + product(b, x) + product(c, z_20) + (low >> 44);
    let high = product(a, z) + product(b, y) + product(c, x) + (middle >> 44);
    let around = (low as u64 & MASK_44) + 5 * (high >> 42) as u64;
    [around & MASK_44, (middle as u64 & MASK_44) + (around >> 44), high as u64 & MASK_42]
}

#[cfg(test)]
pub(crate) mod tests;
