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
    is_by([*b"Genu", *b"ineI", *b"ntel"])
}

/// Returns the family of AMD's CPUs: 0x19 for Zen 3 and 4, 0x1a for Zen 5; 0 for other CPUs.
pub(crate) fn amd_family() -> u32 {
    let signature = std::arch::x86_64::__cpuid(1).eax;
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    if is_by([*b"Auth", *b"enti", *b"cAMD"]) { family } else { 0 }
}

fn is_by(name: [[u8; 4]; 3]) -> bool {
    let vendor = std::arch::x86_64::__cpuid(0);
    [vendor.ebx, vendor.edx, vendor.ecx] == name.map(u32::from_le_bytes)
}
