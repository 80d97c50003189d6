//! SHA-2 on x86-64 without the instructions made for it: message schedule in vectors, rounds in
//! general registers.

mod rounds;
pub(crate) mod sha256;
pub(crate) mod sha512;
