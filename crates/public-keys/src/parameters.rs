//! Parameters of RSA schemes.

use crate::algorithm::Hash;

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
