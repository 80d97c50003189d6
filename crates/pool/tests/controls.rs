//! Mistakes that the oracles of `npm run test:sanitizers` must report, each by itself: an oracle
//! that misses its own proves nothing. No other run executes them.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc};
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

struct Shared(UnsafeCell<u64>);

// SAFETY: none, which is the mistake.
unsafe impl Sync for Shared {}

#[test]
#[ignore = "for ThreadSanitizer and Miri"]
fn two_threads_write_without_agreement() {
    let shared = Shared(UnsafeCell::new(0));
    // Neither ends before the other begins, which could order them.
    let begin = Barrier::new(2);
    let add = || {
        let Shared(cell) = &shared;
        begin.wait();
        for _ in 0..1000 {
            // SAFETY: none, as another thread does the same.
            unsafe { cell.get().write_volatile(cell.get().read_volatile() + 1) };
        }
    };
    thread::scope(|scope| {
        scope.spawn(add);
        scope.spawn(add);
    });
}

#[test]
#[ignore = "for AddressSanitizer and Miri"]
fn freed_memory_is_read() {
    let address = Box::into_raw(Box::new(7_u64));
    // SAFETY: it was a box.
    drop(unsafe { Box::from_raw(black_box(address)) });
    // SAFETY: none, as it is freed.
    black_box(unsafe { address.read_volatile() });
}

#[test]
#[ignore = "for valgrind and Miri"]
fn a_branch_depends_on_memory_that_was_never_written() {
    let layout = Layout::new::<u64>();
    // SAFETY: the size is not 0.
    let address = black_box(unsafe { alloc(layout) }).cast::<u64>();
    // SAFETY: none, as nothing is there yet.
    if unsafe { address.read_volatile() } == 7 {
        println!("seven");
    }
    // SAFETY: it is from the line above with this layout.
    unsafe { dealloc(address.cast(), layout) };
}
