//! The pages of large fresh memory. The system gives memory out page by page, when each is first
//! written: 64 MiB of 4 KiB pages take 28 ms that way, and copying 64 MiB into memory that has its
//! pages takes 8. A result that is a new Buffer would cost more than its cipher. Three things help
//! on Linux; elsewhere nothing here does anything.
//!
//! 1. *Memory that is used again.* glibc gives the pages of freed memory back to the system as soon
//!    as a little of it has gathered: allocations of 128 KiB and more are mapped one by one and
//!    unmapped when freed, the top of the heap is trimmed at 128 KiB. When the collector frees some
//!    results, the pages of all are gone. But glibc learns: when a mapped allocation of up to 32
//!    MiB is freed, that size becomes the limit for mapping, and twice that the limit for trimming.
//!    So one of 32 MiB, never written, is allocated and freed ([`keep_freed`]): from then on large
//!    results stand in memory that earlier ones have left, 64 MiB of which are kept. They are
//!    ordinary Buffers: memory is used again when the collector has freed it, and not a moment
//!    before. Where the limits were set by environment variables (`MALLOC_TRIM_THRESHOLD_`,
//!    `GLIBC_TUNABLES`), glibc does not learn.
//! 2. *Pages asked for ahead* (`MADV_POPULATE_WRITE`, Linux 5.14) where there are none: the same
//!    pages for half the price, as one call gives many; in steps that the cache still holds when
//!    they are written. Copying into fresh memory in GB/s, without and with: 3.9 and 8.3 at 256
//!    KiB, 3.5 and 7.8 at 1 MiB, 2.7 and 6.3 at 16 MiB.
//! 3. *Huge pages* (`MADV_HUGEPAGE`) for memory of our own making of 32 MiB and more: 64 MiB take
//!    11 ms instead of 28, together with 2. The hint sticks to the addresses, not to the buffer;
//!    from this size on glibc maps each allocation by itself whatever it has learnt, and the hint
//!    goes with it. In the heap, huge pages would later be filled with small things. Where the
//!    system says `always` or `never` for huge pages, the hint changes nothing.
//!
//! **Why no slabs of our own**, lent to JavaScript as external ArrayBuffers and taken back by their
//! finalizers. This was built and measured. They cannot be transferred to other threads
//! (`postMessage` throws from Node 21 on); Electron refuses them; finalizers wait for the event
//! loop, so a loop that never returns to it gets nothing back; and above all V8 frees
//! external ArrayBuffers only in a full collection, where it frees ordinary ones in scavenges. GB/s
//! of CPU time of `seal` at 1 MiB, with an empty heap and with a million objects: before 2.7 and
//! 2.7, slabs 5.0 and 0.5, this 9.4 and 6.7.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// Allocations of fewer bytes come from the heap, whose pages exist.
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
pub(crate) fn prepare(start: *mut u8, size: usize) -> Option<usize> {
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
pub(crate) fn populate_all(start: *mut u8, size: usize) {
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
pub(crate) fn populate(start: *mut u8, size: usize) {
    if !system::present(start, size) {
        system::populate(start, size);
    }
}

/// What freed memory is for.
#[repr(u8)]
enum Freed {
    /// It will be kept when the first large result is made.
    ToKeep,
    Kept,
    /// Somebody said no in time.
    AsBefore,
}

static FREED: AtomicU8 = AtomicU8::new(Freed::ToKeep as u8);

/// Whether freed memory is kept, or will be.
pub(crate) fn keeps_freed() -> bool {
    FREED.load(Ordering::Relaxed) != Freed::AsBefore as u8
}

/// Says whether freed memory is to be kept. glibc cannot be made to forget: a no after the first
/// large result is in vain.
pub(crate) fn set_keeping(keep: bool) {
    let (from, to) =
        if keep { (Freed::AsBefore, Freed::ToKeep) } else { (Freed::ToKeep, Freed::AsBefore) };
    let _ = FREED.compare_exchange(from as u8, to as u8, Ordering::Relaxed, Ordering::Relaxed);
}

/// Teaches glibc to keep freed memory, once.
fn keep_freed() {
    let (from, to) = (Freed::ToKeep as u8, Freed::Kept as u8);
    if FREED.load(Ordering::Relaxed) == from
        && FREED.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        // Short of memory: the next large result tries again.
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

    /// `MILLRACE_PAGES=off` leaves everything to the system, as elsewhere.
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

    /// With another allocator than glibc's this is an allocation like any other.
    /// Returns false when there was no memory for it.
    pub(super) fn keep_freed() -> bool {
        /// Two pages less than glibc looks at, for its own header.
        const LESSON: usize = (32 << 20) - (8 << 10);
        *OFF || black_box(try_with_capacity::<u8>(LESSON)).is_ok()
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
