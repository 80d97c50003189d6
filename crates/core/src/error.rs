//! The error type of this crate.

use std::fmt;

/// Why an operation failed. Nothing was computed unless the variant says so.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The key's size differs from the one this algorithm takes.
    KeySize,
    /// The size of the initialization vector or nonce differs from the one this algorithm takes.
    IvSize,
    /// This algorithm does not take an authentication tag of this size.
    TagSize,
    /// The target's size differs from the result's.
    OutputSize,
    /// The source is longer than this algorithm can process under one key and nonce.
    SourceTooLarge,
    /// The additional authenticated data is longer than this algorithm can process.
    AadTooLarge,
    /// The tag does not match: key, nonce, data or tag differ from those of `seal`. The target is
    /// all zero.
    Authentication,
    /// This algorithm has no such operation or parameter.
    NotSupported,
    /// The parts of a message are incomplete, overlap or are not aligned.
    Parts,
    /// [`Checkpoint::cancelled`](crate::checkpoint::Checkpoint::cancelled) returned true. The
    /// target is untouched unless the operation says otherwise.
    Cancelled,
    /// The bytes are not a state of this hash, or the state has begun to squeeze output and absorbs
    /// no more.
    State,
    /// The requested engine cannot compute this here; the text gives the reason and the remedy. The
    /// target is all zero or untouched.
    Unavailable(&'static str),
    /// The message is larger than the engine takes at once; the text gives the limit.
    /// The target is untouched.
    TooLarge(&'static str),
    /// A library failed unexpectedly. The target is all zero or untouched.
    Engine,
    /// This algorithm does not take a salt of this size.
    SaltSize,
    /// A cost parameter is outside the range that the algorithm defines.
    Cost,
    /// More memory is needed than is allowed or available.
    Memory {
        /// The bytes that are needed.
        needed: u64,
    },
    /// More memory is needed than the caller allows.
    MemoryLimit {
        /// The bytes that are needed.
        needed: u64,
    },
    /// A key must be kept in locked memory, and cannot be; the text gives the reason.
    SecureMemory(&'static str),
    /// The text is not a PHC or bcrypt string.
    Encoded,
    /// The salt or the hash in a PHC string has a size that is not accepted.
    EncodedSize,
    /// The password hash requires more work than is allowed.
    Work,
}

impl Error {
    /// Returns the message.
    pub const fn message(self) -> &'static str {
        match self {
            Error::KeySize => "the key has the wrong size for this algorithm",
            Error::IvSize => "the iv or nonce has the wrong size for this algorithm",
            Error::TagSize => "the tag has the wrong size for this algorithm",
            Error::OutputSize => "the target has the wrong size for this result",
            Error::SourceTooLarge => "the source is larger than this algorithm can process at once",
            Error::AadTooLarge => {
                "the additional data is larger than this algorithm can process at once"
            }
            Error::Authentication => "the tag does not authenticate the data",
            Error::NotSupported => "this algorithm does not support this operation",
            Error::Parts => "the parts do not make up the message",
            Error::Cancelled => "the operation was cancelled",
            Error::State => "the state does not belong to this hash",
            Error::Unavailable(reason) | Error::TooLarge(reason) | Error::SecureMemory(reason) => {
                reason
            }
            Error::Engine => "the engine failed",
            Error::SaltSize => "the salt has the wrong size for this algorithm",
            Error::Cost => "a cost parameter is outside the range of this algorithm",
            Error::Memory { .. } => "more memory is needed than is allowed or available",
            Error::MemoryLimit { .. } => "more memory is needed than is allowed",
            Error::Encoded => "the text is not a PHC or bcrypt string",
            Error::EncodedSize => "a PHC string has a salt of 8 to 512 bytes, a hash of 16 to 512",
            Error::Work => "the password hash requires more work than is allowed",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())?;
        if let Error::Memory { needed } | Error::MemoryLimit { needed } = self {
            write!(formatter, ": {needed} bytes")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
