//! The vectors of the kernels, with one row of a Salsa20 matrix of each lane, 128 bits a
//! lane. All kinds have the same operations by the same names, so that the rounds are written once.

use std::arch::x86_64::*;

/// A row of one lane, with AVX2's encoding.
pub(super) struct Row1;
/// As `Row1`, with AVX-512's rotation.
pub(super) struct Row1R;
/// A row of each of two lanes, with AVX2.
pub(super) struct Row2;
/// A row of each of four lanes, with AVX-512.
pub(super) struct Row4;

/// Makes functions for these instructions.
macro_rules! operations {
    ($features:literal, $kind:ident:
     $($(#[$doc:meta])* fn $name:ident $(<$(const
         $constant:ident: i32),*>)? ($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) =>
         {
        impl $kind {$(
            $(#[$doc])*
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn $name $(<$(const $constant: i32),*>)? ($($argument: $type),*) -> $result
                $body
        )*}
    };
}

/// Defines the functions that read and write memory. The 64 bytes of a lane are `$parts` vectors.
macro_rules! places {
    ($features:literal, $kind:ident, $vector:ty, $lanes:literal, $parts:literal, $load:ident,
        $store:ident) => {
        #[allow(clippy::modulo_one)] // parts of a lane that has one
        impl $kind {
            /// Returns the rows of all lanes, as [`store`](Self::store) left them.
            ///
            /// # Safety
            /// Four vectors can be read at `at`, which is aligned to 64 bytes.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn load(at: *const u8) -> [$vector; 4] {
                // SAFETY: row `row` of the four vectors at `at`, which is aligned to the vector.
                std::array::from_fn(|row| unsafe {
                    $load(at.add(row * size_of::<$vector>()).cast())
                })
            }

            /// Writes the rows of all lanes.
            ///
            /// # Safety
            /// Four vectors can be written at `at`, which is aligned to 64 bytes.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn store(at: *mut u8, rows: [$vector; 4]) {
                for (row, words) in rows.into_iter().enumerate() {
                    // SAFETY: row `row` of the four vectors at `at`, which is aligned to the
                    // vector.
                    unsafe { $store(at.add(row * size_of::<$vector>()).cast(), words) };
                }
            }

            /// Returns the rows of all lanes, with the 64 bytes of each lane at its own pointer.
            ///
            /// # Safety
            /// 64 bytes can be read at each pointer plus `offset`, aligned to 64 bytes.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn gather(at: &[*mut u8; $lanes], offset: usize) -> [$vector; 4] {
                Self::in_rows(std::array::from_fn(|index| {
                    let place = at[index / $parts]
                        .wrapping_add(offset + index % $parts * size_of::<$vector>());
                    // SAFETY: one of the `$parts` vectors in the 64 bytes of a lane, aligned to the
                    // vector.
                    unsafe { $load(place.cast_const().cast()) }
                }))
            }

            /// Writes the rows of each lane to its own place.
            ///
            /// # Safety
            /// 64 bytes can be written at each pointer plus `offset`, aligned to 64 bytes.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn scatter(
                at: &[*mut u8; $lanes],
                offset: usize,
                rows: [$vector; 4],
            ) {
                for (index, part) in Self::in_lanes(rows).into_iter().enumerate() {
                    let place = at[index / $parts]
                        .wrapping_add(offset + index % $parts * size_of::<$vector>());
                    // SAFETY: one of the `$parts` vectors in the 64 bytes of a lane, aligned to the
                    // vector.
                    unsafe { $store(place.cast(), part) };
                }
            }
        }
    };
}

operations! {"avx2", Row1:
    fn add(x: __m128i, y: __m128i) -> __m128i {
        _mm_add_epi32(x, y)
    }

    fn xor(x: __m128i, y: __m128i) -> __m128i {
        _mm_xor_si128(x, y)
    }

    /// Returns `x` XOR `y` rotated to the left by `BY`, with `BACK` to the whole.
    fn xor_rotated<const BY: i32, const BACK: i32>(x: __m128i, y: __m128i) -> __m128i {
        _mm_xor_si128(_mm_xor_si128(x, _mm_slli_epi32::<BY>(y)), _mm_srli_epi32::<BACK>(y))
    }

    /// Returns the words of each row in another order.
    fn turned<const ORDER: i32>(x: __m128i) -> __m128i {
        _mm_shuffle_epi32::<ORDER>(x)
    }

    fn in_rows(parts: [__m128i; 4]) -> [__m128i; 4] {
        parts
    }

    fn in_lanes(rows: [__m128i; 4]) -> [__m128i; 4] {
        rows
    }
}
places!("avx2", Row1, __m128i, 1, 4, _mm_load_si128, _mm_store_si128);

