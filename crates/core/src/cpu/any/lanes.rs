//! No kernels for several messages at once.

use crate::checkpoint::DigestSink;
use crate::hash::lanes::{Multibuffer, Sponge};
use crate::hmac::iteration::HmacIteration;

#[allow(unused_imports)] // where there are kernels
pub(crate) use self::sha256::hash as hash_sha256;

/// Proofs of no instructions.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Kernels;

impl Kernels {
    #[inline]
    pub(crate) fn detect() -> Self {
        Self
    }
}

/// Defines families without kernels.
macro_rules! none {
    ($($name:ident: [$word:ty; $words:literal];)*) => {$(
        pub(crate) mod $name {
            use super::*;

            /// Returns how this family uses the kernels.
            #[inline]
            pub(crate) fn multibuffer<K>(_: K) -> Option<Multibuffer> {
                None
            }

            /// Hashes messages with a kernel.
            pub(crate) fn hash<K>(
                _: K,
                _: ([$word; $words], u64),
                _: &[&[u8]],
                _: &mut [u8],
                _: DigestSink<'_>,
            ) {
                unreachable!("there is no kernel");
            }

            /// Iterates as many blocks as there are kernels for, and returns that number.
            #[inline]
            pub(crate) fn iterate<K>(
                _: K,
                _: &mut [HmacIteration<$word, $words>],
                _: usize,
                _: u32,
            ) -> usize {
                0
            }
        }
    )*};
}

none! {
    blake2b: [u64; 8];
    blake2s: [u32; 8];
    md5: [u32; 4];
    sha1: [u32; 5];
    sha256: [u32; 8];
    sha512: [u64; 8];
}

pub(crate) mod blake3 {
    use super::*;
    use crate::hash::blake3::Node;

    /// Returns how the kernels are used.
    #[inline]
    pub(crate) fn multibuffer<K>(_: K) -> Option<Multibuffer> {
        None
    }

    /// Hashes nodes with a kernel.
    pub(crate) fn hash<K>(_: K, _: (Node, [u32; 8]), _: &[&[u8]], _: &mut [u8], _: DigestSink<'_>) {
        unreachable!("there is no kernel");
    }
}

pub(crate) mod keccak {
    use super::*;

    /// Returns how this family uses the kernels.
    #[inline]
    pub(crate) fn multibuffer(_: Kernels) -> Option<Multibuffer> {
        None
    }

    /// Hashes messages with a kernel.
    pub(crate) fn hash<const ROUNDS: usize>(
        _: Kernels,
        _: (Sponge<ROUNDS>, [u64; 25]),
        _: &[&[u8]],
        _: &mut [u8],
        _: DigestSink<'_>,
    ) {
        unreachable!("there is no kernel");
    }
}
