//! The kernels of WebAssembly with vectors: the same names as in [`any`](super::any), which serves what has no kernel
//! here.

#[cfg(not(target_feature = "simd128"))]
pub(crate) use crate::cpu::any::blake3;
#[cfg(target_feature = "simd128")]
pub(crate) mod blake3;
pub(crate) use crate::cpu::any::crc;
pub(crate) use crate::cpu::any::is_intel;
pub(crate) use crate::cpu::any::sha512;
