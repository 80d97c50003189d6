//! The field GF(2^128) of GHASH (SP 800-38D, section 6.3) in whole numbers: for what is multiplied
//! a few times a message. No table and no branch depends on a value.
//!
//! A block is a number with its first byte on top, which has the coefficient of x^0 at the highest
//! bit. Products of two such numbers come out multiplied by x; so one factor is kept divided by x
//! (Gueron and Kounavis, "Intel carry-less multiplication instruction and its usage for computing
//! the GCM mode", 2010, figures 7 and 8; POLYVAL of RFC 8452, appendix A).

use super::features::NARROW;
use super::wipe::{Plain, Wiped};

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

/// Returns the product of a number and a factor.
#[inline]
pub(crate) fn product(number: u128, factor: Factor) -> u128 {
    if NARROW { in_64_bits(number, factor) } else { in_128_bits(number, factor) }
}

/// Returns the product, on CPUs that multiply two words of 64 bits to 128.
pub(crate) fn in_128_bits(number: u128, factor: Factor) -> u128 {
    let halves = |number: u128| (number as u64, (number >> 64) as u64);
    let ((a_low, a_high), (b_low, b_high)) = (halves(number), halves(factor.0));
    // Three products instead of four (Karatsuba and Ofman).
    let (low, high) = (carryless(a_low, b_low), carryless(a_high, b_high));
    let middle = carryless(a_low ^ a_high, b_low ^ b_high) ^ low ^ high;
    reduced(low, middle, high)
}

/// Reduces a product of 256 bits, given as its lower half, what begins at bit 64, and its upper
/// half.
#[inline]
pub(crate) fn reduced(low: u128, middle: u128, high: u128) -> u128 {
    let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
    // Modulo x^128 + x^127 + x^126 + x^121 + 1, from the lowest bits on: each half of the lower
    // number moves up.
    let fold = |word: u128| word << 64 ^ word << 63 ^ word << 62 ^ word << 57;
    let once = low >> 64 ^ fold(low & u128::from(u64::MAX));
    high ^ once >> 64 ^ fold(once & u128::from(u64::MAX))
}

/// Returns the product, on CPUs with a slow upper half of a product of two words.
pub(crate) fn in_64_bits(number: u128, factor: Factor) -> u128 {
    let mut product = Thirds([[0; 2]; 3]);
    product.add(&Thirds::of(number), &Thirds::of(factor.0));
    product.reduced()
}

/// Returns the sum of blocks, each times the power of `h` for its distance from the end, the last
/// times `h`. `sum` is added to the first block.
pub(crate) fn sum_of_blocks(
    sum: u128,
    blocks: &[[u8; 16]],
    h: Factor,
    number: impl Fn(&[u8; 16]) -> u128,
) -> u128 {
    /// Fewer are not worth the powers of H.
    const POWERS_FROM: usize = 8;
    if NARROW && blocks.len() >= POWERS_FROM {
        by_fours(sum, blocks, h, number)
    } else {
        blocks.iter().fold(sum, |sum, block| product(sum ^ number(block), h))
    }
}

/// Returns the sum of blocks with one reduction for each four.
pub(super) fn by_fours(
    sum: u128,
    blocks: &[[u8; 16]],
    h: Factor,
    number: impl Fn(&[u8; 16]) -> u128,
) -> u128 {
    let square = h.times(h);
    let powers = [square.times(square), square.times(h), square, h];
    let powers = Wiped(powers.map(|power| Thirds::of(power.0)));
    let [fourth, third, second, first] = &powers.0;
    let (groups, rest) = blocks.as_chunks();
    let sum = groups.iter().fold(sum, |sum, [a, b, c, d]| {
        let mut group = Thirds([[0; 2]; 3]);
        group.add(&Thirds::of(sum ^ number(a)), fourth);
        group.add(&Thirds::of(number(b)), third);
        group.add(&Thirds::of(number(c)), second);
        group.add(&Thirds::of(number(d)), first);
        group.reduced()
    });
    rest.iter().fold(sum, |sum, block| product(sum ^ number(block), h))
}

/// A number as its halves and their sum (Karatsuba and Ofman), and each of these with its bits in
/// reverse: the upper half of a product is the lower half of the product in reverse, so that no
/// product needs more than 64 bits. Or the sum of such products.
struct Thirds([[u64; 2]; 3]);

// SAFETY: integers.
unsafe impl Plain for Thirds {}

impl Thirds {
    #[inline]
    fn of(number: u128) -> Self {
        let (low, high) = (number as u64, (number >> 64) as u64);
        let (low_reversed, high_reversed) = (low.reverse_bits(), high.reverse_bits());
        Self([
            [low, low_reversed],
            [high, high_reversed],
            [low ^ high, low_reversed ^ high_reversed],
        ])
    }

    /// Adds a product.
    #[inline]
    fn add(&mut self, one: &Thirds, other: &Thirds) {
        let [low, high, both] = &mut self.0;
        for (third, sums) in [low, high, both].into_iter().enumerate() {
            sums[0] ^= lower_half(one.0[third][0], other.0[third][0]);
            sums[1] ^= lower_half(one.0[third][1], other.0[third][1]);
        }
    }

    /// Returns the sum of products, reduced to a number.
    #[inline]
    fn reduced(&self) -> u128 {
        let [low, high, both] = self
            .0
            .map(|[lower, upper]| u128::from(lower) | u128::from(upper.reverse_bits() >> 1) << 64);
        reduced(low, both ^ low ^ high, high)
    }
}

/// Returns the lower half of the product of two polynomials of 64 bits. Of each factor every fourth
/// bit is multiplied at a time: at most 16 ones meet in one place, and only in the highest place do
/// the carries go further than four bits.
#[inline]
fn lower_half(one: u64, other: u64) -> u64 {
    const EACH_FOURTH: u64 = 0x1111_1111_1111_1111;
    let [a, b, c, d] = [0, 1, 2, 3].map(|first| one & EACH_FOURTH << first);
    let [w, x, y, z] = [0, 1, 2, 3].map(|first| other & EACH_FOURTH << first);
    let times = u64::wrapping_mul;
    (times(a, w) ^ times(b, z) ^ times(c, y) ^ times(d, x)) & EACH_FOURTH
        | (times(a, x) ^ times(b, w) ^ times(c, z) ^ times(d, y)) & EACH_FOURTH << 1
        | (times(a, y) ^ times(b, x) ^ times(c, w) ^ times(d, z)) & EACH_FOURTH << 2
        | (times(a, z) ^ times(b, y) ^ times(c, x) ^ times(d, w)) & EACH_FOURTH << 3
}

/// Returns the product of two polynomials of 64 bits. Of each factor every fifth bit is multiplied
/// at a time: at most 13 ones meet in one place, which carry less than five bits far.
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
