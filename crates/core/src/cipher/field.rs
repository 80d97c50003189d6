//! The field GF(2^128) of GHASH (SP 800-38D, section 6.3) in whole numbers: for what is multiplied
//! a few times a message. No table and no branch depends on a value.
//!
//! A block is a number with its first byte on top, which has the coefficient of x^0 at the highest
//! bit. Products of two such numbers come out multiplied by x; so one factor is kept divided by x
//! (Gueron and Kounavis, "Intel carry-less multiplication instruction and its usage for computing
//! the GCM mode", 2010, figures 7 and 8; POLYVAL of RFC 8452, appendix A).
//!
//! Kernels reduce once a group (lazy reduction): reduction is linear, so the products of several
//! blocks are added first.
//!
//! ```text
//! powers = H^n, .., H^2, H                           n: 8 here, 64 and 16 in the kernels of GCM
//! for each group of n blocks b[0..n]
//!     b[0] ^= sum
//!     low = middle = high = 0                        128 bits each
//!     for i in 0..n                                  four carry-less products of 64 bits each
//!         low    ^= b[i].low  * powers[i].low
//!         middle ^= b[i].low  * powers[i].high ^ b[i].high * powers[i].low
//!         high   ^= b[i].high * powers[i].high
//!     sum = reduced(low, middle, high)
//! fewer blocks at the end: the last powers of the table
//! ```
//!
//! With Karatsuba, `middle` is one product: the sum of the block's halves times the sum of the
//! power's, less `low` and `high`.

#[cfg(not(feature = "aws-lc"))]
use crate::primitives::{Library, Primitives};
use crate::wipe::Wiped;

/// A factor: H or a power of it, divided by x, which is a shift to the left: the first bit of a
/// block is the coefficient of 1.
#[derive(Copy, Clone)]
pub(crate) struct Factor(pub(crate) u128);

impl Factor {
    /// Returns a block as a number.
    pub(crate) fn new(number: u128) -> Self {
        let carry = (number >> 127).wrapping_neg();
        Self((number << 1) ^ (carry & 0xc200_0000_0000_0000_0000_0000_0000_0001))
    }

    /// Returns the product with another.
    pub(crate) fn times(self, other: Factor) -> Self {
        Self(product(self.0, other))
    }

    /// Returns the number to the power of `exponent`, which is at least 1 and not secret.
    pub(crate) fn power(self, exponent: u64) -> Self {
        let mut power = self;
        for bit in (0..exponent.ilog2()).rev() {
            power = power.times(power);
            if exponent >> bit & 1 == 1 {
                power = power.times(self);
            }
        }
        power
    }
}

/// The library of [`product`]: shipped binaries multiply a few times a message, and have no crate
/// for that.
#[cfg(not(feature = "aws-lc"))]
pub(crate) const LIBRARY: &str = Library::NAME;
#[cfg(feature = "aws-lc")]
pub(crate) const LIBRARY: &str = crate::primitives::MILLRACE;

/// Returns the product of a number and a factor.
#[cfg(not(feature = "aws-lc"))]
#[inline]
pub(crate) fn product(number: u128, factor: Factor) -> u128 {
    use polyval::hazmat::FieldElement;
    (FieldElement::from(number) * FieldElement::from(factor.0)).into()
}

/// Returns the product of a number and a factor.
#[cfg(feature = "aws-lc")]
#[inline]
pub(crate) fn product(number: u128, factor: Factor) -> u128 {
    let halves = |number: u128| (number as u64, (number >> 64) as u64);
    let ((a_low, a_high), (b_low, b_high)) = (halves(number), halves(factor.0));
    // Three products instead of four (Karatsuba and Ofman).
    let (low, high) = (carryless(a_low, b_low), carryless(a_high, b_high));
    let middle = carryless(a_low ^ a_high, b_low ^ b_high) ^ low ^ high;
    reduced(low, middle, high)
}

