//! Poly1305 of 16 blocks at once, with AVX-512's products of 52-bit integers.
//!
//! 16 lanes, two registers for each limb, are as in the [module above](super). So that the message
//! is a whole number of steps, it is preceded by empty lanes.
//!
//! A product's lower 52 bits belong where the limbs' positions add up to, its upper bits 52 bits
//! further on, which is 8 bits above the next limb (10 above the top one's end).
//!
//! ```text
//! a, b, c: the sum;  x, y, z: r^16                   2^132 = 20 modulo 2^130 - 5
//! low[0], high[0] = a x + c 20y + b 20z              VPMADD52LUQ, VPMADD52HUQ: three of each
//! low[1], high[1] = a y + b x + c 20z
//! low[2], high[2] = a z + b y + c x
//! carry:  b = low[1] + (low[0] >> 44) + (high[0] << 8)
//!         c = low[2] + (b >> 44) + (high[1] << 8)
//!         a = low[0] mod 2^44 + 5 ((c >> 42) + (high[2] << 10))
//!         b = b mod 2^44 + (a >> 44);  a = a mod 2^44;  c = c mod 2^42
//! step:   a, b, c += the limbs of the next 16 blocks
//! ```

use std::arch::x86_64::*;

use super::{BLOCK, LANES, MASK_42, MASK_44, PASS, Poly1305, STEP, Steps, multiply};
use crate::wipe::{Plain, wiped_on_drop};

/// Eight numbers, a register a limb.
type Eight = [__m512i; 3];

/// Eight factors: their limbs, then the upper two times 20.
type Factors = [__m512i; 5];

