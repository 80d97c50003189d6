//! The stripes of a long message over vectors of any kind.
//!
//! The eight lanes of 64 bits are one vector or several, as a stripe of 64 bytes is:
//!
//! ```text
//! block of 16 stripes, i in 0..16:
//!     key = words i..i + 8 of the secret, plus the seed where even, less the seed where odd
//!     words    += stripe[i]
//!     products += lower half * upper half of each word of (stripe[i] ^ key)        32 by 32 bits
//! lanes += products + (words, each exchanged with its neighbour)                   once a block
//! scramble:  lanes = (lanes ^ lanes >> 47 ^ key) * PRIME32_1, key of i = 16        after a block
//! end:       fewer stripes, without scrambling; the last 64 bytes with a key of their own;
//!            lanes ^ key, merged with the length in scalar code
//! ```
//!
//! Keys that begin within a word are shifted together from two vectors.
//!
//! # Safety
//! The CPU has the instructions of the vector. The generic functions have no features and are
//! inlined: [`kernel`] calls them from functions with those of the vector.

use super::stripe::{
    BLOCK, End, LAST, MERGE, MERGE_HIGH, SCRAMBLE, SecretOffset, merge, merge_high,
};
use super::{Lanes, SECRET, Stripe};

/// Eight words in registers: a stripe, the lanes, or the part of the secret for them.
///
/// # Safety
/// The type is registers of integers, 64 bytes. A caller's CPU has the instructions.
pub(crate) unsafe trait Vector: Copy {
    /// Fetches what will be read soon.
    unsafe fn fetch(_stripe: &Stripe) {}
    /// Returns the first number in even words and the second in odd ones.
    unsafe fn in_turn(even: u64, odd: u64) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Adds the product of both halves of each word.
    unsafe fn add_products(self, words: Self) -> Self;
    /// Exchanges each word with its neighbour.
    unsafe fn exchanged(self) -> Self;
    /// Returns the words that begin `byte` bytes, fewer than eight, after these; the last byte of
    /// each is among those of `next`.
    unsafe fn shifted(self, next: Self, byte: usize) -> Self;
    /// Scrambles lanes.
    unsafe fn scrambled(self, key: Self) -> Self;
}

/// The seed, which is added to even words of the secret and subtracted from odd ones.
struct Seed<V> {
    /// For vectors that begin with an even word.
    even: V,
    odd: V,
}

impl<V: Vector> Seed<V> {
    // SAFETY: see the module.
    #[inline(always)]
    unsafe fn new(seed: u64) -> Self {
        let minus = seed.wrapping_neg();
        // SAFETY: the CPU has the instructions, here and below.
        unsafe { Self { even: V::in_turn(seed, minus), odd: V::in_turn(minus, seed) } }
    }

    /// Returns the vectors for this word and the next.
    #[inline(always)]
    fn of(&self, word: usize) -> (V, V) {
        if word.is_multiple_of(2) { (self.even, self.odd) } else { (self.odd, self.even) }
    }

    /// Returns 64 bytes of the seeded secret.
    // SAFETY: see the module.
    #[inline(always)]
    unsafe fn key(&self, word: usize) -> V {
        // SAFETY: as above.
        unsafe { secret::<V>(word).add(self.of(word).0) }
    }

    /// Returns 64 bytes of the seeded secret, from within a word on.
    #[inline(always)]
    unsafe fn key_at(&self, (word, byte): SecretOffset) -> V {
        // SAFETY: as above.
        unsafe { self.key(word).shifted(self.key(word + 1), byte) }
    }
}

/// Returns eight words of the secret.
// SAFETY: see the module.
#[inline(always)]
unsafe fn secret<V: Vector>(word: usize) -> V {
    let bytes = SECRET.0[8 * word..].first_chunk().expect("at most 16 words from the start");
    // SAFETY: as above.
    unsafe { load(bytes) }
}

/// Returns the words of a stripe.
#[inline(always)]
unsafe fn load<V: Vector>(stripe: &Stripe) -> V {
    // SAFETY: a vector is 64 bytes of integers.
    unsafe { stripe.as_ptr().cast::<V>().read_unaligned() }
}

/// Returns the lanes in memory.
#[inline(always)]
unsafe fn stored<V: Vector>(lanes: V) -> Lanes {
    // SAFETY: as above.
    Lanes(unsafe { (&raw const lanes).cast::<[u64; 8]>().read() })
}

/// The sums that stripes add to the lanes.
#[derive(Copy, Clone)]
struct Added<V> {
    /// The words, each still in its own lane instead of its neighbour's.
    words: V,
    products: V,
}

impl<V: Vector> Added<V> {
    // SAFETY: see the module.
    #[inline(always)]
    unsafe fn none() -> Self {
        // SAFETY: as above.
        let zeros = unsafe { V::in_turn(0, 0) };
        Self { words: zeros, products: zeros }
    }

    #[inline(always)]
    unsafe fn add(&mut self, stripe: &Stripe, key: V) {
        // SAFETY: as above.
        unsafe {
            let words = load::<V>(stripe);
            self.words = self.words.add(words);
            self.products = self.products.add_products(words.xor(key));
        }
    }

