//! The key of an AEAD without AWS-LC. A whole message is one part, in `message.rs`.

use crate::Error;
use crate::catalog::Cipher;
use crate::wipe::Secret;

/// A key. Wiped on drop.
pub(crate) struct AeadKey {
    pub(crate) cipher: Option<Cipher>,
    raw: Secret<32>,
}

impl AeadKey {
    /// Returns room for a key, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        Self { cipher: None, raw: Secret::zeros() }
    }

    /// Takes `key`, which must have the cipher's key size.
    pub(crate) fn prepare(&mut self, cipher: Cipher, key: &[u8]) -> Result<(), Error> {
        self.raw.0.get_mut(..key.len()).ok_or(Error::Engine)?.copy_from_slice(key);
        self.cipher = Some(cipher);
        Ok(())
    }

    /// Returns the key; empty before there is one.
    pub(crate) fn raw_key(&self) -> &[u8] {
        &self.raw.0[..self.cipher.map_or(0, |cipher| cipher.facts().key_size)]
    }
}
