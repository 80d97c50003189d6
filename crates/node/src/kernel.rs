//! Work of the kernel engine, and what JavaScript can ask about it.
//!
//! It runs during its call or on one worker, in slices, like other work, but is neither batched nor
//! split into parts.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[path = "kernel/unavailable.rs"]
mod linux;

use crate::calls::Call;
use crate::protocol::EngineNumber;
use crate::values::Value;
use crate::work::{Key, Status};
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::CipherKey;
use millrace_core::error::Error;
use millrace_core::hmac::MacKey;

pub(crate) use linux::{KernelHashTable, drop_state, fork_state, report};

const FOREIGN_KEY: Error = Error::Unavailable(
    "the key was prepared for the native engine, and no other engine can read it: \
     prepare it with createKey and options.engine",
);
pub(crate) const NO_KEYED_HASH: Error =
    Error::Unavailable("kernel: does not support keyed hashes: use another engine");

/// Returns the engine of a prepared key, or the one that the call asks for.
pub(crate) fn engine(asked: EngineNumber, key: &Key) -> Result<EngineNumber, Status> {
    match key {
        Key::Prepared(key) if key.is_external() => {
            Ok(if asked == EngineNumber::Native { EngineNumber::Kernel } else { asked })
        }
        Key::Prepared(_) if asked != EngineNumber::Native => Err(FOREIGN_KEY.into()),
        _ => Ok(asked),
    }
}

/// Prepares a cipher key for an engine.
pub(crate) fn cipher_key(
    engine: EngineNumber,
    cipher: Cipher,
    key: &[u8],
) -> Result<Box<CipherKey>, Error> {
    match engine {
        EngineNumber::Native => CipherKey::boxed(cipher, key),
        _ => linux::cipher_key(engine, cipher, key).map(Box::new),
    }
}

/// Prepares an HMAC key for an engine.
pub(crate) fn mac_key(engine: EngineNumber, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
    match engine {
        EngineNumber::Native => MacKey::new(hash, key),
        _ => linux::mac_key(engine, hash, key),
    }
}

/// `lastReason()`: the message of the last error of this environment that has one.
pub(crate) fn last_reason(call: &Call<'_>) -> Value {
    call.env.utf8(call.state.last_reason())
}
