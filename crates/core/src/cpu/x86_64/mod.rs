//! The kernels of x86-64: the same names as in [`any`](super::any), which serves what has no kernel
//! here.

pub(crate) mod aes;
pub(crate) mod argon2;
pub(crate) mod chacha;
pub(crate) mod chacha_poly;
pub(crate) mod crc;
pub(crate) mod gcm;
pub(crate) mod keccak_p;
pub(crate) mod lanes;
pub(crate) mod poly1305;
pub(crate) mod polyval;
pub(crate) mod prefetch;
pub(crate) mod scrypt;
pub(crate) mod sha512;
pub(crate) mod xxh;
pub(crate) mod xxh3;

pub(crate) use crate::cpu::any::blake3;

/// Returns true if the CPU is Intel's.
pub(crate) fn is_intel() -> bool {
    let vendor = std::arch::x86_64::__cpuid(0);
    [vendor.ebx, vendor.edx, vendor.ecx] == [*b"Genu", *b"ineI", *b"ntel"].map(u32::from_le_bytes)
}
