//! The kernels of WebAssembly with vectors: the same names as in [`any`](super::any), which serves what has no kernel
//! here.

pub(crate) use crate::cpu::any::{crc, is_intel, sha512};
