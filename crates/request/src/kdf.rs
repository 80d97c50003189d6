//! Runs key derivations.

use crate::checkpoint::JobCheckpoint;
use crate::memory_budget;
use crate::work::{Key, Reply, Status, Work};
use millrace_core::checkpoint::{Checkpoint, NoCheckpoint};
use millrace_core::error::Error;
use millrace_core::kdf::DerivationJob;

/// Derives a key into the target. For a password to verify the target becomes 1 or 0.
///
/// # Errors
/// Those of the function.
pub fn derive(
    work: &Work,
    reply: &mut Reply,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let Key::Bytes(password) = work.key else { return Err(Status::Argument) };
    let mut no_checkpoint = NoCheckpoint;
    let checkpoint: &mut dyn Checkpoint = match checkpoint {
        Some(checkpoint) => checkpoint,
        None => &mut no_checkpoint,
    };
    let derivation = &work.derivation;
    work.digest_to(reply, |target| {
        let mut complete = false;
        let job = DerivationJob {
            numbers: derivation.numbers(),
            password: password.read(),
            salt: work.iv.read(),
            secret: work.tag.read(),
            aad: work.aad.read(),
            target,
        };
        memory_budget::with_scratch(derivation.memory(), |memory| {
            derivation.derive(&mut [job], memory, checkpoint, &mut |_, _| complete = true)
        })?;
        complete.then_some(()).ok_or(Error::Cancelled)
    })
}
