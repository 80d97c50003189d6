//! Predicts the cost of cryptographic work in nanoseconds. The binding chooses routes by it.
//!
//! The cost of an algorithm is linear in the size of the message (`cost_model`). Its coefficients
//! come from a table until a worker measures them, after the first job of the algorithm
//! (`measure`). `sharing` decides which short jobs an event loop runs itself.
//!
//! This is a separate crate because the tests of `crates/node` cannot run without Node.

mod cost_model;
pub mod limits;
mod measure;
pub mod sharing;

use millrace_core::catalog::Hash;

pub use cost_model::{
    Algorithm, CostModel, advance_epoch, cost_model, epoch, is_measured, is_settled,
};

/// Returns the predicted nanoseconds of hashing `size` bytes in `count` messages.
pub fn predict_messages(hash: Hash, size: usize, count: usize) -> u64 {
    cost_model(Algorithm::Hash(hash)).predict_messages(size, count)
}

/// Measures an algorithm unless it was measured in this process. Takes some 100 us; a worker calls
/// it after a job.
pub fn measure_once(algorithm: Algorithm) {
    cost_model::measure_once(algorithm, measure::measure);
}
