//! Runs key derivations.

use crate::checkpoint::JobCheckpoint;
use crate::derivation::{Kdf, NO_LIMITS, password_hash};
use crate::memory_budget;
use crate::work::{Key, Reply, Status, Work};
use millrace_core::checkpoint::{Checkpoint, NoCheckpoint};
use millrace_core::error::Error;
use millrace_core::kdf::clock::Clock;
use millrace_core::kdf::{argon2, hkdf, pbkdf2, scrypt};

/// Derives a key into the target. For a password to verify the target becomes 1 or 0.
///
/// # Errors
/// Those of the function; [`Status::Work`] if verifying takes longer than allowed.
pub(crate) fn derive(
    work: &Work,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let Key::Bytes(password) = work.key else { return Err(Status::Argument) };
    let (password, salt, aad) = (password.read(), work.iv.read(), work.aad.read());
    let mut no_checkpoint = NoCheckpoint;
    let checkpoint: &mut dyn Checkpoint = match checkpoint {
        Some(checkpoint) => checkpoint,
        None => &mut no_checkpoint,
    };
    let memory = work.derivation.memory();
    let kdf = work.derivation.kdf().ok_or(Status::Internal)?;
    work.digest_to(reply, |target| match kdf {
        Kdf::Scrypt { cost, p, .. } => {
            let mut complete = false;
            let jobs = &mut [scrypt::Job { password, salt, p, target }];
            memory_budget::with_scratch(memory, |memory| {
                scrypt::derive_many(&cost, jobs, memory, checkpoint, |_, _| complete = true)
            })?;
            complete.then_some(()).ok_or(Error::Cancelled)
        }
        Kdf::Pbkdf2 { hash, iterations } => {
            let mut complete = false;
            let jobs = &mut [pbkdf2::Job { password, salt, iterations, target }];
            pbkdf2::derive_many(hash, jobs, checkpoint, |_, _| complete = true)?;
            complete.then_some(()).ok_or(Error::Cancelled)
        }
        Kdf::Hkdf(hash) => hkdf::derive(hash, password, salt, aad, target),
        Kdf::Argon2(cost) => {
            let input = argon2::Input { password, salt, secret: work.tag.read(), associated: aad };
            memory_budget::with_scratch(memory, |memory| {
                argon2::derive_in(&cost, &input, target, memory, checkpoint)
            })
        }
        Kdf::Verify { allowed, .. } => {
            let hash = password_hash(&work.aad, &NO_LIMITS)?;
            let clock = &mut Clock::new(allowed, checkpoint);
            let verified = memory_budget::with_scratch(memory, |memory| {
                let equal = hash.verify(password, work.tag.read(), memory, clock)?;
                target.fill(u8::from(equal));
                Ok(())
            });
            if clock.expired() { Err(Error::Work) } else { verified }
        }
    })
}
