//! XXH3's stripes with NEON, which every 64-bit ARM has: a stripe is four registers.

use std::arch::aarch64::*;

use super::stripe::{
    BLOCK, End, LAST, MERGE, MERGE_HIGH, SCRAMBLE, SecretOffset, merge, merge_high,
};
use super::{Lanes, PRIME32_1, SECRET, Stripe};

type Quad = [uint64x2_t; 4];

/// Absorbs whole stripes, of which the first has index `at` in its block.
#[target_feature(enable = "neon")]
pub(super) fn consume(lanes: &Lanes, seed: u64, stripes: &[Stripe], at: usize) -> Lanes {
    run(lanes, seed, stripes, at, |lanes, _| store(lanes))
}

/// Finishes a message with 64 bits.
#[target_feature(enable = "neon")]
pub(super) fn end64(lanes: &Lanes, seed: u64, end: &End<'_>) -> u64 {
    run(lanes, seed, end.stripes, end.at, |lanes, keys| {
        let lanes = add_last(lanes, &keys, end.last);
        merge(&store(xor(lanes, keys.at(MERGE))), end.length)
    })
}

/// Finishes a message with 128 bits.
#[target_feature(enable = "neon")]
pub(super) fn end128(lanes: &Lanes, seed: u64, end: &End<'_>) -> u128 {
    run(lanes, seed, end.stripes, end.at, |lanes, keys| {
        let lanes = add_last(lanes, &keys, end.last);
        let low = merge(&store(xor(lanes, keys.at(MERGE))), end.length);
        let high = merge_high(&store(xor(lanes, keys.at(MERGE_HIGH))), end.length);
        u128::from(high) << 64 | u128::from(low)
    })
}

/// Absorbs whole stripes and calls `then` with the lanes. It is generic over `then`, so that the
/// lanes stay in registers.
#[inline]
#[target_feature(enable = "neon")]
fn run<R>(
    lanes: &Lanes,
    seed: u64,
    stripes: &[Stripe],
    at: usize,
    then: impl FnOnce(Quad, Keys) -> R,
) -> R {
    let keys = Keys::of(seed);
    let mut lanes = load(lanes);
    let (begun, rest) = stripes.split_at(stripes.len().min((BLOCK - at) % BLOCK));
    if !begun.is_empty() {
        lanes = add(lanes, &keys, at, begun);
        if at + begun.len() == BLOCK {
            lanes = scramble(lanes, keys.at(SCRAMBLE));
        }
    }
    let (blocks, rest) = rest.as_chunks::<BLOCK>();
    for block in blocks {
        lanes = scramble(add(lanes, &keys, 0, block), keys.at(SCRAMBLE));
    }
    then(add(lanes, &keys, 0, rest), keys)
}

#[inline]
#[target_feature(enable = "neon")]
fn add_last(lanes: Quad, keys: &Keys, stripe: &Stripe) -> Quad {
    let mut last = Added::none();
    last.add(stripe, keys.at(LAST));
    last.to(lanes)
}

/// Absorbs stripes of one block.
#[inline]
#[target_feature(enable = "neon")]
fn add(lanes: Quad, keys: &Keys, at: usize, stripes: &[Stripe]) -> Quad {
    let mut new = Added::none();
    let (mut seed, mut next) = keys.seeds(at);
    for (stripe, word) in stripes.iter().zip(at..) {
        new.add(stripe, secret(word).map(|part| vaddq_u64(part, seed)));
        (seed, next) = (next, seed);
    }
    new.to(lanes)
}

/// The sums that stripes add to the lanes.
struct Added {
    /// The words, each still in its own lane instead of its neighbour's.
    words: Quad,
    products: Quad,
}

