//! ROMix of several lanes in a vector, and such vectors interleaved: [`romix`] has the steps.
//!
//! A row of 128 bits of one lane, two (AVX2) or four (AVX-512) is a register. Rotations are VPROLD
//! with AVX-512, else two shifts whose results are XORed in one after the other. Rows turn by
//! VPSHUFD. Matrices of the table become rows of several lanes, and back, by VPERM2I128 or
//! VSHUFI32X4.

use std::arch::x86_64::*;

use crate::cpu::any::scrypt as any;
use crate::cpu::features::{Avx2, Avx512};
use crate::kdf::scrypt::mix::romix;
use crate::kdf::scrypt::mix::romix::{RomixBuffers, RomixKernel, Rows, kernel};

/// Returns the kernels that this CPU can run, from the fewest lanes to the most.
pub(crate) fn kernels() -> &'static [RomixKernel] {
    match (Avx512::detect(), Avx2::detect()) {
        (Some(_), _) => &BY_512,
        (None, Some(_)) => &BY_256,
        (None, None) => any::kernels(),
    }
}

/// One, two and four lanes with AVX2.
const BY_256: [RomixKernel; 3] =
    [kernel!(Row1: 1 * 1, "avx2"), kernel!(Row2: 2 * 1, "avx2"), kernel!(Row2: 2 * 2, "avx2")];

/// One, two, four and eight lanes with AVX-512.
const BY_512: [RomixKernel; 4] = [
    kernel!(Row1R: 1 * 1, "avx512f,avx512vl,avx512bw"),
    kernel!(Row1R: 1 * 2, "avx512f,avx512vl,avx512bw"),
    kernel!(Row4: 4 * 1, "avx512f,avx512vl,avx512bw"),
    kernel!(Row4: 4 * 2, "avx512f,avx512vl,avx512bw"),
];

/// Returns all kernels that this CPU can run.
#[cfg(test)]
pub(crate) fn all_kernels() -> Vec<(&'static str, RomixKernel)> {
    use crate::cpu::features::OrSkip;

    let mut all = any::all_kernels();
    if Avx2::detect().or_skip().is_some() {
        all.extend(BY_256.map(|kernel| ("avx2", kernel)));
    }
    if Avx512::detect().or_skip().is_some() {
        all.extend(BY_512.map(|kernel| ("avx512", kernel)));
    }
    all
}

/// Defines rows in one register, whose words `$turned` puts in another order.
macro_rules! rows {
    ($(#[$doc:meta])* $name:ident, $vector:ty, $lanes:literal, $features:literal, $add:ident,
     $xor:ident, $turned:ident:
     $(fn $method:ident $(<$(const $constant:ident: i32),*>)? ($($arguments:tt)*) -> $result:ty
        $body:block)*) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        #[repr(transparent)]
        struct $name($vector);

        // SAFETY: a register of integers.
        unsafe impl Rows<$lanes> for $name {
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn add(self, other: Self) -> Self {
                Self($add(self.0, other.0))
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn xor(self, other: Self) -> Self {
                Self($xor(self.0, other.0))
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn turned_1(self) -> Self {
                Self($turned::<0x39>(self.0))
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn turned_2(self) -> Self {
                Self($turned::<0x4e>(self.0))
            }

            #[inline]
            #[target_feature(enable = $features)]
            // SAFETY: as in the trait.
            unsafe fn turned_3(self) -> Self {
                Self($turned::<0x93>(self.0))
            }

            $(
                #[inline]
                #[target_feature(enable = $features)]
                // SAFETY: as in the trait.
                unsafe fn $method $(<$(const $constant: i32),*>)? ($($arguments)*) -> $result $body
            )*
        }
    };
}

rows! {
    /// A row of one lane, with AVX2's encoding.
    Row1, __m128i, 1, "avx2", _mm_add_epi32, _mm_xor_si128, _mm_shuffle_epi32:
    fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        let left = _mm_xor_si128(self.0, _mm_slli_epi32::<BY>(other.0));
        Self(_mm_xor_si128(left, _mm_srli_epi32::<BACK>(other.0)))
    }
}

rows! {
    /// As `Row1`, with AVX-512's rotation.
    Row1R, __m128i, 1, "avx512f,avx512vl,avx512bw", _mm_add_epi32, _mm_xor_si128,
    _mm_shuffle_epi32:
    fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        Self(_mm_xor_si128(self.0, _mm_rol_epi32::<BY>(other.0)))
    }
}

rows! {
    /// A row of each of two lanes, with AVX2.
    Row2, __m256i, 2, "avx2", _mm256_add_epi32, _mm256_xor_si256, _mm256_shuffle_epi32:
    fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        let left = _mm256_xor_si256(self.0, _mm256_slli_epi32::<BY>(other.0));
        Self(_mm256_xor_si256(left, _mm256_srli_epi32::<BACK>(other.0)))
    }

    fn in_rows([Self(a), Self(b), Self(c), Self(d)]: [Self; 4]) -> [Self; 4] {
        [
            Self(_mm256_permute2x128_si256::<0x20>(a, c)),
            Self(_mm256_permute2x128_si256::<0x31>(a, c)),
            Self(_mm256_permute2x128_si256::<0x20>(b, d)),
            Self(_mm256_permute2x128_si256::<0x31>(b, d)),
        ]
    }

    fn in_lanes([Self(a), Self(b), Self(c), Self(d)]: [Self; 4]) -> [Self; 4] {
        [
            Self(_mm256_permute2x128_si256::<0x20>(a, b)),
            Self(_mm256_permute2x128_si256::<0x20>(c, d)),
            Self(_mm256_permute2x128_si256::<0x31>(a, b)),
            Self(_mm256_permute2x128_si256::<0x31>(c, d)),
        ]
    }
}

rows! {
    /// A row of each of four lanes, with AVX-512.
    Row4, __m512i, 4, "avx512f,avx512vl,avx512bw", _mm512_add_epi32, _mm512_xor_si512,
    _mm512_shuffle_epi32:
    fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        Self(_mm512_xor_si512(self.0, _mm512_rol_epi32::<BY>(other.0)))
    }

    fn in_rows([Self(a), Self(b), Self(c), Self(d)]: [Self; 4]) -> [Self; 4] {
        let [ab, cd] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
        let [ef, gh] = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
        [
            Self(_mm512_shuffle_i32x4::<0x88>(ab, cd)),
            Self(_mm512_shuffle_i32x4::<0xdd>(ab, cd)),
            Self(_mm512_shuffle_i32x4::<0x88>(ef, gh)),
            Self(_mm512_shuffle_i32x4::<0xdd>(ef, gh)),
        ]
    }

    fn in_lanes(rows: [Self; 4]) -> [Self; 4] {
        // SAFETY: this function has the instructions.
        unsafe { Self::in_rows(rows) }
    }
}
