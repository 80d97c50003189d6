//! The digests that JavaScript calls for without a request.
#![allow(unsafe_code)] // The attribute that names an export.

use crate::engine::Engine;
use crate::exports::minus;
use millrace_core::catalog::Hash;
use millrace_core::{hash, hash::Params, hasher, stack};
use millrace_request::bytes::Window;
use millrace_request::fast_path::FastRequest;
use millrace_request::protocol::Status;
use zeroize::{Zeroize, Zeroizing};

/// The most bytes of a digest of a fixed size.
const DIGEST_MAX: usize = 64;

/// Bytes of the room for a state of a hash without a tree.
const STATE_ROOM: usize = 384;

/// Replaces the first `size` bytes of the arena by their digest, with the key in the frame, if any.
/// If `state` is not 0, the message begins with that of the state at this place in the arena, and
/// there is no key. Returns the digest's size, or minus a status.
#[unsafe(no_mangle)]
extern "C" fn digest(algorithm: u32, size: u32, state: u32) -> f64 {
    fast(algorithm, |engine, fast, digest| {
        let source = engine.first(size)?;
        if state == 0 {
            return fast.digest(source, digest);
        }
        let before = state_at(engine, fast.hash, state)?;
        Ok(hasher::finish(fast.hash, &Params::NONE, before.read(), source.read(), digest)?)
    })
}

/// Adds the first `size` bytes of the arena to the message of a state as for [`digest`], and writes
/// the new state to the place `next`.
#[unsafe(no_mangle)]
extern "C" fn update_hash(algorithm: u32, state: u32, size: u32, next: u32) -> u32 {
    let work = |engine: &Engine, hash: Hash| {
        let mut bytes = [0; STATE_ROOM];
        let new = bytes.get_mut(..hash.facts().state_size).ok_or(Status::Argument)?;
        let before = state_at(engine, hash, state)?;
        hasher::update(hash, &Params::NONE, before.read(), engine.first(size)?.read(), new, None)?;
        engine.part(next, new.len() as u32)?.write(new);
        if hash.facts().cryptographic {
            bytes.zeroize();
        }
        Ok(())
    };
    wiping(algorithm, work).err().unwrap_or(Status::Done).number()
}

fn state_at(engine: &Engine, hash: Hash, place: u32) -> Result<Window, Status> {
    match place {
        0 => Ok(Window::EMPTY),
        place => engine.part(place, hash.facts().state_size as u32),
    }
}

/// Works like `digest`, for a running hash. In the arena its state is followed by the rest of the
/// message and, if they have bytes, by the states of an HMAC's key.
#[unsafe(no_mangle)]
extern "C" fn finish(algorithm: u32, state: u32, rest: u32, key_states: u32) -> f64 {
    fast(algorithm, |engine, fast, digest| {
        let states = engine.part(state + rest, key_states)?;
        let states = (key_states > 0).then_some(states);
        fast.finish(engine.first(state)?, engine.part(state, rest)?, || states, digest)
    })
}

fn fast(
    algorithm: u32,
    work: impl FnOnce(&Engine, &FastRequest<'_, Engine>, &mut [u8]) -> Result<(), Status>,
) -> f64 {
    let work = |engine: &Engine, hash: Hash| {
        let mut digest = Zeroizing::new([0; DIGEST_MAX]);
        let digest = &mut digest[..hash.facts().digest_size];
        work(engine, &FastRequest { frame: engine.frame()?, hash }, digest)?;
        engine.first(digest.len() as u32)?.write(digest);
        Ok(digest.len() as f64)
    };
    wiping(algorithm, work).unwrap_or_else(minus)
}

/// Runs `work`, and overwrites the stack unless the hash is not cryptographic.
fn wiping<T>(
    algorithm: u32,
    work: impl FnOnce(&Engine, Hash) -> Result<T, Status>,
) -> Result<T, Status> {
    let hash = u8::try_from(algorithm).ok().and_then(Hash::from_id).ok_or(Status::Argument)?;
    Engine::with(|engine| {
        // A single digest goes less deep than an operation.
        if hash.facts().cryptographic {
            stack::wiped_key(|| work(engine, hash))
        } else {
            work(engine, hash)
        }
    })
}

// checksums: hashes that are not cryptographic, without a seed. Nothing of them is overwritten.

/// Bytes of the longest checksum.
const CHECKSUM_MAX: usize = 16;

/// Replaces the first 16 bytes of the arena by the digest of its first `size` bytes, with zeros
/// before it. `state` is as for [`digest`].
#[unsafe(no_mangle)]
extern "C" fn checksum(algorithm: u32, state: u32, size: u32) -> u32 {
    let work = |engine: &Engine, hash: Hash| {
        let mut digest = [0; CHECKSUM_MAX];
        let target = digest.len().checked_sub(hash.facts().digest_size);
        let target = target.and_then(|start| digest.get_mut(start..)).ok_or(Status::Argument)?;
        let source = engine.first(size)?;
        let before = state_at(engine, hash, state)?;
        if before.size() > 0 {
            hasher::finish(hash, &Params::NONE, before.read(), source.read(), target)?;
        } else {
            hash::digest(hash, &Params::NONE, source.read(), target, None)?;
        }
        engine.first(CHECKSUM_MAX as u32)?.write(&digest);
        Ok(())
    };
    wiping(algorithm, work).err().unwrap_or(Status::Done).number()
}
