//! A key for the wide routines, and the choice between them.
//!
//! AES-256 on Zen 5, key at hand | 64 B | 1 KiB | 1 MiB
//! --- | --- | --- | ---
//! four blocks a register (AVX-512) | 7 ns | 28 ns | 37 GB/s
//! two blocks a register (AVX2) | 8 ns | 65 ns | 16 GB/s
//! AWS-LC (AES-NI, one block a register) | 17 ns | 115 ns | 9.8 GB/s
//!
//! AES-128 does 50 GB/s with AVX-512. Zen 4, with half as wide a data path, is bound to 16.7 GB/s
//! for AES-256.

use super::expand;
use super::expand::RoundKeys;
use super::{vaes256, vaes512};
use crate::Error;
use crate::cpu::features::{Vaes256, Vaes512};

/// An expanded key.
pub(crate) struct WideKey {
    keys: RoundKeys,
    rounds: u8,
    pub(super) narrow: Vaes256,
    pub(super) wide: Option<Vaes512>,
}

impl WideKey {
    /// Returns room for a key, if this CPU has the instructions.
    #[inline]
    pub(super) fn vacant() -> Option<Self> {
        let narrow = Vaes256::detect()?;
        Some(Self { keys: [[0; 16]; 15], rounds: 0, narrow, wide: Vaes512::detect() })
    }

    /// Expands `key`, which must have 16, 24 or 32 bytes.
    #[inline]
    pub(super) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
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
    pub(super) fn round_keys(&self) -> (&RoundKeys, u8) {
        (&self.keys, self.rounds)
    }

    /// Encrypts or decrypts under `iv`.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    #[inline]
    pub(super) unsafe fn apply(
        &self,
        iv: &[u8; 16],
        source: *const u8,
        target: *mut u8,
        size: usize,
    ) {
        let (keys, counter) = (&self.keys, u128::from_be_bytes(*iv));
        // SAFETY: source and target have `size` bytes and are equal or disjoint. The key has
        // `self.rounds` rounds, and the proofs say that the CPU has the instructions.
        unsafe {
            match (self.rounds, self.wide) {
                (10, Some(proof)) => vaes512::ctr::<10>(keys, counter, source, target, size, proof),
                (12, Some(proof)) => vaes512::ctr::<12>(keys, counter, source, target, size, proof),
                (_, Some(proof)) => vaes512::ctr::<14>(keys, counter, source, target, size, proof),
                (10, None) => vaes256::ctr::<10>(keys, counter, source, target, size, self.narrow),
                (12, None) => vaes256::ctr::<12>(keys, counter, source, target, size, self.narrow),
                (_, None) => vaes256::ctr::<14>(keys, counter, source, target, size, self.narrow),
            }
        }
    }
}
