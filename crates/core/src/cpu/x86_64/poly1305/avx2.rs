//! Poly1305 of four blocks at once with AVX2: five limbs of 26 bits, as a product is of 32-bit
//! numbers.
//!
//! Four lanes are as in the [module above](super). A pass takes two blocks a lane, and both
//! products are carried once:
//!
//! ```text
//! pass:      lane = carry((lane + first block) * r^8 + second block * r^4)
//!            a step that is left: lane = carry((lane + block) * r^4)
//! the last:  lane = carry((lane + block) * its own power: r^4, r^3, r^2 or r)
//! product:   limb k = the sum over i of n[i] * f[k - i], or n[i] * 5 f[k + 5 - i] where i > k
//!            VPMULUDQ, 25 products; 5 f is computed before
//! carry:     a to b to c to d, and beside it d to e to a (times five) to b; last d to e
//! ```

use std::arch::x86_64::*;

use super::{BLOCK, Limbs, MASK_42, MASK_44, Poly1305};
use crate::wipe::{Wiped, wiped_on_drop};

/// Blocks of a step; a pass is two steps.
pub(super) const LANES: usize = 4;
/// Bytes of a step.
const STEP: usize = LANES * BLOCK;

const MASK_26: u64 = (1 << 26) - 1;

/// Four numbers, a register a limb.
type Four = [__m256i; 5];

/// The power of r in each lane, and the upper four limbs five times.
#[derive(Copy, Clone)]
struct Factors {
    limbs: Four,
    times_5: [__m256i; 4],
}

/// The powers of r that passes need. Wiped on drop.
pub(crate) struct Powers {
    eighth: Factors,
    fourth: Factors,
    /// r^4, r^2, r^3 and r: what the blocks of the last step are multiplied by, in the order of
    /// [`load`].
    last: Factors,
}

// SAFETY: made of vectors of integers.
wiped_on_drop!(unsafe Powers);

impl Powers {
    /// Returns room for the powers.
    pub(crate) fn zeros() -> Self {
        // SAFETY: made of vectors of integers.
        unsafe { std::mem::zeroed() }
    }

    /// Computes them.
    #[target_feature(enable = "avx2")]
    pub(crate) fn prepare(&mut self, key: &Poly1305) {
        let power = |exponent| Wiped(split(key.power(exponent)));
        let [one, two, three, four, eight] = [power(1), power(2), power(3), power(4), power(8)];
        self.eighth = factors([&eight.0; LANES]);
        self.fourth = factors([&four.0; LANES]);
        self.last = factors([&four.0, &two.0, &three.0, &one.0]);
    }

    /// Returns the sum of whole steps of text: each block times the power of r for its distance
    /// from the end, the last times r.
    ///
    /// # Panics
    /// For no text, and for one that is not a whole number of steps.
    #[target_feature(enable = "avx2")]
    pub(crate) fn sum(&self, text: &[u8]) -> Limbs {
        assert!(!text.is_empty() && text.len().is_multiple_of(STEP));
        let (text, size) = (text.as_ptr(), text.len());
        let last = size - STEP;
        let zero = [_mm256_setzero_si256(); 5];
        let (mut sums, mut at) = (zero, 0);
        // SAFETY: what is read lies within the `size` bytes.
        unsafe {
            let times = |sums, at, factors| products(add(sums, load(text.add(at))), factors, zero);
            while last - at >= 2 * STEP {
                let first = times(sums, at, &self.eighth);
                sums = carry(products(load(text.add(at + STEP)), &self.fourth, first));
                at += 2 * STEP;
            }
            if at < last {
                sums = carry(times(sums, at, &self.fourth));
                at += STEP;
            }
            sums = carry(times(sums, at, &self.last));
        }
        join(sums.map(|limb| {
            let two =
                _mm_add_epi64(_mm256_castsi256_si128(limb), _mm256_extracti128_si256::<1>(limb));
            (_mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)) as u64
        }))
    }
}

/// Returns a number's limbs of 26 bits.
fn split([a, b, c]: Limbs) -> [u64; 5] {
    let low = u128::from(a) + (u128::from(b) << 44);
    let high = (low >> 78) + (u128::from(c) << 10);
    let limb = |number: u128| number as u64 & MASK_26;
    [limb(low), limb(low >> 26), limb(low >> 52), limb(high), (high >> 26) as u64]
}

