//! Polynomials over GF(2), reflected: bit `i` of a number is the coefficient of x^(63 - i).
//!
//! A block of 16 bytes, read as two little-endian words, is `first · x^64 + second`. The carry-less
//! product of two words is in the same form their product times x, so that a word multiplied by
//! [`power`]`(n - 1)` is the word times x^n, modulo the polynomial.
//!
//! Kernels fold blocks by carry-less products and reduce once, at the end. They differ in the width
//! of vectors and in how many they fold side by side: four here.
//!
//! ```text
//! forward(block, n) = block.first * x^(128n + 63) ^ block.second * x^(128n - 1)
//!                                           the block times x^(128n), in 128 bits again
//! a, b, c, d = the first four blocks; the register is added to the first word
//! for each next group of four blocks
//!     a = forward(a, 4) ^ group[0], and so on for b, c and d      independent of each other
//! sum = forward(forward(a, 1) ^ b, 2) ^ forward(c, 1) ^ d
//! each block of the rest: sum = forward(sum, 1) ^ block
//! Barrett's reduction of sum * x^64:
//!     dividend = sum.first * x^127 ^ sum.second
//!     quotient = the lower half of dividend.low * constant
//!     register = dividend.high ^ the upper half of quotient * P ^ (quotient if P ends with 1)
//! the last bytes, less than a block: by tables
//! ```

/// Bytes of a block, which a carry-less product folds.
pub(crate) const BLOCK: usize = 16;

/// A reflected polynomial, with what kernels need of it.
pub(crate) struct Polynomial<const POLY: u64>;

impl<const POLY: u64> Polynomial<POLY> {
    pub(crate) const CONSTANTS: &'static Constants = &Constants::of(POLY);
    pub(crate) const TABLES: &'static [[u64; 256]; 8] = &tables(POLY);
}

/// The constants of a polynomial P of degree 64, without its highest coefficient.
pub(crate) struct Constants {
    /// Moves a block forward by 1, 2, 4, 8, 16 and 32 blocks: the factors of its first and second
    /// word.
    pub(crate) forward: [[u64; 2]; 6],
    /// The quotient of x^128 by P: bit `i` is the coefficient of x^(64 - i), without the last.
    pub(crate) quotient: u64,
    /// P: bit `i` is the coefficient of x^(64 - i), without the last.
    pub(crate) divisor: u64,
    /// The last coefficient of P, in every bit.
    pub(crate) odd: u64,
}

impl Constants {
    const fn of(poly: u64) -> Self {
        let mut forward = [[0; 2]; 6];
        let mut place = 0;
        while place < forward.len() {
            let bits = 128 << place;
            forward[place] = [power(poly, bits + 63), power(poly, bits - 1)];
            place += 1;
        }
        // The coefficients of a quotient are those that leave the highest place of the remainder.
        let mut remainder = poly;
        let mut quotient = 0;
        let mut bit = 0;
        while bit < 64 {
            quotient |= (remainder & 1) << bit;
            remainder = times_x(poly, remainder);
            bit += 1;
        }
        Self {
            forward,
            quotient: quotient << 1 | 1,
            divisor: poly << 1 | 1,
            odd: (poly >> 63).wrapping_neg(),
        }
    }
}

/// Returns the polynomial times x.
pub(crate) const fn times_x(poly: u64, number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg() & poly
}

/// Returns x^n.
const fn power(poly: u64, n: usize) -> u64 {
    let mut number = 1 << 63;
    let mut at = 0;
    while at < n {
        number = times_x(poly, number);
        at += 1;
    }
    number
}

/// Returns for each byte its remainder when 0 to 7 bytes follow it.
const fn tables(poly: u64) -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut register = byte as u64;
        let mut bit = 0;
        while bit < 64 {
            register = times_x(poly, register);
            bit += 1;
            if bit % 8 == 0 {
                tables[bit / 8 - 1][byte] = register;
            }
        }
        byte += 1;
    }
    tables
}

/// Absorbs eight bytes at once, then the rest, with tables.
#[inline]
pub(crate) fn by_tables(tables: &[[u64; 256]; 8], mut register: u64, source: &[u8]) -> u64 {
    let (words, rest) = source.as_chunks();
    for word in words {
        let mixed = (register ^ u64::from_le_bytes(*word)).to_le_bytes();
        register = 0;
        for (table, byte) in tables.iter().rev().zip(mixed) {
            register ^= table[usize::from(byte)];
        }
    }
    for byte in rest {
        register = register >> 8 ^ tables[0][usize::from(register as u8 ^ byte)];
    }
    register
}
