//! One large message of a hash in parts: see [`split`](crate::split).

use std::borrow::Borrow;

use super::{blake3, keccak};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::inputs::{Params, check_params, digest_size};

/// Returns true if long messages of `hash` can be processed in parts: those of a tree.
pub fn is_tree(hash: Hash) -> bool {
    hash_parts(hash, &Params::NONE, u64::MAX).is_some()
}

/// Returns the bytes of the parts of a message of `size` bytes; `None` if `hash` does not support
/// parts or the message is too short.
pub fn hash_parts(hash: Hash, params: &Params<'_>, size: u64) -> Option<u64> {
    match hash {
        Hash::Blake3 => blake3::part_size(size),
        _ => keccak::part_size(hash, params, size),
    }
}

/// A message of a hash that is processed in parts of [`HashMessage::part_size`] bytes; the last may
/// be shorter. Several threads may process them at once and in any order. A key is wiped on drop.
pub struct HashMessage {
    hash: Hash,
    size: u64,
    part_size: u64,
    digest_size: usize,
    state: State,
}

impl std::fmt::Debug for HashMessage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "HashMessage({}, {} bytes)", self.hash.facts().name, self.size)
    }
}

enum State {
    Blake3(blake3::Blake3Message),
    Keccak(keccak::KeccakMessage),
}

/// The result of a part.
pub struct HashPart(Value);

enum Value {
    /// The chaining value of a subtree of BLAKE3.
    Subtree([u8; 32]),
    /// The chaining values that the root of a tree over Keccak absorbs.
    Leaves(keccak::Values),
}

impl std::fmt::Debug for HashPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("HashPart")
    }
}

impl HashMessage {
    /// Prepares a message of `size` bytes.
    ///
    /// # Errors
    /// [`Error::NotSupported`] if [`hash_parts`] returns `None`, and for a seed or key that this
    /// hash does not take; [`Error::Memory`].
    pub fn new(hash: Hash, params: &Params<'_>, size: u64) -> Result<HashMessage, Error> {
        check_params(hash.facts(), params)?;
        let part_size = hash_parts(hash, params, size).ok_or(Error::NotSupported)?;
        let state = match hash {
            Hash::Blake3 => State::Blake3(blake3::Blake3Message::new(params)?),
            _ => State::Keccak(keccak::KeccakMessage::new(hash, params, size)?),
        };
        let digest_size = digest_size(hash.facts(), params);
        Ok(HashMessage { hash, size, part_size, digest_size, state })
    }

    /// Returns the bytes of a part.
    pub fn part_size(&self) -> u64 {
        self.part_size
    }

    /// Returns the number of parts.
    pub fn count(&self) -> usize {
        self.size.div_ceil(self.part_size) as usize
    }

    /// Hashes the part at `offset`.
    ///
    /// # Errors
    /// [`Error::Parts`] if `offset` and the length are not those of a part; [`Error::Memory`].
    pub fn part(&self, offset: u64, source: &[u8]) -> Result<HashPart, Error> {
        let begins = offset.is_multiple_of(self.part_size) && offset < self.size;
        if !begins || source.len() as u64 != self.part_size.min(self.size - offset) {
            return Err(Error::Parts);
        }
        Ok(HashPart(match &self.state {
            State::Blake3(message) => Value::Subtree(message.part(offset, source)),
            State::Keccak(message) => Value::Leaves(message.part(offset, source)?),
        }))
    }

    /// Writes the digest of the message from all its parts, in order. The size of `target` is as
    /// for [`digest`](crate::hash::digest()).
    ///
    /// # Errors
    /// [`Error::Parts`] if their number differs from [`HashMessage::count`]; [`Error::OutputSize`];
    /// [`Error::Cancelled`] by the slicer's checkpoint.
    pub fn finish<P: Borrow<HashPart>>(
        &self,
        parts: &[P],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let fits = if self.hash.facts().xof {
            !target.is_empty()
        } else {
            target.len() == self.digest_size
        };
        if !fits {
            return Err(Error::OutputSize);
        }
        if parts.len() != self.count() {
            return Err(Error::Parts);
        }
        let parts = parts.iter().map(|part| &part.borrow().0);
        match &self.state {
            State::Blake3(message) => message.join(
                &mut parts.filter_map(|part| match part {
                    Value::Subtree(value) => Some(value),
                    Value::Leaves(_) => None,
                }),
                target,
                slicer,
            ),
            State::Keccak(message) => message.join(
                &mut parts.filter_map(|part| match part {
                    Value::Leaves(values) => Some(values.bytes()),
                    Value::Subtree(_) => None,
                }),
                target,
                slicer,
            ),
        }
    }
}
