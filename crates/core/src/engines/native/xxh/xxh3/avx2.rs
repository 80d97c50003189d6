//! XXH3's stripes with AVX2: a stripe is two registers.

use std::arch::x86_64::*;

use super::stripe::{
    BLOCK, End, LAST, MERGE, MERGE_HIGH, SCRAMBLE, SecretOffset, merge, merge_high,
};
use super::{Lanes, PRIME32_1, SECRET, Stripe};
use crate::engines::native::features::Avx2;

type Pair = [__m256i; 2];

/// Bytes ahead that are fetched into the nearest cache; the CPU alone fetches too few.
const AHEAD: usize = 512;

/// Absorbs whole stripes, of which the first has index `at` in its block.
#[target_feature(enable = "avx2")]
pub(super) fn consume(
    lanes: &Lanes,
    seed: u64,
    stripes: &[Stripe],
    at: usize,
    _proof: Avx2,
) -> Lanes {
    run(lanes, seed, stripes, at, |lanes, _| store(lanes))
}

/// Finishes a message with 64 bits.
#[target_feature(enable = "avx2")]
pub(super) fn end64(lanes: &Lanes, seed: u64, end: &End<'_>, _proof: Avx2) -> u64 {
    run(lanes, seed, end.stripes, end.at, |lanes, keys| {
        let lanes = add_last(lanes, &keys, end.last);
        merge(&store(xor(lanes, keys.at(MERGE))), end.length)
    })
}

/// Finishes a message with 128 bits.
#[target_feature(enable = "avx2")]
pub(super) fn end128(lanes: &Lanes, seed: u64, end: &End<'_>, _proof: Avx2) -> u128 {
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
#[target_feature(enable = "avx2")]
fn run<R>(
    lanes: &Lanes,
    seed: u64,
    stripes: &[Stripe],
    at: usize,
    then: impl FnOnce(Pair, Keys) -> R,
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
#[target_feature(enable = "avx2")]
fn add_last(lanes: Pair, keys: &Keys, stripe: &Stripe) -> Pair {
    let mut last = Added::none();
    last.add(stripe, keys.at(LAST));
    last.to(lanes)
}

/// Absorbs stripes of one block.
#[inline]
#[target_feature(enable = "avx2")]
fn add(lanes: Pair, keys: &Keys, at: usize, stripes: &[Stripe]) -> Pair {
    let mut new = Added::none();
    let (mut seed, mut next) = keys.seeds(at);
    for (stripe, word) in stripes.iter().zip(at..) {
        #[allow(unused_unsafe)] // Newer versions of Rust have it as a safe function.
        // SAFETY: a prefetch reads nothing, wherever it points.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(stripe.as_ptr().wrapping_add(AHEAD).cast())
        };
        new.add(stripe, secret(word).map(|half| _mm256_add_epi64(half, seed)));
        (seed, next) = (next, seed);
    }
    new.to(lanes)
}

/// The sums that stripes add to the lanes.
struct Added {
    /// The words, each still in its own lane instead of its neighbour's.
    words: Pair,
    products: Pair,
}

impl Added {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn none() -> Self {
        Self { words: [_mm256_setzero_si256(); 2], products: [_mm256_setzero_si256(); 2] }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(&mut self, stripe: &Stripe, key: Pair) {
        let (halves, _) = stripe.as_chunks::<32>();
        for half in 0..2 {
            // SAFETY: half a stripe has the size of a register.
            let words = unsafe { _mm256_loadu_si256(halves[half].as_ptr().cast()) };
            let mixed = _mm256_xor_si256(words, key[half]);
            let product = _mm256_mul_epu32(mixed, _mm256_srli_epi64::<32>(mixed));
            self.words[half] = _mm256_add_epi64(self.words[half], words);
            self.products[half] = _mm256_add_epi64(self.products[half], product);
        }
    }

    /// Returns the lanes with these sums added.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn to(&self, lanes: Pair) -> Pair {
        std::array::from_fn(|half| {
            let words = _mm256_shuffle_epi32::<0b01_00_11_10>(self.words[half]);
            _mm256_add_epi64(lanes[half], _mm256_add_epi64(words, self.products[half]))
        })
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn scramble(lanes: Pair, key: Pair) -> Pair {
    let prime = _mm256_set1_epi64x(PRIME32_1.into());
    let shifted = lanes.map(|half| _mm256_xor_si256(half, _mm256_srli_epi64::<47>(half)));
    xor(shifted, key).map(|mixed| {
        let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(mixed), prime);
        _mm256_add_epi64(_mm256_mul_epu32(mixed, prime), _mm256_slli_epi64::<32>(high))
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(one: Pair, other: Pair) -> Pair {
    std::array::from_fn(|half| _mm256_xor_si256(one[half], other[half]))
}

/// The seed as vectors: it is added to even words of the secret and subtracted from odd ones.
struct Keys {
    /// For vectors that begin with an even word.
    even: __m256i,
    odd: __m256i,
}

impl Keys {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(seed: u64) -> Self {
        let (plus, minus) = (seed as i64, seed.wrapping_neg() as i64);
        Self {
            even: _mm256_set_epi64x(minus, plus, minus, plus),
            odd: _mm256_set_epi64x(plus, minus, plus, minus),
        }
    }

    /// Returns the vectors for this word and the next.
    #[inline]
    fn seeds(&self, word: usize) -> (__m256i, __m256i) {
        if word.is_multiple_of(2) { (self.even, self.odd) } else { (self.odd, self.even) }
    }

    /// Returns 64 bytes of the seeded secret.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn at(&self, SecretOffset { word, byte }: SecretOffset) -> Pair {
        let (seed, next) = self.seeds(word);
        let words = secret(word).map(|half| _mm256_add_epi64(half, seed));
        if byte == 0 {
            return words;
        }
        let later = secret(word + 1).map(|half| _mm256_add_epi64(half, next));
        let bits = |count: usize| _mm_cvtsi64_si128(8 * count as i64);
        std::array::from_fn(|half| {
            let low = _mm256_srl_epi64(words[half], bits(byte));
            _mm256_or_si256(low, _mm256_sll_epi64(later[half], bits(8 - byte)))
        })
    }
}

/// Returns eight words of the secret.
#[inline]
#[target_feature(enable = "avx2")]
fn secret(word: usize) -> Pair {
    let bytes = &SECRET.0[8 * word..8 * word + 64];
    // SAFETY: they have the size of two registers.
    unsafe {
        [_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(bytes[32..].as_ptr().cast())]
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &Lanes) -> Pair {
    let [low, high] = [&lanes.0[..4], &lanes.0[4..]];
    // SAFETY: four lanes have the size of a register.
    unsafe { [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())] }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store([low, high]: Pair) -> Lanes {
    let mut lanes = Lanes([0; 8]);
    let (first, second) = lanes.0.split_at_mut(4);
    // SAFETY: four lanes have the size of a register.
    unsafe {
        _mm256_storeu_si256(first.as_mut_ptr().cast(), low);
        _mm256_storeu_si256(second.as_mut_ptr().cast(), high);
    }
    lanes
}
