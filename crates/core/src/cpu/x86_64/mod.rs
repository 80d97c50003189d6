//! The kernels of x86-64: the same names as in [`any`](super::any), which serves what has no kernel
//! here.

pub(crate) use crate::cpu::any::blake3;
pub(crate) mod crc;
pub(crate) mod sha512;

/// Returns true if the CPU is Intel's.
pub(crate) fn is_intel() -> bool {
    let vendor = std::arch::x86_64::__cpuid(0);
    [vendor.ebx, vendor.edx, vendor.ecx] == [*b"Genu", *b"ineI", *b"ntel"].map(u32::from_le_bytes)
}
