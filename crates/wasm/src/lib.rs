//! The WebAssembly binding, for browsers and every runtime without a native binary: the core as one
//! module, or with some of its operations (the features).
//!
//! JavaScript (src/portable/instance.ts) copies the bytes of a call into the arena, writes the
//! numbers to the frame, with offsets into the arena, and calls an export; it copies the result out
//! and wipes the arena. So `crates/request` decodes and runs a call as it does for Node-API. A
//! message that is longer than JavaScript's window of the arena comes in parts (`parted`). An
//! instance runs one call at a time, on the thread that made it.
//!
//! Each module imports only modules further down this list:
//!
//! - `digests`: the digests that JavaScript calls for without a request;
//! - `exports`: the other functions that JavaScript can call;
//! - `engine`: what lives as long as the instance: keys, frame and arena;
//! - `parted`: a message of a cipher in parts;
//! - `mac_keys`: the bytes of the keys of HMACs;
//! - `arena`: the memory that JavaScript writes and reads;
//! - `imports`: the function of JavaScript that is called during long work.
//!
//! Only `arena`, `digests`, `exports` and `imports` contain `unsafe`.

// Without WebAssembly's linker the imports do not resolve.
#![cfg(target_family = "wasm")]

mod arena;
#[cfg(feature = "digests")]
mod digests;
mod engine;
mod exports;
mod imports;
mod mac_keys;
mod parted;
