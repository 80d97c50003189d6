//! Threads, locks and the clock: the standard library's, or those of loom, which tries the orders
//! in which threads can meet (`model.rs`) and knows no time.

#[cfg(not(all(test, loom)))]
pub(crate) use self::real::*;

#[cfg(all(test, loom))]
pub(crate) use self::modelled::*;

#[cfg(not(all(test, loom)))]
mod real {
    use std::time::{Duration, Instant};
    pub(crate) use std::{
        hint::spin_loop,
        sync::{Condvar, Mutex, MutexGuard, atomic::AtomicUsize},
        thread,
    };

    pub(crate) use std::thread::yield_now;

    /// How often a lingering worker looks for work before it looks at the clock.
    pub(crate) const LOOKS: usize = 32;

    pub(crate) struct Stopwatch(Instant);

    impl Stopwatch {
        pub(crate) fn start() -> Stopwatch {
            Stopwatch(Instant::now())
        }

        pub(crate) fn elapsed(&self) -> Duration {
            self.0.elapsed()
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
    use std::time::Duration;

    pub(crate) const LOOKS: usize = 1;

    /// To loom a yield is a promise that another thread will change something, which nobody waits
    /// for here.
    pub(crate) fn yield_now() {}

    pub(crate) struct Stopwatch;

    impl Stopwatch {
        pub(crate) fn start() -> Stopwatch {
            Stopwatch
        }

        /// Any time is over: a linger after one look, a breath after one batch.
        pub(crate) fn elapsed(&self) -> Duration {
            Duration::from_secs(1)
        }
    }
}
