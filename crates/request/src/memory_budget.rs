//! The working memory of key derivations. All derivations of the process together never take more
//! than a limit; `admission` holds the jobs that wait for memory.
//!
//! Used memory is wiped and kept as scratch memory for the next derivation of the same size,
//! because the page faults of new memory take as long as some derivations (16 MiB: 2 to 4 ms).
//! Scratch memory is freed when an admitted job needs its share of the limit, and when JavaScript
//! calls `freeDerivationMemory`.

use millrace_core::error::Error;
use millrace_core::kdf::Memory;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Budget {
    /// 0 while JavaScript has not set it.
    limit: u64,
    /// Bytes of all permits.
    taken: u64,
    /// Jobs that wait for a permit.
    waiting: usize,
    /// Wiped memory, and its bytes.
    scratch: Vec<Memory>,
    scratch_bytes: u64,
}

static BUDGET: Mutex<Budget> =
    Mutex::new(Budget { limit: 0, taken: 0, waiting: 0, scratch: Vec::new(), scratch_bytes: 0 });

fn budget() -> MutexGuard<'static, Budget> {
    BUDGET.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Budget {
    fn free_scratch(&mut self) {
        self.scratch.clear();
        self.scratch_bytes = 0;
    }
}

/// The right to take memory. Dropping it returns the memory and calls `on_release`.
pub struct MemoryPermit {
    bytes: u64,
    on_release: fn(),
}

impl MemoryPermit {
    /// Returns a permit for `bytes` bytes if they fit in the limit. Without other permits they
    /// always fit: the limit may have been lowered after the job was accepted. `on_release` runs
    /// whenever a permit was dropped.
    pub fn acquire(bytes: u64, on_release: fn()) -> Option<MemoryPermit> {
        let mut budget = budget();
        let taken = budget.taken.saturating_add(bytes);
        if budget.taken > 0 && taken > budget.limit {
            return None;
        }
        if taken.saturating_add(budget.scratch_bytes) > budget.limit {
            budget.free_scratch();
        }
        budget.taken = taken;
        Some(MemoryPermit { bytes, on_release })
    }

    /// Returns the permitted bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        budget().taken -= self.bytes;
        (self.on_release)();
    }
}

/// Returns the limit in bytes, 0 while none is set.
pub fn limit() -> u64 {
    budget().limit
}

/// Sets the limit in bytes and frees the scratch memory.
pub fn set_limit(limit: u64) {
    let mut budget = budget();
    budget.limit = limit;
    budget.free_scratch();
}

/// Returns true if `bytes` bytes are more than the limit ever allows.
pub fn exceeds_limit(bytes: u64) -> bool {
    let limit = limit();
    limit > 0 && bytes > limit
}

/// Returns the bytes of all permits, and the number of jobs that wait for one.
pub fn usage() -> (u64, usize) {
    let budget = budget();
    (budget.taken, budget.waiting)
}

/// Records the number of jobs that wait for a permit.
pub fn set_waiting(jobs: usize) {
    budget().waiting = jobs;
}

/// Scratch memory of fewer bytes is not kept: new memory is as cheap.
const KEEP_MIN_BYTES: u64 = 256 << 10;

