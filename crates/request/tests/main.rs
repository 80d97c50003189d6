//! The tests of the way of a call: what is decoded and refused, and which memory is wiped.

mod bytes;
mod caller;
mod corpus;
mod decode;
mod execute;
mod freed_memory;
mod keys;
#[cfg(target_os = "linux")]
mod lent;
mod parts;
mod public_keys;
mod running_cipher;
mod wiping;

#[path = "../../../fuzz/src/targets/mod.rs"]
mod fuzz_targets;
