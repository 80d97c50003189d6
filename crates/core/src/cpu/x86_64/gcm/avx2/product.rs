//! GHASH's products, two at once.
//!
//! Those of a pass are as Karatsuba and Ofman have them: three instead of four, as Zen 3 and Alder
//! Lake start one at most every other cycle. Other products take four.
//!
//! ```text
//! prepare:       (H^2, H) * H^2 = (H^4, H^3);  these four * H^4 = H^8 .. H^5;  these eight * H^8
//!                halves = low ^ high of each power
//! add_of_pass:   low    ^= text.low * power.low                     a VPCLMULQDQ each, two lanes
//!                high   ^= text.high * power.high
//!                middle ^= (text.low ^ text.high) * halves
//! end of pass:   middle ^= low ^ high                               once for 16 products
//! reduced:       middle ^= swap(low) ^ low.low * c                  swap exchanges the halves
//!                high   ^= swap(middle) ^ middle.low * c            c = 0xc2 << 56
//!                the XOR of both lanes
//! ```

use std::arch::x86_64::*;

use super::{BLOCKS, PASS, WIDE};
use crate::cipher::field::Factor;
use crate::cpu::kernels::aes::words;
use crate::wipe::wiped_on_drop;

/// Powers of H. Wiped on drop.
#[repr(C, align(32))]
pub(crate) struct Powers {
    /// H^16 to H, and zeros for a register that begins with H.
    whole: [u128; BLOCKS + 1],
    /// The sum of each power's halves, in the order in which a pass reads them: the powers 0 and 2,
    /// 1 and 3, and so on.
    halves: [u64; BLOCKS],
}

// SAFETY: arrays of integers.
wiped_on_drop!(unsafe Powers);

impl Powers {
    /// Returns room for the powers.
    #[inline]
    pub(crate) fn vacant() -> Self {
        Self { whole: [0; BLOCKS + 1], halves: [0; BLOCKS] }
    }

    /// Computes them.
    #[inline]
    #[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
    pub(crate) fn prepare(&mut self, h: Factor) {
        let both = |block: __m256i| _mm256_permute2x128_si256::<0x00>(block, block);
        let one = _mm256_broadcastsi128_si256(words(h.0));
        let square = times(one, one);
        let mut powers = [_mm256_blend_epi32::<0xf0>(square, one); PASS];
        powers[6] = times(powers[7], square);
        let fourth = both(powers[6]);
        powers[5] = times(powers[7], fourth);
        powers[4] = times(powers[6], fourth);
        let eighth = both(powers[4]);
        for place in 0..4 {
            powers[place] = times(powers[place + 4], eighth);
        }
        let (whole, halves) = (self.whole.as_mut_ptr(), self.halves.as_mut_ptr());
        for (pair, &[one, other]) in powers.as_chunks::<2>().0.iter().enumerate() {
            let sums = _mm256_xor_si256(
                _mm256_unpacklo_epi64(one, other),
                _mm256_unpackhi_epi64(one, other),
            );
            // SAFETY: four powers and as many sums, of 16 each.
            unsafe {
                _mm256_storeu_si256(whole.add(4 * pair).cast(), one);
                _mm256_storeu_si256(whole.add(4 * pair + 2).cast(), other);
                _mm256_storeu_si256(halves.add(4 * pair).cast(), sums);
            }
        }
    }

    /// Returns H.
    #[inline]
    pub(crate) fn h(&self) -> Factor {
        Factor(self.whole[BLOCKS - 1])
    }

    /// Returns two powers from this place on.
    ///
    /// # Safety
    /// They are within the table.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn at(&self, place: usize) -> __m256i {
        // SAFETY: the table has two powers from this place on.
        unsafe { _mm256_loadu_si256(self.whole.as_ptr().add(place).cast()) }
    }
}

