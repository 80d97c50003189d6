//! Key agreement and key encapsulation.

use crate::algorithm::Algorithm;
use crate::error::Error;
use crate::key::{PrivateKey, PublicKey};

impl PrivateKey {
    /// Writes the secret that this key and the peer's agree on to the front of the target, and
    /// returns its size: 32 bytes for X25519, the x coordinate for a NIST curve. The secret is not
    /// uniform: derive keys from it.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is a key of X25519 or a NIST curve; [`Error::KeyMismatch`];
    /// [`Error::SmallOrder`]; [`Error::OutputSize`].
    pub fn agree(&self, peer: &PublicKey, target: &mut [u8]) -> Result<usize, Error> {
        if !self.0.algorithm.agrees() {
            return Err(Error::KeyType);
        }
        if self.0.algorithm != peer.0.algorithm {
            return Err(Error::KeyMismatch);
        }
        let size = self.0.algorithm.facts().shared_secret;
        let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
        if self.0.algorithm == Algorithm::X25519 {
            let target = target.first_chunk_mut().ok_or(Error::OutputSize)?;
            self.0.pkey.x25519(&peer.0.pkey, target)?;
        } else {
            self.0.pkey.ecdh(&peer.0.pkey, target)?;
        }
        Ok(size)
    }

    /// Writes the secret that [`PublicKey::encapsulate`] put into the ciphertext. A changed
    /// ciphertext gives a secret that only this key can compute (implicit rejection).
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is a key of ML-KEM; [`Error::CiphertextSize`];
    /// [`Error::Memory`].
    pub fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8; 32]) -> Result<(), Error> {
        match self.0.algorithm.facts().ciphertext {
            0 => Err(Error::KeyType),
            size if size != ciphertext.len() => Err(Error::CiphertextSize),
            _ => self.0.pkey.decapsulate(ciphertext, secret),
        }
    }
}

impl PublicKey {
    /// Writes a new secret, and the ciphertext of it to the front of the target. Returns the
    /// ciphertext's size.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is a key of ML-KEM; [`Error::OutputSize`]; [`Error::Memory`].
    pub fn encapsulate(
        &self,
        ciphertext: &mut [u8],
        secret: &mut [u8; 32],
    ) -> Result<usize, Error> {
        let size = self.0.algorithm.facts().ciphertext;
        if size == 0 {
            return Err(Error::KeyType);
        }
        let ciphertext = ciphertext.get_mut(..size).ok_or(Error::OutputSize)?;
        self.0.pkey.encapsulate(ciphertext, secret)?;
        Ok(size)
    }
}
