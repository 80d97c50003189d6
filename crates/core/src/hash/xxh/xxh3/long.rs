//! XXH3 of more than 240 bytes: eight lanes, stripes of 64 bytes, and blocks of 16 stripes, after
//! each of which the lanes are scrambled.
//!
//! In a stripe, lane `i` adds word `i ^ 1` and a product of word `i` and the secret. Between two
//! scramblings these sums commute: the words of a block are summed as they come and permuted once,
//! and a block need not wait for the one before. With the block's secrets in registers AVX-512
//! reaches 157 GB/s from the first-level cache and 131 from the second on Zen 5, where AVX2 of
//! `twox-hash` reaches 53.
//!
//! Kernels do not store the secret that a seed makes: reading it back at other alignments would
//! wait for the stores (10 ns). They add the seed to the vectors that they load.

use super::stripe::{BLOCK, End};
use super::{BEGIN, Lanes, Stripe};
use crate::cpu::kernels::xxh3 as kernels;

pub(super) use crate::cpu::kernels::xxh3::{end64, end128};

/// Absorbs whole stripes, of which the first has this index in the message. None is the last.
#[inline]
pub(super) fn consume(lanes: &Lanes, seed: u64, stripes: &[Stripe], number: u64) -> Lanes {
    kernels::consume(lanes, seed, stripes, number as usize % BLOCK)
}

/// Hashes a whole message to 64 bits.
#[inline(never)]
pub(super) fn hash64(source: &[u8], seed: u64) -> u64 {
    end64(&BEGIN, seed, &whole(source))
}

/// Hashes a whole message to 128 bits.
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
