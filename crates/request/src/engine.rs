//! Keys of the engines, and what all systems know of the kernel engine, which only Linux has.

use crate::protocol::EngineNumber;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::cipher::{CipherKey, WipedBox};
use millrace_core::error::Error;
use millrace_core::hmac::MacKey;

pub use kernel::{KernelHashTable, kernel_report};

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
        _ => kernel::cipher_key(engine, cipher, key).and_then(CipherKey::into_box),
    }
}

/// Prepares an HMAC key for an engine.
///
/// # Errors
/// [`Error::Unavailable`] if the engine does not support the hash.
pub fn mac_key(engine: EngineNumber, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
    match engine {
        EngineNumber::Native => MacKey::new(hash, key),
        _ => kernel::mac_key(engine, hash, key),
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use super::{Cipher, CipherKey, EngineNumber, Error, Hash, MacKey};
    use millrace_linux::LinuxEngine;

    pub use millrace_linux::{KernelHashTable, report as kernel_report};

    impl From<EngineNumber> for LinuxEngine {
        fn from(engine: EngineNumber) -> LinuxEngine {
            match engine {
                EngineNumber::AfAlg => LinuxEngine::AfAlg,
                EngineNumber::Cryptodev => LinuxEngine::Cryptodev,
                EngineNumber::Kernel | EngineNumber::Native => LinuxEngine::Kernel,
            }
        }
    }

    pub(super) fn cipher_key(
        engine: EngineNumber,
        cipher: Cipher,
        key: &[u8],
    ) -> Result<CipherKey, Error> {
        LinuxEngine::from(engine).cipher_key(cipher, key)
    }

    pub(super) fn mac_key(engine: EngineNumber, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
        LinuxEngine::from(engine).mac_key(hash, key)
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use super::{Cipher, CipherKey, EngineNumber, Error, Hash, MacKey, NO_KERNEL, REASON};

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

    pub(super) fn cipher_key(_: EngineNumber, _: Cipher, _: &[u8]) -> Result<CipherKey, Error> {
        Err(NO_KERNEL)
    }

    pub(super) fn mac_key(_: EngineNumber, _: Hash, _: &[u8]) -> Result<MacKey, Error> {
        Err(NO_KERNEL)
    }

    pub fn kernel_report(_: bool) -> String {
        format!("{{\"reason\":\"{REASON}\"}}")
    }
}
