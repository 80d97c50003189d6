//! Prepared keys, and incremental ciphers (see [`running_cipher`]), which JavaScript holds by
//! handle.

use crate::environment::Call;
use crate::values::Value;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::error::Error;
use millrace_core::stack;
use millrace_request::bytes::Window;
use millrace_request::frame::Frame;
use millrace_request::keys::{KEY_BYTES, PreparedKey, Purpose};
use millrace_request::protocol::{At, EngineNumber, KeyForm, RawOperation, Status};
use millrace_request::raw_keys;
use millrace_request::running_cipher;

/// `createKey(kind, algorithm, bytes, engine)`: returns a handle above 0, or minus a [`Status`].
pub(crate) fn create_key(call: &Call<'_>) -> Value {
    let handle = stack::wiped_key(|| {
        let purpose = call
            .uint32(0)
            .zip(call.uint32(1))
            .and_then(|(kind, id)| Purpose::from_numbers(kind, id));
        let bytes = call.bytes(2).ok_or(Status::Argument)?;
        let engine =
            EngineNumber::from_number(call.uint32(3).unwrap_or(0)).ok_or(Status::Argument)?;
        let key = PreparedKey::new(purpose.ok_or(Status::Argument)?, bytes.read(), engine)?;
        call.state.keys.borrow_mut().keep(key)
    });
    key_handle(call, handle)
}

/// `reserveKey()`: returns the handle of an empty asymmetric key, which an operation fills, or
/// minus a [`Status`].
pub(crate) fn reserve_key(call: &Call<'_>) -> Value {
    let handle = call.state.keys.borrow_mut().keep(PreparedKey::reserved());
    key_handle(call, handle)
}

/// `publicKeyOf()`, with the handle of a private key in the frame: returns the handle of its public
/// key, or minus a [`Status`].
pub(crate) fn public_key_of(call: &Call<'_>) -> Value {
    let handle = stack::wiped(|| {
        let mut keys = call.state.keys.borrow_mut();
        let public = running_cipher::key_of(call, &keys)?.public_key_of()?;
        keys.keep(public)
    });
    key_handle(call, handle)
}

/// `describeKey()`, with the handle of an asymmetric key in the frame: writes what it is to the
/// frame. Returns a [`Status`].
pub(crate) fn describe_key(call: &Call<'_>) -> Value {
    let described = Frame::of(call).ok_or(Status::Argument).and_then(|frame| {
        running_cipher::key_of(call, &call.state.keys.borrow())?.describe(&frame)
    });
    call.env.number(call.state.status_number(described))
}

/// `exportKey(form, target, passphrase)`, with the handle of an asymmetric key in the frame: writes
/// the key, if it fits in the target. Returns its size, or minus a [`Status`].
pub(crate) fn export_key(call: &Call<'_>) -> Value {
    let size = stack::wiped(|| {
        let form = call.uint32(0).and_then(KeyForm::from_number).ok_or(Status::Argument)?;
        let target = call.bytes(1).ok_or(Status::Argument)?;
        let keys = call.state.keys.borrow();
        let key = running_cipher::key_of(call, &keys)?;
        let bytes = if form == KeyForm::EncryptedPkcs8 {
            let passphrase = call.bytes(2).ok_or(Status::Argument)?;
            key.export_encrypted(&Frame::of(call).ok_or(Status::Argument)?, passphrase.read())?
        } else {
            key.export(form)?
        };
        if bytes.len() <= target.size() {
            target.write(&bytes);
        }
        Ok(bytes.len())
    });
    call.env.double(match size {
        Ok(size) => size as f64,
        Err(status) => -f64::from(call.state.status_number(Err(status))),
    })
}

/// `createMacKey(hash)`, with the handle of a cipher's key in the frame: returns the handle of an
/// HMAC key of the same bytes, or minus a [`Status`].
pub(crate) fn create_mac_key(call: &Call<'_>) -> Value {
    let hash = call.uint32(0).and_then(|id| Hash::from_id(u8::try_from(id).ok()?));
    derived_key(call, hash, |key, hash| key.mac(hash))
}

