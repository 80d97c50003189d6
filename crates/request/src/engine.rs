//! Keys of the engines, and what all systems know of the kernel engine, which only Linux has.

use crate::protocol::EngineNumber;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, WipedBox};
use millrace_core::error::Error;
use millrace_core::hmac::MacKey;

pub use kernel::{KernelHashTable, report as kernel_report};

pub const NO_KERNEL_KEYED_HASH: Error =
    Error::Unavailable("kernel: does not support keyed hashes: use another engine");

#[cfg(not(target_os = "linux"))]
const REASON: &str = "kernel: only available on Linux: use another engine";
#[cfg(not(target_os = "linux"))]
pub const NO_KERNEL: Error = Error::Unavailable(REASON);

/// Prepares a cipher key for an engine.
///
/// # Errors
/// [`Error::KeySize`]; [`Error::Unavailable`] if the engine does not support the cipher.
pub fn cipher_key(
    engine: EngineNumber,
    cipher: Cipher,
    key: &[u8],
) -> Result<WipedBox<CipherKey>, Error> {
    match engine {
        EngineNumber::Native => CipherKey::boxed(cipher, key),
        #[cfg(target_os = "linux")]
        _ => kernel::LinuxEngine::from(engine).cipher_key(cipher, key)?.into_box(),
        #[cfg(not(target_os = "linux"))]
        _ => Err(NO_KERNEL),
    }
}

/// Prepares an HMAC key for an engine.
///
/// # Errors
/// [`Error::Unavailable`] if the engine does not support the hash.
pub fn mac_key(engine: EngineNumber, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
    match engine {
        EngineNumber::Native => MacKey::new(hash, key),
        #[cfg(target_os = "linux")]
        _ => kernel::LinuxEngine::from(engine).mac_key(hash, key),
        #[cfg(not(target_os = "linux"))]
        _ => Err(NO_KERNEL),
    }
}

#[cfg(target_os = "linux")]
use millrace_linux as kernel;

#[cfg(target_os = "linux")]
impl From<EngineNumber> for kernel::LinuxEngine {
    fn from(engine: EngineNumber) -> Self {
        match engine {
            EngineNumber::AfAlg => Self::AfAlg,
            EngineNumber::Cryptodev => Self::Cryptodev,
            EngineNumber::Kernel | EngineNumber::Native => Self::Kernel,
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use super::{Error, REASON};

    #[derive(Default)]
    pub struct KernelHashTable;

    impl KernelHashTable {
        pub fn copy(&self, _: &[u8], _: &mut [u8]) -> Result<(), Error> {
            Err(Error::State)
        }

        pub fn close(&self, _: &[u8]) -> bool {
            false
        }
    }

    pub fn report(_: bool) -> String {
        format!("{{\"reason\":\"{REASON}\"}}")
    }
}
