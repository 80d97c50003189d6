//! Threads, locks and the clock: those of the standard library, or in the model check (`model.rs`)
//! those of loom, which explores the interleavings of threads and has no time.

#[cfg(not(all(test, loom)))]
pub(crate) use self::real::*;

#[cfg(all(test, loom))]
pub(crate) use self::modelled::*;

#[cfg(not(all(test, loom)))]
mod real {
    use std::time::Instant;
    pub(crate) use std::{
        hint::spin_loop,
        sync::{Condvar, Mutex, MutexGuard, atomic::AtomicUsize},
        thread,
    };

    pub(crate) use std::thread::yield_now;

    /// How often a lingering worker looks for tasks before it reads the clock.
    pub(crate) const POLLS_PER_CLOCK_READ: usize = 32;

    #[derive(Debug)]
    pub(crate) struct Stopwatch(Instant);

    impl Stopwatch {
        pub(crate) fn start() -> Stopwatch {
            Stopwatch(Instant::now())
        }

        pub(crate) fn elapsed_ns(&self) -> u64 {
            self.0.elapsed().as_nanos() as u64
        }
    }
}

#[cfg(all(test, loom))]
mod modelled {
    pub(crate) use loom::{
        hint::spin_loop,
        sync::{Condvar, Mutex, MutexGuard, atomic::AtomicUsize},
        thread,
    };

    pub(crate) const POLLS_PER_CLOCK_READ: usize = 1;

    /// Does nothing: loom takes a yield as a promise that another thread changes something, and
    /// nothing here waits for that.
    pub(crate) fn yield_now() {}

    #[derive(Debug)]
    pub(crate) struct Stopwatch;

    impl Stopwatch {
        pub(crate) fn start() -> Stopwatch {
            Stopwatch
        }

        /// Returns the maximum, so that every limit has passed: lingering ends after one look, a
        /// yield point after one quantum.
        pub(crate) fn elapsed_ns(&self) -> u64 {
            1_000_000_000
        }
    }
}
