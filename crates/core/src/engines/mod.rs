//! The engines: the native one, and the contract of engines in other crates.
//!
//! The native engine is called directly. [`ExternalMac`] and [`ExternalCipher`] are the contract of
//! engines in other crates, which are chosen at run time. The operations check every size against
//! the catalog before they call an engine.

mod external;
mod native;
mod report;
mod service;

pub use external::{ExternalCipher, ExternalMac};
pub(crate) use native::cipher_message::CipherMessage;
pub(crate) use native::cipher_state::CipherState;
#[cfg(target_family = "wasm")]
pub use native::families;
pub(crate) use native::hash_parts::{HashMessage, HashPart, part_size as hash_part_size};
pub(crate) use native::kdf;
pub use native::memory::Memory;
pub(crate) use native::message::PartialTag;
pub(crate) use native::running::RunningState;
pub(crate) use native::wipe::Secret;
pub use native::wipe::WipedBox;
pub(crate) use native::{MacState as NativeMac, Native};
pub use report::report_json;

/// An HMAC key that an engine prepared.
pub(crate) enum MacState {
    Native(NativeMac),
    External(Box<dyn ExternalMac>),
}

/// Overwrites a secret so that the compiler cannot omit it.
pub fn wipe(bytes: &mut [u8]) {
    Native::wipe(bytes);
}