/// Sums of products before they are reduced: the lower halves', the upper halves', and those
/// across.
#[derive(Copy, Clone)]
pub(super) struct Product {
    pub(super) low: __m256i,
    pub(super) middle: __m256i,
    pub(super) high: __m256i,
}

impl Product {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn zero() -> Self {
        let zero = _mm256_setzero_si256();
        Self { low: zero, middle: zero, high: zero }
    }

    /// Adds two blocks times two powers.
    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    pub(super) fn add(&mut self, text: __m256i, power: __m256i) {
        let across = _mm256_xor_si256(
            _mm256_clmulepi64_epi128::<0x01>(text, power),
            _mm256_clmulepi64_epi128::<0x10>(text, power),
        );
        self.middle = _mm256_xor_si256(self.middle, across);
        self.low = _mm256_xor_si256(self.low, _mm256_clmulepi64_epi128::<0x00>(text, power));
        self.high = _mm256_xor_si256(self.high, _mm256_clmulepi64_epi128::<0x11>(text, power));
    }

    /// Adds a register of a pass; the sum goes into the first block. The products across are those
    /// of the sums of halves, from which the others have to be subtracted.
    ///
    /// # Safety
    /// There are [`BYTES`](super::BYTES) bytes at `text`, and the index is below [`PASS`].
    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    pub(super) unsafe fn add_of_pass(
        &mut self,
        powers: &Powers,
        text: *const u8,
        index: usize,
        sum: __m128i,
    ) {
        // SAFETY: within the pass, and within the tables.
        let (text, power, halves) = unsafe {
            (
                reversed(_mm256_loadu_si256(text.add(index * WIDE).cast())),
                powers.at(2 * index),
                _mm256_loadu_si256(powers.halves.as_ptr().add(index / 2 * 4).cast()),
            )
        };
        let text = if index == 0 { _mm256_xor_si256(text, first(sum)) } else { text };
        let low = _mm256_clmulepi64_epi128::<0x00>(text, power);
        let high = _mm256_clmulepi64_epi128::<0x11>(text, power);
        let both = _mm256_xor_si256(text, _mm256_unpackhi_epi64(text, text));
        let middle = match index % 2 {
            0 => _mm256_clmulepi64_epi128::<0x00>(both, halves),
            _ => _mm256_clmulepi64_epi128::<0x10>(both, halves),
        };
        self.low = _mm256_xor_si256(self.low, low);
        self.high = _mm256_xor_si256(self.high, high);
        self.middle = _mm256_xor_si256(self.middle, middle);
    }

    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    pub(super) fn reduced_pass(mut self) -> __m128i {
        self.middle = _mm256_xor_si256(self.middle, _mm256_xor_si256(self.low, self.high));
        self.reduced()
    }

    /// Reduces two products at once, as [`product`](crate::cipher::field::product) does,
    /// and returns their sum.
    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    pub(super) fn reduced(self) -> __m128i {
        let two = self.reduced_each();
        _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
    }

    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    fn reduced_each(self) -> __m256i {
        let modulus = _mm256_set1_epi64x(0xc200_0000_0000_0000_u64 as i64);
        let fold = |number: __m256i| {
            let halves = _mm256_shuffle_epi32::<0b01_00_11_10>(number);
            _mm256_xor_si256(halves, _mm256_clmulepi64_epi128::<0x00>(number, modulus))
        };
        let middle = _mm256_xor_si256(self.middle, fold(self.low));
        _mm256_xor_si256(self.high, fold(middle))
    }
}

/// Returns two products.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn times(numbers: __m256i, factors: __m256i) -> __m256i {
    let mut product = Product::zero();
    product.add(numbers, factors);
    product.reduced_each()
}

/// Converts two blocks to numbers, and back.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn reversed(blocks: __m256i) -> __m256i {
    let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    _mm256_shuffle_epi8(blocks, _mm256_broadcastsi128_si256(order))
}

/// Returns a register with a block's number in the first lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn first(number: __m128i) -> __m256i {
    _mm256_zextsi128_si256(number)
}
