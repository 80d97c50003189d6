//! POLYVAL (RFC 8452, section 3): a polynomial in H with the blocks as coefficients, over the
//! field of [`field`](crate::cipher::field). By carry-less products of the CPU, many blocks
//! before each reduction.

use super::BLOCK;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cipher::field::reduced;
use crate::cipher::field::{Factor, product, sum_of_blocks};
#[cfg(target_arch = "x86_64")]
use crate::cipher::gcm::wide;
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::{Carryless, Gcm512};
use crate::wipe::Wiped;
#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
use crate::wipe::{Plain, wipe_plain};

/// Blocks between two reductions, where the products are of one block.
#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
const GROUP: usize = 8;

/// POLYVAL under one key.
#[allow(clippy::large_enum_variant)] // on the heap
pub(super) enum Polyval {
    /// Without the CPU's products: H.
    Plain(Wiped<u128>),
    /// One block at once.
    #[cfg(target_arch = "x86_64")]
    Narrow(Powers, Carryless),
    /// The same.
    #[cfg(target_arch = "aarch64")]
    Narrow(Powers),
    /// Four blocks at once.
    #[cfg(target_arch = "x86_64")]
    Wide(wide::Powers, Gcm512),
}

/// H^8 to H. Wiped on drop.
#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) struct Powers([u128; GROUP]);

// SAFETY: an array of integers.
#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
unsafe impl Plain for Powers {}

#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
impl Drop for Powers {
    fn drop(&mut self) {
        wipe_plain(self);
    }
}

#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
impl Powers {
    fn prepare(&mut self, h: Factor) {
        let mut power = h;
        for place in self.0.iter_mut().rev() {
            *place = power.0;
            power = power.times(h);
        }
    }
}

impl Polyval {
    /// Returns room for the powers, to be prepared before use.
    pub(super) fn vacant() -> Self {
        Polyval::Plain(Wiped(0))
    }

