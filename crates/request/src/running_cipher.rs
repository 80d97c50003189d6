//! Incremental ciphers. JavaScript holds the handle of a message, which is in the table of keys.
//! [`update()`] is the operation of a job; the other functions run during their call.

use crate::bytes::{Window, text};
use crate::caller::Caller;
use crate::checkpoint::JobCheckpoint;
use crate::frame::Frame;
use crate::keys::{Keys, PreparedKey};
use crate::protocol::At;
use crate::work::{Key, Status, TAG_MAX, Target, Work};
use millrace_core::allocate::Shared;
use millrace_core::catalog::Cipher;
use millrace_core::running_cipher::RunningCipher;
use std::sync::{Mutex, MutexGuard};

/// Encrypts or decrypts the source of a job, the next bytes of the message; with a checkpoint in
/// slices.
///
/// # Errors
/// [`Status::Cancelled`] if the environment ends, and those of [`RunningCipher::update`]: the
/// message cannot be continued then.
pub fn update(
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
    let mut text = work.text()?;
    let Some(checkpoint) = checkpoint else { return Ok(message.update(text)?) };
    while text.size() > 0 {
        let slice = text.size().min(checkpoint.slice);
        let (first, rest) = text.split_at(slice);
        message.update(first)?;
        checkpoint.check()?;
        text = rest;
    }
    Ok(())
}

/// Returns the message of a handle. JavaScript starts no other operation on a message while a job
/// on it is in flight, so that the lock is always free.
///
/// # Errors
/// [`Status::KeyAlgorithm`] if it is the handle of a key.
pub fn running(key: &PreparedKey) -> Result<MutexGuard<'_, RunningCipher>, Status> {
    let PreparedKey::Running(message) = key else { return Err(Status::KeyAlgorithm) };
    message.try_lock().map_err(|_| Status::Internal)
}

/// Begins a message under the bytes of a key, or with the prepared key that the frame names.
/// Returns its handle.
///
/// # Errors
/// [`Status::KeyDisposed`], [`Status::KeyAlgorithm`], and those of [`RunningCipher::new`].
pub fn create(
    call: &impl Caller,
    cipher: Cipher,
    encrypt: bool,
    [iv, aad]: [Window; 2],
    key: Option<Window>,
) -> Result<u64, Status> {
    let begin = |key: &[u8]| Ok(RunningCipher::new(cipher, encrypt, key, iv.read(), aad.read())?);
    let mut keys = call.keys().borrow_mut();
    let running = match key {
        Some(key) => begin(key.read()),
        None => match &**key_of(call, &keys)? {
            PreparedKey::Cipher(key, bytes) if key.cipher() == cipher && !key.is_external() => {
                begin(bytes)
            }
            _ => Err(Status::KeyAlgorithm),
        },
    };
    keys.keep(PreparedKey::Running(Mutex::new(running?)))
}

/// Encrypts or decrypts the next bytes of the message that the frame names.
///
/// # Errors
/// [`Status::Argument`], [`Status::KeyDisposed`], and those of [`RunningCipher::update`].
pub fn update_now(call: &impl Caller) -> Result<(), Status> {
    let frame = Frame::of(call).ok_or(Status::Argument)?;
    let source = frame.window(0, At::SourceOffset, At::SourceSize)?;
    let target = frame.window(1, At::TargetOffset, At::SourceSize)?;
    let keys = call.keys().borrow();
    let text = text(&source, &target, &[]).ok_or(Status::Argument)?;
    Ok(running(key_of(call, &keys)?)?.update(text)?)
}

/// Ends the message that the frame names, and disposes of it. Writes the tag, or checks it.
///
/// # Errors
/// [`Status::KeyDisposed`]; [`Status::Argument`] without a tag; [`Status::TagSize`];
/// [`Status::Authentication`].
pub fn finish(call: &impl Caller, tag: Option<Window>, verify: bool) -> Result<(), Status> {
    let handle = Frame::of(call).ok_or(Status::Argument)?.number(At::Key) as u64;
    let mut keys = call.keys().borrow_mut();
    let key = keys.get(handle).ok_or(Status::KeyDisposed)?.clone();
    keys.dispose(handle);
    let tag = tag.ok_or(Status::Argument)?;
    if verify {
        return Ok(running(&key)?.verify(tag.read())?);
    }
    let mut full = [0; TAG_MAX];
    let written = full.get_mut(..tag.size()).ok_or(Status::TagSize)?;
    running(&key)?.finish(written)?;
    tag.write(written);
    Ok(())
}

/// Copies the message that the frame names. Returns the copy's handle.
///
/// # Errors
/// [`Status::KeyDisposed`]; [`Status::Memory`].
pub fn copy(call: &impl Caller) -> Result<u64, Status> {
    let mut keys = call.keys().borrow_mut();
    let copy = running(key_of(call, &keys)?)?.copy()?;
    keys.keep(PreparedKey::Running(Mutex::new(copy)))
}

/// Returns the key or the message by the handle in the frame.
///
/// # Errors
/// [`Status::KeyDisposed`]; [`Status::Argument`] without a frame.
pub fn key_of<'a>(call: &impl Caller, keys: &'a Keys) -> Result<&'a Shared<PreparedKey>, Status> {
    let handle = Frame::of(call).ok_or(Status::Argument)?.number(At::Key);
    keys.get(handle as u64).ok_or(Status::KeyDisposed)
}
