//! An allocator that fails on demand, for test/lifecycle/allocations.test.mjs. No shipped binary
//! contains it: it is compiled with the feature `failing-allocator` only.
#![allow(unsafe_code)]

use crate::environment::Call;
use crate::values::Value;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator. It counts the allocations of this library, on every thread, and fails
/// those from [`FIRST`] to before [`END`].
struct FailingAllocator;

#[global_allocator]
static ALLOCATOR: FailingAllocator = FailingAllocator;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static FIRST: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(usize::MAX);
static FAILED: AtomicUsize = AtomicUsize::new(0);

/// Counts an allocation. Returns true if it must fail.
fn fails() -> bool {
    let index = COUNT.fetch_add(1, Ordering::Relaxed);
    let fails = (FIRST.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&index);
    if fails {
        FAILED.fetch_add(1, Ordering::Relaxed);
    }
    fails
}

// SAFETY: every block is the system allocator's; an allocation that fails returns null and, if it
// would move a block, leaves the block as it is.
unsafe impl GlobalAlloc for FailingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the arguments are as `GlobalAlloc` says.
        if fails() { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the arguments are as `GlobalAlloc` says.
        if fails() { std::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A block that shrinks is not refused: no caller can expect that.
        if size > layout.size() && fails() {
            return std::ptr::null_mut();
        }
        // SAFETY: the arguments are as `GlobalAlloc` says.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the arguments are as `GlobalAlloc` says.
        unsafe { System.dealloc(block, layout) }
    }
}

/// `failAllocations(first, count)`: makes `count` allocations fail from now on, the one with the
/// index `first` (from 0) and those after it; none if `count` is 0. Returns how many allocations
/// have failed since the last call.
pub(crate) fn fail_allocations(call: &Call<'_>) -> Value {
    let (first, count) = (call.uint32(0).unwrap_or(0) as usize, call.uint32(1).unwrap_or(0));
    let range = if count == 0 { [usize::MAX; 2] } else { [first, first + count as usize] };
    FIRST.store(usize::MAX, Ordering::SeqCst);
    END.store(range[1], Ordering::SeqCst);
    COUNT.store(0, Ordering::SeqCst);
    FIRST.store(range[0], Ordering::SeqCst);
    call.env.number(FAILED.swap(0, Ordering::SeqCst) as u32)
}
