//! The kernels of 64-bit ARM: the same names as in [`any`](super::any), which serves what has no
//! kernel here.

pub(crate) mod crc;
pub(crate) mod lanes;
pub(crate) mod polyval;
pub(crate) mod xxh3;

pub(crate) use crate::cpu::any::{
    aes, argon2, blake3, chacha, chacha_poly, gcm, is_intel, keccak_p, poly1305, prefetch, scrypt,
    sha512, xxh,
};

// blake3's C code for NEON calls back into its Rust, by a function that is exported for that. A
// shared library would export it too; a hidden symbol stays inside. Mach-O and Windows have no such
// directive.
#[cfg(not(any(windows, target_vendor = "apple")))]
core::arch::global_asm!(
    ".globl blake3_compress_in_place_portable",
    ".hidden blake3_compress_in_place_portable"
);
