//! Hints to fetch memory into the nearest cache.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// Asks for the cache line at an address, whatever is there.
#[inline(always)]
pub(crate) fn fetch(at: *const u8) {
    #[allow(unused_unsafe)] // Newer versions of Rust have it as a safe function.
    // SAFETY: a prefetch reads nothing, wherever it points.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
}