thread_local! {
    /// Memory that this thread has used and not yet wiped.
    static USED: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with `size` bytes of scratch memory. This thread's next [`wipe_deferred`] wipes it:
/// a result need not wait for that.
///
/// # Errors
/// Those of `work`, and [`Error::Memory`].
pub fn with_scratch(
    size: u64,
    work: impl FnOnce(&mut Memory) -> Result<(), Error>,
) -> Result<(), Error> {
    if size == 0 {
        return work(&mut Memory::new(0)?);
    }
    let mut memory = take_scratch(size)?;
    let result = work(&mut memory);
    USED.with_borrow_mut(|used| {
        // Memory that cannot be kept is wiped and freed here.
        if used.try_reserve(1).is_ok() {
            used.push(memory);
        }
    });
    result
}

/// Returns scratch memory of exactly `size` bytes, new if none is kept.
fn take_scratch(size: u64) -> Result<Memory, Error> {
    let mut budget = budget();
    match budget.scratch.iter().position(|memory| memory.size() == size) {
        Some(at) => {
            budget.scratch_bytes -= size;
            Ok(budget.scratch.swap_remove(at))
        }
        None => {
            drop(budget);
            Memory::new(size)
        }
    }
}

/// Wipes the memory that this thread has used, and keeps it if it fits in the limit and no job
/// waits. 128 MiB take 15 ms; `checkpoint` runs in between.
pub fn wipe_deferred(mut checkpoint: impl FnMut()) {
    for mut memory in USED.take() {
        if memory.size() < KEEP_MIN_BYTES {
            continue;
        }
        memory.wipe(&mut checkpoint);
        let mut budget = budget();
        let scratch_bytes = budget.scratch_bytes.saturating_add(memory.size());
        if budget.waiting == 0
            && budget.taken.saturating_add(scratch_bytes) <= budget.limit
            && budget.scratch.try_reserve(1).is_ok()
        {
            budget.scratch_bytes = scratch_bytes;
            budget.scratch.push(memory);
        }
    }
}

/// Returns all scratch memory to the system.
pub fn free_scratch() {
    budget().free_scratch();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const MIB: u64 = 1 << 20;

    static RELEASED: AtomicUsize = AtomicUsize::new(0);

    fn acquire(bytes: u64) -> Option<MemoryPermit> {
        MemoryPermit::acquire(bytes, || _ = RELEASED.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the number of blocks of scratch memory, and their bytes.
    fn scratch() -> (usize, u64) {
        let budget = budget();
        (budget.scratch.len(), budget.scratch_bytes)
    }

    /// Uses scratch memory, which is then wiped. Returns what is kept.
    fn after_use_of(size: u64) -> (usize, u64) {
        with_scratch(size, |memory| {
            assert_eq!(memory.size(), size);
            Ok(())
        })
        .expect("memory");
        wipe_deferred(|| {});
        scratch()
    }

    /// One test, as the budget is the process's.
    #[test]
    fn permits_and_scratch_memory_share_the_limit() {
        assert!(!exceeds_limit(u64::MAX), "there is none yet");
        set_limit(10 * MIB);
        assert_eq!(limit(), 10 * MIB);
        assert!(exceeds_limit(10 * MIB + 1) && !exceeds_limit(10 * MIB));

        let first = acquire(6 * MIB).expect("it fits");
        assert_eq!(first.bytes(), 6 * MIB);
        assert!(acquire(4 * MIB + 1).is_none());
        let second = acquire(4 * MIB).expect("it fits");
        set_waiting(3);
        assert_eq!(usage(), (10 * MIB, 3));
        set_waiting(0);
        drop((first, second));
        assert_eq!((usage(), RELEASED.load(Ordering::Relaxed)), ((0, 0), 2));
        let alone = acquire(20 * MIB).expect("without others it always fits");
        assert!(acquire(1).is_none());
        drop(alone);

        assert_eq!(after_use_of(0), (0, 0));
        assert_eq!(after_use_of(KEEP_MIN_BYTES - 64), (0, 0), "too small");
        assert_eq!(after_use_of(MIB), (1, MIB));
        assert_eq!(after_use_of(MIB), (1, MIB), "the same");
        assert_eq!(after_use_of(2 * MIB), (2, 3 * MIB), "another");
        assert_eq!(after_use_of(KEEP_MIN_BYTES), (3, 3 * MIB + KEEP_MIN_BYTES));
        with_scratch(MIB, |_| {
            assert_eq!(scratch(), (2, 2 * MIB + KEEP_MIN_BYTES), "one is in use");
            Ok(())
        })
        .expect("memory");
        assert_eq!(scratch(), (2, 2 * MIB + KEEP_MIN_BYTES), "it may hold secrets");
        wipe_deferred(|| {});
        assert_eq!(scratch(), (3, 3 * MIB + KEEP_MIN_BYTES));
        assert_eq!(after_use_of(7 * MIB), (3, 3 * MIB + KEEP_MIN_BYTES), "over the limit");
        free_scratch();
        assert_eq!(scratch(), (0, 0));

        // A permit may need the share of the scratch memory, and takes it only then.
        assert_eq!(after_use_of(10 * MIB), (1, 10 * MIB), "all of the limit");
        set_limit(10 * MIB);
        assert_eq!(scratch(), (0, 0));
        assert_eq!(after_use_of(4 * MIB), (1, 4 * MIB));
        drop(acquire(6 * MIB));
        assert_eq!(scratch(), (1, 4 * MIB));
        let permit = acquire(6 * MIB + 1);
        assert_eq!(scratch(), (0, 0));
        assert_eq!(after_use_of(4 * MIB), (0, 0), "the permit has its share");
        drop(permit);
        set_waiting(1);
        assert_eq!(after_use_of(MIB), (0, 0), "a job waits for memory");
        set_waiting(0);
    }
}
