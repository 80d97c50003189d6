//! XXH32's and XXH64's stripes in scalar code. V8 keeps the lanes in registers only if the loop is
//! a separate function.
//!
//! ```text
//! each stripe, i in 0..4:  lane[i] = ((lane[i] + word[i] * PRIME_2) <<< turn) * PRIME_1
//!                          turn is 13 (XXH32) or 31 (XXH64)
//! ```

use super::WASM;
use crate::hash::xxh::rounds::{rounds_32, rounds_64};
use crate::hash::xxh::{PRIME32_2, word32};

/// Absorbs whole stripes of XXH32.
#[inline(always)]
pub(crate) fn consume_32(lanes: [u32; 4], stripes: &[[u8; 16]]) -> [u32; 4] {
    if WASM { apart_32(lanes, stripes) } else { stripes.iter().fold(lanes, rounds_32::consume_one) }
}

// With a lane of another type the compiler makes no vectors of the four: their products are slow on
// Intel's CPUs.
#[inline(never)]
fn apart_32([mut a, mut b, mut c, d]: [u32; 4], stripes: &[[u8; 16]]) -> [u32; 4] {
    let mut d = std::hint::black_box(u64::from(d));
    let product = |stripe, at| word32(stripe, at).wrapping_mul(PRIME32_2);
    for stripe in stripes {
        a = rounds_32::multiplied_round(a, product(stripe, 0));
        b = rounds_32::multiplied_round(b, product(stripe, 4));
        c = rounds_32::multiplied_round(c, product(stripe, 8));
        d = rounds_32::multiplied_round(d as u32, product(stripe, 12)).into();
    }
    [a, b, c, d as u32]
}

/// Absorbs whole stripes of XXH64.
#[inline(always)]
pub(crate) fn consume_64(lanes: [u64; 4], stripes: &[[u8; 32]]) -> [u64; 4] {
    if WASM { apart_64(lanes, stripes) } else { stripes.iter().fold(lanes, rounds_64::consume_one) }
}

#[inline(never)]
fn apart_64(lanes: [u64; 4], stripes: &[[u8; 32]]) -> [u64; 4] {
    stripes.iter().fold(lanes, rounds_64::consume_one)
}

/// Returns the number. On x86-64 the function of this name keeps it out of vector registers.
#[inline(always)]
pub(crate) fn plain_register(number: u64) -> u64 {
    number
}
