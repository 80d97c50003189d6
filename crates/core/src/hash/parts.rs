//! Hashes of one message in parts: dispatch to BLAKE3 and to the trees over Keccak.

use super::{blake3, keccak};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::Slicer;
use crate::inputs::Params;

/// A message that is hashed in parts.
pub(crate) enum HashMessage {
    Blake3(blake3::Blake3Message),
    Keccak(keccak::KeccakMessage),
}

/// The result of a part.
pub(crate) enum HashPart {
    /// The chaining value of a subtree of BLAKE3.
    Subtree([u8; 32]),
    /// The chaining values that the root of a tree over Keccak absorbs.
    Values(keccak::Values),
}

/// Returns the bytes of the parts of a message of `size` bytes, `None` without such parts.
pub(crate) fn part_size(hash: Hash, params: &Params<'_>, size: u64) -> Option<u64> {
    match hash {
        Hash::Blake3 => blake3::part_size(size),
        _ => keccak::part_size(hash, params, size),
    }
}

impl HashMessage {
    /// Returns a message of `size` bytes of a hash for which [`part_size`] returns a size.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn new(hash: Hash, params: &Params<'_>, size: u64) -> Result<HashMessage, Error> {
        Ok(match hash {
            Hash::Blake3 => HashMessage::Blake3(blake3::Blake3Message::new(params)?),
            _ => HashMessage::Keccak(keccak::KeccakMessage::new(hash, params, size)?),
        })
    }

    /// Hashes a part.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn part(&self, offset: u64, source: &[u8]) -> Result<HashPart, Error> {
        Ok(match self {
            HashMessage::Blake3(message) => HashPart::Subtree(message.part(offset, source)),
            HashMessage::Keccak(message) => HashPart::Values(message.part(offset, source)?),
        })
    }

    /// Joins all parts, of which there are at least two, in order.
    pub(crate) fn join(
        &self,
        parts: &mut dyn Iterator<Item = &HashPart>,
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        match self {
            HashMessage::Blake3(message) => message.join(
                &mut parts.filter_map(|part| match part {
                    HashPart::Subtree(value) => Some(value),
                    HashPart::Values(_) => None,
                }),
                target,
                slicer,
            ),
            HashMessage::Keccak(message) => message.join(
                &mut parts.filter_map(|part| match part {
                    HashPart::Values(values) => Some(values.bytes()),
                    HashPart::Subtree(_) => None,
                }),
                target,
                slicer,
            ),
        }
    }
}
