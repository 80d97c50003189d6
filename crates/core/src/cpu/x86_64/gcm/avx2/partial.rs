//! Texts shorter than a register of 32 bytes, without a copy: their first and last bytes are read
//! and written as integers that may overlap.
//!
//! ```text
//! 16 bytes or more:   16 as a register, the others as below
//! 8 to 15 bytes:      the first 8; the last 8, shifted right by the bytes that are in both
//! 4 to 7 bytes:       the first 4; the last 4, shifted left to their place
//! 1 to 3 bytes:       the first, that in the middle and the last
//! ```
//!
//! Stores write the same overlapping pieces.

use std::arch::x86_64::*;

use super::WIDE;

/// Ones, then zeros.
static ONES: [u8; 2 * WIDE] = {
    let mut bytes = [0; 2 * WIDE];
    let mut at = 0;
    while at < WIDE {
        bytes[at] = 0xff;
        at += 1;
    }
    bytes
};

/// Returns a register with ones in the first `size` bytes, at most 32.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ones(size: usize) -> __m256i {
    let bytes = &ONES[WIDE - size..][..WIDE];
    // SAFETY: the slice has 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Loads `size` bytes, less than 32, and zeros after them.
///
/// # Safety
/// There are that many bytes at `from`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load_partial(from: *const u8, size: usize) -> __m256i {
    // SAFETY: 16 bytes are read where `size` is not less, then the `size - 16` after them.
    unsafe {
        if size < 16 {
            _mm256_zextsi128_si256(load_block(from, size))
        } else {
            let first = _mm_loadu_si128(from.cast());
            _mm256_set_m128i(load_block(from.add(16), size - 16), first)
        }
    }
}

/// Stores the first `size` bytes, less than 32.
///
/// # Safety
/// There is room for that many bytes at `to`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn store_partial(to: *mut u8, bytes: __m256i, size: usize) {
    // SAFETY: 16 bytes are written where `size` is not less, then the `size - 16` after them.
    unsafe {
        if size < 16 {
            store_block(to, _mm256_castsi256_si128(bytes), size);
        } else {
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(bytes));
            store_block(to.add(16), _mm256_extracti128_si256::<1>(bytes), size - 16);
        }
    }
}

/// Loads less than 16 bytes.
///
/// # Safety
/// As for [`load_partial`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_block(from: *const u8, size: usize) -> __m128i {
    // SAFETY: each integer lies within the size.
    unsafe {
        match size {
            8.. => {
                let (low, high) = (
                    from.cast::<u64>().read_unaligned(),
                    from.add(size - 8).cast::<u64>().read_unaligned(),
                );
                _mm_set_epi64x((high >> 8 >> (8 * (15 - size))) as i64, low as i64)
            }
            4.. => {
                let (low, high) = (
                    from.cast::<u32>().read_unaligned(),
                    from.add(size - 4).cast::<u32>().read_unaligned(),
                );
                _mm_cvtsi64_si128((u64::from(low) | u64::from(high) << (8 * (size - 4))) as i64)
            }
            1.. => {
                let byte = |at: usize| i32::from(from.add(at).read()) << (8 * at);
                _mm_cvtsi32_si128(byte(0) | byte(size / 2) | byte(size - 1))
            }
            0 => _mm_setzero_si128(),
        }
    }
}

/// Stores less than 16 bytes.
///
/// # Safety
/// As for [`store_partial`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store_block(to: *mut u8, bytes: __m128i, size: usize) {
    let low = _mm_cvtsi128_si64(bytes) as u64;
    // SAFETY: each integer lies within the size.
    unsafe {
        match size {
            8.. => {
                let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)) as u64;
                let whole = u128::from(high) << 64 | u128::from(low);
                to.cast::<u64>().write_unaligned(low);
                to.add(size - 8).cast::<u64>().write_unaligned((whole >> (8 * (size - 8))) as u64);
            }
            4.. => {
                to.cast::<u32>().write_unaligned(low as u32);
                to.add(size - 4).cast::<u32>().write_unaligned((low >> (8 * (size - 4))) as u32);
            }
            1.. => {
                let byte = |at: usize| to.add(at).write((low >> (8 * at)) as u8);
                byte(0);
                byte(size / 2);
                byte(size - 1);
            }
            0 => {}
        }
    }
}