impl Added {
    #[inline]
    #[target_feature(enable = "neon")]
    fn none() -> Self {
        Self { words: [vdupq_n_u64(0); 4], products: [vdupq_n_u64(0); 4] }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn add(&mut self, stripe: &Stripe, key: Quad) {
        let words = bytes(stripe);
        for part in 0..4 {
            let mixed = veorq_u64(words[part], key[part]);
            self.words[part] = vaddq_u64(self.words[part], words[part]);
            self.products[part] =
                vmlal_u32(self.products[part], vmovn_u64(mixed), vshrn_n_u64::<32>(mixed));
        }
    }

    /// Returns the lanes with these sums added.
    #[inline]
    #[target_feature(enable = "neon")]
    fn to(&self, lanes: Quad) -> Quad {
        std::array::from_fn(|part| {
            let words = vextq_u64::<1>(self.words[part], self.words[part]);
            vaddq_u64(lanes[part], vaddq_u64(words, self.products[part]))
        })
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn scramble(lanes: Quad, key: Quad) -> Quad {
    let prime = vdup_n_u32(PRIME32_1);
    let shifted = lanes.map(|part| veorq_u64(part, vshrq_n_u64::<47>(part)));
    xor(shifted, key).map(|mixed| {
        let high = vshlq_n_u64::<32>(vmull_u32(vshrn_n_u64::<32>(mixed), prime));
        vmlal_u32(high, vmovn_u64(mixed), prime)
    })
}

#[inline]
#[target_feature(enable = "neon")]
fn xor(one: Quad, other: Quad) -> Quad {
    std::array::from_fn(|part| veorq_u64(one[part], other[part]))
}

/// The seed as vectors: it is added to even words of the secret and subtracted from odd ones.
struct Keys {
    /// For vectors that begin with an even word.
    even: uint64x2_t,
    odd: uint64x2_t,
}

impl Keys {
    #[inline]
    #[target_feature(enable = "neon")]
    fn of(seed: u64) -> Self {
        let (plus, minus) = (vcreate_u64(seed), vcreate_u64(seed.wrapping_neg()));
        Self { even: vcombine_u64(plus, minus), odd: vcombine_u64(minus, plus) }
    }

    /// Returns the vectors for this word and the next.
    #[inline]
    fn seeds(&self, word: usize) -> (uint64x2_t, uint64x2_t) {
        if word.is_multiple_of(2) { (self.even, self.odd) } else { (self.odd, self.even) }
    }

    /// Returns 64 bytes of the seeded secret.
    #[inline]
    #[target_feature(enable = "neon")]
    fn at(&self, SecretOffset { word, byte }: SecretOffset) -> Quad {
        let (seed, next) = self.seeds(word);
        let words = secret(word).map(|part| vaddq_u64(part, seed));
        if byte == 0 {
            return words;
        }
        let later = secret(word + 1).map(|part| vaddq_u64(part, next));
        // Shifts left; negative counts shift right.
        let (right, left) = (vdupq_n_s64(-8 * byte as i64), vdupq_n_s64(64 - 8 * byte as i64));
        std::array::from_fn(|part| {
            vorrq_u64(vshlq_u64(words[part], right), vshlq_u64(later[part], left))
        })
    }
}

/// Returns eight words of the secret.
#[inline]
#[target_feature(enable = "neon")]
fn secret(word: usize) -> Quad {
    let mut stripe = [0; 64];
    stripe.copy_from_slice(&SECRET.0[8 * word..8 * word + 64]);
    bytes(&stripe)
}

#[inline]
#[target_feature(enable = "neon")]
fn bytes(stripe: &Stripe) -> Quad {
    let (parts, _) = stripe.as_chunks::<16>();
    // SAFETY: a quarter of a stripe has the size of a register.
    std::array::from_fn(|part| unsafe { vreinterpretq_u64_u8(vld1q_u8(parts[part].as_ptr())) })
}

#[inline]
#[target_feature(enable = "neon")]
fn load(lanes: &Lanes) -> Quad {
    let (parts, _) = lanes.0.as_chunks::<2>();
    // SAFETY: two lanes have the size of a register.
    std::array::from_fn(|part| unsafe { vld1q_u64(parts[part].as_ptr()) })
}

#[inline]
#[target_feature(enable = "neon")]
fn store(registers: Quad) -> Lanes {
    let mut lanes = Lanes([0; 8]);
    for (lanes, register) in lanes.0.as_chunks_mut::<2>().0.iter_mut().zip(registers) {
        // SAFETY: two lanes have the size of a register.
        unsafe { vst1q_u64(lanes.as_mut_ptr(), register) };
    }
    lanes
}
