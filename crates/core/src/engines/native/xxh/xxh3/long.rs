//! XXH3 of more than 240 bytes: eight lanes, stripes of 64 bytes, and blocks of 16 stripes, after
//! each of which the lanes are scrambled.
//!
//! In a stripe, lane `i` takes up word `i ^ 1` and a product made of word `i` and the secret.
//! Between two scramblings all of that is only added, in any order: so the words of a block are
//! summed up as they come and change places once, and a block need not wait for the one before.
//! That and the block's secrets in registers make AVX-512 as fast as it is: on Zen 5 157 GB/s from
//! the first cache and 131 from the second, where AVX2 of `twox-hash` does 53.
//!
//! No kernel stores the secret which a seed makes, for reading it back at once, at other borders,
//! would wait for the stores (10 ns); vectors add the seed to what they load.

#[cfg(target_arch = "x86_64")]
use super::super::super::features::{Avx2, Avx512};
use super::super::plain_register;
#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(not(target_arch = "aarch64"))]
use super::plain;
use super::{BEGIN, Lanes, PRIME64_1, PRIME64_2, Stripe, avalanche, folded};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Stripes of a block. Each takes the secret from one word farther on.
pub(super) const BLOCK: usize = 16;

/// Where in the secret something begins: a word, and a byte of it.
#[derive(Copy, Clone)]
pub(super) struct Place {
    pub(super) word: usize,
    pub(super) byte: usize,
}

/// The secret of the scrambling.
pub(super) const SCRAMBLE: Place = Place { word: 16, byte: 0 };
/// That of the last stripe.
pub(super) const LAST: Place = Place { word: 15, byte: 1 };
/// That of merging the lanes; the other for the high half of 128 bits.
pub(super) const MERGE: Place = Place { word: 1, byte: 3 };
pub(super) const MERGE_HIGH: Place = Place { word: 14, byte: 5 };

/// The end of a message that is not short.
pub(super) struct End<'a> {
    /// The whole stripes which the lanes lack, without the last.
    pub(super) stripes: &'a [Stripe],
    /// The number of the first of them in its block.
    pub(super) at: usize,
    /// The last 64 bytes, wherever they begin.
    pub(super) last: &'a Stripe,
    /// Bytes of the whole message.
    pub(super) length: u64,
}

/// Calls the function of the best kernel which this CPU has.
macro_rules! by_cpu {
    ($function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(proof) = Avx512::detect() {
                // SAFETY: there is the proof that the CPU has the instructions.
                return unsafe { avx512::$function($($argument,)* proof) };
            }
            if let Some(proof) = Avx2::detect() {
                // SAFETY: as above.
                return unsafe { avx2::$function($($argument,)* proof) };
            }
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every 64-bit ARM for which Rust compiles by default has NEON.
        return unsafe { neon::$function($($argument),*) };
        #[cfg(not(target_arch = "aarch64"))]
        plain::$function($($argument),*)
    }};
}

/// Takes in whole stripes, the first of which has this number in the message. None is the last.
#[inline]
pub(super) fn consume(lanes: &Lanes, seed: u64, stripes: &[Stripe], number: u64) -> Lanes {
    by_cpu!(consume(lanes, seed, stripes, number as usize % BLOCK))
}

/// The hash of a message by its end.
#[inline]
pub(super) fn end64(lanes: &Lanes, seed: u64, end: &End<'_>) -> u64 {
    by_cpu!(end64(lanes, seed, end))
}

/// The hash of a message by its end, with 128 bits.
#[inline]
pub(super) fn end128(lanes: &Lanes, seed: u64, end: &End<'_>) -> u128 {
    by_cpu!(end128(lanes, seed, end))
}

/// The hash of a whole message.
#[inline(never)]
pub(super) fn hash64(source: &[u8], seed: u64) -> u64 {
    end64(&BEGIN, seed, &whole(source))
}

/// The hash of a whole message, with 128 bits.
#[inline(never)]
pub(super) fn hash128(source: &[u8], seed: u64) -> u128 {
    end128(&BEGIN, seed, &whole(source))
}

#[inline(always)]
fn whole(source: &[u8]) -> End<'_> {
    let (Some(last), length) = (source.last_chunk(), source.len()) else {
        unreachable!("more than 240 bytes")
    };
    End { stripes: source[..length - 1].as_chunks().0, at: 0, last, length: length as u64 }
}

/// What the lanes make of the length, once the secret is in them.
#[inline(always)]
pub(super) fn merge(lanes: &Lanes, length: u64) -> u64 {
    avalanche(fold(lanes, length.wrapping_mul(PRIME64_1)))
}

/// The same for the high half of 128 bits.
#[inline(always)]
pub(super) fn merge_high(lanes: &Lanes, length: u64) -> u64 {
    avalanche(fold(lanes, !length.wrapping_mul(PRIME64_2)))
}

#[inline(always)]
fn fold(lanes: &Lanes, begin: u64) -> u64 {
    lanes
        .0
        .as_chunks()
        .0
        .iter()
        .fold(begin, |sum, &[one, other]| plain_register(sum.wrapping_add(folded(one, other))))
}
