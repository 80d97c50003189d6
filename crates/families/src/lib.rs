//! The functions of the modules behind `millrace/portable`. tools/wasm.mjs links them once for each
//! family, so that a page downloads only what it calls.
//!
//! Every function takes addresses and sizes in linear memory, which JavaScript lays out and wipes
//! (src/portable/families), and returns 0 or, where it says so, a number. JavaScript has checked
//! every size against the catalog.
//!
//! A function names its algorithm as a constant, so that the compiler omits all others.

#![cfg(target_family = "wasm")]

mod allocator;
mod ciphers;
mod derivations;
mod hashes;
mod memory;
