//! The strings of NIST SP 800-185: numbers, and the block that names a function of SHAKE.

use super::duplex::Duplex;

/// Absorbs `bytepad` of the encoded strings, which fills whole blocks.
pub(super) fn absorb_padded<const RATE: usize, const ROUNDS: usize>(
    sponge: &mut Duplex<RATE, ROUNDS>,
    strings: &[&[u8]],
) {
    sponge.absorb(Integer::left(RATE as u64).bytes());
    for string in strings {
        sponge.absorb(Integer::left(8 * string.len() as u64).bytes());
        sponge.absorb(string);
    }
    sponge.end_block();
}

/// A number as big-endian bytes without leading zeros, beside their count.
pub(super) struct Integer {
    bytes: [u8; 9],
    start: usize,
}

impl Integer {
    /// Returns `left_encode` of SP 800-185: the count of bytes, then the number.
    pub(super) fn left(number: u64) -> Integer {
        let mut integer = Integer { bytes: [0; 9], start: 0 };
        integer.bytes[1..].copy_from_slice(&number.to_be_bytes());
        let count = bytes_of(number).max(1);
        integer.start = 8 - count;
        integer.bytes[integer.start] = count as u8;
        integer
    }

    /// Returns `right_encode` of SP 800-185: the number, then the count of bytes.
    pub(super) fn right(number: u64) -> Integer {
        Integer::counted(number, bytes_of(number).max(1))
    }

    /// Returns `length_encode` of RFC 9861: [`right`](Integer::right) without a byte for zero.
    pub(super) fn length(number: u64) -> Integer {
        Integer::counted(number, bytes_of(number))
    }

    fn counted(number: u64, count: usize) -> Integer {
        let mut integer = Integer { bytes: [0; 9], start: 8 - count };
        integer.bytes[..8].copy_from_slice(&number.to_be_bytes());
        integer.bytes[8] = count as u8;
        integer
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Returns the bytes of a number without its leading zeros.
fn bytes_of(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()).div_ceil(8) as usize
}

#[cfg(test)]
#[test]
fn integers_are_encoded_as_in_the_standards() {
    for (number, left, right, length) in [
        (0, &[1, 0][..], &[0, 1][..], &[0][..]),
        (12, &[1, 12], &[12, 1], &[12, 1]),
        (255, &[1, 255], &[255, 1], &[255, 1]),
        (256, &[2, 1, 0], &[1, 0, 2], &[1, 0, 2]),
        (65538, &[3, 1, 0, 2], &[1, 0, 2, 3], &[1, 0, 2, 3]),
        (
            1 << 63,
            &[8, 128, 0, 0, 0, 0, 0, 0, 0],
            &[128, 0, 0, 0, 0, 0, 0, 0, 8],
            &[128, 0, 0, 0, 0, 0, 0, 0, 8],
        ),
    ] {
        assert_eq!(Integer::left(number).bytes(), left, "{number}");
        assert_eq!(Integer::right(number).bytes(), right, "{number}");
        assert_eq!(Integer::length(number).bytes(), length, "{number}");
    }
}
