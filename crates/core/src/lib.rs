//! The cryptography of Millrace: hashes, HMAC, stream ciphers, AEADs and key derivation.
//!
//! This crate depends on neither Node nor threads. Every operation reads the caller's bytes and
//! writes its result into the caller's target. The one-shot operations use no heap.
//!
//! - [`catalog`]: the table of algorithms with their names, aliases and sizes.
//! - [`hash`], [`hasher`], [`hmac`], [`many`], [`cipher`], [`running_cipher`], [`chunks`]: the
//!   operations. They check sizes against the catalog, then compute or call an external engine.
//! - [`kdf`]: key derivation and password hashing.
//! - [`checkpoint`]: pausing and cancelling long work.
//! - [`split`]: large messages in parts, for several cores.
//! - [`stack`]: overwriting secrets that remain on the stack.
//! - [`allocate`]: allocation that returns an error instead of aborting.
//! - [`wipe`]: overwriting secrets. [`key_memory`]: locked memory of prepared keys.
//! - [`engines`]: the contract of external engines, and the report of libraries and instructions.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
pub mod allocate;
pub mod catalog;
pub mod checkpoint;
pub mod cipher;
mod cpu;
pub mod engines;
pub mod error;
#[cfg(target_family = "wasm")]
pub mod families;
pub mod hash;
pub mod hmac;
mod inputs;
pub mod kdf;
#[allow(unsafe_code)]
pub mod key_memory;
#[allow(unsafe_code)]
mod memory;
pub mod parameters;
#[allow(unsafe_code)]
mod primitives;
pub mod split;
pub mod stack;
#[cfg(test)]
#[allow(unsafe_code)]
mod tests;
#[allow(unsafe_code)]
pub mod wipe;

pub use cipher::{chunks, running_cipher};
pub use error::Error;
pub use hash::{hasher, many};
#[cfg(all(feature = "aws-lc", unix))]
pub use primitives::aws_lc_memory;
