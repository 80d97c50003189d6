//! The key derivations.

pub(crate) mod argon2;
pub(crate) mod bcrypt;
pub(crate) mod hkdf;
pub(crate) mod key_wrap;
pub(crate) mod pbkdf2;
pub(crate) mod scrypt;

use super::cpu;
use crate::catalog::{HASHES, HashFacts};
use crate::engines::service::Service;

/// Returns how each derivation is computed here, its name in two parts.
pub(super) fn serves() -> impl Iterator<Item = ([&'static str; 2], Service)> {
    let pbkdf2 =
        HASHES.iter().filter(|facts| facts.hmac).map(|&HashFacts { name, hash, .. }| {
            (["pbkdf2-", name], cpu::serves_pbkdf2(hash, pbkdf2::lanes(hash)))
        });
    let others = [
        ("scrypt", scrypt::serves()),
        ("argon2", argon2::serves()),
        ("bcrypt", bcrypt::serves()),
        ("hkdf", hkdf::serves()),
        ("aes-kw", key_wrap::serves()),
        ("aes-kwp", key_wrap::serves()),
    ];
    others.map(|(name, service)| (["", name], service)).into_iter().chain(pbkdf2)
}