/// The block in each lane. Unpacking 128 bytes into lower and upper words leads to this order.
const ORDER: [i64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// The sums of 16 lanes.
#[derive(Copy, Clone)]
pub(crate) struct Sums([Eight; 2]);

/// The powers of r. Wiped on drop.
pub(crate) struct Powers {
    /// r^16 in all lanes.
    step: Factors,
    /// r^16 to r^9, and r^8 to r^1.
    last: [Factors; 2],
}

// SAFETY: made of vectors of integers.
wiped_on_drop!(unsafe Powers);

// SAFETY: made of vectors of integers.
unsafe impl Plain for Sums {}

impl Steps for Powers {
    type Sums = Sums;
    type Running = Sums;

    /// Takes about as long as ten blocks one by one.
    ///
    /// # Safety
    /// As for the trait.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    unsafe fn new(key: &Poly1305) -> Self {
        let r = key.r;
        let r_2 = multiply(r, r);
        let (r_3, r_4) = (multiply(r_2, r), multiply(r_2, r_2));
        let (r_5, r_6, r_7, r_8) =
            (multiply(r_4, r), multiply(r_4, r_2), multiply(r_4, r_3), multiply(r_4, r_4));
        let power = [r_8, r_7, r_6, r_5, r_4, r_3, r_2, r];
        let near: Eight = std::array::from_fn(|limb| {
            let [a, b, c, d, e, f, g, h] = ORDER.map(|block| power[block as usize][limb] as i64);
            _mm512_set_epi64(h, g, f, e, d, c, b, a)
        });
        let near_factors = factors(near);
        let far =
            carry(products(r_8.map(|limb| _mm512_set1_epi64(limb as i64)), &near_factors, zero()));
        // Lane 0 of these is r^16.
        let step = far.map(|limb| _mm512_broadcastq_epi64(_mm512_castsi512_si128(limb)));
        Self { step: factors(step), last: [factors(far), near_factors] }
    }

    /// Absorbs the blocks in the last lanes.
    ///
    /// # Safety
    /// As for the trait.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    unsafe fn first(&self, key: &Poly1305, text: &[u8], blocks: usize) -> Sums {
        let empty = LANES - blocks;
        let mut padded = [0; STEP];
        padded[empty * BLOCK..].copy_from_slice(&text[..blocks * BLOCK]);
        // SAFETY: reads the array's bytes.
        let mut lanes = unsafe { load(padded.as_ptr()) };
        let [a, b, c, d, e, f, g, h] = ORDER;
        for (half, lanes) in lanes.iter_mut().enumerate() {
            let order = _mm512_add_epi64(
                _mm512_set_epi64(h, g, f, e, d, c, b, a),
                _mm512_set1_epi64(8 * half as i64),
            );
            let first = _mm512_set1_epi64(empty as i64);
            let (here, before) =
                (_mm512_cmpeq_epi64_mask(order, first), _mm512_cmplt_epi64_mask(order, first));
            lanes[2] =
                _mm512_mask_sub_epi64(lanes[2], before, lanes[2], _mm512_set1_epi64(1 << 40));
            for (lane, sum) in lanes.iter_mut().zip(key.sum) {
                *lane = _mm512_mask_add_epi64(*lane, here, *lane, _mm512_set1_epi64(sum as i64));
            }
        }
        Sums(lanes)
    }

    /// # Safety
    /// As for the trait.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    unsafe fn step(&self, sums: Sums, text: &[u8; STEP]) -> Sums {
        // SAFETY: reads the array's bytes.
        let text = unsafe { load(text.as_ptr()) };
        let [one, other] = sums.0.map(|sum| carry(products(sum, &self.step, zero())));
        Sums([add(one, text[0]), add(other, text[1])])
    }

    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn begin(&self, sums: Sums, _text: &[u8; PASS]) -> Sums {
        sums
    }

    /// Absorbs a step in every second part but the last.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn part(&self, sums: Sums, text: &[u8; PASS], index: usize) -> Sums {
        match text.as_chunks().0.get(index / 2) {
            // SAFETY: as for this function.
            Some(step) if !index.is_multiple_of(2) => unsafe { self.step(sums, step) },
            _ => sums,
        }
    }

    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn end(&self, sums: Sums, _text: &[u8; PASS]) -> Sums {
        sums
    }

    /// Adds all lanes, into which the last block has gone.
    ///
    /// # Safety
    /// As for the trait.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    unsafe fn last(&self, sums: Sums, key: &mut Poly1305) {
        let [one, other] = sums.0;
        let sum = carry(products(other, &self.last[1], products(one, &self.last[0], zero())));
        let [a, b, c] = sum.map(|limb| _mm512_reduce_add_epi64(limb) as u64);
        let b = b + (a >> 44);
        let c = c + (b >> 44);
        let a = (a & MASK_44) + 5 * (c >> 42);
        key.sum = [a & MASK_44, (b & MASK_44) + (a >> 44), c & MASK_42];
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn zero() -> [Eight; 2] {
    [[_mm512_setzero_si512(); 3]; 2]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn factors([x, y, z]: Eight) -> Factors {
    let times_20 =
        |limb| _mm512_add_epi64(_mm512_slli_epi64::<4>(limb), _mm512_slli_epi64::<2>(limb));
    [x, y, z, times_20(y), times_20(z)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(one: Eight, other: Eight) -> Eight {
    std::array::from_fn(|limb| _mm512_add_epi64(one[limb], other[limb]))
}

/// Adds eight products to sums of lower and of upper parts.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn products(
    [a, b, c]: Eight,
    &[x, y, z, y_20, z_20]: &Factors,
    [low, high]: [Eight; 2],
) -> [Eight; 2] {
    // Three sums of three products each; those of the limb that is ready last come last.
    let pairs =
        [[(c, y_20), (a, x), (b, z_20)], [(c, z_20), (a, y), (b, x)], [(c, x), (a, z), (b, y)]];
    let lower = |limb: usize| {
        pairs[limb].into_iter().fold(low[limb], |sum, (l, r)| _mm512_madd52lo_epu64(sum, l, r))
    };
    let upper = |limb: usize| {
        pairs[limb].into_iter().fold(high[limb], |sum, (l, r)| _mm512_madd52hi_epu64(sum, l, r))
    };
    [[lower(0), lower(1), lower(2)], [upper(0), upper(1), upper(2)]]
}

/// Brings the limbs back to 44, 44 and 42 bits, and one or two more.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry([low, high]: [Eight; 2]) -> Eight {
    let (mask_44, mask_42) = (_mm512_set1_epi64(MASK_44 as i64), _mm512_set1_epi64(MASK_42 as i64));
    let [mut a, mut b, mut c] = low;
    let over = _mm512_add_epi64(_mm512_srli_epi64::<44>(a), _mm512_slli_epi64::<8>(high[0]));
    b = _mm512_add_epi64(b, over);
    let over = _mm512_add_epi64(_mm512_srli_epi64::<44>(b), _mm512_slli_epi64::<8>(high[1]));
    c = _mm512_add_epi64(c, over);
    let over = _mm512_add_epi64(_mm512_srli_epi64::<42>(c), _mm512_slli_epi64::<10>(high[2]));
    a = _mm512_and_si512(a, mask_44);
    a = _mm512_add_epi64(a, _mm512_add_epi64(over, _mm512_slli_epi64::<2>(over)));
    b = _mm512_add_epi64(_mm512_and_si512(b, mask_44), _mm512_srli_epi64::<44>(a));
    [_mm512_and_si512(a, mask_44), b, _mm512_and_si512(c, mask_42)]
}

/// Returns 16 blocks as limbs, with the bit above each that says it is whole.
///
/// # Safety
/// There are [`STEP`] bytes at `text`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(text: *const u8) -> [Eight; 2] {
    let mask_44 = _mm512_set1_epi64(MASK_44 as i64);
    [0, STEP / 2].map(|at| {
        // SAFETY: within the step.
        let [one, other] = unsafe {
            [
                _mm512_loadu_si512(text.add(at).cast()),
                _mm512_loadu_si512(text.add(at + STEP / 4).cast()),
            ]
        };
        let (low, high) = (_mm512_unpacklo_epi64(one, other), _mm512_unpackhi_epi64(one, other));
        let middle = _mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high));
        [
            _mm512_and_si512(low, mask_44),
            _mm512_and_si512(middle, mask_44),
            _mm512_or_si512(_mm512_srli_epi64::<24>(high), _mm512_set1_epi64(1 << 40)),
        ]
    })
}
