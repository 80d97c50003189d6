//! SHA-2 with words of 64 bits. SHA-224 and SHA-256 are in [`md`](super::md).

pub(crate) mod long;

/// SHA-384.
pub(crate) type Sha384 = long::Long<48>;
/// SHA-512.
pub(crate) type Sha512 = long::Long<64>;
/// SHA-512/224.
pub(crate) type Sha512_224 = long::Long<28>;
/// SHA-512/256.
pub(crate) type Sha512_256 = long::Long<32>;

#[cfg(test)]
mod tests;
