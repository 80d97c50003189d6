//! The cryptography of Millrace: hashes, HMAC, stream ciphers and AEADs.
//!
//! This crate knows neither Node nor threads. Every operation reads the caller's bytes and writes
//! its result straight into the caller's target; the one-shot operations use no heap.
//!
//! - [`catalog`]: the one table of facts: names, aliases and sizes.
//! - [`hash`], [`hasher`], [`hmac`], [`many`], [`cipher`], [`chunks`]: the operations, which check
//!   sizes against the catalog.
//! - [`kdf`]: key derivation and password hashing.
//! - [`checkpoint`], [`split`]: long work in slices, and large messages in parts, for several cores.
//! - [`stack`]: overwriting what work with secrets leaves there.
//! - [`allocate`]: allocation that fails with an error.
//! - [`engines`]: who computes them, and with which library and instructions.

#![deny(unsafe_code)]

pub mod allocate;
pub mod catalog;
pub mod checkpoint;
pub mod chunks;
pub mod cipher;
pub mod error;
pub mod hash;
pub mod hasher;
pub mod hmac;
mod inputs;
pub mod kdf;
pub mod many;
pub mod split;
pub mod stack;

// The one wing of this crate that may hold `unsafe`: bindings to libraries and nothing else.
#[allow(unsafe_code)]
pub mod engines;

pub use error::Error;
