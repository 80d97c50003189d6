//! What serves on a CPU without kernels of its own: portable code, or the answer that there is no
//! kernel.

#![allow(dead_code)] // each CPU takes only what it has no kernel for

pub(crate) mod blake3;
pub(crate) mod crc;
pub(crate) mod sha512;

/// Returns false: the CPU is not Intel's.
pub(crate) fn is_intel() -> bool {
    false
}
