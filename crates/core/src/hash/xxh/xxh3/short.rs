//! XXH3 of up to 240 bytes: each word is multiplied with another, and with what the seed makes of
//! the secret.
//!
//! `black_box` hides from the compiler what the secret is: it would write the words into the code,
//! ten bytes each, and mix them with the seed in vectors, from which they come back late.

use std::hint::black_box;

use super::{SECRET, SHORT, avalanche, folded};
use crate::cpu::kernels::xxh::plain_register;
use crate::hash::xxh::{PRIME32_2, PRIME64_1, PRIME64_2, PRIME64_4, word32, word64, xxh64};

/// Returns the hash of a short message.
#[inline(always)]
pub(super) fn hash64(source: &[u8], seed: u64) -> u64 {
    let size = source.len();
    let secret = &black_box(&SECRET).0;
    match size {
        0 => xxh64::avalanche(seed ^ word64(secret, 56) ^ word64(secret, 64)),
        1..=3 => xxh64::avalanche(
            u64::from(up_to_3(source))
                ^ u64::from(word32(secret, 0) ^ word32(secret, 4)).wrapping_add(seed),
        ),
        4..=8 => {
            let seed = seed ^ u64::from((seed as u32).swap_bytes()) << 32;
            let words = u64::from(word32(source, 0)) << 32 | u64::from(word32(source, size - 4));
            let mut hash = words ^ (word64(secret, 8) ^ word64(secret, 16)).wrapping_sub(seed);
            hash ^= hash.rotate_left(49) ^ hash.rotate_left(24);
            hash = hash.wrapping_mul(PRIME_MX2);
            hash ^= (hash >> 35).wrapping_add(size as u64);
            hash = hash.wrapping_mul(PRIME_MX2);
            hash ^ hash >> 28
        }
        9..=16 => {
            let low =
                word64(source, 0) ^ (word64(secret, 24) ^ word64(secret, 32)).wrapping_add(seed);
            let high = word64(source, size - 8)
                ^ (word64(secret, 40) ^ word64(secret, 48)).wrapping_sub(seed);
            let sum = (size as u64).wrapping_add(low.swap_bytes()).wrapping_add(high);
            avalanche(sum.wrapping_add(folded(low, high)))
        }
        17..=128 => {
            let mut sum = (size as u64).wrapping_mul(PRIME64_1);
            if size > 32 {
                if size > 64 {
                    if size > 96 {
                        sum = sum.wrapping_add(mix(source, 48, secret, 96, seed));
                        sum = sum.wrapping_add(mix(source, size - 64, secret, 112, seed));
                    }
                    sum = sum.wrapping_add(mix(source, 32, secret, 64, seed));
                    sum = sum.wrapping_add(mix(source, size - 48, secret, 80, seed));
                }
                sum = sum.wrapping_add(mix(source, 16, secret, 32, seed));
                sum = sum.wrapping_add(mix(source, size - 32, secret, 48, seed));
            }
            sum = sum.wrapping_add(mix(source, 0, secret, 0, seed));
            sum = sum.wrapping_add(mix(source, size - 16, secret, 16, seed));
            avalanche(sum)
        }
        129..=SHORT => over_128(source, secret, seed),
        _ => unreachable!("a short message"),
    }
}

#[inline(never)]
fn over_128(source: &[u8], secret: &[u8; 192], seed: u64) -> u64 {
    let size = source.len();
    let Some((begin, end)) = source.split_first_chunk::<128>() else {
        unreachable!("more than 128 bytes")
    };
    let begin = mix_all((size as u64).wrapping_mul(PRIME64_1), begin, secret, seed);
    // In a separate sum this part need not wait for the other.
    let end = mix_all(mix(source, size - 16, secret, 119, seed), end, &secret[3..], seed);
    avalanche(avalanche(begin).wrapping_add(end))
}

#[inline(always)]
fn mix_all(mut sum: u64, source: &[u8], secret: &[u8], seed: u64) -> u64 {
    for (source, secret) in source.as_chunks().0.iter().zip(secret.as_chunks().0) {
        sum = plain_register(sum.wrapping_add(mix_one(*source, *secret, seed)));
    }
    sum
}

