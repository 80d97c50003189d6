//! XXH3's stripes with AVX-512: a stripe is a register, and so is each secret of a block.

use std::arch::x86_64::*;

use super::stripe::{
    BLOCK, End, LAST, MERGE, MERGE_HIGH, SCRAMBLE, SecretOffset, merge, merge_high,
};
use super::{Lanes, PRIME32_1, SECRET, Stripe};
use crate::engines::native::features::Avx512;

/// Absorbs whole stripes, of which the first has index `at` in its block.
#[target_feature(enable = "avx512f")]
pub(super) fn consume(
    lanes: &Lanes,
    seed: u64,
    stripes: &[Stripe],
    at: usize,
    _proof: Avx512,
) -> Lanes {
    run(lanes, seed, stripes, at, |lanes, _| store(lanes))
}

/// Finishes a message with 64 bits.
#[target_feature(enable = "avx512f")]
pub(super) fn end64(lanes: &Lanes, seed: u64, end: &End<'_>, _proof: Avx512) -> u64 {
    run(lanes, seed, end.stripes, end.at, |lanes, keys| {
        let lanes = add_last(lanes, &keys, end.last);
        merge(&store(_mm512_xor_si512(lanes, keys.at(MERGE))), end.length)
    })
}

/// Finishes a message with 128 bits.
#[target_feature(enable = "avx512f")]
pub(super) fn end128(lanes: &Lanes, seed: u64, end: &End<'_>, _proof: Avx512) -> u128 {
    run(lanes, seed, end.stripes, end.at, |lanes, keys| {
        let lanes = add_last(lanes, &keys, end.last);
        let low = merge(&store(_mm512_xor_si512(lanes, keys.at(MERGE))), end.length);
        let high = merge_high(&store(_mm512_xor_si512(lanes, keys.at(MERGE_HIGH))), end.length);
        u128::from(high) << 64 | u128::from(low)
    })
}

/// Absorbs whole stripes and calls `then` with the lanes. It is generic over `then`, so that the
/// lanes stay in registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn run<R>(
    lanes: &Lanes,
    seed: u64,
    stripes: &[Stripe],
    at: usize,
    then: impl FnOnce(__m512i, Keys) -> R,
) -> R {
    let keys = Keys::of(seed);
    let mut lanes = load(lanes);
    let scramble_key = keys.at(SCRAMBLE);
    let (begun, rest) = stripes.split_at(stripes.len().min((BLOCK - at) % BLOCK));
    if !begun.is_empty() {
        lanes = add(lanes, &keys, at, begun);
        if at + begun.len() == BLOCK {
            lanes = scramble(lanes, scramble_key);
        }
    }
    let (blocks, rest) = rest.as_chunks::<BLOCK>();
    if !blocks.is_empty() {
        let keys: [__m512i; BLOCK] =
            std::array::from_fn(|word| keys.at(SecretOffset { word, byte: 0 }));
        for block in blocks {
            let mut new = Added::none();
            for (stripe, key) in block.iter().zip(keys) {
                new.add(stripe, key);
            }
            lanes = scramble(_mm512_add_epi64(lanes, new.sum()), scramble_key);
        }
    }
    then(add(lanes, &keys, 0, rest), keys)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add_last(lanes: __m512i, keys: &Keys, stripe: &Stripe) -> __m512i {
    let mut last = Added::none();
    last.add(stripe, keys.at(LAST));
    _mm512_add_epi64(lanes, last.sum())
}

/// Absorbs stripes of one block.
#[inline]
#[target_feature(enable = "avx512f")]
fn add(lanes: __m512i, keys: &Keys, at: usize, stripes: &[Stripe]) -> __m512i {
    let mut new = Added::none();
    let (mut seed, mut next) = keys.seeds(at);
    for (stripe, word) in stripes.iter().zip(at..) {
        new.add(stripe, _mm512_add_epi64(secret(word), seed));
        (seed, next) = (next, seed);
    }
    _mm512_add_epi64(lanes, new.sum())
}

/// The sums that stripes add to the lanes.
struct Added {
    /// The words, each still in its own lane instead of its neighbour's.
    words: __m512i,
    products: __m512i,
}

impl Added {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn none() -> Self {
        Self { words: _mm512_setzero_si512(), products: _mm512_setzero_si512() }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add(&mut self, stripe: &Stripe, key: __m512i) {
        // SAFETY: a stripe has the size of a register.
        let words = unsafe { _mm512_loadu_si512(stripe.as_ptr().cast()) };
        let mixed = _mm512_xor_si512(words, key);
        let product = _mm512_mul_epu32(mixed, _mm512_srli_epi64::<32>(mixed));
        self.words = _mm512_add_epi64(self.words, words);
        self.products = _mm512_add_epi64(self.products, product);
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sum(&self) -> __m512i {
        _mm512_add_epi64(_mm512_shuffle_epi32::<_MM_PERM_BADC>(self.words), self.products)
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn scramble(lanes: __m512i, key: __m512i) -> __m512i {
    let prime = _mm512_set1_epi64(PRIME32_1.into());
    // One XOR of three.
    let mixed = _mm512_ternarylogic_epi64::<0x96>(lanes, _mm512_srli_epi64::<47>(lanes), key);
    let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(mixed), prime);
    _mm512_add_epi64(_mm512_mul_epu32(mixed, prime), _mm512_slli_epi64::<32>(high))
}

/// The seed as vectors: it is added to even words of the secret and subtracted from odd ones.
struct Keys {
    /// For vectors that begin with an even word.
    even: __m512i,
    odd: __m512i,
}

impl Keys {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of(seed: u64) -> Self {
        let plus = _mm512_set1_epi64(seed as i64);
        let minus = _mm512_sub_epi64(_mm512_setzero_si512(), plus);
        Self {
            even: _mm512_mask_mov_epi64(plus, 0xaa, minus),
            odd: _mm512_mask_mov_epi64(plus, 0x55, minus),
        }
    }

    /// Returns the vectors for this word and the next.
    #[inline]
    fn seeds(&self, word: usize) -> (__m512i, __m512i) {
        if word.is_multiple_of(2) { (self.even, self.odd) } else { (self.odd, self.even) }
    }

    /// Returns 64 bytes of the seeded secret.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn at(&self, SecretOffset { word, byte }: SecretOffset) -> __m512i {
        let (seed, next) = self.seeds(word);
        let words = _mm512_add_epi64(secret(word), seed);
        if byte == 0 {
            return words;
        }
        let later = _mm512_add_epi64(secret(word + 1), next);
        let bits = |count: usize| _mm_cvtsi64_si128(8 * count as i64);
        _mm512_or_si512(
            _mm512_srl_epi64(words, bits(byte)),
            _mm512_sll_epi64(later, bits(8 - byte)),
        )
    }
}

/// Returns eight words of the secret.
#[inline]
#[target_feature(enable = "avx512f")]
fn secret(word: usize) -> __m512i {
    let bytes = &SECRET.0[8 * word..8 * word + 64];
    // SAFETY: they have the size of a register.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(lanes: &Lanes) -> __m512i {
    // SAFETY: the lanes have the size of a register.
    unsafe { _mm512_loadu_si512(lanes.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(register: __m512i) -> Lanes {
    let mut lanes = Lanes([0; 8]);
    // SAFETY: the lanes have the size of a register.
    unsafe { _mm512_storeu_si512(lanes.0.as_mut_ptr().cast(), register) };
    lanes
}
