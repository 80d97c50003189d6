//! Memory of AWS-LC: on the heap, or in the memory of keys while a thread works with keys.
//!
//! As AWS-LC's own functions do, these overwrite what is freed.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::Once;

use crate::key_memory::{allocate_for_library, free, slot_size};
use crate::wipe::cleanse;

/// Bytes before a block on the heap, which hold its size and keep its alignment.
const PREFIX: usize = 16;

/// Gives AWS-LC the functions of this module. Call it before AWS-LC allocates.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: AWS-LC has allocated nothing yet that these functions would free, as this is
        // called when the library is loaded.
        unsafe {
            aws_lc_sys::CRYPTO_set_mem_functions(Some(allocate), Some(reallocate), Some(release));
        }
    });
}

// SAFETY: AWS-LC calls it for its allocations, with a size.
unsafe extern "C" fn allocate(size: usize, _: *const c_char, _: c_int) -> *mut c_void {
    match allocate_for_library(size) {
        Ok(Some(place)) => place.as_ptr().cast(),
        Ok(None) => {
            let Some(whole) = size.checked_add(PREFIX) else { return null_mut() };
            // SAFETY: a block of PREFIX bytes at least, in which the size is written.
            unsafe {
                let block = libc::malloc(whole);
                if block.is_null() {
                    return block;
                }
                block.cast::<usize>().write(size);
                block.byte_add(PREFIX)
            }
        }
        Err(_) => null_mut(),
    }
}

// SAFETY: AWS-LC calls it with what `allocate` returned, once, or null.
unsafe extern "C" fn release(place: *mut c_void, _: *const c_char, _: c_int) {
    let Some(place) = NonNull::new(place.cast::<u8>()) else { return };
    // SAFETY: AWS-LC frees what `allocate` returned, once.
    unsafe {
        if let Some(size) = slot_size(place) {
            cleanse(place.as_ptr(), size);
            // The layout matters on the heap only.
            free(place, std::alloc::Layout::new::<u8>());
        } else {
            let block = place.as_ptr().sub(PREFIX);
            cleanse(block, PREFIX + block.cast::<usize>().read());
            libc::free(block.cast());
        }
    }
}

// SAFETY: AWS-LC calls it with what `allocate` returned, or null.
unsafe extern "C" fn reallocate(
    place: *mut c_void,
    size: usize,
    file: *const c_char,
    line: c_int,
) -> *mut c_void {
    // SAFETY: AWS-LC passes what `allocate` returned, or null.
    unsafe {
        let Some(old) = NonNull::new(place.cast::<u8>()) else { return allocate(size, file, line) };
        let new = allocate(size, file, line);
        if !new.is_null() {
            let held =
                slot_size(old).unwrap_or_else(|| old.as_ptr().sub(PREFIX).cast::<usize>().read());
            old.as_ptr().copy_to_nonoverlapping(new.cast(), held.min(size));
            release(place, file, line);
        }
        new
    }
}
