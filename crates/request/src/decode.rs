//! Decodes a call's frame and arguments into [`Work`] over the caller's memory.

use crate::bytes::Window;
use crate::caller::Caller;
use crate::frame::Frame;
use crate::memory_budget;
use crate::protocol::EngineNumber;
use crate::protocol::flag::{
    FRESH, HAS_AAD, HAS_IV, HAS_KEY, HAS_SIZES, HAS_TAG, HAS_TARGET, HAS_VIEWS, PROGRESS,
};
use crate::protocol::{At, OperationNumber, REPLY_MAX, Status};
use crate::public_key_call;
use crate::work::{Key, Messages, Operation, ProgressCounter, Target, Work};
use millrace_core::allocate::Shared;
use millrace_core::error::Error;
use millrace_core::kdf::phc::{Limits, PasswordHash, Scheme};
use millrace_core::kdf::{Derivation, Numbers};
use std::sync::Arc;

/// Returns the work that a call describes.
///
/// # Errors
/// [`Status::Argument`] for numbers or ranges out of bounds, and the statuses of keys, engines and
/// derivations that cannot be used.
pub fn decode<C: Caller>(frame: &Frame<'_, C>) -> Result<Work, Status> {
    let operation = frame.operation()?;
    let algorithm = frame.number(At::Algorithm) as u8;
    let known = Operation::from_numbers(operation, algorithm).ok_or(Status::Argument)?;
    let mut work = decode_common(frame, known)?;
    match operation {
        OperationNumber::Encrypt if frame.has(HAS_TAG) => set_detached_tag(frame, &mut work)?,
        OperationNumber::Decrypt if frame.has(HAS_TAG) => {
            work.tag = frame.window(4, At::TagOffset, At::TagSize)?
        }
        OperationNumber::Seal => set_appended_tag(frame, &mut work)?,
        OperationNumber::Open => (work.source, work.tag) = split_tag(frame, work.source)?,
        OperationNumber::Squeeze => {
            work.tag_target = Target::Memory(frame.window(4, At::TagOffset, At::TagSize)?)
        }
        OperationNumber::HashMany
        | OperationNumber::HmacMany
        | OperationNumber::SealChunks
        | OperationNumber::OpenChunks => {
            work.messages = messages(frame)?;
        }
        OperationNumber::HashFile | OperationNumber::HashFiles => {
            let (count, size) = (frame.size(At::Count)?, frame.size(At::MessageSize)?);
            work.messages = Messages::Files(count, size as u64);
        }
        OperationNumber::ImportKey
        | OperationNumber::GenerateKey
        | OperationNumber::Sign
        | OperationNumber::VerifySignature
        | OperationNumber::SignMany
        | OperationNumber::VerifyMany
        | OperationNumber::Agree
        | OperationNumber::Encapsulate
        | OperationNumber::Decapsulate
        | OperationNumber::PublicEncrypt
        | OperationNumber::PrivateDecrypt
        | OperationNumber::HpkeSeal
        | OperationNumber::HpkeOpen
        | OperationNumber::HpkeSender
        | OperationNumber::HpkeRecipient => {
            work.tag = frame.input(HAS_TAG, 4, At::TagOffset, At::TagSize)?;
            let call = public_key_call::decode(frame, operation)?;
            work.public_key = Some(Shared::try_new(call)?);
        }
        _ => {}
    }
    if let Some(function) = operation.derivation() {
        work.tag = frame.input(HAS_TAG, 4, At::TagOffset, At::TagSize)?;
        work.derivation = derivation(frame, function, work.aad)?;
    }
    Ok(work)
}

/// Returns a work with all that operations have in common; no tag yet.
fn decode_common<C: Caller>(frame: &Frame<'_, C>, operation: Operation) -> Result<Work, Status> {
    let key = match frame.number(At::Key) {
        0.0 => Key::Bytes(frame.input(HAS_KEY, 5, At::KeyOffset, At::KeySize)?),
        handle => Key::Prepared(
            frame.call.keys().borrow().get(handle as u64).ok_or(Status::KeyDisposed)?.clone(),
        ),
    };
    let target = match frame.has(HAS_TARGET) {
        true => Target::Memory(frame.window(1, At::TargetOffset, At::TargetSize)?),
        false => {
            let size = frame.size(At::TargetSize).ok().filter(|&size| size <= REPLY_MAX);
            Target::Reply(size.ok_or(Status::Argument)?)
        }
    };
    let asked =
        EngineNumber::from_number(frame.number(At::Engine) as u32).ok_or(Status::Argument)?;
    let engine = engine(asked, &key)?;
    Ok(Work {
        operation,
        engine,
        kernel_hashes: (engine != EngineNumber::Native)
            .then(|| Arc::clone(frame.call.kernel_hashes())),
        key,
        seed: frame.number(At::SeedLow) as u64 | (frame.number(At::SeedHigh) as u64) << 32,
        iv: frame.input(HAS_IV, 2, At::IvOffset, At::IvSize)?,
        aad: frame.input(HAS_AAD, 3, At::AadOffset, At::AadSize)?,
        tag: Window::EMPTY,
        tag_target: Target::Memory(Window::EMPTY),
        source: if frame.has(HAS_VIEWS) {
            Window::EMPTY
        } else {
            frame.window(0, At::SourceOffset, At::SourceSize)?
        },
        messages: Messages::None,
        target,
        fresh: frame.has(FRESH),
        lent: frame.has(HAS_TARGET) && !frame.has(FRESH) && frame.number(At::Slot) >= 0.0,
        progress: match frame.has(PROGRESS) {
            true => Some(Shared::try_new(ProgressCounter::default())?),
            false => None,
        },
        derivation: Derivation::NONE,
        public_key: None,
    })
}

