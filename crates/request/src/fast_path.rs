//! The most common digests with few numbers, and their text.
//!
//! The frame holds the algorithm, the handle of a prepared key or 0, and the size of the source. A
//! negative size means the whole typed array that is passed, any other a range of the input buffer.
//! With a key for HMAC the digest is an HMAC.

use crate::bytes::Window;
use crate::caller::Caller;
use crate::frame::Frame;
use crate::hash_state::advance;
use crate::keys::PreparedKey;
use crate::protocol::flag::HAS_KEY;
use crate::protocol::{At, OperationNumber, WHOLE};
use crate::work::Status;
use millrace_core::catalog::Hash;
use millrace_core::hash::{self, Params};
use millrace_core::hasher;
use millrace_core::hmac::{self, KeyStates};
use millrace_core::many;

/// Returns the digest of a call that needs no request, of at most 64 bytes.
// Inlined into all callers: saves 3 to 5 ns of 60.
#[inline(always)]
pub fn digest_of<'a>(call: &impl Caller, digest: &'a mut [u8; 64]) -> Option<&'a [u8]> {
    let fast = FastRequest::of(call)?;
    let source = fast.source().ok()?;
    let digest = digest.get_mut(..fast.hash.facts().digest_size)?;
    fast.digest(source, digest).ok()?;
    Some(digest)
}

/// Returns the digest of a running hash after the rest of its message; see `finishHex`.
pub fn finished<'a>(call: &impl Caller, digest: &'a mut [u8; 64]) -> Option<&'a [u8]> {
    let fast = FastRequest::of(call)?;
    let rest = fast.source().ok()?;
    let state = call.bytes(0)?.part(0, fast.frame.size(At::AadSize).ok()?)?;
    let digest = digest.get_mut(..fast.hash.facts().digest_size)?;
    fast.finish(state, rest, || call.bytes(1), digest).ok()?;
    Some(digest)
}

/// Adds to a running hash without a key and a seed; see `updateHash`.
///
/// # Errors
/// [`Status::Argument`], [`Status::State`], [`Status::Overlap`].
pub fn update(call: &impl Caller) -> Result<(), Status> {
    let FastRequest { frame, hash } = FastRequest::of(call).ok_or(Status::Argument)?;
    let part = |window: Option<Window>, offset: usize, size: At| {
        window.and_then(|window| window.part(offset, frame.size(size).ok()?))
    };
    let next = call.bytes(0).and_then(|state| state.part(0, hasher::state_size(hash)));
    let next = next.ok_or(Status::State)?;
    let state = part(Some(next), 0, At::AadSize).ok_or(Status::State)?;
    let buffered = part(call.input_buffer(), 0, At::IvSize).ok_or(Status::Argument)?;
    let source = part(call.bytes(1), frame.size(At::SourceOffset)?, At::SourceSize);
    let source = source.ok_or(Status::Argument)?;
    advance(state, buffered, source, next, |state, source, next| {
        hasher::update(hash, &Params::default(), state, source, next, None)
    })
}

const _: () = assert!(WHOLE < 0.0);

/// A digest with few numbers.
pub struct FastRequest<'a, C> {
    pub frame: Frame<'a, C>,
    pub hash: Hash,
}

