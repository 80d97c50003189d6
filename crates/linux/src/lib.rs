//! The kernel engine: Linux's own cryptography through sockets (AF_ALG) or through the device of
//! cryptodev-linux.
//!
//! It is for accelerators that only the kernel can reach, and for keys and rules that must be the
//! kernel's. It is never faster than the native engine on a CPU with instructions for cryptography:
//! a message takes a system call and two copies. Linux 7.2 calls the sockets deprecated. Millrace
//! therefore uses this engine only where a caller names it, and asks the kernel for nothing before
//! that: asking loads modules.
//!
//! Each module imports only modules further down this list:
//!
//! - `hash_table`: running hashes by handle;
//! - `report`: what the kernel supports, as JSON;
//! - `cipher`, `hash`: operations;
//! - `support`: which interface supports which algorithm;
//! - `channels`: sockets and sessions for one key, reused;
//! - `af_alg`, `cryptodev`: the system calls of each interface;
//! - `failure`: error messages with their remedies;
//! - `algorithm`, `interface`: names and numbers of both interfaces;
//! - `fork`: detects that the process has forked.

#![cfg(target_os = "linux")]
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod af_alg;
mod algorithm;
mod channels;
mod cipher;
#[allow(unsafe_code)]
mod cryptodev;
mod failure;
#[allow(unsafe_code)]
mod fork;
mod hash;
mod hash_table;
mod interface;
mod report;
mod support;

use millrace_core::Error;
use millrace_core::catalog::{Cipher, Hash};
use millrace_core::checkpoint::Slicer;
use millrace_core::cipher::CipherKey;
use millrace_core::hash::{Params, check_params, check_target};
use millrace_core::hmac::MacKey;

pub use hash_table::{HashKind, KernelHashTable};
pub use interface::LinuxEngine;
pub use report::report;

impl LinuxEngine {
    /// Hashes `source` into `target`, as [`digest`](millrace_core::hash::digest()) does.
    ///
    /// # Errors
    /// As [`digest`](millrace_core::hash::digest()); [`Error::Unavailable`]; [`Error::Cancelled`].
    pub fn digest(
        self,
        hash: Hash,
        params: &Params<'_>,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        check_target(hash.facts(), params, target.len())?;
        check_params(hash.facts(), params)?;
        hash::digest(&support::hash_channels(self, hash)?, source, target, slicer)
    }

    /// Prepares an HMAC key of any size.
    ///
    /// # Errors
    /// [`Error::NotSupported`] when HMAC is not defined for `hash`; [`Error::Unavailable`].
    pub fn mac_key(self, hash: Hash, key: &[u8]) -> Result<MacKey, Error> {
        if !hash.facts().hmac {
            return Err(Error::NotSupported);
        }
        MacKey::from_external(hash, Box::new(hash::Mac::new(self, hash, key)?))
    }

    /// Prepares a cipher key.
    ///
    /// # Errors
    /// [`Error::KeySize`]; [`Error::Unavailable`].
    pub fn cipher_key(self, cipher: Cipher, key: &[u8]) -> Result<CipherKey, Error> {
        if key.len() != cipher.facts().key_size {
            return Err(Error::KeySize);
        }
        Ok(CipherKey::from_external(cipher, Box::new(cipher::Key::new(self, cipher, key)?)))
    }
}

#[cfg(test)]
mod tests;
