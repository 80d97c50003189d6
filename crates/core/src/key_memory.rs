//! Memory of prepared keys: an arena of pages that are locked in RAM, left out of core dumps and
//! empty in a forked child, each block between two pages that cannot be accessed.
//!
//! Addresses are reserved once; blocks are made accessible as keys need them, and are kept. A block
//! holds slots of one size. A slot is all zero before it is given away, and its user overwrites it
//! before it comes back.
//!
//! Where the system refuses to lock, [`Mode::Preferred`] uses the block unlocked, and
//! [`Mode::Required`] refuses the key. Systems without the arena use the heap.

use std::alloc::Layout;
use std::cell::Cell;
use std::fmt::Write;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;

/// How prepared keys are kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// On the heap.
    Off,
    /// In the arena, locked as far as the system allows.
    Preferred,
    /// In locked pages of the arena, or not at all.
    Required,
}

/// The number of [`Mode`].
static MODE: AtomicU8 = AtomicU8::new(Mode::Preferred as u8);

/// Returns the mode.
pub fn mode() -> Mode {
    match MODE.load(Ordering::Relaxed) {
        0 => Mode::Off,
        1 => Mode::Preferred,
        _ => Mode::Required,
    }
}

/// Sets the mode for keys that are prepared from now on.
///
/// # Errors
/// [`Error::SecureMemory`] with the reason if keys are required to be locked, and the system locks
/// no page, or keys are already in pages that are not locked. The mode is unchanged.
pub fn set_mode(mode: Mode) -> Result<(), Error> {
    if mode == Mode::Required {
        arena().require()?;
    }
    MODE.store(mode as u8, Ordering::Relaxed);
    Ok(())
}

/// The bytes of a block, or of a page where pages are larger. Small: systems may lock 64 KiB only.
const BLOCK_BYTES: usize = 16 << 10;
/// The addresses that are reserved.
const ARENA_BYTES: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 8 << 20 };
/// Slots begin at multiples of a cache line. The first line of a block is its header.
const LINE: usize = 64;
/// The most sizes of slots. Few types are kept, and the heap takes the rest.
const SIZES_MAX: usize = 64;
/// The largest slot.
const SLOT_MAX: usize = 1 << 20;

/// The reserved addresses, for [`owns`]; both 0 before the first key.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// Returns true if the arena gave this address away.
#[inline]
fn owns(place: NonNull<u8>) -> bool {
    let address = place.addr().get();
    address < END.load(Ordering::Relaxed) && address >= START.load(Ordering::Relaxed)
}

/// The slots of one size that are free: a list through their first word.
#[derive(Copy, Clone)]
struct Size {
    bytes: usize,
    free: *mut u8,
}

struct Arena {
    /// The first reserved address; null before the first key and where nothing can be reserved.
    start: *mut u8,
    page: usize,
    /// Bytes of the reserved addresses that blocks and the pages before them have taken.
    taken: usize,
    sizes: [Size; SIZES_MAX],
    /// Bytes of all blocks, and of the slots that are in use.
    committed: usize,
    used: usize,
    /// What holds for all blocks.
    holds: Holds,
}

// SAFETY: the pointers are to memory of the arena, which is reached under its lock only.
unsafe impl Send for Arena {}

/// The guarantees of the system for blocks.
#[derive(Copy, Clone)]
struct Holds {
    undumped: bool,
    wiped_on_fork: bool,
    /// The reason that a block is not locked.
    unlocked: Option<&'static str>,
}

static ARENA: Mutex<Arena> = Mutex::new(Arena {
    start: std::ptr::null_mut(),
    page: 0,
    taken: 0,
    sizes: [Size { bytes: 0, free: std::ptr::null_mut() }; SIZES_MAX],
    committed: 0,
    used: 0,
    holds: Holds { undumped: true, wiped_on_fork: true, unlocked: None },
});

fn arena() -> MutexGuard<'static, Arena> {
    // No code that holds the lock can panic between two related changes.
    ARENA.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns room for a value that holds a prepared key: of the arena, or of the heap where that
/// suffices. Its bytes may be anything.
///
/// # Errors
/// [`Error::Memory`]; [`Error::SecureMemory`] if it must be locked and cannot be.
pub(crate) fn allocate(layout: Layout) -> Result<NonNull<u8>, Error> {
    debug_assert!(layout.size() > 0 && layout.align() <= LINE);
    let mode = mode();
    if mode != Mode::Off {
        match arena().allocate(layout.size(), mode) {
            Ok(place) => return Ok(place),
            Err(error @ Error::SecureMemory(_)) if mode == Mode::Required => return Err(error),
            Err(_) => {}
        }
    }
    heap(layout)
}