/// Reduces a product of 256 bits, given as its lower half, what begins at bit 64, and its upper
/// half.
#[allow(dead_code)] // of kernels
#[inline]
pub(crate) fn reduced(low: u128, middle: u128, high: u128) -> u128 {
    let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
    // Modulo x^128 + x^127 + x^126 + x^121 + 1, from the lowest bits on: each half of the lower
    // number moves up.
    let fold = |word: u128| word << 64 ^ word << 63 ^ word << 62 ^ word << 57;
    let once = low >> 64 ^ fold(low & u128::from(u64::MAX));
    high ^ once >> 64 ^ fold(once & u128::from(u64::MAX))
}

/// Returns the sum of blocks, each times the power of `h` for its distance from the end, the last
/// times `h`. `sum` is added to the first block.
pub(crate) fn sum_of_blocks(
    sum: u128,
    blocks: &[[u8; 16]],
    h: Factor,
    number: impl Fn(&[u8; 16]) -> u128,
) -> u128 {
    blocks.iter().fold(sum, |sum, block| product(sum ^ number(block), h))
}

/// Extends POLYVAL by a text, the last block filled up with zeros.
pub(crate) fn extended(sum: u128, h: Factor, text: &[u8]) -> u128 {
    let (blocks, last) = numbers(text);
    let sum = sum_of_blocks(sum, blocks, h, |block| u128::from_le_bytes(*block));
    last.map_or(sum, |last| product(sum ^ last, h))
}

/// Returns the whole blocks of a text as numbers, and the last filled up with zeros.
#[inline]
fn numbers(text: &[u8]) -> (&[[u8; 16]], Option<u128>) {
    let (blocks, rest) = text.as_chunks();
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    (blocks, Some(u128::from_le_bytes(last)).filter(|_| !rest.is_empty()))
}

/// Blocks between two reductions, where the products are of one block.
const GROUP: usize = 8;

/// H^8 to H. Wiped on drop.
pub(crate) struct Powers(Wiped<[u128; GROUP]>);

#[allow(dead_code)] // of kernels
impl Powers {
    /// Returns room for the powers.
    pub(crate) fn vacant() -> Self {
        Self(Wiped([0; GROUP]))
    }

    /// Computes them.
    pub(crate) fn prepare(&mut self, h: Factor) {
        let mut power = h;
        for place in self.0.0.iter_mut().rev() {
            *place = power.0;
            power = power.times(h);
        }
    }

    /// Returns POLYVAL of a text, the last block filled up with zeros, by a function that adds a
    /// sum to the first of some blocks and multiplies each by its power.
    #[inline(always)]
    pub(crate) fn sum(
        &self,
        text: &[u8],
        group: impl Fn(u128, &[[u8; 16]], &[u128]) -> u128,
    ) -> u128 {
        let (blocks, last) = numbers(text);
        let (groups, blocks) = blocks.as_chunks::<GROUP>();
        let powers = &self.0.0;
        let mut sum = groups.iter().fold(0, |sum, blocks| group(sum, blocks, powers));
        if !blocks.is_empty() {
            sum = group(sum, blocks, &powers[GROUP - blocks.len()..]);
        }
        last.map_or(sum, |last| group(sum, &[last.to_le_bytes()], &powers[GROUP - 1..]))
    }
}

/// Returns the product of two polynomials of 64 bits. Of each factor every fifth bit is multiplied
/// at a time: at most 13 ones meet in one place, which carry less than five bits far.
#[cfg(feature = "aws-lc")]
fn carryless(one: u64, other: u64) -> u128 {
    const EACH_FIFTH: u128 = 0x2108_4210_8421_0842_1084_2108_4210_8421;
    let part = |number: u64, first: usize| u128::from(number & (EACH_FIFTH << first) as u64);
    let mut product = 0;
    for place in 0..5 {
        let products = (0..5).map(|first| part(one, first) * part(other, (place + 5 - first) % 5));
        product ^= products.fold(0, |sum, product| sum ^ product) & (EACH_FIFTH << place);
    }
    product
}
