//! The tests of public keys: encodings, generation, HPKE, wrong use. Published answers run through
//! the entry points of the package, in test/public-keys.
#![allow(clippy::unwrap_used)]

mod encodings;
mod generation;
mod hpke;
mod operations;
mod raw;
mod support;
