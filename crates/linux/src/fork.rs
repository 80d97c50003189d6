//! Detects that the process has forked. A child inherits all descriptors, but shares the sockets
//! and sessions behind them with its parent: both would write into one message. Descriptors
//! from before a fork are therefore not used after it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Returns a number that differs between a parent and its child.
pub(crate) fn generation() -> u32 {
    static GENERATION: AtomicU32 = AtomicU32::new(0);
    let Some(mark) = mark() else { return 0 };
    if mark.load(Ordering::Relaxed) == 0 && mark.swap(1, Ordering::Relaxed) == 0 {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    GENERATION.load(Ordering::Relaxed)
}

/// Returns a byte that a fork resets to zero in the child (MADV_WIPEONFORK, Linux 4.14); `None` on
/// older kernels.
fn mark() -> Option<&'static AtomicU8> {
    static MARK: OnceLock<Option<&'static AtomicU8>> = OnceLock::new();
    *MARK.get_or_init(|| {
        let size = 4096;
        // SAFETY: a new anonymous mapping; nothing aliases it. All its bytes are zero, which is a
        // valid `AtomicU8`, and it is never unmapped.
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

#[cfg(test)]
mod tests {
    use millrace_core::Error;
    use millrace_core::catalog::Hash;

    use crate::hash::{RunningHash, digest};
    use crate::interface::LinuxEngine;
    use crate::support::hash_channels;

    #[test]
    fn a_child_opens_its_own_channels() {
        let before = super::generation();
        let pool = hash_channels(LinuxEngine::AfAlg, Hash::Sha256);
        assert_eq!(super::generation(), before);
        let running = pool.as_ref().map(|pool| RunningHash::begin(pool).expect("begun"));
        // SAFETY: the child only computes, and exits without running the parent's destructors.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                let opens_its_own = match (&pool, running) {
                    (Ok(pool), Ok(mut running)) => {
                        let refused = running.update(b"abc", &mut None);
                        digest(pool, b"abc", &mut [0; 32], None).is_ok()
                            && matches!(refused, Err(Error::Unavailable(_)))
                    }
                    _ => true,
                };
                libc::_exit(i32::from(!(opens_its_own && super::generation() != before)));
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            status
        };
        assert_eq!(status, 0);
        assert_eq!(super::generation(), before);
    }
}
