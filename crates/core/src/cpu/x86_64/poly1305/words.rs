//! Poly1305 in words of 64 bits, for general registers: runs beside vectors that leave no room for
//! its own, where the CPU lacks products of 52-bit integers.
//!
//! One block waits for the other, so two halves are summed up side by side: of a step, and of a
//! pass of four steps.
//!
//! ```text
//! low, high, top = the sum;  r0, r1 = r;  around = r1 * 5 / 4           2^128 r1 = around
//! block:  (low, high, top) += block + 2^128
//!         first  = low r0 + high around
//!         second = low r1 + high r0 + top around + (first >> 64)
//!         third  = top r0 + (second >> 64)
//!         sum    = first, second of 64 bits each, third mod 4;  sum += 5 (third >> 2)
//! join:   the first half's sum * r^(blocks of a half) + the second's
//! ```

use super::{BLOCK, LANES, Limbs, MASK_44, PARTS, PASS, Poly1305, STEP, Steps, multiply};
use crate::wipe::{Plain, wiped_on_drop};

/// Bytes of a long pass. With halves that are joined every KiB, ChaCha20-Poly1305 takes 2 % longer.
pub(crate) const LONG_PASS: usize = 4 * PASS;

/// A number: two words and the bits above them.
type Words = [u64; 3];

/// The sum so far.
#[derive(Copy, Clone)]
pub(crate) struct Sums(Words);

/// The sums of both halves of a pass.
#[derive(Copy, Clone)]
pub(crate) struct Halves(Words, Words);

// SAFETY: an array of integers.
unsafe impl Plain for Sums {}

/// The key's r and its powers. Wiped on drop.
pub(crate) struct Powers {
    r: [u64; 2],
    /// Five quarters of the upper word of r, which has zeros in the lower two bits.
    around: u64,
    /// For half a step, half a pass and half a long pass.
    power_8: Limbs,
    power_32: Limbs,
    power_128: Limbs,
}

// SAFETY: made of integers and arrays of integers.
wiped_on_drop!(unsafe Powers);

impl Steps for Powers {
    type Sums = Sums;
    type Running = Halves;

    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn new(key: &Poly1305) -> Self {
        let [low, high, _] = words(key.r);
        let square = |power| multiply(power, power);
        let power_8 = square(square(square(key.r)));
        let power_32 = square(square(power_8));
        let (r, around) = ([low, high], high + (high >> 2));
        Self { r, around, power_8, power_32, power_128: square(square(power_32)) }
    }

    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn first(&self, key: &Poly1305, text: &[u8], blocks: usize) -> Sums {
        let text = &text.as_chunks().0[..blocks];
        Sums(text.iter().fold(words(key.sum), |sum, block| self.block(sum, block)))
    }

    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn step(&self, sums: Sums, text: &[u8; STEP]) -> Sums {
        let (first, second) = text.as_chunks().0.split_at(LANES / 2);
        self.join(self.both(self.begin_long(sums), first, second), self.power_8)
    }

    /// Absorbs a block of each half.
    ///
    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn begin(&self, sums: Sums, text: &[u8; PASS]) -> Halves {
        self.pair(self.begin_long(sums), text, 0)
    }

    /// Absorbs three blocks of each half.
    ///
    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn part(&self, sums: Halves, text: &[u8; PASS], index: usize) -> Halves {
        let sums = self.pair(sums, text, 3 * index + 1);
        let sums = self.pair(sums, text, 3 * index + 2);
        self.pair(sums, text, 3 * index + 3)
    }

    /// Absorbs the last block of each half.
    ///
    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn end(&self, sums: Halves, text: &[u8; PASS]) -> Sums {
        const LAST: usize = PASS / BLOCK / 2 - 1;
        const { assert!(3 * PARTS + 1 == LAST) };
        self.join(self.pair(sums, text, LAST), self.power_32)
    }