/// Returns the hash of a short message, with 128 bits.
#[inline(always)]
pub(super) fn hash128(source: &[u8], seed: u64) -> u128 {
    let size = source.len();
    let secret = &black_box(&SECRET).0;
    match size {
        0 => {
            let low = xxh64::avalanche(seed ^ word64(secret, 64) ^ word64(secret, 72));
            joined(low, xxh64::avalanche(seed ^ word64(secret, 80) ^ word64(secret, 88)))
        }
        1..=3 => {
            let word = up_to_3(source);
            let turned = word.swap_bytes().rotate_left(13);
            let low = u64::from(word)
                ^ u64::from(word32(secret, 0) ^ word32(secret, 4)).wrapping_add(seed);
            let high = u64::from(turned)
                ^ u64::from(word32(secret, 8) ^ word32(secret, 12)).wrapping_sub(seed);
            joined(xxh64::avalanche(low), xxh64::avalanche(high))
        }
        4..=8 => {
            let seed = seed ^ u64::from((seed as u32).swap_bytes()) << 32;
            let words = u64::from(word32(source, 0)) | u64::from(word32(source, size - 4)) << 32;
            let keyed = words ^ (word64(secret, 16) ^ word64(secret, 24)).wrapping_add(seed);
            let product =
                u128::from(keyed) * u128::from(PRIME64_1.wrapping_add((size as u64) << 2));
            let mut low = product as u64;
            let high = ((product >> 64) as u64).wrapping_add(low << 1);
            low ^= high >> 3;
            low = (low ^ low >> 35).wrapping_mul(PRIME_MX2);
            joined(low ^ low >> 28, avalanche(high))
        }
        9..=16 => {
            let (first, last) = (word64(source, 0), word64(source, size - 8));
            let low = first ^ last ^ (word64(secret, 32) ^ word64(secret, 40)).wrapping_sub(seed);
            let keyed = last ^ (word64(secret, 48) ^ word64(secret, 56)).wrapping_add(seed);
            let product = u128::from(low) * u128::from(PRIME64_1);
            let low = (product as u64).wrapping_add((size as u64 - 1) << 54);
            // The halves of the keyed word, the low one times PRIME32_2.
            let added = keyed.wrapping_add((keyed & 0xffff_ffff) * u64::from(PRIME32_2 - 1));
            let high = ((product >> 64) as u64).wrapping_add(added);
            let product = u128::from(low ^ high.swap_bytes()) * u128::from(PRIME64_2);
            let high = ((product >> 64) as u64).wrapping_add(high.wrapping_mul(PRIME64_2));
            joined(avalanche(product as u64), avalanche(high))
        }
        17..=128 => {
            let mut sums = ((size as u64).wrapping_mul(PRIME64_1), 0);
            if size > 32 {
                if size > 64 {
                    if size > 96 {
                        sums = mix_two_at(sums, source, (48, size - 64), secret, 96, seed);
                    }
                    sums = mix_two_at(sums, source, (32, size - 48), secret, 64, seed);
                }
                sums = mix_two_at(sums, source, (16, size - 32), secret, 32, seed);
            }
            sums = mix_two_at(sums, source, (0, size - 16), secret, 0, seed);
            end128(sums, size, seed)
        }
        129..=SHORT => over_128_128(source, secret, seed),
        _ => unreachable!("a short message"),
    }
}

#[inline(never)]
fn over_128_128(source: &[u8], secret: &[u8; 192], seed: u64) -> u128 {
    let size = source.len();
    let Some((begin, end)) = source.split_first_chunk::<128>() else {
        unreachable!("more than 128 bytes")
    };
    let sums = mix_all_two(((size as u64).wrapping_mul(PRIME64_1), 0), begin, secret, seed);
    let sums = mix_all_two((avalanche(sums.0), avalanche(sums.1)), end, &secret[3..], seed);
    end128(
        mix_two_at(sums, source, (size - 16, size - 32), secret, 103, seed.wrapping_neg()),
        size,
        seed,
    )
}

#[inline(always)]
fn mix_all_two(mut sums: (u64, u64), source: &[u8], secret: &[u8], seed: u64) -> (u64, u64) {
    for (source, secret) in source.as_chunks::<32>().0.iter().zip(secret.as_chunks::<32>().0) {
        let halves = |both: &[u8; 32]| (bytes(both, 0), bytes(both, 16));
        sums = mix_two(sums, halves(source), halves(secret), seed);
    }
    sums
}

#[inline(always)]
fn end128(sums: (u64, u64), size: usize, seed: u64) -> u128 {
    let high = sums.0.wrapping_mul(PRIME64_1).wrapping_add(sums.1.wrapping_mul(PRIME64_4));
    let high = high.wrapping_add((size as u64).wrapping_sub(seed).wrapping_mul(PRIME64_2));
    joined(avalanche(sums.0.wrapping_add(sums.1)), avalanche(high).wrapping_neg())
}

const PRIME_MX2: u64 = 0x9fb2_1c65_1e98_df25;

/// Mixes the bytes at `at` with those of the secret at `place`.
#[inline(always)]
fn mix(source: &[u8], at: usize, secret: &[u8; 192], place: usize, seed: u64) -> u64 {
    mix_one(bytes(source, at), bytes(secret, place), seed)
}

#[inline(always)]
fn mix_one(source: Bytes, secret: Bytes, seed: u64) -> u64 {
    let low = word64(&source, 0) ^ word64(&secret, 0).wrapping_add(seed);
    folded(low, word64(&source, 8) ^ word64(&secret, 8).wrapping_sub(seed))
}

/// Mixes two, and adds each also plainly to the sum of the other.
#[inline(always)]
fn mix_two(
    sums: (u64, u64),
    source: (Bytes, Bytes),
    secret: (Bytes, Bytes),
    seed: u64,
) -> (u64, u64) {
    let plain = |bytes: &Bytes| word64(bytes, 0).wrapping_add(word64(bytes, 8));
    let first = sums.0.wrapping_add(mix_one(source.0, secret.0, seed)) ^ plain(&source.1);
    let second = sums.1.wrapping_add(mix_one(source.1, secret.1, seed)) ^ plain(&source.0);
    (first, second)
}

#[inline(always)]
fn mix_two_at(
    sums: (u64, u64),
    source: &[u8],
    (one, other): (usize, usize),
    secret: &[u8; 192],
    place: usize,
    seed: u64,
) -> (u64, u64) {
    let source = (bytes(source, one), bytes(source, other));
    mix_two(sums, source, (bytes(secret, place), bytes(secret, place + 16)), seed)
}

type Bytes = [u8; 16];

/// Returns sixteen bytes from `at` on.
#[inline(always)]
fn bytes(source: &[u8], at: usize) -> Bytes {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&source[at..at + 16]);
    bytes
}

/// Returns one to three bytes and their number.
#[inline(always)]
fn up_to_3(source: &[u8]) -> u32 {
    let size = source.len();
    let byte = |at: usize| u32::from(source[at]);
    byte(0) << 16 | byte(size >> 1) << 24 | byte(size - 1) | (size as u32) << 8
}

#[inline(always)]
fn joined(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}
