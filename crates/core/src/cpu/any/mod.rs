//! What serves on a CPU without kernels of its own: portable code, or the answer that there is no
//! kernel.

pub(crate) mod aes;
pub(crate) mod argon2;
pub(crate) mod blake3;
pub(crate) mod chacha;
pub(crate) mod chacha_poly;
pub(crate) mod crc;
pub(crate) mod gcm;
pub(crate) mod keccak_p;
pub(crate) mod lanes;
pub(crate) mod poly1305;
pub(crate) mod prefetch;
pub(crate) mod scrypt;
pub(crate) mod sha512;
pub(crate) mod xxh;
pub(crate) mod xxh3;

/// True in WebAssembly, whose compilers want some loops in another form.
const WASM: bool = cfg!(target_arch = "wasm32");

/// POLYVAL without the CPU's products.
pub(crate) mod polyval {
    #[cfg(test)]
    pub(crate) const EACH: [fn() -> Option<Powers>; 0] = super::gcm::EACH;
    pub(crate) type Powers = super::gcm::Powers;
}

/// Returns false: the CPU is not Intel's.
pub(crate) fn is_intel() -> bool {
    false
}