impl<'a, C: Caller> FastRequest<'a, C> {
    pub fn of(call: &'a C) -> Option<FastRequest<'a, C>> {
        let frame = Frame::of(call)?;
        let hash = Hash::from_id(frame.number(At::Algorithm) as u8)?;
        Some(FastRequest { frame, hash })
    }

    #[inline(always)]
    pub fn source(&self) -> Result<Window, Status> {
        let call = self.frame.call;
        if self.frame.number(At::SourceSize) < 0.0 {
            // Memory without bytes may be detached, which JavaScript finds out.
            return call.bytes(0).filter(|bytes| bytes.size() > 0).ok_or(Status::Argument);
        }
        let input_buffer = call.input_buffer().ok_or(Status::Argument)?;
        input_buffer
            .part(self.frame.size(At::SourceOffset)?, self.frame.size(At::SourceSize)?)
            .ok_or(Status::Argument)
    }

    #[inline(always)]
    pub fn digest(&self, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        match self.frame.number(At::Key) {
            0.0 => Ok(hash::digest(self.hash, &Params::default(), source.read(), digest, None)?),
            handle => self.keyed_digest(handle, source, digest),
        }
    }

    /// Computes a digest or HMAC with the seed and the key of the call.
    #[inline]
    pub fn digest_with(&self, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        let frame = &self.frame;
        let handle = frame.number(At::Key);
        if handle != 0.0 {
            return self.keyed_digest(handle, source, digest);
        }
        let key = if frame.has(HAS_KEY) { frame.call.bytes(2) } else { None };
        match (frame.operation()?, &key) {
            (OperationNumber::Hmac, Some(key)) => {
                Ok(hmac::hmac(self.hash, key.read(), source.read(), digest)?)
            }
            (OperationNumber::Hash, key) => {
                let seed =
                    frame.number(At::SeedLow) as u64 | (frame.number(At::SeedHigh) as u64) << 32;
                let params = Params::in_key(seed, key.as_ref().map_or(&[], |key| key.read()))?;
                Ok(hash::digest(self.hash, &params, source.read(), digest, None)?)
            }
            _ => Err(Status::Argument),
        }
    }

    /// Writes a digest with a key. Separate, so that digests without a key stay small: saves 10 ns
    /// of 60.
    #[inline(never)]
    fn keyed_digest(&self, handle: f64, source: Window, digest: &mut [u8]) -> Result<(), Status> {
        self.with_key(handle, |key| match key {
            PreparedKey::Mac(key, _) if key.hash() == self.hash => {
                Ok(key.mac(source.read(), digest, None)?)
            }
            PreparedKey::Hash(of, key) if *of == self.hash => {
                let params = Params::in_key(0, key)?;
                Ok(hash::digest(self.hash, &params, source.read(), digest, None)?)
            }
            _ => Err(Status::KeyAlgorithm),
        })
    }

    /// Finishes a running hash, or with the states of a key an HMAC.
    pub fn finish(
        &self,
        state: Window,
        rest: Window,
        key_states: impl FnOnce() -> Option<Window>,
        digest: &mut [u8],
    ) -> Result<(), Status> {
        let (hash, state, rest) = (self.hash, state.read(), rest.read());
        match self.frame.number(At::Key) {
            0.0 => match key_states() {
                None => Ok(hasher::finish(hash, &Params::default(), state, rest, digest)?),
                Some(states) => {
                    Ok(KeyStates::new(hash, states.read())?.finish(state, rest, digest)?)
                }
            },
            handle => self.with_key(handle, |key| match key {
                PreparedKey::Mac(key, _) if key.hash() == hash => {
                    Ok(key.finish(state, rest, digest)?)
                }
                PreparedKey::Hash(of, key) if *of == hash => {
                    Ok(hasher::finish(hash, &Params::in_key(0, key)?, state, rest, digest)?)
                }
                _ => Err(Status::KeyAlgorithm),
            }),
        }
    }

    /// Runs `work` with the key of a handle.
    ///
    /// # Errors
    /// [`Status::KeyDisposed`], and those of `work`.
    fn with_key(
        &self,
        handle: f64,
        work: impl FnOnce(&PreparedKey) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let keys = self.frame.call.keys().borrow();
        work(keys.get(handle as u64).ok_or(Status::KeyDisposed)?)
    }
}

/// Pairs of nodes that are hashed at once: enough for the lanes of every kernel. Fewer have smaller
/// arrays, as clearing them takes time.
const PAIRS_MAX: usize = 16;
const PAIRS_FEW: usize = 4;
/// Bytes of a digest and of a pair.
const NODE_MAX: usize = 64;
const PAIR_MAX: usize = 2 * NODE_MAX;

/// Writes the digest of each pair of nodes, which are digests of this hash, one after the other.
///
/// # Errors
/// [`Status::Argument`] if the nodes are not pairs, [`Status::OutputSize`] if the digests do not
/// fit, [`Status::Overlap`] if the memory overlaps and does not begin at the same byte.
pub fn hash_pairs(hash: Hash, nodes: Window, target: Window) -> Result<(), Status> {
    let size = hash.facts().digest_size;
    if size == 0 || size > NODE_MAX || !nodes.size().is_multiple_of(2 * size) {
        return Err(Status::Argument);
    }
    let target = target.part(0, nodes.size() / 2).ok_or(Status::OutputSize)?;
    if nodes.size() <= PAIRS_FEW * 2 * size {
        hash_pairs_by::<PAIRS_FEW>(hash, size, nodes, target)
    } else {
        hash_pairs_by::<PAIRS_MAX>(hash, size, nodes, target)
    }
}

fn hash_pairs_by<const MAX: usize>(
    hash: Hash,
    size: usize,
    nodes: Window,
    target: Window,
) -> Result<(), Status> {
    let each_batch = |pairs: &[u8], write: &mut dyn FnMut(usize, &[u8])| {
        let mut sources: [&[u8]; MAX] = [&[]; MAX];
        let count = pairs.len() / (2 * size);
        for (source, pair) in sources.iter_mut().zip(pairs.chunks_exact(2 * size)) {
            *source = pair;
        }
        many::digests(hash, &Params::default(), &sources[..count], size, None, write)
    };
    if let Some(target) = target.exclusive(&[nodes]) {
        let places = target.chunks_mut(MAX * size);
        for (pairs, place) in nodes.read().chunks(MAX * 2 * size).zip(places) {
            each_batch(pairs, &mut |index, digest| {
                put(&mut place[index * size..][..size], digest);
            })?;
        }
        return Ok(());
    }
    if !target.is_disjoint_or_same_start(nodes) {
        return Err(Status::Overlap);
    }
    // In place. Digests take half the room of their pairs, so the pairs behind a batch stay.
    let mut copy = [[0; PAIR_MAX]; MAX];
    let copy = copy.as_flattened_mut();
    let bytes = nodes.size();
    for at in (0..bytes).step_by(MAX * 2 * size) {
        let pairs = &mut copy[..(bytes - at).min(MAX * 2 * size)];
        let (from, place) = (nodes.part(at, pairs.len()), target.part(at / 2, pairs.len() / 2));
        let (Some(from), Some(place)) = (from, place) else { return Err(Status::Argument) };
        pairs.copy_from_slice(from.read());
        each_batch(pairs, &mut |index, digest| {
            if let Some(place) = place.part(index * size, size) {
                place.write(digest);
            }
        })?;
    }
    Ok(())
}

/// Copies a digest; one of 32 bytes, as most nodes are, without a call.
#[inline]
fn put(place: &mut [u8], digest: &[u8]) {
    match (<&mut [u8; 32]>::try_from(&mut *place), <&[u8; 32]>::try_from(digest)) {
        (Ok(place), Ok(digest)) => *place = *digest,
        _ => place.copy_from_slice(digest),
    }
}
