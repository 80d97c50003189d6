//! The functions that JavaScript can call. A function that can fail returns a [`Status`], or a
//! number from 0 on or minus a status. The handles of keys and messages are in the frame.
#![allow(unsafe_code)] // The attribute that names an export.

use crate::engine::Engine;
use crate::imports;
use crate::parted::Parted;
use millrace_core::catalog::Cipher;
use millrace_core::{allocate::try_copy, engines, stack};
use millrace_request::bytes::Copies;
use millrace_request::checkpoint::{JobCheckpoint, Pause};
use millrace_request::execute;
use millrace_request::keys::{PreparedKey, Purpose};
use millrace_request::operands::copy_overlapping_aad;
use millrace_request::protocol::{At, EngineNumber, PurposeNumber, Status};
use millrace_request::work::{Operation, ProgressCounter, Reply, Work};
use millrace_request::{decode, memory_budget, predict, running_cipher};
use zeroize::Zeroizing;

/// Runs the work of a call with the engine, and overwrites what it left on the stack. Returns its
/// status.
fn status(work: impl FnOnce(&Engine) -> Result<(), Status>) -> u32 {
    Engine::with(|engine| stack::wiped(|| work(engine))).err().unwrap_or(Status::Done).number()
}

/// Works like [`status`], for a work that returns a number.
fn number(work: impl FnOnce(&Engine) -> Result<f64, Status>) -> f64 {
    Engine::with(|engine| stack::wiped(|| work(engine))).unwrap_or_else(minus)
}

pub(crate) fn minus(status: Status) -> f64 {
    -f64::from(status.number())
}

// memory

/// Returns the address of the frame.
#[unsafe(no_mangle)]
extern "C" fn frame() -> *const u8 {
    Engine::with(|engine| engine.frame.address())
}

/// Makes room for `size` bytes in the arena; its contents are lost. Returns its address, 0 if
/// memory is short.
#[unsafe(no_mangle)]
extern "C" fn reserve(size: u32) -> *const u8 {
    Engine::with(|engine| match engine.arena.reserve(size as usize) {
        true => engine.arena.address(),
        false => std::ptr::null(),
    })
}

/// Returns the address of the output.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    Engine::with(|engine| engine.output.address())
}

// traps

/// Returns the address of a byte that is 1 if a call has begun and not returned, else 0. If it is 1
/// between calls, a trap or an exhausted stack has ended one, and the memory is of no use any more.
#[unsafe(no_mangle)]
extern "C" fn running() -> *const u8 {
    Engine::running()
}

/// Begins after a generation of keys, which another instance has lost.
#[unsafe(no_mangle)]
extern "C" fn begin_after(generation: u32) {
    Engine::with(|engine| engine.keys.borrow_mut().begin_after(generation));
}

// operations

/// The pauses of a long work.
struct CallPause<'a>(Option<&'a ProgressCounter>, bool);

impl Pause for CallPause<'_> {
    fn run_pending(&mut self) {
        self.1 |= imports::pause(self.0.map_or(0.0, ProgressCounter::get));
    }

    fn is_closing(&self) -> bool {
        false
    }

    fn is_cancelled(&self) -> bool {
        self.1
    }
}

/// Runs the operation of the frame.
#[unsafe(no_mangle)]
extern "C" fn run() -> u32 {
    status(|engine| {
        let mut copies = Copies::default();
        let mut work = decode::decode(&engine.frame()?)?;
        copy_overlapping_aad(&mut copies, &mut work)?;
        let derives = work.operation == Operation::Derive;
        let done =
            if derives { derive(&work) } else { execute::run(&work, &mut Reply::empty(), None) };
        memory_budget::wipe_deferred(|| {});
        if done == Status::Done { Ok(()) } else { Err(done) }
    })
}

/// Derivations pause, because they may take long.
fn derive(work: &Work) -> Status {
    let mut pause = CallPause(work.progress.as_deref(), false);
    let mut checkpoint = JobCheckpoint::new(&mut pause, work, u64::MAX);
    execute::run(work, &mut Reply::empty(), checkpoint.as_mut())
}