    /// # Safety
    /// None is needed.
    #[inline(always)]
    unsafe fn last(&self, sums: Sums, key: &mut Poly1305) {
        key.sum = limbs(sums.0);
    }
}

impl Powers {
    /// Absorbs a block of each half of a text.
    #[inline(always)]
    pub(crate) fn pair<const SIZE: usize>(
        &self,
        Halves(one, other): Halves,
        text: &[u8; SIZE],
        index: usize,
    ) -> Halves {
        let (first, second) = text.as_chunks().0.split_at(SIZE / BLOCK / 2);
        Halves(self.block(one, &first[index]), self.block(other, &second[index]))
    }

    /// Begins a long pass.
    #[inline(always)]
    pub(crate) fn begin_long(&self, sums: Sums) -> Halves {
        Halves(sums.0, [0; 3])
    }

    /// Ends a long pass.
    #[inline(always)]
    pub(crate) fn end_long(&self, sums: Halves) -> Sums {
        self.join(sums, self.power_128)
    }

    /// Absorbs blocks of both halves.
    #[inline(always)]
    fn both(
        &self,
        Halves(mut one, mut other): Halves,
        first: &[[u8; BLOCK]],
        second: &[[u8; BLOCK]],
    ) -> Halves {
        for (block, opposite) in first.iter().zip(second) {
            one = self.block(one, block);
            other = self.block(other, opposite);
        }
        Halves(one, other)
    }

    /// Adds the halves, the first times the power for the second's blocks.
    #[inline(always)]
    fn join(&self, Halves(one, other): Halves, power: Limbs) -> Sums {
        let [low, high, top] = words(multiply(limbs(one), power));
        let sum = u128::from(low) | u128::from(high) << 64;
        let (sum, carry) = sum.overflowing_add(u128::from(other[0]) | u128::from(other[1]) << 64);
        Sums([sum as u64, (sum >> 64) as u64, top + other[2] + u64::from(carry)])
    }

    /// Absorbs a block. The part of a sum above two words is at most 8 before, which keeps all sums
    /// here within their words, and 4 after; [`join`](Self::join) of two such sums makes at most 8:
    /// a 4 comes with a second word that is nearly 0, so that nothing is carried.
    #[inline(always)]
    fn block(&self, [low, high, top]: Words, block: &[u8; BLOCK]) -> Words {
        let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
        let number = u128::from(low) | u128::from(high) << 64;
        let (number, carry) = number.overflowing_add(u128::from_le_bytes(*block));
        let (low, high, top) = (number as u64, (number >> 64) as u64, top + 1 + u64::from(carry));
        let [r, r_high] = self.r;
        // The bits from 128 on are added at bit -2, five times.
        let first = product(low, r) + product(high, self.around);
        let second = product(low, r_high) + product(high, r) + u128::from(top * self.around);
        let second = second + (first >> 64);
        let third = top * r + (second >> 64) as u64;
        let sum = u128::from(first as u64) | u128::from(second as u64) << 64;
        let (sum, carry) = sum.overflowing_add(u128::from((third & !3) + (third >> 2)));
        [sum as u64, (sum >> 64) as u64, (third & 3) + u64::from(carry)]
    }
}

/// Returns a number's words, almost reduced.
#[inline(always)]
fn words([a, b, c]: Limbs) -> Words {
    let number = u128::from(a) + (u128::from(b) << 44);
    let (number, carry) = number.overflowing_add(u128::from(c) << 88);
    let top = (c >> 40) + u64::from(carry);
    let (number, carry) = number.overflowing_add(u128::from(5 * (top >> 2)));
    [number as u64, (number >> 64) as u64, (top & 3) + u64::from(carry)]
}

/// Returns a number's limbs.
#[inline(always)]
fn limbs([low, high, top]: Words) -> Limbs {
    [low & MASK_44, (low >> 44 | high << 20) & MASK_44, high >> 24 | top << 40]
}
