//! What the tests share: hex, Base64 and new keys.

use millrace_public_keys::{Algorithm, Input, PrivateKey, RsaParameters, Scheme};

pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Decodes both alphabets, with and without padding, and ignores line ends.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for character in text.bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// The smallest key that is generated.
pub(crate) const RSA_2048: RsaParameters = RsaParameters { bits: 2048, exponent: 65_537 };

pub(crate) fn rsa_key() -> PrivateKey {
    PrivateKey::generate_rsa(RSA_2048, &mut || false).unwrap()
}

/// Generates a key of any algorithm.
pub(crate) fn new_key(algorithm: Algorithm) -> PrivateKey {
    match algorithm {
        Algorithm::Rsa => rsa_key(),
        Algorithm::RsaPss => PrivateKey::generate_rsa_pss(RSA_2048, None, &mut || false).unwrap(),
        _ => PrivateKey::generate(algorithm).unwrap(),
    }
}

/// Signs a message into a new vector.
pub(crate) fn sign(key: &PrivateKey, scheme: Scheme, input: Input<'_>) -> Vec<u8> {
    let mut signature = vec![0; key.signature_size(scheme).unwrap()];
    let size = key.sign(scheme, input, &mut signature).unwrap();
    signature.truncate(size);
    signature
}
