//! The kernels of WebAssembly with vectors: the same names as in [`any`](super::any), which serves
//! what has no kernel here.

pub(crate) mod aes;
pub(crate) mod blake3;
pub(crate) mod chacha;
pub(crate) mod scrypt;

pub(crate) use crate::cpu::any::{
    argon2, chacha_poly, crc, gcm, is_intel, keccak_p, lanes, poly1305, polyval, prefetch, sha512,
    xxh, xxh3,
};
