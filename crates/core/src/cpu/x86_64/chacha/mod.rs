//! ChaCha20 with AVX-512, and with AVX2 beside Poly1305.

pub(crate) mod avx2;
pub(crate) mod avx512;

use crate::cipher::chacha::state::{BLOCK, state};
use crate::cipher::text::Span;
pub(crate) use crate::cpu::any::chacha::LIBRARY;
use crate::cpu::features::Avx512;
use crate::wipe::wipe_plain;

/// Encrypts or decrypts, and returns true; false if the library is faster or the CPU lacks the
/// instructions.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline]
pub(crate) unsafe fn apply(key: &[u8; 32], iv: &[u8; 16], text: Span) -> bool {
    // AWS-LC's scalar code has less latency than vectors have.
    if text.size <= BLOCK {
        return false;
    }
    let Some(proof) = Avx512::detect() else { return false };
    let mut state = state(key, iv);
    // SAFETY: source and target have `size` bytes and are equal or disjoint.
    unsafe { avx512::apply(&mut state, text, proof) };
    wipe_plain(&mut state);
    true
}

#[cfg(test)]
mod tests;
