//! Bytes as text. The time must not depend on the bytes of a MAC, so characters are computed: no
//! table is indexed and no branch taken by a byte.

/// Writes lower-case hex, and returns it. The compiler vectorizes the arithmetic (2 ns for 32
/// bytes, 16 with a table). It makes branches of what is left over, so that nothing may be.
#[inline(always)]
pub fn hex_of<'a>(bytes: &[u8], text: &'a mut [u8]) -> &'a [u8] {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let (whole, left) = text.split_at_mut(16 * chunks.len());
    write_digits(chunks.as_flattened(), whole);
    if !rest.is_empty() {
        let (mut last, mut digits) = ([0; 8], [0; 16]);
        last[..rest.len()].copy_from_slice(rest);
        write_digits(&last, &mut digits);
        left[..2 * rest.len()].copy_from_slice(&digits[..2 * rest.len()]);
    }
    &text[..2 * bytes.len()]
}

#[inline(always)]
fn write_digits(bytes: &[u8], text: &mut [u8]) {
    let digit = |nibble: u8| nibble + b'0' + u8::from(nibble > 9) * (b'a' - b'0' - 10);
    for (&byte, pair) in bytes.iter().zip(text.as_chunks_mut::<2>().0) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}

/// Returns digests of `size` bytes, which fit, as lower-case hex, each after `0x`.
pub fn prefixed_hex_of<'a>(digests: &[u8], size: usize, text: &'a mut [u8]) -> &'a [u8] {
    let each = 2 * size + 2;
    for (digest, place) in digests.chunks_exact(size).zip(text.chunks_exact_mut(each)) {
        place[..2].copy_from_slice(b"0x");
        hex_of(digest, &mut place[2..]);
    }
    &text[..digests.len() / size * each]
}

/// Returns the characters of the Base64 of `size` bytes with padding; `None` if they are too many.
pub fn base64_size(size: usize) -> Option<usize> {
    size.div_ceil(3).checked_mul(4)
}

/// Writes Base64 (RFC 4648), with padding. Returns the text.
pub fn base64_of<'a>(bytes: &[u8], text: &'a mut [u8]) -> &'a [u8] {
    let size = write_base64::<b'+', b'/'>(bytes, text);
    let padded = bytes.len().div_ceil(3) * 4;
    text[size..padded].fill(b'=');
    &text[..padded]
}

/// Writes Base64 with the alphabet for URLs, without padding. Returns the text.
pub fn base64url_of<'a>(bytes: &[u8], text: &'a mut [u8]) -> &'a [u8] {
    let size = write_base64::<b'-', b'_'>(bytes, text);
    &text[..size]
}

/// Writes Base64 without padding, with these last two characters. Returns their number.
fn write_base64<const PLUS: u8, const SLASH: u8>(bytes: &[u8], text: &mut [u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<3>();
    let size = 4 * chunks.len() + if rest.is_empty() { 0 } else { rest.len() + 1 };
    let text = &mut text[..size];
    let (quads, last) = text.as_chunks_mut::<4>();
    for (&[a, b, c], quad) in chunks.iter().zip(quads) {
        *quad = [a >> 2, a << 4 | b >> 4, b << 2 | c >> 6, c];
    }
    if let Some(&a) = rest.first() {
        let b = rest.get(1).copied().unwrap_or(0);
        for (place, sextet) in last.iter_mut().zip([a >> 2, a << 4 | b >> 4, b << 2]) {
            *place = sextet;
        }
    }
    let (whole, rest) = text.as_chunks_mut::<16>();
    make_characters::<PLUS, SLASH>(whole.as_flattened_mut());
    // In vectors too, as in `hex_of`.
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    make_characters::<PLUS, SLASH>(&mut last);
    rest.copy_from_slice(&last[..rest.len()]);
    size
}

/// Replaces bytes by the characters of their low six bits.
#[inline(always)]
fn make_characters<const PLUS: u8, const SLASH: u8>(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = character::<PLUS, SLASH>(*byte & 63);
    }
}

/// Returns the character of six bits.
#[inline(always)]
fn character<const PLUS: u8, const SLASH: u8>(sextet: u8) -> u8 {
    // The number that is added from each range on.
    let step = |from: u8, by: u8| u8::from(sextet >= from).wrapping_neg() & by;
    let lower = const { b'a'.wrapping_sub(26 + b'A') };
    let digit = const { b'0'.wrapping_sub(52).wrapping_sub(b'a' - 26) };
    let plus = const { PLUS.wrapping_sub(62).wrapping_sub(b'0'.wrapping_sub(52)) };
    let slash = const { SLASH.wrapping_sub(63).wrapping_sub(PLUS.wrapping_sub(62)) };
    (sextet + b'A')
        .wrapping_add(step(26, lower))
        .wrapping_add(step(52, digit))
        .wrapping_add(step(62, plus))
        .wrapping_add(step(63, slash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let mut text = [0; 64];
        for (bytes, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64_of(bytes.as_bytes(), &mut text), expected.as_bytes());
            let unpadded = expected.trim_end_matches('=').as_bytes();
            assert_eq!(base64url_of(bytes.as_bytes(), &mut text), unpadded);
        }
    }

    #[test]
    fn hex_has_two_digits_for_each_byte() {
        let bytes = [0x01_u8, 0x9f, 0xa0, 0xff, 0x10, 0x7b, 0xc3, 0xde].repeat(8);
        for size in 0..=bytes.len() {
            let expected: String = bytes[..size].iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex_of(&bytes[..size], &mut [0; 128]), expected.as_bytes());
        }
    }

    #[test]
    fn base64_has_a_character_for_each_six_bits() {
        let common = ['A'..='Z', 'a'..='z', '0'..='9'].into_iter().flatten().collect::<String>();
        for (sextet, expected) in common.bytes().enumerate() {
            assert_eq!(character::<b'+', b'/'>(sextet as u8), expected);
            assert_eq!(character::<b'-', b'_'>(sextet as u8), expected);
        }
        assert_eq!([62, 63].map(character::<b'+', b'/'>), *b"+/");
        assert_eq!([62, 63].map(character::<b'-', b'_'>), *b"-_");
    }
}
