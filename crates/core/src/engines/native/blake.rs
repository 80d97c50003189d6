//! BLAKE2, by RustCrypto's `blake2`, and BLAKE3, by its authors' `blake3`.
//!
//! `blake2_simd` was tried and declined: on Zen 5, 1150 ns a KiB for BLAKE2b against 630, and 2110
//! for BLAKE2s against 1100. Its vectors cost more than the many scalar units of such a CPU.

use blake2::digest::{FixedOutputReset, Update};

use super::Digest;
use super::wipe::wipe_replace;
use crate::inputs::Params;

/// Makes a [`Digest`] of one of `blake2`'s hashers.
macro_rules! blake2_digest {
    ($(#[$doc:meta])* $name:ident, $state:ty, $block:literal, $size:literal) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name($state);

        impl Digest for $name {
            const BLOCK: usize = $block;
            const SIZE: usize = $size;

            #[inline]
            fn new(_params: &Params<'_>) -> Self {
                Self(<$state>::default())
            }

            #[inline]
            fn update(&mut self, source: &[u8]) {
                self.0.update(source);
            }

            #[inline]
            fn finish(&mut self, target: &mut [u8]) {
                let digest = self.0.finalize_fixed_reset();
                target.copy_from_slice(&digest);
            }

            // PLACEHOLDER
            const STATE: usize = $size + 8 + $block;
            fn save(&self, _state: &mut [u8]) {}
            fn load(_params: &Params<'_>, _state: &[u8]) -> Option<Self> {
                None
            }

            #[inline]
            fn wipe(&mut self) {
                wipe_replace(&mut self.0, <$state>::default());
            }
        }
    };
}

blake2_digest!(
    /// BLAKE2b with 64 bytes of digest.
    Blake2b512, blake2::Blake2b512, 128, 64
);
blake2_digest!(
    /// BLAKE2s with 32 bytes of digest.
    Blake2s256, blake2::Blake2s256, 64, 32
);

/// BLAKE3, with or without key, with any length of output.
#[derive(Clone)]
pub(crate) struct Blake3(blake3::Hasher);

impl Digest for Blake3 {
    const BLOCK: usize = 64;
    const SIZE: usize = 32;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        Self(match params.key {
            None => blake3::Hasher::new(),
            Some(key) => blake3::Hasher::new_keyed(key),
        })
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.update(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        if target.len() == Self::SIZE {
            target.copy_from_slice(self.0.finalize().as_bytes());
        } else {
            self.0.finalize_xof().fill(target);
        }
    }

    // PLACEHOLDER
    const STATE: usize = 24 + 1024 + 50 * 32;
    fn save(&self, _state: &mut [u8]) {}
    fn load(_params: &Params<'_>, _state: &[u8]) -> Option<Self> {
        None
    }

    fn wipe(&mut self) {
        wipe_replace(&mut self.0, blake3::Hasher::new());
    }

    // The library's own one-shot needs no hasher, which has room for 54 subtrees (1.9 KB).
    #[inline]
    fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        if target.len() == Self::SIZE {
            let digest = match params.key {
                None => blake3::hash(source),
                Some(key) => blake3::keyed_hash(key, source),
            };
            target.copy_from_slice(digest.as_bytes());
            return;
        }
        let mut state = Self::new(params);
        state.update(source);
        state.finish(target);
        state.wipe();
    }
}
