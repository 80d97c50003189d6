//! The tests of the public functions, in one program: linking is most of what a test costs.

mod argon2;
mod catalog;
mod checkpoint;
mod chunks;
mod cipher;
mod derivation;
mod hash;
mod hasher;
mod hkdf;
mod hmac;
mod kdf_paths;
mod large;
mod libraries;
mod many;
mod pbkdf2;
mod phc;
mod running_cipher;
mod scrypt;
mod split;
mod support;
mod wycheproof;
mod xxh;
