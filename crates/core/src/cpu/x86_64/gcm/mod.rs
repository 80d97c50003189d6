//! The kernels of x86-64: AES-CTR and GHASH at once.
//!
//! Both kernels encrypt a pass beside hashing one whose ciphertext is there already:
//!
//! ```text
//! seal                                                open
//! encrypt pass 0                                      for each pass p
//! for each next pass p                                    hash p of the source; decrypt p
//!     encrypt p; hash p - 1 of the target             hash and decrypt the rest
//! encrypt and hash the rest
//! ```
//!
//! Products are summed up and reduced once: [`field`](crate::cipher::field) has the steps.
//!
//! # Safety
//! Texts are pointers, as the head of [`text`](crate::cipher::text) says: source and target have
//! `size` bytes and are equal or disjoint. [`Keys`] of a kernel contain the proof that the CPU has
//! its instructions. `ROUNDS` is the number that [`WideKey::round_keys`](super::aes::WideKey)
//! returns with the round keys. A kernel reads powers of H as many places before the end of the
//! table as there are blocks left to hash, at most those of the table.

mod avx2;
mod key;
pub(crate) mod wide;

pub(crate) use self::key::GcmKey;
use crate::cipher::aes::AesCtrKey;
use crate::cipher::field::Factor;
use crate::cipher::text::{Span, pointers};
use crate::cpu::features::{Gcm256, Gcm512};
use crate::cpu::kernels::aes::expand::RoundKeys;
use crate::cpu::kernels::aes::with_rounds;
use crate::inputs::Text;

/// The powers of H for one of the kernels. Wiped on drop.
#[allow(clippy::large_enum_variant)] // on the heap
pub(crate) enum Powers {
    Wide(wide::Powers, Gcm512),
    Avx2(avx2::Powers, Gcm256),
}

/// The key material of a kernel.
#[derive(Copy, Clone)]
struct Keys<'a, P, Proof> {
    round_keys: &'a RoundKeys,
    powers: P,
    proof: Proof,
}

/// Each kernel for parts that the CPU has.
#[cfg(test)]
pub(crate) const EACH: [fn() -> Option<Powers>; 2] = {
    use crate::cpu::features::OrSkip;
    [
        || Gcm512::detect().or_skip().map(Powers::wide),
        || Gcm256::detect().or_skip().map(Powers::avx2),
    ]
};

impl Powers {
    /// Returns room for the powers of the widest kernel that the CPU has.
    pub(crate) fn vacant() -> Option<Self> {
        Gcm512::detect().map(Self::wide).or_else(|| Gcm256::detect().map(Self::avx2))
    }

    /// Returns room for the powers of AVX-512.
    fn wide(proof: Gcm512) -> Self {
        Self::Wide(wide::Powers::vacant(), proof)
    }

    /// Returns room for the powers of AVX2.
    fn avx2(proof: Gcm256) -> Self {
        Self::Avx2(avx2::Powers::vacant(), proof)
    }

    /// Computes them.
    pub(crate) fn prepare(&mut self, h: Factor) {
        match self {
            Self::Wide(powers, _) => powers.prepare(h),
            // SAFETY: the proof says that the CPU has the instructions.
            Self::Avx2(powers, _) => unsafe { powers.prepare(h) },
        }
    }

    /// Returns the sum of a text's blocks, the last filled up with zeros: each times the power of H
    /// for its distance from the end, the last times H.
    pub(crate) fn sum(&self, text: &[u8]) -> u128 {
        // SAFETY: the proofs say that the CPU has the instructions.
        unsafe {
            match self {
                Self::Wide(powers, proof) => wide::hash(powers, text, *proof),
                Self::Avx2(powers, proof) => avx2::hash(powers, text, *proof),
            }
        }
    }

    /// Encrypts or decrypts, and returns such a sum of the ciphertext; `None` if the key has no
    /// round keys.
    pub(crate) fn process<const OPEN: bool>(
        &self,
        key: &AesCtrKey,
        counter: u128,
        text: Text<'_>,
    ) -> Option<u128> {
        let (round_keys, rounds) = key.wide()?.round_keys();
        let text = pointers(text);
        let Span { source, target, size } = text;
        // SAFETY: source and target have `size` bytes and are equal or disjoint. The proofs say
        // that the CPU has the instructions, and the key is of as many rounds.
        Some(unsafe {
            match *self {
                Self::Wide(ref powers, proof) => {
                    let keys = Keys { round_keys, powers, proof };
                    with_rounds!(rounds, ROUNDS => match OPEN {
                        true => wide::open::<ROUNDS>(keys, counter, source, target, size),
                        false => wide::seal::<ROUNDS>(keys, counter, source, target, size),
                    })
                }
                Self::Avx2(ref powers, proof) => {
                    let keys = Keys { round_keys, powers, proof };
                    with_rounds!(rounds, ROUNDS => match OPEN {
                        true => avx2::open::<ROUNDS>(keys, counter, text, 0, None),
                        false => avx2::seal::<ROUNDS>(keys, counter, text, 0, None),
                    })
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
