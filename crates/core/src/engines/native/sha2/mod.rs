//! SHA-2 with words of 64 bits, and SHA-256's compression for CPUs without instructions for it.
//! SHA-224 and SHA-256 are in [`md`](super::md).

#[cfg(target_arch = "x86_64")]
mod blocks;
#[cfg(target_arch = "x86_64")]
pub(super) mod blocks_32;
pub(super) mod compress;
#[cfg(any(
    test,
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", not(target_feature = "simd128"))
))]
pub(super) mod constants;
pub(super) mod long;
#[cfg(any(test, all(target_arch = "wasm32", not(target_feature = "simd128"))))]
pub(super) mod plain;
#[cfg(target_arch = "x86_64")]
mod rounds;

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
