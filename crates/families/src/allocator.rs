//! The allocator: JavaScript drops the instance of a derivation, and with it the memory; a cipher's
//! message is the only allocation at its time. So memory is taken from the end, and given back when
//! nothing is allocated any more.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::ptr::null_mut;

const PAGE: usize = 65_536;

struct Stack {
    /// The allocations in use.
    used: Cell<usize>,
    /// Where they begin; 0 before the first.
    first: Cell<usize>,
    /// The next free byte.
    top: Cell<usize>,
}

#[global_allocator]
static ALLOCATOR: Stack = Stack { used: Cell::new(0), first: Cell::new(0), top: Cell::new(0) };

// SAFETY: a module has one thread.
unsafe impl Sync for Stack {}

// SAFETY: every range is beyond all others, within the memory; pages that were just added are zero.
unsafe impl GlobalAlloc for Stack {
    // SAFETY: as above: no two ranges overlap.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let end = core::arch::wasm32::memory_size::<0>() * PAGE;
        if self.first.get() == 0 {
            self.first.set(end);
            self.top.set(end);
        }
        let start = self.top.get().next_multiple_of(layout.align());
        let Some(top) = start.checked_add(layout.size()) else { return null_mut() };
        if top > end {
            let pages = (top - end).div_ceil(PAGE);
            if core::arch::wasm32::memory_grow::<0>(pages) == usize::MAX {
                return null_mut();
            }
        }
        self.top.set(top);
        self.used.set(self.used.get() + 1);
        start as *mut u8
    }

    // SAFETY: no range is used again before all have been given back.
    unsafe fn dealloc(&self, _place: *mut u8, _layout: Layout) {
        self.used.set(self.used.get() - 1);
        if self.used.get() == 0 {
            self.top.set(self.first.get());
        }
    }
}