/// Returns the number of these limbs of 26 bits, which may be too large.
fn join([a, b, c, d, e]: [u64; 5]) -> Limbs {
    let number = u128::from(a) + (u128::from(b) << 26) + (u128::from(c) << 52);
    let rest = (number >> 44) + (u128::from(d) << 34) + (u128::from(e) << 60);
    let high = (rest >> 44) as u64;
    let around = (number as u64 & MASK_44) + 5 * (high >> 42);
    [around & MASK_44, (rest as u64 & MASK_44) + (around >> 44), high & MASK_42]
}

#[inline]
#[target_feature(enable = "avx2")]
fn factors([a, b, c, d]: [&[u64; 5]; LANES]) -> Factors {
    let limbs: Four = std::array::from_fn(|limb| {
        _mm256_set_epi64x(d[limb] as i64, c[limb] as i64, b[limb] as i64, a[limb] as i64)
    });
    let times_5 = std::array::from_fn(|limb| {
        let limb = limbs[limb + 1];
        _mm256_add_epi64(limb, _mm256_slli_epi64::<2>(limb))
    });
    Factors { limbs, times_5 }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(one: Four, other: Four) -> Four {
    std::array::from_fn(|limb| _mm256_add_epi64(one[limb], other[limb]))
}

/// Adds four products to sums: limbs of at most 28 and 27 bits, two times five of 29.
#[inline]
#[target_feature(enable = "avx2")]
fn products(numbers: Four, factors: &Factors, sums: Four) -> Four {
    std::array::from_fn(|limb| {
        let product = |index: usize| {
            // The bits from 130 on are added at bit 0, five times.
            let factor = if index <= limb {
                factors.limbs[limb - index]
            } else {
                factors.times_5[4 + limb - index]
            };
            _mm256_mul_epu32(numbers[index], factor)
        };
        let pairs = _mm256_add_epi64(
            _mm256_add_epi64(product(0), product(1)),
            _mm256_add_epi64(product(2), product(3)),
        );
        _mm256_add_epi64(_mm256_add_epi64(sums[limb], product(4)), pairs)
    })
}

/// Brings the limbs back to 26 bits, and one more.
#[inline]
#[target_feature(enable = "avx2")]
fn carry([mut a, mut b, mut c, mut d, mut e]: Four) -> Four {
    let mask = _mm256_set1_epi64x(MASK_26 as i64);
    let over = |limb| _mm256_srli_epi64::<26>(limb);
    let keep = |limb| _mm256_and_si256(limb, mask);
    // Two chains side by side.
    (b, e) = (_mm256_add_epi64(b, over(a)), _mm256_add_epi64(e, over(d)));
    (a, d) = (keep(a), keep(d));
    let around = over(e);
    (c, a) = (
        _mm256_add_epi64(c, over(b)),
        _mm256_add_epi64(a, _mm256_add_epi64(around, _mm256_slli_epi64::<2>(around))),
    );
    (b, e) = (keep(b), keep(e));
    (d, b) = (_mm256_add_epi64(d, over(c)), _mm256_add_epi64(b, over(a)));
    (c, a) = (keep(c), keep(a));
    [a, b, c, keep(d), _mm256_add_epi64(e, over(d))]
}

/// Returns four blocks as limbs, with the bit above each that says it is whole: the first, third,
/// second and fourth.
///
/// # Safety
/// There are [`STEP`] bytes at `text`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(text: *const u8) -> Four {
    // SAFETY: within the step.
    let [one, other] =
        unsafe { [_mm256_loadu_si256(text.cast()), _mm256_loadu_si256(text.add(STEP / 2).cast())] };
    let (low, high) = (_mm256_unpacklo_epi64(one, other), _mm256_unpackhi_epi64(one, other));
    let mask = _mm256_set1_epi64x(MASK_26 as i64);
    let middle = _mm256_or_si256(_mm256_srli_epi64::<52>(low), _mm256_slli_epi64::<12>(high));
    [
        _mm256_and_si256(low, mask),
        _mm256_and_si256(_mm256_srli_epi64::<26>(low), mask),
        _mm256_and_si256(middle, mask),
        _mm256_and_si256(_mm256_srli_epi64::<14>(high), mask),
        _mm256_or_si256(_mm256_srli_epi64::<40>(high), _mm256_set1_epi64x(1 << 24)),
    ]
}
