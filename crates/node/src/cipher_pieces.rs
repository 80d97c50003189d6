//! The functions of ciphers in pieces that run during the call; see `running_cipher`.

use crate::bytes::text;
use crate::environment::Call;
use crate::frame::Frame;
use crate::keys::{KEY_BYTES, PreparedKey};
use crate::protocol::At;
use crate::running_cipher::running;
use crate::values::Value;
use crate::work::{Status, TAG_MAX};
use millrace_core::catalog::Cipher;
use millrace_core::running_cipher::RunningCipher;
use millrace_core::stack;
use std::sync::Mutex;

/// `createCipher(algorithm, encrypt, iv, aad, key)`, with the handle of a prepared key in the frame
/// instead of the last: returns a handle above 0, or minus a [`Status`].
pub(crate) fn create(call: &Call<'_>) -> Value {
    let handle = stack::wiped_key(|| {
        let cipher = call.uint32(0).and_then(|id| Cipher::from_id(u8::try_from(id).ok()?));
        let (cipher, encrypt) = cipher.zip(call.uint32(1)).ok_or(Status::Argument)?;
        let iv = call.bytes(2).ok_or(Status::Argument)?;
        let aad = call.bytes(3);
        let aad = aad.as_ref().map_or(&[][..], |aad| aad.read());
        let begin = |key: &[u8]| Ok(RunningCipher::new(cipher, encrypt != 0, key, iv.read(), aad)?);
        let mut keys = call.state.keys.borrow_mut();
        let running = match call.bytes(4) {
            Some(key) => begin(key.read()),
            None => {
                let handle = Frame::of(call).ok_or(Status::Argument)?.number(At::Key);
                match &**keys.get(handle as u64).ok_or(Status::KeyDisposed)? {
                    PreparedKey::Cipher(key, bytes)
                        if key.cipher() == cipher && !key.is_external() =>
                    {
                        begin(bytes)
                    }
                    _ => Err(Status::KeyAlgorithm),
                }
            }
        };
        keys.keep(PreparedKey::Running(Mutex::new(running?)))
    });
    returned(call, handle)
}

/// `updateCipher(source, target)`, with handle, offsets and size in the frame: encrypts or decrypts
/// the next bytes. Returns a [`Status`].
pub(crate) fn update_now(call: &Call<'_>) -> Value {
    let done = (|| {
        let frame = Frame::of(call).ok_or(Status::Argument)?;
        let source = frame.window(0, At::SourceOffset, At::SourceSize)?;
        let target = frame.window(1, At::TargetOffset, At::SourceSize)?;
        let keys = call.state.keys.borrow();
        let key = keys.get(frame.number(At::Key) as u64).ok_or(Status::KeyDisposed)?;
        let text = text(&source, &target, &[]).ok_or(Status::Argument)?;
        Ok(running(key)?.update(text)?)
    })();
    call.env.number(call.state.status_number(done))
}

/// `finishCipher(tag, verify)`, with the handle in the frame: ends the message and disposes of it.
/// Encryption writes the tag, decryption (`verify` is 1) checks it. Returns a [`Status`].
pub(crate) fn finish(call: &Call<'_>) -> Value {
    let done = (|| {
        let handle = Frame::of(call).ok_or(Status::Argument)?.number(At::Key) as u64;
        let mut keys = call.state.keys.borrow_mut();
        let key = keys.get(handle).ok_or(Status::KeyDisposed)?.clone();
        keys.dispose(handle);
        call.env.adjust_external_memory(-KEY_BYTES);
        let tag = call.bytes(0).ok_or(Status::Argument)?;
        if call.uint32(1) == Some(1) {
            return Ok(running(&key)?.verify(tag.read())?);
        }
        let mut full = [0; TAG_MAX];
        let written = full.get_mut(..tag.size()).ok_or(Status::TagSize)?;
        running(&key)?.finish(written)?;
        tag.write(written);
        Ok(())
    })();
    call.env.number(call.state.status_number(done))
}

/// `copyCipher()`, with the handle in the frame: returns the handle of a copy, or minus a
/// [`Status`].
pub(crate) fn copy(call: &Call<'_>) -> Value {
    let handle = (|| {
        let frame = Frame::of(call).ok_or(Status::Argument)?;
        let mut keys = call.state.keys.borrow_mut();
        let key = keys.get(frame.number(At::Key) as u64).ok_or(Status::KeyDisposed)?;
        let copy = running(key)?.copy()?;
        keys.keep(PreparedKey::Running(Mutex::new(copy)))
    })();
    returned(call, handle)
}

fn returned(call: &Call<'_>, handle: Result<u64, Status>) -> Value {
    match handle {
        Ok(handle) => {
            call.env.adjust_external_memory(KEY_BYTES);
            call.env.double(handle as f64)
        }
        Err(status) => call.env.double(-f64::from(call.state.status_number(Err(status)))),
    }
}
