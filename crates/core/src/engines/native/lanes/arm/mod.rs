//! Two messages interleaved with the SHA instructions of 64-bit ARM. Each instruction of one
//! message waits for the last; those of the other fill the gap.
//!
//! Instructions of a block and message, and those of AWS-LC for one message alone: SHA-256 100 and
//! 116, SHA-1 106 and 102, SHA-512 537 and 485. No machine was at hand to measure their time.

mod interleaved;
pub(in super::super) mod sha1;
pub(in super::super) mod sha256;
pub(in super::super) mod sha512;