    /// Returns the lanes with these sums added.
    // SAFETY: see the module.
    #[inline(always)]
    unsafe fn to(&self, lanes: V) -> V {
        // SAFETY: as above.
        unsafe { lanes.add(self.words.exchanged().add(self.products)) }
    }
}

/// Absorbs stripes of one block, of which the first has index `at`.
// SAFETY: see the module.
#[inline(always)]
unsafe fn add<V: Vector>(lanes: V, seed: &Seed<V>, stripes: &[Stripe], at: usize) -> V {
    // SAFETY: as above.
    unsafe {
        let mut new = Added::none();
        let (seed, next) = seed.of(at);
        let (pairs, last) = stripes.as_chunks();
        for ([first, second], word) in pairs.iter().zip((at..).step_by(2)) {
            V::fetch(first);
            new.add(first, secret::<V>(word).add(seed));
            V::fetch(second);
            new.add(second, secret::<V>(word + 1).add(next));
        }
        if let [last] = last {
            new.add(last, secret::<V>(at + stripes.len() - 1).add(seed));
        }
        new.to(lanes)
    }
}

/// Absorbs whole stripes.
// SAFETY: see the module.
#[inline(always)]
unsafe fn run<V: Vector>(lanes: &Lanes, seed: &Seed<V>, stripes: &[Stripe], at: usize) -> V {
    // SAFETY: as above.
    unsafe {
        let mut lanes: V = (&raw const lanes.0).cast::<V>().read_unaligned();
        let scramble = seed.key(SCRAMBLE);
        let (begun, rest) = stripes.split_at(stripes.len().min((BLOCK - at) % BLOCK));
        if !begun.is_empty() {
            lanes = add(lanes, seed, begun, at);
            if at + begun.len() == BLOCK {
                lanes = lanes.scrambled(scramble);
            }
        }
        let (blocks, rest) = rest.as_chunks::<BLOCK>();
        for block in blocks {
            lanes = add(lanes, seed, block, 0).scrambled(scramble);
        }
        add(lanes, seed, rest, 0)
    }
}

/// Absorbs whole stripes, of which the first has index `at` in its block.
// SAFETY: see the module.
#[inline(always)]
pub(crate) unsafe fn consume<V: Vector>(
    lanes: &Lanes,
    seed: u64,
    stripes: &[Stripe],
    at: usize,
) -> Lanes {
    // SAFETY: as above.
    unsafe { stored(run(lanes, &Seed::<V>::new(seed), stripes, at)) }
}

/// Finishes a message: returns both halves, the high one only if it is wanted.
#[inline(always)]
pub(crate) unsafe fn finish<V: Vector, const HIGH: bool>(
    lanes: &Lanes,
    seed: u64,
    end: &End<'_>,
) -> u128 {
    // SAFETY: as above.
    unsafe {
        let seed = Seed::<V>::new(seed);
        let mut last = Added::none();
        let lanes = run(lanes, &seed, end.stripes, end.at);
        last.add(end.last, seed.key_at(LAST));
        let lanes = last.to(lanes);
        let low = merge(&stored(lanes.xor(seed.key_at(MERGE))), end.length);
        if !HIGH {
            return low.into();
        }
        let high = merge_high(&stored(lanes.xor(seed.key_at(MERGE_HIGH))), end.length);
        u128::from(high) << 64 | u128::from(low)
    }
}

/// Defines the functions of a kernel, and the methods of its vector, with these instructions.
macro_rules! kernel {
    ($vector:ty, $features:literal $(, $proof:ty)?:
     $(fn $name:ident($($arguments:tt)*) $(-> $result:ty)? $body:block)*) => {
        // SAFETY: registers of integers, 64 bytes.
        unsafe impl Vector for $vector {
            $(
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn $name($($arguments)*) $(-> $result)? $body
            )*
        }

        /// Absorbs whole stripes, of which the first has index `at` in its block.
        #[target_feature(enable = $features)]
        pub(crate) fn consume(
            lanes: &Lanes,
            seed: u64,
            stripes: &[Stripe],
            at: usize,
            $(_proof: $proof,)?
        ) -> Lanes {
            // SAFETY: this function has the instructions.
            unsafe { vector::consume::<$vector>(lanes, seed, stripes, at) }
        }

        /// Finishes a message with 64 bits.
        #[target_feature(enable = $features)]
        pub(crate) fn end64(lanes: &Lanes, seed: u64, end: &End<'_> $(, _proof: $proof)?) -> u64 {
            // SAFETY: as above.
            unsafe { vector::finish::<$vector, false>(lanes, seed, end) as u64 }
        }

        /// Finishes a message with 128 bits.
        #[target_feature(enable = $features)]
        pub(crate) fn end128(lanes: &Lanes, seed: u64, end: &End<'_> $(, _proof: $proof)?) -> u128 {
            // SAFETY: as above.
            unsafe { vector::finish::<$vector, true>(lanes, seed, end) }
        }
    };
}

pub(crate) use kernel;
