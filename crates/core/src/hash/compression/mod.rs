//! The compression functions of hashes: for SHA-512 Millrace's own where the CPU has the
//! instructions, otherwise the library's. The families and the [`lanes`](super::lanes) are made of
//! them.

pub(crate) mod blake;
pub(crate) mod constants;
pub(crate) mod keccak_p;
mod plain;
pub(crate) mod words;

#[cfg(test)]
mod tests;
