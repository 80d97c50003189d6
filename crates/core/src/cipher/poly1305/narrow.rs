//! Poly1305 where the upper half of a product of two words of 64 bits is slow: in products of 32
//! bits.

use super::{BLOCK, Limbs, MASK_44, limbs, word};

const LOW: u64 = u32::MAX as u64;

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
    use super::*;
    use crate::cipher::poly1305::{Poly1305, multiply};
    use crate::tests::Bytes;

    /// Returns the number modulo 2^130 - 5, as the tag under a pad of zeros has it.
    fn value(sum: Limbs) -> [u8; BLOCK] {
        Poly1305 { r: [0; 3], sum, pad: [0; 2] }.finish()
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
                multiply([a + x, b + y, c + z + (1 << 40)], poly.r)
            });
            assert_eq!(value(absorb(sum, poly.r, &text)), value(expected), "{round}");
        }
    }
}
