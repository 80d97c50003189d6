//! The only error type of the core: a code for programs and a sentence for people.

use std::fmt;

/// Why an operation was refused or failed. Nothing was computed unless the variant says so.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The key has not the size this algorithm takes.
    KeySize,
    /// The initialization vector or nonce has not the size this algorithm takes.
    IvSize,
    /// The authentication tag has a size this algorithm does not take.
    TagSize,
    /// The target has not the size of the result.
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
    /// The parts of a message are not all there, overlap, or do not end at a border.
    Parts,
    /// Nobody wants the result any more: [`Checkpoint::cancelled`](crate::checkpoint::Checkpoint::cancelled) said so.
    /// The target is untouched.
    Cancelled,
    /// The bytes are not a state of this hash, or the state has begun to give output and takes no
    /// more.
    State,
    /// The engine that was asked for cannot do this here; the sentence says why, and how to mend
    /// it. The target is all zero or untouched.
    Unavailable(&'static str),
    /// The message is larger than the engine takes at once; the sentence says how large it may be.
    /// The target is untouched.
    TooLarge(&'static str),
    /// The library refused what it should have accepted. The target is all zero or untouched.
    Engine,
    /// The salt has a size this algorithm does not take.
    SaltSize,
    /// A cost parameter is outside of what the algorithm defines.
    Cost,
    /// The derivation would use more memory than it may, or than there is.
    Memory {
        /// How many bytes it needs.
        needed: u64,
    },
    /// The text is not a password hash in a form which this library knows.
    Encoded,
    /// The password hash asks for more work than is allowed.
    Work,
}

impl Error {
    /// The sentence for people.
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
            Error::Cancelled => "nobody wants the result any more",
            Error::State => "the state does not belong to this hash",
            Error::Unavailable(reason) | Error::TooLarge(reason) => reason,
            Error::Engine => "the engine failed",
            Error::SaltSize => "the salt has the wrong size for this algorithm",
            Error::Cost => "a cost parameter is outside of what this algorithm defines",
            Error::Memory { .. } => "more memory is needed than is allowed or available",
            Error::Encoded => "the text is not a password hash in a known form",
            Error::Work => "the password hash asks for more work than is allowed",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())?;
        if let Error::Memory { needed } = self {
            write!(formatter, ": {needed} bytes")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
