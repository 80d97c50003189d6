//! Poly1305 where the upper half of a product of two words of 64 bits is slow: in products of 32
//! bits.

use super::{BLOCK, Limbs, MASK_44, limbs, word};

const MASK_26: u64 = (1 << 26) - 1;
const LOW: u64 = u32::MAX as u64;

/// Returns the product of what [`in_128_bits`](super::in_128_bits) takes.
pub(super) fn multiply(one: Limbs, other: Limbs) -> Limbs {
    let ([a, b, c, d, e], [v, w, x, y, z]) = (fifths(one), fifths(other));
    // The bits from 130 on are added at bit 0, five times.
    let [w_5, x_5, y_5, z_5] = [w, x, y, z].map(|limb| 5 * limb);
    let sums = [
        a * v + b * z_5 + c * y_5 + d * x_5 + e * w_5,
        a * w + b * v + c * z_5 + d * y_5 + e * x_5,
        a * x + b * w + c * v + d * z_5 + e * y_5,
        a * y + b * x + c * w + d * v + e * z_5,
        a * z + b * y + c * x + d * w + e * v,
    ];
    let mut carry = 0;
    let mut limbs = sums.map(|sum| {
        let sum = sum + carry;
        carry = sum >> 26;
        sum & MASK_26
    });
    limbs[0] += 5 * carry;
    limbs[1] += limbs[0] >> 26;
    limbs[0] &= MASK_26;
    let [a, b, c, d, e] = limbs;
    let low = a + (b << 26);
    let middle = (low >> 44) + (c << 8) + (d << 34);
    [low & MASK_44, middle & MASK_44, (middle >> 44) + (e << 16)]
}

/// Returns a number in limbs of 26 bits, of which the last may be a little too large.
fn fifths(number: Limbs) -> [u64; 5] {
    let [a, b, c] = carried(number);
    [
        a & MASK_26,
        a >> 26 | (b & 0xff) << 18,
        b >> 8 & MASK_26,
        b >> 34 | (c & 0xffff) << 10,
        c >> 16,
    ]
}

/// Returns limbs of which only the last may be too large.
fn carried([a, b, c]: Limbs) -> Limbs {
    let b = b + (a >> 44);
    [a & MASK_44, b & MASK_44, c + (b >> 44)]
}

/// Absorbs blocks under the key's own `r`.
///
/// The sum is in words of 32 bits. The upper three of r are multiples of four (RFC 8439, section
/// 2.5), so that what begins at bit 128 comes back at bit 0 five quarters times.
pub(super) fn absorb(sum: Limbs, r: Limbs, blocks: &[[u8; BLOCK]]) -> Limbs {
    let ([r0, r1, r2, r3], _) = words(r);
    let [s1, s2, s3] = [r1, r2, r3].map(|word| word + (word >> 2));
    let ([mut h0, mut h1, mut h2, mut h3], mut top) = words(carried(sum));
    for block in blocks {
        let (low, high) = (word(block, 0), word(block, 8));
        h0 += low & LOW;
        h1 += low >> 32;
        h2 += high & LOW;
        h3 += high >> 32;
        top += 1;
        // Words of the sum have up to 33 bits here, words of r 28, and s is less than 29: four
        // products are less than 2^64.
        let first = h0 * r0 + h1 * s3 + h2 * s2 + h3 * s1;
        let second = h0 * r1 + h1 * r0 + h2 * s3 + h3 * s2 + top * s1 + (first >> 32);
        let third = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s3 + top * s2 + (second >> 32);
        let fourth = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + top * s3 + (third >> 32);
        let fifth = top * r0 + (fourth >> 32);
        let around = (first & LOW) + (fifth >> 2) * 5;
        h0 = around & LOW;
        h1 = (second & LOW) + (around >> 32);
        h2 = third & LOW;
        h3 = fourth & LOW;
        top = fifth & 3;
    }
    h2 += h1 >> 32;
    h3 += h2 >> 32;
    top += h3 >> 32;
    let [a, b, c] = limbs([h0 | h1 << 32, h2 & LOW | h3 << 32]);
    [a, b, c + (top << 40)]
}

/// Returns the words of a carried number, and what begins at bit 128.
fn words([a, b, c]: Limbs) -> ([u64; 4], u64) {
    let (low, high) = (a | b << 44, b >> 20 | c << 24);
    ([low & LOW, low >> 32, high & LOW, high >> 32], c >> 40)
}

#[cfg(test)]
mod tests {
    use super::super::{Poly1305, in_128_bits};
    use super::*;
    use crate::engines::native::tests::Bytes;

    /// Returns the number modulo 2^130 - 5, as the tag under a pad of zeros has it.
    fn value(sum: Limbs) -> [u8; BLOCK] {
        Poly1305 { r: [0; 3], sum, pad: [0; 2] }.finish()
    }

    #[test]
    fn products_are_those_of_128_bits() {
        let mut bytes = Bytes(31);
        let full = [(1 << 46) - 1; 3];
        for round in 0..1000_u32 {
            let mut number = |bits: u32| {
                std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()) >> (64 - bits))
            };
            let mut one: Limbs = number(46);
            let mut other: Limbs = number(44);
            if round % 3 == 1 {
                one = full;
            }
            if round % 5 == 1 {
                other = full.map(|limb| limb >> 2);
            }
            let products = [multiply(one, other), in_128_bits(one, other)];
            assert_eq!(value(products[0]), value(products[1]), "{one:x?} {other:x?}");
        }
    }

    #[test]
    fn blocks_are_absorbed_as_one_by_one() {
        let mut bytes = Bytes(32);
        for round in 0..200 {
            let mut key: [u8; 32] = bytes.array();
            let mut text: Vec<[u8; BLOCK]> = (0..round % 40).map(|_| bytes.array()).collect();
            if round % 3 == 1 {
                key.fill(0xff);
            }
            if round % 5 == 1 {
                text.as_flattened_mut().fill(0xff);
            }
            let mut sum: Limbs =
                std::array::from_fn(|_| u64::from_ne_bytes(bytes.array()) >> (64 - 46));
            if round % 7 == 1 {
                sum = [(1 << 46) - 1; 3];
            }
            let poly = Poly1305::new(&key);
            let expected = text.iter().fold(sum, |[a, b, c], block| {
                let [x, y, z] = limbs([word(block, 0), word(block, 8)]);
                in_128_bits([a + x, b + y, c + z + (1 << 40)], poly.r)
            });
            assert_eq!(value(absorb(sum, poly.r, &text)), value(expected), "{round}");
        }
    }
}
