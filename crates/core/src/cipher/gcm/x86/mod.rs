//! The kernels of x86-64: AES-CTR and GHASH at once.
//!
//! # Safety
//! Texts are pointers, as the head of [`text`](crate::cipher::text) says: source and
//! target have `size` bytes and are equal or disjoint, in [`avx2::Span`] too. `Keys` of a kernel
//! contain the proof that the CPU has its instructions; `ROUNDS` is the number that
//! [`AesCtrKey::round_keys`] returns with the round keys. A kernel reads powers of H as many places
//! before the end of the table as there are blocks left to hash, at most those of the table.

mod avx2;
pub(crate) mod key;
pub(crate) mod wide;

use super::{BLOCK, advanced, first};
use crate::cipher::aes::AesCtrKey;
use crate::cipher::field::Factor;
use crate::cipher::text::pointers;
use crate::cpu::features::{Gcm256, Gcm512};
use crate::inputs::Text;

/// The powers of H for one of the kernels. Wiped on drop.
#[allow(clippy::large_enum_variant)] // on the heap
pub(crate) enum Powers {
    Wide(wide::Powers, Gcm512),
    Avx2(avx2::Powers, Gcm256),
}

/// A kernel with its key material.
#[derive(Copy, Clone)]
enum GcmKernel<'a> {
    Wide(wide::Keys<'a>),
    Avx2(avx2::Keys<'a>),
}

impl Powers {
    /// Returns room for the powers of the widest kernel that the CPU has for this key.
    pub(crate) fn vacant(key: &AesCtrKey) -> Option<Self> {
        key.round_keys()?;
        Gcm512::detect().map(Self::wide).or_else(|| Gcm256::detect().map(Self::avx2))
    }

    /// Returns room for the powers of AVX-512.
    pub(super) fn wide(proof: Gcm512) -> Self {
        Self::Wide(wide::Powers::vacant(), proof)
    }

    /// Returns room for the powers of AVX2.
    pub(super) fn avx2(proof: Gcm256) -> Self {
        Self::Avx2(avx2::Powers::vacant(), proof)
    }

    /// Computes them.
    pub(crate) fn prepare(&mut self, h: Factor) {
        match self {
            Self::Wide(powers, _) => powers.prepare(h),
            Self::Avx2(powers, proof) => powers.prepare(h, *proof),
        }
    }

    /// Returns the sum of a text's blocks, the last filled up with zeros: each times the power of H
    /// for its distance from the end, the last times H.
    pub(crate) fn hash(&self, text: &[u8]) -> u128 {
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
        let (round_keys, rounds) = key.round_keys()?;
        let kernel = match *self {
            Self::Wide(ref powers, proof) => {
                GcmKernel::Wide(wide::Keys { round_keys, powers, proof })
            }
            Self::Avx2(ref powers, proof) => {
                GcmKernel::Avx2(avx2::Keys { round_keys, powers, proof })
            }
        };
        // SAFETY: the proofs say that the CPU has the instructions, and the key is of as many
        // rounds.
        Some(unsafe {
            match rounds {
                10 => process::<10, OPEN>(kernel, counter, text),
                12 => process::<12, OPEN>(kernel, counter, text),
                _ => process::<14, OPEN>(kernel, counter, text),
            }
        })
    }
}

/// Encrypts or decrypts, and returns GHASH of the ciphertext.
///
/// # Safety
/// The CPU has the instructions of the kernel, and the key is of as many rounds.
unsafe fn process<const ROUNDS: usize, const OPEN: bool>(
    kernel: GcmKernel<'_>,
    counter: u128,
    text: Text<'_>,
) -> u128 {
    let (source, target, size) = pointers(text);
    let span = avx2::Span { source, target, size };
    // SAFETY: source and target have `size` bytes and are equal or disjoint; the kernel's key
    // material has the proof that the CPU has its instructions.
    unsafe {
        match (kernel, OPEN) {
            (GcmKernel::Wide(keys), false) => {
                wide::seal::<ROUNDS>(keys, counter, source, target, size)
            }
            (GcmKernel::Wide(keys), true) => {
                wide::open::<ROUNDS>(keys, counter, source, target, size)
            }
            (GcmKernel::Avx2(keys), false) => avx2::seal::<ROUNDS>(keys, counter, span, 0, None),
            (GcmKernel::Avx2(keys), true) => avx2::open::<ROUNDS>(keys, counter, span, 0, None),
        }
    }
}