/// `extendKey(parameters)`, with the handle of a hash's key in the frame: returns the handle of a
/// key with these parameters too, or minus a [`Status`].
pub(crate) fn extend_key(call: &Call<'_>) -> Value {
    derived_key(call, call.bytes(0), |key, parameters| key.with_parameters(parameters.read()))
}

/// Returns the handle of the key that `derive` makes of the frame's key and an argument, or minus a
/// [`Status`].
fn derived_key<Argument>(
    call: &Call<'_>,
    argument: Option<Argument>,
    derive: impl FnOnce(&PreparedKey, Argument) -> Option<Result<PreparedKey, Error>>,
) -> Value {
    let handle = stack::wiped_key(|| {
        let argument = argument.ok_or(Status::Argument)?;
        let mut keys = call.state.keys.borrow_mut();
        let key = derive(running_cipher::key_of(call, &keys)?, argument);
        keys.keep(key.ok_or(Status::KeyAlgorithm)??)
    });
    key_handle(call, handle)
}

/// Returns the handle of a new key to JavaScript, or minus a [`Status`].
fn key_handle(call: &Call<'_>, handle: Result<u64, Status>) -> Value {
    match handle {
        Ok(handle) => {
            call.env.adjust_external_memory(KEY_BYTES);
            call.env.double(handle as f64)
        }
        Err(status) => call.env.double(-f64::from(call.state.status_number(Err(status)))),
    }
}

/// `disposeKey()`, with the handle in the frame: returns 1 if the key was not disposed before.
pub(crate) fn dispose_key(call: &Call<'_>) -> Value {
    let alive = Frame::of(call)
        .is_some_and(|frame| call.state.keys.borrow_mut().dispose(frame.number(At::Key) as u64));
    if alive {
        call.env.adjust_external_memory(-KEY_BYTES);
    }
    call.env.number(u32::from(alive))
}

/// `rawKeys(operation, target, first, second, third, parameter)`: runs a [`RawOperation`]; see
/// [`millrace_request::raw_keys`]. Returns a [`Status`].
pub(crate) fn raw_keys(call: &Call<'_>) -> Value {
    let operation = call.uint32(0).and_then(RawOperation::from_number);
    let done = stack::wiped_key(|| {
        raw_keys::run(operation.ok_or(Status::Argument)?, call.uint32(5), call)
    });
    call.env.number(call.state.status_number(done))
}

/// `createCipher(algorithm, encrypt, iv, aad, key)`, with the handle of a prepared key in the frame
/// instead of the last: returns a handle above 0, or minus a [`Status`].
pub(crate) fn create_cipher(call: &Call<'_>) -> Value {
    let handle = stack::wiped_key(|| {
        let cipher = call.uint32(0).and_then(|id| Cipher::from_id(u8::try_from(id).ok()?));
        let (cipher, encrypt) = cipher.zip(call.uint32(1)).ok_or(Status::Argument)?;
        let iv = call.bytes(2).ok_or(Status::Argument)?;
        let aad = call.bytes(3).unwrap_or(Window::EMPTY);
        running_cipher::create(call, cipher, encrypt != 0, [iv, aad], call.bytes(4))
    });
    key_handle(call, handle)
}

/// `updateCipher(source, target)`, with handle, offsets and size in the frame: encrypts or decrypts
/// the next bytes. Returns a [`Status`].
pub(crate) fn update_cipher(call: &Call<'_>) -> Value {
    call.env.number(call.state.status_number(running_cipher::update_now(call)))
}

/// `finishCipher(tag, verify)`, with the handle in the frame: ends the message and disposes of it.
/// Encryption writes the tag, decryption (`verify` is 1) checks it. Returns a [`Status`].
pub(crate) fn finish_cipher(call: &Call<'_>) -> Value {
    let done = running_cipher::finish(call, call.bytes(0), call.uint32(1) == Some(1));
    if done != Err(Status::KeyDisposed) {
        call.env.adjust_external_memory(-KEY_BYTES);
    }
    call.env.number(call.state.status_number(done))
}

/// `copyCipher()`, with the handle in the frame: returns the handle of a copy, or minus a
/// [`Status`].
pub(crate) fn copy_cipher(call: &Call<'_>) -> Value {
    key_handle(call, running_cipher::copy(call))
}