operations! {"avx512f,avx512vl,avx512bw", Row1R:
    fn add(x: __m128i, y: __m128i) -> __m128i {
        _mm_add_epi32(x, y)
    }

    fn xor(x: __m128i, y: __m128i) -> __m128i {
        _mm_xor_si128(x, y)
    }

    /// Returns `x` XOR `y` rotated to the left by `BY`, with `BACK` to the whole.
    fn xor_rotated<const BY: i32, const BACK: i32>(x: __m128i, y: __m128i) -> __m128i {
        _mm_xor_si128(x, _mm_rol_epi32::<BY>(y))
    }

    /// Returns the words of each row in another order.
    fn turned<const ORDER: i32>(x: __m128i) -> __m128i {
        _mm_shuffle_epi32::<ORDER>(x)
    }

    fn in_rows(parts: [__m128i; 4]) -> [__m128i; 4] {
        parts
    }

    fn in_lanes(rows: [__m128i; 4]) -> [__m128i; 4] {
        rows
    }
}
places!("avx512f,avx512vl,avx512bw", Row1R, __m128i, 1, 4, _mm_load_si128, _mm_store_si128);

operations! {"avx2", Row2:
    fn add(x: __m256i, y: __m256i) -> __m256i {
        _mm256_add_epi32(x, y)
    }

    fn xor(x: __m256i, y: __m256i) -> __m256i {
        _mm256_xor_si256(x, y)
    }

    /// Returns `x` XOR `y` rotated to the left by `BY`, with `BACK` to the whole.
    fn xor_rotated<const BY: i32, const BACK: i32>(x: __m256i, y: __m256i) -> __m256i {
        _mm256_xor_si256(_mm256_xor_si256(x, _mm256_slli_epi32::<BY>(y)),
            _mm256_srli_epi32::<BACK>(y))
    }

    /// Returns the words of each row in another order.
    fn turned<const ORDER: i32>(x: __m256i) -> __m256i {
        _mm256_shuffle_epi32::<ORDER>(x)
    }

    /// Joins two rows of one lane each to one row of both lanes.
    fn in_rows(parts: [__m256i; 4]) -> [__m256i; 4] {
        let [a, b, c, d] = parts;
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    }

    fn in_lanes(rows: [__m256i; 4]) -> [__m256i; 4] {
        let [a, b, c, d] = rows;
        [
            _mm256_permute2x128_si256::<0x20>(a, b),
            _mm256_permute2x128_si256::<0x20>(c, d),
            _mm256_permute2x128_si256::<0x31>(a, b),
            _mm256_permute2x128_si256::<0x31>(c, d),
        ]
    }
}
places!("avx2", Row2, __m256i, 2, 2, _mm256_load_si256, _mm256_store_si256);

operations! {"avx512f,avx512vl,avx512bw", Row4:
    fn add(x: __m512i, y: __m512i) -> __m512i {
        _mm512_add_epi32(x, y)
    }

    fn xor(x: __m512i, y: __m512i) -> __m512i {
        _mm512_xor_si512(x, y)
    }

    /// Returns `x` XOR `y` rotated to the left by `BY`, with `BACK` to the whole.
    fn xor_rotated<const BY: i32, const BACK: i32>(x: __m512i, y: __m512i) -> __m512i {
        _mm512_xor_si512(x, _mm512_rol_epi32::<BY>(y))
    }

    /// Returns the words of each row in another order.
    fn turned<const ORDER: i32>(x: __m512i) -> __m512i {
        _mm512_shuffle_epi32::<ORDER>(x)
    }

    /// Joins four rows of one lane each to one row of all lanes, and back.
    fn in_rows(parts: [__m512i; 4]) -> [__m512i; 4] {
        let [a, b, c, d] = parts;
        let [ab, cd] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
        let [ef, gh] = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
        [
            _mm512_shuffle_i32x4::<0x88>(ab, cd),
            _mm512_shuffle_i32x4::<0xdd>(ab, cd),
            _mm512_shuffle_i32x4::<0x88>(ef, gh),
            _mm512_shuffle_i32x4::<0xdd>(ef, gh),
        ]
    }

    fn in_lanes(rows: [__m512i; 4]) -> [__m512i; 4] {
        Self::in_rows(rows)
    }
}
places!("avx512f,avx512vl,avx512bw", Row4, __m512i, 4, 1, _mm512_load_si512, _mm512_store_si512);