/// Checks the operation of the frame; source and target are not in the arena. Writes its predicted
/// nanoseconds and the bytes of memory that it needs to the frame.
#[unsafe(no_mangle)]
extern "C" fn check() -> u32 {
    status(|engine| {
        let frame = engine.frame()?;
        let work = decode::decode(&frame)?;
        frame.set(At::Cost, predict::predict(&work));
        frame.set(At::MaxMemory, work.derivation.memory());
        Ok(())
    })
}

/// Works like `run` for the password hash of `needsRehash`: returns 0 or 1, or minus a status.
#[cfg(feature = "passwords")]
#[unsafe(no_mangle)]
extern "C" fn needs_rehash() -> f64 {
    number(|engine| Ok(f64::from(u8::from(decode::needs_rehash(&engine.frame()?)?))))
}

/// Sets the most bytes of memory of a derivation; 0 for any number.
#[unsafe(no_mangle)]
extern "C" fn set_derivation_memory(limit: f64) {
    memory_budget::set_limit(limit as u64);
}

// keys

/// Prepares the key in the first `size` bytes of the arena; returns its handle.
#[unsafe(no_mangle)]
extern "C" fn create_key(purpose: u32, algorithm: u32, size: u32) -> f64 {
    number(|engine| {
        let bytes = engine.first(size)?;
        let purpose = Purpose::from_numbers(purpose, algorithm).ok_or(Status::Argument)?;
        keep(engine, purpose, bytes.read())
    })
}

fn keep(engine: &Engine, purpose: Purpose, bytes: &[u8]) -> Result<f64, Status> {
    let key = PreparedKey::new(purpose, bytes, EngineNumber::Native)?;
    let mut keys = engine.keys.borrow_mut();
    if !matches!(purpose, Purpose::Mac(_)) {
        return Ok(keys.keep(key)? as f64);
    }
    // The fallible steps come before the key has a handle.
    let copy = Zeroizing::new(try_copy(bytes)?);
    let mut mac_keys = engine.mac_keys.borrow_mut();
    mac_keys.reserve()?;
    let handle = keys.keep(key)?;
    mac_keys.insert(handle, copy);
    Ok(handle as f64)
}

/// Returns the handle of a hash's key with the parameters in the first `size` bytes of the arena
/// too.
#[cfg(feature = "digests")]
#[unsafe(no_mangle)]
extern "C" fn extend_key(size: u32) -> f64 {
    number(|engine| {
        let parameters = engine.first(size)?;
        let handle = engine.frame()?.number(At::Key) as u64;
        let mut keys = engine.keys.borrow_mut();
        let key = keys.get(handle).ok_or(Status::KeyDisposed)?;
        let key = key.with_parameters(parameters.read()).ok_or(Status::KeyAlgorithm)??;
        Ok(keys.keep(key)? as f64)
    })
}

/// Wipes a key, or the message of an incremental cipher; returns 1 if it was not disposed before.
#[unsafe(no_mangle)]
extern "C" fn dispose_key() -> u32 {
    Engine::with(|engine| {
        let Ok(frame) = engine.frame() else { return 0 };
        let handle = frame.number(At::Key) as u64;
        engine.mac_keys.borrow_mut().remove(handle);
        u32::from(engine.keys.borrow_mut().dispose(handle))
    })
}

/// Copies the bytes of a key for a worker to the output; returns their number.
#[unsafe(no_mangle)]
extern "C" fn key_bytes() -> f64 {
    number(|engine| with_key(engine, |_, bytes| Ok(engine.put(bytes).into())))
}

/// Returns the purpose of a key.
#[unsafe(no_mangle)]
extern "C" fn key_purpose() -> f64 {
    number(|engine| with_key(engine, |purpose, _| Ok(f64::from(purpose as u32))))
}

