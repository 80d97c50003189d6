//! The Base64 of password hashes: without padding, canonical.

use crate::Error;
use crate::allocate::try_with_capacity;

/// The 64 characters of an encoding.
pub(super) struct Alphabet(&'static [u8; 64]);

/// The alphabet of RFC 4648.
pub(super) const STANDARD: Alphabet =
    Alphabet(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
/// The alphabet of bcrypt.
pub(super) const BCRYPT: Alphabet =
    Alphabet(b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");

impl Alphabet {
    pub(super) fn encode(&self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for part in bytes.chunks(3) {
            let bits = part.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte))
                << (8 * (3 - part.len()));
            for place in 0..=part.len() {
                text.push(char::from(self.0[(bits >> (18 - 6 * place)) as usize & 63]));
            }
        }
        text
    }

    /// Returns the bytes of a text and its unused bits.
    ///
    /// # Errors
    /// [`Error::Encoded`] if the text is not valid in this alphabet; [`Error::Memory`].
    pub(super) fn decode(&self, text: &str) -> Result<(Vec<u8>, u32), Error> {
        let (mut bytes, mut bits, mut count) = (try_with_capacity(text.len() * 3 / 4)?, 0_u32, 0);
        for character in text.bytes() {
            let value = self.0.iter().position(|&other| other == character);
            let value = value.ok_or(Error::Encoded)? as u32;
            bits = bits << 6 | value;
            count += 6;
            if count >= 8 {
                count -= 8;
                bytes.push((bits >> count) as u8);
                bits &= (1 << count) - 1;
            }
        }
        // A single character at the end holds no byte.
        if count < 6 { Ok((bytes, bits)) } else { Err(Error::Encoded) }
    }
}
