//! The xxHash family, by `twox-hash`. Digests are in the canonical, big-endian form.

use std::hash::Hasher;

use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

use super::Digest;
use crate::inputs::Params;

/// Makes a [`Digest`] of one `twox-hash` hasher.
macro_rules! xxh_digest {
    ($(#[$doc:meta])* $name:ident, $state:ty, $block:literal, $size:literal,
     $seed:ty, $oneshot:path, $finish:path) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name($state);

        impl Digest for $name {
            const BLOCK: usize = $block;
            const SIZE: usize = $size;

            #[inline]
            fn new(params: &Params<'_>) -> Self {
                Self(<$state>::with_seed(params.seed as $seed))
            }

            #[inline]
            fn update(&mut self, source: &[u8]) {
                self.0.write(source);
            }

            #[inline]
            fn finish(&mut self, target: &mut [u8]) {
                target.copy_from_slice(&$finish(&self.0).to_be_bytes());
            }

            // PLACEHOLDER: twox-hash does not give out its state. Dropped with twox-hash.
            const STATE: usize = 0;
            fn save(&self, _state: &mut [u8]) {}
            fn load(_params: &Params<'_>, _state: &[u8]) -> Option<Self> {
                None
            }

            // Not cryptographic: nothing is secret.
            #[inline]
            fn wipe(&mut self) {}

            #[inline]
            fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
                target.copy_from_slice(&$oneshot(params.seed as $seed, source).to_be_bytes());
            }
        }
    };
}

xxh_digest!(
    /// XXH32. Takes the low 32 bits of the seed.
    Xxh32, XxHash32, 16, 4, u32, XxHash32::oneshot, XxHash32::finish_32
);
xxh_digest!(
    /// XXH64.
    Xxh64, XxHash64, 32, 8, u64, XxHash64::oneshot, XxHash64::finish
);
xxh_digest!(
    /// XXH3 with 64 bits.
    Xxh3_64, XxHash3_64, 64, 8, u64, XxHash3_64::oneshot_with_seed, XxHash3_64::finish
);
xxh_digest!(
    /// XXH3 with 128 bits, the high 64 first.
    Xxh3_128, XxHash3_128, 64, 16, u64, XxHash3_128::oneshot_with_seed, XxHash3_128::finish_128
);
