//! The cost of cryptographic work in nanoseconds. The binding chooses routes by it.
//!
//! Each algorithm has a price: a fixed part and one per byte (`prices`). A price comes from a table
//! at first; a worker measures it after the first job of its algorithm (`measure`).
//!
//! This is a crate of its own because the tests of `crates/node` cannot run without Node.

pub mod limits;
mod measure;
mod prices;

use millrace_core::catalog::Hash;

pub use prices::{Algorithm, Price, changed, epoch, measured, settled};

/// Returns what an algorithm costs.
pub fn price(algorithm: Algorithm) -> Price {
    prices::of(algorithm)
}

/// Returns the predicted nanoseconds of hashing `size` bytes in `count` messages.
pub fn of_messages(hash: Hash, size: usize, count: usize) -> u64 {
    price(Algorithm::Hash(hash)).of_messages(size, count)
}

/// Measures an algorithm that has not been measured. It takes some 100 us, once for each algorithm
/// in a process; a worker calls it after a job.
pub fn refine(algorithm: Algorithm) {
    prices::refine(algorithm, measure::measure);
}
