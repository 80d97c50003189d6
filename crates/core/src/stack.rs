//! Overwrites secrets that compiled code spilled to the stack.
//!
//! The compiler gives no guarantee for this; test/lifecycle/secrets.test.mjs searches the stacks.

use crate::wipe::wipe_stack_below;

/// Bytes below the caller's frame that [`wiped`] overwrites. With 16 KiB, multi-buffer hashing left
/// keys behind.
const NEAR: usize = 24 << 10;

/// Bytes below the caller's frame that [`wiped_key`] overwrites: preparing one key goes less deep.
const KEY: usize = 8 << 10;

/// Bytes below the caller's frame that [`ahead`] overwrites: the frames that read a call and move
/// its work to a job.
const AHEAD: usize = 4 << 10;

/// Bytes below the caller's frame that [`wipe`] overwrites. The deepest key found on a worker's
/// stack was 23 KiB below.
const DEEP: usize = 32 << 10;

/// Runs `work` in a separate frame, then overwrites 24 KiB of stack below the caller's frame.
#[inline(always)]
pub fn wiped<T>(work: impl FnOnce() -> T) -> T {
    let result = apart(work);
    wipe_stack_below::<NEAR>();
    result
}

/// Works like [`wiped`], for the preparation of one key: overwrites 8 KiB, a quarter of a
/// first-level cache.
#[inline(always)]
pub fn wiped_key<T>(work: impl FnOnce() -> T) -> T {
    let result = apart(work);
    wipe_stack_below::<KEY>();
    result
}

/// Overwrites 32 KiB of stack below the caller's frame; workers call it after work with keys.
#[inline]
pub fn wipe() {
    wipe_stack_below::<DEEP>();
}

/// Overwrites 4 KiB of stack, then runs `work` there: a value that it moves to the heap has bytes
/// that it does not use, in which it would carry along what an earlier call spilled.
#[inline(always)]
pub fn ahead<T>(work: impl FnOnce() -> T) -> T {
    wipe_stack_below::<AHEAD>();
    apart(work)
}

#[inline(never)]
fn apart<T>(work: impl FnOnce() -> T) -> T {
    work()
}