    /// Chooses, and prepares the powers at the place where they stay.
    pub(super) fn prepare(&mut self, h: Factor) {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Gcm512::detect() {
            *self = Polyval::Wide(wide::Powers::vacant(), proof);
        } else if let Some(proof) = Carryless::detect() {
            *self = Polyval::Narrow(Powers([0; GROUP]), proof);
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("aes") {
            *self = Polyval::Narrow(Powers([0; GROUP]));
        }
        match self {
            Polyval::Plain(place) => place.0 = h.0,
            #[cfg(target_arch = "x86_64")]
            Polyval::Narrow(powers, _) => powers.prepare(h),
            #[cfg(target_arch = "aarch64")]
            Polyval::Narrow(powers) => powers.prepare(h),
            #[cfg(target_arch = "x86_64")]
            Polyval::Wide(powers, _) => powers.prepare(h),
        }
    }

    /// Returns the sum of a text, the last block filled up with zeros: each block times the power
    /// of H for its distance from the end, the last times H.
    pub(super) fn sum(&self, text: &[u8]) -> u128 {
        match self {
            Polyval::Plain(h) => extended(0, Factor(h.0), text),
            // SAFETY: the proof says that the CPU has the instructions.
            #[cfg(target_arch = "x86_64")]
            Polyval::Narrow(powers, _) => unsafe { by_clmul(powers, text) },
            // SAFETY: it was detected that the CPU has the instructions.
            #[cfg(target_arch = "aarch64")]
            Polyval::Narrow(powers) => unsafe { by_pmull(powers, text) },
            // SAFETY: the proof says that the CPU has the instructions.
            #[cfg(target_arch = "x86_64")]
            Polyval::Wide(powers, proof) => unsafe { wide::polyval(powers, text, *proof) },
        }
    }
}

/// Works like [`Polyval::sum`], after a sum.
pub(super) fn extended(sum: u128, h: Factor, text: &[u8]) -> u128 {
    let (blocks, last) = numbers(text);
    let sum = sum_of_blocks(sum, blocks, h, |block| u128::from_le_bytes(*block));
    last.map_or(sum, |last| product(sum ^ last, h))
}

/// Returns the whole blocks of a text as numbers, and the last filled up with zeros.
#[inline]
fn numbers(text: &[u8]) -> (&[[u8; BLOCK]], Option<u128>) {
    let (blocks, rest) = text.as_chunks();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    (blocks, Some(u128::from_le_bytes(last)).filter(|_| !rest.is_empty()))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq,sse2")]
fn by_clmul(Powers(powers): &Powers, text: &[u8]) -> u128 {
    use std::arch::x86_64::*;
    let vector = |number: u128| _mm_set_epi64x((number >> 64) as i64, number as i64);
    let whole = |vector: __m128i| {
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(vector, vector)) as u64;
        u128::from(_mm_cvtsi128_si64(vector) as u64) | u128::from(high) << 64
    };
    // The sum is multiplied with the first block.
    let group = |sum: u128, blocks: &[[u8; BLOCK]], powers: &[u128]| {
        let [mut low, mut middle, mut high] = [_mm_setzero_si128(); 3];
        let mut sum = vector(sum);
        for (block, power) in blocks.iter().zip(powers) {
            // SAFETY: both have 16 bytes.
            let (text, power) = unsafe {
                (
                    _mm_loadu_si128(block.as_ptr().cast()),
                    _mm_loadu_si128(std::ptr::from_ref(power).cast()),
                )
            };
            let text = _mm_xor_si128(text, std::mem::replace(&mut sum, _mm_setzero_si128()));
            low = _mm_xor_si128(low, _mm_clmulepi64_si128::<0x00>(text, power));
            high = _mm_xor_si128(high, _mm_clmulepi64_si128::<0x11>(text, power));
            let across = [
                _mm_clmulepi64_si128::<0x01>(text, power),
                _mm_clmulepi64_si128::<0x10>(text, power),
            ];
            middle = _mm_xor_si128(middle, _mm_xor_si128(across[0], across[1]));
        }
        reduced(whole(low), whole(middle), whole(high))
    };
    let (blocks, last) = numbers(text);
    let (groups, blocks) = blocks.as_chunks::<GROUP>();
    let mut sum = groups.iter().fold(0, |sum, blocks| group(sum, blocks, powers));
    if !blocks.is_empty() {
        sum = group(sum, blocks, &powers[GROUP - blocks.len()..]);
    }
    last.map_or(sum, |last| group(sum, &[last.to_le_bytes()], &powers[GROUP - 1..]))
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon,aes")]
fn by_pmull(Powers(powers): &Powers, text: &[u8]) -> u128 {
    use std::arch::aarch64::vmull_p64;
    let halves = |number: u128| (number as u64, (number >> 64) as u64);
    // The sum is multiplied with the first block.
    let group = |mut sum: u128, blocks: &[[u8; BLOCK]], powers: &[u128]| {
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
    let (blocks, last) = numbers(text);
    let (groups, blocks) = blocks.as_chunks::<GROUP>();
    let mut sum = groups.iter().fold(0, |sum, blocks| group(sum, blocks, powers));
    if !blocks.is_empty() {
        sum = group(sum, blocks, &powers[GROUP - blocks.len()..]);
    }
    last.map_or(sum, |last| group(sum, &[last.to_le_bytes()], &powers[GROUP - 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Bytes, sizes};

    /// Returns every implementation that this CPU has.
    fn ways(h: Factor) -> Vec<(&'static str, Polyval)> {
        let narrow = || {
            let mut powers = Powers([0; GROUP]);
            powers.prepare(h);
            powers
        };
        let mut ways = vec![("plain", Polyval::Plain(Wiped(h.0)))];
        #[cfg(target_arch = "x86_64")]
        ways.extend(Carryless::detect().map(|proof| ("narrow", Polyval::Narrow(narrow(), proof))));
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("aes") {
            ways.push(("narrow", Polyval::Narrow(narrow())));
        }
        let mut chosen = Polyval::vacant();
        chosen.prepare(h);
        ways.push(("chosen", chosen));
        ways
    }

    /// RFC 8452, appendix A.
    #[test]
    fn the_example_of_the_standard_is_reproduced() {
        let number = |hex: &str| u128::from_str_radix(hex, 16).expect("a number").swap_bytes();
        let h = Factor(number("25629347589242761d31f826ba4b757b"));
        let text = ["4f4f95668c83dfb6401762bb2d01a262", "d1a24ddd2721d006bbe45f20d3c9f362"];
        let text = text.map(|hex| number(hex).to_le_bytes()).concat();
        for (name, polyval) in ways(h) {
            assert_eq!(polyval.sum(&text), number("f7a3b47b846119fae5b7866cf5e5b77e"), "{name}");
        }
    }

    #[test]
    fn all_ways_agree_at_every_size() {
        let mut bytes = Bytes(14);
        let h = Factor(u128::from_ne_bytes(bytes.array()));
        let (ways, text) = (ways(h), bytes.vec(20_000));
        for size in sizes().filter(|&size| size <= text.len()) {
            let [sum, others @ ..] =
                &ways.iter().map(|(_, way)| way.sum(&text[..size])).collect::<Vec<_>>()[..]
            else {
                unreachable!("there is a plain one")
            };
            assert!(others.iter().all(|other| other == sum), "{size}");
        }
    }
}
