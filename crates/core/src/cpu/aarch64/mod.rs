//! The kernels of 64-bit ARM: the same names as in [`any`](super::any), which serves what has no kernel
//! here.

pub(crate) mod crc;

pub(crate) use crate::cpu::any::{is_intel, sha512};
