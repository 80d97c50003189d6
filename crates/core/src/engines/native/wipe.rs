//! Overwriting secrets so that the compiler cannot leave it out.
//!
//! `OPENSSL_cleanse` is a memset behind a compiler barrier: a few ns for a state, where the `zeroize`
//! crate writes byte by byte (volatile), which would cost more than the compression it follows.

use aws_lc_sys as lc;

/// Overwrites bytes with zeros.
#[inline]
pub(super) fn wipe_bytes(bytes: &mut [u8]) {
    // SAFETY: the pointer and length are of one exclusive slice.
    unsafe { lc::OPENSSL_cleanse(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// A type made of integers and arrays of them only.
///
/// # Safety
/// All bytes zero must be a valid value, and the type must have no drop glue.
pub(super) unsafe trait Plain {}

/// Overwrites a plain value with zeros.
#[inline]
pub(super) fn wipe_plain<T: Plain>(value: &mut T) {
    // SAFETY: the value is exclusively borrowed, and by `Plain` all zero is a valid value of it.
    unsafe { lc::OPENSSL_cleanse((&raw mut *value).cast(), size_of::<T>()) }
}

/// Overwrites all bytes of `value`, padding included, and puts `fresh` in its place. The old value
/// is not dropped, so it must own nothing elsewhere.
pub(super) fn wipe_replace<T>(value: &mut T, fresh: T) {
    // SAFETY: the value is exclusively borrowed; between the two statements its bytes are not read
    // as a `T`, and nothing there can unwind.
    unsafe {
        lc::OPENSSL_cleanse((&raw mut *value).cast(), size_of::<T>());
        (&raw mut *value).write(fresh);
    }
}
