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

use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) use crate::cpu::any::blake3;

/// The family of Zen 3, and of Zen 4, whose vectors of 512 bits take two cycles.
pub(crate) const ZEN_3_AND_4: u32 = 0x19;
pub(crate) const ZEN_5: u32 = 0x1a;

/// Returns true if the CPU is Intel's.
pub(crate) fn is_intel() -> bool {
    is_by([*b"Genu", *b"ineI", *b"ntel"])
}

/// Returns the family of AMD's CPUs, 0 for other CPUs.
pub(crate) fn amd_family() -> u32 {
    /// One more than what was found: a virtual machine takes microseconds to answer.
    static KNOWN: AtomicU32 = AtomicU32::new(0);
    if let Some(family) = KNOWN.load(Ordering::Relaxed).checked_sub(1) {
        return family;
    }
    let signature = std::arch::x86_64::__cpuid(1).eax;
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    let family = if is_by([*b"Auth", *b"enti", *b"cAMD"]) { family } else { 0 };
    KNOWN.store(family + 1, Ordering::Relaxed);
    family
}

fn is_by(name: [[u8; 4]; 3]) -> bool {
    let vendor = std::arch::x86_64::__cpuid(0);
    [vendor.ebx, vendor.edx, vendor.ecx] == name.map(u32::from_le_bytes)
}
