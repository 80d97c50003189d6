//! Parameters of signatures, of RSA schemes and of encrypted private keys.

use millrace_core::catalog::Hash;

/// What is signed.
#[derive(Copy, Clone, Debug)]
pub struct Input<'a> {
    /// The message, or its digest.
    pub bytes: &'a [u8],
    /// The bytes are the digest of the message by the scheme's hash; for ML-DSA the 64 bytes that
    /// FIPS 204 calls mu, which contain the context. Ed25519 takes none.
    pub is_digest: bool,
    /// The context of ML-DSA, at most 255 bytes, mostly empty.
    pub context: &'a [u8],
}

impl<'a> Input<'a> {
    /// Returns a message without context.
    pub const fn message(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, is_digest: false, context: &[] }
    }
}

/// The parameters of PSS to which an RSA-PSS key is restricted (RFC 4055).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PssRestriction {
    /// The hash of the message.
    pub hash: Hash,
    /// The hash of the mask generation function.
    pub mgf1: Hash,
    /// The least bytes of salt.
    pub salt_length: u32,
}

/// The parameters of RSA-OAEP.
#[derive(Copy, Clone, Debug)]
pub struct Oaep<'a> {
    /// The hash of the label.
    pub hash: Hash,
    /// The hash of the mask generation function, mostly the same.
    pub mgf1: Hash,
    /// The label, mostly empty.
    pub label: &'a [u8],
}

/// The cipher of an encrypted private key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum KeyCipher {
    /// AES-128 in CBC mode.
    Aes128Cbc,
    /// AES-192 in CBC mode.
    Aes192Cbc,
    /// AES-256 in CBC mode, which OpenSSL 3 takes if none is named.
    Aes256Cbc,
    /// Triple DES in CBC mode, for programs that read nothing newer.
    DesEde3Cbc,
}

impl KeyCipher {
    /// All ciphers.
    pub const ALL: [KeyCipher; 4] =
        [KeyCipher::Aes128Cbc, KeyCipher::Aes192Cbc, KeyCipher::Aes256Cbc, KeyCipher::DesEde3Cbc];
}
