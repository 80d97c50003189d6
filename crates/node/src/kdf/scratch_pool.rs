//! Working memory that has been used, wiped and kept for the next derivation of the same size:
//! fresh memory costs as much in page faults as some derivations take (16 MiB: 2 to 4 ms). What
//! lies here counts in [`memory_budget`], which takes it away when there is no room else, and JavaScript has
//! it freed when nothing was derived for a second.

use super::memory_budget;
use millrace_core::error::Error;
use millrace_core::kdf::Memory;
use std::cell::RefCell;

thread_local! {
    /// What this thread has used and not wiped yet.
    static USED: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

/// Lends memory of exactly so many bytes.
pub(crate) fn with(
    size: u64,
    work: impl FnOnce(&mut Memory) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut memory = take(size)?;
    let result = work(&mut memory);
    defer_wipe(memory);
    result
}

/// Memory of exactly so many bytes.
pub(crate) fn take(size: u64) -> Result<Memory, Error> {
    match memory_budget::take_scratch(size) {
        Some(memory) => Ok(memory),
        None => Memory::new(size),
    }
}

/// Memory that a derivation has used, to be wiped as soon as its result has been delivered, which
/// need not wait for that.
pub(crate) fn defer_wipe(memory: Memory) {
    USED.with_borrow_mut(|used| used.push(memory));
}

/// Wipes what this thread has put aside and keeps it for the next. 128 MiB take 15 ms: a worker
/// lets others pass in `pause`.
pub(crate) fn wipe_deferred(mut pause: impl FnMut()) {
    for mut memory in USED.take() {
        if memory.size() >= KEEP_MIN_BYTES {
            memory.wipe(&mut pause);
            memory_budget::keep_scratch(memory);
        }
    }
}

/// Less is as cheap to make anew.
const KEEP_MIN_BYTES: u64 = 256 << 10;
