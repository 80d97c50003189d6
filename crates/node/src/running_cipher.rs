//! Ciphers in pieces. JavaScript holds the handle of a message, which is in the table of keys. Its
//! functions are in `cipher_pieces`; [`update()`] is the operation of a job.

use crate::checkpoint::JobCheckpoint;
use crate::keys::PreparedKey;
use crate::work::{Key, Status, Target, Work};
use millrace_core::catalog::Cipher;
use millrace_core::cipher::Text;
use millrace_core::running_cipher::RunningCipher;
use std::sync::MutexGuard;

/// Encrypts or decrypts the source of a job, the next bytes of the message; with a checkpoint in
/// slices.
///
/// # Errors
/// [`Status::Cancelled`] if the environment ends, and those of [`RunningCipher::update`]: the
/// message cannot be continued then.
pub(crate) fn update(
    work: &Work,
    cipher: Cipher,
    checkpoint: Option<&mut JobCheckpoint<'_>>,
) -> Result<(), Status> {
    let (Key::Prepared(key), Target::Memory(_)) = (&work.key, &work.target) else {
        return Err(Status::Argument);
    };
    let mut message = running(key)?;
    if message.cipher() != cipher {
        return Err(Status::KeyAlgorithm);
    }
    let text = work.text()?;
    let Some(checkpoint) = checkpoint else { return Ok(message.update(text)?) };
    match text {
        Text::InPlace(bytes) => {
            for slice in bytes.chunks_mut(checkpoint.slice) {
                message.update(Text::InPlace(slice))?;
                checkpoint.check()?;
            }
        }
        Text::Across { source, target } => {
            for (source, target) in
                source.chunks(checkpoint.slice).zip(target.chunks_mut(checkpoint.slice))
            {
                message.update(Text::Across { source, target })?;
                checkpoint.check()?;
            }
        }
    }
    Ok(())
}

/// Returns the message of a handle. JavaScript starts no other operation on a message while a job
/// on it is in flight, so that the lock is always free.
///
/// # Errors
/// [`Status::KeyAlgorithm`] if it is the handle of a key.
pub(crate) fn running(key: &PreparedKey) -> Result<MutexGuard<'_, RunningCipher>, Status> {
    let PreparedKey::Running(message) = key else { return Err(Status::KeyAlgorithm) };
    message.try_lock().map_err(|_| Status::Internal)
}
