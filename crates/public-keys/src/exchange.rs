//! Key agreement and key encapsulation.

use millrace_core::catalog::Hash::Sha3_256;
use millrace_core::hash::{Params, digest};
use zeroize::Zeroizing;

use crate::algorithm::Algorithm;
use crate::error::Error;
use crate::evp::Pkey;
use crate::key::{ML_KEM_768, PrivateKey, PublicKey, XWing};

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
    /// [`Error::KeyType`] unless this is a key of ML-KEM or X-Wing; [`Error::CiphertextSize`];
    /// [`Error::SmallOrder`] of X-Wing; [`Error::Memory`].
    pub fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8; 32]) -> Result<(), Error> {
        match self.0.algorithm.facts().ciphertext {
            0 => return Err(Error::KeyType),
            size if size != ciphertext.len() => return Err(Error::CiphertextSize),
            _ => {}
        }
        let Some(XWing { x25519, .. }) = &self.0.x_wing else {
            return self.0.pkey.decapsulate(ciphertext, secret);
        };
        let (first, second) = ciphertext.split_at(ML_KEM_768.ciphertext);
        let peer = PublicKey::from_raw(Algorithm::X25519, second)?;
        let mut input = Combined::new();
        self.0.pkey.decapsulate(first, input.part(0))?;
        x25519.x25519(&peer.0.pkey, input.part(1))?;
        *input.part(2) = *second.first_chunk().ok_or(Error::CiphertextSize)?;
        input.finish(x25519, secret)
    }
}

impl PublicKey {
    /// Writes a new secret, and the ciphertext of it to the front of the target. Returns the
    /// ciphertext's size.
    ///
    /// # Errors
    /// [`Error::KeyType`] unless this is a key of ML-KEM or X-Wing; [`Error::OutputSize`];
    /// [`Error::SmallOrder`] of X-Wing; [`Error::Memory`].
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
        let Some(XWing { x25519, .. }) = &self.0.x_wing else {
            self.0.pkey.encapsulate(ciphertext, secret)?;
            return Ok(size);
        };
        let (first, second) = ciphertext.split_at_mut(ML_KEM_768.ciphertext);
        let ephemeral = PrivateKey::generate(Algorithm::X25519)?.0.pkey;
        let mut input = Combined::new();
        self.0.pkey.encapsulate(first, input.part(0))?;
        ephemeral.x25519(x25519, input.part(1))?;
        if !ephemeral.raw_public(input.part(2)) {
            return Err(Error::Engine);
        }
        second.copy_from_slice(input.part(2));
        input.finish(x25519, secret)?;
        Ok(size)
    }
}

/// What X-Wing's combiner hashes: the secret of ML-KEM, that of X25519, the sender's and the
/// recipient's public key of X25519, and a label.
struct Combined(Zeroizing<[u8; 4 * 32 + X_WING_LABEL.len()]>);

const X_WING_LABEL: &[u8] = br"\.//^\";

impl Combined {
    fn new() -> Combined {
        let mut bytes = Zeroizing::new([0; _]);
        bytes[4 * 32..].copy_from_slice(X_WING_LABEL);
        Combined(bytes)
    }

    /// Returns one of the four parts.
    fn part(&mut self, index: usize) -> &mut [u8; 32] {
        &mut self.0.as_chunks_mut().0[index]
    }

    fn finish(&mut self, recipient: &Pkey, secret: &mut [u8; 32]) -> Result<(), Error> {
        if !recipient.raw_public(self.part(3)) {
            return Err(Error::Engine);
        }
        Ok(digest(Sha3_256, &Params::NONE, &self.0[..], secret, None)?)
    }
}
