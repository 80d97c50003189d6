//! Incremental hashing. The state of a running hash is [`state_size`] bytes in a format that is the
//! same on every machine, so it can be copied, stored and sent.
//!
//! An empty state is a hash that has not begun. Every call takes the key and the seed again.
//!
//! # What a state reveals
//!
//! A state is as secret as the message, and some states are as secret as the key. With a state one
//! can hash more of the message, test guesses of what was hashed, and read:
//!
//! | hash | in the state |
//! |---|---|
//! | MD5, SHA-1, SHA-2, RIPEMD-160 | the last bytes, less than a block |
//! | BLAKE2 | the last bytes, up to a whole block |
//! | BLAKE3 | the last bytes, up to 1 KiB |
//! | SHA-3, Keccak, SHAKE, cSHAKE, TurboSHAKE, TupleHash | the whole message if it is shorter than a block. The permutation can be inverted: the last blocks are enough to compute the state before them |
//! | KangarooTwelve, ParallelHash | as sponges: the last chunk, and the digests of the chunks before it |
//! | xxHash, CRC | they are not cryptographic: assume the whole message |
//!
//! | key | in the state |
//! |---|---|
//! | KMAC | **the key**: the sponge can be inverted up to its block |
//! | keyed BLAKE2 | **the key**, before the first byte of the message. Afterwards it is compressed, but the state suffices to compute the MAC of every message that begins with the same whole blocks: of every message, until the first block is full |
//! | keyed BLAKE3 | not the key, and no MAC can be computed without it |
//! | HMAC over a hash that is [`one_way`](crate::catalog::HashFacts::one_way) | not the key, and no HMAC can be computed without it; but two messages with one inner digest, which are easy to find for MD5 and can be for SHA-1, have one HMAC |
//! | HMAC over other hashes | **the key**, as the first bytes of the message |
//!
//! Callers export no state from which the key can be computed (`src/hashers/state.ts`).

use super::digest_types::with_digest;
use super::running;
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::inputs::{check_next, check_params, check_target};

pub use crate::inputs::Params;

/// Returns the bytes of a state of this hash.
#[inline]
pub fn state_size(hash: Hash) -> usize {
    hash.facts().state_size
}

/// Absorbs more of the message and writes the new state to `next`.
///
/// # Errors
/// [`Error::State`] if `state` is not a state of this hash or has begun to squeeze output;
/// [`Error::OutputSize`] for a `next` of the wrong size; [`Error::NotSupported`] for a seed or key
/// that this hash does not take; [`Error::Cancelled`] by the slicer's checkpoint, with `next`
/// untouched. After more than 2^60 bytes, which only a made-up state can claim, later calls refuse
/// `next`.
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn update(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    source: &[u8],
    next: &mut [u8],
    slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    check_next(hash, next)?;
    with_digest!(hash, D => running::update::<D>(params, state, source, next, slicer))
}

/// Absorbs the rest of the message and writes the digest to `target`. The size of `target` is as
/// for [`digest`](super::digest()).
///
/// # Errors
/// As [`update`] and [`digest`](super::digest()).
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn finish(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    check_target(hash.facts(), params, target.len())?;
    with_digest!(hash, D => running::finish::<D>(params, state, rest, target))
}

/// Absorbs the rest of the message at the first call, fills `target` with the next bytes of output
/// and writes the new state to `next`. `target` may have any length.
///
/// # Errors
/// As [`update`]; also [`Error::State`] if `rest` is not empty after the first call, and
/// [`Error::NotSupported`] for a hash with output of a fixed size.
#[cfg_attr(target_family = "wasm", inline(always))]
#[cfg_attr(not(target_family = "wasm"), inline)]
pub fn squeeze(
    hash: Hash,
    params: &Params<'_>,
    state: &[u8],
    rest: &[u8],
    target: &mut [u8],
    next: &mut [u8],
) -> Result<(), Error> {
    if !hash.facts().xof {
        return Err(Error::NotSupported);
    }
    check_params(hash.facts(), params)?;
    check_next(hash, next)?;
    with_digest!(hash, D => running::squeeze::<D>(params, state, rest, target, next))
}

/// Checks that a state from another source is one of this hash. An empty state is not.
///
/// # Errors
/// [`Error::State`] if it is not; [`Error::NotSupported`] for a seed or key that this hash does not
/// take.
pub fn check(hash: Hash, params: &Params<'_>, state: &[u8]) -> Result<(), Error> {
    check_params(hash.facts(), params)?;
    with_digest!(hash, D => running::check::<D>(params, state))
}
