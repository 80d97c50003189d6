//! Key derivation and key wrapping.

#![allow(unsafe_code)] // of the names that are exported, and of an imported function

use millrace_core::Error;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::kdf::key_wrap::{self, Padding};
use millrace_core::kdf::{Memory, argon2, scrypt};

use crate::memory::{Source, Target};
use crate::protocol::Status;

// SAFETY: JavaScript provides a function of this type: a number in.
#[link(wasm_import_module = "javascript")]
unsafe extern "C" {
    /// Takes the fraction of a derivation that is complete, about once per millisecond.
    safe fn progress(fraction: f64);
}

struct Progress;

impl Checkpoint for Progress {
    fn checkpoint(&mut self) {}

    fn cancelled(&self, _index: usize) -> bool {
        false
    }

    fn progress(&mut self, _index: usize, done: u64, steps: u64) {
        progress(done as f64 / steps as f64);
    }
}

/// Returns the status of a derivation, which fails where memory is short: JavaScript has checked
/// the rest.
fn status(result: Result<(), Error>) -> u32 {
    const MEMORY: u32 = Status::Memory.number();
    if result.is_ok() { 0 } else { MEMORY }
}

/// JavaScript has checked RFC 7914's limit of `n` by `r`, where it holds.
#[unsafe(no_mangle)]
extern "C" fn scrypt_derive(
    password: Source,
    password_size: usize,
    salt: Source,
    salt_size: usize,
    n: u32,
    r: u32,
    p: u32,
    target: Target,
    size: usize,
) -> u32 {
    let (password, salt) = (password.bytes(password_size), salt.bytes(salt_size));
    let mut jobs = [scrypt::ScryptJob { password, salt, p, target: target.bytes(size) }];
    status(scrypt::Cost::beyond_rfc(n.into(), r).and_then(|cost| {
        let mut memory = Memory::new(scrypt::memory(&cost, p.into(), 1))?;
        scrypt::derive_many(&cost, &mut jobs, &mut memory, &mut Progress, |_, _| {})
    }))
}

/// `kind` is 0 for Argon2d, 1 for i, 2 for id.
#[unsafe(no_mangle)]
extern "C" fn argon2_derive(
    kind: u32,
    version: u32,
    memory: u32,
    passes: u32,
    lanes: u32,
    password: Source,
    password_size: usize,
    salt: Source,
    salt_size: usize,
    secret: Source,
    secret_size: usize,
    associated: Source,
    associated_size: usize,
    target: Target,
    size: usize,
) -> u32 {
    let kind = match kind {
        0 => argon2::Kind::D,
        1 => argon2::Kind::I,
        _ => argon2::Kind::Id,
    };
    let version = if version == 0x10 { argon2::Version::V10 } else { argon2::Version::V13 };
    let input = argon2::Input {
        password: password.bytes(password_size),
        salt: salt.bytes(salt_size),
        secret: secret.bytes(secret_size),
        associated: associated.bytes(associated_size),
    };
    status(argon2::Cost::new(kind, memory, passes, lanes).and_then(|cost| {
        let cost = cost.with_version(version);
        let mut memory = Memory::new(argon2::memory(&cost))?;
        let target = target.bytes(size);
        argon2::derive_in(&cost, &input, target, &mut memory, &mut Progress)
    }))
}

fn padding(padded: u32) -> Padding {
    if padded == 0 { Padding::None } else { Padding::Zeros }
}

/// Returns 0 for a success.
#[unsafe(no_mangle)]
extern "C" fn key_wrap_wrap(
    padded: u32,
    key: Source,
    key_size: usize,
    source: Source,
    size: usize,
    target: Target,
) -> u32 {
    let target = target.bytes(size.next_multiple_of(8) + key_wrap::OVERHEAD);
    let wrapped = key_wrap::wrap(padding(padded), key.bytes(key_size), source.bytes(size), target);
    u32::from(wrapped.is_err())
}

/// Returns the size of the key, or 0 if it is not authentic.
#[unsafe(no_mangle)]
extern "C" fn key_wrap_unwrap(
    padded: u32,
    key: Source,
    key_size: usize,
    source: Source,
    size: usize,
    target: Target,
) -> usize {
    let target = target.bytes(size.saturating_sub(key_wrap::OVERHEAD));
    let key = key.bytes(key_size);
    key_wrap::unwrap(padding(padded), key, source.bytes(size), target).unwrap_or(0)
}
