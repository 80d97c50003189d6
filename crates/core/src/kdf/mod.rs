//! Key derivation and password hashing.
//!
//! - [`scrypt`]: memory-hard, several jobs at once in one thread.
//!
//! What is long can be interrupted and given up between slices of less than a millisecond: see [`pace`](crate::pace).

pub(crate) mod inputs;
pub mod scrypt;

pub use crate::engines::Memory;