std::thread_local! {
    /// True while this thread works with keys: what a library allocates is kept as keys are.
    static KEEPING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; what AWS-LC allocates meanwhile on this thread is in the memory of keys. Its
/// functions allocate private keys, what they compute of them, and temporary numbers.
pub fn keeping<R>(work: impl FnOnce() -> R) -> R {
    /// Restores the former value, also when `work` panics.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            KEEPING.set(self.0);
        }
    }
    let _restore = Restore(KEEPING.replace(true));
    work()
}

/// Returns room for a library that keeps a key in it, `None` for room on the heap.
///
/// # Errors
/// [`Error::SecureMemory`] if it must be locked and cannot be.
#[cfg(all(feature = "aws-lc", unix))]
pub(crate) fn allocate_for_library(size: usize) -> Result<Option<NonNull<u8>>, Error> {
    let mode = mode();
    if !KEEPING.get() || mode == Mode::Off {
        return Ok(None);
    }
    match arena().allocate(size, mode) {
        Ok(place) => Ok(Some(place)),
        Err(error) if mode == Mode::Required => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the bytes of the slot at this address, `None` if it is none of the arena.
#[cfg(all(feature = "aws-lc", unix))]
pub(crate) fn slot_size(place: NonNull<u8>) -> Option<usize> {
    owns(place).then(|| arena().slot_bytes(place))
}

/// Returns room on the heap.
///
/// # Errors
/// [`Error::Memory`]
#[inline]
pub(crate) fn heap(layout: Layout) -> Result<NonNull<u8>, Error> {
    debug_assert!(layout.size() > 0);
    // SAFETY: no caller asks for 0 bytes.
    NonNull::new(unsafe { std::alloc::alloc(layout) })
        .ok_or(Error::Memory { needed: layout.size() as u64 })
}

/// Frees the room that [`allocate`] or [`heap`] returned.
///
/// # Safety
/// The room was returned for this layout, is not used any more, and held no secret since it was
/// overwritten.
#[inline]
pub(crate) unsafe fn free(place: NonNull<u8>, layout: Layout) {
    if owns(place) {
        // SAFETY: as the caller says.
        unsafe { arena().free(place) }
    } else {
        // SAFETY: as the caller says; what the arena does not own is of the heap.
        unsafe { std::alloc::dealloc(place.as_ptr(), layout) }
    }
}

impl Arena {
    /// Checks that keys can be required to be locked.
    fn require(&mut self) -> Result<(), Error> {
        if self.committed > 0
            && let Some(reason) = self.holds.unlocked
        {
            return Err(Error::SecureMemory(reason));
        }
        let probe = self.allocate(LINE, Mode::Required)?;
        // SAFETY: allocated above, and nothing was written.
        unsafe { self.free(probe) };
        Ok(())
    }

    fn allocate(&mut self, bytes: usize, mode: Mode) -> Result<NonNull<u8>, Error> {
        const FULL: Error = Error::SecureMemory("the memory reserved for keys is used up");
        if bytes > SLOT_MAX {
            return Err(FULL);
        }
        let bytes = bytes.max(1).next_multiple_of(LINE);
        let index = self.sizes.iter().position(|size| size.bytes == bytes || size.bytes == 0);
        let index = index.ok_or(FULL)?;
        if self.sizes.get(index).is_none_or(|size| size.free.is_null()) {
            self.add_block(index, bytes, mode)?;
        }
        let size = self.sizes.get_mut(index).ok_or(FULL)?;
        let place = NonNull::new(size.free).ok_or(FULL)?;
        // SAFETY: a free slot of the arena; its first word is the address of the next or 0. After a
        // fork the child reads zeros, which end the list.
        unsafe {
            size.free = place.cast::<*mut u8>().read();
            place.cast::<*mut u8>().write(std::ptr::null_mut());
        }
        self.used += bytes;
        Ok(place)
    }

    /// Takes back a slot.
    ///
    /// # Safety
    /// The slot is of this arena, is not used any more and is overwritten.
    unsafe fn free(&mut self, place: NonNull<u8>) {
        let bytes = self.slot_bytes(place);
        if let Some(size) = self.sizes.iter_mut().find(|size| size.bytes == bytes) {
            // SAFETY: the slot is free now, and has room for an address.
            unsafe { place.cast::<*mut u8>().write(size.free) };
            size.free = place.as_ptr();
            self.used -= bytes;
        }
    }

    /// Returns the size of a slot, which its block's header has.
    fn slot_bytes(&self, place: NonNull<u8>) -> usize {
        let stride = self.block_bytes() + self.page;
        let offset = place.addr().get() - self.start.addr();
        // The block of a large slot takes several strides; its one slot begins in the first.
        let block = offset / stride * stride + self.page;
        // SAFETY: an address that the arena gave away lies in a block, whose first word is this.
        unsafe { self.start.add(block).cast::<usize>().read() }
    }

    fn block_bytes(&self) -> usize {
        BLOCK_BYTES.max(self.page)
    }

    /// Makes a block of slots of this size accessible.
    fn add_block(&mut self, index: usize, bytes: usize, mode: Mode) -> Result<(), Error> {
        if self.start.is_null() {
            let (start, page) = system::reserve(ARENA_BYTES).map_err(Error::SecureMemory)?;
            (self.start, self.page) = (start, page);
            END.store(start.addr() + ARENA_BYTES, Ordering::Relaxed);
            START.store(start.addr(), Ordering::Relaxed);
        }
        // Each stride is a page that stays inaccessible and a block.
        let stride = self.block_bytes() + self.page;
        let strides = (LINE + bytes + self.page).div_ceil(stride).max(1);
        let room = strides * stride - self.page;
        // Another page after the last block.
        if self.taken + room + 2 * self.page > ARENA_BYTES {
            return Err(Error::SecureMemory("the memory reserved for keys is used up"));
        }
        // SAFETY: within the reserved addresses.
        let block = unsafe { self.start.add(self.taken + self.page) };
        // SAFETY: the range is reserved, and nothing uses it yet.
        let holds = unsafe { system::commit(block, room) }.map_err(Error::SecureMemory)?;
        if mode == Mode::Required
            && let Some(reason) = holds.unlocked
        {
            // SAFETY: as above; nothing uses the range.
            unsafe { system::retract(block, room) };
            return Err(Error::SecureMemory(reason));
        }
        self.taken += room + self.page;
        self.committed += room;
        self.holds.undumped &= holds.undumped;
        self.holds.wiped_on_fork &= holds.wiped_on_fork;
        self.holds.unlocked = self.holds.unlocked.or(holds.unlocked);
        // A block of several strides has one slot, whose header `slot_bytes` finds.
        let slots = if strides == 1 { (room - LINE) / bytes } else { 1 };
        let mut free = std::ptr::null_mut();
        for slot in (0..slots).rev() {
            // SAFETY: the slots are within the block, behind the header, and are aligned.
            unsafe {
                let place = block.add(LINE + slot * bytes);
                place.cast::<*mut u8>().write(free);
                free = place;
            }
        }
        // SAFETY: the header is within the block.
        unsafe { block.cast::<usize>().write(bytes) };
        if let Some(size) = self.sizes.get_mut(index) {
            *size = Size { bytes, free };
        }
        Ok(())
    }
}

/// Returns the report for `engines()` as JSON. It prepares the arena, so that it tells what holds.
pub fn report_json() -> String {
    let mode = mode();
    let mut arena = arena();
    let missing = match mode {
        Mode::Off => Some("turned off: configure({ secureMemory: 'preferred' })"),
        _ if arena.committed == 0 => match arena.allocate(LINE, mode) {
            Ok(probe) => {
                // SAFETY: allocated above, and nothing was written.
                unsafe { arena.free(probe) };
                None
            }
            Err(error) => Some(error.message()),
        },
        _ => None,
    };
    let Holds { undumped, wiped_on_fork, unlocked } = arena.holds;
    let guarded = missing.is_none();
    let (locked, used) = (guarded && unlocked.is_none(), arena.used);
    let mut json = format!(
        "{{\"locked\":{locked},\"guarded\":{guarded},\"undumped\":{},\"wipedOnFork\":{},\
         \"used\":{used},\"committed\":{}",
        guarded && undumped,
        guarded && wiped_on_fork,
        arena.committed,
    );
    if let Some(reason) = missing.or(unlocked) {
        // Writing to a string cannot fail.
        let _ = write!(json, ",\"reason\":\"{reason}\"");
    }
    json.push('}');
    json
}

#[cfg(all(unix, not(miri)))]
mod system {
    use super::Holds;
    use std::ptr::null_mut;

    /// Reserves addresses. Returns the first and the size of a page.
    pub(super) fn reserve(size: usize) -> Result<(*mut u8, usize), &'static str> {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) });
        let page = page.map_err(|_| "the system does not tell the size of its pages")?;
        // SAFETY: a new anonymous mapping; nothing aliases it, and nothing can access it.
        let start = unsafe {
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            libc::mmap(null_mut(), size, libc::PROT_NONE, kind, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err("the system has no addresses left");
        }
        Ok((start.cast(), page))
    }

    /// Makes a range accessible, and locks it if the system allows.
    ///
    /// # Safety
    /// The range is whole pages of a reserved range that nothing uses.
    pub(super) unsafe fn commit(start: *mut u8, size: usize) -> Result<Holds, &'static str> {
        let start = start.cast();
        // SAFETY: as the caller says.
        unsafe {
            if libc::mprotect(start, size, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return Err("the system is short of memory");
            }
            let unlocked = (libc::mlock(start, size) != 0).then_some(
                "the system refused to lock memory (mlock): raise the limit, ulimit -l or \
                 LimitMEMLOCK of systemd",
            );
            #[cfg(any(target_os = "linux", target_os = "android"))]
            let (undumped, wiped_on_fork) = (
                libc::madvise(start, size, libc::MADV_DONTDUMP) == 0,
                libc::madvise(start, size, libc::MADV_WIPEONFORK) == 0,
            );
            #[cfg(target_os = "freebsd")]
            let (undumped, wiped_on_fork) =
                (libc::madvise(start, size, libc::MADV_NOCORE) == 0, false);
            #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
            let (undumped, wiped_on_fork) = (false, false);
            Ok(Holds { undumped, wiped_on_fork, unlocked })
        }
    }

    /// Makes a range inaccessible again.
    ///
    /// # Safety
    /// As for [`commit`].
    pub(super) unsafe fn retract(start: *mut u8, size: usize) {
        // SAFETY: as the caller says.
        unsafe { libc::mprotect(start.cast(), size, libc::PROT_NONE) };
    }
}

#[cfg(not(all(unix, not(miri))))]
mod system {
    use super::Holds;

    const REASON: &str = "not supported on this operating system";

    pub(super) fn reserve(_: usize) -> Result<(*mut u8, usize), &'static str> {
        Err(REASON)
    }

    /// # Safety
    /// None: [`reserve`] gives no range.
    pub(super) unsafe fn commit(_: *mut u8, _: usize) -> Result<Holds, &'static str> {
        Err(REASON)
    }

    /// # Safety
    /// None: [`reserve`] gives no range.
    pub(super) unsafe fn retract(_: *mut u8, _: usize) {}
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, LINE).expect("valid")
    }

    #[test]
    fn slots_are_apart_aligned_and_reused() {
        let sizes = [1, 63, 64, 65, 500, 4_096, 16_320, 16_321, 40_000, SLOT_MAX];
        for bytes in sizes {
            let slots: Vec<_> = (0..40).map(|_| allocate(layout(bytes)).expect("room")).collect();
            let mut starts: Vec<_> = slots.iter().map(|place| place.addr().get()).collect();
            starts.sort_unstable();
            assert!(starts.iter().all(|start| start % LINE == 0), "{bytes}");
            assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= bytes), "{bytes}");
            for &place in &slots {
                assert!(owns(place), "{bytes}");
                // SAFETY: each has that many bytes, and is overwritten before it is freed.
                unsafe {
                    place.as_ptr().write_bytes(0xa5, bytes);
                    place.as_ptr().write_bytes(0, bytes);
                    free(place, layout(bytes));
                }
            }
            let again = allocate(layout(bytes)).expect("room");
            assert!(starts.contains(&again.addr().get()), "{bytes}");
            // SAFETY: allocated above, not used.
            unsafe { free(again, layout(bytes)) };
        }
    }

    #[test]
    fn too_large_is_of_the_heap() {
        let place = allocate(layout(SLOT_MAX + 1)).expect("room");
        assert!(!owns(place));
        // SAFETY: allocated above, not used.
        unsafe { free(place, layout(SLOT_MAX + 1)) };
    }

    #[test]
    fn report_tells_what_holds() {
        let report = report_json();
        assert!(report.contains("\"guarded\":true"), "{report}");
        if cfg!(target_os = "linux") {
            assert!(report.contains("\"undumped\":true,\"wipedOnFork\":true"), "{report}");
        }
    }

    /// Needs a process of its own, which ends by the access.
    #[test]
    #[cfg(target_os = "linux")]
    fn pages_around_a_block_cannot_be_accessed_and_a_child_sees_zeros() {
        let place = allocate(layout(64)).expect("room");
        // SAFETY: the room has that many bytes.
        unsafe { place.as_ptr().write_bytes(9, 64) };
        // SAFETY: written above, and not freed.
        let key = unsafe { std::slice::from_raw_parts(place.as_ptr(), 64) };
        let (page, block) = {
            let arena = arena();
            let stride = arena.block_bytes() + arena.page;
            let offset = place.addr().get() - arena.start.addr();
            (arena.page, arena.start.addr() + offset / stride * stride + arena.page)
        };
        for (at, signal) in [(block - 1, 11), (block + BLOCK_BYTES.max(page), 11), (block, 0)] {
            // SAFETY: the child reads one byte and exits without running destructors.
            let status = unsafe {
                let child = libc::fork();
                if child == 0 {
                    let byte = std::ptr::with_exposed_provenance::<u8>(at).read_volatile();
                    let zeros = key.iter().all(|&byte| byte == 0);
                    libc::_exit(i32::from(!zeros || byte != 0));
                }
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                status
            };
            assert_eq!(status & 0x7f, signal, "{at}");
            assert_eq!(status >> 8, 0, "the child saw the key");
        }
        assert_eq!(key, [9; 64]);
    }
}
