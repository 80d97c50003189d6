//! Derivations from passwords: scrypt, Argon2 and bcrypt, and the check of a password hash. A
//! function is named by its number among the derivations (crates/core/src/kdf/mod.rs).

#![allow(unsafe_code)] // of the names that are exported

use millrace_core::Error;
use millrace_core::checkpoint::Checkpoint;
use millrace_core::kdf::phc::{Limits, PasswordHash, Scheme};
use millrace_core::kdf::{
    DerivationJob, DerivationSize, Memory, Numbers, SLOWNESS, password_function,
};

use crate::memory::{Source, Target};
use crate::status;

// SAFETY: JavaScript provides a function of this type: a number in, a number out.
#[link(wasm_import_module = "javascript")]
unsafe extern "C" {
    /// Takes the fraction of a derivation that is complete, about once per millisecond. Returns 1
    /// if it shall end.
    safe fn pause(fraction: f64) -> u32;
}

/// The fraction that is complete, and whether the derivation shall end.
#[derive(Default)]
struct Pauses(f64, bool);

impl Checkpoint for Pauses {
    fn checkpoint(&mut self) {
        self.1 |= pause(self.0) != 0;
    }

    fn cancelled(&self, _index: usize) -> bool {
        self.1
    }

    fn progress(&mut self, _index: usize, done: u64, steps: u64) {
        self.0 = done as f64 / steps as f64;
    }
}

/// Returns the parameters. A number that is not an integer is one that no function takes.
fn numbers(costs: [f64; 4], memory: f64, milliseconds: f64) -> Numbers {
    let integer = |number: f64| {
        if number >= 0.0 && number.fract() == 0.0 { number as u64 } else { u64::MAX }
    };
    Numbers {
        hash: 0,
        costs: costs.map(integer),
        memory: integer(memory),
        milliseconds: integer(milliseconds),
    }
}

/// Checks a derivation of `size` bytes. Writes its bytes of working memory, or those that are too
/// many, and its predicted nanoseconds.
#[unsafe(no_mangle)]
extern "C" fn passwords_check(
    function: usize,
    first: f64,
    second: f64,
    third: f64,
    fourth: f64,
    memory: f64,
    milliseconds: f64,
    associated: Source,
    associated_size: usize,
    size: usize,
    target: Target,
) -> u32 {
    let numbers = numbers([first, second, third, fourth], memory, milliseconds);
    let aad = associated.bytes(associated_size);
    let target = target.bytes(16);
    let mut write = |at: usize, number: u64| {
        target[8 * at..][..8].copy_from_slice(&(number as f64).to_le_bytes());
    };
    let size = DerivationSize { numbers: &numbers, aad, target: size, block: &|_| 0 };
    let found = password_function(function)
        .and_then(|found| Ok((found.memory(&numbers, aad)?, found.predict(&size)?)));
    status(match found {
        Ok((memory, cost)) => {
            write(0, memory);
            write(1, cost.saturating_mul(SLOWNESS));
            Ok(())
        }
        Err(error) => {
            if let Error::Memory { needed } | Error::MemoryLimit { needed } = error {
                write(0, needed);
            }
            Err(error)
        }
    })
}

/// Derives a key, with as many bytes of working memory as `passwords_check` has written.
#[unsafe(no_mangle)]
extern "C" fn passwords_derive(
    function: usize,
    first: f64,
    second: f64,
    third: f64,
    fourth: f64,
    memory: f64,
    milliseconds: f64,
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
    let job = DerivationJob {
        numbers: numbers([first, second, third, fourth], memory, milliseconds),
        password: password.bytes(password_size),
        salt: salt.bytes(salt_size),
        secret: secret.bytes(secret_size),
        aad: associated.bytes(associated_size),
        target: target.bytes(size),
    };
    let mut complete = false;
    let done = Memory::new(memory as u64).and_then(|mut memory| {
        let found = password_function(function)?;
        let each = &mut |_: usize, _: &[u8]| complete = true;
        found.derive(&mut [job], &mut memory, &mut Pauses::default(), each)
    });
    status(done.and_then(|()| complete.then_some(()).ok_or(Error::Cancelled)))
}

/// Returns 1 if a password hash should be computed again by a function with a salt and a hash of
/// these sizes, 0 if not, or minus a status.
#[unsafe(no_mangle)]
extern "C" fn passwords_outdated(
    function: usize,
    first: f64,
    second: f64,
    third: f64,
    fourth: f64,
    memory: f64,
    text: Source,
    text_size: usize,
    salt_size: usize,
    size: usize,
) -> i32 {
    let numbers = numbers([first, second, third, fourth], memory, 0.0);
    let outdated = PasswordHash::from_bytes(text.bytes(text_size), &Limits::NONE)
        .and_then(|hash| Ok(hash.needs_rehash(&Scheme::of(function, &numbers)?, salt_size, size)));
    match outdated {
        Ok(outdated) => i32::from(outdated),
        Err(error) => -(status(Err(error)) as i32),
    }
}
