//! A key for the wide routines, the choice between them, and blocks in registers.
//!
//! AES-256 on Zen 5, key at hand | 64 B | 1 KiB | 1 MiB
//! --- | --- | --- | ---
//! four blocks a register (AVX-512) | 7 ns | 28 ns | 37 GB/s
//! two blocks a register (AVX2) | 8 ns | 65 ns | 16 GB/s
//! AWS-LC (AES-NI, one block a register) | 17 ns | 115 ns | 9.8 GB/s
//!
//! AES-128 does 50 GB/s with AVX-512. Zen 4, with half as wide a data path, is bound to 16.7 GB/s
//! for AES-256.
//!
//! CTR mode in both widths, with `ROUNDS` of 10, 12 or 14. A register has a block in each of its
//! two or four lanes of 128 bits.
//!
//! ```text
//! while a pass of text is left                              eight registers
//!     x[i] = the next counters, one a lane, bytes reversed to big-endian
//!     x[i] ^= keys[0]
//!     for round in 1..ROUNDS
//!         x[i] = VAESENC(x[i], keys[round])                 i in 0..8, all lanes at once
//!     target = source ^ VAESENCLAST(x[i], keys[ROUNDS])
//! the rest: the same with fewer registers
//! ```
//!
//! The chain of rounds of one register is serial; those of the eight are independent of each other.

pub(crate) mod expand;
mod vaes256;
pub(crate) mod vaes512;

use std::arch::x86_64::*;

use self::expand::RoundKeys;
use crate::Error;
use crate::cipher::text::Span;
#[cfg(any(feature = "rust-crypto", test))]
pub(crate) use crate::cpu::any::aes::Encryption;
use crate::cpu::features::{Vaes256, Vaes512};

/// Evaluates an expression with the number of a key's rounds as a constant.
macro_rules! with_rounds {
    ($rounds:expr, $constant:ident => $result:expr) => {
        match $rounds {
            10 => {
                const $constant: usize = 10;
                $result
            }
            12 => {
                const $constant: usize = 12;
                $result
            }
            _ => {
                const $constant: usize = 14;
                $result
            }
        }
    };
}
pub(crate) use with_rounds;

/// Returns a register with this number.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn words(number: u128) -> __m128i {
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

/// Returns the number in a register.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn number(words: __m128i) -> u128 {
    u128::from(_mm_cvtsi128_si64(words) as u64)
        | u128::from(_mm_cvtsi128_si64(_mm_unpackhi_epi64(words, words)) as u64) << 64
}

/// An expanded key.
pub(crate) struct WideKey {
    keys: RoundKeys,
    rounds: u8,
    narrow: Vaes256,
    wide: Option<Vaes512>,
}

impl WideKey {
    /// Returns room for a key, if this CPU has the instructions.
    #[inline]
    pub(crate) fn vacant() -> Option<Self> {
        let narrow = Vaes256::detect()?;
        Some(Self { keys: [[0; 16]; 15], rounds: 0, narrow, wide: Vaes512::detect() })
    }

    /// Expands `key`, which must have 16, 24 or 32 bytes.
    #[inline]
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        let (keys, proof) = (&mut self.keys, self.narrow);
        // SAFETY: the proof says that the CPU has the instructions.
        unsafe {
            self.rounds = if let Ok(key) = key.try_into() {
                expand::expand_256(key, keys, proof);
                14
            } else if let Ok(key) = key.try_into() {
                expand::expand_128(key, keys, proof);
                10
            } else if let Ok(key) = key.try_into() {
                expand::expand_192(key, keys, proof);
                12
            } else {
                return Err(Error::KeySize);
            };
        }
        Ok(())
    }

    /// Returns the round keys, and their number less one.
    pub(crate) fn round_keys(&self) -> (&RoundKeys, u8) {
        (&self.keys, self.rounds)
    }

    /// Encrypts or decrypts under `iv`.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    #[inline]
    pub(crate) unsafe fn apply(&self, iv: &[u8; 16], text: Span) {
        let (keys, counter) = (&self.keys, u128::from_be_bytes(*iv));
        // SAFETY: source and target have `size` bytes and are equal or disjoint. The key has
        // `self.rounds` rounds, and the proofs say that the CPU has the instructions.
        unsafe {
            with_rounds!(self.rounds, ROUNDS => match self.wide {
                Some(proof) => vaes512::ctr::<ROUNDS>(keys, counter, text, proof),
                None => vaes256::ctr::<ROUNDS>(keys, counter, text, self.narrow),
            })
        }
    }

    /// Encrypts or decrypts with GCM-SIV's counter, from this block on.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint; the key has 16 or 32 bytes.
    pub(crate) unsafe fn apply_siv(&self, counter: [u8; 16], text: Span) {
        let siv = if self.rounds == 10 { vaes256::siv::<10> } else { vaes256::siv::<14> };
        // SAFETY: source and target have `size` bytes and are equal or disjoint; the proof says
        // that the CPU has the instructions.
        unsafe { siv(&self.keys, counter, text, self.narrow) };
    }
}

#[cfg(test)]
mod tests;
