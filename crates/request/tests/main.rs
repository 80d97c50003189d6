//! The tests of the way of a call: what is decoded and refused, and which memory is wiped.

mod bytes;
mod caller;
mod decode;
mod execute;
mod freed_memory;
mod keys;
mod parts;
mod running_cipher;
mod wiping;
