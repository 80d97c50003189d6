//! Key derivation and password hashing.
//!
//! - [`argon2`]: memory-hard; recommended for passwords.
//! - [`bcrypt`]: to verify existing password hashes.
//! - [`hkdf`]: keys from a secret of high entropy.
//! - [`pbkdf2`]: iterated HMAC; several jobs at once in one thread.
//! - [`phc`]: password hashes as strings.
//! - [`scrypt`]: memory-hard; several jobs at once in one thread.
//!
//! Long derivations reach a [`checkpoint`](crate::checkpoint) at least once per millisecond.

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

use crate::engines::Native;

/// Returns true if both byte strings are equal, in a time that depends only on their lengths.
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    Native::equal(one, other)
}