/// Calls `work` with the purpose and the bytes of the key of the frame.
fn with_key<T>(
    engine: &Engine,
    work: impl FnOnce(PurposeNumber, &[u8]) -> Result<T, Status>,
) -> Result<T, Status> {
    let handle = engine.frame()?.number(At::Key) as u64;
    let keys = engine.keys.borrow();
    let macs = engine.mac_keys.borrow();
    match &**keys.get(handle).ok_or(Status::KeyDisposed)? {
        PreparedKey::Cipher(_, bytes) => work(PurposeNumber::Cipher, bytes),
        PreparedKey::Hash(_, bytes) => work(PurposeNumber::Hash, bytes),
        PreparedKey::Mac(..) => work(PurposeNumber::Mac, macs.get(handle).ok_or(Status::Internal)?),
        PreparedKey::Running(_) => Err(Status::KeyAlgorithm),
    }
}

// incremental ciphers

/// Begins a message: iv, aad and, unless its handle is in the frame, the key follow each other in
/// the arena. Returns the handle of the message.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn create_cipher(algorithm: u32, encrypt: u32, iv: u32, aad: u32, key: i32) -> f64 {
    number(|engine| {
        let cipher = u8::try_from(algorithm).ok().and_then(Cipher::from_id);
        let key = match u32::try_from(key) {
            Ok(size) => Some(engine.part(iv + aad, size)?),
            Err(_) => None,
        };
        let inputs = [engine.first(iv)?, engine.part(iv, aad)?];
        let cipher = cipher.ok_or(Status::Argument)?;
        Ok(running_cipher::create(engine, cipher, encrypt != 0, inputs, key)? as f64)
    })
}

/// Encrypts or decrypts the next bytes of a message, in place.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn update_cipher() -> u32 {
    status(running_cipher::update_now)
}

/// Ends a message: writes a tag of `size` bytes to the start of the arena, or verifies it.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn finish_cipher(size: u32, verify: u32) -> u32 {
    status(|engine| running_cipher::finish(engine, Some(engine.first(size)?), verify == 1))
}

/// Returns the handle of a copy of a message.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn copy_cipher() -> f64 {
    number(|engine| Ok(running_cipher::copy(engine)? as f64))
}

// messages in parts

/// Begins a message of `size` bytes in parts; see [`Parted::begin`]. Returns the number of passes.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn begin_parts(size: f64, twice: u32) -> f64 {
    number(|engine| {
        let parted = Parted::begin(engine, size as u64, twice != 0)?;
        let passes = parted.passes();
        *engine.parted.borrow_mut() = Some(parted);
        Ok(passes as f64)
    })
}

/// Computes the part at `offset` of the message, which is at `place` in the arena, in a pass.
/// Returns 1 if the text there is the result, else 0.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn run_part(pass: u32, offset: f64, place: u32, size: u32) -> f64 {
    number(|engine| {
        let text = engine.part(place, size)?;
        let mut parted = engine.parted.borrow_mut();
        let parted = parted.as_mut().ok_or(Status::Internal)?;
        parted.part(pass as usize, offset as u64, text)?;
        Ok(f64::from(u8::from(parted.writes(pass as usize))))
    })
}

/// Ends a pass; see [`Parted::end_pass`].
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn end_pass(pass: u32) -> u32 {
    status(|engine| {
        engine.parted.borrow().as_ref().ok_or(Status::Internal)?.end_pass(pass as usize)
    })
}

/// Forgets the message in parts.
#[cfg(feature = "ciphers")]
#[unsafe(no_mangle)]
extern "C" fn end_parts() {
    Engine::with(|engine| *engine.parted.borrow_mut() = None);
}

// other functions

/// Returns 1 if two byte strings of `size` bytes, which follow each other in the arena, are equal,
/// else 0.
#[unsafe(no_mangle)]
extern "C" fn equal(size: u32) -> f64 {
    number(|engine| {
        let (left, right) = (engine.first(size)?, engine.part(size, size)?);
        Ok(f64::from(u8::from(millrace_core::kdf::equal(left.read(), right.read()))))
    })
}

/// Writes the report on the algorithms to the output, as JSON. Returns its size.
#[unsafe(no_mangle)]
extern "C" fn report() -> u32 {
    Engine::with(|engine| engine.put(engines::report_json().as_bytes()))
}
