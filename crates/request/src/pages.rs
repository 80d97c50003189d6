//! The pages of large new memory. The system adds a page when it is first written: 64 MiB in pages
//! of 4 KiB take 28 ms, while copying 64 MiB to memory with pages takes 8 ms. A result in a new
//! Buffer would take longer than its cipher. Three methods help on Linux; on other systems this
//! module does nothing.
//!
//! 1. *Reused memory.* glibc returns the pages of freed memory to the system early: allocations of
//!    128 KiB and more are mapped one by one and unmapped when freed, and the top of the heap is
//!    trimmed at 128 KiB. But glibc adapts: when a mapped allocation of up to 32 MiB is freed, its
//!    size becomes the limit for mapping, and twice that the limit for trimming. So 32 MiB, never
//!    written, are allocated and freed once ([`keep_freed`]); from then on large results reuse the
//!    memory of earlier ones, up to 64 MiB. They are ordinary Buffers; their memory is reused after
//!    the collector has freed it. If environment variables set the limits
//!    (`MALLOC_TRIM_THRESHOLD_`, `GLIBC_TUNABLES`), glibc does not adapt.
//! 2. *Pages in advance* (`MADV_POPULATE_WRITE`, Linux 5.14): one call adds many pages in half the
//!    time, in steps that are still in the cache when they are written.
//! 3. *Huge pages* (`MADV_HUGEPAGE`) for new memory of 32 MiB and more: with 2, 64 MiB take 11 ms
//!    instead of 28. The hint belongs to the addresses, not to the buffer. From this size on glibc
//!    maps each allocation alone, and the hint ends with it; in the heap, small allocations would
//!    later fill huge pages. If the system's setting for huge pages is `always` or `never`, the
//!    hint changes nothing.
//!
//! | copy to new memory, GB/s | 256 KiB | 1 MiB | 16 MiB |
//! |---|---|---|---|
//! | without 2 | 3.9 | 3.5 | 2.7 |
//! | with 2 | 8.3 | 7.8 | 6.3 |
//!
//! **Why no slabs**, lent to JavaScript as external ArrayBuffers and returned by finalizers: they
//! cannot be transferred to other threads (`postMessage` throws from Node 21 on), Electron refuses
//! them, finalizers wait for the event loop, and V8 frees external ArrayBuffers in full collections
//! only, where it frees ordinary ones in scavenges.
//!
//! | `seal` of 1 MiB, GB/s of CPU time | empty heap | a million objects |
//! |---|---|---|
//! | neither | 2.7 | 2.7 |
//! | slabs | 5.0 | 0.5 |
//! | this module | 9.4 | 6.7 |
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// Allocations of fewer bytes come from the heap; its pages exist.
const LARGE_BYTES: usize = 128 << 10;

/// Bytes of pages requested at once: within the second-level cache.
const STEP_BYTES: usize = 256 << 10;

/// Huge pages are requested from this many bytes on: the most that glibc learns to keep in its
/// heap.
const HUGE_MIN_BYTES: usize = 32 << 20;

/// Bytes of huge pages requested at once: two huge pages on most machines.
const HUGE_STEP_BYTES: usize = 4 << 20;

/// Prepares the system for writing `size` bytes of new memory at `start`, once for the whole
/// range. Returns the bytes to [`populate`] and write at a time, or `None` for memory so small that
/// its pages exist.
pub fn prepare(start: *mut u8, size: usize) -> Option<usize> {
    if size < LARGE_BYTES {
        return None;
    }
    if size >= HUGE_MIN_BYTES {
        system::want_huge(start, size);
        return Some(HUGE_STEP_BYTES);
    }
    keep_freed();
    Some(STEP_BYTES)
}

/// Requests the pages of new memory that will be written from one end to the other.
pub fn populate_all(start: *mut u8, size: usize) {
    match prepare(start, size) {
        None => {}
        Some(STEP_BYTES) => {
            for offset in (0..size).step_by(STEP_BYTES) {
                populate(start.wrapping_add(offset), STEP_BYTES.min(size - offset));
            }
        }
        // Huge pages are few, and cheapest if cleared right before they are written. The two ends
        // have small pages.
        Some(_) => {
            for offset in [0, size - HUGE_STEP_BYTES / 2] {
                populate(start.wrapping_add(offset), HUGE_STEP_BYTES / 2);
            }
        }
    }
}

