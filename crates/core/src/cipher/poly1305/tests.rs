//! Our Poly1305 is that of the definition, also where limbs are as full as can be.
//!
//! The oracle is the definition, bit by bit, and not `CRYPTO_poly1305` of AWS-LC, which on x86-64
//! drops a carry for the second test's texts (0.47.0: five blocks of ones but one byte under r = 1;
//! its AEAD has other code).

use super::sum::{Joined, sum};
use super::*;
use crate::cpu::kernels::poly1305::Powers;
use crate::tests::{Bytes, reads};

/// A number less than 2^130 - 5: its lower 128 bits, and the two above.
type Number = (u128, u128);

fn plus((low, high): Number, (other_low, other_high): Number) -> Number {
    let (low, carry) = low.overflowing_add(other_low);
    let high = high + other_high + u128::from(carry);
    // 2^130 is 5.
    let (low, carry) = low.overflowing_add(5 * (high >> 2));
    let high = (high & 3) + u128::from(carry);
    match high == 3 && low >= u128::MAX - 4 {
        true => (low - (u128::MAX - 4), 0),
        false => (low, high),
    }
}

fn expected(key: &[u8; 32], text: &[u8]) -> [u8; 16] {
    let half = |at: usize| u128::from_le_bytes(*key[at..].first_chunk().expect("32 bytes"));
    let r = half(0) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    let mut sum = (0, 0);
    for block in text.as_chunks().0 {
        let factor = plus(sum, (u128::from_le_bytes(*block), 1));
        sum = (0, 0);
        for bit in (0..128).rev() {
            sum = plus(sum, sum);
            if r >> bit & 1 == 1 {
                sum = plus(sum, factor);
            }
        }
    }
    sum.0.wrapping_add(half(16)).to_le_bytes()
}

/// Calls `check` with keys, texts and tags.
pub(crate) fn texts(check: impl Fn(&[u8; 32], &[u8], [u8; 16])) {
    let mut bytes = Bytes(3);
    for round in 0..6 {
        let mut key: [u8; 32] = bytes.array();
        let mut source = bytes.vec(100 * BLOCK);
        // From the third round on, the largest numbers there are.
        if round > 2 {
            source.fill(0xff);
        }
        if round > 3 {
            key.fill(0xff);
        }
        if round > 4 {
            key[16..].fill(0);
        }
        for blocks in 0..100 {
            let text = &source[..blocks * BLOCK];
            let answer = expected(&key, text);
            reads(text, |text| check(&key, text, answer));
        }
    }
}

#[test]
fn own_code_agrees_with_the_definition() {
    texts(|key, text, answer| {
        let mut poly = Poly1305::new(key);
        poly.update_padded(text);
        assert_eq!(poly.finish(), answer, "{}", text.len());
    });
}

/// Sums at the border of the modulus: texts with sums of 2^130 - 6 to 2^130 + 1 before the pad.
#[test]
fn sums_at_the_border_of_the_modulus_are_reduced() {
    for r in [1_u8, 2, 4, 8] {
        let mut key = [0; 32];
        key[0] = r;
        for low in [0, 1, 2, 3, 4, 5, 6, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff] {
            for count in 1..8 {
                let mut text = vec![0xff; count * BLOCK];
                text[(count - 1) * BLOCK] = low;
                let mut poly = Poly1305::new(&key);
                poly.update_padded(&text);
                assert_eq!(poly.finish(), expected(&key, &text), "{r} {low} {count}");
            }
        }
    }
}

/// Returns the tag of a text in two parts, by vectors where there are some, or in halves.
fn in_parts(key: &[u8; 32], text: &[u8], cut: usize, vectors: bool) -> [u8; 16] {
    let (poly, mut powers) = (Poly1305::new(key), None);
    if vectors {
        Powers::prepare(&mut powers, &poly);
    }
    let mut joined = Joined::new(&poly, 0);
    let (first, second) = text.split_at(cut);
    for part in [first, second] {
        joined.add(part.len() as u64, &sum(&poly, powers.as_ref(), part));
    }
    joined.tag().0
}

#[test]
fn sums_of_parts_are_those_of_the_whole() {
    let mut bytes = Bytes(4);
    for round in 0..6 {
        let (mut key, mut text): ([u8; 32], _) = (bytes.array(), bytes.vec(300 * BLOCK));
        if round > 2 {
            text.fill(0xff);
        }
        if round > 3 {
            key.fill(0xff);
        }
        if round > 4 {
            key[16..].fill(0);
        }
        for blocks in
            (0..40).chain([63, 64, 65, 66, 67, 68, 127, 128, 129, 191, 192, 255, 299, 300])
        {
            let text = &text[..blocks * BLOCK];
            let answer = expected(&key, &[text, &lengths(0, text.len() as u64)].concat());
            for cut in [0, blocks / 3, blocks.min(16), blocks] {
                for vectors in [false, true] {
                    assert_eq!(
                        in_parts(&key, text, cut * BLOCK, vectors),
                        answer,
                        "{blocks} at {cut}, {vectors}"
                    );
                }
            }
        }
    }
}
