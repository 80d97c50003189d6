//! The allocator of this test program, which looks for a secret in all memory that a thread frees.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

/// The bytes that most tests look for.
pub(crate) const SECRET: [u8; 16] = *b"Millrace secret.";

thread_local! {
    /// The bytes that are looked for, and the freed blocks that contained them; `None` while
    /// nothing is looked for.
    static LOOKING: Cell<Option<([u8; 16], usize)>> = const { Cell::new(None) };
}

struct Looking;

#[global_allocator]
static ALLOCATOR: Looking = Looking;

// SAFETY: the blocks are those of the system's allocator. (`realloc` allocates, copies and frees.)
unsafe impl GlobalAlloc for Looking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is as `GlobalAlloc` says. Zeroed, so that all freed bytes may be read.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if let Some((secret, count)) = LOOKING.get() {
            // SAFETY: the block has that many bytes, and no reference to it exists any more.
            let bytes = unsafe { std::slice::from_raw_parts(place, layout.size()) };
            if bytes.windows(secret.len()).any(|window| window == secret) {
                LOOKING.set(Some((secret, count + 1)));
            }
        }
        // SAFETY: a block of the system's allocator, with its layout.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Runs `work` and returns its result with the number of blocks that this thread freed while they
/// contained [`SECRET`].
pub(crate) fn looking<T>(work: impl FnOnce() -> T) -> (T, usize) {
    looking_for(SECRET, work)
}

/// Works like [`looking`], for other bytes.
pub(crate) fn looking_for<T>(secret: [u8; 16], work: impl FnOnce() -> T) -> (T, usize) {
    LOOKING.set(Some((secret, 0)));
    let result = work();
    (result, LOOKING.take().map_or(0, |(_, count)| count))
}

#[test]
fn a_secret_that_is_freed_is_found() {
    // Optimised code leaves out memory at an unused address.
    let ((), found) = looking(|| drop(black_box(SECRET.to_vec())));
    assert_eq!(found, 1);
    let ((), found) = looking(|| {
        let mut growing = black_box(SECRET.to_vec());
        growing.reserve(1000);
        growing.fill(0);
        drop(black_box(growing));
    });
    assert_eq!(found, 1);
}
