//! Key derivation and password hashing.
//!
//! - [`argon2`]: much memory, what to hash passwords with.
//! - [`bcrypt`]: what passwords were hashed with.
//! - [`hkdf`]: keys out of a secret that is strong already.
//! - [`pbkdf2`]: many HMACs, several jobs at once in one thread.
//! - [`phc`]: password hashes as strings, made and verified.
//! - [`scrypt`]: much memory, several jobs at once in one thread.
//!
//! What is long can be interrupted and given up between slices of less than a millisecond: see
//! [`checkpoint`](crate::checkpoint).

pub mod argon2;
mod base64;
pub mod bcrypt;
pub mod clock;
pub mod hkdf;
pub(crate) mod inputs;
pub mod pbkdf2;
pub mod phc;
pub mod scrypt;

pub use crate::engines::Memory;

use crate::engines::{Chosen, Derivation};

/// Whether two strings of bytes are equal, in a time that depends on their sizes only.
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    Chosen::equal(one, other)
}
