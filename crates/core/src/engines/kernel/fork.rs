//! Whether this process has been forked since. A child has copies of all descriptors, but the
//! sockets and sessions behind them are its parent's too, and both would write into one message.
//! What was made before a fork is therefore not used after it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// A number that a child has another of than its parent.
pub(super) fn generation() -> u32 {
    static GENERATION: AtomicU32 = AtomicU32::new(0);
    let Some(mark) = mark() else { return 0 };
    if mark.load(Ordering::Relaxed) == 0 && mark.swap(1, Ordering::Relaxed) == 0 {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    GENERATION.load(Ordering::Relaxed)
}

/// A byte that is zero again in a child (MADV_WIPEONFORK, Linux 4.14); `None` where the kernel is
/// older.
fn mark() -> Option<&'static AtomicU8> {
    static MARK: OnceLock<Option<&'static AtomicU8>> = OnceLock::new();
    *MARK.get_or_init(|| {
        let size = 4096;
        // SAFETY: a fresh mapping of our own; all its bytes are zero, which is a valid `AtomicU8`,
        // and it is never unmapped.
        unsafe {
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let page = libc::mmap(std::ptr::null_mut(), size, access, kind, -1, 0);
            if page == libc::MAP_FAILED {
                return None;
            }
            if libc::madvise(page, size, libc::MADV_WIPEONFORK) != 0 {
                libc::munmap(page, size);
                return None;
            }
            Some(&*page.cast::<AtomicU8>())
        }
    })
}
