//! A target by the name of this binary.
#![no_main]

#[path = "../../crates/request/tests/caller.rs"]
mod caller;
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::run(env!("CARGO_BIN_NAME"), data));