/// Requests the pages of a range unless its last page is present: the check takes 0.2 us, a
/// request in vain a fifth of a copy.
pub fn populate(start: *mut u8, size: usize) {
    if !system::present(start, size) {
        system::populate(start, size);
    }
}

/// The treatment of freed memory.
#[repr(u8)]
enum Freed {
    /// It will be kept from the first large result on.
    ToKeep,
    Kept,
    /// Keeping was switched off before the first large result.
    NotKept,
}

static FREED: AtomicU8 = AtomicU8::new(Freed::ToKeep as u8);

/// Returns true if freed memory is kept, or will be from the first large result on.
pub fn keeps_freed() -> bool {
    FREED.load(Ordering::Relaxed) != Freed::NotKept as u8
}

/// Sets whether freed memory is kept. glibc cannot go back: `false` has no effect after the first
/// large result.
pub fn set_keeping(keep: bool) {
    let (from, to) =
        if keep { (Freed::NotKept, Freed::ToKeep) } else { (Freed::ToKeep, Freed::NotKept) };
    let _ = FREED.compare_exchange(from as u8, to as u8, Ordering::Relaxed, Ordering::Relaxed);
}

/// Makes glibc keep freed memory, once.
fn keep_freed() {
    let (from, to) = (Freed::ToKeep as u8, Freed::Kept as u8);
    if FREED.load(Ordering::Relaxed) == from
        && FREED.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        // Memory is short: the next large result tries again.
        if !system::keep_freed() {
            FREED.store(from, Ordering::Relaxed);
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use millrace_core::allocate::try_with_capacity;
    use std::ffi::c_void;
    use std::hint::black_box;
    use std::sync::LazyLock;

    /// `MILLRACE_PAGES=off` disables this module, as on other systems.
    static OFF: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("MILLRACE_PAGES").is_some_and(|value| value == "off"));

    static PAGE: LazyLock<usize> = LazyLock::new(|| {
        // SAFETY: sysconf only reads.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
    });

    /// Returns address and size of the whole pages within a range; the pages at its ends may hold
    /// other memory too.
    fn pages(start: *mut u8, size: usize) -> Option<(*mut c_void, usize)> {
        let page = *PAGE;
        let address = start.addr();
        let (from, to) = (address.next_multiple_of(page), (address + size) / page * page);
        (from < to && !*OFF).then(|| (start.wrapping_add(from - address).cast(), to - from))
    }

    /// Returns true if the last page is present: memory is written from its start on.
    pub(super) fn present(start: *mut u8, size: usize) -> bool {
        let Some((start, size)) = pages(start, size) else { return true };
        let mut state = 0;
        // SAFETY: the address is that of the last whole page of the range; one page has one byte
        // of state.
        let status = unsafe { libc::mincore(start.wrapping_byte_add(size - *PAGE), 1, &mut state) };
        status != 0 || state & 1 != 0
    }

    pub(super) fn populate(start: *mut u8, size: usize) {
        advise(start, size, libc::MADV_POPULATE_WRITE);
    }

    pub(super) fn want_huge(start: *mut u8, size: usize) {
        advise(start, size, libc::MADV_HUGEPAGE);
    }

    /// Returns false when memory is short. With another allocator than glibc's this has no effect.
    pub(super) fn keep_freed() -> bool {
        /// glibc's limit less two pages, for its own header.
        const ALLOCATION_BYTES: usize = (32 << 20) - (8 << 10);
        *OFF || black_box(try_with_capacity::<u8>(ALLOCATION_BYTES)).is_ok()
    }

    fn advise(start: *mut u8, size: usize, advice: i32) {
        if let Some((start, size)) = pages(start, size) {
            // SAFETY: neither advice changes a byte or unmaps a page, whatever lies at the
            // address. A kernel that does not know the advice refuses it, and each page is then
            // added when it is first written.
            unsafe { libc::madvise(start, size, advice) };
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn present(_start: *mut u8, _size: usize) -> bool {
        true
    }

    pub(super) fn populate(_start: *mut u8, _size: usize) {}

    pub(super) fn want_huge(_start: *mut u8, _size: usize) {}

    pub(super) fn keep_freed() -> bool {
        true
    }
}
