//! The functions of the modules behind `millrace/portable`. tools/wasm.mjs links them once for each
//! family, so that a page downloads only what it calls.
//!
//! Every function takes addresses and sizes in linear memory, which JavaScript lays out and wipes
//! (src/portable/families), and returns a status or, where it says so, another number. JavaScript
//! has checked every size against the catalog.
//!
//! A function names its algorithm as a constant, so that the compiler omits all others.

#![cfg(target_family = "wasm")]

mod allocator;
mod ciphers;
mod derivations;
mod hashes;
mod memory;
mod passwords;
#[allow(dead_code, unreachable_pub)] // of the numbers few are used
#[path = "../../request/src/protocol.rs"]
mod protocol;
mod public_keys;
mod report;
#[path = "../../request/src/status.rs"]
mod status_of;

use millrace_core::Error;

/// Returns the number of a success or an error.
fn status(result: Result<(), Error>) -> u32 {
    result.err().map_or(0, |error| protocol::Status::from(error).number())
}
