//! XXH3: [`short`] hashes up to 240 bytes, [`long`] more; the running hash is here.

mod long;
mod short;
pub(crate) mod stripe;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector;

use self::stripe::{Lanes, SECRET, Stripe};
use super::{LENGTH_LIMIT, word64};
use super::{
    PRIME32_1, PRIME32_2, PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME64_5,
};
use crate::hash::digest::Digest;
use crate::inputs::Params;

/// Bytes of the longest message that [`short`] hashes.
const SHORT: usize = 240;
/// Bytes of the ring, which are absorbed at once.
const RING: usize = 256;

/// The lanes before the first stripe.
static BEGIN: Lanes = Lanes([
    PRIME32_3 as u64,
    PRIME64_1,
    PRIME64_2,
    PRIME64_3,
    PRIME64_4,
    PRIME32_2 as u64,
    PRIME64_5,
    PRIME32_1 as u64,
]);

/// Lets every bit affect every other.
#[inline(always)]
fn avalanche(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 37).wrapping_mul(0x1656_6791_9e37_79f9);
    hash ^ hash >> 32
}

/// Returns the XOR of the halves of the 128-bit product.
#[inline(always)]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// The running hash of either digest.
#[derive(Clone)]
struct Running {
    seed: u64,
    /// Bytes of the message so far.
    length: u64,
    /// The lanes after the first [`taken`] bytes.
    lanes: Lanes,
    /// The message's last bytes, byte `i` at `i % RING`: those that the lanes have not absorbed,
    /// and bytes before them, because the last stripe ends with the message at any alignment.
    ring: [u8; RING],
}

/// Returns the bytes of a message of this length that the lanes have absorbed; never the last byte.
#[inline(always)]
fn taken(length: u64) -> u64 {
    length.saturating_sub(1) / RING as u64 * RING as u64
}

impl Running {
    const STATE: usize = 16 + 64 + RING;

    #[inline]
    fn new(seed: u64) -> Self {
        Self { seed, length: 0, lanes: BEGIN.clone(), ring: [0; RING] }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        let before = taken(self.length);
        let at = (self.length - before) as usize;
        let length = self.length + source.len() as u64;
        self.length = length;
        if taken(length) == before {
            self.ring[at..at + source.len()].copy_from_slice(source);
        } else {
            self.turn(before, at, source);
        }
    }

    /// Absorbs a source that does not fit into the ring.
    fn turn(&mut self, before: u64, at: usize, source: &[u8]) {
        let (first, source) = source.split_at(if at > 0 { RING - at } else { 0 });
        self.ring[at..at + first.len()].copy_from_slice(first);
        let whole = taken(source.len() as u64) as usize;
        let mut stripe = before / 64;
        if at > 0 {
            self.lanes = long::consume(&self.lanes, self.seed, self.ring.as_chunks().0, stripe);
            stripe += RING as u64 / 64;
        }
        self.lanes = long::consume(&self.lanes, self.seed, source[..whole].as_chunks().0, stripe);
        let (taken, rest) = source.split_at(whole);
        if let Some(last) = taken.last_chunk::<RING>() {
            self.ring[rest.len()..].copy_from_slice(&last[rest.len()..]);
        }
        self.ring[..rest.len()].copy_from_slice(rest);
    }

    /// Calls `hash` with the end of a long message.
    fn end<R>(&self, hash: impl FnOnce(&Lanes, u64, &stripe::End<'_>) -> R) -> R {
        let taken = taken(self.length);
        let rest = (self.length - taken) as usize;
        let stripes = self.ring[..(rest - 1) / 64 * 64].as_chunks().0;
        let mut last = [0; 64];
        let (before, after) = last.split_at_mut(64_usize.saturating_sub(rest));
        before.copy_from_slice(&self.ring[RING - before.len()..]);
        after.copy_from_slice(&self.ring[rest - after.len()..rest]);
        let at = (taken / 64) as usize % stripe::BLOCK;
        hash(&self.lanes, self.seed, &stripe::End { stripes, at, last: &last, length: self.length })
    }

    /// Returns the message if it is short.
    #[inline]
    fn short(&self) -> Option<&[u8]> {
        (self.length <= SHORT as u64).then(|| &self.ring[..self.length as usize])
    }

    fn save(&self, state: &mut [u8]) {
        assert!(state.len() == Self::STATE);
        state[..8].copy_from_slice(&self.seed.to_le_bytes());
        state[8..16].copy_from_slice(&self.length.to_le_bytes());
        for (bytes, lane) in state[16..80].chunks_exact_mut(8).zip(self.lanes.0) {
            bytes.copy_from_slice(&lane.to_le_bytes());
        }
        state[80..].copy_from_slice(&self.ring);
    }

    fn load(seed: u64, state: &[u8]) -> Option<Self> {
        if state.len() != Self::STATE {
            return None;
        }
        let mut loaded = Self::new(seed);
        loaded.length = word64(state, 8);
        for (index, lane) in loaded.lanes.0.iter_mut().enumerate() {
            *lane = word64(state, 16 + 8 * index);
        }
        loaded.ring.copy_from_slice(&state[80..]);
        let written = loaded.length.min(RING as u64) as usize;
        let fits = word64(state, 0) == seed
            && loaded.length < LENGTH_LIMIT
            && (taken(loaded.length) > 0 || loaded.lanes.0 == BEGIN.0)
            && loaded.ring[written..].iter().all(|&byte| byte == 0);
        fits.then_some(loaded)
    }
}

/// Defines a [`Digest`] from the functions that finish a message.
macro_rules! xxh3_digest {
    ($(#[$doc:meta])* $name:ident, $word:ty, $short:path, $long:path, $end:path) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name(Running);

        impl Digest for $name {
            const BLOCK: usize = 64;
            const SIZE: usize = size_of::<$word>();
            const STATE: usize = Running::STATE;

            #[inline]
            fn new(params: &Params<'_>) -> Self {
                Self(Running::new(params.seed))
            }

            #[inline]
            fn update(&mut self, source: &[u8]) {
                self.0.update(source);
            }

            #[inline]
            fn finish(&mut self, target: &mut [u8]) {
                let hash = match self.0.short() {
                    Some(message) => $short(message, self.0.seed),
                    None => self.0.end($end),
                };
                target.copy_from_slice(&hash.to_be_bytes());
            }

            #[inline]
            fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
                if self.0.length == 0 {
                    let params = Params { seed: self.0.seed, ..Params::NONE };
                    return Self::digest(&params, source, target);
                }
                self.update(source);
                self.finish(target);
            }

            // Not cryptographic: nothing is secret.
            #[inline]
            fn wipe(&mut self) {}

            #[inline]
            fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
                let seed = params.seed;
                let hash = if source.len() <= SHORT { $short(source, seed) } else { $long(source,
                    seed) };
                target.copy_from_slice(&hash.to_be_bytes());
            }

            fn save(&self, state: &mut [u8]) {
                self.0.save(state);
            }

            fn load(params: &Params<'_>, state: &[u8]) -> Option<Self> {
                Running::load(params.seed, state).map(Self)
            }
        }
    };
}

xxh3_digest!(
    /// XXH3 with 64 bits.
    Xxh3_64, u64, short::hash64, long::hash64, long::end64
);
xxh3_digest!(
    /// XXH3 with 128 bits, the high 64 first.
    Xxh3_128, u128, short::hash128, long::hash128, long::end128
);

#[cfg(test)]
mod tests;
