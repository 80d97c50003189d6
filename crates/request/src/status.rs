//! The errors of the core as the numbers that JavaScript knows. `crates/families` has this file,
//! too.

use crate::protocol::Status;
use millrace_core::error::Error;

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        match error {
            Error::KeySize => Status::KeySize,
            Error::IvSize => Status::IvSize,
            Error::TagSize => Status::TagSize,
            Error::OutputSize => Status::OutputSize,
            Error::SourceTooLarge => Status::SourceTooLarge,
            Error::AadTooLarge => Status::AadTooLarge,
            Error::Authentication => Status::Authentication,
            Error::NotSupported => Status::NotSupported,
            Error::State => Status::State,
            Error::SaltSize => Status::SaltSize,
            Error::Cost => Status::Cost,
            // Limits were checked before: the system is short of memory.
            Error::Memory { .. } => Status::Memory,
            Error::MemoryLimit { .. } => Status::MemoryLimit,
            Error::Encoded => Status::Encoded,
            Error::EncodedSize => Status::EncodedSize,
            Error::Work => Status::Work,
            Error::Parts | Error::Engine => Status::Engine,
            Error::Cancelled => Status::Cancelled,
            Error::Unavailable(reason) => Status::Unavailable(reason),
            Error::TooLarge(reason) => Status::TooLarge(reason),
            Error::SecureMemory(_) => Status::SecureMemory,
        }
    }
}