const FOREIGN_KEY: Error = Error::Unavailable(
    "the key was prepared for the native engine, and no other engine can read it: \
     prepare it with createKey and options.engine",
);

/// Returns the engine of a prepared key, or the one that the call asks for.
fn engine(asked: EngineNumber, key: &Key) -> Result<EngineNumber, Status> {
    match key {
        Key::Prepared(key) if key.is_external() => {
            Ok(if asked == EngineNumber::Native { EngineNumber::Kernel } else { asked })
        }
        Key::Prepared(_) if asked != EngineNumber::Native => Err(FOREIGN_KEY.into()),
        _ => Ok(asked),
    }
}

fn messages<C: Caller>(frame: &Frame<'_, C>) -> Result<Messages, Status> {
    if frame.has(HAS_SIZES) {
        return Ok(Messages::Sized);
    }
    let count = frame.size(At::Count)?;
    if !frame.has(HAS_VIEWS) {
        return Ok(Messages::Equal(count, frame.size(At::MessageSize)?));
    }
    let index = |size: usize| u32::try_from(size).map_err(|_| Status::Argument);
    let (start, count) = (index(frame.size(At::SourceOffset)?)?, index(count)?);
    let views = frame.call.bytes_of_each(start, count)?;
    views.map(Messages::Views).ok_or(Status::Argument)
}

/// Sets a tag outside of the target. An asynchronous tag comes back with the completion; its range
/// is decoded to refuse an overlap.
fn set_detached_tag<C: Caller>(frame: &Frame<'_, C>, work: &mut Work) -> Result<(), Status> {
    let tag = frame.window(4, At::TagOffset, At::TagSize)?;
    if matches!(work.target, Target::Memory(target) if target.overlaps(tag)) {
        return Err(Status::Overlap);
    }
    work.tag_target =
        if frame.number(At::Slot) >= 0.0 { Target::Reply(tag.size()) } else { Target::Memory(tag) };
    Ok(())
}

/// Sets a tag that follows the ciphertext in the target.
fn set_appended_tag<C: Caller>(frame: &Frame<'_, C>, work: &mut Work) -> Result<(), Status> {
    (work.target, work.tag_target) = match work.target {
        Target::Memory(target) => {
            let (body, tag) = split_tag(frame, target)?;
            (Target::Memory(body), Target::Memory(tag))
        }
        Target::Reply(size) => (Target::Reply(size), Target::Reply(frame.size(At::TagSize)?)),
    };
    Ok(())
}

/// Returns the ciphertext and the tag that follows it.
fn split_tag<C: Caller>(frame: &Frame<'_, C>, sealed: Window) -> Result<(Window, Window), Status> {
    let tag_size = frame.size(At::TagSize)?;
    let size = sealed.size().checked_sub(tag_size).ok_or(Status::Argument)?;
    sealed.part(0, size).zip(sealed.part(size, tag_size)).ok_or(Status::Argument)
}

/// Returns the derivation that a call describes; `aad` is its additional input. If it needs more
/// memory than is allowed, writes the needed bytes to the frame.
///
/// # Errors
/// [`Status::MemoryLimit`] and [`Status::KdfMemoryLimit`], and those of [`Derivation::new`].
fn derivation<C: Caller>(
    frame: &Frame<'_, C>,
    function: usize,
    aad: Window,
) -> Result<Derivation, Status> {
    let too_large = |needed, status| {
        frame.set(At::MaxMemory, needed);
        Err(status)
    };
    match Derivation::new(function, numbers(frame), aad.read()) {
        Ok(derivation) if memory_budget::exceeds_limit(derivation.memory()) => {
            // Fewer lanes at once may fit.
            let numbers = Numbers { memory: memory_budget::limit(), ..numbers(frame) };
            match Derivation::new(function, numbers, aad.read()) {
                Ok(fewer) if !memory_budget::exceeds_limit(fewer.memory()) => Ok(fewer),
                Ok(fewer) => too_large(fewer.memory(), Status::KdfMemoryLimit),
                Err(Error::Memory { needed } | Error::MemoryLimit { needed }) => {
                    too_large(needed, Status::KdfMemoryLimit)
                }
                Err(error) => Err(error.into()),
            }
        }
        Err(Error::MemoryLimit { needed }) => too_large(needed, Status::MemoryLimit),
        result => Ok(result?),
    }
}

/// Returns the numbers of the frame. A number that is not a size becomes [`u64::MAX`], which no
/// function takes as a cost.
fn numbers<C: Caller>(frame: &Frame<'_, C>) -> Numbers {
    let number = |at| frame.size(at).map_or(u64::MAX, |number| number as u64);
    Numbers {
        hash: number(At::Algorithm),
        costs: [At::Count, At::MessageSize, At::SeedLow, At::SeedHigh].map(number),
        memory: number(At::MaxMemory),
        milliseconds: number(At::MaxTime),
    }
}

/// Returns true if the password hash in the aad should be computed again with the scheme that the
/// frame describes as for a derivation. The target has the size of the hash, the iv that of the
/// salt.
///
/// # Errors
/// [`Status::Encoded`], [`Status::EncodedSize`], [`Status::Cost`].
pub fn needs_rehash<C: Caller>(frame: &Frame<'_, C>) -> Result<bool, Status> {
    let text = decode_common(frame, Operation::Derive)?.aad;
    let hash = PasswordHash::from_bytes(text.read(), &Limits::NONE)?;
    let function = frame.operation()?.derivation().ok_or(Status::Argument)?;
    let scheme = Scheme::of(function, &numbers(frame))?;
    Ok(hash.needs_rehash(&scheme, frame.size(At::IvSize)?, frame.size(At::TargetSize)?))
}
