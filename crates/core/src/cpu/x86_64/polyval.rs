//! POLYVAL by carry-less products of four blocks at once, or of one.
//!
//! Groups of blocks are reduced once: [`field`] has the steps. With AVX-512 ([`gcm`]) these are 64
//! blocks and a VPCLMULQDQ has four products; `by_clmul` has eight blocks, and PCLMULQDQ.
//!
//! [`gcm`]: mod@crate::cpu::kernels::gcm::wide

use std::arch::x86_64::*;

use crate::cipher::field;
use crate::cipher::field::{Factor, reduced};
use crate::cpu::features::{Carryless, Gcm512};
use crate::cpu::kernels::aes::{number, words};
use crate::cpu::kernels::gcm::wide;

/// The powers of H for one of the kernels. Wiped on drop.
#[allow(clippy::large_enum_variant)] // on the heap
pub(crate) enum Powers {
    Wide(wide::Powers, Gcm512),
    Narrow(field::Powers, Carryless),
}

/// Each kernel that the CPU has.
#[cfg(test)]
pub(crate) const EACH: [fn() -> Option<Powers>; 2] = {
    use crate::cpu::features::OrSkip;
    [
        || Gcm512::detect().or_skip().and_then(|_| wide()),
        || Carryless::detect().or_skip().and_then(|_| narrow()),
    ]
};

fn wide() -> Option<Powers> {
    Gcm512::detect().map(|proof| Powers::Wide(wide::Powers::vacant(), proof))
}

fn narrow() -> Option<Powers> {
    Carryless::detect().map(|proof| Powers::Narrow(field::Powers::vacant(), proof))
}

impl Powers {
    /// Returns room for the powers of the widest kernel that the CPU has.
    pub(crate) fn vacant() -> Option<Self> {
        wide().or_else(narrow)
    }

    /// Computes them.
    pub(crate) fn prepare(&mut self, h: Factor) {
        match self {
            Powers::Wide(powers, _) => powers.prepare(h),
            Powers::Narrow(powers, _) => powers.prepare(h),
        }
    }

    /// Returns POLYVAL of a text.
    pub(crate) fn sum(&self, text: &[u8]) -> u128 {
        // SAFETY: the proofs say that the CPU has the instructions.
        unsafe {
            match self {
                Powers::Wide(powers, proof) => wide::polyval(powers, text, *proof),
                Powers::Narrow(powers, _) => by_clmul(powers, text),
            }
        }
    }
}

#[target_feature(enable = "pclmulqdq,sse2")]
fn by_clmul(powers: &field::Powers, text: &[u8]) -> u128 {
    // The sum is multiplied with the first block.
    let group = |sum: u128, blocks: &[[u8; 16]], powers: &[u128]| {
        let [mut low, mut middle, mut high] = [_mm_setzero_si128(); 3];
        let mut sum = words(sum);
        for (block, power) in blocks.iter().zip(powers) {
            // SAFETY: both have 16 bytes.
            let (text, power) = unsafe {
                (
                    _mm_loadu_si128(block.as_ptr().cast()),
                    _mm_loadu_si128(std::ptr::from_ref(power).cast()),
                )
            };
            let text = _mm_xor_si128(text, std::mem::replace(&mut sum, _mm_setzero_si128()));
            low = _mm_xor_si128(low, _mm_clmulepi64_si128::<0x00>(text, power));
            high = _mm_xor_si128(high, _mm_clmulepi64_si128::<0x11>(text, power));
            let across = [
                _mm_clmulepi64_si128::<0x01>(text, power),
                _mm_clmulepi64_si128::<0x10>(text, power),
            ];
            middle = _mm_xor_si128(middle, _mm_xor_si128(across[0], across[1]));
        }
        reduced(number(low), number(middle), number(high))
    };
    powers.sum(text, group)
}
