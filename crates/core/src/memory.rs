//! Working memory of key derivations: large, mapped at once, wiped when it goes.

use std::ptr::NonNull;

use crate::Error;
use crate::wipe::cleanse;

/// Working memory that several derivations may use one after the other.
///
/// Its contents are secret. The next derivation overwrites them; [`Memory::wipe`] and
/// `drop` overwrite the rest. Made of huge pages where the system gives them: mapping and touching
/// 16 MiB takes a tenth of the time then, and tables that are read at random fit the CPU's list of
/// pages.
pub struct Memory {
    start: NonNull<u8>,
    size: usize,
    /// The bytes that may hold secrets.
    used: usize,
    /// `None` if there are no bytes.
    mapping: Option<mapping::Mapping>,
}

// SAFETY: the memory is owned, and reached through `&mut` only.
unsafe impl Send for Memory {}
// SAFETY: as above; `&self` gives numbers.
unsafe impl Sync for Memory {}

/// Where the memory begins: a border of cache lines, and of huge pages where it is as large as one.
const LINE: usize = 64;
const HUGE_PAGE: usize = 2 << 20;

impl Memory {
    /// Maps `size` bytes. None of them costs anything before it is used; 0 bytes cost nothing.
    ///
    /// # Errors
    /// [`Error::Memory`] if the system is short of memory.
    pub fn new(size: u64) -> Result<Memory, Error> {
        if size == 0 {
            return Ok(Memory { start: NonNull::dangling(), size: 0, used: 0, mapping: None });
        }
        let room = usize::try_from(size).ok().and_then(|size| size.checked_next_multiple_of(LINE));
        let room = room
            .filter(|&room| room <= isize::MAX as usize - HUGE_PAGE)
            .ok_or(Error::Memory { needed: size })?;
        let align = if room >= HUGE_PAGE { HUGE_PAGE } else { LINE };
        let (mapping, start) = mapping::map(room, align).ok_or(Error::Memory { needed: size })?;
        Ok(Memory { start, size: room, used: 0, mapping: Some(mapping) })
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size as u64
    }

    /// Overwrites what derivations have left, and calls `pause` after about every 100 us.
    pub fn wipe(&mut self, pause: &mut dyn FnMut()) {
        const BLOCK: usize = 1 << 20;
        while self.used > 0 {
            let rest = self.used.saturating_sub(BLOCK);
            // SAFETY: the memory has that many bytes, and no other reference to them exists.
            unsafe { cleanse(self.start.as_ptr().add(rest).cast(), self.used - rest) };
            self.used = rest;
            pause();
        }
    }

    #[cfg(test)]
    fn is_zero(&self) -> bool {
        // SAFETY: the memory has that many bytes, and no other reference to them exists.
        let bytes = unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.size) };
        bytes.iter().all(|&byte| byte == 0)
    }

    /// Lends the first `size` bytes, which may hold anything.
    pub(crate) fn lend(&mut self, size: usize) -> *mut u8 {
        assert!(size <= self.size);
        self.used = self.used.max(size);
        self.start.as_ptr()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.wipe(&mut || {});
        #[cfg(test)]
        assert!(self.is_zero(), "secrets are left in memory that goes");
        if let Some(mapping) = &self.mapping {
            mapping::unmap(mapping);
        }
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Memory({} bytes)", self.size)
    }
}

#[cfg(unix)]
mod mapping {
    use super::{HUGE_PAGE, NonNull};

    /// The mapped range.
    pub(crate) struct Mapping {
        start: *mut libc::c_void,
        size: usize,
    }

    /// Maps zeroed bytes and returns the first aligned address in them.
    pub(crate) fn map(size: usize, align: usize) -> Option<(Mapping, NonNull<u8>)> {
        // Pages begin at borders of 4 KiB at least.
        let whole =
            if align == HUGE_PAGE { size.next_multiple_of(HUGE_PAGE) + HUGE_PAGE } else { size };
        // SAFETY: a new anonymous mapping; nothing aliases it.
        let start = unsafe {
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(std::ptr::null_mut(), whole, access, kind, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let place = start.cast::<u8>().wrapping_add(start.align_offset(align));
        #[cfg(target_os = "linux")]
        if align == HUGE_PAGE {
            // SAFETY: the range is within the mapping. A wish: where it fails pages are small.
            unsafe {
                libc::madvise(place.cast(), size.next_multiple_of(HUGE_PAGE), libc::MADV_HUGEPAGE)
            };
        }
        Some((Mapping { start, size: whole }, NonNull::new(place)?))
    }

    pub(crate) fn unmap(mapping: &Mapping) {
        // SAFETY: it was mapped with this size, and no reference to it exists.
        unsafe { libc::munmap(mapping.start, mapping.size) };
    }
}

#[cfg(not(unix))]
mod mapping {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::NonNull;

    /// The allocated range.
    pub(crate) struct Mapping {
        start: NonNull<u8>,
        layout: Layout,
    }

    /// Allocates zeroed, aligned bytes.
    pub(crate) fn map(size: usize, align: usize) -> Option<(Mapping, NonNull<u8>)> {
        let layout = Layout::from_size_align(size, align.min(super::LINE)).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some((Mapping { start, layout }, start))
    }

    pub(crate) fn unmap(mapping: &Mapping) {
        // SAFETY: it was allocated with this layout, and no reference to it exists.
        unsafe { dealloc(mapping.start.as_ptr(), mapping.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    /// Lends bytes and fills them.
    fn fill(memory: &mut Memory, size: usize) {
        let start = memory.lend(size);
        // SAFETY: as many bytes were lent.
        unsafe { start.write_bytes(0xa5, size) };
    }

    #[test]
    fn all_that_was_used_is_wiped() {
        for size in [1, 64, 4096, 1 << 20, (1 << 20) + 1, (5 << 20) + 17] {
            let mut memory = Memory::new(size as u64).expect("memory");
            fill(&mut memory, size);
            // A later derivation uses less.
            fill(&mut memory, 1);
            assert!(!memory.is_zero());
            let mut pauses = 0;
            memory.wipe(&mut || pauses += 1);
            assert!(memory.is_zero(), "{size}");
            assert_eq!(pauses, size.div_ceil(1 << 20), "{size}");
            memory.wipe(&mut || panic!("wiped twice"));
        }
    }

    #[test]
    fn memory_begins_at_a_line_and_large_memory_at_a_huge_page() {
        for (size, align) in [(1, 64), (100_000, 64), (2 << 20, 2 << 20), (9 << 20, 2 << 20)] {
            let mut memory = Memory::new(size).expect("memory");
            assert!(memory.size() >= size);
            assert!(memory.lend(0).addr().is_multiple_of(if cfg!(unix) { align } else { 64 }));
        }
    }

    #[test]
    fn more_memory_than_any_machine_has_is_refused() {
        assert!(Memory::new(u64::MAX).is_err());
        assert!(Memory::new(1 << 62).is_err());
        assert_eq!(Memory::new(0).expect("none").size(), 0);
    }

    #[test]
    #[should_panic]
    fn more_memory_than_allocated_is_not_lent() {
        Memory::new(64).expect("memory").lend(65);
    }
}
