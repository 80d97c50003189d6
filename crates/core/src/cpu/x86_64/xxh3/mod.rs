//! XXH3's stripes: the choice of the kernel.

pub(crate) mod avx2;
pub(crate) mod avx512;

use crate::cpu::any::xxh3 as any;
use crate::cpu::features::{Avx2, Avx512};
use crate::hash::xxh::xxh3::stripe::{End, Lanes, Stripe};

/// Defines functions that call those of the fastest kernel that this CPU can run.
macro_rules! by_cpu {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name($($argument: $type),*) -> $result {
            if let Some(proof) = Avx512::detect() {
                // SAFETY: the proof says that the CPU has the instructions.
                return unsafe { avx512::$name($($argument,)* proof) };
            }
            if let Some(proof) = Avx2::detect() {
                // SAFETY: as above.
                return unsafe { avx2::$name($($argument,)* proof) };
            }
            any::$name($($argument),*)
        }
    )*};
}

by_cpu! {
    /// Absorbs whole stripes, of which the first has index `at` in its block.
    fn consume(lanes: &Lanes, seed: u64, stripes: &[Stripe], at: usize) -> Lanes;
    /// Finishes a message with 64 bits.
    fn end64(lanes: &Lanes, seed: u64, end: &End<'_>) -> u64;
    /// Finishes a message with 128 bits.
    fn end128(lanes: &Lanes, seed: u64, end: &End<'_>) -> u128;
}
