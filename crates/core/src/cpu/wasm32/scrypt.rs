//! ROMix of one lane, in vectors of WebAssembly: [`romix`] has the steps. A vector is a row.

use std::arch::wasm32::*;

use crate::kdf::scrypt::mix::romix;
use crate::kdf::scrypt::mix::romix::{RomixBuffers, RomixKernel, Rows, kernel};

/// Returns the kernels that this CPU can run, from the fewest lanes to the most.
pub(crate) fn kernels() -> &'static [RomixKernel] {
    const { &[kernel!(v128: 1 * 1)] }
}

/// Returns every kernel with the name of its instructions.
#[cfg(test)]
pub(crate) fn all_kernels() -> Vec<(&'static str, RomixKernel)> {
    kernels().iter().map(|&kernel| ("simd128", kernel)).collect()
}

// SAFETY: 16 bytes of integers.
unsafe impl Rows<1> for v128 {
    #[inline]
    unsafe fn add(self, other: Self) -> Self {
        u32x4_add(self, other)
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn xor(self, other: Self) -> Self {
        v128_xor(self, other)
    }

    #[inline]
    unsafe fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        v128_xor(self, v128_or(u32x4_shl(other, BY as u32), u32x4_shr(other, BACK as u32)))
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn turned_1(self) -> Self {
        u32x4_shuffle::<1, 2, 3, 0>(self, self)
    }

    #[inline]
    unsafe fn turned_2(self) -> Self {
        u32x4_shuffle::<2, 3, 0, 1>(self, self)
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn turned_3(self) -> Self {
        u32x4_shuffle::<3, 0, 1, 2>(self, self)
    }
}
